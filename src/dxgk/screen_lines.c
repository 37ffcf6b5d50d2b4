/* Looks at the scan lines that the driver tells of a source: do they run, within the picture? */
#include "dxgk/work.h"

#define SAMPLES    16u
#define BLANK_MAX  4u /* times the lines of the picture: no blank is so long */
#define LONG_BLANK 3u /* of so many parts one is longer than any blank */

struct samples {
    unsigned count, in_blank;
    UINT first, highest, highest_in_blank;
    bool moved;
};

NTSTATUS dxgk_source_scan_line(struct dxgk_adapter *adapter, unsigned source, UINT *line,
                               bool *in_vblank)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    /* What is asked for holds something else before. */
    DXGKARG_GETSCANLINE arguments = {.VidPnTargetId = adapter->sources[source].target,
                                     .InVerticalBlank = TRUE,
                                     .ScanLine = UINT32_MAX};
    NTSTATUS status =
        ddi_get_scan_line(&adapter->ddi, adapter->ddi.miniport_context, &arguments, 0);
    *line = arguments.ScanLine;
    *in_vblank = arguments.InVerticalBlank;
    return status;
}

/* A driver that reads the line and the blank one after the other may meet the begin of the blank
 * between the two: of a line beyond the picture it is asked at once again. */
static NTSTATUS ask_line(struct dxgk_source *source, UINT lines, UINT *line, bool *in_blank)
{
    NTSTATUS status = dxgk_source_scan_line(source->adapter, source->index, line, in_blank);

    return NT_SUCCESS(status) && !*in_blank && *line >= lines
               ? dxgk_source_scan_line(source->adapter, source->index, line, in_blank)
               : status;
}

static void sample(struct dxgk_source *source, UINT lines, struct samples *samples)
{
    uint64_t step_ns = dxgk_frame_ns(source) / SAMPLES + 1;

    for (unsigned i = 0; i < SAMPLES; i++) {
        uint64_t until_ns = machine_now_ns() + step_ns;
        bool in_blank;
        UINT line;
        while (machine_now_ns() < until_ns) {
            task_block(until_ns);
        }
        if (!NT_SUCCESS(ask_line(source, lines, &line, &in_blank))) {
            continue;
        }
        samples->first = samples->count++ ? samples->first : line;
        samples->moved |= line != samples->first || in_blank != (samples->in_blank > 0);
        samples->in_blank += in_blank;
        UINT *highest = in_blank ? &samples->highest_in_blank : &samples->highest;
        *highest = line > *highest ? line : *highest;
    }
}

/* The blanks of all timings are short; but how long one may be stands on no page: advice. */
static void judge_long_blank(const struct dxgk_source *source, const struct samples *samples)
{
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(SHOW_003), .advice = true},
                    "InVerticalBlank between two pictures alone, whatever part of the target's "
                    "mode the picture of the source is",
                    "GetScanLine said InVerticalBlank at %u of %u moments of a frame of target %u, "
                    "which has %u lines; source %u has %u",
                    samples->in_blank, samples->count, source->target, source->target_lines,
                    source->index, source->mode.height);
}

void dxgk_screen_exam_lines(struct dxgk_source *source)
{
    struct samples samples = {0};
    /* Lines are counted as those of the surface or, where that is scaled, of the signal. */
    UINT lines =
        source->mode.height > source->target_lines ? source->mode.height : source->target_lines;

    sample(source, lines, &samples);
    if (samples.count < SAMPLES) {
        return;
    }
    contract_count(RULE_SHOW_003);
    const struct contract_finding finding = {.rule = CONTRACT_JUDGES(SHOW_003)};
    if (samples.in_blank == samples.count) {
        contract_breach(&finding, "a picture that is sent, and a vertical blank between two",
                        "GetScanLine said InVerticalBlank at each of %u moments of a frame of "
                        "target %u",
                        samples.count, source->target);
    } else if (samples.highest >= lines) {
        contract_breach(&finding, "a line of the picture outside of the vertical blank",
                        "GetScanLine said line %u without InVerticalBlank, of %u lines of target "
                        "%u",
                        samples.highest, lines, source->target);
    } else if (!samples.moved) {
        contract_breach(&finding, "the line that is sent now",
                        "GetScanLine said line %u at each of %u moments of a frame of target %u",
                        samples.first, samples.count, source->target);
    } else if (samples.highest_in_blank / BLANK_MAX >= lines) {
        const struct contract_finding advice = {.rule = CONTRACT_JUDGES(SHOW_003), .advice = true};
        contract_breach(&advice, "a line of the signal in the vertical blank, too",
                        "GetScanLine said line %u, 0x%X, with InVerticalBlank, of %u lines of "
                        "target %u: as if the blank were a bit of the line, or the line nobody's",
                        samples.highest_in_blank, samples.highest_in_blank, lines, source->target);
    } else if (samples.in_blank * LONG_BLANK > samples.count) {
        judge_long_blank(source, &samples);
    }
}
