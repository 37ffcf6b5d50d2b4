/* Residency: everything one DMA buffer needs, in place at the same time.
 *
 * prepare goes through the references in order, as the documents say of the patch list. Each
 * allocation is placed in the first segment that takes it, and pinned. The first that finds no room
 * decides the outcome: if others are in the way that will leave, WAIT; if only what this very
 * buffer pinned is in the way, SPLIT there; else FAILED. When it may not split, what is idle of its
 * own goes out and comes back largest first, once: holes between pinned blocks are the usual
 * reason. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/record.h"
#include "vidmm/internal.h"

#define ORDINARY_BYTES (UINT64_C(32) << 20) /* of an allocation: every GPU has room for it */

/* ---- Uses ------------------------------------------------------------------------------------ */

void vidmm_use_init(struct vidmm_use *use, struct vidmm *vidmm)
{
    *use = (struct vidmm_use){.vidmm = vidmm};
    list_init(&use->link);
}

void vidmm_use_fini(struct vidmm_use *use)
{
    if (use->vidmm) {
        vidmm_use_retire(use);
    }
    free(use->pinned);
    *use = (struct vidmm_use){0};
}

static bool use_reserve(struct vidmm_use *use, size_t count)
{
    size_t capacity = use->pinned_capacity ? use->pinned_capacity : 8;

    while (capacity < count) {
        capacity *= 2;
    }
    if (capacity == use->pinned_capacity) {
        return true;
    }
    struct vidmm_allocation **pinned = realloc(use->pinned, capacity * sizeof(*pinned));
    if (!pinned) {
        return false;
    }
    use->pinned = pinned;
    use->pinned_capacity = capacity;
    return true;
}

static void unpin_from_locked(struct vidmm_use *use, size_t first) HOLDS(use->vidmm->lock)
{
    for (size_t i = first; i < use->pinned_count; i++) {
        use->pinned[i]->use_count--;
    }
    use->pinned_count = first;
    if (first == 0) {
        list_remove(&use->link);
        if (use->list) {
            residency_release_locked(use->vidmm, use->list);
            use->list = NULL;
        }
    }
}

void vidmm_use_submitted(struct vidmm_use *use, unsigned node, uint64_t fence)
{
    struct vidmm *vidmm = use->vidmm;

    mutex_lock(&vidmm->lock);
    use->submitted = true;
    use->node = node;
    use->fence = fence;
    mutex_unlock(&vidmm->lock);
}

bool vidmm_use_revoked(const struct vidmm_use *use)
{
    return use->revoked;
}

static void let_go_locked(struct vidmm_use *use) HOLDS(use->vidmm->lock)
{
    unpin_from_locked(use, 0);
    use->carried_count = 0;
    use->submitted = use->waiting = use->revoked = false;
}

void vidmm_use_retire(struct vidmm_use *use)
{
    mutex_lock(&use->vidmm->lock);
    if (use->pinned_count > 0 || use->list) {
        released_locked(use->vidmm);
    }
    let_go_locked(use);
    mutex_unlock(&use->vidmm->lock);
}

void vidmm_use_give_up(struct vidmm_use *use)
{
    mutex_lock(&use->vidmm->lock);
    let_go_locked(use);
    mutex_unlock(&use->vidmm->lock);
}

void use_reset_locked(struct vidmm *vidmm)
{
    for (struct list *link; (link = list_pop_front(&vidmm->uses)) != NULL;) {
        struct vidmm_use *use = container_of(link, struct vidmm_use, link);
        for (size_t i = 0; i < use->pinned_count; i++) {
            use->pinned[i]->use_count--;
        }
        use->pinned_count = use->carried_count = 0;
        if (use->list) {
            residency_release_locked(vidmm, use->list);
            use->list = NULL;
        }
        use->submitted = use->waiting = false;
        use->revoked = true;
    }
}

/* ---- Prepare --------------------------------------------------------------------------------- */

/* One call of vidmm_prepare(). */
struct preparation {
    struct vidmm_use *use;
    const struct vidmm_prepare_request *request;
    struct vidmm_prepare_result *result;
    uint64_t mark;
    bool may_split; /* at the reference that is looked at */
};

static uint32_t allowed_segments(const struct vidmm_allocation *allocation,
                                 const struct vidmm_reference *reference, uint64_t mark)
{
    bool write = allocation->write_mark == mark;
    uint32_t allowed = write ? allocation->write_segments : allocation->read_segments;

    if (write && (allowed & allocation->read_segments) != 0) {
        allowed &= allocation->read_segments;
    }
    if (reference->segments != 0) {
        allowed &= reference->segments;
    }
    return allowed;
}

uint32_t aperture_set(const struct vidmm *vidmm)
{
    uint32_t set = 0;

    for (unsigned i = 0; i < vidmm->segment_count; i++) {
        set |= segment_is_aperture(&vidmm->segments[i]) ? 1u << i : 0;
    }
    return set;
}

/* Among those that a reset revokes; what needs nothing is among them once it is ready. */
static void link_locked(struct vidmm_use *use) HOLDS(use->vidmm->lock)
{
    if (list_empty(&use->link)) {
        list_push_back(&use->vidmm->uses, &use->link);
    }
}

static void pin_locked(const struct preparation *p, struct vidmm_allocation *allocation)
    HOLDS(p->use->vidmm->lock)
{
    struct vidmm_use *use = p->use;
    struct vidmm *vidmm = use->vidmm;
    struct vidmm_history *history = &allocation->history;

    if (allocation->prepare_mark == p->mark) {
        return;
    }
    allocation->prepare_mark = p->mark;
    if (history->last_tick != vidmm->tick) {
        vidmm->policy->used(history, vidmm->tick);
        history->last_tick = vidmm->tick;
        history->use_count++;
    }
    CHECK_THAT(use->pinned_count < use->pinned_capacity);
    link_locked(p->use);
    use->pinned[use->pinned_count++] = allocation;
    allocation->use_count++;
}

/* Is there a segment with room if that kind of obstacle were all that stands there? */
static bool could_fit_locked(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                             uint32_t allowed, enum obstacle obstacle) HOLDS(vidmm->lock)
{
    for (unsigned id = 1; id <= vidmm->segment_count; id++) {
        struct segment *segment = segment_of(vidmm, id);
        const struct room room = {
            .page_count = segment_pages(segment, allocation->size_bytes),
            .alignment_pages = segment_alignment_pages(segment, allocation->alignment_bytes),
        };
        if ((allowed & VIDMM_SEGMENT_BIT(id)) != 0 &&
            allocation->size_bytes <= segment->options.commit_limit_bytes &&
            window_exists_locked(vidmm, segment, &room, obstacle)) {
            return true;
        }
    }
    return false;
}

static bool lies_in(const struct vidmm_allocation *allocation, uint32_t allowed)
{
    return allocation->segment != 0 && (allowed & VIDMM_SEGMENT_BIT(allocation->segment)) != 0;
}

/* The first allocation that the use holds in one of these segments, or NULL. */
static struct vidmm_allocation *held_by_use(const struct vidmm_use *use, uint32_t allowed)
{
    for (size_t i = 0; i < use->pinned_count; i++) {
        if (lies_in(use->pinned[i], allowed)) {
            return use->pinned[i];
        }
    }
    if (use->list) {
        list_for_each (link, &use->list->present) {
            struct membership *membership = container_of(link, struct membership, list_link);
            if (lies_in(membership->allocation, allowed)) {
                return membership->allocation;
            }
        }
    }
    if (use->list && use->list->space) {
        list_for_each (link, &use->list->space->tables) {
            struct vidmm_table *table = container_of(link, struct vidmm_table, link);
            if (lies_in(&table->memory, allowed)) {
                return &table->memory;
            }
        }
    }
    return NULL;
}

bool find_blocker_locked(struct vidmm *vidmm, const struct vidmm_use *self, uint32_t allowed,
                         struct vidmm_wait *wait)
{
    list_for_each (link, &vidmm->uses) {
        struct vidmm_use *use = container_of(link, struct vidmm_use, link);
        if (use == self || use->waiting) {
            continue;
        }
        struct vidmm_allocation *held = held_by_use(use, allowed);
        if (held) {
            *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_USE,
                                        .submitted = use->submitted,
                                        .node = use->node,
                                        .fence = use->fence,
                                        .use = use,
                                        .allocation = held};
            return true;
        }
    }
    return false;
}

bool find_lock_locked(struct vidmm *vidmm, uint32_t allowed, struct vidmm_wait *wait)
{
    list_for_each (link, &vidmm->allocations) {
        struct vidmm_allocation *allocation = container_of(link, struct vidmm_allocation, link);
        if (allocation->lock_count > 0 && allocation->view_is_segment && allocation->segment != 0 &&
            (allowed & VIDMM_SEGMENT_BIT(allocation->segment)) != 0) {
            *wait = (struct vidmm_wait){.kind = VIDMM_WAIT_LOCK, .allocation = allocation};
            return true;
        }
    }
    return false;
}

/* Of a size that segments have room for in general, and larger than each that it may be in. */
static bool is_over_segments(struct vidmm *vidmm, const struct vidmm_allocation *allocation,
                             uint32_t allowed)
{
    for (unsigned id = 1; id <= vidmm->segment_count; id++) {
        if ((allowed & VIDMM_SEGMENT_BIT(id)) != 0 &&
            allocation->size_bytes <= segment_of(vidmm, id)->options.size_bytes) {
            return false;
        }
    }
    return allowed != 0 && allocation->size_bytes <= ORDINARY_BYTES;
}

/* There was no room: says what can help. */
static void no_room_locked(struct vidmm *vidmm, const struct preparation *p,
                           struct vidmm_allocation *allocation, uint32_t allowed) HOLDS(vidmm->lock)
{
    struct vidmm_prepare_result *result = p->result;

    if (could_fit_locked(vidmm, allocation, allowed, OBSTACLE_OWN) &&
        find_blocker_locked(vidmm, p->use, allowed, &result->wait)) {
        result->outcome = VIDMM_WAIT;
    } else if (p->may_split) {
        result->outcome = VIDMM_SPLIT;
    } else if (could_fit_locked(vidmm, allocation, allowed, OBSTACLE_OWN_PINS) &&
               find_lock_locked(vidmm, allowed, &result->wait)) {
        result->outcome = VIDMM_WAIT;
    } else {
        result->outcome = VIDMM_FAILED;
        result->status = STATUS_GRAPHICS_NO_VIDEO_MEMORY;
        vidmm->statistics.over_segments += is_over_segments(vidmm, allocation, allowed);
    }
}

static void evict_one_locked(const struct preparation *p, struct vidmm_allocation *allocation)
    HOLDS(p->use->vidmm->lock)
{
    p->result->status = evict_locked(p->use->vidmm, allocation, VIDMM_REASON_PLACE);
    p->result->outcome = NT_SUCCESS(p->result->status) ? VIDMM_READY : VIDMM_FAILED;
}

/* It is somewhere it may not be for this reference. READY: out of there, go on and place it. */
static void move_out_locked(const struct preparation *p, struct vidmm_allocation *allocation)
    HOLDS(p->use->vidmm->lock)
{
    struct vidmm_prepare_result *result = p->result;

    if (allocation->use_count > 0 && allocation->prepare_mark == p->mark && p->may_split) {
        result->outcome = VIDMM_SPLIT;
    } else if (allocation_held(allocation)) {
        allocation_wait_locked(p->use->vidmm, allocation, p->use, &result->wait);
        bool waits = result->wait.kind != VIDMM_WAIT_NONE;
        result->outcome = waits ? VIDMM_WAIT : VIDMM_FAILED;
        result->status = STATUS_GRAPHICS_CANT_EVICT_PINNED_ALLOCATION;
    } else {
        evict_one_locked(p, allocation);
    }
}

/* It is nowhere. READY: it is somewhere now. */
static void place_one_locked(struct vidmm *vidmm, const struct preparation *p,
                             struct vidmm_allocation *allocation, uint32_t allowed)
    HOLDS(vidmm->lock)
{
    struct vidmm_prepare_result *result = p->result;
    bool placed = false;

    /* The CPU has a view of the backing store: the GPU may join it there, but not copy away. */
    if (allocation->lock_count > 0) {
        bool joins = !alternate_in_use(allocation) && !swizzle_is_linear(allocation);
        allowed &= joins ? aperture_set(vidmm) : 0;
        if (allowed == 0) {
            result->outcome = VIDMM_WAIT;
            result->wait = (struct vidmm_wait){.kind = VIDMM_WAIT_LOCK, .allocation = allocation};
            return;
        }
    }
    /* What left video memory under a lock goes back there: it was wanted at both ends. */
    if (allocation->alternate.holds && (allowed & ~aperture_set(vidmm)) != 0) {
        allowed &= ~aperture_set(vidmm);
    }
    if (swizzle_is_linear(allocation)) {
        allowed &= ~aperture_set(vidmm);
    }
    if ((allowed & aperture_set(vidmm)) != 0 && want_happens_locked(vidmm, allocation)) {
        result->status = STATUS_NO_MEMORY;
    } else {
        result->status = place_locked(vidmm, allocation, allowed, &placed);
    }
    if (!NT_SUCCESS(result->status)) {
        result->outcome = VIDMM_FAILED;
    } else if (placed) {
        result->outcome = VIDMM_READY;
    } else {
        no_room_locked(vidmm, p, allocation, allowed);
    }
}

/* One reference. READY: pinned. */
static void prepare_one_locked(const struct preparation *p, const struct vidmm_reference *reference)
    HOLDS(p->use->vidmm->lock)
{
    struct vidmm_prepare_result *result = p->result;
    struct vidmm_allocation *allocation = reference->allocation;
    uint32_t allowed = allowed_segments(allocation, reference, p->mark);

    result->outcome = VIDMM_READY;
    if (allocation->segment != 0 && (allowed & VIDMM_SEGMENT_BIT(allocation->segment)) != 0) {
        pin_locked(p, allocation);
        return;
    }
    if (allocation->segment != 0) {
        move_out_locked(p, allocation);
        if (result->outcome != VIDMM_READY) {
            return;
        }
    }
    place_one_locked(p->use->vidmm, p, allocation, allowed);
    if (result->outcome == VIDMM_READY) {
        pin_locked(p, allocation);
    }
}

void use_place_locked(struct vidmm *vidmm, struct vidmm_use *use,
                      struct vidmm_allocation *allocation, struct vidmm_prepare_result *result)
{
    const struct preparation p = {.use = use, .result = result};

    place_one_locked(vidmm, &p, allocation, allocation->read_segments);
}

void use_place_in_memory_locked(struct vidmm *vidmm, struct vidmm_allocation *allocation,
                                struct vidmm_prepare_result *result)
{
    struct vidmm_use nobody = {.vidmm = vidmm};
    const struct preparation p = {.use = &nobody, .result = result};

    list_init(&nobody.link);
    vidmm->tick++;
    place_one_locked(vidmm, &p, allocation, allocation->read_segments & ~aperture_set(vidmm));
    want_judge_locked(vidmm, result);
}

void use_hold_locked(struct vidmm *vidmm, struct vidmm_use *use, struct vidmm_residency *list)
{
    use->list = list;
    use->submitted = use->waiting = false;
    list_push_back(&vidmm->uses, &use->link);
}

struct binding {
    uint32_t slot;
    size_t index;
};

static int compare_bindings(const void *a, const void *b)
{
    const struct binding *left = a, *right = b;

    if (left->slot != right->slot) {
        return left->slot < right->slot ? -1 : 1;
    }
    return left->index < right->index ? -1 : left->index > right->index;
}

/* Pins what is bound in slots where the part begins. */
static NTSTATUS carry_bindings_locked(struct preparation *p) HOLDS(p->use->vidmm->lock)
{
    const struct vidmm_prepare_request *request = p->request;
    struct vidmm_prepare_result *result = p->result;
    struct binding *bindings = malloc((request->first + 1) * sizeof(*bindings));
    size_t count = 0;

    if (!bindings) {
        return STATUS_NO_MEMORY;
    }
    for (size_t i = 0; i <= request->first && i < request->count; i++) {
        if (request->references[i].slot != VIDMM_NO_SLOT) {
            bindings[count++] = (struct binding){request->references[i].slot, i};
        }
    }
    qsort(bindings, count, sizeof(*bindings), compare_bindings);
    p->may_split = false;
    result->outcome = VIDMM_READY;
    for (size_t i = 0; i < count && result->outcome == VIDMM_READY; i++) {
        bool last = i + 1 == count || bindings[i + 1].slot != bindings[i].slot;
        const struct vidmm_reference *reference = &request->references[bindings[i].index];
        if (last && bindings[i].index < request->first && reference->allocation) {
            prepare_one_locked(p, reference);
        }
    }
    free(bindings);
    if (result->outcome == VIDMM_READY) {
        p->use->carried_count = p->use->pinned_count;
    }
    return STATUS_SUCCESS;
}

static void mark_writes(const struct vidmm_prepare_request *request, uint64_t mark)
{
    for (size_t i = request->first; i < request->count; i++) {
        const struct vidmm_reference *reference = &request->references[i];
        if (reference->allocation && reference->write) {
            reference->allocation->write_mark = mark;
        }
    }
}

static void prepare_in_order_locked(struct preparation *p) HOLDS(p->use->vidmm->lock)
{
    const struct vidmm_prepare_request *request = p->request;
    struct vidmm_prepare_result *result = p->result;

    result->outcome = VIDMM_READY;
    for (size_t i = request->first; i < request->count; i++) {
        if (!request->references[i].allocation) {
            continue;
        }
        p->may_split = request->may_split && i > request->first;
        prepare_one_locked(p, &request->references[i]);
        if (result->outcome != VIDMM_READY) {
            result->end = i;
            return;
        }
    }
    result->end = request->count;
}

static int compare_by_size(const void *a, const void *b)
{
    const struct vidmm_reference *left = *(const struct vidmm_reference *const *)a;
    const struct vidmm_reference *right = *(const struct vidmm_reference *const *)b;
    uint64_t left_size = left->allocation->size_bytes, right_size = right->allocation->size_bytes;

    if (left_size != right_size) {
        return left_size > right_size ? -1 : 1;
    }
    return left->allocation->number < right->allocation->number
               ? -1
               : left->allocation->number > right->allocation->number;
}

/* The second try when splitting is not allowed: everything idle out, then largest first. */
static void prepare_largest_first_locked(struct preparation *p) HOLDS(p->use->vidmm->lock)
{
    const struct vidmm_prepare_request *request = p->request;
    struct vidmm_prepare_result *result = p->result;
    const struct vidmm_reference **order =
        malloc((request->count - request->first + 1) * sizeof(struct vidmm_reference *));
    size_t count = 0;

    if (!order) {
        return; /* the first answer stands */
    }
    unpin_from_locked(p->use, p->use->carried_count);
    for (size_t i = request->first; i < request->count; i++) {
        struct vidmm_allocation *allocation = request->references[i].allocation;
        if (!allocation) {
            continue;
        }
        order[count++] = &request->references[i];
        allocation->prepare_mark = 0;
    }
    for (size_t i = 0; i < p->use->carried_count; i++) {
        p->use->pinned[i]->prepare_mark = p->mark;
    }
    p->may_split = false;
    result->outcome = VIDMM_READY;
    for (size_t i = 0; i < count && result->outcome == VIDMM_READY; i++) {
        struct vidmm_allocation *allocation = order[i]->allocation;
        if (allocation->segment != 0 && !allocation_held(allocation)) {
            evict_one_locked(p, allocation);
        }
    }
    qsort(order, count, sizeof(struct vidmm_reference *), compare_by_size);
    for (size_t i = 0; i < count && result->outcome == VIDMM_READY; i++) {
        prepare_one_locked(p, order[i]);
    }
    result->end = request->count;
    free(order);
}

/* The part is ready: what it writes is no longer the same in the backing store. */
static void commit_locked(const struct preparation *p) HOLDS(p->use->vidmm->lock)
{
    const struct vidmm_prepare_request *request = p->request;
    struct vidmm_prepare_result *result = p->result;
    struct vidmm_use *use = p->use;

    use->vidmm->statistics.splits += result->outcome == VIDMM_SPLIT;
    result->status = STATUS_SUCCESS;
    for (size_t i = request->first; i < result->end; i++) {
        struct vidmm_allocation *allocation = request->references[i].allocation;
        if (allocation && !request->pins) {
            /* It is enough that the GPU could write. */
            allocation->untouched = allocation->view_known = false;
        }
        if (!allocation || !request->references[i].write) {
            continue;
        }
        allocation->lost = false;
        touch_note_write_locked(p->use->vidmm, allocation);
        if (!segment_is_aperture(segment_of(use->vidmm, allocation->segment))) {
            allocation->content = VIDMM_CONTENT_LOCAL;
        }
    }
    for (size_t i = 0; i < use->pinned_count; i++) {
        struct vidmm_allocation *allocation = use->pinned[i];
        if (allocation->paging_sequence > use->vidmm->sequence_completed &&
            allocation->paging_sequence > result->paging_sequence) {
            result->paging_sequence = allocation->paging_sequence;
        }
    }
    use->waiting = use->submitted = false;
    link_locked(p->use);
}

/* READY or SPLIT: everything that the part needs is pinned. */
static void prepare_locked(struct preparation *p) HOLDS(p->use->vidmm->lock)
{
    const struct vidmm_prepare_request *request = p->request;
    struct vidmm_prepare_result *result = p->result;
    struct vidmm_use *use = p->use;

    if (!use_reserve(use, request->count + 1)) {
        return;
    }
    p->mark = ++use->vidmm->tick;
    for (size_t i = 0; i < use->pinned_count; i++) {
        use->pinned[i]->prepare_mark = p->mark;
    }
    mark_writes(request, p->mark);
    if (request->bindings_stay && request->first > 0 &&
        (!NT_SUCCESS(carry_bindings_locked(p)) || result->outcome != VIDMM_READY)) {
        return;
    }
    result->status = STATUS_SUCCESS;
    prepare_in_order_locked(p);
    if (result->outcome == VIDMM_FAILED && result->status == STATUS_GRAPHICS_NO_VIDEO_MEMORY &&
        !request->may_split) {
        prepare_largest_first_locked(p);
    }
}

void vidmm_prepare(struct vidmm_use *use, const struct vidmm_prepare_request *request,
                   struct vidmm_prepare_result *result)
{
    struct preparation p = {.use = use, .request = request, .result = result};

    *result = (struct vidmm_prepare_result){.outcome = VIDMM_FAILED, .status = STATUS_NO_MEMORY};
    CHECK_THAT(request->first <= request->count);
    mutex_lock(&p.use->vidmm->lock);
    CHECK_THAT(use->pinned_count == use->carried_count);
    use->revoked = false;
    prepare_locked(&p);
    want_judge_locked(p.use->vidmm, result);
    if (result->outcome == VIDMM_WAIT) {
        use->vidmm->statistics.waits++;
        use->waiting = true;
        unpin_from_locked(p.use, use->carried_count);
    } else if (result->outcome == VIDMM_FAILED) {
        use->vidmm->statistics.failures++;
        use->carried_count = 0;
        unpin_from_locked(p.use, 0);
    } else {
        commit_locked(&p);
    }
    mutex_unlock(&p.use->vidmm->lock);
}

/* ---- Pins ------------------------------------------------------------------------------------ */

static void pin_in(struct vidmm_pin *pin, struct vidmm_allocation *allocation, uint32_t segments,
                   struct vidmm_prepare_result *result)
{
    struct vidmm *vidmm = allocation->vidmm;
    struct vidmm_use use;
    const struct vidmm_reference reference = {
        .allocation = allocation, .slot = VIDMM_NO_SLOT, .segments = segments};
    const struct vidmm_prepare_request request = {
        .references = &reference, .count = 1, .pins = true};

    CHECK_THAT(!pin->allocation);
    vidmm_use_init(&use, vidmm);
    vidmm_prepare(&use, &request, result);
    if (result->outcome == VIDMM_READY) {
        mutex_lock(&vidmm->lock);
        allocation->pin_count++;
        *pin = (struct vidmm_pin){.allocation = allocation, .reset = vidmm->reset_count};
        mutex_unlock(&vidmm->lock);
    }
    vidmm_use_fini(&use);
}

void vidmm_pin(struct vidmm_pin *pin, struct vidmm_allocation *allocation,
               struct vidmm_prepare_result *result)
{
    pin_in(pin, allocation, 0, result);
}

void vidmm_pin_in_memory(struct vidmm_pin *pin, struct vidmm_allocation *allocation,
                         struct vidmm_prepare_result *result)
{
    uint32_t memory = ~aperture_set(allocation->vidmm);

    *result =
        (struct vidmm_prepare_result){.outcome = VIDMM_FAILED, .status = STATUS_NOT_SUPPORTED};
    if (((allocation->read_segments & memory)) != 0) {
        pin_in(pin, allocation, memory, result);
    }
}

bool vidmm_pin_holds(const struct vidmm_pin *pin)
{
    return pin->allocation && pin->reset == pin->allocation->vidmm->reset_count;
}

void vidmm_unpin(struct vidmm_pin *pin)
{
    if (vidmm_pin_holds(pin)) {
        struct vidmm *vidmm = pin->allocation->vidmm;
        mutex_lock(&vidmm->lock);
        CHECK_THAT(pin->allocation->pin_count > 0);
        pin->allocation->pin_count--;
        released_locked(vidmm);
        mutex_unlock(&vidmm->lock);
    }
    *pin = (struct vidmm_pin){0};
}
