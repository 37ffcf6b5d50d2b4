/* virtual_test.c: GPU virtual addresses: page tables as VidMm would have them written, in every
 * arrangement and by every way; paging and client work by address; page faults and what is told of
 * them. */
#include "kernel_virtual.h"

static void caps_describe_tables_that_fit_the_rules(void **state)
{
    for (ULONG levels = 2; levels <= 6; levels++) {
        for (ULONG kind = 0; kind < 4; kind++) {
            kernel_start(SETTINGS({"PageTableLevels", levels}, {"PageTableSegment", kind & 1},
                                  {"DualPte", kind >> 1}, ),
                         NULL);
            space_ask();
            ULONG bits = 12;
            assert_int_equal(space.caps.PageTableLevelCount, levels);
            assert_int_equal(space.caps.DualPteSupported, kind >> 1);
            assert_int_equal(space.caps.InvalidTlbEntriesNotCached, 1);
            for (ULONG i = 0; i < levels; i++) {
                const DXGK_PAGE_TABLE_LEVEL_DESC *level = &space.levels[i];
                ULONG entry = i == 1 && kind >> 1 ? 16 : 8;
                bits += level->PageTableIndexBitCount;
                assert_int_equal(level->PageTableSegmentId, kind & 1);
                assert_int_equal(level->PageTableSizeInBytes % 4096, 0);
                assert_true(level->PageTableSizeInBytes >=
                            (entry << level->PageTableIndexBitCount));
                assert_true(kind & 1 || level->PageTableSizeInBytes <= 4096); /* PT-009 */
            }
            if (levels > 2) {
                assert_int_equal(bits, space.caps.VirtualAddressBitCount);
            } else {
                DXGKARG_GETROOTPAGETABLESIZE size = {.NumberOfPte = 300};
                SIZE_T bytes = kernel.table.DxgkDdiGetRootPageTableSize(kernel.adapter, &size);
                assert_int_equal(bytes % 4096, 0);
                ULONG most = 1u << (space.caps.VirtualAddressBitCount - 21);
                assert_true(size.NumberOfPte >= 300 && bytes >= size.NumberOfPte * 8);
                assert_true(bytes <= 4096 || kind & 1);
                assert_true(size.NumberOfPte <= most || most < 300);
            }
            kernel_stop();
        }
    }
}

static void the_paging_space_has_the_size_that_was_set(void **state)
{
    for (unsigned i = 0; i < 2; i++) {
        UINT megabytes = ~0u;
        DXGKARG_QUERYADAPTERINFO query = {.Type = DXGKQAITYPE_PAGINGPROCESSGPUVASIZE,
                                          .pOutputData = &megabytes,
                                          .OutputDataSize = i ? 2 : sizeof(megabytes)};
        kernel_start(SETTINGS({"PagingSpaceSize", 3}, ), NULL);
        assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query),
                         i ? STATUS_INVALID_PARAMETER : STATUS_SUCCESS);
        assert_int_equal(megabytes, i ? ~0u : 3);
        kernel_stop();
    }
}

/* The patched driver says nothing of it, and neither does one before WDDM 2.0. */
static void without_the_setting_nothing_is_virtual(void **state)
{
    static const struct kernel_setting settings[][3] = {
        {{"WddmVersion", 0x2600}, {NULL, 0}},
        {{"WddmVersion", 0x1300}, {"GpuMmu", 1}, {NULL, 0}},
    };
    for (unsigned i = 0; i < 2; i++) {
        DXGK_GPUMMUCAPS caps;
        DXGKARG_QUERYADAPTERINFO query = {
            .Type = DXGKQAITYPE_GPUMMUCAPS, .pOutputData = &caps, .OutputDataSize = sizeof(caps)};
        kernel_start(settings[i], NULL);
        assert_null(kernel.table.DxgkDdiSubmitCommandVirtual);
        assert_null(kernel.table.DxgkDdiCreateProcess);
        assert_int_equal(kernel.table.DxgkDdiQueryAdapterInfo(kernel.adapter, &query),
                         STATUS_INVALID_PARAMETER);
        DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_FLUSH_TLB};
        assert_int_equal(kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &paging),
                         STATUS_NOT_SUPPORTED);
        kernel_stop();
    }
}

/* Levels, places of tables, pairs, and the ways of writing: a client's copy finds its pages. */
static void clients_work_by_address_in_every_arrangement(void **state)
{
    for (unsigned i = 0; i < 20; i++) {
        ULONG levels = 2 + i % 5, in_vram = i & 1, dual = i >> 1 & 1;
        ULONG by_cpu = !in_vram && (i & 4);
        space_begin(SETTINGS({"PageTableLevels", levels}, {"PageTableSegment", in_vram},
                             {"DualPte", dual}, {"PageTableUpdateMode", by_cpu ? 0 : 2}, ));
        uint8_t expected[24 * 4096];
        DXGK_PTE entries[24];
        ULONGLONG system = kernel_pages(48);
        for (ULONG k = 0; k < 24; k++) { /* at 5 pages before a leaf table's end */
            ULONG place = k * 5 % 24;
            if (k % 3)
                space_map(WORK_VA + (507 + k) * 4096ull, LOCAL, PLACES + place * 4096);
            else
                space_map(WORK_VA + (507 + k) * 4096ull, 0, system + place * 8192);
            space_randomise(k % 3 ? space_local(PLACES + place * 4096)
                                  : kernel_ram(system + place * 8192),
                            4096, i * 100 + k);
            memcpy(expected + k * 4096,
                   k % 3 ? space_local(PLACES + place * 4096) : kernel_ram(system + place * 8192),
                   4096);
            entries[k] = space_page(LOCAL, PLACES + 0x100000 + (23 - k) * 4096);
        }
        space_set_pages(0x2000000, entries, 24, FALSE); /* many at once */
        struct buffer buffer = buffer_begin();
        buffer_copy(&buffer, 0x2000000, WORK_VA + 507 * 4096, sizeof(expected));
        space_execute(&buffer);
        for (ULONG k = 0; k < 24; k++)
            assert_memory_equal(space_local(PLACES + 0x100000 + (23 - k) * 4096),
                                expected + k * 4096, 4096);
        space_end();
    }
}

static void pages_of_64k_are_mapped_by_either_way(void **state)
{
    for (ULONG dual = 0; dual < 2; dual++) {
        space_begin(SETTINGS({"DualPte", dual}, {"VramPages64K", 1}, ));
        const ULONGLONG address = 0x10000000;
        DXGK_PTE entries[2] = {space_page(LOCAL, PLACES + 0x10000), space_page(LOCAL, PLACES)};
        space_update(0, space_open_table(0, address, TRUE), (ULONG)(address >> 16) % 32, entries, 2,
                     FALSE, TRUE);
        space_randomise(space_local(PLACES), 0x20000, 7 + dual);
        space_map(WORK_VA, LOCAL, PLACES + 0x100000);
        struct buffer buffer = buffer_begin();
        buffer_copy(&buffer, WORK_VA, address + 0x1FFF0, 16);
        buffer_copy(&buffer, WORK_VA + 16, address + 0x1230, 16);
        space_execute(&buffer);
        assert_memory_equal(space_local(PLACES + 0x100000), space_local(PLACES + 0xFFF0), 16);
        assert_memory_equal(space_local(PLACES + 0x100010), space_local(PLACES + 0x11230), 16);
        space_end();
    }
}

/* Tables are long and paging buffers short: each operation comes through in parts. */
static void updates_come_through_the_smallest_buffer(void **state)
{
    DXGK_PTE entries[300];
    space_begin(SETTINGS({"PageTableSegment", 1}, ));
    D3DGPU_PHYSICAL_ADDRESS table = space_open_table(0, WORK_VA, FALSE);
    for (ULONG i = 0; i < 300; i++)
        entries[i] = space_page(LOCAL, PLACES + i * 4096);
    DXGKARG_BUILDPAGINGBUFFER paging = {.Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE};
    paging.UpdatePageTable.StartIndex = 100;
    paging.UpdatePageTable.NumPageTableEntries = 300;
    paging.UpdatePageTable.pPageTableEntries = entries;
    paging.UpdatePageTable.hProcess = space.process;
    paging.UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    paging.UpdatePageTable.PageTableAddress.GpuPhysical = table;
    assert_true(kernel_page(&paging, 64) > 50);
    uint64_t seen;
    for (ULONG i = 0; i < 512; i++) {
        memcpy(&seen, (uint8_t *)space_cpu_address(table) + i * 8, 8);
        assert_int_equal(seen, i < 100 || i >= 400
                                   ? 0
                                   : (space.segment_base + PLACES + (i - 100) * 4096) |
                                         SOFTGPU_PTE_VALID);
    }
    space_end();
}

/* Builds the operations one behind the other in one buffer at BUFFER_VA, and runs it. */
static void page_by_address(HANDLE context, UCHAR *buffer, DXGKARG_BUILDPAGINGBUFFER *operations,
                            ULONG count)
{
    UCHAR *cursor = buffer, private_data[64] = {0};
    for (ULONG i = 0; i < count; i++) {
        operations[i].pDmaBuffer = cursor;
        operations[i].DmaSize = 4096 - (ULONG)(cursor - buffer);
        operations[i].pDmaBufferPrivateData = private_data;
        operations[i].DmaBufferPrivateDataSize = sizeof(private_data);
        assert_int_equal(kernel.table.DxgkDdiBuildPagingBuffer(kernel.adapter, &operations[i]),
                         STATUS_SUCCESS);
        cursor = operations[i].pDmaBuffer;
    }
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, (ULONG)(cursor - buffer));
    submit.hContext = context;
    submit.Flags.Paging = 1;
    submit.NodeOrdinal = SOFTGPU_ENGINE_COPY;
    submit.DmaBufferPrivateDataSize = 0;
    submit.pDmaBufferPrivateData = NULL;
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_wait_fence(SOFTGPU_ENGINE_COPY, submit.SubmissionFenceId);
}

/* What paging does with addresses of its own space, in a buffer that has one, too. */
static void paging_moves_and_fills_by_address(void **state)
{
    DXGKARG_CREATECONTEXT create;
    space_begin(SETTINGS({"PageTableUpdateMode", 1}, ));
    HANDLE context = space_create_context(SOFTGPU_ENGINE_COPY, &create);
    space_set_root(context, space.root_entries);
    uint64_t buffer_page = kernel_pages(1), system = kernel_pages(8);
    space_map(BUFFER_VA, 0, buffer_page);
    for (ULONG i = 0; i < 4; i++) {
        space_map(WORK_VA + i * 4096, 0, system + i * 8192);
        space_map(WORK_VA + 0x10000 + i * 4096, LOCAL, PLACES + i * 4096);
        space_randomise(kernel_ram(system + i * 8192), 4096, i);
    }
    D3DGPU_PHYSICAL_ADDRESS leaf = space_open_table(0, WORK_VA, FALSE);
    space_map(WORK_VA + 0x20000, leaf.SegmentId, leaf.SegmentOffset); /* a table under an address */

    DXGKARG_BUILDPAGINGBUFFER operations[4];
    memset(operations, 0, sizeof(operations));
    operations[0].Operation = DXGK_OPERATION_VIRTUAL_TRANSFER;
    operations[0].TransferVirtual.TransferSizeInBytes = 4 * 4096;
    operations[0].TransferVirtual.SourceVirtualAddress = WORK_VA;
    operations[0].TransferVirtual.DestinationVirtualAddress = WORK_VA + 0x10000;
    operations[0].TransferVirtual.TransferDirection = DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL;
    operations[1].Operation = DXGK_OPERATION_VIRTUAL_FILL;
    operations[1].FillVirtual.FillSizeInBytes = 4096;
    operations[1].FillVirtual.FillPattern = 0xC0FFEE01;
    operations[1].FillVirtual.DestinationVirtualAddress = WORK_VA + 0x12000;
    DXGK_PTE entry = space_page(LOCAL, PLACES + 0x50000);
    operations[2].Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE;
    operations[2].UpdatePageTable.UpdateMode = DXGK_PAGETABLEUPDATE_GPU_VIRTUAL;
    operations[2].UpdatePageTable.PageTableAddress.GpuVirtual = WORK_VA + 0x20000;
    operations[2].UpdatePageTable.StartIndex = 500;
    operations[2].UpdatePageTable.NumPageTableEntries = 1;
    operations[2].UpdatePageTable.pPageTableEntries = &entry;
    operations[2].UpdatePageTable.hProcess = space.process;
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE range = {.NumPageTableEntries = 1,
                                               .SrcPageTableAddress = WORK_VA + 0x20000,
                                               .DstPageTableAddress = WORK_VA + 0x20000,
                                               .SrcStartPteIndex = 500,
                                               .DstStartPteIndex = 501};
    operations[3].Operation = DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES;
    operations[3].CopyPageTableEntries.NumRanges = 1;
    operations[3].CopyPageTableEntries.pRanges = &range;

    page_by_address(context, kernel_ram(buffer_page), operations, 4);
    for (ULONG i = 0; i < 4; i++) {
        if (i != 2)
            assert_memory_equal(space_local(PLACES + i * 4096), kernel_ram(system + i * 8192),
                                4096);
    }
    uint32_t word;
    memcpy(&word, space_local(PLACES + 0x2FFC), 4);
    assert_int_equal(word, 0xC0FFEE01);
    uint64_t seen[2];
    memcpy(seen, (uint8_t *)space_cpu_address(leaf) + 500 * 8, sizeof(seen));
    assert_int_equal(seen[0], (space.segment_base + PLACES + 0x50000) | SOFTGPU_PTE_VALID);
    assert_int_equal(seen[1], seen[0]);
    assert_int_equal(kernel.table.DxgkDdiDestroyContext(context), STATUS_SUCCESS);
    space_end();
}

/* A page goes elsewhere: the old one is served until the flush, and only this process's. */
static void a_flush_ends_what_the_device_knew(void **state)
{
    uint32_t word;
    space_begin(SETTINGS({"GpuMmu", 1}, ));
    HANDLE other = space_create_process(&kernel);
    space_map(WORK_VA, LOCAL, PLACES);
    space_map(WORK_VA + 4096, LOCAL, PLACES + 4096);
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, WORK_VA, 0x11111111, 4);
    space_execute(&buffer);
    space_map(WORK_VA, LOCAL, PLACES + 8192);
    buffer_fill(&buffer, WORK_VA, 0x22222222, 4);
    space_execute(&buffer);
    memcpy(&word, space_local(PLACES), 4);
    assert_int_equal(word, 0x22222222);
    space_flush(other, 0, 0);
    space_flush(space.process, WORK_VA + 4096, WORK_VA + 8192);
    buffer_fill(&buffer, WORK_VA, 0x33333333, 4);
    space_execute(&buffer);
    memcpy(&word, space_local(PLACES), 4);
    assert_int_equal(word, 0x33333333);
    space_flush(space.process, WORK_VA, WORK_VA + 4096);
    buffer_fill(&buffer, WORK_VA, 0x44444444, 4);
    space_execute(&buffer);
    memcpy(&word, space_local(PLACES), 4);
    assert_int_equal(word, 0x33333333);
    memcpy(&word, space_local(PLACES + 8192), 4);
    assert_int_equal(word, 0x44444444);
    assert_int_equal(kernel.table.DxgkDdiDestroyProcess(kernel.adapter, other), STATUS_SUCCESS);
    space_end();
}

static void page_faults_are_told_with_all_that_is_known(void **state)
{
    space_begin(SETTINGS({"PerEngineTdr", 1}, ));
    DXGK_PTE read_only = space_page(LOCAL, PLACES), zero = {.Zero = 1};
    read_only.ReadOnly = 1;
    space_set_pages(WORK_VA, &read_only, 1, FALSE);
    space_set_pages(WORK_VA + 4096, &zero, 1, FALSE);
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, WORK_VA + 4096, 1, 4); /* goes nowhere, and is no fault */
    space_execute(&buffer);
    buffer_fill(&buffer, WORK_VA + 8, 1, 4);
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *notice = space_execute_and_fault(&buffer);
    assert_int_equal(notice->DmaPageFaulted.FaultedVirtualAddress, WORK_VA + 8);
    assert_int_equal(notice->DmaPageFaulted.PageFaultFlags,
                     DXGK_PAGE_FAULT_WRITE | DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    assert_int_equal(notice->DmaPageFaulted.PageTableLevel, 0);
    assert_int_equal(notice->DmaPageFaulted.FaultErrorCode.IsDeviceSpecificCode, 0);
    assert_int_equal(notice->DmaPageFaulted.FaultErrorCode.GeneralErrorCode,
                     DXGK_GENERAL_ERROR_PAGE_FAULT);
    assert_ptr_equal(notice->DmaPageFaulted.FaultedProcessHandle, &space);
    /* For the numbers the packet is done (INT-015), and the engine works again after its reset. */
    DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
    assert_int_equal(kernel.table.DxgkDdiQueryCurrentFence(kernel.adapter, &fence), STATUS_SUCCESS);
    assert_int_equal(fence.CurrentFence, kernel.fence);
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
    assert_int_equal(kernel.table.DxgkDdiResetEngine(kernel.adapter, &reset), STATUS_SUCCESS);
    assert_int_equal(reset.LastAbortedFenceId, kernel.fence);
    buffer_copy(&buffer, WORK_VA + 4096, 1ull << 40, 4);
    notice = space_execute_and_fault(&buffer);
    assert_int_equal(notice->DmaPageFaulted.FaultedVirtualAddress, 1ull << 40);
    assert_int_equal(notice->DmaPageFaulted.PageTableLevel, 3);
    assert_int_equal(notice->DmaPageFaulted.PageFaultFlags, DXGK_PAGE_FAULT_ENGINE_RESET_REQUIRED);
    assert_int_equal(kernel.table.DxgkDdiResetEngine(kernel.adapter, &reset), STATUS_SUCCESS);
    /* What is no address has a code instead (INT-016). */
    uint32_t nonsense = SOFTGPU_COMMAND(0x7777, 1);
    buffer_put(&buffer, &nonsense, 4);
    notice = space_execute_and_fault(&buffer);
    assert_int_equal(notice->DmaPageFaulted.FaultedVirtualAddress, D3DGPU_NULL);
    assert_int_equal(notice->DmaPageFaulted.FaultErrorCode.IsDeviceSpecificCode, 1);
    assert_int_equal(notice->DmaPageFaulted.FaultErrorCode.DeviceSpecificCode,
                     SOFTGPU_FAULT_OPCODE);
    /* A command that needs privilege is none of a client's. */
    assert_int_equal(kernel.table.DxgkDdiResetEngine(kernel.adapter, &reset), STATUS_SUCCESS);
    struct softgpu_command_flush_tlb flush_all = {.header =
                                                      HEADER(SOFTGPU_OP_FLUSH_TLB, flush_all)};
    buffer_put(&buffer, &flush_all, sizeof(flush_all));
    notice = space_execute_and_fault(&buffer);
    assert_int_equal(notice->DmaPageFaulted.FaultErrorCode.DeviceSpecificCode,
                     SOFTGPU_FAULT_PRIVILEGE);
    space_end();
}

static void malformed_submissions_are_refused_and_their_fences_pass(void **state)
{
    space_begin(SETTINGS({"ValidateSubmissions", 0}, ));
    assert_null(kernel.table.DxgkDdiValidateSubmitCommand);
    space_map(WORK_VA, LOCAL, PLACES);
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, WORK_VA, 0x11111111, 4);
    struct softgpu_umd_submit wrong = {.magic = 1};
    for (unsigned i = 0; i < 5; i++) {
        DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer.used);
        if (i == 0)
            submit.DmaBufferVirtualAddress += 2;
        else if (i == 1)
            submit.DmaBufferSize--;
        else if (i == 2)
            submit.DmaBufferPrivateDataSize = 4;
        else if (i == 3)
            submit.DmaBufferUmdPrivateDataSize = 300;
        else
            submit.DmaBufferUmdPrivateDataSize = sizeof(wrong);
        memcpy(submit.pDmaBufferPrivateData, &wrong, sizeof(wrong));
        assert_int_equal(space_submit(&submit), STATUS_INVALID_PARAMETER);
        kernel_run(100000);
        DXGKARG_QUERYCURRENTFENCE fence = {.NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
        assert_int_equal(kernel.table.DxgkDdiQueryCurrentFence(kernel.adapter, &fence),
                         STATUS_SUCCESS);
        assert_int_equal(fence.CurrentFence, submit.SubmissionFenceId);
    }
    DXGKARG_SUBMITCOMMANDVIRTUAL good = space_submission(BUFFER_VA, buffer.used);
    struct softgpu_umd_submit umd = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                     .version = SOFTGPU_UMD_VERSION};
    memcpy(good.pDmaBufferPrivateData, &umd, sizeof(umd));
    good.DmaBufferUmdPrivateDataSize = sizeof(umd);
    assert_int_equal(space_submit(&good), STATUS_SUCCESS);
    kernel_wait_fence(SOFTGPU_ENGINE_COMPUTE, good.SubmissionFenceId);
    uint32_t word;
    memcpy(&word, space_local(PLACES), 4);
    assert_int_equal(word, 0x11111111);
    space_end();
}

static NTSTATUS validate(const DXGKARG_SUBMITCOMMANDVIRTUAL *submit)
{
    DXGKARG_VALIDATESUBMITCOMMAND arguments = {
        .Commands = submit->DmaBufferVirtualAddress,
        .CommandLength = submit->DmaBufferSize,
        .ContextCount = 1,
        .Context = {submit->hContext, (HANDLE)(uintptr_t)0xBADC0DE},
        .pPrivateDriverData = submit->pDmaBufferPrivateData,
        .PrivateDriverDataSize = submit->DmaBufferPrivateDataSize,
        .UmdPrivateDataSize = submit->DmaBufferUmdPrivateDataSize,
        .HwQueueProgressFenceId = 77,
    };

    return kernel.table.DxgkDdiValidateSubmitCommand(kernel.adapter, &arguments);
}

static void what_is_validated_is_what_runs(void **state)
{
    space_begin(SETTINGS({"GpuMmu", 1}, ));
    space_map(WORK_VA, LOCAL, PLACES);
    struct buffer buffer = buffer_begin();
    buffer_fill(&buffer, WORK_VA, 0x22222222, 4);
    const struct softgpu_umd_submit right = {.magic = SOFTGPU_UMD_SUBMIT_MAGIC,
                                             .version = SOFTGPU_UMD_VERSION};
    for (unsigned i = 0; i < 9; i++) {
        DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer.used);
        struct softgpu_umd_submit umd = right;
        submit.DmaBufferUmdPrivateDataSize = sizeof(umd);
        switch (i) {
        case 0:
            umd.magic++;
            break;
        case 1:
            umd.flags = 1;
            break;
        case 2:
            submit.DmaBufferUmdPrivateDataSize--;
            break;
        case 3:
            submit.DmaBufferUmdPrivateDataSize = 0x7FFFFFFF;
            break;
        case 4:
            submit.DmaBufferVirtualAddress += 2;
            break;
        case 5:
            submit.DmaBufferSize++;
            break;
        case 6:
            submit.DmaBufferVirtualAddress = ~7ull;
            break;
        case 7:
            submit.DmaBufferPrivateDataSize = sizeof(umd);
            break;
        default:
            submit.DmaBufferVirtualAddress = 1ull << 62;
            break;
        }
        memset(submit.pDmaBufferPrivateData, 0xC3, 256); /* nobody cleared it */
        memcpy(submit.pDmaBufferPrivateData, &umd, sizeof(umd));
        assert_int_equal(validate(&submit), STATUS_INVALID_USER_BUFFER);
    }
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer.used);
    memset(submit.pDmaBufferPrivateData, 0xC3, 256);
    memcpy(submit.pDmaBufferPrivateData, &right, sizeof(right));
    submit.DmaBufferUmdPrivateDataSize = sizeof(right);
    assert_int_equal(space_submit(&submit), STATUS_INVALID_PARAMETER); /* nobody validated it */
    submit.SubmissionFenceId = ++kernel.fence;
    submit.hContext = NULL;
    assert_int_equal(validate(&submit), STATUS_INVALID_PARAMETER);
    submit.hContext = space.context;
    assert_int_equal(validate(&submit), STATUS_SUCCESS);
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_wait_fence(SOFTGPU_ENGINE_COMPUTE, submit.SubmissionFenceId);
    assert_int_equal(*(uint32_t *)space_local(PLACES), 0x22222222);
    space_end();
}

/* A buffer that was stopped in its middle goes on there when it comes again. */
static void a_preempted_buffer_goes_on(void **state)
{
    space_begin(SETTINGS({"PreemptionGranularity", 2}, ));
    DXGK_PTE entries[256];
    for (ULONG i = 0; i < 256; i++)
        entries[i] = space_page(LOCAL, PLACES + (i * 37 % 256) * 4096);
    space_set_pages(WORK_VA, entries, 256, FALSE);
    struct buffer buffer = buffer_begin();
    for (unsigned i = 0; i < 64; i++)
        buffer_fill(&buffer, WORK_VA + i, 0x01010101u * i, 255 * 4096);
    DXGKARG_SUBMITCOMMANDVIRTUAL submit = space_submission(BUFFER_VA, buffer.used);
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_run(300000);
    DXGKARG_PREEMPTCOMMAND preempt = {.PreemptionFenceId = 77,
                                      .NodeOrdinal = SOFTGPU_ENGINE_COMPUTE};
    kernel.irql = DISPATCH_LEVEL;
    assert_int_equal(kernel.table.DxgkDdiPreemptCommand(kernel.adapter, &preempt), STATUS_SUCCESS);
    kernel.irql = PASSIVE_LEVEL;
    kernel_run(200000);
    assert_non_null(kernel_last(DXGK_INTERRUPT_DMA_PREEMPTED));
    const DXGKARGCB_NOTIFY_INTERRUPT_DATA *last = kernel_last(DXGK_INTERRUPT_DMA_COMPLETED);
    assert_true(last && last->DmaCompleted.NodeOrdinal != SOFTGPU_ENGINE_COMPUTE);
    memset(space_local(PLACES), 0xEE, 256 * 4096); /* what is done is not done again */
    submit.Flags.Resubmission = 1;
    submit.SubmissionFenceId = ++kernel.fence;
    assert_int_equal(space_submit(&submit), STATUS_SUCCESS);
    kernel_wait_fence(SOFTGPU_ENGINE_COMPUTE, submit.SubmissionFenceId);
    assert_int_equal(space_local(PLACES)[0], 0xEE); /* byte 0 was of the first fill alone */
    assert_int_equal(space_local(PLACES)[100], 63);
    space_end();
}

/* A table is moved: the context is told, and what a reset made the device forget it is told
 * again. */
static void roots_move_and_outlive_a_reset(void **state)
{
    uint32_t word;
    space_begin(SETTINGS({"PageTableLevels", 2}, ));
    space_map(WORK_VA, LOCAL, PLACES);
    struct buffer buffer = buffer_begin();
    DXGKARG_GETROOTPAGETABLESIZE size = {.NumberOfPte = space.root_entries * 2};
    ULONG bytes = (ULONG)kernel.table.DxgkDdiGetRootPageTableSize(kernel.adapter, &size);
    assert_true(size.NumberOfPte >= space.root_entries * 2);
    D3DGPU_PHYSICAL_ADDRESS old = space.root;
    space.root = space_new_table(1, bytes);
    memcpy(space_cpu_address(space.root), space_cpu_address(old), space.root_entries * 8);
    memset((uint8_t *)space_cpu_address(space.root) + space.root_entries * 8, 0,
           (size.NumberOfPte - space.root_entries) * 8);
    space_set_root(space.context, size.NumberOfPte);
    memset(space_cpu_address(old), 0, space.root_entries * 8);
    const ULONGLONG far = (ULONGLONG)space.root_entries << 21;
    space_map(far, LOCAL, PLACES + 4096); /* an address that the old root had no entry for */
    buffer_fill(&buffer, far, 0x55555555, 4);
    space_execute(&buffer);
    memcpy(&word, space_local(PLACES + 4096), 4);
    assert_int_equal(word, 0x55555555);

    assert_int_equal(kernel.table.DxgkDdiResetFromTimeout(kernel.adapter), STATUS_SUCCESS);
    assert_int_equal(kernel.table.DxgkDdiRestartFromTimeout(kernel.adapter), STATUS_SUCCESS);
    buffer_fill(&buffer, far, 0x66666666, 4);
    space_execute(&buffer);
    memcpy(&word, space_local(PLACES + 4096), 4);
    assert_int_equal(word, 0x66666666);
    space_end();
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(caps_describe_tables_that_fit_the_rules),
        cmocka_unit_test(the_paging_space_has_the_size_that_was_set),
        cmocka_unit_test(without_the_setting_nothing_is_virtual),
        cmocka_unit_test(clients_work_by_address_in_every_arrangement),
        cmocka_unit_test(pages_of_64k_are_mapped_by_either_way),
        cmocka_unit_test(updates_come_through_the_smallest_buffer),
        cmocka_unit_test(paging_moves_and_fills_by_address),
        cmocka_unit_test(a_flush_ends_what_the_device_knew),
        cmocka_unit_test(page_faults_are_told_with_all_that_is_known),
        cmocka_unit_test(malformed_submissions_are_refused_and_their_fences_pass),
        cmocka_unit_test(what_is_validated_is_what_runs),
        cmocka_unit_test(a_preempted_buffer_goes_on),
        cmocka_unit_test(roots_move_and_outlive_a_reset),
    };
    kernel_choose_driver(argc, argv);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
