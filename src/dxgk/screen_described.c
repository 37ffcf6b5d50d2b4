/* Is the surface of a source that is shown for the first time described as it was made? A part of
 * screen_exam.c. */
#include "dxgk/work.h"

#define PRIMARY_MILLIHERTZ 60000u /* RefreshRate of primaries in standard.c */

static bool is_32_bit(D3DDDIFORMAT format)
{
    return format == D3DDDIFMT_A8R8G8B8 || format == D3DDDIFMT_X8R8G8B8;
}

/* Told with the primary's data; a driver may leave it out, or say the rate of the mode. */
static bool is_right_rate(const struct dxgk_source *source, D3DDDI_RATIONAL rate)
{
    uint64_t millihertz = rate.Denominator ? (uint64_t)rate.Numerator * 1000 / rate.Denominator : 0;
    uint64_t mode = source->mode.refresh_millihertz;

    return !source->shown->standard || !rate.Numerator || !rate.Denominator ||
           rate.Numerator == D3DKMDT_FREQUENCY_NOTSPECIFIED ||
           rate.Denominator == D3DKMDT_FREQUENCY_NOTSPECIFIED ||
           (millihertz + 1000 >= PRIMARY_MILLIHERTZ && millihertz <= PRIMARY_MILLIHERTZ + 1000) ||
           (millihertz + 1000 >= mode && millihertz <= mode + 1000);
}

void dxgk_screen_exam_described(const struct dxgk_source *source)
{
    struct dxgk_adapter *adapter = source->adapter;
    const struct dxgk_allocation *allocation = source->shown;
    DXGKARG_DESCRIBEALLOCATION answer = {.hAllocation = allocation->driver_handle};
    char said[CONTRACT_FORMAT_MAX], made[CONTRACT_FORMAT_MAX];

    if (!NT_SUCCESS(ddi_describe_allocation(&adapter->ddi, adapter->ddi.miniport_context, &answer,
                                            allocation->object))) {
        return; /* a row of its own */
    }
    bool format = answer.Format == source->mode.format ||
                  (is_32_bit(answer.Format) && is_32_bit(source->mode.format));
    contract_count(RULE_ALLOC_024);
    if (answer.Width != source->mode.width || answer.Height != source->mode.height || !format) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(ALLOC_024),
                                                   .object = allocation->object},
                        "a primary described as it was made",
                        "DescribeAllocation said %u x %u in %s of a primary of %u x %u in %s",
                        answer.Width, answer.Height, contract_format_text(answer.Format, said),
                        source->mode.width, source->mode.height,
                        contract_format_text(source->mode.format, made));
    } else if (!is_right_rate(source, answer.RefreshRate)) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(ALLOC_024),
                                                   .object = allocation->object},
                        "a primary described as it was made",
                        "DescribeAllocation said RefreshRate %u/%u of a primary that was made with "
                        "%u/1",
                        answer.RefreshRate.Numerator, answer.RefreshRate.Denominator,
                        PRIMARY_MILLIHERTZ / 1000);
    }
}
