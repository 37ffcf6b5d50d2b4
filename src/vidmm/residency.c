/* Residency lists: what a device wants in place while it runs.
 *
 * An allocation on a list is a membership: joining while its request is under way, then present or
 * missing, as memory comes and goes. Only those that have joined hold up the device, and are held
 * while it runs. */
#include <stdlib.h>

#include "base/check.h"
#include "vidmm/internal.h"

void vidmm_residency_init(struct vidmm_residency *list, struct vidmm *vidmm,
                          struct vidmm_account *account)
{
    *list = (struct vidmm_residency){.vidmm = vidmm, .account = account};
    list_init(&list->present);
    list_init(&list->missing);
    list_init(&list->joining);
}

void vidmm_residency_sees(struct vidmm_residency *list, struct vidmm_space *space)
{
    list->space = space;
}

struct membership *membership_find(const struct vidmm_residency *list,
                                   const struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        struct membership *membership = container_of(link, struct membership, allocation_link);
        if (membership->list == list) {
            return membership;
        }
    }
    return NULL;
}

/* The list's demand of one set of segments. False: there are too many kinds. */
static bool demand_of_list(struct vidmm_residency *list, uint32_t segments, uint64_t bytes)
{
    struct vidmm_demand *found = NULL;

    for (unsigned i = 0; i < VIDMM_DEMAND_COUNT; i++) {
        struct vidmm_demand *demand = &list->demands[i];
        if (demand->bytes != 0 && demand->segments == segments) {
            demand->bytes += bytes;
            return true;
        }
        found = found || demand->bytes != 0 ? found : demand;
    }
    if (found) {
        *found = (struct vidmm_demand){segments, bytes};
    }
    return found != NULL;
}

/* The account's demand: in all, and of what can only be in one group. */
static void demand(struct vidmm *vidmm, struct membership *membership, bool more)
{
    const struct vidmm_allocation *allocation = membership->allocation;
    struct vidmm_account *account = membership->list->account;
    uint64_t bytes = more ? allocation->size_bytes : -allocation->size_bytes;
    int group = residency_group(vidmm, allocation);

    membership->list->size_bytes += bytes;
    if (more || membership->demanded) {
        membership->demanded = demand_of_list(membership->list, allocation->read_segments, bytes);
    }
    if (account) {
        account->demand_bytes += bytes;
        if (group >= 0) {
            account->group_demand_bytes[group] += bytes;
        }
    }
}

void residency_recount_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation, bool after)
{
    list_for_each (link, &allocation->memberships) {
        demand(vidmm, container_of(link, struct membership, allocation_link), after);
    }
}

/* Among those that it belongs to now. */
static void sort_in(struct membership *membership)
{
    struct vidmm_residency *list = membership->list;

    list_remove(&membership->list_link);
    bool away = membership->allocation->offered && membership->allocation->segment == 0;
    if (membership->request || away) {
        list_push_back(&list->joining, &membership->list_link);
    } else if (membership->allocation->segment != 0) {
        list_push_back(&list->present, &membership->list_link);
    } else {
        list_push_back(&list->missing, &membership->list_link);
    }
}

struct membership *membership_make_locked(struct vidmm *vidmm, struct vidmm_residency *list,
                                          struct vidmm_allocation *allocation,
                                          struct request *request)
{
    struct membership *membership = calloc(1, sizeof *membership);

    if (membership) {
        membership->list = list;
        membership->allocation = allocation;
        membership->request = request;
        list_init(&membership->list_link);
        list_push_back(&allocation->memberships, &membership->allocation_link);
        sort_in(membership);
        demand(vidmm, membership, true);
    }
    return membership;
}

void membership_end_locked(struct vidmm *vidmm, struct membership *membership)
{
    if (membership->asked > 0) {
        requests_forget_locked(vidmm, membership);
    }
    demand(vidmm, membership, false);
    list_remove(&membership->list_link);
    list_remove(&membership->allocation_link);
    free(membership);
    released_locked(vidmm);
}

void membership_joined(struct membership *membership)
{
    membership->request = NULL;
    sort_in(membership);
    if (membership->allocation->paging_sequence > membership->list->paging_sequence) {
        membership->list->paging_sequence = membership->allocation->paging_sequence;
    }
}

void residency_came_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        struct membership *membership = container_of(link, struct membership, allocation_link);
        struct vidmm_residency *list = membership->list;
        sort_in(membership);
        if (!membership->request && allocation->paging_sequence > list->paging_sequence) {
            list->paging_sequence = allocation->paging_sequence;
        }
    }
}

void residency_sort_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        sort_in(container_of(link, struct membership, allocation_link));
    }
}

void residency_end_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation)
{
    while (!list_empty(&allocation->memberships)) {
        membership_end_locked(
            vidmm, container_of(allocation->memberships.next, struct membership, allocation_link));
    }
}

bool residency_holds(const struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        const struct membership *membership =
            container_of(link, struct membership, allocation_link);
        if (!membership->request && membership->list->run_count > 0) {
            return true;
        }
    }
    return false;
}

void residency_used(struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        const struct membership *membership =
            container_of(link, struct membership, allocation_link);
        uint64_t tick = membership->list->last_tick;
        if (tick > allocation->history.last_tick) {
            allocation->vidmm->policy->used(&allocation->history, tick);
            allocation->history.last_tick = tick;
        }
    }
}

void vidmm_residency_fini(struct vidmm_residency *list)
{
    struct vidmm *vidmm = list->vidmm;
    struct list *const kinds[] = {&list->present, &list->missing, &list->joining};

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    CHECK_THAT(list->run_count == 0);
    for (size_t i = 0; i < sizeof kinds / sizeof kinds[0]; i++) {
        while (!list_empty(kinds[i])) {
            membership_end_locked(vidmm,
                                  container_of(kinds[i]->next, struct membership, list_link));
        }
    }
    mutex_unlock(&vidmm->lock);
    *list = (struct vidmm_residency){0};
}

/* ---- Before a device runs -------------------------------------------------------------------- */

/* Places what is missing of the list, until somebody is in the way. */
static void place_missing_locked(struct vidmm *vidmm, struct vidmm_use *use,
                                 struct vidmm_residency *list, struct vidmm_prepare_result *result)
    HOLDS(vidmm->lock)
{
    *result = (struct vidmm_prepare_result){.outcome = VIDMM_READY, .status = STATUS_SUCCESS};
    while (result->outcome == VIDMM_READY && !list_empty(&list->missing)) {
        struct membership *membership =
            container_of(list->missing.next, struct membership, list_link);
        use_place_locked(vidmm, use, membership->allocation, result);
    }
}

int membership_compare(const void *a, const void *b)
{
    const struct vidmm_allocation *left = (*(struct membership *const *)a)->allocation;
    const struct vidmm_allocation *right = (*(struct membership *const *)b)->allocation;

    if (left->size_bytes != right->size_bytes) {
        return left->size_bytes > right->size_bytes ? -1 : 1;
    }
    return left->number < right->number ? -1 : left->number > right->number;
}

/* The largest first among those that are missing; as they are if there is no memory for that. */
static void sort_missing(struct vidmm_residency *list)
{
    size_t count = 0, filled = 0;

    list_for_each (link, &list->missing) {
        count++;
    }
    struct membership **order = malloc((count + 1) * sizeof(struct membership *));
    for (struct list *link; order && (link = list_pop_front(&list->missing)) != NULL;) {
        order[filled++] = container_of(link, struct membership, list_link);
    }
    if (filled > 0) {
        qsort(order, filled, sizeof(struct membership *), membership_compare);
    }
    for (size_t i = 0; i < filled; i++) {
        list_push_back(&list->missing, &order[i]->list_link);
    }
    free(order);
}

/* Everything of the list that nobody else holds goes, and comes back with the largest first: there
 * were holes between what was in place, and none for what was not. */
static NTSTATUS begin_anew_locked(struct vidmm *vidmm, struct vidmm_residency *list)
    HOLDS(vidmm->lock)
{
    NTSTATUS status = STATUS_SUCCESS;
    struct list *next;

    list->run_count--; /* it holds nothing meanwhile */
    for (struct list *link = list->present.next; link != &list->present && NT_SUCCESS(status);
         link = next) {
        struct vidmm_allocation *allocation =
            container_of(link, struct membership, list_link)->allocation;
        next = link->next;
        if (!allocation_held(allocation)) {
            status = evict_locked(vidmm, allocation, VIDMM_REASON_PLACE);
        }
    }
    list->run_count++;
    sort_missing(list);
    return status;
}

/* As planned when it was asked for (pack.c): nothing is in its segments but what is held, and
 * tables that stay. What others have there may lie so that it cuts the room into pieces. */
static NTSTATUS clear_all_locked(struct vidmm *vidmm, struct vidmm_residency *list)
    HOLDS(vidmm->lock)
{
    NTSTATUS status = begin_anew_locked(vidmm, list);
    uint32_t set = 0;

    for (unsigned i = 0; i < VIDMM_DEMAND_COUNT; i++) {
        set |= list->demands[i].bytes != 0 ? list->demands[i].segments : 0;
    }
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (NT_SUCCESS(status) && allocation->segment != 0 &&
            (set & VIDMM_SEGMENT_BIT(allocation->segment)) != 0 && !allocation->dying &&
            !allocation_held(allocation)) {
            status = evict_locked(vidmm, allocation, VIDMM_REASON_PRESSURE);
        }
    }
    list_for_each (link, &vidmm->spaces) {
        struct vidmm_space *space = container_of(link, struct vidmm_space, link);
        if (NT_SUCCESS(status) && (set & tables_segments(vidmm)) != 0 && space_may_leave(space)) {
            status = space_leave_locked(vidmm, space);
        }
    }
    return status;
}

/* The tables that it is seen by, before what they show. */
static void keep_tables_locked(struct vidmm *vidmm, const struct vidmm_residency *list,
                               struct vidmm_prepare_result *result) HOLDS(vidmm->lock)
{
    *result = (struct vidmm_prepare_result){.outcome = VIDMM_READY, .status = STATUS_SUCCESS};
    if (!list->space) {
        return;
    }
    result->status = space_keep_locked(vidmm, list->space, &result->wait);
    if (result->status == STATUS_SUCCESS) {
        space_let_go_locked(vidmm, list->space);
        list->space->run_count++;
    } else if (result->status == STATUS_PENDING ||
               (result->status == STATUS_GRAPHICS_NO_VIDEO_MEMORY &&
                find_lock_locked(vidmm, tables_segments(vidmm), &result->wait)) ||
               result->wait.kind == VIDMM_WAIT_OTHERS) {
        result->outcome = VIDMM_WAIT;
    } else if (!NT_SUCCESS(result->status)) {
        result->outcome = VIDMM_FAILED;
    }
}

static void place_list_locked(struct vidmm *vidmm, struct vidmm_use *use,
                              struct vidmm_residency *list, struct vidmm_prepare_result *result)
    HOLDS(vidmm->lock)
{
    list->run_count++;
    vidmm->preparing = list;
    place_missing_locked(vidmm, use, list, result);
    for (int more = 0; more < 2 && result->outcome == VIDMM_FAILED &&
                       result->status == STATUS_GRAPHICS_NO_VIDEO_MEMORY;
         more++) {
        NTSTATUS status =
            more == 0 ? begin_anew_locked(vidmm, list) : clear_all_locked(vidmm, list);
        result->status = status;
        if (NT_SUCCESS(status)) {
            place_missing_locked(vidmm, use, list, result);
        }
    }
    vidmm->preparing = NULL;
    want_judge_locked(vidmm, result);
    if (result->outcome != VIDMM_READY) {
        residency_release_locked(vidmm, list);
    }
}

static uint64_t sequence_of(const struct vidmm_residency *list)
{
    uint64_t tables = list->space ? list->space->paging_sequence : 0;
    uint64_t sequence = list->paging_sequence > tables ? list->paging_sequence : tables;

    return sequence > list->vidmm->sequence_completed ? sequence : 0;
}

void residency_release_locked(struct vidmm *vidmm, struct vidmm_residency *list)
{
    list->run_count--;
    if (list->space) {
        list->space->run_count--;
    }
}

void vidmm_prepare_list(struct vidmm_use *use, struct vidmm_residency *list,
                        struct vidmm_prepare_result *result)
{
    struct vidmm *vidmm = use->vidmm;

    mutex_lock(&vidmm->lock);
    CHECK_THAT(!use->list && use->pinned_count == 0);
    use->revoked = false;
    list->last_tick = ++vidmm->tick;
    keep_tables_locked(vidmm, list, result);
    if (result->outcome == VIDMM_READY) {
        place_list_locked(vidmm, use, list, result);
    }
    if (result->outcome == VIDMM_READY) {
        use_hold_locked(vidmm, use, list);
        result->paging_sequence = sequence_of(list);
    } else {
        use->waiting = result->outcome == VIDMM_WAIT;
        vidmm->statistics.waits += result->outcome == VIDMM_WAIT;
        vidmm->statistics.failures += result->outcome == VIDMM_FAILED;
    }
    mutex_unlock(&vidmm->lock);
}
