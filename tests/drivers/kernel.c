/* kernel.c: callbacks of dxgkrnl, start and stop, time and memory. */
#include "kernel_parts.h"

struct kernel kernel;

#define REGISTERS_BASE 0xD0000000ull
#define DEVICE_IRQL    9

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
    descriptors[0].u.Memory.Length = (ULONG)kernel.mock.description.bars[SOFTGPU_BAR_VRAM].size;
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
    *virtual = (ULONGLONG)address.QuadPart == REGISTERS_BASE ? (PVOID)kernel_registers
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
    assert_int_equal(kernel_load_driver()(NULL, &path), STATUS_SUCCESS);

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
    interface.DxgkCbQueryVidPnInterface = kernel_query_vidpn_interface;
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
