/* The device's interrupts, and the DPC that the driver has for them. */
#include "ddi/internal.h"

#include "base/check.h"
#include "base/record.h"

#define AT_ONCE_NS 20000 /* so soon a device asks again whose cause was left as it was */

/* What a driver acknowledges here and tells from its DPC is told between two calls. Lines that stay
 * up are counted by themselves. */
static void count_silent(struct ddi_adapter *adapter, bool claimed, uint64_t notices,
                         uint64_t began_ns)
{
    bool silent = claimed && adapter->notices == notices;
    bool behind = began_ns - adapter->served_ns <= AT_ONCE_NS && adapter->notices_served == notices;

    adapter->silent_interrupts += silent;
    if (!silent || pci_resources(adapter->slot)->message_count == 0) {
        adapter->silent_in_a_row = 0;
    } else {
        adapter->silent_in_a_row = (behind ? adapter->silent_in_a_row : 0) + 1;
    }
    adapter->served_ns = began_ns;
    adapter->notices_served = adapter->notices;
}

void ddi_interrupts_go_on(struct ddi_adapter *adapter)
{
    adapter->silent_in_a_row = 0;
}

/* Runs at the line's IRQL with its lock held. */
static bool service(void *context, unsigned message)
{
    struct ddi_adapter *adapter = context;
    struct ddi_call call;

    ddi_enter(&call, adapter, POINT_InterruptRoutine, NULL, 0, 0);
    CHECK_THAT(call.contract.irql >= interrupt_irql(adapter->interrupt));
    bool was_up = interrupt_is_up(adapter->interrupt), gone = pci_is_removed(adapter->slot);
    uint64_t others = mmio_access_count() - mmio_access_count_of_task();
    uint64_t notices = adapter->notices, began_ns = machine_now_ns();
    adapter->serving = true;
    struct contract_service service = {
        .ours = DDI_CALL(adapter, InterruptRoutine, (adapter->miniport_context, message)),
        .claimed_up = interrupt_claimed_up(adapter->interrupt),
        .anothers = interrupt_is_anothers(adapter->interrupt),
        .gone = gone,
    };
    adapter->serving = false;
    others = mmio_access_count() - mmio_access_count_of_task() - others;
    /* What another CPU wrote meanwhile, a mask say, may have taken the line down, and so does who
     * pulls the device out, at the read of this routine maybe. */
    service.dismissed = was_up && !interrupt_is_up(adapter->interrupt) && others == 0 &&
                        !pci_is_silent(adapter->slot);
    count_silent(adapter, service.ours, notices, began_ns);
    service.silent_in_a_row = adapter->silent_in_a_row;
    call.contract.extra = &service;
    adapter->claimed_interrupts += service.ours;
    if (service.ours) {
        dpc_interrupt_claimed();
    }
    ddi_leave(&call, STATUS_SUCCESS);
    return service.ours;
}

static void tell_of_loss(void *context)
{
    ddi_kernel->interrupt_lost(context);
}

/* One at a time [INT-023]. Queued again meanwhile, on another CPU maybe, it runs again when it is
 * through. */
static void run_dpc_routine(struct dpc *dpc)
{
    struct ddi_adapter *adapter = dpc->context;

    adapter->dpc_wanted = true;
    if (adapter->in_dpc) {
        return;
    }
    adapter->in_dpc = true;
    if (adapter->dpc_is_late) {
        pci_is_late(adapter->slot, true);
    }
    while (adapter->dpc_wanted) {
        struct ddi_call call;
        adapter->dpc_wanted = false;
        ddi_enter(&call, adapter, POINT_DpcRoutine, NULL, 0, 0);
        DDI_CALL(adapter, DpcRoutine, (adapter->miniport_context));
        ddi_leave(&call, STATUS_SUCCESS);
    }
    adapter->in_dpc = false;
    if (adapter->dpc_is_late) {
        adapter->dpc_is_late = false;
        pci_is_late(adapter->slot, false);
    }
}

void ddi_dpc_is_late(struct ddi_adapter *adapter)
{
    adapter->dpc_is_late = adapter->in_dpc || adapter->dpc.queued;
    pci_is_late(adapter->slot, adapter->in_dpc);
}

void ddi_dpc_forget(struct ddi_adapter *adapter)
{
    dpc_remove(&adapter->dpc);
}

NTSTATUS ddi_connect_interrupt(struct ddi_adapter *adapter)
{
    const struct pci_resources *resources = pci_resources(adapter->slot);

    CHECK_THAT(!adapter->interrupt && adapter->driver->has[POINT_InterruptRoutine]);
    const struct interrupt_options options = {
        .line = resources->interrupt_line,
        .message_count = resources->message_count,
        .line_count = resources->line_count,
        .irql = resources->interrupt_irql,
        .routine = service,
        .context = adapter,
        .lost = ddi_kernel->interrupt_lost ? tell_of_loss : NULL,
    };
    return interrupt_connect(&options, &adapter->interrupt);
}

void ddi_disconnect_interrupt(struct ddi_adapter *adapter)
{
    if (adapter->interrupt) {
        interrupt_disconnect(adapter->interrupt);
        adapter->interrupt = NULL;
    }
}

void ddi_init_interrupts(struct ddi_adapter *adapter)
{
    dpc_init(&adapter->dpc, run_dpc_routine, adapter);
}

/* Runs the driver's routine at device level, with the state the rules of notices look at. */
struct synchronised {
    struct ddi_adapter *adapter;
    PKSYNCHRONIZE_ROUTINE routine;
    PVOID context;
};

static bool run_synchronised(void *context)
{
    struct synchronised *call = context;

    CHECK_THAT(irql_current() >= interrupt_irql(call->adapter->interrupt));
    contract_synchronised(call->adapter->tracker, true);
    BOOLEAN result = NT_CALL_DRIVER("a synchronized routine", call->routine, (call->context));
    contract_synchronised(call->adapter->tracker, false);
    return result;
}

static NTSTATUS NTAPI cb_synchronize_execution(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine,
                                               PVOID context, ULONG message, PBOOLEAN result)
{
    struct ddi_adapter *adapter = ddi_adapter_called(handle, POINT_CbSynchronizeExecution);
    struct ddi_callback callback;

    if (!adapter || !routine || !result) {
        return STATUS_INVALID_PARAMETER;
    }
    ddi_callback_enter(&callback, adapter, POINT_CbSynchronizeExecution, NULL, message);
    struct contract_message with = {message, pci_resources(adapter->slot)->message_count};
    callback.contract.extra = &with;
    if (!adapter->interrupt) {
        return ddi_callback_leave(&callback, STATUS_UNSUCCESSFUL);
    }
    if (message != 0 && message >= with.count) {
        return ddi_callback_leave(&callback, STATUS_INVALID_PARAMETER);
    }
    struct synchronised call = {adapter, routine, context};
    *result = interrupt_synchronize(adapter->interrupt, run_synchronised, &call);
    return ddi_callback_leave(&callback, STATUS_SUCCESS);
}

void ddi_fill_interrupts(DXGKRNL_INTERFACE *interface)
{
    interface->DxgkCbSynchronizeExecution = cb_synchronize_execution;
}
