/* What the device says of work that it could not do. A time-out follows from it; how the driver
 * stops work is not the question then, but what it gave the device. */
#include "dxgk/work.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#define CLUE_MAX    240
#define PRESENT_MAX 120

static void clue_of(const struct dxgk_packet *packet, char clue[CLUE_MAX])
{
    if (packet->odd.seen) {
        snprintf(clue, CLUE_MAX,
                 "; after Patch, PatchOffset 0x%X had address 0x%" PRIX64
                 ", the allocation's place was 0x%" PRIX64 " [PATCH-004]",
                 packet->odd.offset, packet->odd.is, packet->odd.wanted);
        return;
    }
    dxgk_components_clue(packet->adapter, packet->context->node, clue, CLUE_MAX);
    if (clue[0] == '\0') {
        snprintf(clue, CLUE_MAX, "%s",
                 packet->start > 0 ? "; DmaBufferSubmissionStartOffset was not 0 [SUBMIT-017]"
                                   : "");
    }
    if (clue[0] == '\0') {
        dxgk_clue_of_begin(packet->adapter, packet->context->node, clue, CLUE_MAX);
    }
}

/* What Present was asked for; or nothing. */
static void present_of(const struct dxgk_packet *packet, char text[PRESENT_MAX])
{
    const struct dxgk_dma *dma = packet->dma;

    text[0] = '\0';
    if (!dma || !packet->flags.Present) {
        return;
    }
    const DXGK_PRESENTFLAGS flags = dma->presented.flags;
    snprintf(text, PRESENT_MAX, "; Present was asked for %s%s%s, Flags 0x%X",
             dma->presented.stretched ? "a stretched " : "a ",
             flags.Blt         ? "Blt"
             : flags.ColorFill ? "ColorFill"
                               : "flip",
             flags.Rotate ? " with Rotate" : "", flags.Value);
    if (dma->presented.from || dma->presented.to) {
        size_t used = strlen(text);
        snprintf(text + used, PRESENT_MAX - used, ", of D3DDDIFORMAT %u to %u",
                 (unsigned)dma->presented.from, (unsigned)dma->presented.to);
    }
}

/* Of paging which operation it is: another case of the driver's. */
static const char *operation_of(const struct dxgk_packet *packet)
{
    return packet->flags.Paging && packet->paging.operation
               ? vidmm_op_name(packet->paging.operation->op->kind)
               : NULL;
}

static bool has_said(const struct dxgk_adapter *adapter, const struct dxgk_packet *packet)
{
    /* Who gives up a packet that never ends does not let it run once more. */
    uint64_t ran_ns = packet->vidsch.endless ? packet->vidsch.ran_ns : 0;

    return adapter->said.text[0] != '\0' && adapter->said.ns + ran_ns >= packet->submitted_ns;
}

bool dxgk_device_complains(struct dxgk_adapter *adapter, const struct dxgk_packet *packet)
{
    struct record_breach breach = {.rule = "ENGINE", .count = 1, .object = packet->vidsch.object};
    const char *writer = packet->road->writer;
    const char *operation = operation_of(packet);
    char clue[CLUE_MAX], present[PRESENT_MAX];

    if (!writer || !has_said(adapter, packet)) {
        return false;
    }
    clue_of(packet, clue);
    present_of(packet, present);
    snprintf(breach.ddi, sizeof breach.ddi, "%s", packet->odd.seen ? "DxgkDdiPatch" : writer);
    snprintf(breach.expected, sizeof breach.expected, "commands that the device can do");
    snprintf(breach.actual, sizeof breach.actual,
             "fence %" PRIu64
             " (%s%s%s) never ended, and the device: %s; the commands are bytes 0x%X to "
             "0x%X of the %s buffer, written by %s, and given by %s%s%s",
             dxgk_packet_fence(packet), packet->road->name, operation ? ": " : "",
             operation ? operation : "", adapter->said.text, packet->start, packet->end,
             packet->flags.Paging ? "paging" : "DMA", writer, dxgk_packet_given(packet), present,
             clue);
    record_event(EVENT_BREACH, packet->vidsch.object, RECORD_RULES_MAX, record_add_breach(&breach));
    return true;
}
