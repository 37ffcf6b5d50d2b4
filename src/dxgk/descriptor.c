/* Is what a driver hands on of a monitor what that monitor says? Where the device model knows
 * (monitor_says). A driver may well have a descriptor of its own, for a panel without one or to
 * mend one: only what is known to be of another place is a breach; what is missing is advice. */
#include "dxgk/internal.h"

#include <string.h>

#define BLOCK_BYTES   128u
#define EXTENSIONS_AT 126u /* in the first block: how many follow */

static bool is_block(const uint8_t *bytes, const uint8_t *block)
{
    return memcmp(bytes, block, BLOCK_BYTES) == 0;
}

/* The output whose monitor says this in its first block, or -1. */
static int find_speaker(const struct dxgk_adapter *adapter, const uint8_t *bytes)
{
    uint8_t said[BLOCK_BYTES];

    for (ULONG i = 0; i < adapter->child_count; i++) {
        const DXGK_CHILD_DESCRIPTOR *child = &adapter->children[i].descriptor;
        unsigned output = dxgk_output_of(adapter, child->ChildUid);
        if (contract_is_output(child->ChildDeviceType) &&
            pci_monitor_says(adapter->ddi.slot, output, said, sizeof said) >= sizeof said &&
            is_block(bytes, said)) {
            return (int)output;
        }
    }
    return -1;
}

static void judge_first(const struct dxgk_adapter *adapter, struct dxgk_child *child,
                        const uint8_t *bytes, const uint8_t *said)
{
    const UINT uid = child->descriptor.ChildUid;
    int speaker;

    contract_count(RULE_CHILD_004);
    if (is_block(bytes, said)) {
        child->is_read = 1;
    } else if ((speaker = find_speaker(adapter, bytes)) >= 0) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHILD_004),
                                                   .ddi = "DxgkDdiQueryDeviceDescriptor"},
                        "the descriptor of the monitor at this output",
                        "the bytes that QueryDeviceDescriptor tells of ChildUid 0x%X, output %u of "
                        "the device, are those of the monitor at output %d",
                        uid, dxgk_output_of(adapter, uid), speaker);
    }
}

/* said: the monitor's, or NULL: nobody knows. */
static void judge_further(const struct dxgk_child *child, unsigned offset, const uint8_t *bytes,
                          const uint8_t *said)
{
    struct contract_finding finding = {.rule = CONTRACT_JUDGES(CHILD_004),
                                       .ddi = "DxgkDdiQueryDeviceDescriptor"};
    unsigned at = 0;

    contract_count(RULE_CHILD_004);
    if (said && is_block(bytes, said + offset)) {
        return;
    }
    if (is_block(bytes, child->edid)) {
        finding.advice = !said; /* a monitor may say it twice */
        contract_breach(&finding, "the monitor's bytes from DescriptorOffset on",
                        "asked for 128 bytes at offset %u of ChildUid 0x%X the driver gave the "
                        "first block of the descriptor again",
                        offset, child->descriptor.ChildUid);
        return;
    }
    if (!said || !child->is_read) {
        return; /* it may have a descriptor of its own */
    }
    while (bytes[at] == said[offset + at]) {
        at++;
    }
    finding.advice = true;
    contract_breach(&finding, "the monitor's bytes from DescriptorOffset on",
                    "asked for 128 bytes at offset %u of ChildUid 0x%X the driver gave 0x%02X for "
                    "byte %u, which the monitor says is 0x%02X",
                    offset, child->descriptor.ChildUid, bytes[at], offset + at, said[offset + at]);
}

static bool lacked_memory(NTSTATUS status)
{
    return status == STATUS_NO_MEMORY || status == STATUS_INSUFFICIENT_RESOURCES;
}

/* The first block, which the driver gave, says that another follows. */
static void judge_refusal(const struct dxgk_child *child, unsigned offset, NTSTATUS status)
{
    contract_count(RULE_CHILD_004);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHILD_004),
                                               .ddi = "DxgkDdiQueryDeviceDescriptor",
                                               .advice = true},
                    "a descriptor as long as it says",
                    "%s at offset %u of ChildUid 0x%X, by whose byte 126 the descriptor has %u "
                    "bytes: %u blocks follow the first",
                    status_name(status), offset, child->descriptor.ChildUid,
                    (child->edid[EXTENSIONS_AT] + 1u) * BLOCK_BYTES, child->edid[EXTENSIONS_AT]);
}

static bool is_any_read(const struct dxgk_adapter *adapter)
{
    bool read = false;

    for (ULONG i = 0; i < adapter->child_count; i++) {
        read |= adapter->children[i].is_read;
    }
    return read;
}

/* The driver knows how to read one, and says that this monitor has none. */
static void judge_none(const struct dxgk_adapter *adapter, const struct dxgk_child *child,
                       NTSTATUS status)
{
    const UINT uid = child->descriptor.ChildUid;

    if (!is_any_read(adapter)) {
        return;
    }
    contract_count(RULE_CHILD_004);
    contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHILD_004),
                                               .ddi = "DxgkDdiQueryDeviceDescriptor",
                                               .advice = true},
                    "the descriptor of a monitor that has one",
                    "%s of ChildUid 0x%X, whose monitor at output %u has a descriptor; the driver "
                    "handed on that of %s",
                    status_name(status), uid, dxgk_output_of(adapter, uid),
                    child->is_read ? "this output before" : "another output");
}

/* Five parameters: the answer to a question has two sides. */
void dxgk_child_judge_block(const struct dxgk_adapter *adapter, struct dxgk_child *child,
                            unsigned offset, const uint8_t *bytes, NTSTATUS status)
{
    uint8_t said[sizeof child->edid];
    size_t length =
        adapter->presence == DXGK_THERE
            ? pci_monitor_says(adapter->ddi.slot,
                               dxgk_output_of(adapter, child->descriptor.ChildUid), said,
                               sizeof said)
            : 0;
    bool known = length >= offset + BLOCK_BYTES;

    if (!dxgk_adapter_has_hardware(adapter) || (!bytes && lacked_memory(status))) {
        return;
    }
    if (offset > 0 && bytes) {
        judge_further(child, offset, bytes, known ? said : NULL);
    } else if (offset > 0) {
        judge_refusal(child, offset, status);
    } else if (known && bytes) {
        judge_first(adapter, child, bytes, said);
    } else if (known) {
        judge_none(adapter, child, status);
    }
}
