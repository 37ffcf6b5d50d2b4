/* Why an adapter did not start, where that is no fault of its driver: Drydock does not have what it
 * needs. */
#include "dxgk/internal.h"

#include <stdio.h>

static void name_hardware(struct dxgk_adapter *adapter, struct dxgk_failure *failure,
                          const char *what)
{
    failure->ours = true;
    snprintf(failure->text, sizeof failure->text,
             "%s: its hardware is not there, but %s; --device puts another model into the slot",
             what, pci_device_name(dxgk_adapter_slot(adapter)));
}

void dxgk_explain_no_context(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    name_hardware(adapter, failure, "DxgkDdiAddDevice gave no context");
}

/* A driver that wants other hardware has many names for that: the reader knows which it is. */
static void name_slot(struct dxgk_adapter *adapter, struct dxgk_failure *failure, const char *what)
{
    const char *name = pci_device_name(dxgk_adapter_slot(adapter));
    char said[PCI_SAID_MAX];
    uint64_t when_ns;

    if (pci_take_said(adapter->ddi.slot, said, &when_ns)) {
        snprintf(failure->text, sizeof failure->text, "%.95s; the device, %.32s, says: %.80s", what,
                 name, said);
    } else {
        snprintf(failure->text, sizeof failure->text,
                 "%.95s; the device is %.32s (--device puts another model into the slot)", what,
                 name);
    }
}

void dxgk_explain_start(struct dxgk_adapter *adapter, NTSTATUS status, struct dxgk_failure *failure)
{
    char what[96], denied[128];

    snprintf(what, sizeof what, "DxgkDdiStartDevice failed with %s", status_name(status));
    if (status == STATUS_NO_SUCH_DEVICE || status == STATUS_DEVICE_DOES_NOT_EXIST ||
        status == STATUS_DEVICE_NOT_CONNECTED) {
        name_hardware(adapter, failure, what);
        return;
    }
    failure->ours = adapter->missed_firmware_picture;
    if (failure->ours) {
        snprintf(failure->text, sizeof failure->text,
                 "%s after it asked for the framebuffer that the firmware left "
                 "(DxgkCbAcquirePostDisplayOwnership), which this device does not have",
                 what);
    } else if (ddi_failure_denial("DxgkDdiStartDevice", status, denied, sizeof denied)) {
        snprintf(failure->text, sizeof failure->text, "%s; %s", what, denied);
    } else {
        name_slot(adapter, failure, what);
    }
}
