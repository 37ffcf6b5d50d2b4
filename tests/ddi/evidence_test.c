/* What the door knows of a driver it saw itself: neither a kernel that reads answers wrongly nor a
 * driver that overwrites its arguments takes it away. */
#include "machine/support.h"

#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include "../contract/mandatory.h"
#include "contract/tracker.h"
#include "ddi/ddi.h"

#define MEBIBYTE 1048576u
#define CONTEXT  ((HANDLE)(uintptr_t)0x1000)
#define DEVICE   ((HANDLE)(uintptr_t)0x2000)
#define LISTED   ((HANDLE)(uintptr_t)0x3000)

/* ---- The driver: what it answers, and what it does to its arguments ----------------------------
 */

static DXGK_DRIVERCAPS said_caps;
static DXGK_SEGMENTDESCRIPTOR3 said_segments[2];
static UINT said_paging_segment;
static ULONG said_children;
static bool overwrites;
static struct ddi_driver driver;

static NTSTATUS NTAPI add_device(const PDEVICE_OBJECT device, PVOID *context)
{
    *context = CONTEXT;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI start_device(const PVOID context, PDXGK_START_INFO info,
                                   PDXGKRNL_INTERFACE interface, PULONG sources, PULONG children)
{
    *sources = 1;
    *children = 1;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI plain(const PVOID context)
{
    return STATUS_SUCCESS;
}

static VOID NTAPI unload(VOID)
{
}

static void answer_segments(DXGK_QUERYSEGMENTOUT3 *out)
{
    out->PagingBufferSegmentId = said_paging_segment;
    out->PagingBufferSize = 4096;
    if (out->pSegmentDescriptor) {
        memcpy(out->pSegmentDescriptor, said_segments, sizeof said_segments);
    }
    out->NbSegment = 2;
    if (overwrites) {
        out->pSegmentDescriptor = NULL;
    }
}

static NTSTATUS NTAPI query_adapter_info(const HANDLE adapter,
                                         const DXGKARG_QUERYADAPTERINFO *query)
{
    DXGKARG_QUERYADAPTERINFO *mine = (DXGKARG_QUERYADAPTERINFO *)(uintptr_t)query;

    if (query->Type == DXGKQAITYPE_DRIVERCAPS) {
        memcpy(query->pOutputData, &said_caps, query->OutputDataSize);
    } else {
        answer_segments(query->pOutputData);
    }
    if (overwrites) {
        /* As much as its version has: it was built for a newer one. */
        memset(mine, 0xFF, abi_size(ABI_SIZE_OF_DXGKARG_QUERYADAPTERINFO, driver.version));
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI query_child_relations(const PVOID context, PDXGK_CHILD_DESCRIPTOR children,
                                            ULONG size)
{
    for (ULONG i = 0; i < said_children; i++) {
        children[i].ChildDeviceType = TypeVideoOutput;
        children[i].ChildUid = i + 1;
    }
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_device(const HANDLE adapter, DXGKARG_CREATEDEVICE *arguments)
{
    arguments->hDevice = DEVICE;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_context(const HANDLE device, DXGKARG_CREATECONTEXT *arguments)
{
    arguments->hContext = CONTEXT;
    arguments->ContextInfo.DmaBufferSize = 4096; /* of WDDM 1.2, the structure is shorter */
    arguments->ContextInfo.AllocationListSize = 2;
    return STATUS_SUCCESS;
}

/* Wipes out the list it was given, as well as the pointer to it. */
static NTSTATUS NTAPI render(const HANDLE context, DXGKARG_RENDER *arguments)
{
    if (overwrites) {
        memset(arguments->pAllocationList, 0, sizeof *arguments->pAllocationList);
    }
    arguments->pDmaBuffer = (char *)arguments->pDmaBuffer + 16;
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI create_allocation(const HANDLE adapter, DXGKARG_CREATEALLOCATION *arguments)
{
    arguments->pAllocationInfo[0] =
        (DXGK_ALLOCATIONINFO){.hAllocation = LISTED, .Size = 4096, .AllocationPriority = 1};
    if (overwrites) {
        arguments->NumAllocations = 1u << 30;
        arguments->pAllocationInfo = NULL;
    }
    return STATUS_SUCCESS;
}

/* Nobody calls these here, and no driver comes without them. */
static NTSTATUS NTAPI destroy_allocation(const HANDLE context,
                                         const DXGKARG_DESTROYALLOCATION *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI build_paging_buffer(const HANDLE context,
                                          DXGKARG_BUILDPAGINGBUFFER *arguments)
{
    return STATUS_SUCCESS;
}

static NTSTATUS NTAPI submit_command(const HANDLE context, const DXGKARG_SUBMITCOMMAND *arguments)
{
    return STATUS_SUCCESS;
}

static unsigned dpcs_inside, dpcs_inside_most, dpcs_run;

static VOID NTAPI dpc_routine(const PVOID context)
{
    dpcs_inside++;
    dpcs_inside_most = dpcs_inside > dpcs_inside_most ? dpcs_inside : dpcs_inside_most;
    machine_spend(NS_PER_MS);
    dpcs_inside--;
    dpcs_run++;
}

static NTSTATUS NTAPI entry(PDRIVER_OBJECT object, PUNICODE_STRING path)
{
    DRIVER_INITIALIZATION_DATA data = {
        .Version = DXGKDDI_INTERFACE_VERSION_WIN8,
        .DxgkDdiAddDevice = add_device,
        .DxgkDdiStartDevice = start_device,
        .DxgkDdiStopDevice = plain,
        .DxgkDdiRemoveDevice = plain,
        .DxgkDdiUnload = unload,
        .DxgkDdiResetFromTimeout = plain,
        .DxgkDdiRestartFromTimeout = plain,
        .DxgkDdiQueryAdapterInfo = query_adapter_info,
        .DxgkDdiQueryChildRelations = query_child_relations,
        .DxgkDdiCreateDevice = create_device,
        .DxgkDdiCreateContext = create_context,
        .DxgkDdiCreateAllocation = create_allocation,
        .DxgkDdiDestroyAllocation = destroy_allocation,
        .DxgkDdiBuildPagingBuffer = build_paging_buffer,
        .DxgkDdiSubmitCommand = submit_command,
        .DxgkDdiRender = render,
        .DxgkDdiDpcRoutine = dpc_routine,
    };
    NTSTATUS(NTAPI * initialize)(PDRIVER_OBJECT, PUNICODE_STRING, PDRIVER_INITIALIZATION_DATA);
    size_t count;

    initialize = (__typeof__(initialize))ddi_exports(&count)[0].address;
    return initialize(object, path, &data);
}

/* ---- The door, and what came of it -------------------------------------------------------------
 */

static struct record *record;
static struct ddi_adapter adapter;

static void begin(void)
{
    said_caps = (DXGK_DRIVERCAPS){
        .HighestAcceptableAddress.QuadPart = -1,
        .SchedulingCaps.MultiEngineAware = 1,
        .GpuEngineTopology.NbAsymetricProcessingNodes = 2,
        .WDDMVersion = (DXGK_WDDMVERSION)0x1200,
    };
    say_mandatory_caps(&said_caps);
    memset(said_segments, 0, sizeof said_segments);
    said_segments[0].Size = said_segments[0].CommitLimit = MEBIBYTE;
    said_segments[1].BaseAddress.QuadPart = 16 * MEBIBYTE;
    said_segments[1].Size = said_segments[1].CommitLimit = 4 * MEBIBYTE;
    said_segments[1].Flags.Aperture = 1;
    said_paging_segment = 2;
    said_children = 1;
    overwrites = false;
    assert_int_equal(ddi_driver_enter(&driver, entry, NULL, NULL), STATUS_SUCCESS);
    assert_true(driver.registered);
    ddi_adapter_init(&adapter, &driver, NULL, 0);
    assert_int_equal(ddi_add_device(&adapter, NULL), STATUS_SUCCESS);
    ULONG sources, children;
    assert_int_equal(ddi_start_device(&adapter, &sources, &children), STATUS_SUCCESS);
}

static void set_up_on(unsigned cpu_count)
{
    record = record_create(1u << 10, 1u << 12);
    assert_non_null(record);
    record_attach(record);
    machine_start(1, MACHINE_POLICY_RANDOM, cpu_count);
    assert_int_equal(nt_init(&(struct nt_hooks){0}), STATUS_SUCCESS);
    begin();
}

static int set_up(void **state)
{
    set_up_on(1);
    return 0;
}

static int set_up_two_cpus(void **state)
{
    set_up_on(2);
    return 0;
}

static int tear_down(void **state)
{
    ddi_adapter_fini(&adapter);
    nt_fini();
    machine_destroy();
    record_destroy(record);
    return 0;
}

static const struct record_breach *breach_of(const char *rule)
{
    for (uint32_t i = 0; i < record_header(record)->breach_count; i++) {
        if (strcmp(record_breach_at(record, i)->rule, rule) == 0) {
            return record_breach_at(record, i);
        }
    }
    return NULL;
}

static void no_breach(void)
{
    if (record_header(record)->breach_count) {
        print_message("%s: %s\n", record_breach_at(record, 0)->rule,
                      record_breach_at(record, 0)->actual);
    }
    assert_int_equal(record_header(record)->breach_count, 0);
}

static void ask(DXGK_QUERYADAPTERINFOTYPE type, void *output, size_t size)
{
    static unsigned char room[4096];
    DXGKARG_QUERYADAPTERINFO query = {
        .Type = type, .pOutputData = room, .OutputDataSize = (UINT)size};

    assert_true(size + CONTRACT_CANARY_BYTES <= sizeof room);
    memcpy(room, output, size);
    memset(room + size, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    assert_int_equal(ddi_query_adapter_info(&adapter, CONTEXT, &query, 0), STATUS_SUCCESS);
    memcpy(output, room, size);
}

/* A kernel that looks at nothing: what it was told is gone as soon as it came. */
static void ask_caps(void)
{
    DXGK_DRIVERCAPS caps;

    ask(DXGKQAITYPE_DRIVERCAPS, &caps, abi_size(ABI_SIZE_OF_DXGK_DRIVERCAPS, driver.version));
    memset(&caps, 0xFF, sizeof caps);
}

static void ask_segments(void)
{
    DXGK_SEGMENTDESCRIPTOR3 descriptors[2] = {0};
    DXGK_QUERYSEGMENTOUT3 out = {0};

    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);
    out.pSegmentDescriptor = descriptors;
    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);
    memset(descriptors, 0xFF, sizeof descriptors);
}

/* ---- Answers -----------------------------------------------------------------------------------
 */

static void a_kernel_that_reads_caps_wrongly_does_not_blind_the_judge(void **state)
{
    ask_caps();
    ask_segments();

    no_breach();
    assert_null(ddi_refusal(&adapter));
    assert_int_equal(adapter.tracker->node_count, 2);
    assert_int_equal(adapter.tracker->caps.SchedulingCaps.Value, said_caps.SchedulingCaps.Value);
    assert_false(adapter.tracker->features.wddm2);
    assert_int_equal(adapter.tracker->segment_count, 2);
    assert_int_equal(adapter.tracker->segments[2].base, 16 * MEBIBYTE);
    assert_int_equal(adapter.tracker->paging_segment, 2);
}

static void a_driver_that_overwrites_the_question_does_not_hide_its_answer(void **state)
{
    overwrites = true;
    said_caps.SchedulingCaps.MultiEngineAware = 0;
    said_caps.SchedulingCaps.PreemptionAware = 1;
    ask_caps();

    assert_non_null(breach_of("CAPS-001"));
    assert_non_null(strstr(ddi_refusal(&adapter), "CAPS-001: SchedulingCaps is 0x"));

    said_segments[1].BaseAddress.QuadPart = MEBIBYTE / 2;
    DXGK_SEGMENTDESCRIPTOR3 descriptors[2] = {0};
    DXGK_QUERYSEGMENTOUT3 out = {0};
    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);
    out.pSegmentDescriptor = descriptors;
    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);

    assert_non_null(breach_of("CAPS-005"));
}

static void the_first_reason_of_a_refusal_counts(void **state)
{
    said_caps.SchedulingCaps.MultiEngineAware = 0;
    said_caps.SchedulingCaps.CancelCommandAware = 1;
    ask_caps();
    said_segments[0].Size = 12345;
    ask_segments();

    assert_non_null(breach_of("CAPS-007"));
    assert_int_equal(strncmp(ddi_refusal(&adapter), "CAPS-001", 8), 0);
}

static void a_size_that_nobody_initialised_is_called_so(void **state)
{
    said_segments[0].Size = 0xA5A5A5A5A5A5A5A5u;
    ask_caps();
    ask_segments();

    assert_non_null(breach_of("CAPS-007"));
    assert_non_null(strstr(breach_of("CAPS-007")->actual, "memory that nobody initialised"));
}

/* "The limit is no limit of mine": of a small aperture it may be any round number. */
static void has_any_limit(SIZE_T limit)
{
    said_segments[1].Size = said_segments[1].CommitLimit = MEBIBYTE;
    said_caps.ApertureSegmentCommitLimit = limit;
    ask_caps();
    ask_segments();

    no_breach();
}

static void a_mebibyte_of_aperture_may_have_a_limit_of_a_gib(void **state)
{
    has_any_limit((SIZE_T)1024 * MEBIBYTE);
}

static void a_mebibyte_of_aperture_may_have_a_limit_of_four_gib(void **state)
{
    has_any_limit((SIZE_T)4096 * MEBIBYTE);
}

static void a_limit_in_another_unit_is_called_so(void **state)
{
    said_caps.ApertureSegmentCommitLimit = 4 * MEBIBYTE / 1024;
    ask_caps();
    ask_segments();

    assert_non_null(breach_of("CAPS-007"));
    assert_non_null(strstr(breach_of("CAPS-007")->actual, "in pages, or KiB"));
}

static void a_commit_limit_of_0_stands_for_the_size(void **state)
{
    said_segments[0].CommitLimit = 0;
    ask_caps();
    ask_segments();

    no_breach();
    assert_int_equal(adapter.tracker->segments[1].commit_limit, MEBIBYTE);
}

/* As a public driver's are: it tells them apart by their numbers. */
static void segments_that_are_nowhere_do_not_overlap(void **state)
{
    said_segments[1].BaseAddress.QuadPart = 0;
    ask_caps();
    ask_segments();

    no_breach();
    assert_null(ddi_refusal(&adapter));
}

static void more_segments_than_were_counted_are_not_read(void **state)
{
    DXGK_QUERYSEGMENTOUT3 out = {0};
    DXGK_SEGMENTDESCRIPTOR3 descriptors[2] = {0};

    ask_caps();
    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);
    adapter.tracker->segments_counted[DXGKQAITYPE_QUERYSEGMENT3] = 1; /* it had said one */
    out.pSegmentDescriptor = descriptors;
    ask(DXGKQAITYPE_QUERYSEGMENT3, &out, sizeof out);

    assert_non_null(breach_of("CAPS-005"));
    assert_int_equal(adapter.tracker->segment_count, 1);
}

static void a_display_only_driver_owes_no_flips(void **state)
{
    driver.has[POINT_CreateDevice] = false;
    said_caps.FlipCaps.FlipOnVSyncMmIo = 0;
    ask_caps();

    no_breach();
    assert_null(ddi_refusal(&adapter));
}

static void one_child_more_than_was_counted_is_seen(void **state)
{
    DXGK_CHILD_DESCRIPTOR children[2];

    memset(children, 0xEE, sizeof children); /* the door hands out cleared elements */
    assert_int_equal(ddi_query_child_relations(&adapter, children, sizeof children),
                     STATUS_SUCCESS);
    no_breach();
    said_children = 2;
    assert_int_equal(ddi_query_child_relations(&adapter, children, sizeof children),
                     STATUS_SUCCESS);

    assert_non_null(breach_of("PNP-003"));
}

/* ---- Lists -------------------------------------------------------------------------------------
 */

static void make_context(void)
{
    DXGKARG_CREATEDEVICE device = {.hDevice = (HANDLE)(uintptr_t)8};
    DXGKARG_CREATECONTEXT context = {.hContext = (HANDLE)(uintptr_t)16, .EngineAffinity = 1};

    ask_caps();
    ask_segments();
    assert_int_equal(ddi_create_device(&adapter, CONTEXT, &device, 0), STATUS_SUCCESS);
    assert_int_equal(ddi_create_context(&adapter, DEVICE, &context, 0), STATUS_SUCCESS);
    no_breach();
}

static void a_list_is_known_after_the_driver_wiped_it_out(void **state)
{
    static _Alignas(4096) char dma[4096 + CONTRACT_CANARY_BYTES];
    DXGK_ALLOCATIONLIST list[1] = {0};
    D3DDDI_PATCHLOCATIONLIST patches[8] = {0};
    DXGKARG_RENDER arguments = {
        .pDmaBuffer = dma,
        .DmaSize = 4096,
        .pAllocationList = list,
        .AllocationListSize = 1,
        .pPatchLocationListOut = patches,
        .PatchLocationListOutSize = 2,
    };

    make_context();
    memset(dma + 4096, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    memset(patches + 2, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    list[0].WriteOperation = 1;
    uint64_t given = contract_hash_handles(list, 1);
    overwrites = true;
    assert_int_equal(ddi_render(&adapter, CONTEXT, &arguments, 0), STATUS_SUCCESS);

    no_breach();
    assert_int_not_equal(contract_hash_handles(list, 1), given);
    assert_int_equal(contract_buffer_find(adapter.tracker, dma)->handles_hash, given);
}

static void a_driver_that_counts_allocations_anew_is_not_followed(void **state)
{
    DXGK_ALLOCATIONINFO info = {0};
    DXGKARG_CREATEALLOCATION arguments = {.NumAllocations = 1, .pAllocationInfo = &info};

    make_context();
    overwrites = true;
    assert_int_equal(ddi_create_allocation(&adapter, CONTEXT, &arguments, 0), STATUS_SUCCESS);

    no_breach();
    assert_int_equal(contract_object_find(adapter.tracker, TRACKED_ALLOCATION, LISTED)->size, 4096);
}

/* ---- A kernel that goes on all the same --------------------------------------------------------
 */

static void make_device_of(HANDLE handle)
{
    DXGKARG_CREATEDEVICE device = {.hDevice = (HANDLE)(uintptr_t)8};

    ddi_create_device(&adapter, handle, &device, 0);
}

/* Making a device, said to be of that adapter, ends as our own fault. */
static void is_caught(HANDLE handle, const char *rule)
{
    char sentence[64];
    int status;

    snprintf(sentence, sizeof sentence, "kernel duty %s", rule);
    fflush(NULL);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        setrlimit(RLIMIT_CORE, &(struct rlimit){0});
        if (!freopen("/dev/null", "w", stderr)) {
            _exit(4);
        }
        make_device_of(handle);
        _exit(0);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_non_null(strstr(record_header(record)->message, sentence));
}

static void a_kernel_that_starts_a_gpu_out_of_reach_is_caught(void **state)
{
    said_caps.HighestAcceptableAddress.QuadPart = 0xFFFFF;
    ask_caps();
    no_breach();
    assert_int_equal(strncmp(ddi_refusal(&adapter), "CAPS-009", 8), 0);

    is_caught(CONTEXT, "CAPS-009");
}

/* What Render may be given is not known of a context that is one of two (a buffer this small would
 * end the test as our own fault); all else is judged. */
static void a_handle_given_twice_hides_no_more_than_its_objects(void **state)
{
    DXGKARG_CREATECONTEXT again = {.hContext = (HANDLE)(uintptr_t)16, .EngineAffinity = 1};
    static _Alignas(4096) char dma[64 + CONTRACT_CANARY_BYTES];
    D3DDDI_PATCHLOCATIONLIST patches[8] = {0};
    DXGKARG_RENDER arguments = {.pDmaBuffer = dma, .DmaSize = 64, .pPatchLocationListOut = patches};

    make_context();
    memset(dma + 64, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    memset(patches, CONTRACT_CANARY, CONTRACT_CANARY_BYTES);
    assert_int_equal(ddi_create_context(&adapter, DEVICE, &again, 0), STATUS_SUCCESS);
    no_breach(); /* contexts may share a handle [CTX-003] */
    assert_int_equal(ddi_render(&adapter, CONTEXT, &arguments, 0), STATUS_SUCCESS);

    is_caught(DEVICE, "PNP-001");
}

/* ---- Closed for a reset ---------------------------------------------------------------------- */

static bool caller_is_through;
static struct task *caller;

static void call_once(void *argument)
{
    DXGKARG_CREATEDEVICE device = {.hDevice = (HANDLE)0x77};

    assert_int_equal(ddi_create_device(&adapter, CONTEXT, &device, 0), STATUS_SUCCESS);
    caller_is_through = true;
}

static void reset_meanwhile(void *argument)
{
    DXGKARG_CREATEDEVICE device = {.hDevice = (HANDLE)0x78};

    assert_true(ddi_close(&adapter, MACHINE_NEVER));
    assert_int_equal(
        task_create(&(struct task_options){.name = "caller"}, call_once, NULL, &caller),
        STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        machine_yield();
    }
    assert_int_equal(adapter.threads_inside, 0);
    assert_false(caller_is_through);
    /* Whoever closed it goes in and out; the one outside is in nobody's way. */
    assert_int_equal(ddi_create_device(&adapter, CONTEXT, &device, 0), STATUS_SUCCESS);
    ddi_open(&adapter);
}

static void who_comes_to_a_closed_door_waits_until_it_is_open(void **state)
{
    const struct task_options options = {.name = "resetter"};
    struct task *resetter;

    caller_is_through = false;
    ask_caps();
    ask_segments();
    assert_int_equal(task_create(&options, reset_meanwhile, NULL, &resetter), STATUS_SUCCESS);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    assert_true(caller_is_through);
    task_put(resetter);
    task_put(caller);
}

/* What the driver was told last of the place of a surface. */
static LONGLONG told_address, place_of_surface;
static bool surface_is_gone;

static bool fill_place(void *context, DXGKARG_SETVIDPNSOURCEADDRESS *arguments)
{
    *arguments = (DXGKARG_SETVIDPNSOURCEADDRESS){
        .PrimarySegment = 1, .PrimaryAddress.QuadPart = place_of_surface, .hAllocation = LISTED};
    arguments->Flags.ModeChange = 1;
    return !surface_is_gone;
}

static void show_surface(void *argument)
{
    const struct ddi_filler filler = {.fill = fill_place};
    NTSTATUS *status = argument;

    *status = ddi_set_vidpn_source_address_late(&adapter, CONTEXT, &filler, 0);
}

/* While the other waits outside, the surface goes elsewhere, or nowhere. */
static void move_surface_meanwhile(void *argument)
{
    assert_true(ddi_close(&adapter, MACHINE_NEVER));
    assert_int_equal(
        task_create(&(struct task_options){.name = "caller"}, show_surface, argument, &caller),
        STATUS_SUCCESS);
    for (unsigned i = 0; i < 1000; i++) {
        machine_yield();
    }
    assert_int_equal(told_address, 0);
    place_of_surface = 0x20000;
    ddi_open(&adapter);
}

static NTSTATUS show_during_a_reset(void)
{
    const struct task_options options = {.name = "resetter"};
    NTSTATUS status = STATUS_PENDING;
    struct task *resetter;

    told_address = 0;
    place_of_surface = 0x10000;
    assert_int_equal(task_create(&options, move_surface_meanwhile, &status, &resetter),
                     STATUS_SUCCESS);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    task_put(resetter);
    task_put(caller);
    return status;
}

static NTSTATUS NTAPI set_vidpn_source_address(const HANDLE context,
                                               const DXGKARG_SETVIDPNSOURCEADDRESS *address)
{
    told_address = address->PrimaryAddress.QuadPart;
    return STATUS_SUCCESS;
}

static void who_waits_at_the_door_says_what_is_true_behind_it(void **state)
{
    ask_caps();
    ask_segments();
    DXGK_ALLOCATIONINFO info = {0};
    DXGKARG_CREATEALLOCATION creation = {.NumAllocations = 1, .pAllocationInfo = &info};
    assert_int_equal(ddi_create_allocation(&adapter, CONTEXT, &creation, 0), STATUS_SUCCESS);
    adapter.tracker->sources[0].committed = true;
    driver.table.DxgkDdiSetVidPnSourceAddress = set_vidpn_source_address;
    driver.has[POINT_SetVidPnSourceAddress] = true;
    surface_is_gone = false;
    assert_int_equal(show_during_a_reset(), STATUS_SUCCESS);
    assert_int_equal(told_address, 0x20000);

    surface_is_gone = true;
    assert_int_equal(show_during_a_reset(), STATUS_DEVICE_REMOVED);
    assert_int_equal(told_address, 0);
    assert_int_equal(adapter.threads_inside, 0);
    assert_int_equal(ddi_stop_device(&adapter), STATUS_SUCCESS); /* the gates are open */
}

/* ---- Fences ---------------------------------------------------------------------------------- */

static UINT told_aborted;

static NTSTATUS NTAPI reset_engine(const HANDLE context, DXGKARG_RESETENGINE *reset)
{
    reset->LastAbortedFenceId = told_aborted;
    return STATUS_SUCCESS;
}

/* 97 and 98 were preempted, then the adapter was reset: 98 counts as completed [TDR-004]. */
static void an_engine_may_stand_at_what_a_reset_ended(void **state)
{
    DXGKARG_RESETENGINE reset = {.NodeOrdinal = 0};

    ask_caps();
    ask_segments();
    driver.table.DxgkDdiResetEngine = reset_engine;
    driver.has[POINT_ResetEngine] = true;
    adapter.tracker->nodes[0] = (struct contract_node){.submitted_any = true,
                                                       .reported_any = true,
                                                       .any_aborted = true,
                                                       .last_submitted = 96,
                                                       .last_reported = 96,
                                                       .aborted = 98};
    told_aborted = 98;
    assert_int_equal(ddi_reset_engine(&adapter, CONTEXT, &reset, 0), STATUS_SUCCESS);
    no_breach();
}

/* ---- On two processors ----------------------------------------------------------------------- */

static void queue_the_dpc(void *argument)
{
    for (unsigned i = 0; i < 4; i++) {
        (void)dpc_queue(&adapter.dpc); /* on the CPU that runs this */
        machine_spend(NS_PER_MS / 3);
    }
}

/* What interrupts queue there while it runs here comes when it is over [INT-023]. */
static void the_dpc_runs_once_at_a_time(void **state)
{
    dpcs_inside = dpcs_inside_most = dpcs_run = 0;
    spawn("one", queue_the_dpc, NULL);
    spawn("other", queue_the_dpc, NULL);
    assert_int_equal(machine_run(MACHINE_NEVER), MACHINE_STOP_DONE);
    assert_int_equal(dpcs_inside_most, 1);
    assert_true(dpcs_run > 1);
    no_breach();
}

#define ROW(name) cmocka_unit_test_setup_teardown(name, set_up, tear_down)

int main(void)
{
    const struct CMUnitTest tests[] = {
        ROW(a_kernel_that_reads_caps_wrongly_does_not_blind_the_judge),
        ROW(a_driver_that_overwrites_the_question_does_not_hide_its_answer),
        ROW(the_first_reason_of_a_refusal_counts),
        ROW(a_size_that_nobody_initialised_is_called_so),
        ROW(a_mebibyte_of_aperture_may_have_a_limit_of_a_gib),
        ROW(a_mebibyte_of_aperture_may_have_a_limit_of_four_gib),
        ROW(a_limit_in_another_unit_is_called_so),
        ROW(a_commit_limit_of_0_stands_for_the_size),
        ROW(segments_that_are_nowhere_do_not_overlap),
        ROW(more_segments_than_were_counted_are_not_read),
        ROW(a_display_only_driver_owes_no_flips),
        ROW(one_child_more_than_was_counted_is_seen),
        ROW(a_list_is_known_after_the_driver_wiped_it_out),
        ROW(a_driver_that_counts_allocations_anew_is_not_followed),
        ROW(a_kernel_that_starts_a_gpu_out_of_reach_is_caught),
        ROW(a_handle_given_twice_hides_no_more_than_its_objects),
        ROW(who_comes_to_a_closed_door_waits_until_it_is_open),
        ROW(who_waits_at_the_door_says_what_is_true_behind_it),
        ROW(an_engine_may_stand_at_what_a_reset_ended),
        cmocka_unit_test_setup_teardown(the_dpc_runs_once_at_a_time, set_up_two_cpus, tear_down),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
