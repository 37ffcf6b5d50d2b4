/* Accounts: who pays, and what everybody's share is. */
#include "base/check.h"
#include "vidmm/internal.h"

/* What may be placed in the segments of a group at a time. */
static uint64_t group_bytes(const struct vidmm *vidmm, enum vidmm_group group)
{
    uint64_t bytes = 0;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        const struct vidmm_segment_options *options = &vidmm->segments[i].options;
        bytes += options->group == group ? options->commit_limit_bytes : 0;
    }
    return bytes;
}

static uint64_t reserved_locked(struct vidmm *vidmm, unsigned group) HOLDS(vidmm->lock)
{
    uint64_t bytes = 0;

    list_for_each (link, &vidmm->accounts) {
        bytes += container_of(link, struct vidmm_account, link)->reservation_bytes[group];
    }
    return bytes;
}

static void share_out_locked(struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    vidmm->pressure.share_changes++;
    for (unsigned group = 0; group < VIDMM_GROUP_COUNT; group++) {
        uint64_t bytes = group_bytes(vidmm, (enum vidmm_group)group);
        uint64_t rest = bytes - reserved_locked(vidmm, group); /* half of it at most is reserved */
        list_for_each (link, &vidmm->accounts) {
            struct vidmm_account *account = container_of(link, struct vidmm_account, link);
            account->budget_bytes[group] =
                account->reservation_bytes[group] + rest / vidmm->account_count;
        }
    }
}

void vidmm_account_init(struct vidmm_account *account, struct vidmm *vidmm)
{
    *account = (struct vidmm_account){.vidmm = vidmm};
    mutex_lock(&vidmm->lock);
    list_push_back(&vidmm->accounts, &account->link);
    vidmm->account_count++;
    share_out_locked(vidmm);
    mutex_unlock(&vidmm->lock);
}

void vidmm_account_fini(struct vidmm_account *account)
{
    struct vidmm *vidmm = account->vidmm;

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (allocation->account == account) {
            allocation->account = NULL;
        }
    }
    list_remove(&account->link);
    vidmm->account_count--;
    share_out_locked(vidmm);
    mutex_unlock(&vidmm->lock);
    *account = (struct vidmm_account){0};
}

/* ---- Reservations ---------------------------------------------------------------------------- */

/* Half of a group may be reserved, by all together. */
static uint64_t reservable_locked(struct vidmm *vidmm, const struct vidmm_account *account,
                                  unsigned group) HOLDS(vidmm->lock)
{
    uint64_t others = reserved_locked(vidmm, group) - account->reservation_bytes[group];
    uint64_t most = group_bytes(vidmm, (enum vidmm_group)group) / 2;

    return most > others ? most - others : 0;
}

void vidmm_account_info(struct vidmm_account *account, enum vidmm_group group,
                        struct vidmm_account_info *out)
{
    struct vidmm *vidmm = account->vidmm;

    mutex_lock(&vidmm->lock);
    *out = (struct vidmm_account_info){
        .budget_bytes = account->budget_bytes[group],
        .usage_bytes = account->usage_bytes[group],
        .reservation_bytes = account->reservation_bytes[group],
        .reservable_bytes = reservable_locked(vidmm, account, group),
    };
    mutex_unlock(&vidmm->lock);
}

uint64_t vidmm_account_over(struct vidmm_account *account)
{
    struct vidmm *vidmm = account->vidmm;
    uint64_t all = 0, over = 0;

    mutex_lock(&vidmm->lock);
    for (unsigned group = 0; group < VIDMM_GROUP_COUNT; group++) {
        uint64_t budget = account->budget_bytes[group], demand = account->group_demand_bytes[group];
        all += budget;
        if (demand > budget && demand - budget > over) {
            over = demand - budget;
        }
    }
    if (account->demand_bytes > all && account->demand_bytes - all > over) {
        over = account->demand_bytes - all;
    }
    mutex_unlock(&vidmm->lock);
    return over;
}

void vidmm_pressure(struct vidmm *vidmm, struct vidmm_pressure *out)
{
    mutex_lock(&vidmm->lock);
    *out = vidmm->pressure;
    mutex_unlock(&vidmm->lock);
}

NTSTATUS vidmm_account_reserve(struct vidmm_account *account, enum vidmm_group group,
                               uint64_t bytes)
{
    struct vidmm *vidmm = account->vidmm;
    NTSTATUS status = STATUS_INVALID_PARAMETER;

    mutex_lock(&vidmm->lock);
    if (bytes <= reservable_locked(vidmm, account, group)) {
        account->reservation_bytes[group] = bytes;
        share_out_locked(vidmm);
        released_locked(vidmm); /* who waits for room may have another share now */
        status = STATUS_SUCCESS;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- What was offered ------------------------------------------------------------------------ */

/* Its content goes, if it can now. */
static bool trim_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, bool only_out)
    HOLDS(vidmm->lock)
{
    if (!allocation->offered || allocation->dying || allocation->lock_count > 0 ||
        (allocation->segment == 0 && allocation->content == VIDMM_CONTENT_NONE) ||
        (allocation->segment != 0 && (only_out || allocation_held(allocation)))) {
        return false;
    }
    if (allocation->segment != 0 &&
        !NT_SUCCESS(evict_locked(vidmm, allocation, VIDMM_REASON_OWNER))) {
        return false;
    }
    allocation_discard_locked(vidmm, allocation);
    return true;
}

uint64_t vidmm_account_trim(struct vidmm_account *account, const struct vidmm_trim *trim)
{
    struct vidmm *vidmm = account->vidmm;
    uint64_t bytes = 0;

    mutex_lock(&vidmm->lock);
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (bytes < trim->wanted_bytes && allocation->account == account &&
            trim_locked(vidmm, allocation, trim->only_out)) {
            bytes += allocation->size_bytes;
        }
    }
    if (bytes > 0) {
        released_locked(vidmm);
    }
    mutex_unlock(&vidmm->lock);
    return bytes;
}
