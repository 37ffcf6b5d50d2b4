/* doorbells.c: doorbells, by which clients submit to hardware queues by themselves, done wrong. */
#include "misbehave.h"

/* ---- The DDIs -------------------------------------------------------------------------------- */

#define HANDLES_MAX 64

/* The kernel's handle does as well as one's own, to who looks it up. */
static struct {
    HANDLE kernels, mine;
} handles[HANDLES_MAX];

static HANDLE mine_of(HANDLE kernels)
{
    ULONG i;

    for (i = 0; i < HANDLES_MAX; i++) {
        if (handles[i].kernels == kernels) {
            return handles[i].mine;
        }
    }
    return kernels;
}

static NTSTATUS NTAPI handle_is_the_kernels(DXGKARG_CREATEDOORBELL *create)
{
    HANDLE kernels = create->hDoorbell;
    NTSTATUS status = misbehave_driver.DxgkDdiCreateDoorbell(create);
    ULONG i;

    for (i = 0; NT_SUCCESS(status) && i < HANDLES_MAX; i++) {
        if (handles[i].kernels == NULL) {
            handles[i].kernels = kernels;
            handles[i].mine = create->hDoorbell;
            create->hDoorbell = kernels;
            break;
        }
    }
    return status;
}

static NTSTATUS NTAPI connect_by_the_kernels(DXGKARG_CONNECTDOORBELL *connect)
{
    HANDLE kernels = connect->hDoorbell;
    NTSTATUS status;

    connect->hDoorbell = mine_of(kernels);
    status = misbehave_driver.DxgkDdiConnectDoorbell(connect);
    connect->hDoorbell = kernels;
    return status;
}

static NTSTATUS NTAPI disconnect_by_the_kernels(DXGKARG_DISCONNECTDOORBELL *disconnect)
{
    DXGKARG_DISCONNECTDOORBELL own = *disconnect;

    own.hDoorbell = mine_of(own.hDoorbell);
    return misbehave_driver.DxgkDdiDisconnectDoorbell(&own);
}

static NTSTATUS NTAPI destroy_by_the_kernels(DXGKARG_DESTROYDOORBELL *destroy)
{
    DXGKARG_DESTROYDOORBELL own = *destroy;
    ULONG i;

    own.hDoorbell = mine_of(own.hDoorbell);
    for (i = 0; i < HANDLES_MAX; i++) {
        if (handles[i].kernels == destroy->hDoorbell) {
            handles[i].kernels = NULL;
        }
    }
    return misbehave_driver.DxgkDdiDestroyDoorbell(&own);
}

static void by_the_kernels(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiConnectDoorbell = connect_by_the_kernels;
    table->DxgkDdiDisconnectDoorbell = disconnect_by_the_kernels;
    table->DxgkDdiDestroyDoorbell = destroy_by_the_kernels;
}

/* "Later." */
static NTSTATUS NTAPI connect_fails(DXGKARG_CONNECTDOORBELL *connect)
{
    return misbehave_once() ? STATUS_DEVICE_BUSY : misbehave_driver.DxgkDdiConnectDoorbell(connect);
}

/* Where the device has it, and not where the driver sees it. */
static NTSTATUS NTAPI doorbell_is_physical(DXGKARG_CONNECTDOORBELL *connect)
{
    NTSTATUS status = misbehave_driver.DxgkDdiConnectDoorbell(connect);

    if (NT_SUCCESS(status) && misbehave_once()) {
        connect->KernelCpuVirtualAddress = (void *)(ULONG_PTR)SOFTGPU_DOORBELL(0);
    }
    return status;
}

/* Zeroed by its author, in another order of values. */
static NTSTATUS NTAPI status_is_retry(DXGKARG_CONNECTDOORBELL *connect)
{
    NTSTATUS status = misbehave_driver.DxgkDdiConnectDoorbell(connect);

    if (NT_SUCCESS(status) && misbehave_once()) {
        connect->Status = D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY;
    }
    return status;
}

static NTSTATUS NTAPI disconnect_fails(DXGKARG_DISCONNECTDOORBELL *disconnect)
{
    (void)misbehave_driver.DxgkDdiDisconnectDoorbell(disconnect);
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI destroy_fails(DXGKARG_DESTROYDOORBELL *destroy)
{
    (void)misbehave_driver.DxgkDdiDestroyDoorbell(destroy);
    return STATUS_UNSUCCESSFUL;
}

static NTSTATUS NTAPI notice_fails(DXGKARG_NOTIFYWORKSUBMISSION *notify)
{
    (void)misbehave_driver.DxgkDdiNotifyWorkSubmission(notify);
    return STATUS_NOT_SUPPORTED;
}

/* ---- What the driver tells ------------------------------------------------------------------- */

/* The doorbell is what it has in mind. */
static NTSTATUS NTAPI taken_from_a_doorbell(DXGKARGCB_DISCONNECTDOORBELL *request)
{
    DXGKARGCB_DISCONNECTDOORBELL spoiled = *request;

    spoiled.hHwQueue = request->hDoorbell;
    (void)misbehave_kernel.DxgkCbDisconnectDoorbell(&spoiled);
    return misbehave_kernel.DxgkCbDisconnectDoorbell(request);
}

static NTSTATUS NTAPI taken_without_reason(DXGKARGCB_DISCONNECTDOORBELL *request)
{
    DXGKARGCB_DISCONNECTDOORBELL spoiled = *request;

    spoiled.DisconnectReason = (D3DDDI_DOORBELLSTATUS)0;
    return misbehave_kernel.DxgkCbDisconnectDoorbell(&spoiled);
}

/* It succeeds for one that is disconnected already. */
static NTSTATUS NTAPI taken_twice(DXGKARGCB_DISCONNECTDOORBELL *request)
{
    (void)misbehave_kernel.DxgkCbDisconnectDoorbell(request);
    return misbehave_kernel.DxgkCbDisconnectDoorbell(request);
}

/* ---- What it can do -------------------------------------------------------------------------- */

static NTSTATUS NTAPI doorbell_has_no_size(const HANDLE adapter,
                                           const DXGKARG_QUERYADAPTERINFO *query)
{
    NTSTATUS status = misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);

    if (NT_SUCCESS(status) && query->Type == DXGKQAITYPE_USERMODESUBMISSION_CAPS) {
        ((DXGK_USERMODESUBMISSION_CAPS *)query->pOutputData)->DoorbellSizeInBytes = 0;
    }
    return status;
}

static NTSTATUS NTAPI doorbells_are_forgotten(const HANDLE adapter,
                                              const DXGKARG_QUERYADAPTERINFO *query)
{
    return query->Type == DXGKQAITYPE_USERMODESUBMISSION_CAPS
               ? STATUS_NOT_SUPPORTED
               : misbehave_driver.DxgkDdiQueryAdapterInfo(adapter, query);
}

static NTSTATUS NTAPI doorbell_alone(DXGKARG_CREATEDOORBELL *create)
{
    return misbehave_driver.DxgkDdiCreateDoorbell(create);
}

static void without_destruction(PDRIVER_INITIALIZATION_DATA table)
{
    table->DxgkDdiDestroyDoorbell = NULL;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE_BESIDE(DOORB_001, IN_DDI(CreateDoorbell), handle_is_the_kernels,
                       SCENE_QUEUES | SCENE_ADVICE, by_the_kernels),
    BREAKS_RULE(DOORB_004, IN_DDI(ConnectDoorbell), connect_fails, SCENE_QUEUES | SCENE_ADVICE),
    BREAKS_RULE(DOORB_002, IN_DDI(ConnectDoorbell), doorbell_is_physical, SCENE_QUEUES),
    BREAKS_RULE(DOORB_003, IN_DDI(ConnectDoorbell), status_is_retry, SCENE_QUEUES),
    BREAKS_RULE(DOORB_005, IN_DDI(DisconnectDoorbell), disconnect_fails, SCENE_QUEUES),
    BREAKS_RULE(DOORB_006, IN_DDI(DestroyDoorbell), destroy_fails, SCENE_QUEUES),
    BREAKS_RULE(DOORB_007, IN_DDI(NotifyWorkSubmission), notice_fails,
                SCENE_SIGNALS | SCENE_MORE_RULES),
    BREAKS_RULE(DOORB_008, IN_CALLBACK(DisconnectDoorbell), taken_from_a_doorbell, SCENE_QUEUES),
    BREAKS_RULE(DOORB_009, IN_CALLBACK(DisconnectDoorbell), taken_without_reason, SCENE_QUEUES),
    BREAKS_NO_RULE(IN_CALLBACK(DisconnectDoorbell), taken_twice, SCENE_QUEUES),
    BREAKS_RULE(DOORB_010, IN_DDI(QueryAdapterInfo), doorbell_has_no_size, SCENE_QUEUES),
    BREAKS_RULE(DOORB_010, IN_DDI(QueryAdapterInfo), doorbells_are_forgotten, SCENE_QUEUES),
    BREAKS_RULE_BESIDE(DOORB_011, IN_DDI(CreateDoorbell), doorbell_alone,
                       SCENE_QUEUES | SCENE_ADVICE, without_destruction),
};

MISBEHAVIOURS(doorbells);
