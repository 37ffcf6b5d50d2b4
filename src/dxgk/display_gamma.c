/* The gamma ramp of a path, of a driver with a display alone that says that it has ramps: is the
 * picture seen through it, and afterwards as it is? A device model may show pictures as they are
 * before the ramp: then nobody can tell. */
#include "dxgk/display_composed.h"
#include "dxgk/work.h"

#define LATCH_NS    (50 * NS_PER_MS)
#define COLOUR_MASK 0xFFFFFFu
#define ROUNDED     4 /* a converter of 6 bits leaves out so much */

static unsigned channel_of(uint32_t colour, unsigned channel)
{
    return colour >> 8 * channel & 0xFF; /* 0: blue */
}

/* Each channel has its own, and low bytes that are none of a colour's. */
static unsigned ramped(unsigned value, unsigned channel)
{
    switch (channel) {
    case 0:
        return value * 3 / 4;
    case 1:
        return value / 2 + 100;
    default:
        return 255 - value;
    }
}

static USHORT entry(unsigned value, unsigned channel)
{
    unsigned high = ramped(value, channel);

    return (USHORT)(high << 8 | (high ^ 0x80));
}

static NTSTATUS set_ramp(struct dxgk_source *source)
{
    D3DDDI_GAMMA_RAMP_RGB256x3x16 *table = nt_memory_hand(sizeof *table, "pRgb256x3x16");
    const D3DKMDT_GAMMA_RAMP ramp = {.Type = D3DDDI_GAMMARAMP_RGB256x3x16,
                                     .DataSize = sizeof *table,
                                     .Data.pRgb256x3x16 = table};

    if (!table) {
        return STATUS_NO_MEMORY;
    }
    for (unsigned i = 0; i < 256; i++) {
        table->Blue[i] = entry(i, 0);
        table->Green[i] = entry(i, 1);
        table->Red[i] = entry(i, 2);
    }
    NTSTATUS status = dxgk_source_update_gamma(source, &ramp);
    nt_memory_free(table);
    return status;
}

static bool is_near(unsigned left, unsigned right)
{
    return left <= right + ROUNDED && right <= left + ROUNDED;
}

static bool is_ramped(uint32_t is, uint32_t was)
{
    bool ramp = true;

    for (unsigned i = 0; i < 3; i++) {
        ramp &= is_near(channel_of(is, i), ramped(channel_of(was, i), i));
    }
    return ramp;
}

struct look {
    bool same, ramped; /* all pixels, as they were, or through the ramp */
    unsigned x, y;     /* the first that is neither, or not through the ramp */
    uint32_t is, was;
};

/* False: nothing is seen. */
static bool look_at(const struct dxgk_source *source, struct look *out)
{
    const uint32_t *expected = source->composed->expected;
    struct pci_picture picture;

    if (!dxgk_screen_picture(source, &picture)) {
        return false;
    }
    *out = (struct look){.same = true, .ramped = true};
    for (unsigned y = 0; y < picture.height; y++, expected += picture.width) {
        const char *bytes = (const char *)picture.pixels + (size_t)y * picture.stride_bytes;
        const uint32_t *row = (const void *)bytes;
        for (unsigned x = 0; x < picture.width; x++) {
            uint32_t is = row[x] & COLOUR_MASK, was = expected[x] & COLOUR_MASK;
            out->same &= is == was;
            if (out->ramped && !is_ramped(is, was)) {
                out->ramped = false;
                out->x = x;
                out->y = y;
                out->is = is;
                out->was = was;
            }
        }
    }
    return true;
}

#define FINDING                                                     \
    (&(struct contract_finding){.rule = CONTRACT_JUDGES(VIDPN_016), \
                                .ddi = "DxgkDdiUpdateActiveVidPnPresentPath"})

static void judge_ramp(const struct dxgk_source *source, const struct look *look)
{
    contract_count(RULE_VIDPN_016);
    if (!look->ramped) {
        contract_breach(FINDING, "the picture seen through the path's GammaRamp",
                        "after UpdateActiveVidPnPresentPath with a ramp D3DDDI_GAMMARAMP_"
                        "RGB256x3x16 pixel (%u, %u) of target %u, 0x%06X in the picture, is seen "
                        "as 0x%06X; the ramp has Red 0x%04X, Green 0x%04X, Blue 0x%04X there",
                        look->x, look->y, source->target, look->was, look->is,
                        entry(channel_of(look->was, 2), 2), entry(channel_of(look->was, 1), 1),
                        entry(channel_of(look->was, 0), 0));
    }
}

static void judge_default(const struct dxgk_source *source, const struct look *look)
{
    contract_count(RULE_VIDPN_016);
    if (!look->same) {
        contract_breach(FINDING, "the picture seen as it is",
                        "after UpdateActiveVidPnPresentPath with D3DDDI_GAMMARAMP_DEFAULT behind "
                        "another ramp target %u shows source %u in other colours still",
                        source->target, source->index);
        source->composed->stale = true;
    }
}

static bool has_ramps(const struct dxgk_source *source)
{
    const struct dxgk_adapter *adapter = source->adapter;

    return adapter->caps.GammaRampCaps.Gamma_Rgb256x3x16 &&
           source->mode.scaling == D3DKMDT_VPPS_IDENTITY &&
           ddi_has(&adapter->ddi, POINT_UpdateActiveVidPnPresentPath);
}

void dxgk_composed_exam_gamma(struct dxgk_source *source)
{
    const D3DKMDT_GAMMA_RAMP none = {.Type = D3DDDI_GAMMARAMP_DEFAULT};
    struct dxgk_composed *composed = source->composed;
    struct look before, look;

    if (composed->ramp_examined || composed->ramped || !has_ramps(source) ||
        !look_at(source, &before) || !before.same) {
        return;
    }
    composed->ramp_examined = true;
    if (!NT_SUCCESS(set_ramp(source))) {
        return;
    }
    task_block(machine_now_ns() + LATCH_NS);
    bool seen = look_at(source, &look) && !look.same;
    if (seen && dxgk_adapter_has_hardware(source->adapter)) {
        judge_ramp(source, &look);
    }
    if (!NT_SUCCESS(dxgk_source_update_gamma(source, &none))) {
        return; /* the ramp stays */
    }
    task_block(machine_now_ns() + LATCH_NS);
    if (seen && look_at(source, &look) && dxgk_adapter_has_hardware(source->adapter)) {
        judge_default(source, &look);
    }
}
