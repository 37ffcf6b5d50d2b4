/* kernel_virtual.c: page tables and work by virtual address, as dxgkrnl has them for a client. */
#include "kernel_virtual.h"

struct space space;

/* ---- Questions ---- */

static void query(DXGK_QUERYADAPTERINFOTYPE type, void *in, UINT in_bytes, void *out,
                  UINT out_bytes)
{
    DXGKARG_QUERYADAPTERINFO query;
    memset(&query, 0, sizeof(query));
    memset(out, 0, out_bytes);
    query.Type = type;
    query.pInputData = in;
    query.InputDataSize = in_bytes;
    query.pOutputData = out;
    query.OutputDataSize = out_bytes;
    assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query), STATUS_SUCCESS);
}

void space_ask(void)
{
    DXGK_QUERYGPUMMUCAPSIN caps_in = {0};
    memset(&space, 0, sizeof(space));
    query(DXGKQAITYPE_GPUMMUCAPS, &caps_in, sizeof(caps_in), &space.caps, sizeof(space.caps));
    for (WORD i = 0; i < space.caps.PageTableLevelCount; i++) {
        DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = i};
        query(DXGKQAITYPE_PAGETABLELEVELDESC, &in, sizeof(in), &space.levels[i],
              sizeof(space.levels[i]));
    }
    DXGK_SEGMENTDESCRIPTOR4 descriptors[8];
    DXGK_QUERYSEGMENTOUT4 segments;
    memset(&segments, 0, sizeof(segments));
    memset(descriptors, 0, sizeof(descriptors));
    DXGKARG_QUERYADAPTERINFO again = {.Type = DXGKQAITYPE_QUERYSEGMENT4,
                                      .pOutputData = &segments,
                                      .OutputDataSize = sizeof(segments)};
    segments.pSegmentDescriptor = (BYTE *)descriptors;
    segments.SegmentDescriptorStride = sizeof(descriptors[0]);
    assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &again), STATUS_SUCCESS);
    space.segment_base = (ULONGLONG)descriptors[0].BaseAddress.QuadPart;
}

static ULONG shift_of(ULONG level)
{
    ULONG shift = 12;
    for (ULONG i = 0; i < level; i++)
        shift += space.levels[i].PageTableIndexBitCount;
    return shift;
}

/* ---- Tables ---- */

void *space_cpu_address(D3DGPU_PHYSICAL_ADDRESS address)
{
    return address.SegmentId == 0 ? kernel_ram(address.SegmentOffset)
                                  : kernel_vram(space.segment_base + address.SegmentOffset);
}

static void build(DXGKARG_BUILDPAGINGBUFFER *paging)
{
    if (paging->UpdatePageTable.UpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL &&
        paging->Operation == DXGK_OPERATION_UPDATE_PAGE_TABLE)
        assert_int_equal(kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, paging),
                         STATUS_SUCCESS);
    else
        kernel_page(paging, 4096);
}

static void update(ULONG level, D3DGPU_PHYSICAL_ADDRESS table,
                   DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE *operation)
{
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE};
    operation->PageTableLevel = level;
    operation->hProcess = space.process;
    operation->UpdateMode = space.mode;
    if (space.mode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL)
        operation->PageTableAddress.CpuVirtual = space_cpu_address(table);
    else
        operation->PageTableAddress.GpuPhysical = table;
    paging.UpdatePageTable = *operation;
    build(&paging);
}

void space_update(ULONG level, D3DGPU_PHYSICAL_ADDRESS table, ULONG index, const DXGK_PTE *entries,
                  ULONG count, BOOLEAN repeat, BOOLEAN is_64k)
{
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE operation = {.StartIndex = index,
                                                        .NumPageTableEntries = count};
    operation.Flags.Repeat = repeat != 0;
    operation.Flags.Use64KBPages = is_64k != 0;
    if (level == 1 && is_64k && space.caps.DualPteSupported)
        operation.pPageTableEntries64KB = (DXGK_PTE *)entries;
    else
        operation.pPageTableEntries = (DXGK_PTE *)entries;
    update(level, table, &operation);
}

/* The first update of a table; of pairs both halves, though one is given (UPT-009). */
static void initialise(ULONG level, D3DGPU_PHYSICAL_ADDRESS table, ULONG count, BOOLEAN is_64k)
{
    DXGK_PTE invalid = {.Valid = 0};
    DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE operation = {.NumPageTableEntries = count,
                                                        .pPageTableEntries = &invalid};
    operation.Flags.Repeat = 1;
    operation.Flags.InitialUpdate = 1;
    operation.Flags.Use64KBPages = is_64k != 0;
    update(level, table, &operation);
}

D3DGPU_PHYSICAL_ADDRESS space_new_table(ULONG level, ULONG bytes)
{
    D3DGPU_PHYSICAL_ADDRESS place = space.next;
    if (!place.SegmentOffset) {
        place.SegmentId = space.levels[level].PageTableSegmentId;
        place.SegmentOffset = place.SegmentId ? TABLES : kernel_pages(256);
    }
    assert_true(place.SegmentId != 0 || bytes <= 4096);
    space.next = place;
    space.next.SegmentOffset += bytes;
    memset(space_cpu_address(place), 0xFF, bytes); /* arbitrary before (UPT-009) */
    return place;
}

static void set_pointer(ULONG level, ULONGLONG address, BOOLEAN is_64k,
                        D3DGPU_PHYSICAL_ADDRESS table)
{
    DXGK_PTE pte = {.Valid = 1};
    pte.Segment = table.SegmentId;
    pte.PageTableAddress = table.SegmentOffset >> 12;
    if (level == 1 && is_64k && !space.caps.DualPteSupported)
        pte.PageTablePageSize = DXGK_PTE_PAGE_TABLE_PAGE_64KB;
    space_update(level, space_open_table(level, address, is_64k),
                 (ULONG)(address >> shift_of(level)) &
                     ((level == space.caps.PageTableLevelCount - 1
                           ? ~0u
                           : (1u << space.levels[level].PageTableIndexBitCount) - 1)),
                 &pte, 1, FALSE, is_64k);
}

D3DGPU_PHYSICAL_ADDRESS space_open_table(ULONG level, ULONGLONG address, BOOLEAN is_64k)
{
    ULONGLONG first = address >> shift_of(level + 1);
    BOOLEAN as_64k = level == 0 && is_64k;
    ULONG entries = 1u << space.levels[level].PageTableIndexBitCount;
    ULONG bytes = space.levels[level].PageTableSizeInBytes;
    if (level == space.caps.PageTableLevelCount - 1)
        return space.root;
    for (ULONG i = 0; i < space.table_count; i++)
        if (space.tables[i].level == level && space.tables[i].first == first &&
            space.tables[i].is_64k == as_64k)
            return space.tables[i].table;
    if (as_64k) {
        entries /= 16;
        bytes = space.caps.LeafPageTableSizeFor64KPagesInBytes;
    }
    D3DGPU_PHYSICAL_ADDRESS table = space_new_table(level, bytes);
    assert_true(space.table_count < 64);
    space.tables[space.table_count].level = level;
    space.tables[space.table_count].first = first;
    space.tables[space.table_count].is_64k = as_64k;
    space.tables[space.table_count++].table = table;
    initialise(level, table, entries, as_64k);
    set_pointer(level + 1, address, as_64k, table);
    return table;
}

void space_set_pages(ULONGLONG address, const DXGK_PTE *entries, ULONG count, BOOLEAN repeat)
{
    space_update(0, space_open_table(0, address, FALSE),
                 (ULONG)(address >> 12) & ((1u << space.levels[0].PageTableIndexBitCount) - 1),
                 entries, count, repeat, FALSE);
}

DXGK_PTE space_page(ULONG segment, ULONGLONG offset)
{
    DXGK_PTE pte = {.Valid = 1};
    pte.Segment = segment;
    pte.PageAddress = offset >> 12;
    return pte;
}

void space_map(ULONGLONG address, ULONG segment, ULONGLONG offset)
{
    DXGK_PTE pte = space_page(segment, offset);
    space_set_pages(address, &pte, 1, FALSE);
}

void space_flush(HANDLE process, ULONGLONG start, ULONGLONG end)
{
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_FLUSH_TLB};
    paging.FlushTlb.RootPageTableAddress = space.root;
    paging.FlushTlb.hProcess = process;
    paging.FlushTlb.StartVirtualAddress = start;
    paging.FlushTlb.EndVirtualAddress = end;
    kernel_page(&paging, 4096);
}

/* ---- Objects ---- */

void space_set_root(HANDLE context, ULONG entries)
{
    DXGKARG_SETROOTPAGETABLE set = {.hContext = context, .NumEntries = entries};
    set.Address = space.root;
    kernel.table.DxgkDdiSetRootPageTable(kernel.adapter, &set);
}

HANDLE space_create_context(ULONG node, DXGKARG_CREATECONTEXT *create)
{
    memset(create, 0, sizeof(*create));
    create->NodeOrdinal = node;
    create->EngineAffinity = 1;
    create->Flags.VirtualAddressing = 1;
    assert_int_equal(kernel.table.DxgkDdiCreateContext(space.device, create), STATUS_SUCCESS);
    return create->hContext;
}

HANDLE space_create_process(HANDLE kernel_handle)
{
    DXGKARG_CREATEPROCESS create = {.hDxgkProcess = kernel_handle};
    assert_int_equal(kernel.table.DxgkDdiCreateProcess(kernel.adapter, &create), STATUS_SUCCESS);
    assert_non_null(create.hKmdProcess);
    return create.hKmdProcess;
}

void space_begin(const struct kernel_setting *settings)
{
    DXGKARG_CREATEDEVICE create_device = {.hDevice = &kernel};
    DXGKARG_CREATECONTEXT create;
    kernel_start(settings, NULL);
    space_ask();
    space.mode = space.caps.PageTableUpdateMode == DXGK_PAGETABLEUPDATE_CPU_VIRTUAL
                     ? DXGK_PAGETABLEUPDATE_CPU_VIRTUAL
                     : DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    space.process = space_create_process((HANDLE)&space);
    create_device.hKmdProcess = space.process;
    assert_int_equal(kernel.table.DxgkDdiCreateDevice(kernel.adapter, &create_device),
                     STATUS_SUCCESS);
    space.device = create_device.hDevice;
    space.context = space_create_context(SOFTGPU_ENGINE_COMPUTE, &create);
    assert_true(create.ContextInfo.Caps.NoPatchingRequired);
    ULONG root = space.caps.PageTableLevelCount - 1;
    ULONG bytes = space.levels[root].PageTableSizeInBytes;
    space.root_entries = 1u << space.levels[root].PageTableIndexBitCount;
    space.root = space_new_table(root, bytes);
    initialise(root, space.root, space.root_entries, FALSE);
    space_set_root(space.context, space.root_entries);
}

void space_end(void)
{
    assert_int_equal(kernel.table.DxgkDdiDestroyContext(space.context), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiDestroyDevice(space.device), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiDestroyProcess(kernel.adapter, space.process),
                     STATUS_SUCCESS);
    kernel_stop();
}

/* ---- Work ---- */

struct buffer buffer_begin(void)
{
    uint64_t page = kernel_pages(1);
    space_map(BUFFER_VA, 0, page);
    space_flush(space.process, BUFFER_VA, BUFFER_VA + 4096);
    return (struct buffer){kernel_ram(page), 0};
}

void buffer_put(struct buffer *buffer, const void *command, ULONG bytes)
{
    memcpy(buffer->bytes + buffer->used, command, bytes);
    buffer->used += bytes;
}

void buffer_copy(struct buffer *buffer, ULONGLONG to, ULONGLONG from, ULONG bytes)
{
    struct softgpu_command_copy copy = {.header = HEADER(SOFTGPU_OP_COPY, copy),
                                        .destination = gpu_address(to),
                                        .source = gpu_address(from),
                                        .size_low = bytes};
    buffer_put(buffer, &copy, sizeof(copy));
}

void buffer_fill(struct buffer *buffer, ULONGLONG to, ULONG pattern, ULONG bytes)
{
    struct softgpu_command_fill fill = {.header = HEADER(SOFTGPU_OP_FILL, fill),
                                        .pattern = pattern,
                                        .address = gpu_address(to),
                                        .size_low = bytes};
    buffer_put(buffer, &fill, sizeof(fill));
}

DXGKARG_SUBMITCOMMANDVIRTUAL space_submission(ULONGLONG address, ULONG bytes)
{
    static _Alignas(16) UCHAR private_data[256];
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = {.hContext = space.context};
    submit.DmaBufferVirtualAddress = address;
    submit.DmaBufferSize = bytes;
    submit.pDmaBufferPrivateData = private_data;
    submit.DmaBufferPrivateDataSize = sizeof(private_data);
    submit.SubmissionFenceId = ++kernel.fence;
    submit.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE;
    return submit;
}

NTSTATUS space_submit(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    kernel.irql = DISPATCH_LEVEL;
    NTSTATUS status = kernel.table.DxgkDdiSubmitCommandVirtual(kernel.adapter, submit);
    kernel.irql = PASSIVE_LEVEL;
    return status;
}

void space_execute(struct buffer *buffer)
{
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer->used);
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_wait_fence(SOFTGPU_ENGINE_COMPUTE, submit.SubmissionFenceId);
    buffer->used = 0;
}

const DXGKARGCB_NOTIFY_INTERRUPT_DATA *space_execute_and_fault(struct buffer *buffer)
{
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer->used);
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_run(1000000);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = kernel_last(DXGK_INTERRUPT_DMA_PAGE_FAULTED);
    assert_non_null(notice);
    assert_int_equal(notice->DmaPageFaulted.FaultedFenceId, submit.SubmissionFenceId);
    assert_int_equal(notice->DmaPageFaulted.NodeOrdinal, SOFTGPU_ENGINE_COMPUTE);
    buffer->used = 0;
    return notice;
}

uint8_t *space_local(ULONGLONG offset)
{
    return kernel_vram(space.segment_base + offset);
}

void space_randomise(uint8_t *bytes, ULONG count, uint64_t seed)
{
    for (ULONG i = 0; i < count; i++)
        bytes[i] = (uint8_t)next_random(&seed);
}
