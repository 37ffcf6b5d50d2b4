/* Rules of processes, page tables' descriptions and submissions by virtual address: a driver of a
 * few lines behind the door, with no kernel before it. Each case is one thing wrong, and names the
 * rule; without it nobody is blamed. */
#include "machine/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "contract/internal.h"
#include "ddi/internal.h"
#include "seen.h"
#include "spaces_driver.h"

/* ---- A kernel, as far as it is needed -------------------------------------------------------- */

static NTSTATUS reserve_range(struct ddi_adapter *of,
                              DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range)
{
    return STATUS_SUCCESS;
}

static void ask(DXGK_QUERYADAPTERINFOTYPE type, const void *in, void *output, size_t size)
{
    static unsigned char room[4096];
    DXGKARG_QUERYADAPTERINFO asked = {.Type = type,
                                      .pInputData = (void *)in,
                                      .InputDataSize = 4,
                                      .pOutputData = room,
                                      .OutputDataSize = (UINT)size};

    assert_true(size + CONTRACT_CANARY_BYTES <= sizeof room);
    memcpy(room, output, size);
    memset(room + size, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    assert_int_equal(ddi_query_adapter_info(&adapter, ADAPTER, &asked, 0), STATUS_SUCCESS);
}

static void ask_all(void)
{
    DXGK_SEGMENTDESCRIPTOR4 descriptors[2];
    DXGK_QUERYSEGMENTOUT4 out = {.SegmentDescriptorStride = sizeof descriptors[0]};
    DXGK_PAGE_TABLE_LEVEL_DESC level = {0};
    DXGK_GPUMMUCAPS mmu = {{{0}}};
    DXGK_DRIVERCAPS caps = {0};
    const UINT physical = 0;

    memset(descriptors, 0, sizeof descriptors);
    ask(DXGKQAITYPE_DRIVERCAPS, NULL, &caps, abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, driver.version));
    ask(DXGKQAITYPE_QUERYSEGMENT4, &physical, &out, sizeof out);
    out.pSegmentDescriptor = (BYTE *)descriptors;
    ask(DXGKQAITYPE_QUERYSEGMENT4, &physical, &out, sizeof out);
    ask(DXGKQAITYPE_GPUMMUCAPS, &physical, &mmu, sizeof mmu);
    for (WORD i = 0; i < says.mmu.PageTableLevelCount && i < 6; i++) {
        const DXGK_QUERYPAGETABLELEVELDESCIN in = {.LevelIndex = i};
        ask(DXGKQAITYPE_PAGETABLELEVELDESC, &in, &level, sizeof level);
    }
}

/* What a kernel says, one after the other; cases spoil it. */
static struct {
    DXGKARG_CREATEPROCESS process;
    DXGKARG_CREATEDEVICE device;
    DXGKARG_CREATECONTEXT context;
    DXGKARG_GETROOTPAGETABLESIZE size;
    DXGKARG_SETROOTPAGETABLE root;
    DXGKARG_VALIDATESUBMITCOMMAND validation;
    DXGKARG_SUBMITCOMMANDVIRTUAL submission;
    UCHAR validated[PRIVATE_BYTES],
        data[PRIVATE_BYTES]; /* before and after ValidateSubmitCommand */
    bool not_validated;
    HANDLE destroyed;
    bool second_system, no_root, asks_for_any_root, device_is_left, root_after_submission;
    bool no_end;          /* nobody tells of the end of the submission */
    bool leaf, leaf_left; /* a leaf showed something; and does when its process goes */
    bool ids_come_around; /* another context's do, before this one goes */
} asks;

static void make_it_say_what_is_right(void)
{
    memset(&says, 0, sizeof says);
    says.caps.HighestAcceptableAddress.QuadPart = -1;
    say_mandatory_caps(&says.caps);
    says.caps.SchedulingCaps.MultiEngineAware = 1;
    says.caps.GpuEngineTopology.NbAsymetricProcessingNodes = 2;
    says.caps.MemoryManagementCaps.VirtualAddressingSupported = 1;
    says.caps.MemoryManagementCaps.GpuMmuSupported = 1;
    says.caps.WDDMVersion = DXGKDDI_WDDMv2_6;
    says.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL;
    says.mmu.VirtualAddressBitCount = 30;
    says.mmu.PageTableLevelCount = LEVELS;
    for (unsigned i = 0; i < 6; i++) {
        says.levels[i] = (DXGK_PAGE_TABLE_LEVEL_DESC){9, 1, 1, 4096, 4096};
    }
    says.segments[0].Size = says.segments[0].CommitLimit = MEBIBYTE;
    says.segments[0].Flags.SupportsCpuHostAperture = 1;
    says.segments[0].CpuHostAperture.SizeInPages = 16;
    says.segments[1].BaseAddress.QuadPart = 16 * MEBIBYTE;
    says.segments[1].Size = says.segments[1].CommitLimit = 4 * MEBIBYTE;
    says.segments[1].Flags.Aperture = 1;
    says.root_bytes = 4096;
    says.range.SizeInBytes = says.range.BaseAddress = 2 * MEBIBYTE;
    says.range.Alignment = 2 * MEBIBYTE;

    memset(&asks, 0, sizeof asks);
    asks.process.hDxgkProcess = ANOTHER;
    asks.process.Flags.SystemProcess = 1;
    asks.device.hDevice = ANOTHER;
    asks.device.hKmdProcess = PROCESS;
    asks.context.hContext = ANOTHER;
    asks.context.EngineAffinity = 1;
    asks.context.Flags.VirtualAddressing = 1;
    asks.size.NumberOfPte = 16;
    asks.root.hContext = CONTEXT;
    asks.root.Address.SegmentId = 1;
    asks.root.Address.SegmentOffset = 8192;
    asks.root.NumEntries = 16;
    asks.submission.hContext = CONTEXT;
    asks.submission.DmaBufferVirtualAddress = 0x10000;
    asks.submission.DmaBufferSize = 64;
    asks.submission.SubmissionFenceId = 7;
    asks.submission.DmaBufferPrivateDataSize = PRIVATE_BYTES;
    asks.submission.DmaBufferUmdPrivateDataSize = CLIENT_BYTES;
    asks.submission.pDmaBufferPrivateData = asks.data;
    asks.validation.Commands = asks.submission.DmaBufferVirtualAddress;
    asks.validation.CommandLength = asks.submission.DmaBufferSize;
    asks.validation.ContextCount = 1;
    asks.validation.Context[0] = CONTEXT;
    asks.validation.pPrivateDriverData = asks.validated;
    asks.validation.PrivateDriverDataSize = PRIVATE_BYTES;
    asks.validation.UmdPrivateDataSize = CLIENT_BYTES;
    asks.data[CLIENT_BYTES] = 0x5A; /* what the driver will write */
    asks.destroyed = PROCESS;
}

static void start(void)
{
    ULONG sources, children;

    assert_int_equal(ddi_driver_enter(&driver, entry, NULL, NULL), STATUS_SUCCESS);
    assert_true(driver.registered);
    ddi_adapter_init(&adapter, &driver, NULL, 0);
    assert_int_equal(ddi_add_device(&adapter, NULL), STATUS_SUCCESS);
    assert_int_equal(ddi_start_device(&adapter, &sources, &children), STATUS_SUCCESS);
}

static void begin_work(void)
{
    ddi_create_process(&adapter, ADAPTER, &asks.process, 0);
    if (asks.second_system) {
        asks.process.hKmdProcess = NULL;
        ddi_create_process(&adapter, ADAPTER, &asks.process, 0);
    }
    ddi_create_device(&adapter, ADAPTER, &asks.device, 0);
    ddi_create_context(&adapter, DEVICE, &asks.context, 0);
    if (says.mmu.PageTableLevelCount == 2 || asks.asks_for_any_root) {
        ddi_get_root_page_table_size(&adapter, &asks.size);
    }
    if (!asks.no_root) {
        (void)ddi_set_root_page_table(&adapter, &asks.root, NULL, 0);
    }
}

/* The device is done with the packet. */
static void notify_end(void)
{
    DXGKARGCB_NOTIFY_INTERRUPT_DATA data = {.InterruptType = DXGK_INTERRUPT_DMA_COMPLETED};
    struct contract_call call = {
        .tracker = adapter.tracker, .point = POINT_CbNotifyInterrupt, .arguments = &data};

    data.DmaCompleted.SubmissionFenceId = asks.submission.SubmissionFenceId;
    contract_follow(&call, MOMENT_BEFORE);
    contract_follow(&call, MOMENT_AFTER);
}

/* Three leaps of less than half the range each: then the first context's id, which ended long ago,
 * is ahead of the newest by its distance. */
static void work_of_another(void)
{
    says.context = ANOTHER;
    ddi_create_context(&adapter, DEVICE, &asks.context, 0);
    asks.root.hContext = asks.submission.hContext = ANOTHER;
    (void)ddi_set_root_page_table(&adapter, &asks.root, NULL, 0);
    for (unsigned i = 0; i < 3; i++) {
        asks.submission.SubmissionFenceId += 0x40000000u;
        ddi_submit_command_virtual(&adapter, ADAPTER, &asks.submission, 0);
        notify_end();
    }
    asks.root.hContext = CONTEXT;
    (void)ddi_set_root_page_table(&adapter, &asks.root, NULL, 0);
    ddi_destroy_context(&adapter, ANOTHER, 0);
}

/* All before it is complete; the driver is asked when it has had time to count it. */
static void refuse_another(void)
{
    DXGKARG_QUERYCURRENTFENCE fence = {0};

    says.of_submission = STATUS_INVALID_PARAMETER;
    asks.submission.SubmissionFenceId++;
    ddi_submit_command_virtual(&adapter, ADAPTER, &asks.submission, 0);
    task_block(machine_now_ns() + 2 * NS_PER_MS);
    ddi_query_current_fence(&adapter, ADAPTER, &fence, 0);
}

/* All entries of a leaf of the first addresses, valid or not, as the door has the tracker know. */
static void write_leaf(bool valid)
{
    DXGK_PTE entry = {.Flags = 0};

    entry.Valid = valid;
    entry.Segment = 1;
    const DXGKARG_BUILDPAGINGBUFFER paging = {
        .Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE,
        .UpdatePageTable = {
            .hProcess = PROCESS,
            .UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
            .PageTableAddress.GpuPhysical = {.SegmentId = 1, .SegmentOffset = 16384},
            .pPageTableEntries = &entry,
            .NumPageTableEntries = 512,
            .Flags = {.Repeat = 1, .InitialUpdate = valid}}};

    track_tables(adapter.tracker, &paging);
}

/* Everything once, as a kernel does it. */
static void go(void *argument)
{
    UINT32 page = 3;
    UINT64 shown = 5;
    DXGKARG_MAPCPUHOSTAPERTURE map = {.NumberOfPages = 1,
                                      .SegmentId = 1,
                                      .pCpuHostAperturePages = &page,
                                      .pMemorySegmentPages = &shown};
    DXGKARG_UNMAPCPUHOSTAPERTURE unmap = {
        .NumberOfPages = 1, .pCpuHostAperturePages = &page, .SegmentId = 1};

    start();
    ask_all();
    begin_work();
    if (NT_SUCCESS(ddi_map_cpu_host_aperture(&adapter, ADAPTER, &map, 0))) {
        ddi_unmap_cpu_host_aperture(&adapter, ADAPTER, &unmap, 0);
    }
    if (!asks.not_validated) {
        ddi_validate_submit_command(&adapter, ADAPTER, &asks.validation, 0);
    }
    ddi_submit_command_virtual(&adapter, ADAPTER, &asks.submission, 0);
    asks.submission.DmaBufferUmdPrivateDataSize = 0; /* of those that come */
    if (asks.root_after_submission) {
        (void)ddi_set_root_page_table(&adapter, &asks.root, NULL, 0);
    }
    if (!asks.device_is_left) {
        if (!asks.no_end) {
            notify_end();
        }
        if (says.fence) {
            refuse_another();
        }
        if (asks.ids_come_around) {
            work_of_another();
        }
        ddi_destroy_context(&adapter, CONTEXT, 0);
        ddi_destroy_device(&adapter, DEVICE, 0);
    }
    if (asks.leaf) {
        write_leaf(true);
        write_leaf(asks.leaf_left);
    }
    ddi_destroy_process(&adapter, asks.destroyed, 0);
}

/* ---- Cases ----------------------------------------------------------------------------------- */

#include "spaces_validation.h"

struct mistake {
    const char *name, *rule;
    void (*make)(void);
    enum contract_duty who;
};

static void one_level(void)
{
    says.mmu.PageTableLevelCount = 1;
}

static void seven_levels(void)
{
    says.mmu.PageTableLevelCount = 7;
}

static void directories_out_of_reach(void)
{
    says.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
}

static void large_table_in_system_memory(void)
{
    says.levels[0].PageTableSegmentId = 0;
    says.levels[0].PageTableSizeInBytes = 8192;
}

static void large_table_of_paging_in_system_memory(void)
{
    says.levels[0].PagingProcessPageTableSegmentId = 0;
    says.levels[0].PageTableSizeInBytes = 8192;
}

static void part_of_a_page(void)
{
    says.levels[0].PageTableSizeInBytes = 2048;
}

static void no_such_segment(void)
{
    says.levels[1].PagingProcessPageTableSegmentId = 9;
}

static void no_index(void)
{
    says.levels[0].PageTableIndexBitCount = 0;
}

static void root_of_a_part_of_a_page(void)
{
    says.root_bytes = 1000;
}

static void root_of_nothing(void)
{
    says.root_bytes = 0;
}

static void smaller_root(void)
{
    says.root_entries = 8;
}

static void crowded_root(void)
{
    says.root_entries = 4096; /* a byte each */
}

static void part_of_a_leaf(void)
{
    says.reserves = true;
    says.range.SizeInBytes = 65536;
}

static void base_inside_a_leaf(void)
{
    says.reserves = true;
    says.range.BaseAddress = 65536;
}

static void odd_alignment(void)
{
    says.reserves = true;
    says.range.Alignment = 6 * MEBIBYTE;
}

static void visible_and_not(void)
{
    says.segments[0].Flags.CpuVisible = 1;
    says.segments[0].Flags.SupportsCpuHostAperture = 1;
}

static void host_aperture_fails(void)
{
    says.of_host_aperture = STATUS_NO_MEMORY;
}

static void submission_fails(void)
{
    says.of_submission = STATUS_NO_MEMORY;
}

static void refused_is_forgotten(void)
{
    says.fence = asks.submission.SubmissionFenceId;
}

static void two_system_processes(void)
{
    asks.second_system = true;
}

static void device_of_nobody(void)
{
    asks.device.hKmdProcess = ANOTHER;
}

static void no_such_process(void)
{
    asks.destroyed = ANOTHER;
}

static void process_before_its_device(void)
{
    asks.device_is_left = true;
}

static void three_levels(void)
{
    says.mmu.PageTableLevelCount = 3;
    says.mmu.VirtualAddressBitCount = 39;
    asks.asks_for_any_root = true;
}

static void root_of_no_context(void)
{
    asks.root.hContext = ANOTHER;
}

static void root_outside(void)
{
    asks.root.Address.SegmentOffset = 2 * MEBIBYTE;
}

static void root_of_a_running_context(void)
{
    asks.root_after_submission = true;
}

static void no_root_at_all(void)
{
    asks.no_root = true;
}

static void physical_context(void)
{
    asks.context.Flags.VirtualAddressing = 0;
}

static void submission_of_no_context(void)
{
    asks.submission.hContext = ANOTHER;
}

static void submission_to_another_node(void)
{
    asks.submission.NodeOrdinal = 1;
}

static void submission_of_nothing(void)
{
    asks.submission.DmaBufferSize = 0;
}

static void switch_with_commands(void)
{
    asks.submission.Flags.ContextSwitch = 1;
}

static void larger_part_of_the_client(void)
{
    asks.submission.DmaBufferUmdPrivateDataSize = PRIVATE_BYTES + 8;
}

static void block_of_nothing(void)
{
    asks.submission.DmaBufferPrivateDataSize = asks.submission.DmaBufferUmdPrivateDataSize = 0;
    asks.submission.pDmaBufferPrivateData = &asks;
}

static void no_fence(void)
{
    asks.submission.SubmissionFenceId = 0;
}

static void source_without_flip(void)
{
    asks.submission.VidPnSourceId = 1;
}

static void source_that_is_not_there(void)
{
    asks.submission.Flags.Flip = 1;
    asks.submission.VidPnSourceId = 1;
}

static void context_of_a_running_submission(void)
{
    asks.no_end = true;
}

static void entries_that_end(void)
{
    says.mmu.ExplicitPageTableInvalidation = 1;
    asks.process.Flags.SystemProcess = 0;
    asks.leaf = true;
}

static void entries_left_behind(void)
{
    entries_that_end();
    asks.leaf_left = true;
}

static const struct mistake mistakes[] = {
#define DRIVERS(what, rule)                \
    {                                      \
#what, rule, what, CONTRACT_DRIVER \
    }
#define KERNELS(what, rule)                \
    {                                      \
#what, rule, what, CONTRACT_KERNEL \
    }
    DRIVERS(one_level, "PT-008"),
    DRIVERS(seven_levels, "PT-008"),
    DRIVERS(directories_out_of_reach, "PT-008"),
    DRIVERS(large_table_in_system_memory, "PT-009"),
    DRIVERS(large_table_of_paging_in_system_memory, "PT-009"),
    DRIVERS(part_of_a_page, "PT-009"),
    DRIVERS(no_such_segment, "PT-009"),
    DRIVERS(no_index, "PT-009"),
    DRIVERS(root_of_a_part_of_a_page, "PT-007"),
    DRIVERS(root_of_nothing, "PT-007"),
    DRIVERS(smaller_root, "PT-007"),
    DRIVERS(crowded_root, "PT-007"),
    DRIVERS(part_of_a_leaf, "PT-013"),
    DRIVERS(base_inside_a_leaf, "PT-013"),
    DRIVERS(odd_alignment, "PT-013"),
    DRIVERS(visible_and_not, "CHA-004"),
    DRIVERS(host_aperture_fails, "CHA-001"),
    DRIVERS(submission_fails, "SUBV-001"),
    VALIDATION_MISTAKES,
    DRIVERS(refused_is_forgotten, "SUBV-003"),
    KERNELS(two_system_processes, "PT-012"),
    KERNELS(device_of_nobody, "PT-012"),
    KERNELS(no_such_process, "PT-012"),
    KERNELS(process_before_its_device, "PT-012"),
    KERNELS(three_levels, "PT-006"),
    KERNELS(entries_left_behind, "UPT-019"),
    KERNELS(root_of_no_context, "PT-002"),
    KERNELS(root_outside, "PT-002"),
    KERNELS(root_of_a_running_context, "PT-001"),
    KERNELS(no_root_at_all, "PT-001"),
    KERNELS(physical_context, "PT-001"),
    KERNELS(context_of_a_running_submission, "CTX-016"),
    KERNELS(submission_of_no_context, "SUBV-005"),
    KERNELS(submission_to_another_node, "SUBV-005"),
    KERNELS(submission_of_nothing, "SUBV-006"),
    KERNELS(switch_with_commands, "SUBMIT-041"),
    KERNELS(larger_part_of_the_client, "SUBV-007"),
    KERNELS(block_of_nothing, "SUBV-007"),
    KERNELS(no_fence, "SUBV-008"),
    KERNELS(source_without_flip, "SUBV-008"),
    KERNELS(source_that_is_not_there, "SUBV-008"),
};

static void run_child(void (*task)(void *argument))
{
    static const struct ddi_kernel_operations operations = {
        .reserve_gpu_virtual_address_range = reserve_range,
    };

    ddi_kernel = &operations; /* nothing else is asked of it */
    assert_non_null(freopen("/dev/null", "w", stderr));
    record_attach(record);
    machine_start(1, MACHINE_POLICY_RANDOM, 1);
    assert_int_equal(nt_init(&(struct nt_hooks){0}), STATUS_SUCCESS);
    spawn("kernel", task, NULL);
    machine_run(MACHINE_NEVER);
    _exit(0);
}

/* In a process of its own: a breach of the kernel ends it. */
static void run(const struct mistake *mistake, void (*task)(void *argument))
{
    int status = 0;

    make_it_say_what_is_right();
    if (mistake) {
        mistake->make();
    }
    record = record_create(1u << 10, 1u << 20);
    assert_non_null(record);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        run_child(task);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    bool aborted = WIFSIGNALED(status) && WTERMSIG(status) == SIGABRT;
    if (aborted != (mistake && mistake->who == CONTRACT_KERNEL)) {
        fail_msg("status 0x%X: %s", status, record_header(record)->message);
    }
}

static void nobody_is_blamed(const struct mistake *not_one)
{
    run(not_one, go);
    const struct record_breach *breach = record_breach_at(record, 0);
    if (breach) {
        fail_msg("%s: %s", breach->rule, breach->actual);
    }
    record_destroy(record);
}

static void who_does_all_right_is_not_blamed(void **state)
{
    nobody_is_blamed(NULL);
}

/* So says a public driver of system memory that no segment stands for. */
static void behind_the_last_segment(void)
{
    says.levels[0].PageTableSegmentId = says.levels[0].PagingProcessPageTableSegmentId = 3;
    says.levels[0].PageTableSizeInBytes = 16384;
    says.mmu.PageTableUpdateMode = DXGK_PAGETABLEUPDATE_CPU_VIRTUAL;
    says.levels[1] = says.levels[0];
}

static void the_number_behind_the_last_segment_is_system_memory(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = behind_the_last_segment, .who = CONTRACT_DRIVER});
}

static void grow_root_from_nothing(void)
{
    says.levels[1].PageTableIndexBitCount = 0;
    says.levels[1].PageTableSizeInBytes = 0;
}

static void a_root_that_grows_may_begin_with_nothing(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = grow_root_from_nothing, .who = CONTRACT_DRIVER});
}

static void reserve_a_range(void)
{
    says.reserves = true;
}

static void a_range_of_whole_leaves_may_be_reserved(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = reserve_a_range, .who = CONTRACT_DRIVER});
}

/* Nothing reaches the hardware, so that nothing is told of it. */
static void refuse_it(void)
{
    says.of_submission = STATUS_INVALID_PARAMETER;
    asks.no_end = asks.root_after_submission = true;
}

static void a_context_does_not_wait_for_a_submission_that_was_refused(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = refuse_it, .who = CONTRACT_DRIVER});
}

static void count_refused(void)
{
    says.fence = asks.submission.SubmissionFenceId + 1;
}

static void a_submission_that_was_refused_may_count_as_complete(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = count_refused, .who = CONTRACT_DRIVER});
}

static void let_ids_come_around(void)
{
    asks.ids_come_around = true;
}

/* Neither CTX-016 nor PT-001. */
static void a_context_rests_though_ids_have_come_around_since(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = let_ids_come_around, .who = CONTRACT_DRIVER});
}

/* A leaf of the first addresses, at this place of segment 1. */
static void make_leaf_at(UINT64 offset)
{
    DXGK_PTE invalid = {.Flags = 0};
    const DXGKARG_BUILDPAGINGBUFFER paging = {
        .Operation = DXGK_OPERATION_UPDATE_PAGE_TABLE,
        .UpdatePageTable = {
            .hProcess = PROCESS,
            .UpdateMode = DXGK_PAGETABLEUPDATE_GPU_PHYSICAL,
            .PageTableAddress.GpuPhysical = {.SegmentId = 1, .SegmentOffset = offset},
            .pPageTableEntries = &invalid,
            .NumPageTableEntries = 512,
            .Flags = {.Repeat = 1, .InitialUpdate = 1}}};
    struct contract_table_key key;

    track_tables(adapter.tracker, &paging);
    assert_true(contract_table_key(adapter.tracker, &paging.UpdatePageTable, &key));
    const struct contract_table *table = contract_table_find(adapter.tracker, &key);
    assert_non_null(table);
    assert_int_equal(table->known_count, 512);
}

/* There, elsewhere, and where the first one was. */
static void make_leaves(void *argument)
{
    start();
    ask_all();
    make_leaf_at(8192);
    make_leaf_at(16384);
    make_leaf_at(8192);
}

static void a_table_may_lie_again_where_an_earlier_one_lay(void **state)
{
    run(NULL, make_leaves);
    assert_null(record_breach_at(record, 0));
    record_destroy(record);
}

static void entries_may_end_before_their_process(void **state)
{
    nobody_is_blamed(&(struct mistake){.make = entries_that_end, .who = CONTRACT_DRIVER});
}

/* Not in CreateProcess. */
static void reserve_too_late(void *argument)
{
    start();
    ask_all();
    (void)reserve();
}

static void a_range_is_reserved_for_a_process_that_is_made(void **state)
{
    static const struct mistake late = {.make = reserve_a_range, .who = CONTRACT_DRIVER};

    run(&late, reserve_too_late);
    const struct record_breach *breach = record_breach_at(record, 0);
    assert_non_null(breach);
    assert_string_equal(breach->rule, "PT-013");
    assert_non_null(strstr(breach->actual, "called elsewhere"));
    seen_rule("PT-013", CONTRACT_DRIVER);
    record_destroy(record);
}

static void is_named_by(const struct mistake *mistake, void (*task)(void *argument))
{
    char duty[40];

    run(mistake, task);
    snprintf(duty, sizeof duty, "kernel duty %s:", mistake->rule);
    if (mistake->who == CONTRACT_KERNEL) {
        if (!strstr(record_header(record)->message, duty)) {
            fail_msg("%s", record_header(record)->message);
        }
    } else {
        const struct record_breach *breach = record_breach_at(record, 0);
        assert_non_null(breach);
        assert_string_equal(breach->rule, mistake->rule);
    }
    seen_rule(mistake->rule, mistake->who);
    record_destroy(record);
}

static void is_named(void **state)
{
    is_named_by(*state, go);
}

#include "spaces_places.h"

int main(void)
{
    enum {
        MISTAKES = sizeof mistakes / sizeof mistakes[0],
        PLACES = sizeof places_mistakes / sizeof places_mistakes[0]
    };
    static struct CMUnitTest tests[MISTAKES + PLACES + 13];
    unsigned count = 0;
#define ADD(test) tests[count++] = (struct CMUnitTest)cmocka_unit_test(test)
    ADD(who_does_all_right_is_not_blamed);
    ADD(the_number_behind_the_last_segment_is_system_memory);
    ADD(a_root_that_grows_may_begin_with_nothing);
    ADD(a_range_of_whole_leaves_may_be_reserved);
    ADD(a_range_is_reserved_for_a_process_that_is_made);
    ADD(a_context_does_not_wait_for_a_submission_that_was_refused);
    ADD(a_submission_that_was_refused_may_count_as_complete);
    ADD(a_context_rests_though_ids_have_come_around_since);
    ADD(a_table_may_lie_again_where_an_earlier_one_lay);
    ADD(entries_may_end_before_their_process);
    ADD(a_table_may_lie_where_one_ended);
    ADD(a_view_of_a_table_may_be_another);
    for (unsigned i = 0; i < MISTAKES; i++) {
        tests[count++] = (struct CMUnitTest){
            .name = mistakes[i].name, .test_func = is_named, .initial_state = (void *)&mistakes[i]};
    }
    for (unsigned i = 0; i < PLACES; i++) {
        tests[count++] = (struct CMUnitTest){.name = places_mistakes[i].name,
                                             .test_func = is_named_in_its_place,
                                             .initial_state = (void *)&places_mistakes[i]};
    }
    tests[count++] = (struct CMUnitTest){.name = "what_was_seen_is_written",
                                         .test_func = seen_is_written,
                                         .initial_state = (void *)"spaces"};
    assert_int_equal(count, sizeof tests / sizeof tests[0]);
    return cmocka_run_group_tests_name("spaces", tests, NULL, NULL);
}
