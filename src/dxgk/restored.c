/* What a driver does to a device that sleeps, and what it does not bring back. See restored.h. */
#include "dxgk/restored.h"

#include <stdio.h>
#include <string.h>

#define NAMED_MAX 6 /* the others are counted */
#define TEXT_MAX  640
#define WHERE_MAX 192

/* That a driver waits for the DPC which the kernel queued for it no page says: of_dpc. */
static void tell_touches(struct pci_touches touches, bool of_dpc)
{
    char where[WHERE_MAX] = "where is not known";

    if (touches.count == 0) {
        return;
    }
    if (touches.from) {
        nt_symbol_text(touches.from, where, sizeof where);
    }
    contract_breach(
        &(struct contract_finding){
            .rule = CONTRACT_JUDGES(PNP_030), .ddi = "DxgkDdiSetPowerState", .advice = of_dpc},
        "no access to the device from SetPowerState to D3 until SetPowerState to D0",
        "%llu register accesses while the adapter was in D3, the first %s: %s",
        (unsigned long long)touches.count,
        of_dpc ? "in the DpcRoutine that was queued by then, and ran late"
        : touches.irql > MACHINE_IRQL_DISPATCH
            ? "with the interrupt held back, as by DxgkCbSynchronizeExecution"
        : touches.irql == MACHINE_IRQL_DISPATCH ? "at DISPATCH_LEVEL, as in a DPC or timer"
                                                : "in a thread or work item",
        where);
}

void dxgk_rest_judge(const struct pci_slot *slot)
{
    contract_count(RULE_PNP_030);
    tell_touches(pci_touches(slot), false);
    tell_touches(pci_late_touches(slot), true);
}

/* "BAR 0 + 0x40 was 0x1 and is 0x0", one after the other. */
static unsigned name_them(const struct pci_slot *slot, char text[TEXT_MAX], unsigned *looked_at)
{
    struct pci_setting lost;
    unsigned count = 0;
    size_t length = 0;

    text[0] = '\0';
    *looked_at = 0;
    while (pci_settings_lost(slot, looked_at, &lost)) {
        if (count++ < NAMED_MAX) {
            int more = snprintf(text + length, TEXT_MAX - length,
                                "%sBAR %u + 0x%llX (%u bits) had 0x%llX, and 0x%llX at power-on",
                                count > 1 ? "; " : "", lost.bar, (unsigned long long)lost.offset,
                                8 * lost.size, (unsigned long long)lost.value,
                                (unsigned long long)lost.power_on);
            length = more > 0 && (size_t)more < TEXT_MAX - length ? length + (size_t)more : length;
        }
    }
    return count;
}

const char *dxgk_lost_word(const struct dxgk_adapter *adapter, char text[DXGK_LOST_MAX])
{
    struct pci_setting lost;

    text[0] = '\0';
    if (pci_settings_lost_yet(adapter->ddi.slot, &lost)) {
        snprintf(text, DXGK_LOST_MAX,
                 "; since SetPowerState to D0 nobody wrote BAR %u + 0x%llX (%u bits), where "
                 "StartDevice had set 0x%llX",
                 lost.bar, (unsigned long long)lost.offset, 8 * lost.size,
                 (unsigned long long)lost.value);
    }
    return text;
}

void dxgk_restored_judge(struct dxgk_adapter *adapter)
{
    char text[TEXT_MAX];
    unsigned looked_at;
    unsigned count = name_them(adapter->ddi.slot, text, &looked_at);

    if (looked_at > 0) {
        contract_count(RULE_PNP_031);
    }
    if (count > 0) {
        contract_breach(
            &(struct contract_finding){
                .rule = CONTRACT_JUDGES(PNP_031), .ddi = "DxgkDdiSetPowerState", .advice = true},
            "behind SetPowerState to D0 what StartDevice had set in the device is set again",
            "%u register%s that StartDevice set and nobody wrote again after the device had lost "
            "its power: %s%s",
            count, count > 1 ? "s" : "", text, count > NAMED_MAX ? "; and others" : "");
    }
}
