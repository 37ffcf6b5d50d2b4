/* The shadow: follows the bytes of allocations through paging operations.
 *
 * Before an operation runs its source is copied, after it the destination is compared with that. It
 * sees exactly the moment between, so operations run one at a time while it is on. What was copied
 * out is hashed too, and looked at again when it comes back. */
#include <stdlib.h>
#include <string.h>
#include <xxhash.h>

#include "base/check.h"
#include "vidmm/internal.h"

static bool read_frames(const struct vidmm_op *op, size_t frame_first, uint8_t *bytes,
                        uint64_t size)
{
    for (uint64_t at = 0; at < size; at += VIDMM_PAGE_BYTES) {
        size_t index = frame_first + at / VIDMM_PAGE_BYTES;
        uint64_t piece = size - at < VIDMM_PAGE_BYTES ? size - at : VIDMM_PAGE_BYTES;
        const void *from = ram_at(op->frames[index] << MACHINE_PAGE_SHIFT, piece);
        if (!from) {
            return false;
        }
        memcpy(bytes + at, from, piece);
    }
    return true;
}

static bool is_fill(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_FILL || op->kind == VIDMM_OP_VIRTUAL_FILL;
}

static bool is_transfer(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_VIRTUAL_TRANSFER;
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

/* The bytes of this piece on one side of the operation. */
static bool read_side(const struct vidmm_op *op, const struct vidmm_side *side, uint8_t *bytes)
{
    struct vidmm *vidmm = op->vidmm;
    struct piece piece = piece_of(op);

    if (side->segment == 0 || segment_is_aperture(segment_of(vidmm, side->segment))) {
        return read_frames(op, op->frame_first, bytes, piece.size_bytes);
    }
    return vidmm->backend.read_segment &&
           vidmm->backend.read_segment(vidmm, side->segment, side->offset + piece.offset, bytes,
                                       piece.size_bytes);
}

static bool followed(const struct vidmm_op *op)
{
    return (is_transfer(op) || is_fill(op)) && piece_of(op).size_bytes > 0 &&
           (op->allocation->flags & VIDMM_ALLOCATION_SWIZZLED) == 0;
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

/* *hash of the whole backing store. */
static bool hash_backing(const struct vidmm_op *op, uint64_t *hash)
{
    XXH64_state_t *state = XXH64_createState();
    bool complete = state != NULL;

    if (complete) {
        (void)XXH64_reset(state, 0);
    }
    for (size_t i = 0; complete && i < op->frame_count; i++) {
        const void *page = ram_at(op->frames[i] << MACHINE_PAGE_SHIFT, VIDMM_PAGE_BYTES);
        complete = page != NULL;
        if (complete) {
            (void)XXH64_update(state, page, VIDMM_PAGE_BYTES);
        }
    }
    if (complete) {
        *hash = XXH64_digest(state);
    }
    (void)XXH64_freeState(state);
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
    struct vidmm *vidmm = op->vidmm;
    struct piece piece = piece_of(op);
    const struct vidmm_side *to = piece.destination;
    bool frames = to->segment == 0 || segment_is_aperture(segment_of(vidmm, to->segment));
    size_t count = piece.size_bytes / VIDMM_PAGE_BYTES;
    uint64_t *before = count > 0 ? malloc(count * sizeof *before) : NULL;
    bool good = before != NULL && (frames || vidmm->backend.read_segment);

    for (size_t i = 0; i < count && good; i++) {
        uint64_t at = i * VIDMM_PAGE_BYTES;
        const void *page =
            frames ? ram_at(op->frames[op->frame_first + i] << MACHINE_PAGE_SHIFT, sizeof *before)
                   : NULL;
        if (page) {
            memcpy(&before[i], page, sizeof *before);
        } else {
            good = !frames &&
                   vidmm->backend.read_segment(vidmm, to->segment, to->offset + piece.offset + at,
                                               (void *)&before[i], sizeof *before);
        }
    }
    if (!good) {
        free(before);
        before = NULL;
    }
    return before;
}

void shadow_before(struct vidmm_op *op)
{
    uint64_t hash;

    if (!followed(op)) {
        return;
    }
    struct vidmm_allocation *allocation = op->allocation;
    bool in = is_transfer(op) && op->move.source.segment == 0;
    if (in && op->move.start && allocation->shadow_hash_valid && hash_backing(op, &hash) &&
        hash != allocation->shadow_hash) {
        report(op, &(struct vidmm_mismatch){.op = op, .at_rest = true});
    }
    uint64_t size = piece_of(op).size_bytes;
    op->shadow_bytes = malloc(size);
    if (!op->shadow_bytes) {
        return;
    }
    if (is_fill(op)) {
        fill_with(op->shadow_bytes, size, op->fill.pattern);
    } else if (!read_side(op, &op->move.source, op->shadow_bytes)) {
        free(op->shadow_bytes);
        op->shadow_bytes = NULL;
    }
    op->shadow_before = op->shadow_bytes ? remember_before(op) : NULL;
}

static void compare(struct vidmm_op *op, const uint8_t *actual)
{
    struct piece piece = piece_of(op);
    struct vidmm_mismatch mismatch = {.op = op,
                                      .expected_bytes = op->shadow_bytes,
                                      .actual_bytes = actual,
                                      .size_bytes = piece.size_bytes,
                                      .before = op->shadow_before};

    if (memcmp(actual, op->shadow_bytes, piece.size_bytes) == 0) {
        return;
    }
    for (uint64_t i = 0; i < piece.size_bytes; i++) {
        if (actual[i] == op->shadow_bytes[i]) {
            continue;
        }
        if (mismatch.wrong_bytes++ == 0) {
            mismatch.first = i;
            mismatch.offset = piece.offset + i;
            mismatch.expected = op->shadow_bytes[i];
            mismatch.actual = actual[i];
        }
    }
    report(op, &mismatch);
}

void shadow_after(struct vidmm_op *op)
{
    struct vidmm *vidmm = op->vidmm;

    if (!followed(op)) {
        return;
    }
    if (is_transfer(op) && op->move.source.segment != 0 && op->move.end) {
        op->allocation->shadow_hash_valid = hash_backing(op, &op->allocation->shadow_hash);
    }
    struct piece piece = piece_of(op);
    uint8_t *actual = op->shadow_bytes ? malloc(piece.size_bytes) : NULL;
    if (actual && read_side(op, piece.destination, actual)) {
        mutex_lock(&vidmm->lock);
        vidmm->statistics.shadow_checks++;
        mutex_unlock(&vidmm->lock);
        compare(op, actual);
    }
    free(actual);
}

void vidmm_shadow_enable(struct vidmm *vidmm, bool enable)
{
    mutex_lock(&vidmm->lock);
    vidmm->shadow = enable;
    if (!enable) {
        list_for_each (link, &vidmm->allocations) {
            container_of(link, struct vidmm_allocation, link)->shadow_hash_valid = false;
        }
    }
    mutex_unlock(&vidmm->lock);
}
