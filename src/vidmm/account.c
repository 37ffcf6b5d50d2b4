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

static void share_out_locked(struct vidmm *vidmm) HOLDS(vidmm->lock)
{
    for (unsigned group = 0; group < VIDMM_GROUP_COUNT; group++) {
        uint64_t bytes = group_bytes(vidmm, (enum vidmm_group)group);
        list_for_each (link, &vidmm->accounts) {
            struct vidmm_account *account = container_of(link, struct vidmm_account, link);
            account->budget_bytes[group] = bytes / vidmm->account_count;
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
