/* The children of an adapter, and the monitors at its outputs: who is there, and what their
 * descriptors say. */
#include "dxgk/internal.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define SLIP_NS       (20 * NS_PER_US)
#define BOUNCE_NS     (100 * NS_PER_US)
#define BLOCK_BYTES   128u
#define EXTENSIONS_AT 126u /* in the first block: how many follow */

/* While the driver tells that the monitor came [plug.c]: he has looked by then, and the interrupt
 * of the next change comes before he goes on. */
static void let_slip(const struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    if (child->flickers && child->connected) {
        child->flickers = false;
        pci_set_monitor(adapter->ddi.slot, dxgk_output_of(adapter, child->descriptor.ChildUid),
                        false);
        machine_spend(SLIP_NS);
    }
}

/* An interrupt and its DPC may have run for each change, and what they left to a thread perhaps has
 * not. */
void dxgk_child_bounce(const struct dxgk_adapter *adapter, const struct dxgk_child *child,
                       bool connected)
{
    unsigned output = dxgk_output_of(adapter, child->descriptor.ChildUid);

    if (child->descriptor.ChildCapabilities.HpdAwareness != HpdAwarenessInterruptible ||
        vary_below(VARY_HOT_PLUG, 2) == 0) {
        return;
    }
    task_block(machine_now_ns() + BOUNCE_NS);
    if (pci_set_monitor(adapter->ddi.slot, output, !connected)) {
        task_block(machine_now_ns() + BOUNCE_NS);
        pci_set_monitor(adapter->ddi.slot, output, connected);
    }
}

void dxgk_child_wait_told(const struct dxgk_child *child, bool connected, uint64_t deadline_ns)
{
    while ((!child->told || child->connected != connected) && machine_now_ns() < deadline_ns) {
        task_block(machine_now_ns() + NS_PER_MS);
    }
}

/* Before DxgkDdiQueryChildRelations there are none to speak of. */
static bool knows_children(const struct dxgk_adapter *adapter)
{
    ULONG count = adapter->child_count;

    return adapter->children && count > 0 &&
           adapter->children[count - 1].descriptor.ChildDeviceType != TypeUninitialized;
}

/* Who is told so does nothing, and nobody knows of what the driver meant. */
static void judge_stranger(const struct dxgk_adapter *adapter, UINT uid)
{
    const struct contract_finding advice = {
        .rule = CONTRACT_JUDGES(CHILD_006), .object = adapter->object, .advice = true};
    UINT first = adapter->child_count > 0 ? adapter->children[0].descriptor.ChildUid : 0;

    contract_breach(&advice, "the ChildUid of a child that the driver has",
                    "DxgkCbIndicateChildStatus told of ChildUid 0x%X, which none of its %u "
                    "children has; the first has 0x%X",
                    uid, (unsigned)adapter->child_count, first);
}

NTSTATUS dxgk_indicate_child_status(struct ddi_adapter *ddi, DXGK_CHILD_STATUS *status)
{
    struct dxgk_adapter *adapter = dxgk_adapter_of(ddi);

    for (ULONG i = 0; knows_children(adapter) && i < adapter->child_count; i++) {
        struct dxgk_child *child = &adapter->children[i];
        if (child->descriptor.ChildUid == status->ChildUid) {
            if (status->Type == StatusConnection) {
                child->connected = status->HotPlug.Connected;
                child->told = true;
                dxgk_child_says(child, status);
                let_slip(adapter, child);
            }
            return STATUS_SUCCESS;
        }
    }
    if (knows_children(adapter)) {
        judge_stranger(adapter, status->ChildUid);
    }
    return STATUS_INVALID_PARAMETER;
}

unsigned dxgk_output_of(const struct dxgk_adapter *adapter, UINT target)
{
    unsigned output = 0;

    for (ULONG i = 0; i < adapter->child_count; i++) {
        const DXGK_CHILD_DESCRIPTOR *child = &adapter->children[i].descriptor;
        if (child->ChildUid == target) {
            break;
        }
        output += contract_is_output(child->ChildDeviceType);
    }
    return output;
}

void dxgk_child_says(struct dxgk_child *child, const DXGK_CHILD_STATUS *status)
{
    child->said_connected |= status->HotPlug.Connected;
    child->said_empty |= !status->HotPlug.Connected;
}

bool dxgk_child_is_detected(const struct dxgk_child *child)
{
    return child->descriptor.ChildCapabilities.HpdAwareness != HpdAwarenessInterruptible ||
           child->told || (child->said_connected && child->said_empty);
}

void dxgk_child_judge_answer(const struct dxgk_adapter *adapter, const struct dxgk_child *child,
                             const DXGK_CHILD_STATUS *answer, bool connected)
{
    contract_count(RULE_CHILD_007);
    if ((answer->HotPlug.Connected != 0) != connected) {
        contract_breach(&(struct contract_finding){.rule = CONTRACT_JUDGES(CHILD_007),
                                                   .advice = !dxgk_child_is_detected(child)},
                        "whether something is connected, as it is",
                        "QueryChildStatus told HotPlug.Connected %u of ChildUid 0x%X, whose "
                        "monitor was %s, at output %u of the device",
                        answer->HotPlug.Connected, answer->ChildUid,
                        connected ? "plugged in" : "pulled out",
                        dxgk_output_of(adapter, answer->ChildUid));
    }
}

/* ---- Descriptors ---------------------------------------------------------------------------- */

/* Asks for a portion; the buffer and what lies behind it are filled. Five parameters: which bytes
 * of whose monitor, and where to. */
static NTSTATUS ask_portion(struct dxgk_adapter *adapter, struct dxgk_child *child, ULONG offset,
                            ULONG length, uint8_t *out)
{
    uint8_t *buffer = nt_memory_hand(length, "DescriptorBuffer");
    DXGK_DEVICE_DESCRIPTOR descriptor = {
        .DescriptorOffset = offset, .DescriptorLength = length, .DescriptorBuffer = buffer};

    if (!buffer) {
        return STATUS_NO_MEMORY;
    }
    struct dxgk_attempt attempt = dxgk_first_attempt(false);
    const DXGK_DEVICE_DESCRIPTOR asked = descriptor;
    NTSTATUS status;

    do {
        descriptor = asked;
        memset(buffer, CONTRACT_DESCRIPTOR_FILL, length);
        contract_canary_write(buffer + length);
        status =
            ddi_query_device_descriptor(&adapter->ddi, child->descriptor.ChildUid, &descriptor);
    } while (dxgk_tries_again(status, &attempt));
    if (NT_SUCCESS(status) && out) {
        memcpy(out, buffer, length);
    }
    nt_memory_free(buffer);
    return status;
}

/* As the monitor's own driver does later: selected portions of what the kernel has seen in blocks.
 */
static void ask_again(struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    const ULONG end = child->descriptor_size;
    const struct {
        ULONG offset, length;
    } portions[] = {{8, 10}, {54, 18}, {end - 16, 64}, {end, BLOCK_BYTES}};

    for (size_t i = 0; end && i < sizeof portions / sizeof portions[0]; i++) {
        ask_portion(adapter, child, portions[i].offset, portions[i].length, NULL);
    }
}

void dxgk_child_read_descriptor(struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    child->descriptor_size = 0;
    for (unsigned offset = 0; offset < sizeof child->edid; offset += BLOCK_BYTES) {
        uint8_t *block = child->edid + offset;
        NTSTATUS status = ask_portion(adapter, child, offset, BLOCK_BYTES, block);
        dxgk_child_judge_block(adapter, child, offset, NT_SUCCESS(status) ? block : NULL, status);
        if (!NT_SUCCESS(status)) {
            break;
        }
        child->descriptor_size = offset + BLOCK_BYTES;
        if (child->edid[EXTENSIONS_AT] * BLOCK_BYTES < offset + BLOCK_BYTES) {
            break;
        }
    }
    if ((child->edid[EXTENSIONS_AT] + 1u) * BLOCK_BYTES == child->descriptor_size) {
        ask_again(adapter, child);
    }
}

void dxgk_child_ask_descriptor(struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    const ULONG uid = child->descriptor.ChildUid;

    contract_monitor_pulled_out(adapter->ddi.tracker, uid, true);
    (void)ask_portion(adapter, child, 0, BLOCK_BYTES, NULL);
    contract_monitor_pulled_out(adapter->ddi.tracker, uid, false);
}

/* ---- Container ids --------------------------------------------------------------------------- */

#define MAKER_AT  8u /* in the first block: manufacturer, product, serial number */
#define MAKER_END 16u

/* What of the system's own makes an id of a monitor: who made it, what it is, which one it is. */
static GUID default_container(const struct dxgk_child *child)
{
    uint64_t hash = UINT64_C(0xCBF29CE484222325) ^ child->descriptor.ChildUid;
    GUID id;

    for (unsigned i = MAKER_AT; i < MAKER_END; i++) {
        hash = (hash ^ child->edid[i]) * UINT64_C(0x100000001B3);
    }
    memcpy(&id, &hash, sizeof hash);
    hash = ~hash * UINT64_C(0x9E3779B97F4A7C15);
    memcpy(id.Data4, &hash, sizeof id.Data4);
    return id;
}

/* Twice: a driver that answers has one answer. */
static void ask_container(struct dxgk_adapter *adapter, const struct dxgk_child *child)
{
    DXGK_CHILD_CONTAINER_ID *container =
        ddi_has(&adapter->ddi, POINT_GetChildContainerId)
            ? nt_memory_hand(sizeof *container, "ContainerId of GetChildContainerId")
            : NULL;

    for (unsigned i = 0; container && i < 2; i++) {
        memset(container, 0, sizeof *container);
        container->ContainerId = default_container(child);
        container->EldInfo.PortId = child->descriptor.ChildUid;
        memcpy(&container->EldInfo.ManufacturerName, child->edid + MAKER_AT, 2);
        memcpy(&container->EldInfo.ProductCode, child->edid + MAKER_AT + 2, 2);
        ddi_get_child_container_id(&adapter->ddi, child->descriptor.ChildUid, container);
    }
    nt_memory_free(container);
}

/* ---- Children ------------------------------------------------------------------------------- */

/* Only those are asked for that the driver can answer for; of others nobody tells that nothing is
 * there. */
static bool is_connected(struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    DXGK_CHILD_STATUS status = {.Type = StatusConnection, .ChildUid = child->descriptor.ChildUid};
    DXGK_CHILD_DEVICE_HPD_AWARENESS awareness = child->descriptor.ChildCapabilities.HpdAwareness;

    if (awareness != HpdAwarenessPolled && awareness != HpdAwarenessInterruptible) {
        return true;
    }
    if (!NT_SUCCESS(ddi_query_child_status(&adapter->ddi, &status, true))) {
        return false;
    }
    dxgk_child_says(child, &status);
    return status.HotPlug.Connected;
}

/* The descriptor of a panel that is built in comes of another question, if at all. */
static void look_at_child(struct dxgk_adapter *adapter, struct dxgk_child *child)
{
    child->connected =
        contract_is_output(child->descriptor.ChildDeviceType) && is_connected(adapter, child);
    if (child->connected && child->descriptor.ChildDeviceType == TypeVideoOutput) {
        dxgk_child_read_descriptor(adapter, child);
        ask_container(adapter, child);
    }
}

/* Children come as an array that an entry of zeros ends. */
NTSTATUS dxgk_children_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    if (adapter->child_count == 0) {
        return STATUS_SUCCESS;
    }
    size_t size = ((size_t)adapter->child_count + 1) * sizeof(DXGK_CHILD_DESCRIPTOR);
    DXGK_CHILD_DESCRIPTOR *descriptors = nt_memory_hand(size, "ChildRelations");
    adapter->children = calloc(adapter->child_count, sizeof *adapter->children);
    if (!descriptors || !adapter->children) {
        nt_memory_free(descriptors);
        return STATUS_NO_MEMORY;
    }
    NTSTATUS status = ddi_query_child_relations(&adapter->ddi, descriptors, (ULONG)size);
    if (!NT_SUCCESS(status)) {
        snprintf(failure->text, sizeof failure->text, "DxgkDdiQueryChildRelations failed with %s",
                 status_name(status));
    }
    for (ULONG i = 0; NT_SUCCESS(status) && i < adapter->child_count; i++) {
        adapter->children[i].descriptor = descriptors[i];
    }
    /* From here on the driver may speak of any. */
    for (ULONG i = 0; NT_SUCCESS(status) && i < adapter->child_count; i++) {
        look_at_child(adapter, &adapter->children[i]);
    }
    nt_memory_free(descriptors);
    return status;
}
