/* Wrong bytes in words: what a paging operation brought instead of what it should have.
 *
 *     what belongs 0xFD000 before          a page list or an offset that begins again
 *     nothing was written there            a part that was left out
 *     the right ones stand elsewhere       an address that is off
 *     what stands elsewhere in the source  the same on the other side
 *
 * It is said what was seen; why, the driver's author can tell. */
#include "dxgk/misplaced.h"
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

struct room {
    char *text;
    size_t size;
};

static void __attribute__((format(printf, 2, 3))) add(struct room *room, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    int wrote = vsnprintf(room->text, room->size, format, arguments);
    va_end(arguments);
    size_t used = wrote < 0 ? 0 : (size_t)wrote < room->size ? (size_t)wrote : room->size - 1;
    room->text += used;
    room->size -= used;
}

static uint64_t distance(int64_t shift)
{
    return shift < 0 ? 0 - (uint64_t)shift : (uint64_t)shift;
}

/* The segment's bytes as the CPU sees them; NULL: it does not. */
static const uint8_t *seen_by_cpu(const struct vidmm_segment_options *segment)
{
    bool visible = (segment->flags & VIDMM_SEGMENT_CPU_VISIBLE) != 0 &&
                   (segment->flags & VIDMM_SEGMENT_APERTURE) == 0;

    return visible ? bus_memory_at(segment->cpu_base_address, segment->size_bytes) : NULL;
}

/* Else it fills. */
static bool is_move(const struct vidmm_op *op)
{
    return op->kind == VIDMM_OP_TRANSFER || op->kind == VIDMM_OP_SPECIAL_LOCK ||
           op->kind == VIDMM_OP_VIRTUAL_TRANSFER;
}

/* Where in the side's segment bytes stand that belong at `at` of the piece, from the allocation's
 * place on: *shift. False: nowhere, or where they belong. */
static bool find_elsewhere(const struct vidmm_mismatch *mismatch, const struct vidmm_side *side,
                           const uint8_t *bytes, int64_t *shift)
{
    const struct vidmm_op *op = mismatch->op;
    const struct vidmm_segment_options *segment =
        side->segment ? vidmm_segment(op->allocation->vidmm, side->segment) : NULL;
    const uint8_t *memory = segment ? seen_by_cpu(segment) : NULL;
    const uint8_t *window = vidmm_telling_window(bytes, mismatch->size_bytes, mismatch->first);
    const uint8_t *found =
        memory && window ? memmem(memory, segment->size_bytes, window, VIDMM_WINDOW_BYTES) : NULL;
    uint64_t piece = is_move(op) ? op->move.offset : 0;

    if (found) {
        *shift = (found - memory) - (int64_t)(side->offset + piece) - (window - bytes);
    }
    return found && *shift != 0;
}

bool dxgk_explain_elsewhere(const struct vidmm_mismatch *mismatch)
{
    const struct vidmm_move *move = &mismatch->op->move;
    int64_t shift;

    return is_move(mismatch->op) &&
           (find_elsewhere(mismatch, &move->destination, mismatch->expected_bytes, &shift) ||
            find_elsewhere(mismatch, &move->source, mismatch->actual_bytes, &shift));
}

static void say_elsewhere(const struct vidmm_mismatch *mismatch, struct room *room)
{
    const struct vidmm_move *move = &mismatch->op->move;
    int64_t shift;

    if (!is_move(mismatch->op)) {
        return;
    }
    if (find_elsewhere(mismatch, &move->destination, mismatch->expected_bytes, &shift)) {
        add(room,
            "; the right bytes stand in segment %u, as the CPU sees it, 0x%" PRIX64 " bytes %s",
            move->destination.segment, distance(shift), shift < 0 ? "before" : "further on");
    } else if (find_elsewhere(mismatch, &move->source, mismatch->actual_bytes, &shift)) {
        add(room, "; these are what stands in segment %u 0x%" PRIX64 " bytes %s the source",
            move->source.segment, distance(shift), shift < 0 ? "before" : "behind");
    }
}

static bool in_memory_segment(const struct vidmm_mismatch *mismatch)
{
    const struct vidmm_op *op = mismatch->op;
    unsigned segment = is_move(op) ? op->move.destination.segment : op->fill.destination.segment;

    return segment != 0 && seen_by_cpu(vidmm_segment(op->allocation->vidmm, segment));
}

static void say_bytes(const struct vidmm_mismatch *mismatch, struct room *room)
{
    struct vidmm_wrong wrong = vidmm_mismatch_look(mismatch);

    switch (wrong.kind) {
    case VIDMM_WRONG_SHIFTED:
        add(room,
            "; from there on, for 0x%" PRIX64 " bytes, stands what belongs 0x%" PRIX64 " bytes %s",
            wrong.bytes, distance(wrong.shift), wrong.shift < 0 ? "before" : "further on");
        break;
    case VIDMM_WRONG_UNTOUCHED:
        add(room, "; what is wrong is as it was before: nothing was written there%s",
            in_memory_segment(mismatch) ? ", or what the GPU wrote there is not what the CPU sees "
                                          "at the segment's CpuTranslatedAddress"
                                        : "");
        say_elsewhere(mismatch, room);
        break;
    default:
        say_elsewhere(mismatch, room);
    }
}

/* Which piece of a transfer it was, with which multipass offsets the driver was called, and where
 * the work was submitted. */
static void say_calls(const struct vidmm_op *op, struct room *room)
{
    if (op->kind == VIDMM_OP_VIRTUAL_TRANSFER) {
        add(room, "; from 0x%" PRIX64 " to 0x%" PRIX64 " in the paging process",
            op->move.source_address, op->move.destination_address);
    } else if (op->kind == VIDMM_OP_VIRTUAL_FILL) {
        add(room, "; at 0x%" PRIX64 " in the paging process", op->fill.destination_address);
    } else if (is_move(op) && !(op->move.start && op->move.end)) {
        add(room, "; a piece: TransferOffset 0x%" PRIX64 ", MdlOffset %zu", op->move.offset,
            op->frame_first);
    }
    if (op->owner_calls > 1) {
        add(room, "; built in %u calls, with MultipassOffset", op->owner_calls);
        for (uint32_t i = 0; i < op->owner_calls && i < VIDMM_OWNER_OFFSETS; i++) {
            add(room, "%s %u", i > 0 ? "," : "", op->owner_offsets[i]);
        }
        add(room, op->owner_calls > VIDMM_OWNER_OFFSETS ? " ..." : "");
    }
    if (op->owner_submission.end > 0) {
        add(room,
            "; its commands are bytes 0x%X to 0x%X of the paging buffer, submitted as fence %u",
            op->owner_submission.begin, op->owner_submission.end, op->owner_submission.fence);
        if (op->owner_submission.begin > 0) {
            add(room, op->kind == VIDMM_OP_VIRTUAL_TRANSFER || op->kind == VIDMM_OP_VIRTUAL_FILL
                          ? ": DmaBufferVirtualAddress, which lies behind the buffer's begin"
                          : ": DmaBufferSubmissionStartOffset is not 0 [SUBMIT-017]");
        }
    }
}

void dxgk_explain_calls(const struct vidmm_op *op, char *text, size_t size)
{
    struct room room = {text, size};

    text[0] = '\0';
    say_calls(op, &room);
}

void dxgk_explain_bytes(const struct vidmm_mismatch *mismatch, char *text, size_t size)
{
    struct room room = {text, size};

    text[0] = '\0';
    say_bytes(mismatch, &room);
    say_calls(mismatch->op, &room);
}
