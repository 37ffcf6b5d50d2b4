/* Paging queues: requests that end in order, each with a value of the queue's fence.
 *
 *     asked ── all placed ──> on its way ── its paging sequence reached ──> done, value signalled
 *       └── somebody is in the way: tried again by vidmm_queues_run() */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "vidmm/internal.h"

/* ---- Requests -------------------------------------------------------------------------------- */

/* That by which it was to join, and those that asked for it once more. */
void requests_forget_locked(struct vidmm *vidmm, const struct membership *membership)
{
    list_for_each (link, &vidmm->queues) {
        const struct vidmm_queue *queue = container_of(link, struct vidmm_queue, link);
        list_for_each (entry, &queue->requests) {
            struct request *request = container_of(entry, struct request, link);
            for (size_t i = 0; request->list == membership->list && i < request->count; i++) {
                if (request->allocations[i] == membership->allocation) {
                    request->allocations[i] = NULL;
                }
            }
        }
    }
}

/* It asks for nothing any more. */
static void unask(const struct request *request)
{
    for (size_t i = 0; i < request->count; i++) {
        if (request->allocations[i]) {
            struct membership *membership = membership_find(request->list, request->allocations[i]);
            CHECK_THAT(membership->asked > 0);
            membership->asked--;
        }
    }
}

static struct request *request_new(struct vidmm_queue *queue, size_t count)
{
    struct request *request = calloc(1, sizeof *request + count * sizeof(request->allocations[0]));

    if (request) {
        request->queue = queue;
        list_init(&request->link);
    }
    return request;
}

/* Behind the others, with a value. */
static void request_queue(struct request *request)
{
    struct vidmm_queue *queue = request->queue;

    request->value = ++queue->value;
    list_push_back(&queue->requests, &request->link);
}

/* Places what is not in place, while it can. READY: everything was. */
static void request_place_locked(struct vidmm *vidmm, struct request *request,
                                 struct vidmm_prepare_result *result) HOLDS(vidmm->lock)
{
    struct vidmm_use nobody = {.vidmm = vidmm};

    *result = (struct vidmm_prepare_result){.outcome = VIDMM_READY, .status = STATUS_SUCCESS};
    list_init(&nobody.link);
    vidmm->tick++;
    for (size_t i = 0; i < request->count && result->outcome == VIDMM_READY; i++) {
        struct vidmm_allocation *allocation = request->allocations[i];
        if (!allocation) {
            continue;
        }
        if (allocation->segment == 0) {
            use_place_locked(vidmm, &nobody, allocation, result);
        }
        if (allocation->segment != 0) {
            allocation->pin_count++; /* not for the next one's sake */
            request->pinned++;
        }
    }
    for (size_t i = 0; request->pinned > 0; i++) {
        if (request->allocations[i]) {
            request->allocations[i]->pin_count--;
            request->pinned--;
        }
    }
    want_judge_locked(vidmm, result);
    if (result->outcome == VIDMM_READY) {
        request->placed = true;
        for (size_t i = 0; i < request->count; i++) {
            struct vidmm_allocation *allocation = request->allocations[i];
            if (allocation && allocation->paging_sequence > request->paging_sequence) {
                request->paging_sequence = allocation->paging_sequence;
            }
        }
    }
}

/* Its allocations count from now on. */
static void request_end_locked(struct vidmm *vidmm, struct request *request) HOLDS(vidmm->lock)
{
    unask(request);
    for (size_t i = 0; i < request->count; i++) {
        if (request->allocations[i]) {
            struct membership *membership = membership_find(request->list, request->allocations[i]);
            if (membership->request == request) {
                membership_joined(membership);
            }
        }
    }
    list_remove(&request->link);
    free(request);
}

/* ---- Queues ---------------------------------------------------------------------------------- */

void vidmm_queue_init(struct vidmm_queue *queue, struct vidmm *vidmm, int priority)
{
    *queue = (struct vidmm_queue){.vidmm = vidmm, .priority = priority};
    list_init(&queue->requests);
    mutex_lock(&vidmm->lock);
    struct list *place = vidmm->queues.next;
    while (place != &vidmm->queues &&
           container_of(place, struct vidmm_queue, link)->priority >= priority) {
        place = place->next;
    }
    list_insert_before(place, &queue->link);
    mutex_unlock(&vidmm->lock);
}

void vidmm_queue_fini(struct vidmm_queue *queue)
{
    struct vidmm *vidmm = queue->vidmm;

    if (!vidmm) {
        return;
    }
    mutex_lock(&vidmm->lock);
    while (!list_empty(&queue->requests)) {
        request_end_locked(vidmm, container_of(queue->requests.next, struct request, link));
    }
    list_remove(&queue->link);
    mutex_unlock(&vidmm->lock);
    *queue = (struct vidmm_queue){0};
}

/* Ends what is done of one queue. True: its value has grown. */
static bool advance_locked(struct vidmm *vidmm, struct vidmm_queue *queue) HOLDS(vidmm->lock)
{
    uint64_t before = queue->signalled;

    while (!list_empty(&queue->requests)) {
        struct request *request = container_of(queue->requests.next, struct request, link);
        if (!request->placed || request->paging_sequence > vidmm->sequence_completed) {
            break;
        }
        queue->signalled = request->value;
        request_end_locked(vidmm, request);
    }
    return queue->signalled != before;
}

void queues_signal(struct vidmm *vidmm)
{
    bool any = true;

    while (any) {
        struct vidmm_queue *queue = NULL;
        uint64_t value = 0;
        mutex_lock(&vidmm->lock);
        any = false;
        list_for_each (link, &vidmm->queues) {
            queue = container_of(link, struct vidmm_queue, link);
            if (!list_empty(&queue->requests) && advance_locked(vidmm, queue)) {
                any = true;
                value = queue->signalled;
                break;
            }
        }
        mutex_unlock(&vidmm->lock);
        if (any && vidmm->backend.signal_queue) {
            vidmm->backend.signal_queue(vidmm, queue, value);
        }
    }
}

bool vidmm_queues_run(struct vidmm *vidmm)
{
    mutex_lock(&vidmm->lock);
    uint64_t before = vidmm->sequence_queued;
    list_for_each (link, &vidmm->queues) {
        struct vidmm_queue *queue = container_of(link, struct vidmm_queue, link);
        list_for_each (entry, &queue->requests) {
            struct request *request = container_of(entry, struct request, link);
            struct vidmm_prepare_result result;
            if (!request->placed) {
                request_place_locked(vidmm, request, &result);
                if (result.outcome == VIDMM_FAILED) {
                    request->placed = true; /* its device waits for it before it runs */
                }
            }
        }
    }
    bool any = vidmm->sequence_queued != before;
    mutex_unlock(&vidmm->lock);
    queues_signal(vidmm);
    return any;
}

NTSTATUS vidmm_queue_after(struct vidmm_queue *queue, uint64_t paging_sequence,
                           uint64_t *fence_value)
{
    struct vidmm *vidmm = queue->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    *fence_value = 0;
    mutex_lock(&vidmm->lock);
    if (paging_sequence > vidmm->sequence_completed) {
        struct request *request = request_new(queue, 0);
        status = request ? STATUS_PENDING : STATUS_NO_MEMORY;
        if (request) {
            request->placed = true;
            request->paging_sequence = paging_sequence;
            request_queue(request);
            *fence_value = request->value;
        }
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- Making resident ------------------------------------------------------------------------- */

int residency_group(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    int group = -1;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        if ((allocation->read_segments & 1u << i) != 0) {
            int own = (int)vidmm->segments[i].options.group;
            if (group >= 0 && group != own) {
                return -1;
            }
            group = own;
        }
    }
    return group;
}

/* Bytes of the segment that the list may have. */
static uint64_t capacity_of(const struct segment *segment, const struct vidmm_residency *list)
{
    uint64_t bytes = segment->options.commit_limit_bytes;

    if (segment->table_bytes == 0) {
        return bytes;
    }
    list_for_each (link, &segment->residents) {
        const struct vidmm_allocation *resident =
            container_of(link, struct vidmm_allocation, resident_link);
        if (table_stays(resident, list)) {
            bytes -= segment_pages(segment, resident->size_bytes) * VIDMM_PAGE_BYTES;
        }
    }
    return bytes;
}

/* Bytes by which the list is more than could be in place together. */
static uint64_t excess_of_list(const struct vidmm *vidmm, const struct vidmm_residency *list)
{
    uint64_t over = 0;

    for (unsigned i = 0; i < VIDMM_DEMAND_COUNT; i++) {
        uint32_t set = list->demands[i].segments;
        uint64_t capacity = 0, bytes = 0;
        if (list->demands[i].bytes == 0) {
            continue;
        }
        for (unsigned j = 0; j < vidmm->segment_count; j++) {
            const struct segment *segment = &vidmm->segments[j];
            if ((set & 1u << j) != 0) {
                capacity += capacity_of(segment, list);
            }
        }
        for (unsigned j = 0; j < VIDMM_DEMAND_COUNT; j++) {
            bytes += (list->demands[j].segments & ~set) == 0 ? list->demands[j].bytes : 0;
        }
        if (bytes > capacity && bytes - capacity > over) {
            over = bytes - capacity;
        }
    }
    return over;
}

/* What of a group may be demanded: the share, and what is free besides. */
static uint64_t limit_of(const struct vidmm *vidmm, const struct vidmm_account *account,
                         unsigned group)
{
    uint64_t room = account->usage_bytes[group];

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        const struct segment *segment = &vidmm->segments[i];
        if (segment->options.group == group) {
            room += segment->options.commit_limit_bytes - segment->committed_bytes;
        }
    }
    return room > account->budget_bytes[group] ? room : account->budget_bytes[group];
}

/* Bytes by which the account's demand is over what it may have. */
static uint64_t excess_of_account(const struct vidmm *vidmm, const struct vidmm_account *account)
{
    uint64_t total = 0, over = 0;

    for (unsigned group = 0; account && group < VIDMM_GROUP_COUNT; group++) {
        uint64_t limit = limit_of(vidmm, account, group),
                 demand = account->group_demand_bytes[group];
        total += limit;
        if (demand > limit && demand - limit > over) {
            over = demand - limit;
        }
    }
    if (account && account->demand_bytes > total && account->demand_bytes - total > over) {
        over = account->demand_bytes - total;
    }
    return over;
}

/* `all`: beyond the share, too. */
static uint64_t excess(const struct vidmm *vidmm, const struct vidmm_residency *list, bool all)
{
    uint64_t over = excess_of_list(vidmm, list);
    uint64_t more = all ? 0 : excess_of_account(vidmm, list->account);

    return over > more ? over : more;
}

/* Counts each once less; those at zero go. */
static void uncount_locked(struct vidmm *vidmm, struct vidmm_residency *list,
                           struct vidmm_allocation *const *allocations, size_t count)
    HOLDS(vidmm->lock)
{
    for (size_t i = count; i-- > 0;) {
        struct membership *membership = membership_find(list, allocations[i]);
        if (--membership->count == 0) {
            membership_end_locked(vidmm, membership);
        }
    }
}

/* Counts each once more. How many of them. */
static size_t count_locked(struct vidmm *vidmm, struct request *request,
                           struct vidmm_allocation *const *allocations, size_t count)
    HOLDS(vidmm->lock)
{
    for (size_t i = 0; i < count; i++) {
        struct membership *membership = membership_find(request->list, allocations[i]);
        if (!membership) {
            membership = membership_make_locked(vidmm, request->list, allocations[i], request);
        }
        if (!membership) {
            return i;
        }
        membership->count++;
        membership->asked++;
        request->allocations[request->count++] = allocations[i];
    }
    return count;
}

static bool all_valid(const struct vidmm *vidmm, struct vidmm_allocation *const *allocations,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        if (allocations[i]->vidmm != vidmm || allocations[i]->dying) {
            return false;
        }
    }
    return true;
}

static uint64_t unplaced_bytes(const struct request *request)
{
    uint64_t bytes = 0;

    for (size_t i = 0; i < request->count; i++) {
        const struct vidmm_allocation *allocation = request->allocations[i];
        bytes += allocation && allocation->segment == 0 ? allocation->size_bytes : 0;
    }
    return bytes;
}

/* How much too much it is, now that as much of it is in place as could be. Where only holes are in
 * the way, its device places all of its list anew before it runs. */
static uint64_t judge_placed_locked(struct vidmm *vidmm, struct request *request,
                                    const struct vidmm_prepare_result *placed) HOLDS(vidmm->lock)
{
    bool failed = placed->outcome == VIDMM_FAILED;

    if (failed && placed->status != STATUS_GRAPHICS_NO_VIDEO_MEMORY) {
        return unplaced_bytes(request); /* of system memory */
    }
    if (!failed && list_empty(&request->list->missing)) {
        return 0;
    }
    request->placed |= failed;
    return pack_excess_locked(vidmm, request->list);
}

/* What it is seen by counts beside it, and stands where it will stand. */
static void bring_tables_locked(struct vidmm *vidmm, struct vidmm_residency *list)
    HOLDS(vidmm->lock)
{
    struct vidmm_wait wait;

    if (list->space && list->space->away_entries != 0 &&
        space_keep_locked(vidmm, list->space, &wait) == STATUS_SUCCESS) {
        space_let_go_locked(vidmm, list->space);
    }
}

static NTSTATUS make_locked(struct vidmm *vidmm, struct request *request,
                            struct vidmm_allocation *const *allocations, size_t count, bool all,
                            struct vidmm_make_result *result) HOLDS(vidmm->lock)
{
    struct vidmm_residency *list = request->list;
    struct vidmm_prepare_result placed = {.status = STATUS_NO_MEMORY};
    size_t counted = count_locked(vidmm, request, allocations, count);

    bring_tables_locked(vidmm, list);
    result->trim_bytes = excess(vidmm, list, all);
    if (counted < count || result->trim_bytes > 0) {
        goto err_uncount;
    }
    request_place_locked(vidmm, request, &placed);
    result->trim_bytes = judge_placed_locked(vidmm, request, &placed);
    if (result->trim_bytes > 0) {
        goto err_uncount;
    }
    result->trim_bytes = excess(vidmm, list, false);
    if (request->placed && request->paging_sequence <= vidmm->sequence_completed) {
        request_end_locked(vidmm, request);
        return STATUS_SUCCESS;
    }
    request_queue(request);
    result->fence_value = request->value;
    return STATUS_PENDING;

err_uncount:
    unask(request);
    uncount_locked(vidmm, list, allocations, counted);
    free(request);
    return STATUS_NO_MEMORY;
}

NTSTATUS vidmm_make_resident(struct vidmm_queue *queue, struct vidmm_residency *list,
                             const struct vidmm_make_request *wanted,
                             struct vidmm_make_result *result)
{
    struct vidmm *vidmm = queue->vidmm;
    bool all = (wanted->flags & (VIDMM_MAKE_CANT_TRIM | VIDMM_MAKE_MUST_SUCCEED)) != 0;

    *result = (struct vidmm_make_result){0};
    if (!all_valid(vidmm, wanted->allocations, wanted->count)) {
        return STATUS_INVALID_PARAMETER;
    }
    struct request *request = request_new(queue, wanted->count);
    if (!request) {
        return STATUS_NO_MEMORY;
    }
    request->list = list;
    mutex_lock(&vidmm->lock);
    NTSTATUS status = make_locked(vidmm, request, wanted->allocations, wanted->count, all, result);
    mutex_unlock(&vidmm->lock);
    return status;
}

/* May each be counted once less? An allocation may be named several times. */
static bool all_counted(const struct vidmm_residency *list,
                        struct vidmm_allocation *const *allocations, size_t count)
{
    bool enough = true;
    size_t i;

    for (i = 0; i < count && enough; i++) {
        struct membership *membership = membership_find(list, allocations[i]);
        enough = membership && membership->count > membership->leaving;
        if (enough) {
            membership->leaving++;
        }
    }
    for (i -= !enough; i-- > 0;) {
        membership_find(list, allocations[i])->leaving--;
    }
    return enough;
}

NTSTATUS vidmm_evict_list(struct vidmm_residency *list, struct vidmm_allocation *const *allocations,
                          size_t count, uint64_t *trim_bytes)
{
    struct vidmm *vidmm = list->vidmm;
    NTSTATUS status = STATUS_SUCCESS;

    *trim_bytes = 0;
    mutex_lock(&vidmm->lock);
    if (all_counted(list, allocations, count)) {
        uncount_locked(vidmm, list, allocations, count);
        *trim_bytes = excess(vidmm, list, false);
    } else {
        status = STATUS_INVALID_PARAMETER;
    }
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- Reclaiming ------------------------------------------------------------------------------ */

/* What the list has, and is not in its place, comes back by the request. `without`: until then the
 * list does without it; else whoever runs waits for it, as work that was submitted before must. */
static void ask_again(struct request *request, struct membership *membership,
                      struct vidmm_allocation *allocation, bool without)
{
    if (membership && !membership->request) {
        membership->request = without ? request : NULL;
        membership->asked++;
        request->allocations[request->count++] = allocation;
    }
}

static void take_back_locked(struct vidmm *vidmm, struct request *request,
                             struct vidmm_allocation *allocation, bool *discarded)
    HOLDS(vidmm->lock)
{
    struct membership *membership = membership_find(request->list, allocation);
    bool returns = allocation->offered && allocation->segment == 0;

    *discarded = allocation->discarded;
    allocation->offered = allocation->discarded = false;
    if (returns) {
        ask_again(request, membership, allocation, true);
    }
    residency_sort_locked(vidmm, allocation);
}

/* There is no way to fail: what finds no room waits for it, as what was evicted does. */
static NTSTATUS return_locked(struct vidmm *vidmm, struct request *request, uint64_t *fence_value)
    HOLDS(vidmm->lock)
{
    struct vidmm_prepare_result result;

    request_place_locked(vidmm, request, &result);
    request->placed |= result.outcome == VIDMM_FAILED;
    if (request->placed && request->paging_sequence <= vidmm->sequence_completed) {
        request_end_locked(vidmm, request);
        return STATUS_SUCCESS;
    }
    request_queue(request);
    *fence_value = request->value;
    return STATUS_PENDING;
}

NTSTATUS vidmm_reclaim_list(struct vidmm_queue *queue, struct vidmm_residency *list,
                            const struct vidmm_reclaim_request *wanted, uint64_t *fence_value)
{
    struct vidmm *vidmm = queue->vidmm;
    struct request *request = request_new(queue, wanted->count);

    *fence_value = 0;
    if (!request) {
        return STATUS_NO_MEMORY;
    }
    request->list = list;
    mutex_lock(&vidmm->lock);
    for (size_t i = 0; i < wanted->count; i++) {
        take_back_locked(vidmm, request, wanted->allocations[i], &wanted->discarded[i]);
    }
    NTSTATUS status = return_locked(vidmm, request, fence_value);
    mutex_unlock(&vidmm->lock);
    return status;
}

/* ---- Other properties ------------------------------------------------------------------------ */

/* Preferences for segments that it may not be in any more are none. */
static void keep_preferences(const struct vidmm_preference *given, uint32_t segments,
                             struct vidmm_preference *out)
{
    struct vidmm_preference kept[VIDMM_PREFERENCE_COUNT] = {{0}};
    unsigned count = 0;

    for (unsigned i = 0; i < VIDMM_PREFERENCE_COUNT; i++) {
        if (given[i].segment != 0 && (segments & VIDMM_SEGMENT_BIT(given[i].segment)) != 0) {
            kept[count++] = given[i];
        }
    }
    memcpy(out, kept, sizeof kept);
}

/* Can each list that it is on be in place, now that it may be elsewhere? */
static bool lists_fit(const struct vidmm *vidmm, const struct vidmm_allocation *allocation)
{
    list_for_each (link, &allocation->memberships) {
        const struct membership *membership =
            container_of(link, struct membership, allocation_link);
        if (excess_of_list(vidmm, membership->list) > 0) {
            return false;
        }
    }
    return true;
}

/* The sets alone: what lists want changes with them. */
static void set_segments_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                uint32_t read, uint32_t write) HOLDS(vidmm->lock)
{
    residency_recount_locked(vidmm, allocation, false);
    allocation->read_segments = read;
    allocation->write_segments = write;
    residency_recount_locked(vidmm, allocation, true);
}

/* Out of its place, if it may not stay there. */
static NTSTATUS leave_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                             bool otherwise, struct vidmm_wait *wait) HOLDS(vidmm->lock)
{
    uint32_t both = allocation->read_segments & allocation->write_segments;

    if (allocation->segment == 0 ||
        (!otherwise && (both & VIDMM_SEGMENT_BIT(allocation->segment)) != 0)) {
        return STATUS_SUCCESS;
    }
    if (allocation->use_count > 0 || residency_holds(allocation) || allocation->lock_count > 0) {
        allocation_wait_locked(vidmm, allocation, NULL, wait);
        return STATUS_PENDING;
    }
    return allocation_evictable(allocation) ? evict_locked(vidmm, allocation, VIDMM_REASON_OWNER)
                                            : STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
}

static NTSTATUS change_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                              const struct vidmm_properties *properties, struct vidmm_wait *wait)
    HOLDS(vidmm->lock)
{
    uint32_t read = allocation->read_segments, write = allocation->write_segments;
    bool is_virtual = (allocation->flags & VIDMM_ALLOCATION_VIRTUAL) != 0;
    bool otherwise = properties->set_virtual && properties->is_virtual != is_virtual;
    NTSTATUS status = STATUS_SUCCESS;

    if (properties->set_segments) {
        set_segments_locked(vidmm, allocation, properties->segments, properties->segments);
        status = lists_fit(vidmm, allocation) ? status : STATUS_NO_MEMORY;
    }
    if (NT_SUCCESS(status)) {
        status = leave_locked(vidmm, allocation, otherwise, wait);
    }
    if (status != STATUS_SUCCESS) {
        set_segments_locked(vidmm, allocation, read, write);
        return status;
    }
    keep_preferences(
        properties->set_preferences ? properties->preferences : allocation->preferences,
        allocation->read_segments & allocation->write_segments, allocation->preferences);
    if (otherwise) {
        allocation->flags ^= VIDMM_ALLOCATION_VIRTUAL;
    }
    return STATUS_SUCCESS;
}

NTSTATUS vidmm_update_allocation(struct vidmm_queue *queue, struct vidmm_residency *list,
                                 struct vidmm_allocation *allocation,
                                 const struct vidmm_properties *properties,
                                 struct vidmm_update_result *result)
{
    struct vidmm *vidmm = queue->vidmm;
    uint64_t known = (UINT64_C(1) << vidmm->segment_count) - 1;
    uint32_t segments = properties->segments;
    struct request *request;
    NTSTATUS status;

    *result = (struct vidmm_update_result){0};
    if (properties->set_segments && (segments == 0 || (segments & ~known) != 0)) {
        return STATUS_INVALID_PARAMETER;
    }
    request = request_new(queue, 1);
    if (!request) {
        return STATUS_NO_MEMORY;
    }
    request->list = list;
    mutex_lock(&vidmm->lock);
    status = properties->set_segments && !mappings_stand_locked(vidmm, allocation, segments)
                 ? STATUS_NOT_SUPPORTED
                 : change_locked(vidmm, allocation, properties, &result->wait);
    if (status == STATUS_SUCCESS) {
        if (allocation->segment == 0) {
            ask_again(request, membership_find(list, allocation), allocation, false);
        }
        residency_sort_locked(vidmm, allocation);
        status = return_locked(vidmm, request, &result->fence_value);
    } else {
        free(request);
    }
    mutex_unlock(&vidmm->lock);
    return status;
}
