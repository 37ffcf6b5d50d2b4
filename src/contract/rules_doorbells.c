/* The driver's duties: doorbells, by which clients submit to hardware queues by themselves. That
 * several queues have one is allowed. */
#include "contract/doorbells.h"
#include "contract/internal.h"

#include "machine/machine.h"

static bool doorbell_is_its_own(struct contract_call *call)
{
    const DXGKARG_CREATEDOORBELL *given = call->before, *answered = call->arguments;

    return (answered->hDoorbell && answered->hDoorbell != given->hDoorbell) ||
           contract_say(call, "the driver's own handle in hDoorbell", "hDoorbell is %s",
                        answered->hDoorbell ? "still the kernel's handle" : "NULL");
}

/* ---- Connecting ------------------------------------------------------------------------------ */

static const DXGKARG_CONNECTDOORBELL *answer_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool leads_to_a_doorbell(struct contract_call *call)
{
    const void *first = answer_of(call)->KernelCpuVirtualAddress;
    const void *second = answer_of(call)->SecondaryKernelCpuVirtualAddress;

    if (io_reaches(first, 1) == 0) {
        return contract_say(call,
                            "in KernelCpuVirtualAddress where the driver has mapped the doorbell: "
                            "a mapping of the device's, or memory",
                            "%p, where nothing is mapped", first);
    }
    return !answer_of(call)->Flags.RequireSecondaryAddress || io_reaches(second, 1) > 0 ||
           contract_say(call,
                        "in SecondaryKernelCpuVirtualAddress where the driver has mapped the "
                        "second doorbell, for RequireSecondaryAddress is set",
                        "%p, where nothing is mapped", second);
}

static bool says_that_it_is_connected(struct contract_call *call)
{
    return answer_of(call)->Status == D3DDDI_DOORBELLSTATUS_CONNECTED ||
           answer_of(call)->Status == D3DDDI_DOORBELLSTATUS_CONNECTED_NOTIFY_KMD ||
           contract_say(call,
                        "in Status D3DDDI_DOORBELLSTATUS_CONNECTED or _CONNECTED_NOTIFY_KMD of a "
                        "doorbell that was connected",
                        "%u", (unsigned)answer_of(call)->Status);
}

/* ---- What the driver tells ------------------------------------------------------------------- */

static const DXGKARGCB_DISCONNECTDOORBELL *request_of(const struct contract_call *call)
{
    return call->arguments;
}

/* It may be on its way to its end while the driver calls. */
static bool queue_has_a_doorbell(struct contract_call *call)
{
    HANDLE queue = request_of(call)->hHwQueue;

    return contract_doorbell_of(call->tracker, queue) != NULL ||
           contract_say(
               call, "in hHwQueue a hardware queue that has a doorbell", "%p, which %s", queue,
               contract_hw_queue_named(call->tracker, queue) ? "is one that has none"
                                                             : "is no hardware queue that lives");
}

static bool reason_is_one(struct contract_call *call)
{
    D3DDDI_DOORBELLSTATUS reason = request_of(call)->DisconnectReason;

    return reason == D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY ||
           reason == D3DDDI_DOORBELLSTATUS_DISCONNECTED_ABORT ||
           contract_say(call,
                        "in DisconnectReason D3DDDI_DOORBELLSTATUS_DISCONNECTED_RETRY or "
                        "_DISCONNECTED_ABORT: clients read there whether they are connected",
                        "%u", (unsigned)reason);
}

/* ---- What it can do -------------------------------------------------------------------------- */

static bool sets_the_flag(const struct contract_call *call)
{
    const DXGKARG_GETNODEMETADATA *metadata = call->arguments;

    return has_succeeded(call) && metadata->Flags.ContextSchedulingSupported &&
           metadata->Flags.UserModeSubmission;
}

static bool has_their_ddis(struct contract_call *call)
{
    static const enum contract_point all[] = {POINT_CreateDoorbell, POINT_ConnectDoorbell,
                                              POINT_DisconnectDoorbell, POINT_DestroyDoorbell,
                                              POINT_NotifyWorkSubmission};

    for (unsigned i = 0; i < sizeof all / sizeof all[0]; i++) {
        if (!call->tracker->has[all[i]]) {
            return contract_say(call, "the DDIs of doorbells of a driver with UserModeSubmission",
                                "%s is not registered", contract_point_info(all[i])->name);
        }
    }
    return true;
}

static bool asks_for_sizes(const struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->before;

    return asked->Type == DXGKQAITYPE_USERMODESUBMISSION_CAPS && call->tracker->user_submission &&
           asked->OutputDataSize >= sizeof(DXGK_USERMODESUBMISSION_CAPS);
}

static bool sizes_are_told(struct contract_call *call)
{
    const DXGKARG_QUERYADAPTERINFO *asked = call->arguments;
    const DXGK_USERMODESUBMISSION_CAPS *caps = asked->pOutputData;

    if (!has_succeeded(call)) {
        return contract_say(call,
                            "DXGK_USERMODESUBMISSION_CAPS of a driver that set UserModeSubmission "
                            "for a node",
                            "%s", status_name(call->status));
    }
    if (caps->DoorbellSizeInBytes == 0 ||
        caps->DoorbellSizeInBytes > DXGK_MAX_DOORBELL_SIZE_BYTES) {
        return contract_say(call, "a DoorbellSizeInBytes of 1 to DXGK_MAX_DOORBELL_SIZE_BYTES",
                            "%u", caps->DoorbellSizeInBytes);
    }
    return !caps->Flags.SecondaryDoorbellSupported ||
           (caps->SecondaryDoorbellSizeInBytes > 0 &&
            caps->SecondaryDoorbellSizeInBytes <= DXGK_MAX_DOORBELL_SIZE_BYTES) ||
           contract_say(call,
                        "a SecondaryDoorbellSizeInBytes of 1 to DXGK_MAX_DOORBELL_SIZE_BYTES, for "
                        "SecondaryDoorbellSupported is set",
                        "%u", caps->SecondaryDoorbellSizeInBytes);
}

static const struct contract_row rows[] = {
    AFTER(DOORB_001, CreateDoorbell, doorbell_is_its_own, WHEN(has_succeeded), ADVISES),
    AFTER(DOORB_002, ConnectDoorbell, leads_to_a_doorbell, WHEN(has_succeeded),
          LEAVES_OUT("that all of a doorbell's size is mapped, and that it is one")),
    AFTER(DOORB_003, ConnectDoorbell, says_that_it_is_connected, WHEN(has_succeeded)),
    AFTER(DOORB_004, ConnectDoorbell, SUCCEEDS, WHEN(has_device), ADVISES),
    AFTER(DOORB_005, DisconnectDoorbell, STATUS_IN(STATUS_SUCCESS), WHEN(has_device)),
    AFTER(DOORB_006, DestroyDoorbell, STATUS_IN(STATUS_SUCCESS), WHEN(has_device)),
    AFTER(DOORB_007, NotifyWorkSubmission, STATUS_IN(STATUS_SUCCESS), WHEN(has_device)),
    BEFORE(DOORB_008, CbDisconnectDoorbell, queue_has_a_doorbell),
    BEFORE(DOORB_009, CbDisconnectDoorbell, reason_is_one),
    AFTER(DOORB_010, QueryAdapterInfo, sizes_are_told, WHEN(asks_for_sizes)),
    AFTER(DOORB_011, GetNodeMetadata, has_their_ddis, WHEN(sets_the_flag), FEATURE(user_submission),
          ADVISES),
};

const struct contract_family contract_family_doorbells = FAMILY_OF(rows);
