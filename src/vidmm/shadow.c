/* The shadow: follows the bytes of allocations through paging operations.
 *
 * Before an operation runs its source is copied, after it the destination is compared with that. It
 * sees exactly the moment between, so operations run one at a time while it is on. What was copied
 * out is hashed too, and looked at again when it comes back.
 *
 * With paging-overlaps they are handed out while others run. The copy is taken then, unless one
 * that runs still writes there; and nothing is compared where a later one writes, which may have
 * run. Who reads a place that a later one overwrites is compared all the same: they go in order. */
#include <stdlib.h>
#include <string.h>

#include "base/check.h"
#include "base/hash.h"
#include "vidmm/internal.h"

/* The byte at `at` of the piece, a multiple of the page size, in the allocation's frames. */
static const uint8_t *frame_at(const struct vidmm_op *op, uint64_t at, uint64_t size)
{
    size_t index = op->frame_first + at / VIDMM_PAGE_BYTES;

    return ram_at(op->frames[index] << MACHINE_PAGE_SHIFT, size);
}

static uint64_t at_most(uint64_t size, uint64_t limit)
{
    return size < limit ? size : limit;
}

static bool is_fill(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_FILL || op->kind == VIDMM_OP_VIRTUAL_FILL;
}

static bool is_transfer(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_SPECIAL_LOCK ||
           op->kind == VIDMM_OP_VIRTUAL_TRANSFER;
}

/* The piece of an allocation that an operation writes. */
struct piece {
    const struct vidmm_side *destination;
    uint64_t offset, size_bytes;
};

static struct piece piece_of(const struct vidmm_op *op)
{
    if (is_fill(op)) {
        return (struct piece){&op->fill.destination, op->fill.offset, op->fill.size_bytes};
    }
    return (struct piece){&op->move.destination, op->move.offset, op->move.size_bytes};
}

static bool lies_in_frames(const struct vidmm_op *op, const struct vidmm_side *side)
{
    return side->segment == 0 || segment_is_aperture(segment_of(op->vidmm, side->segment));
}

/* Bytes of a piece on one side of the operation. */
struct part {
    const struct vidmm_side *side;
    uint64_t at, size;
};

/* Where they are, or NULL. */
static const uint8_t *segment_part(const struct vidmm_op *op, const struct part *part)
{
    struct vidmm *vidmm = op->vidmm;
    uint64_t offset = part->side->offset + piece_of(op).offset + part->at;

    return vidmm->backend.segment_bytes
               ? vidmm->backend.segment_bytes(vidmm, part->side->segment, offset, part->size)
               : NULL;
}

/* What is looked at at once: whole pages, and whole patterns of a fill. A BAR may show a piece in
 * several runs. */
#define LOOK_BYTES (16u << 10)

static uint64_t step_of(const struct vidmm_op *op, const struct vidmm_side *side)
{
    return lies_in_frames(op, side) ? VIDMM_PAGE_BYTES : LOOK_BYTES;
}

static const uint8_t *part_bytes(const struct vidmm_op *op, const struct part *part)
{
    return lies_in_frames(op, part->side) ? frame_at(op, part->at, part->size)
                                          : segment_part(op, part);
}

/* The bytes of the piece on one side, as many from its beginning on as are seen: so many. */
static uint64_t read_side(const struct vidmm_op *op, const struct vidmm_side *side, uint8_t *bytes)
{
    uint64_t size = piece_of(op).size_bytes, step = step_of(op, side);

    for (uint64_t at = 0; at < size; at += step) {
        const struct part part = {side, at, at_most(size - at, step)};
        const uint8_t *from = part_bytes(op, &part);
        if (!from) {
            return at;
        }
        memcpy(bytes + at, from, part.size);
    }
    return size;
}

enum looked { SAME, DIFFERS, UNSEEN };

/* Is what is expected what the destination has? */
static enum looked look(const struct vidmm_op *op)
{
    struct piece piece = piece_of(op);
    uint64_t step = step_of(op, piece.destination);

    for (uint64_t at = 0; at < piece.size_bytes; at += step) {
        const struct part part = {piece.destination, at, at_most(piece.size_bytes - at, step)};
        const uint8_t *seen = part_bytes(op, &part);
        if (!seen) {
            return UNSEEN;
        }
        if (memcmp(seen, op->shadow_bytes + (is_fill(op) ? at % LOOK_BYTES : at), part.size) != 0) {
            return DIFFERS;
        }
    }
    return SAME;
}

static bool moves_bytes(const struct vidmm_op *op)
{
    return (is_transfer(op) || is_fill(op)) && piece_of(op).size_bytes > 0;
}

static bool is_swizzled(const struct vidmm_op *op)
{
    return op->allocation && (op->allocation->flags & VIDMM_ALLOCATION_SWIZZLED) != 0;
}

static void report(struct vidmm_op *op, const struct vidmm_mismatch *mismatch)
{
    struct vidmm *vidmm = op->vidmm;

    mutex_lock(&vidmm->lock);
    vidmm->statistics.shadow_mismatches++;
    mutex_unlock(&vidmm->lock);
    if (vidmm->backend.shadow_mismatch) {
        vidmm->backend.shadow_mismatch(vidmm, mismatch);
    }
}

bool shadow_hash(const struct vidmm_op *op, uint64_t *hash)
{
    size_t pages = op->allocation->size_bytes / VIDMM_PAGE_BYTES;
    XXH3_state_t *state = XXH3_createState();
    bool complete = state != NULL;

    if (complete) {
        (void)XXH3_64bits_reset(state);
    }
    for (size_t i = 0; complete && i < pages; i++) {
        const void *page = ram_at(op->frames[i] << MACHINE_PAGE_SHIFT, VIDMM_PAGE_BYTES);
        complete = page != NULL;
        if (complete) {
            (void)XXH3_64bits_update(state, page, VIDMM_PAGE_BYTES);
        }
    }
    if (complete) {
        *hash = XXH3_64bits_digest(state);
    }
    (void)XXH3_freeState(state);
    return complete;
}

/* The pattern again and again, its lowest byte first; what is there doubles. */
static void fill_with(uint8_t *bytes, uint64_t size, uint32_t pattern)
{
    uint64_t done = size < sizeof pattern ? size : sizeof pattern;

    for (uint64_t i = 0; i < done; i++) {
        bytes[i] = (uint8_t)(pattern >> i * 8);
    }
    while (done < size) {
        uint64_t more = done < size - done ? done : size - done;
        memcpy(bytes + done, bytes, more);
        done += more;
    }
}

/* What the destination has before, of each page the first eight bytes: enough to see whether
 * anything came. NULL: it cannot be read. */
static uint64_t *remember_before(const struct vidmm_op *op)
{
    struct piece piece = piece_of(op);
    size_t count = piece.size_bytes / VIDMM_PAGE_BYTES;
    uint64_t *before = count > 0 ? malloc(count * sizeof *before) : NULL;
    bool good = before != NULL;

    for (size_t i = 0; i < count && good; i++) {
        const struct part part = {piece.destination, i * VIDMM_PAGE_BYTES, sizeof *before};
        const uint8_t *page = part_bytes(op, &part);
        good = page != NULL;
        if (good) {
            memcpy(&before[i], page, sizeof *before);
        }
    }
    if (!good) {
        free(before);
        before = NULL;
    }
    return before;
}

#define ROOM_BYTES ((size_t)16 << 20) /* larger ones are rare and go back */

/* Room for the bytes of a piece. One stays: operations mostly run one at a time while they are
 * followed, and fresh memory costs as much as the copy. */
static uint8_t *get_room(struct vidmm *vidmm, uint64_t size)
{
    struct shadow_room *room = &vidmm->shadow_room;

    if (room->taken || size > ROOM_BYTES) {
        return malloc(size);
    }
    if (room->size_bytes < size) {
        free(room->bytes);
        room->bytes = malloc(size);
        room->size_bytes = room->bytes ? size : 0;
    }
    room->taken = room->bytes != NULL;
    return room->bytes;
}

void shadow_forget(struct vidmm_op *op)
{
    struct shadow_room *room = &op->vidmm->shadow_room;

    if (op->shadow_bytes && op->shadow_bytes == room->bytes) {
        room->taken = false;
    } else {
        free(op->shadow_bytes);
    }
    free(op->shadow_before);
    op->shadow_bytes = NULL;
    op->shadow_before = NULL;
}

/* Its pages are seen where they are, or will be when operations behind this one are done. */
static bool lies_plain(const struct vidmm_allocation *allocation)
{
    return allocation->segment != 0 && allocation->range == RANGE_NONE;
}

/* ---- Beside others --------------------------------------------------------------------------- */

/* Bytes that an operation reads or writes. */
struct extent {
    const struct vidmm_allocation *frames; /* pages of system memory: whose */
    unsigned segment;                      /* 0: none */
    uint64_t first, size;
};

static struct extent extent_of(const struct vidmm_op *op, const struct vidmm_side *side)
{
    struct piece piece = piece_of(op);

    if (lies_in_frames(op, side)) {
        return (struct extent){.frames = op->allocation};
    }
    return (struct extent){NULL, side->segment, side->offset + piece.offset, piece.size_bytes};
}

static struct extent written_by(const struct vidmm_op *op)
{
    if (op->kind == VIDMM_OP_UPDATE_TABLE) {
        return (struct extent){NULL, op->update.place.segment, op->update.place.offset,
                               vidmm_op_table_bytes(op)};
    }
    return is_transfer(op) || is_fill(op) ? extent_of(op, piece_of(op).destination)
                                          : (struct extent){.segment = 0};
}

static bool overlap(const struct extent *a, const struct extent *b)
{
    if (a->frames || b->frames) {
        return a->frames == b->frames;
    }
    return a->segment != 0 && a->segment == b->segment && a->first < b->first + b->size &&
           b->first < a->first + a->size;
}

/* Does another operation that runs concern the allocation? */
static bool runs_beside(const struct vidmm_op *op)
{
    list_for_each (link, &op->vidmm->running) {
        const struct vidmm_op *other = container_of(link, struct vidmm_op, link);
        if (other != op && other->allocation == op->allocation) {
            return true;
        }
    }
    return false;
}

/* Those that run are not compared where this one writes. True: one of them still writes what this
 * one reads. */
static bool give_way(struct vidmm_op *op)
{
    const struct extent written = written_by(op);
    const struct extent read =
        is_transfer(op) ? extent_of(op, &op->move.source) : (struct extent){.segment = 0};
    bool behind = false;

    list_for_each (link, &op->vidmm->running) {
        struct vidmm_op *other = container_of(link, struct vidmm_op, link);
        const struct extent others = written_by(other);
        if (other == op) {
            continue;
        }
        behind |= overlap(&read, &others);
        if (other->shadow_bytes && overlap(&written, &others)) {
            shadow_forget(other);
        }
    }
    return behind;
}

/* A client may write to memory of its own at any time. */
static bool changes_unseen(const struct vidmm_op *op)
{
    return op->allocation && op->allocation->frames_borrowed;
}

/* The operation brings bytes from where they lay since it was copied out. */
static void look_at_rest(struct vidmm_op *op)
{
    struct vidmm_allocation *allocation = op->allocation;
    uint64_t hash;
    bool in = is_transfer(op) && op->kind != VIDMM_OP_SPECIAL_LOCK && op->move.source.segment == 0;
    if (in && op->move.start && allocation->shadow_hash_valid && !runs_beside(op) &&
        shadow_hash(op, &hash) && hash != allocation->shadow_hash) {
        report(op, &(struct vidmm_mismatch){.op = op, .at_rest = true});
    }
}

void shadow_before(struct vidmm_op *op)
{
    bool behind = give_way(op);

    if (!moves_bytes(op) || changes_unseen(op) || behind) {
        return;
    }
    look_at_rest(op);
    if (is_swizzled(op)) {
        swizzle_shadow_before(op);
        return;
    }
    uint64_t whole = piece_of(op).size_bytes;
    uint64_t size = is_fill(op) ? at_most(whole, LOOK_BYTES) : whole;
    op->shadow_bytes = get_room(op->vidmm, size);
    if (!op->shadow_bytes) {
        return;
    }
    if (is_fill(op)) {
        fill_with(op->shadow_bytes, size, op->fill.pattern);
    } else if (read_side(op, &op->move.source, op->shadow_bytes) < size) {
        shadow_forget(op);
    }
    op->shadow_before = op->shadow_bytes ? remember_before(op) : NULL;
}

static void tell(struct vidmm_op *op, struct vidmm_mismatch *mismatch)
{
    const uint8_t *expected = mismatch->expected_bytes, *actual = mismatch->actual_bytes;

    for (uint64_t i = 0; i < mismatch->size_bytes; i++) {
        if (actual[i] == expected[i]) {
            continue;
        }
        if (mismatch->wrong_bytes++ == 0) {
            mismatch->first = i;
            mismatch->offset = piece_of(op).offset + i;
            mismatch->expected = expected[i];
            mismatch->actual = actual[i];
        }
    }
    report(op, mismatch);
}

/* The bytes of the piece, on both sides, as far as they are seen: at least to where they differ. */
static void tell_whole(struct vidmm_op *op)
{
    struct piece piece = piece_of(op);
    uint8_t *actual = malloc(piece.size_bytes);
    uint8_t *filled = is_fill(op) ? malloc(piece.size_bytes) : NULL;

    if (filled) {
        fill_with(filled, piece.size_bytes, op->fill.pattern);
    }
    if (actual && (filled || !is_fill(op))) {
        tell(op, &(struct vidmm_mismatch){.op = op,
                                          .expected_bytes = filled ? filled : op->shadow_bytes,
                                          .actual_bytes = actual,
                                          .size_bytes = read_side(op, piece.destination, actual),
                                          .before = op->shadow_before});
    }
    free(filled);
    free(actual);
}

static void compare(struct vidmm_op *op)
{
    struct vidmm *vidmm = op->vidmm;
    enum looked looked = look(op);

    if (looked != UNSEEN) {
        mutex_lock(&vidmm->lock);
        vidmm->statistics.shadow_checks++;
        mutex_unlock(&vidmm->lock);
    }
    if (looked == SAME && vidmm->backend.shadow_match) {
        vidmm->backend.shadow_match(vidmm, op);
    }
    if (looked == DIFFERS) {
        tell_whole(op);
    }
}

void shadow_after(struct vidmm_op *op)
{
    bool compared = false;

    if (op->unseen) {
        if (op->allocation) {
            op->allocation->shadow_hash_valid = op->allocation->linear_known = false;
        }
        return;
    }
    if (is_swizzled(op) && !swizzle_shadow_after(op, &compared)) {
        report(op, &(struct vidmm_mismatch){.op = op, .converted = true});
    } else if (compared && op->vidmm->backend.shadow_match) {
        op->vidmm->backend.shadow_match(op->vidmm, op);
    }
    if (!moves_bytes(op) || changes_unseen(op)) {
        return;
    }
    if (op->kind == VIDMM_OP_SPECIAL_LOCK) {
        op->allocation->shadow_hash_valid = false;
    } else if (is_transfer(op) && op->move.source.segment != 0 && op->move.end) {
        op->allocation->shadow_hash_valid = !lies_plain(op->allocation) && !runs_beside(op) &&
                                            shadow_hash(op, &op->allocation->shadow_hash);
    }
    if (op->shadow_bytes) {
        compare(op);
    }
}

void vidmm_shadow_enable(struct vidmm *vidmm, bool enable)
{
    mutex_lock(&vidmm->lock);
    vidmm->shadow = enable;
    if (!enable) {
        list_for_each (link, &vidmm->allocations) {
            container_of(link, struct vidmm_allocation, link)->shadow_hash_valid = false;
            container_of(link, struct vidmm_allocation, link)->linear_known = false;
        }
    }
    mutex_unlock(&vidmm->lock);
}
