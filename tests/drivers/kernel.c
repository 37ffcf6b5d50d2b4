/* kernel.c: kernel functions, callbacks of dxgkrnl, and short ways to call the DDIs. */
#include "kernel.h"

DRIVER_INITIALIZE DriverEntry;

struct kernel kernel;

#define REGISTERS_BASE 0xD0000000ull
#define DEVICE_IRQL    9

static UCHAR registers_token[SOFTGPU_REGISTERS_SIZE]; /* addresses that stand for registers */

/* ---- Kernel functions the driver imports ---- */

PVOID NTAPI ExAllocatePool2(POOL_FLAGS flags, SIZE_T bytes, ULONG tag)
{
    assert_true(kernel.irql <= DISPATCH_LEVEL);
    assert_memory_equal(&tag, "Sgp", 3);
    kernel.pool_count++;
    return calloc(1, bytes);
}

VOID NTAPI ExFreePoolWithTag(PVOID memory, ULONG tag)
{
    assert_true(kernel.irql <= DISPATCH_LEVEL);
    assert_non_null(memory);
    kernel.pool_count--;
    free(memory);
}

PVOID NTAPI MmAllocateContiguousMemory(SIZE_T bytes, PHYSICAL_ADDRESS highest)
{
    kernel.contiguous_count++;
    return kernel_ram(kernel_pages((unsigned)((bytes + 4095) / 4096)));
}

VOID NTAPI MmFreeContiguousMemory(PVOID memory)
{
    assert_non_null(memory);
    kernel.contiguous_count--;
}

PHYSICAL_ADDRESS NTAPI MmGetPhysicalAddress(PVOID memory)
{
    PHYSICAL_ADDRESS result;
    result.QuadPart = (LONGLONG)((UCHAR *)memory - kernel.mock.ram) + (LONGLONG)MOCK_RAM_BASE;
    return result;
}

KIRQL NTAPI KeGetCurrentIrql(VOID)
{
    return kernel.irql;
}

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER frequency)
{
    LARGE_INTEGER result;
    result.QuadPart = (LONGLONG)(kernel.mock.now_ns / 100);
    return result;
}

ULONG NTAPI READ_REGISTER_ULONG(volatile ULONG *address)
{
    return mock_read(&kernel.mock, (uint32_t)((volatile UCHAR *)address - registers_token));
}

VOID NTAPI WRITE_REGISTER_ULONG(volatile ULONG *address, ULONG value)
{
    mock_write(&kernel.mock, (uint32_t)((volatile UCHAR *)address - registers_token), value);
}

VOID NTAPI RtlInitUnicodeString(PUNICODE_STRING string, PCWSTR text)
{
    USHORT length = 0;
    while (text[length])
        length++;
    string->Buffer = (PWSTR)text;
    string->Length = (USHORT)(length * 2);
    string->MaximumLength = (USHORT)(length * 2 + 2);
}

NTSTATUS NTAPI ZwOpenKey(PHANDLE key, ACCESS_MASK access, POBJECT_ATTRIBUTES attributes)
{
    *key = (HANDLE)(ULONG_PTR)4;
    return kernel.settings ? STATUS_SUCCESS : STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI ZwClose(HANDLE key)
{
    return STATUS_SUCCESS;
}

static bool same_name(const UNICODE_STRING *wide, const char *name)
{
    size_t length = strlen(name);
    if (wide->Length != length * 2)
        return false;
    for (size_t i = 0; i < length; i++)
        if (wide->Buffer[i] != (WCHAR)name[i])
            return false;
    return true;
}

NTSTATUS NTAPI ZwQueryValueKey(HANDLE key, PUNICODE_STRING name, KEY_VALUE_INFORMATION_CLASS class,
                               PVOID information, ULONG length, PULONG result)
{
    KEY_VALUE_PARTIAL_INFORMATION *partial = information;
    for (const struct kernel_setting *setting = kernel.settings; setting->name; setting++) {
        if (!same_name(name, setting->name))
            continue;
        partial->Type = REG_DWORD;
        partial->DataLength = sizeof(ULONG);
        memcpy(partial->Data, &setting->value, sizeof(ULONG));
        return STATUS_SUCCESS;
    }
    return STATUS_OBJECT_NAME_NOT_FOUND;
}

NTSTATUS NTAPI DxgkInitialize(PDRIVER_OBJECT driver, PUNICODE_STRING path,
                              PDRIVER_INITIALIZATION_DATA table)
{
    kernel.table = *table;
    return STATUS_SUCCESS;
}

VOID NTAPI RtlAssert(PVOID assertion, PVOID file, ULONG line, PCHAR message)
{
    fail_msg("%s:%u: %s", (char *)file, line, (char *)assertion);
}

/* ---- The driver as a file ---- */

static const char *driver_path;

void kernel_choose_driver(int argc, char **argv)
{
    driver_path = argc > 1 ? argv[1] : NULL;
}

bool kernel_has_sys(void)
{
    return driver_path != NULL;
}

static bool resolve(void *ctx, const char *dll, const char *name, struct loader_binding *out)
{
    static const struct {
        const char *name;
        const void *address;
    } exports[] = {
        {"DxgkInitialize", (const void *)DxgkInitialize},
        {"ExAllocatePool2", (const void *)ExAllocatePool2},
        {"ExFreePoolWithTag", (const void *)ExFreePoolWithTag},
        {"KeGetCurrentIrql", (const void *)KeGetCurrentIrql},
        {"KeQueryPerformanceCounter", (const void *)KeQueryPerformanceCounter},
        {"MmAllocateContiguousMemory", (const void *)MmAllocateContiguousMemory},
        {"MmFreeContiguousMemory", (const void *)MmFreeContiguousMemory},
        {"MmGetPhysicalAddress", (const void *)MmGetPhysicalAddress},
        {"READ_REGISTER_ULONG", (const void *)READ_REGISTER_ULONG},
        {"RtlAssert", (const void *)RtlAssert},
        {"RtlInitUnicodeString", (const void *)RtlInitUnicodeString},
        {"WRITE_REGISTER_ULONG", (const void *)WRITE_REGISTER_ULONG},
        {"ZwClose", (const void *)ZwClose},
        {"ZwOpenKey", (const void *)ZwOpenKey},
        {"ZwQueryValueKey", (const void *)ZwQueryValueKey},
    };
    for (size_t i = 0; i < sizeof(exports) / sizeof(exports[0]); i++) {
        if (strcmp(exports[i].name, name) == 0) {
            *out = (struct loader_binding){.address = (void *)(uintptr_t)exports[i].address};
            return true;
        }
    }
    return loader_resolve_builtin(name, out);
}

static PDRIVER_INITIALIZE load_driver(void)
{
    struct loader_error error;
    if (!driver_path)
        return DriverEntry;
    loader_init(&(struct loader_host){.resolve = resolve});
    if (!loader_load_file(driver_path, &kernel.image, &error))
        fail_msg("%s", error.text);
    for (size_t i = 0; i < kernel.image->import_count; i++)
        if (!kernel.image->imports[i].found)
            fail_msg("import %s is missing", kernel.image->imports[i].name);
    return (PDRIVER_INITIALIZE)(uintptr_t)kernel.image->entry;
}

/* ---- Callbacks ---- */

static NTSTATUS NTAPI cb_get_device_information(HANDLE handle, PDXGK_DEVICE_INFO information)
{
    static union {
        CM_RESOURCE_LIST list;
        UCHAR room[sizeof(CM_RESOURCE_LIST) + 2 * sizeof(CM_PARTIAL_RESOURCE_DESCRIPTOR)];
    } resources;
    CM_PARTIAL_RESOURCE_LIST *partial = &resources.list.List[0].PartialResourceList;
    CM_PARTIAL_RESOURCE_DESCRIPTOR *descriptors = partial->PartialDescriptors;
    memset(&resources, 0, sizeof(resources));
    resources.list.Count = 1;
    partial->Count = 3;
    descriptors[0].Type = CmResourceTypeMemory;
    descriptors[0].u.Memory.Start.QuadPart = (LONGLONG)KERNEL_VRAM_BASE;
    descriptors[0].u.Memory.Length =
        (ULONG)kernel.mock.device->description.bars[SOFTGPU_BAR_VRAM].size;
    descriptors[1].Type = CmResourceTypeInterrupt;
    descriptors[2].Type = CmResourceTypeMemory;
    descriptors[2].u.Memory.Start.QuadPart = (LONGLONG)REGISTERS_BASE;
    descriptors[2].u.Memory.Length = SOFTGPU_REGISTERS_SIZE;
    information->TranslatedResourceList = &resources.list;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_map_memory(HANDLE handle, PHYSICAL_ADDRESS address, ULONG length,
                                    BOOLEAN io, BOOLEAN user, MEMORY_CACHING_TYPE cache,
                                    PVOID *virtual)
{
    kernel.map_count++;
    *virtual = (ULONGLONG)address.QuadPart == REGISTERS_BASE ? (PVOID)registers_token
                                                             : (PVOID)kernel.mock.vram;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_unmap_memory(HANDLE handle, PVOID virtual)
{
    kernel.map_count--;
    return STATUS_SUCCESS;
}

static BOOLEAN NTAPI cb_queue_dpc(HANDLE handle)
{
    kernel.dpc_queued = TRUE;
    return TRUE;
}

static NTSTATUS NTAPI cb_synchronize(HANDLE handle, PKSYNCHRONIZE_ROUTINE routine, PVOID context,
                                     ULONG message, PBOOLEAN result)
{
    KIRQL before = kernel.irql;
    assert_true(before <= DISPATCH_LEVEL);
    kernel.irql = DEVICE_IRQL;
    *result = routine(context);
    kernel.irql = before;
    return STATUS_SUCCESS;
}

static PVOID NTAPI cb_get_handle_data(const DXGKARGCB_GETHANDLEDATA *query)
{
    assert_true(kernel.irql < DISPATCH_LEVEL);
    return query->hObject < kernel.handle_count ? kernel.handles[query->hObject] : NULL;
}

static VOID NTAPI cb_notify_interrupt(const HANDLE handle, DXGKARGCB_NOTIFY_INTERRUPT_DATA *data)
{
    assert_int_equal(kernel.irql, DEVICE_IRQL);
    assert_true(kernel.notice_count < KERNEL_NOTICES_MAX);
    kernel.notices[kernel.notice_count++] = *data;
}

static VOID NTAPI cb_notify_dpc(const HANDLE handle)
{
    assert_true(kernel.in_dpc);
    kernel.dpc_count++;
}

static NTSTATUS NTAPI cb_indicate_child_status(HANDLE handle, PDXGK_CHILD_STATUS status)
{
    return STATUS_SUCCESS;
}

/* ---- A VidPN of one path ---- */

static NTSTATUS NTAPI get_num_paths_from_source(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                                const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                                SIZE_T *count)
{
    *count = source == kernel.path.VidPnSourceId;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI acquire_first_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                         const D3DKMDT_VIDPN_PRESENT_PATH **path)
{
    *path = &kernel.path;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI acquire_next_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                        const D3DKMDT_VIDPN_PRESENT_PATH *const path,
                                        const D3DKMDT_VIDPN_PRESENT_PATH **next)
{
    *next = NULL;
    return STATUS_GRAPHICS_NO_MORE_ELEMENTS_IN_DATASET;
}

static NTSTATUS NTAPI release_path(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                   const D3DKMDT_VIDPN_PRESENT_PATH *const path)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI update_path_support(D3DKMDT_HVIDPNTOPOLOGY const topology,
                                          const D3DKMDT_VIDPN_PRESENT_PATH *path)
{
    kernel.path = *path;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNTOPOLOGY_INTERFACE topology_interface = {
    .pfnGetNumPathsFromSource = get_num_paths_from_source,
    .pfnAcquireFirstPathInfo = acquire_first_path,
    .pfnAcquireNextPathInfo = acquire_next_path,
    .pfnReleasePathInfo = release_path,
    .pfnUpdatePathSupportInfo = update_path_support,
};

static NTSTATUS NTAPI pinned_source(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                    const D3DKMDT_VIDPN_SOURCE_MODE **mode)
{
    *mode = kernel.pinned ? &kernel.source_mode : NULL;
    return kernel.pinned ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS NTAPI release_source_mode(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                          const D3DKMDT_VIDPN_SOURCE_MODE *const mode)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_source_mode(D3DKMDT_HVIDPNSOURCEMODESET const set,
                                         D3DKMDT_VIDPN_SOURCE_MODE **mode)
{
    static D3DKMDT_VIDPN_SOURCE_MODE fresh;
    memset(&fresh, 0, sizeof(fresh));
    *mode = &fresh;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI add_source_mode(D3DKMDT_HVIDPNSOURCEMODESET set,
                                      D3DKMDT_VIDPN_SOURCE_MODE *const mode)
{
    kernel.source_modes_added++;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNSOURCEMODESET_INTERFACE source_interface = {
    .pfnAcquirePinnedModeInfo = pinned_source,
    .pfnReleaseModeInfo = release_source_mode,
    .pfnCreateNewModeInfo = create_source_mode,
    .pfnAddMode = add_source_mode,
};

static NTSTATUS NTAPI pinned_target(D3DKMDT_HVIDPNTARGETMODESET const set,
                                    const D3DKMDT_VIDPN_TARGET_MODE **mode)
{
    *mode = kernel.pinned ? &kernel.target_mode : NULL;
    return kernel.pinned ? STATUS_SUCCESS : STATUS_GRAPHICS_MODE_NOT_PINNED;
}

static NTSTATUS NTAPI release_target_mode(D3DKMDT_HVIDPNTARGETMODESET const set,
                                          const D3DKMDT_VIDPN_TARGET_MODE *const mode)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_target_mode(D3DKMDT_HVIDPNTARGETMODESET const set,
                                         D3DKMDT_VIDPN_TARGET_MODE **mode)
{
    static D3DKMDT_VIDPN_TARGET_MODE fresh;
    memset(&fresh, 0, sizeof(fresh));
    *mode = &fresh;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI add_target_mode(D3DKMDT_HVIDPNTARGETMODESET set,
                                      D3DKMDT_VIDPN_TARGET_MODE *const mode)
{
    kernel.target_modes_added++;
    return STATUS_SUCCESS;
}

static const DXGK_VIDPNTARGETMODESET_INTERFACE target_interface = {
    .pfnAcquirePinnedModeInfo = pinned_target,
    .pfnReleaseModeInfo = release_target_mode,
    .pfnCreateNewModeInfo = create_target_mode,
    .pfnAddMode = add_target_mode,
};

static NTSTATUS NTAPI get_topology(D3DKMDT_HVIDPN const vidpn, D3DKMDT_HVIDPNTOPOLOGY *topology,
                                   const DXGK_VIDPNTOPOLOGY_INTERFACE **interface)
{
    *interface = &topology_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI get_source_set(D3DKMDT_HVIDPN const vidpn,
                                     const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                     D3DKMDT_HVIDPNSOURCEMODESET *set,
                                     const DXGK_VIDPNSOURCEMODESET_INTERFACE **interface)
{
    *set = (D3DKMDT_HVIDPNSOURCEMODESET)(ULONG_PTR)8;
    *interface = &source_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI release_source_set(D3DKMDT_HVIDPN const vidpn,
                                         D3DKMDT_HVIDPNSOURCEMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI assign_source_set(D3DKMDT_HVIDPN vidpn,
                                        const D3DDDI_VIDEO_PRESENT_SOURCE_ID source,
                                        D3DKMDT_HVIDPNSOURCEMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI get_target_set(D3DKMDT_HVIDPN const vidpn,
                                     const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                     D3DKMDT_HVIDPNTARGETMODESET *set,
                                     const DXGK_VIDPNTARGETMODESET_INTERFACE **interface)
{
    *set = (D3DKMDT_HVIDPNTARGETMODESET)(ULONG_PTR)8;
    *interface = &target_interface;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI release_target_set(D3DKMDT_HVIDPN const vidpn,
                                         D3DKMDT_HVIDPNTARGETMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI assign_target_set(D3DKMDT_HVIDPN vidpn,
                                        const D3DDDI_VIDEO_PRESENT_TARGET_ID target,
                                        D3DKMDT_HVIDPNTARGETMODESET const set)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI cb_query_vidpn_interface(D3DKMDT_HVIDPN const vidpn,
                                               const DXGK_VIDPN_INTERFACE_VERSION version,
                                               const DXGK_VIDPN_INTERFACE **interface)
{
    static const DXGK_VIDPN_INTERFACE vidpn_interface = {
        .Version = DXGK_VIDPN_INTERFACE_VERSION_V1,
        .pfnGetTopology = get_topology,
        .pfnAcquireSourceModeSet = get_source_set,
        .pfnReleaseSourceModeSet = release_source_set,
        .pfnCreateNewSourceModeSet = get_source_set,
        .pfnAssignSourceModeSet = assign_source_set,
        .pfnAcquireTargetModeSet = get_target_set,
        .pfnReleaseTargetModeSet = release_target_set,
        .pfnCreateNewTargetModeSet = get_target_set,
        .pfnAssignTargetModeSet = assign_target_set,
    };
    *interface = &vidpn_interface;
    return STATUS_SUCCESS;
}

/* ---- Start and stop ---- */

void kernel_start(const struct kernel_setting *settings, const char *device_options)
{
    static WCHAR path_text[] = L"\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu";
    UNICODE_STRING path;
    DXGK_START_INFO start_info;
    DXGKRNL_INTERFACE interface;
    memset(&kernel, 0, sizeof(kernel));
    mock_init(&kernel.mock, device_options);
    kernel.ram_next = MOCK_RAM_BASE + 0x100000;
    kernel.settings = settings;
    kernel.handle_count = 1; /* zero is no handle */
    RtlInitUnicodeString(&path, path_text);
    assert_int_equal(load_driver()(NULL, &path), STATUS_SUCCESS);

    memset(&start_info, 0, sizeof(start_info));
    memset(&interface, 0, sizeof(interface));
    interface.Size = sizeof(interface);
    interface.DeviceHandle = &kernel;
    interface.DxgkCbGetDeviceInformation = cb_get_device_information;
    interface.DxgkCbMapMemory = cb_map_memory;
    interface.DxgkCbUnmapMemory = cb_unmap_memory;
    interface.DxgkCbQueueDpc = cb_queue_dpc;
    interface.DxgkCbSynchronizeExecution = cb_synchronize;
    interface.DxgkCbGetHandleData = cb_get_handle_data;
    interface.DxgkCbNotifyInterrupt = cb_notify_interrupt;
    interface.DxgkCbNotifyDpc = cb_notify_dpc;
    interface.DxgkCbIndicateChildStatus = cb_indicate_child_status;
    interface.DxgkCbQueryVidPnInterface = cb_query_vidpn_interface;
    assert_int_equal(
        kernel.table.DxgkDdiAddDevice((PDEVICE_OBJECT)(void *)&kernel, &kernel.adapter),
        STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiStartDevice(kernel.adapter, &start_info, &interface,
                                                     &kernel.sources, &kernel.children),
                     STATUS_SUCCESS);
}

void kernel_stop(void)
{
    assert_int_equal(kernel.table.DxgkDdiStopDevice(kernel.adapter), STATUS_SUCCESS);
    assert_int_equal(kernel.contiguous_count, 0);
    assert_int_equal(kernel.map_count, 0);
    assert_int_equal(kernel.table.DxgkDdiRemoveDevice(kernel.adapter), STATUS_SUCCESS);
    kernel.table.DxgkDdiUnload();
    loader_unload(kernel.image);
    assert_int_equal(kernel.pool_count, 0);
    mock_fini(&kernel.mock);
}

/* ---- Time, interrupts ---- */

void kernel_serve(void)
{
    KIRQL before = kernel.irql;
    for (unsigned i = 0; kernel.mock.line[0] && i < 16; i++) {
        kernel.irql = DEVICE_IRQL;
        kernel.table.DxgkDdiInterruptRoutine(kernel.adapter, 0);
        kernel.irql = before;
    }
    if (kernel.dpc_queued && before < DISPATCH_LEVEL) {
        kernel.dpc_queued = FALSE;
        kernel.irql = DISPATCH_LEVEL;
        kernel.in_dpc = TRUE;
        kernel.table.DxgkDdiDpcRoutine(kernel.adapter);
        kernel.in_dpc = FALSE;
        kernel.irql = before;
    }
}

void kernel_run(uint64_t ns)
{
    uint64_t step = ns > 1000000 ? 10000 : 500;
    for (uint64_t done = 0; done < ns; done += step) {
        mock_run(&kernel.mock, step);
        kernel_serve();
    }
}

const DXGKARGCB_NOTIFY_INTERRUPT_DATA *kernel_last(DXGK_INTERRUPT_TYPE type)
{
    for (unsigned i = kernel.notice_count; i > 0; i--)
        if (kernel.notices[i - 1].InterruptType == type)
            return &kernel.notices[i - 1];
    return NULL;
}

static bool is_reported(ULONG node, ULONG fence)
{
    for (unsigned i = 0; i < kernel.notice_count; i++) {
        const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = &kernel.notices[i];
        if (notice->InterruptType == DXGK_INTERRUPT_DMA_COMPLETED &&
            notice->DmaCompleted.NodeOrdinal == node &&
            (LONG)(notice->DmaCompleted.SubmissionFenceId - fence) >= 0)
            return true;
    }
    return false;
}

void kernel_wait_fence(ULONG node, ULONG fence)
{
    for (unsigned i = 0; i < 10000 && !is_reported(node, fence); i++)
        kernel_run(10000);
    assert_true(is_reported(node, fence));
}

/* ---- Memory ---- */

uint64_t kernel_pages(unsigned count)
{
    uint64_t result = kernel.ram_next;
    kernel.ram_next += (uint64_t)count * 4096;
    assert_true(kernel.ram_next <= MOCK_RAM_BASE + MOCK_RAM_SIZE);
    return result;
}

void *kernel_ram(uint64_t physical)
{
    return mock_ram(&kernel.mock, physical);
}

uint8_t *kernel_vram(uint64_t gpu_address)
{
    return kernel.mock.vram + gpu_address;
}

MDL *kernel_mdl(unsigned page_count)
{
    uint64_t first = kernel_pages(page_count * 2);
    MDL *mdl = calloc(1, sizeof(*mdl) + page_count * sizeof(PFN_NUMBER));
    assert_non_null(mdl);
    for (unsigned i = 0; i < page_count; i++) /* every other page, backwards */
        MmGetMdlPfnArray(mdl)[i] = (PFN_NUMBER)((first >> 12) + (page_count - 1 - i) * 2);
    mdl->ByteCount = page_count * 4096;
    return mdl;
}

void *kernel_mdl_page(const MDL *mdl, unsigned index)
{
    return kernel_ram((uint64_t)MmGetMdlPfnArray((MDL *)mdl)[index] << 12);
}

/* ---- Paging ---- */

static void submit_paging(uint64_t physical, ULONG used, void *private_data)
{
    DXGKARG_SUBMITCOMMAND submit;
    memset(&submit, 0, sizeof(submit));
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)physical;
    submit.DmaBufferSize = used;
    submit.DmaBufferSubmissionEndOffset = used;
    submit.pDmaBufferPrivateData = private_data;
    submit.SubmissionFenceId = ++kernel.fence;
    submit.Flags.Paging = 1;
    submit.NodeOrdinal = SOFTGPU_ENGINE_COPY;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_wait_fence(SOFTGPU_ENGINE_COPY, kernel.fence);
}

unsigned kernel_page(const DXGKARG_BUILDPAGINGBUFFER *operation, ULONG buffer_bytes)
{
    DXGKARG_BUILDPAGINGBUFFER paging = *operation;
    uint64_t physical = kernel_pages((buffer_bytes + 4095) / 4096);
    UCHAR private_data[64];
    unsigned buffers = 0;
    NTSTATUS status;
    do {
        UCHAR *buffer = kernel_ram(physical);
        memset(private_data, 0, sizeof(private_data));
        paging.pDmaBuffer = buffer;
        paging.DmaSize = buffer_bytes;
        paging.pDmaBufferPrivateData = private_data;
        paging.DmaBufferPrivateDataSize = sizeof(private_data);
        status = kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &paging);
        assert_true(status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER);
        ULONG used = (ULONG)((UCHAR *)paging.pDmaBuffer - buffer);
        assert_true(used <= buffer_bytes);
        assert_true(used != 0 || status == STATUS_SUCCESS);
        if (used)
            submit_paging(physical, used, private_data);
        buffers++;
    } while (status != STATUS_SUCCESS);
    return buffers;
}

/* ---- Rendering ---- */

void kernel_dma_init(struct kernel_dma *dma, ULONG size, ULONG patch_capacity)
{
    memset(dma, 0, sizeof(*dma));
    dma->physical = kernel_pages((size + 4095) / 4096);
    dma->size = size;
    dma->private_size = sizeof(dma->private_data);
    dma->patch_capacity = patch_capacity;
}

NTSTATUS kernel_render(HANDLE context, struct kernel_dma *dma, const void *commands, ULONG bytes,
                       UINT *multipass)
{
    DXGKARG_RENDER render;
    NTSTATUS status;
    memset(&render, 0, sizeof(render));
    render.pCommand = commands;
    render.CommandLength = bytes;
    render.pDmaBuffer = kernel_ram(dma->physical);
    render.DmaSize = dma->size;
    render.pDmaBufferPrivateData = dma->private_data;
    render.DmaBufferPrivateDataSize = dma->private_size;
    render.pAllocationList = dma->allocations;
    render.AllocationListSize = dma->allocation_count;
    render.pPatchLocationListOut = dma->patches;
    render.PatchLocationListOutSize = dma->patch_capacity;
    render.MultipassOffset = multipass ? *multipass : 0;
    status = kernel.table.DxgkDdiRender(context, &render);
    if (status == STATUS_SUCCESS || status == STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER) {
        dma->used = (ULONG)((UCHAR *)render.pDmaBuffer - (UCHAR *)kernel_ram(dma->physical));
        dma->patch_count = (ULONG)(render.pPatchLocationListOut - dma->patches);
        assert_true(dma->used <= dma->size && dma->patch_count <= dma->patch_capacity);
    }
    if (multipass)
        *multipass = render.MultipassOffset;
    return status;
}

ULONG kernel_submit_range(HANDLE context, struct kernel_dma *dma, ULONG start, ULONG end,
                          ULONG fence)
{
    DXGKARG_SUBMITCOMMAND submit;
    DXGKARG_PATCH patch;
    memset(&patch, 0, sizeof(patch));
    patch.hContext = context;
    patch.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma->physical;
    patch.pDmaBuffer = kernel_ram(dma->physical);
    patch.DmaBufferSize = dma->size;
    patch.DmaBufferSubmissionStartOffset = start;
    patch.DmaBufferSubmissionEndOffset = end;
    patch.pDmaBufferPrivateData = dma->private_data;
    patch.DmaBufferPrivateDataSize = dma->private_size;
    patch.pAllocationList = dma->allocations;
    patch.AllocationListSize = dma->allocation_count;
    patch.pPatchLocationList = dma->patches;
    patch.PatchLocationListSize = dma->patch_count;
    patch.PatchLocationListSubmissionLength = dma->patch_count;
    patch.SubmissionFenceId = fence;
    assert_int_equal(kernel.table.DxgkDdiPatch(kernel.adapter, &patch), STATUS_SUCCESS);

    memset(&submit, 0, sizeof(submit));
    submit.hContext = context;
    submit.DmaBufferPhysicalAddress.QuadPart = (LONGLONG)dma->physical;
    submit.DmaBufferSize = dma->size;
    submit.DmaBufferSubmissionStartOffset = start;
    submit.DmaBufferSubmissionEndOffset = end;
    submit.pDmaBufferPrivateData = dma->private_data;
    submit.DmaBufferPrivateDataSize = dma->private_size;
    submit.DmaBufferPrivateDataSubmissionEndOffset = dma->private_size;
    submit.SubmissionFenceId = fence;
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiSubmitCommand(kernel.adapter, &submit), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    return fence;
}

ULONG kernel_submit(HANDLE context, struct kernel_dma *dma)
{
    return kernel_submit_range(context, dma, 0, dma->used, ++kernel.fence);
}

/* ---- Objects ---- */

HANDLE kernel_create_device(void)
{
    DXGKARG_CREATEDEVICE create;
    memset(&create, 0, sizeof(create));
    create.hDevice = &kernel;
    assert_int_equal(kernel.table.DxgkDdiCreateDevice(kernel.adapter, &create), STATUS_SUCCESS);
    assert_non_null(create.hDevice);
    return create.hDevice;
}

HANDLE kernel_create_context(HANDLE device, ULONG node)
{
    DXGKARG_CREATECONTEXT create;
    memset(&create, 0, sizeof(create));
    create.NodeOrdinal = node;
    create.EngineAffinity = 1;
    assert_int_equal(kernel.table.DxgkDdiCreateContext(device, &create), STATUS_SUCCESS);
    assert_true(create.ContextInfo.DmaBufferSize >= 4096);
    return create.hContext;
}

NTSTATUS kernel_create_allocation(HANDLE device, const struct softgpu_umd_allocation *umd,
                                  uint64_t place, struct kernel_allocation *allocation)
{
    DXGKARG_CREATEALLOCATION create;
    DXGKARG_OPENALLOCATION open;
    DXGK_OPENALLOCATIONINFO open_info;
    NTSTATUS status;
    memset(allocation, 0, sizeof(*allocation));
    allocation->place = place;
    allocation->umd = *umd;
    allocation->info.pPrivateDriverData = &allocation->umd;
    allocation->info.PrivateDriverDataSize = sizeof(allocation->umd);
    memset(&create, 0, sizeof(create));
    create.NumAllocations = 1;
    create.pAllocationInfo = &allocation->info;
    status = kernel.table.DxgkDdiCreateAllocation(kernel.adapter, &create);
    if (status != STATUS_SUCCESS)
        return status;
    allocation->driver = allocation->info.hAllocation;

    memset(&open, 0, sizeof(open));
    memset(&open_info, 0, sizeof(open_info));
    assert_true(kernel.handle_count < KERNEL_HANDLES_MAX);
    kernel.handles[kernel.handle_count] = allocation->driver;
    open_info.hAllocation = kernel.handle_count++;
    open_info.pPrivateDriverData = &allocation->umd;
    open_info.PrivateDriverDataSize = sizeof(allocation->umd);
    open.NumAllocations = 1;
    open.pOpenAllocation = &open_info;
    open.Flags.Create = 1;
    assert_int_equal(kernel.table.DxgkDdiOpenAllocation(device, &open), STATUS_SUCCESS);
    allocation->open = open_info.hDeviceSpecificAllocation;
    return STATUS_SUCCESS;
}

void kernel_destroy_allocation(HANDLE device, struct kernel_allocation *allocation)
{
    DXGKARG_CLOSEALLOCATION close = {.NumAllocations = 1, .pOpenHandleList = &allocation->open};
    DXGKARG_DESTROYALLOCATION destroy = {.NumAllocations = 1,
                                         .pAllocationList = &allocation->driver};
    assert_int_equal(kernel.table.DxgkDdiCloseAllocation(device, &close), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiDestroyAllocation(kernel.adapter, &destroy),
                     STATUS_SUCCESS);
}

ULONG kernel_dma_add(struct kernel_dma *dma, const struct kernel_allocation *allocation,
                     BOOLEAN write, BOOLEAN resident)
{
    DXGK_ALLOCATIONLIST *entry = &dma->allocations[dma->allocation_count];
    entry->hDeviceSpecificAllocation = allocation->open;
    entry->WriteOperation = write;
    entry->SegmentId = resident ? 1 : 0;
    entry->PhysicalAddress.QuadPart = (LONGLONG)allocation->place;
    return dma->allocation_count++;
}
