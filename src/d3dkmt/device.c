/* Devices and contexts. */
#include "d3dkmt/internal.h"

static NTSTATUS create_device(struct client_call *call, D3DKMT_CREATEDEVICE *arguments)
{
    struct dxgk_adapter *adapter = adapter_of(call, arguments->hAdapter);
    struct dxgk_device *device;

    if (!adapter) {
        return NO_SUCH_OBJECT;
    }
    if (arguments->Flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    /* That it has no more memory than fits (LegacyMode) a client cannot rely on. */
    if (arguments->Flags.RequestVSync || arguments->Flags.DisableGpuTimeout ||
        arguments->Flags.TestDevice) {
        return STATUS_NOT_SUPPORTED;
    }
    NTSTATUS status = dxgk_device_create(adapter, call->process, &device);
    if (NT_SUCCESS(status)) {
        arguments->hDevice = dxgk_device_handle(device);
        /* Commands are written into a context's memory; a device has none. */
        arguments->pCommandBuffer = NULL;
        arguments->CommandBufferSize = 0;
        arguments->pAllocationList = NULL;
        arguments->AllocationListSize = 0;
        arguments->pPatchLocationList = NULL;
        arguments->PatchLocationListSize = 0;
    }
    return status;
}
CLIENT_CALL(CreateDevice, create_device, D3DKMT_CREATEDEVICE)

static NTSTATUS destroy_device(struct client_call *call, const D3DKMT_DESTROYDEVICE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);

    return device ? dxgk_device_destroy(device) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyDevice, destroy_device, D3DKMT_DESTROYDEVICE)

/* Of the whole device, whose limit it is. */
static NTSTATUS present_queue_state(struct dxgk_device *device,
                                    D3DKMT_DEVICEPRESENT_QUEUE_STATE *state)
{
    struct dxgk_adapter_info info;

    dxgk_adapter_info(dxgk_device_adapter(device), &info);
    if (state->VidPnSourceId >= info.source_count) {
        return STATUS_INVALID_PARAMETER;
    }
    state->bQueuedPresentLimitReached = dxgk_device_presents_wait(device);
    return STATUS_SUCCESS;
}

static NTSTATUS device_state(struct client_call *call, D3DKMT_GETDEVICESTATE *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    switch (arguments->StateType) {
    case D3DKMT_DEVICESTATE_EXECUTION:
        arguments->ExecutionState = dxgk_device_state(device);
        return STATUS_SUCCESS;
    case D3DKMT_DEVICESTATE_RESET:
        arguments->ResetState = (D3DKMT_DEVICERESET_STATE){0};
        return STATUS_SUCCESS;
    case D3DKMT_DEVICESTATE_PAGE_FAULT:
        dxgk_device_page_fault(device, &arguments->PageFaultState);
        return STATUS_SUCCESS;
    case D3DKMT_DEVICESTATE_PRESENT_QUEUE:
        return present_queue_state(device, &arguments->PresentQueueState);
    default:
        return STATUS_NOT_SUPPORTED;
    }
}
CLIENT_CALL(GetDeviceState, device_state, D3DKMT_GETDEVICESTATE)

static NTSTATUS mark_error(struct client_call *call, const D3DKMT_MARKDEVICEASERROR *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    return arguments->Reason == D3DKMT_DEVICE_ERROR_REASON_GENERIC ||
                   arguments->Reason == D3DKMT_DEVICE_ERROR_REASON_DRIVER_ERROR
               ? dxgk_device_mark_error(device)
               : STATUS_INVALID_PARAMETER;
}
CLIENT_ENTRY(D3DKMTMarkDeviceAsError, MarkDeviceAsError, mark_error, D3DKMT_MARKDEVICEASERROR,
             D3DKMT_MARKDEVICEASERROR, false)

/* The other kinds of limit that the page tells of have no value in the enumeration. */
static NTSTATUS limit_queued(struct client_call *call, D3DKMT_SETQUEUEDLIMIT *arguments)
{
    struct dxgk_device *device = device_of(call, arguments->hDevice);

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    if (dxgk_device_state(device) != D3DKMT_DEVICEEXECUTION_ACTIVE) {
        return STATUS_DEVICE_REMOVED;
    }
    switch (arguments->Type) {
    case D3DKMT_SET_QUEUEDLIMIT_PRESENT:
        dxgk_device_limit_presents(device, arguments->QueuedPresentLimit);
        return STATUS_SUCCESS;
    case D3DKMT_GET_QUEUEDLIMIT_PRESENT:
        arguments->QueuedPresentLimit = dxgk_device_present_limit(device);
        return STATUS_SUCCESS;
    default:
        return STATUS_INVALID_PARAMETER;
    }
}
CLIENT_CALL_FILLING(SetQueuedLimit, limit_queued, D3DKMT_SETQUEUEDLIMIT)

/* ---- Contexts ------------------------------------------------------------------------------ */

/* Who makes a context, and the client's data for it, of request->private_size bytes. */
struct context_source {
    D3DKMT_HANDLE device;
    const void CLIENT *data;
    D3DDDI_CREATECONTEXTFLAGS flags;
};

/* What would change how its work runs, or is watched, is refused where it is not done. */
static NTSTATUS check_flags(D3DDDI_CREATECONTEXTFLAGS flags)
{
    D3DDDI_CREATECONTEXTFLAGS done = {.Value = 0};

    done.NullRendering = 1;
    if (flags.Reserved) {
        return STATUS_INVALID_PARAMETER;
    }
    return flags.Value & ~done.Value ? STATUS_NOT_SUPPORTED : STATUS_SUCCESS;
}

/* Captures the data, and makes it. */
static NTSTATUS make_context(struct client_call *call, struct dxgk_context_request *request,
                             const struct context_source *source, struct dxgk_context **context)
{
    struct dxgk_device *device = device_of(call, source->device);
    void *private_data;

    if (!device) {
        return NO_SUCH_OBJECT;
    }
    NTSTATUS status = check_flags(source->flags);
    if (NT_SUCCESS(status)) {
        status = client_capture_private(call, source->data, request->private_size, &private_data);
    }
    if (!NT_SUCCESS(status)) {
        return status;
    }
    request->null_rendering = source->flags.NullRendering;
    request->private_data = private_data;
    return dxgk_context_create(device, request, context);
}

static NTSTATUS create_context(struct client_call *call, D3DKMT_CREATECONTEXT *arguments)
{
    const struct context_source source = {arguments->hDevice, arguments->pPrivateDriverData,
                                          arguments->Flags};
    struct dxgk_context_request request = {
        .node = arguments->NodeOrdinal,
        .engine_affinity = arguments->EngineAffinity,
        .private_size = arguments->PrivateDriverDataSize,
    };
    struct dxgk_context *context;
    struct dxgk_command_space space;
    NTSTATUS status = make_context(call, &request, &source, &context);

    if (!NT_SUCCESS(status)) {
        return status;
    }
    dxgk_context_command_space(context, &space);
    arguments->hContext = dxgk_context_handle(context);
    arguments->pCommandBuffer = space.commands;
    arguments->CommandBufferSize = space.command_bytes;
    arguments->pAllocationList = space.allocations;
    arguments->AllocationListSize = space.allocation_count;
    arguments->pPatchLocationList = space.patches;
    arguments->PatchLocationListSize = space.patch_count;
    arguments->CommandBuffer = 0;
    return STATUS_SUCCESS;
}
CLIENT_CALL(CreateContext, create_context, D3DKMT_CREATECONTEXT)

static NTSTATUS create_virtual(struct client_call *call, D3DKMT_CREATECONTEXTVIRTUAL *arguments)
{
    const struct context_source source = {arguments->hDevice, arguments->pPrivateDriverData,
                                          arguments->Flags};
    struct dxgk_context_request request = {
        .node = arguments->NodeOrdinal,
        .engine_affinity = arguments->EngineAffinity,
        .private_size = arguments->PrivateDriverDataSize,
        .virtual_addresses = true,
    };
    struct dxgk_context *context;
    NTSTATUS status = make_context(call, &request, &source, &context);

    if (NT_SUCCESS(status)) {
        arguments->hContext = dxgk_context_handle(context);
    }
    return status;
}
CLIENT_CALL(CreateContextVirtual, create_virtual, D3DKMT_CREATECONTEXTVIRTUAL)

static NTSTATUS destroy_context(struct client_call *call, const D3DKMT_DESTROYCONTEXT *arguments)
{
    struct dxgk_context *context = exact_context_of(call, arguments->hContext);

    return context ? dxgk_context_destroy(context) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(DestroyContext, destroy_context, D3DKMT_DESTROYCONTEXT)

/* A hardware context has priorities as well. */
static struct dxgk_context *ordered_of(struct client_call *call, D3DKMT_HANDLE handle)
{
    struct dxgk_context *context = exact_context_of(call, handle);

    return context ? context : client_object(call, handle, DXGK_KIND_HW_CONTEXT, call->process);
}

static NTSTATUS set_priority(struct client_call *call,
                             const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY *arguments)
{
    struct dxgk_context *context = ordered_of(call, arguments->hContext);

    return context ? dxgk_context_set_priority(context, arguments->Priority) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(SetContextSchedulingPriority, set_priority, D3DKMT_SETCONTEXTSCHEDULINGPRIORITY)

static NTSTATUS get_priority(struct client_call *call,
                             D3DKMT_GETCONTEXTSCHEDULINGPRIORITY *arguments)
{
    struct dxgk_context *context = ordered_of(call, arguments->hContext);

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    arguments->Priority = dxgk_context_priority(context);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetContextSchedulingPriority, get_priority, D3DKMT_GETCONTEXTSCHEDULINGPRIORITY)

static NTSTATUS set_in_process(struct client_call *call,
                               const D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY *arguments)
{
    struct dxgk_context *context = ordered_of(call, arguments->hContext);

    return context ? dxgk_context_set_in_process(context, arguments->Priority) : NO_SUCH_OBJECT;
}
CLIENT_CALL_IN(SetContextInProcessSchedulingPriority, set_in_process,
               D3DKMT_SETCONTEXTINPROCESSSCHEDULINGPRIORITY)

static NTSTATUS get_in_process(struct client_call *call,
                               D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY *arguments)
{
    struct dxgk_context *context = ordered_of(call, arguments->hContext);

    if (!context) {
        return NO_SUCH_OBJECT;
    }
    arguments->Priority = dxgk_context_in_process(context);
    return STATUS_SUCCESS;
}
CLIENT_CALL(GetContextInProcessSchedulingPriority, get_in_process,
            D3DKMT_GETCONTEXTINPROCESSSCHEDULINGPRIORITY)

/* ---- Priorities of processes --------------------------------------------------------------- */

/* The arguments of both functions, which have no structure of their own. */
struct class_arguments {
    HANDLE process;
    D3DKMT_SCHEDULINGPRIORITYCLASS class;
    D3DKMT_SCHEDULINGPRIORITYCLASS CLIENT *answer;
};

static NTSTATUS set_class(struct client_call *call, const struct class_arguments *arguments)
{
    return client_names_caller(arguments->process)
               ? dxgk_process_set_class(call->process, arguments->class)
               : STATUS_INVALID_PARAMETER;
}

static NTSTATUS get_class(struct client_call *call, const struct class_arguments *arguments)
{
    D3DKMT_SCHEDULINGPRIORITYCLASS class = dxgk_process_class(call->process);

    return client_names_caller(arguments->process) && arguments->answer
               ? client_write(arguments->answer, &class, sizeof class)
               : STATUS_INVALID_PARAMETER;
}

static NTSTATUS call_class(enum d3dkmt_call number, struct class_arguments *given,
                           NTSTATUS (*function)(struct client_call *,
                                                const struct class_arguments *))
{
    struct client_call call = {.number = number};
    struct class_arguments copy;
    const struct client_arguments where = {
        .theirs = given, .ours = &copy, .size = sizeof copy, .answered = false};
    NTSTATUS status = client_enter(&call, &where);

    if (NT_SUCCESS(status)) {
        status = function(&call, &copy);
    }
    return client_leave(&call, &where, status);
}

NTSTATUS APIENTRY D3DKMTSetProcessSchedulingPriorityClass(HANDLE process,
                                                          D3DKMT_SCHEDULINGPRIORITYCLASS class)
{
    struct class_arguments given = {.process = process, .class = class};

    return call_class(D3DKMT_CALL_SetProcessSchedulingPriorityClass, &given, set_class);
}

NTSTATUS APIENTRY D3DKMTGetProcessSchedulingPriorityClass(HANDLE process,
                                                          D3DKMT_SCHEDULINGPRIORITYCLASS *answer)
{
    struct class_arguments given = {.process = process, .answer = answer};

    return call_class(D3DKMT_CALL_GetProcessSchedulingPriorityClass, &given, get_class);
}
