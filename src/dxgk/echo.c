/* Commands of a driver whose commands nobody here knows: what it wrote itself for a Present is a
 * client's, too, with zeros where its patch list puts addresses. A client that names allocations
 * by their place in the list names the first one so.
 *
 *   Present ─> kept (short ones) ─ a client that sends anything ─> Render takes it?
 *                                     ├ repeated until one DMA buffer does not hold it [RENDER-019]
 *                                     └ spoiled (spoil_commands.c)
 *
 * What Render makes of it is looked at, cancelled, and never runs. */
#include "dxgk/learned.h"
#include "dxgk/work.h"

#include <stdlib.h>
#include <string.h>

#define KEPT_BYTES_MAX 512
#define ADDRESS_BYTES  8
#define COPIES_MAX     8192
#define COMMANDS_MAX   (256u << 10)
#define REPEATS_MAX    4 /* of a run: they take long */

/* The latest of this computer. */
static struct {
    uint8_t bytes[KEPT_BYTES_MAX];
    UINT size;
    unsigned repeats, further;
} kept;

static struct dxgk_learned learned; /* of all contexts' commands */

void dxgk_echo_init(void)
{
    memset(&kept, 0, sizeof kept);
}

void dxgk_echo_forget(void)
{
    learned.tried = false;
}

/* Addresses are those of the moment, and whether they are written before Patch is the driver's
 * affair. Those of 4 bytes, one behind the other, end where the next begins. */
static void clear_addresses(uint8_t *bytes, UINT size, const D3DDDI_PATCHLOCATIONLIST *patches,
                            UINT count)
{
    for (UINT i = 0; i < count; i++) {
        UINT at = patches[i].PatchOffset;
        UINT next = i + 1 < count ? patches[i + 1].PatchOffset : size;
        UINT length = next > at && next - at < ADDRESS_BYTES ? next - at : ADDRESS_BYTES;
        if (range_fits(at, length, size)) {
            memset(bytes + at, 0, length);
        }
    }
}

void dxgk_echo_keep(const struct dxgk_dma *dma)
{
    if (vary_on(VARY_BAD_COMMANDS) && dma->used <= sizeof kept.bytes) {
        memcpy(kept.bytes, dma->buffer->bytes, dma->used);
        kept.size = dma->used;
        clear_addresses(kept.bytes, kept.size, dma->patches, dma->patch_count);
    }
}

UINT dxgk_echo_take(uint8_t *bytes, UINT room)
{
    UINT size = kept.size <= room ? kept.size : 0;

    memcpy(bytes, kept.bytes, size);
    return size;
}

/* ---- What the driver compares them with ------------------------------------------------------ */

static const char of_commands[] = "a client's command buffer";

struct learning {
    struct dxgk_context *context;
    UINT listed;
};

static bool render(void *context, void *bytes, UINT size)
{
    const struct learning *learning = context;
    const struct dxgk_commands commands = {
        .bytes = bytes, .size = size, .allocation_count = learning->listed};
    uint64_t produced = 0;

    return NT_SUCCESS(dxgk_render_try(learning->context, &commands, &produced)) && produced != 0;
}

void *dxgk_echo_learned(struct dxgk_context *context, UINT listed, UINT *size)
{
    if (!learned.tried) {
        dxgk_learn(&learned, &(struct dxgk_learner){
                                 .point = POINT_Render,
                                 .what = of_commands,
                                 .ask = render,
                                 .context = &(struct learning){context, listed},
                             });
        record_count("learned.render", learned.count);
    }
    return dxgk_learned_made(&learned, of_commands, VARY_BAD_COMMANDS, size);
}

/* ---- What comes of a call -------------------------------------------------------------------- */

void dxgk_collect(struct dxgk_collected *collected, const struct dxgk_dma *dma)
{
    uint8_t *bytes = collected->bytes + collected->size;

    collected->full |= !range_fits(collected->size, dma->used, collected->room) ||
                       !range_fits(collected->patch_count, dma->patch_count, collected->patch_room);
    if (collected->full) {
        return;
    }
    memcpy(bytes, dma->buffer->bytes, dma->used);
    clear_addresses(bytes, dma->used, dma->patches, dma->patch_count);
    for (UINT i = 0; i < dma->patch_count; i++) {
        D3DDDI_PATCHLOCATIONLIST *patch = &collected->patches[collected->patch_count++];
        *patch = dma->patches[i];
        patch->PatchOffset += (UINT)collected->size;
        patch->SplitOffset += (UINT)collected->size;
    }
    collected->size += dma->used;
}

static bool same_patch(const D3DDDI_PATCHLOCATIONLIST *is, const D3DDDI_PATCHLOCATIONLIST *one,
                       UINT shift)
{
    return is->AllocationIndex == one->AllocationIndex &&
           is->AllocationOffset == one->AllocationOffset &&
           is->PatchOffset == one->PatchOffset + shift;
}

/* How many times the one stands in it from its begin on, one behind the other. */
static UINT copies_in(const struct dxgk_collected *many, const struct dxgk_collected *one)
{
    UINT size = (UINT)one->size, per_copy = (UINT)one->patch_count, copies = 0;

    while (range_fits((size_t)copies * size, size, many->size) &&
           range_fits((size_t)copies * per_copy, per_copy, many->patch_count) &&
           memcmp(many->bytes + (size_t)copies * size, one->bytes, size) == 0) {
        for (UINT i = 0; i < per_copy; i++) {
            if (!same_patch(&many->patches[copies * per_copy + i], &one->patches[i],
                            copies * size)) {
                return copies;
            }
        }
        copies++;
    }
    return copies;
}

/* Nothing but so many of them. */
static bool is_copies(const struct dxgk_collected *many, const struct dxgk_collected *one,
                      UINT count)
{
    return copies_in(many, one) == count && many->size == (size_t)count * one->size &&
           many->patch_count == (size_t)count * one->patch_count;
}

/* A driver may cut a command in two where a buffer is full; the parts are longer than the whole. */
static bool is_cut(const struct dxgk_collected *many, const struct dxgk_collected *one, UINT count)
{
    return many->size > (size_t)count * one->size && many->size % one->size != 0;
}

/* ---- More than a DMA buffer holds ------------------------------------------------------------ */

struct repeat {
    struct dxgk_context *context;
    struct dxgk_commands good;
    uint8_t *bytes; /* room for COMMANDS_MAX */
};

static bool collect(const struct repeat *repeat, UINT copies, struct dxgk_collected *out)
{
    struct dxgk_commands commands = repeat->good;

    commands.bytes = repeat->bytes;
    commands.size = copies * repeat->good.size;
    for (UINT i = 0; i < copies; i++) {
        memcpy(repeat->bytes + (size_t)i * repeat->good.size, repeat->good.bytes,
               repeat->good.size);
    }
    out->size = out->patch_count = out->passes = 0;
    return NT_SUCCESS(dxgk_render_collect(repeat->context, &commands, out)) && !out->full;
}

static bool make_collected(struct dxgk_collected *out, size_t room, size_t patch_room)
{
    *out = (struct dxgk_collected){.bytes = malloc(room + 1),
                                   .patches = malloc((patch_room + 1) * sizeof *out->patches),
                                   .room = room,
                                   .patch_room = patch_room};
    return out->bytes && out->patches;
}

static void drop_collected(struct dxgk_collected *collected)
{
    free(collected->bytes);
    free(collected->patches);
}

/* So many that two and a half buffers, or lists, are used up: each may be larger than was asked
 * for. 0: too many. */
static UINT copies_for(const struct repeat *repeat, const struct dxgk_collected *one)
{
    const DXGK_CONTEXTINFO *info = &repeat->context->info;
    uint64_t by_bytes = (uint64_t)info->DmaBufferSize * 5 / 2 / one->size + 1;
    uint64_t by_patches = one->patch_count
                              ? (uint64_t)info->PatchLocationListSize * 5 / 2 / one->patch_count + 1
                              : by_bytes;
    uint64_t copies = by_bytes < by_patches ? by_bytes : by_patches;

    return copies <= COPIES_MAX && copies * repeat->good.size <= COMMANDS_MAX ? (UINT)copies : 0;
}

static void judge(const struct repeat *repeat, const struct dxgk_collected *one,
                  const struct dxgk_collected *many, UINT copies)
{
    UINT found = copies_in(many, one);

    contract_count(RULE_RENDER_019);
    if (is_copies(many, one, copies) || is_cut(many, one, copies)) {
        return;
    }
    contract_breach(
        &(struct contract_finding){.rule = CONTRACT_JUDGES(RENDER_019),
                                   .object = repeat->context->object},
        "MultipassOffset says how far a pass came, and the next one goes on there",
        "Render writes commands of %u bytes as %zu bytes, and the same twice as twice that; of %u "
        "of them behind each other it wrote, in %u passes, %u and then something else: %zu bytes "
        "in all instead of %zu, %zu elements of patch lists instead of %zu",
        repeat->good.size, one->size, copies, many->passes, found, many->size,
        (size_t)copies * one->size, many->patch_count, (size_t)copies * one->patch_count);
}

/* Where one is written as something, and two as twice that, in one buffer, what stands before a
 * command does not matter, and many are written as many, in however many buffers. */
static void examine(const struct repeat *repeat)
{
    struct dxgk_collected one, many;
    bool alike = make_collected(&one, KEPT_BYTES_MAX * 2, KEPT_BYTES_MAX) &&
                 collect(repeat, 1, &one) && one.passes == 1 && one.size > 0;
    UINT copies = alike ? copies_for(repeat, &one) : 0;

    many = (struct dxgk_collected){0};
    if (copies > 2 &&
        make_collected(&many, one.size * (copies + 2), one.patch_count * (copies + 2))) {
        if (collect(repeat, 2, &many) && many.passes == 1 && is_copies(&many, &one, 2) &&
            collect(repeat, copies, &many) && many.passes > 1) {
            judge(repeat, &one, &many, copies);
        }
    }
    drop_collected(&one);
    drop_collected(&many);
}

void dxgk_echo_repeat_again(void)
{
    if (kept.repeats > 0 && kept.further < REPEATS_MAX) {
        kept.repeats--;
        kept.further++;
    }
}

void dxgk_render_repeated(struct dxgk_context *context, const struct dxgk_commands *good)
{
    struct repeat repeat = {.context = context, .good = *good};

    if (good->patch_count || good->size == 0 || good->size > KEPT_BYTES_MAX ||
        kept.repeats == REPEATS_MAX) {
        return;
    }
    repeat.bytes = nt_memory_alloc(COMMANDS_MAX, 0);
    if (repeat.bytes) {
        kept.repeats++;
        examine(&repeat);
        nt_memory_free(repeat.bytes);
    }
}
