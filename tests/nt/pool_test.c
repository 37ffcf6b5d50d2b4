/* Pool: zeroing, alignment, redzones, quarantine, leaks, wrong frees. */
#include "base/fill.h"
#include "nt/internal.h"
#include "nt/support.h"

static struct nt_pool_block leaks[8];
static unsigned leak_count;

static void count_leak(void *ctx, const struct nt_pool_block *block)
{
    if (leak_count < 8) {
        leaks[leak_count] = *block;
    }
    leak_count++;
}

static unsigned leaked(void)
{
    leak_count = 0;
    nt_pool_report(count_leak, NULL);
    return leak_count;
}

KERNEL_TEST(pool2_zeroes_and_aligns)
{
    static const size_t sizes[] = {1, 16, 100, 1000, 4000, 4064, 4065, 4096, 5000, 70000};

    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizes[i], TAG);
        assert_non_null(memory);
        for (size_t at = 0; at < sizes[i]; at++) {
            assert_int_equal(memory[at], 0);
        }
        assert_int_equal((uintptr_t)memory % 16, 0);
        if (sizes[i] >= PAGE_SIZE) {
            assert_int_equal((uintptr_t)memory % PAGE_SIZE, 0);
        } else {
            assert_true(BYTE_OFFSET(memory) + sizes[i] <= PAGE_SIZE);
        }
        assert_true(MmGetPhysicalAddress(memory).QuadPart != 0);
        memset(memory, 0x11, sizes[i]);
        ExFreePoolWithTag(memory, TAG);
    }
    assert_int_equal(leaked(), 0);
    assert_int_equal(nt_pool_check(), 0);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(uninitialized_memory_is_not_zero)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    assert_int_not_equal(memory[0], 0);
    assert_int_equal(memory[0], memory[63]);
    ExFreePool(memory);
}

KERNEL_TEST(an_overrun_is_found_with_its_owner)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 50, TAG);

    memory[50] = 1;
    assert_int_equal(nt_pool_check(), 1);
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_OVERRUN);
    assert_int_equal(seen.corruption.offset, 50);
    assert_int_equal(seen.corruption.found, 1);
    assert_int_equal(seen.corruption.block.tag, TAG);
    assert_int_equal(seen.corruption.block.size, 50);
    assert_ptr_equal(seen.corruption.block.address, memory);
    /* Reported once. */
    assert_int_equal(nt_pool_check(), 0);
    ExFreePool(memory);
    assert_int_equal(seen.corruptions, 1);
}

KERNEL_TEST(damage_around_large_blocks_is_found)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 3 * PAGE_SIZE, TAG);

    memory[-1] = 7;
    ExFreePool(memory);
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_UNDERRUN);
    assert_int_equal(seen.corruption.offset, -1);
    memory = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE + 1, TAG);
    memory[PAGE_SIZE + 1] = 7;
    ExFreePool(memory);
    assert_int_equal(seen.corruptions, 2);
    assert_int_equal(seen.corruption.damage, NT_POOL_OVERRUN);
}

KERNEL_TEST(a_write_after_free_is_found)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 200, TAG);

    ExFreePool(memory);
    memory[5] = 0;
    assert_int_equal(nt_pool_check(), 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_USE_AFTER_FREE);
    assert_int_equal(seen.corruption.offset, 5);
    assert_non_null(seen.corruption.freed_by.caller);
}

KERNEL_TEST(freed_memory_waits_before_it_is_used_again)
{
    void *first = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    ExFreePool(first);
    for (unsigned i = 0; i < 100; i++) {
        void *other = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
        assert_ptr_not_equal(other, first);
        ExFreePool(other);
    }
    for (unsigned i = 0; i < 5000; i++) {
        ExFreePool(ExAllocatePoolWithTag(NonPagedPoolNx, 3000, TAG));
    }
    assert_int_equal(nt_pool_check(), 0);
}

KERNEL_TEST(wrong_frees_are_misuse)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    int on_stack;

    ExFreePool(memory + 16);
    ExFreePool(&on_stack);
    ExFreePool(NULL);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 3);
    ExFreePoolWithTag(memory, TAG + 1);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 4);
    ExFreePool(memory);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 5);
    assert_non_null(strstr(seen.misuse_text, "free already"));
}

KERNEL_TEST(leaks_are_told_oldest_first)
{
    void *a = ExAllocatePoolWithTag(NonPagedPoolNx, 10, TAG);
    void *b = ExAllocatePool2(POOL_FLAG_PAGED, 20000, TAG + 1);
    void *own = nt_memory_alloc(100, 0);
    struct nt_pool_block found;

    assert_int_equal(leaked(), 2);
    assert_ptr_equal(leaks[0].address, a);
    assert_int_equal(leaks[0].size, 10);
    assert_string_equal(leaks[1].type, "paged");
    assert_true(leaks[0].serial < leaks[1].serial);
    assert_true(nt_pool_find((char *)b + 19999, &found));
    assert_ptr_equal(found.address, b);
    assert_false(nt_pool_find((char *)b + 20000, &found));
    ExFreePool(a);
    ExFreePool(b);
    nt_memory_free(own);
    assert_int_equal(leaked(), 0);
}

KERNEL_TEST(failures_are_null_or_raised)
{
    seen.allocations_until_failure = 1;
    assert_null(ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, TAG));
    seen.allocations_until_failure = 1;
    assert_int_equal(
        RAISED_BY(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_RAISE_ON_FAILURE, 64, TAG)),
        STATUS_INSUFFICIENT_RESOURCES);
    assert_null(ExAllocatePoolWithTag(NonPagedPoolNx, (SIZE_T)1 << 40, TAG));
    assert_null(ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_PAGED, 64, TAG));
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
}

KERNEL_TEST(paged_pool_has_a_lower_ceiling)
{
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);
    void *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);

    assert_int_equal(seen.irql_violations, 0);
    ExFreePool(memory);
    memory = ExAllocatePoolWithTag(PagedPool, 64, TAG);
    assert_int_equal(seen.irql_violations, 1);
    assert_int_equal(seen.violated_limit, APC_LEVEL);
    assert_string_equal(seen.violating_export, "ExAllocatePoolWithTag");
    KeLowerIrql(old);
    ExFreePool(memory);
}

KERNEL_TEST(memory_with_an_armed_timer_is_not_free)
{
    LARGE_INTEGER due = {.QuadPart = -10000};
    KTIMER *timer = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*timer), TAG);

    KeInitializeTimer(timer);
    KeSetTimer(timer, due, NULL);
    ExFreePool(timer);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    machine_spend(2 * NS_PER_MS);
    assert_int_equal(nt_pool_check(), 0);
}

static VOID NTAPI nothing_late(PKDPC dpc, PVOID context, PVOID argument1, PVOID argument2)
{
}

KERNEL_TEST(memory_with_the_dpc_of_an_armed_timer_is_not_free)
{
    static KTIMER timer;
    LARGE_INTEGER due = {.QuadPart = -10000};
    KDPC *dpc = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*dpc), TAG);

    KeInitializeDpc(dpc, nothing_late, NULL);
    KeInitializeTimer(&timer);
    KeSetTimer(&timer, due, dpc);
    ExFreePool(dpc);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    assert_true(KeCancelTimer(&timer));
}

static unsigned routines_run;

static VOID NTAPI work_routine(PVOID context)
{
    routines_run++;
}

static VOID NTAPI io_work_routine(PVOID object, PVOID context, PIO_WORKITEM item)
{
    routines_run++;
}

static void let_work_run(void)
{
    LARGE_INTEGER pause = {.QuadPart = -100000};

    KeDelayExecutionThread(KernelMode, FALSE, &pause);
}

KERNEL_TEST(memory_with_work_in_it_is_not_free)
{
    WORK_QUEUE_ITEM *work = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*work), TAG);
    PIO_WORKITEM io = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeofWorkItem(), TAG);

    routines_run = 0;
    ExInitializeWorkItem(work, work_routine, NULL);
    ExQueueWorkItem(work, DelayedWorkQueue);
    ExFreePool(work);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    IoInitializeWorkItem(NULL, io);
    ExFreePool(io); /* not uninitialised */
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 2);
    io = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeofWorkItem(), TAG);
    IoInitializeWorkItem(NULL, io);
    IoQueueWorkItemEx(io, io_work_routine, DelayedWorkQueue, NULL);
    ExFreePool(io);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 3);
    let_work_run();
    assert_int_equal(routines_run, 0);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    assert_int_equal(nt_pool_check(), 0);
}

KERNEL_TEST(a_queued_item_is_not_uninitialised)
{
    PIO_WORKITEM io = ExAllocatePoolWithTag(NonPagedPoolNx, IoSizeofWorkItem(), TAG);

    routines_run = 0;
    IoInitializeWorkItem(NULL, io);
    IoQueueWorkItemEx(io, io_work_routine, DelayedWorkQueue, NULL);
    memset(io, 0xEE, IoSizeofWorkItem()); /* nothing of the kernel's lies there */
    IoUninitializeWorkItem(io);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    let_work_run();
    assert_int_equal(routines_run, 1);
    IoUninitializeWorkItem(io);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    ExFreePool(io);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
}

KERNEL_TEST(a_resource_is_deleted_before_its_memory_goes)
{
    ERESOURCE *resource = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*resource), TAG);

    ExInitializeResourceLite(resource);
    ExFreePool(resource);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

static NPAGED_LOOKASIDE_LIST lookaside;

KERNEL_TEST(a_failed_allocation_is_no_entry_of_a_look_aside_list)
{
    void *entry;

    ExInitializeNPagedLookasideList(&lookaside, NULL, NULL, 0, 64, TAG, 0);
    entry = ExAllocateFromNPagedLookasideList(&lookaside);
    assert_non_null(entry);
    seen.allocations_until_failure = 1;
    assert_null(ExAllocateFromNPagedLookasideList(&lookaside));
    ExFreeToNPagedLookasideList(&lookaside, entry);
    ExDeleteNPagedLookasideList(&lookaside);
    assert_int_equal(misuse_count(), 0);
    ExInitializeNPagedLookasideList(&lookaside, NULL, NULL, 0, 64, TAG, 0);
    entry = ExAllocateFromNPagedLookasideList(&lookaside);
    ExDeleteNPagedLookasideList(&lookaside);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 1);
    ExFreePool(entry);
}

static void keep_told(void *ctx, const char *kind, const char *text)
{
    snprintf(ctx, 256, "%s: %s", kind, text);
}

/* The system goes through its lists, also those whose memory is gone. */
KERNEL_TEST(a_look_aside_list_is_deleted_before_its_memory_goes)
{
    NPAGED_LOOKASIDE_LIST *list = ExAllocatePoolWithTag(NonPagedPoolNx, sizeof(*list), TAG);
    char told[256];

    ExInitializeNPagedLookasideList(list, NULL, NULL, 0, 64, TAG, 0);
    assert_int_equal(nt_leak_report(keep_told, told), 1);
    assert_non_null(strstr(told, "look-aside list: not deleted, initialised at "));
    ExDeleteNPagedLookasideList(list);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    ExInitializeNPagedLookasideList(list, NULL, NULL, 0, 64, TAG, 0);
    ExFreePool(list);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_IN_USE], 1);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

/* As the inline functions of a driver's headers do it. */
static void *allocate_inline(GENERAL_LOOKASIDE *list)
{
    void *entry = ExpInterlockedPopEntrySList(&list->ListHead);

    list->TotalAllocates++;
    if (!entry) {
        list->AllocateMisses++;
        entry = list->Allocate(list->Type, list->Size, list->Tag);
    }
    return entry;
}

static void free_inline(GENERAL_LOOKASIDE *list, void *entry)
{
    list->TotalFrees++;
    if (ExQueryDepthSList(&list->ListHead) >= list->Depth) {
        list->FreeMisses++;
        list->Free(entry);
    } else {
        ExpInterlockedPushEntrySList(&list->ListHead, entry);
    }
}

KERNEL_TEST(a_driver_may_carry_the_functions_of_look_aside_lists_itself)
{
    static LOOKASIDE_LIST_EX list;
    UCHAR *first, *second;

    ExInitializeNPagedLookasideList(&lookaside, NULL, NULL, 0, 64, TAG, 0);
    first = allocate_inline(&lookaside.L);
    second = allocate_inline(&lookaside.L);
    assert_non_null(first);
    assert_non_null(second);
    memset(first, 1, 64);
    memset(second, 2, 64);
    assert_int_equal(first[63], 1);
    free_inline(&lookaside.L, first);
    free_inline(&lookaside.L, first); /* it went back to the pool, which sees that */
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 1);
    free_inline(&lookaside.L, second);
    ExDeleteNPagedLookasideList(&lookaside);
    assert_int_equal(ExInitializeLookasideListEx(&list, NULL, NULL, PagedPool, 0, 64, TAG, 0),
                     STATUS_SUCCESS);
    first = list.L.AllocateEx(list.L.Type, list.L.Size, list.L.Tag, &list);
    assert_non_null(first);
    list.L.FreeEx(first, &list);
    ExDeleteLookasideListEx(&list);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    assert_int_equal(misuse_count(), 1);
}

KERNEL_TEST(a_look_aside_list_raises_if_it_was_asked_to)
{
    static LOOKASIDE_LIST_EX list;

    assert_int_equal(ExInitializeLookasideListEx(&list, NULL, NULL, NonPagedPoolNx, 3, 64, TAG, 0),
                     STATUS_INVALID_PARAMETER_5);
    assert_int_equal(ExInitializeLookasideListEx(&list, NULL, NULL, NonPagedPoolNx,
                                                 EX_LOOKASIDE_LIST_EX_FLAGS_RAISE_ON_FAIL, 64, TAG,
                                                 0),
                     STATUS_SUCCESS);
    seen.allocations_until_failure = 1;
    assert_int_equal(RAISED_BY(ExAllocateFromLookasideListEx(&list)),
                     STATUS_INSUFFICIENT_RESOURCES);
    ExDeleteLookasideListEx(&list);
    assert_int_equal(misuse_count(), 0);
}

/* Same calls, same addresses: a driver that hashes pointers replays. */
static void addresses_repeat(void **state)
{
    uintptr_t first[20];

    for (unsigned round = 0; round < 2; round++) {
        kernel_start(state);
        for (unsigned i = 0; i < 20; i++) {
            uintptr_t address =
                (uintptr_t)ExAllocatePoolWithTag(NonPagedPoolNx, 100 + i * 300, TAG);
            if (round == 0) {
                first[i] = address;
            }
            assert_int_equal(address, first[i]);
        }
        kernel_stop(state);
    }
}

/* What was freed last is given first, to whoever asks for about so much; without it much later. */
static void freed_memory_is_given_again(bool reused)
{
    struct vary_set set = {.on[VARY_REUSED_MEMORY] = reused};
    void *first, *second;

    kernel_start_varied(7, &set);
    first = ExAllocatePoolWithTag(NonPagedPoolNx, 100, TAG);
    second = ExAllocatePoolWithTag(NonPagedPoolNx, 100, TAG);
    ExFreePoolWithTag(first, TAG);
    ExFreePoolWithTag(second, TAG);
    assert_int_equal(ExAllocatePoolWithTag(NonPagedPoolNx, 98, TAG) == second, reused);
    assert_int_equal(ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, TAG) == first, reused);
    assert_ptr_not_equal(ExAllocatePoolWithTag(NonPagedPoolNx, 100, TAG), first);
    assert_int_equal(nt_pool_check(), 0);
    kernel_stop(NULL);
}

static void a_block_comes_again_at_once_where_memory_is_reused(void **state)
{
    freed_memory_is_given_again(false);
    freed_memory_is_given_again(true);
}

KERNEL_TEST(cache_aligned_memory_begins_with_a_cache_line)
{
    static const POOL_TYPE types[] = {NonPagedPoolCacheAligned, PagedPoolCacheAligned,
                                      NonPagedPoolNxCacheAligned};
    UCHAR *plain, *aligned[64];

    for (SIZE_T size = 1; size < 6000; size += 173) {
        for (unsigned i = 0; i < 3; i++) {
            aligned[i] = ExAllocatePoolWithTag(types[i], size, TAG);
            assert_int_equal((uintptr_t)aligned[i] % 64, 0);
        }
        aligned[3] = ExAllocatePool2(POOL_FLAG_NON_PAGED | POOL_FLAG_CACHE_ALIGNED, size, TAG);
        assert_int_equal((uintptr_t)aligned[3] % 64, 0);
        plain = ExAllocatePool2(POOL_FLAG_NON_PAGED, size, TAG); /* in a slot of the same class */
        memset(plain, 1, size);
        for (unsigned i = 0; i < 4; i++) {
            memset(aligned[i], 0xEE, size);
            ExFreePoolWithTag(aligned[i], TAG);
        }
        ExFreePoolWithTag(plain, TAG);
    }
    assert_int_equal(seen.corruptions, 0);
    aligned[0] = ExAllocatePoolWithTag(NonPagedPoolNxCacheAligned, 40, TAG);
    aligned[0][-1] = 1;
    ExFreePoolWithTag(aligned[0], TAG);
    assert_int_equal(seen.corruptions, 1);
    aligned[0] = ExAllocatePoolWithTag(NonPagedPoolNxCacheAligned, 40, TAG);
    aligned[0][40] = 1;
    ExFreePoolWithTag(aligned[0], TAG);
    assert_int_equal(seen.corruptions, 2);
    assert_int_equal(misuse_count(), 0);
}

/* ---- Special pool ---------------------------------------------------------------------------- */

KERNEL_TEST(a_special_block_ends_at_a_shut_page)
{
    static const size_t sizes[] = {16, 96, 4064, 4080, 4096, 8192, 65536};

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, sizes[i], TAG);
        struct nt_pool_touch touch;
        assert_int_equal(BYTE_OFFSET(memory + sizes[i]), 0);
        assert_true(MmIsAddressValid(memory) && MmIsAddressValid(memory + sizes[i] - 1));
        assert_false(MmIsAddressValid(memory + sizes[i]));
        assert_true(nt_pool_explain(memory + sizes[i] + 3, &touch));
        assert_false(touch.freed);
        assert_int_equal(touch.offset, sizes[i] + 3);
        assert_int_equal(touch.block.size, sizes[i]);
        memset(memory, 0x11, sizes[i]);
        ExFreePoolWithTag(memory, TAG);
    }
    assert_int_equal(nt_pool_check(), 0);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_special_block_begins_at_a_shut_page_when_that_is_chosen)
{
    uint8_t *memory;
    struct nt_pool_touch touch;

    nt_pool_set_special(NT_SPECIAL_POOL_BEFORE);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 100, TAG);
    assert_false(MmIsAddressValid(memory - 1));
    assert_true(nt_pool_explain(memory - 1, &touch));
    assert_int_equal(touch.offset, -1);
    assert_int_equal(touch.block.tag, TAG);
    ExFreePoolWithTag(memory, TAG);
}

KERNEL_TEST(what_is_handed_out_ends_at_a_shut_page)
{
    static const size_t sizes[] = {1, 24, 4096, 5000};

    nt_pool_set_special(NT_SPECIAL_POOL_OFF);
    for (size_t i = 0; i < sizeof(sizes) / sizeof(sizes[0]); i++) {
        uint8_t *memory = nt_memory_hand(sizes[i], "a list");
        struct nt_pool_touch touch;
        assert_true(PAGE_SIZE - BYTE_OFFSET(memory + sizes[i] - 1) <= 16);
        assert_true(MmIsAddressValid(memory) && MmIsAddressValid(memory + sizes[i] - 1));
        assert_false(MmIsAddressValid(memory + sizes[i] + 15));
        assert_true(nt_pool_explain(memory + sizes[i] + 15, &touch));
        assert_true(touch.block.handed && !touch.freed);
        assert_string_equal(touch.block.kind, "a list");
        memset(memory, 0x11, sizes[i]);
        nt_memory_free(memory);
        assert_false(MmIsAddressValid(memory));
        assert_true(nt_pool_explain(memory, &touch));
        assert_true(touch.freed);
    }
    assert_int_equal(nt_pool_check(), 0);
}

/* As many of a kind as are shut each time, and one that is shut for its number. */
static void hand_the_first(void)
{
    for (unsigned i = 0; i < 33; i++) {
        uint8_t *memory = nt_memory_hand(24, "a frequent list");
        nt_memory_free(memory);
        assert_false(MmIsAddressValid(memory));
    }
}

KERNEL_TEST(what_is_handed_out_often_is_shut_from_time_to_time)
{
    uint8_t *memory[24];
    unsigned shut = 0, again = 0;

    nt_pool_set_special(NT_SPECIAL_POOL_OFF);
    hand_the_first();
    for (unsigned i = 0; i < 24; i++) {
        memory[i] = nt_memory_hand(24, "a frequent list");
        assert_int_equal(fill_first_other(memory[i], 0, 24), 24);
        assert_false(MmIsAddressValid(memory[i] + 24));
        memset(memory[i], 0x11, 24);
        nt_memory_free(memory[i]);
        if (MmIsAddressValid(memory[i])) {
            assert_int_equal(fill_first_other(memory[i], FILL_FREED, 24), 24);
        } else {
            shut++;
        }
        for (unsigned k = 0; k < i; k++) {
            again += memory[k] == memory[i];
        }
    }
    assert_int_equal(shut, 3);
    assert_true(again > 0);
    assert_int_equal(nt_pool_check(), 0);
}

/* It is shut above APC_LEVEL, and what stayed open is not. */
KERNEL_TEST(what_may_be_paged_out_is_nothing_that_stayed_open)
{
    uint8_t *kept[24], *paged;

    nt_pool_set_special(NT_SPECIAL_POOL_OFF);
    hand_the_first();
    for (unsigned i = 0; i < 24; i++) {
        kept[i] = nt_memory_hand(24, "a frequent list");
    }
    for (unsigned i = 0; i < 24; i++) {
        nt_memory_free(kept[i]);
    }
    paged = nt_memory_client_paged(24, "a command buffer");
    for (unsigned i = 0; i < 24; i++) {
        assert_ptr_not_equal(paged, kept[i]);
    }
    nt_memory_free(paged);
}

/* Which is the driver's mistake: what it was is known, and no page of it is there. */
KERNEL_TEST(pages_of_a_block_of_long_ago_are_locked_and_nobody_falls)
{
    void *memory;

    nt_pool_set_special(NT_SPECIAL_POOL_OFF);
    memory = ExAllocatePoolWithTag(PagedPool, 256, TAG);
    ExFreePool(memory);
    for (unsigned i = 0; i < 1100; i++) {
        ExFreePool(ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG));
    }
    special_lock(memory);
}

KERNEL_TEST(who_writes_to_what_was_handed_out_often_is_found)
{
    nt_pool_set_special(NT_SPECIAL_POOL_OFF);
    hand_the_first();
    uint8_t *memory = nt_memory_hand(24, "a frequent list");
    nt_memory_free(memory);
    memory[3] = 1;
    for (unsigned i = 0; i < 12; i++) {
        nt_memory_free(nt_memory_hand(24, "a frequent list"));
    }
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_USE_AFTER_FREE);
    assert_int_equal(seen.corruption.offset, 3);
}

KERNEL_TEST(contiguous_memory_is_watched_behind_its_end)
{
    const PHYSICAL_ADDRESS any = {.QuadPart = INT64_MAX};
    uint8_t *memory = MmAllocateContiguousMemory(PAGE_SIZE + 100, any);
    struct nt_pool_touch touch;

    assert_non_null(memory);
    assert_int_equal(memory[0], 0xA5); /* nobody promises what was there before */
    memset(memory, 0x11, PAGE_SIZE + 100);
    assert_int_equal(nt_pool_check(), 0);
    assert_false(MmIsAddressValid(memory + 2 * PAGE_SIZE));
    assert_true(nt_pool_explain(memory + 2 * PAGE_SIZE + 3, &touch));
    assert_int_equal(touch.offset, 2 * PAGE_SIZE + 3);
    memory[PAGE_SIZE + 100] = 1;
    assert_int_equal(nt_pool_check(), 1);
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.offset, PAGE_SIZE + 100);
    assert_string_equal(seen.corruption.block.kind, "contiguous memory");
    assert_ptr_equal(MmGetVirtualForPhysical(MmGetPhysicalAddress(memory + 50)), memory + 50);
    MmFreeContiguousMemory(memory);
    assert_int_equal(seen.corruptions, 1); /* told once */
    assert_true(nt_pool_explain(memory + 7, &touch));
    assert_true(touch.freed);
    assert_int_equal(touch.block.size, PAGE_SIZE + 100);
}

KERNEL_TEST(what_a_special_block_does_not_fill_is_redzone)
{
    uint8_t *memory;

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 50, TAG);
    assert_int_equal((uintptr_t)memory % 16, 0);
    memory[50] = 1;
    ExFreePoolWithTag(memory, TAG);
    assert_int_equal(seen.corruptions, 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_OVERRUN);
    assert_int_equal(seen.corruption.offset, 50);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 50, TAG);
    memory[-1] = 1;
    ExFreePoolWithTag(memory, TAG);
    assert_int_equal(seen.corruptions, 2);
    assert_int_equal(seen.corruption.damage, NT_POOL_UNDERRUN);
}

KERNEL_TEST(a_freed_special_block_stays_shut_and_known)
{
    struct nt_pool_touch touch;
    uint8_t *memory;

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, TAG);
    ExFreePoolWithTag(memory, TAG);
    for (unsigned i = 0; i < 3000; i++) {
        void *other = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, TAG + 1);
        assert_ptr_not_equal(other, memory);
        ExFreePoolWithTag(other, TAG + 1);
        if (i % 1000 == 0) {
            assert_false(MmIsAddressValid(memory));
            assert_true(nt_pool_explain(memory + 5, &touch));
            assert_true(touch.freed);
            assert_int_equal(touch.offset, 5);
            assert_int_equal(touch.block.tag, TAG);
            assert_non_null(touch.freed_by.caller);
        }
    }
    assert_int_equal(misuse_count(), 0);
    ExFreePoolWithTag(memory, TAG);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 1);
    assert_non_null(strstr(seen.misuse_text, "free already"));
}

/* What a device writes into memory that the driver gave back. */
KERNEL_TEST(a_late_write_of_a_device_is_found_in_a_shut_block)
{
    uint8_t *memory;
    uint64_t physical;

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 64, TAG);
    physical = (uint64_t)MmGetPhysicalAddress(memory).QuadPart;
    ExFreePoolWithTag(memory, TAG);
    *(uint8_t *)ram_at(physical + 9, 1) = 1;
    assert_int_equal(nt_pool_check(), 1);
    assert_int_equal(seen.corruption.damage, NT_POOL_USE_AFTER_FREE);
    assert_int_equal(seen.corruption.offset, 9);
}

KERNEL_TEST(there_is_memory_when_no_block_can_be_special)
{
    enum { COUNT = 9000 };
    void **all = calloc(COUNT, sizeof(*all));

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    for (unsigned i = 0; i < COUNT; i++) {
        all[i] = ExAllocatePool2(POOL_FLAG_NON_PAGED, 32, TAG);
        assert_non_null(all[i]);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        ExFreePoolWithTag(all[i], TAG);
    }
    free(all);
    assert_int_equal(nt_pool_check(), 0);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(leaked(), 0);
}

KERNEL_TEST(a_special_block_is_no_memory_of_a_client)
{
    void *memory;

    nt_pool_set_special(NT_SPECIAL_POOL_AFTER);
    memory = ExAllocatePool2(POOL_FLAG_NON_PAGED, 32, TAG);
    assert_int_equal(RAISED_BY(ProbeForRead(memory, 32, 1)), STATUS_ACCESS_VIOLATION);
    ExFreePoolWithTag(memory, TAG);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(pool2_zeroes_and_aligns),
        KERNEL_UNIT_TEST(cache_aligned_memory_begins_with_a_cache_line),
        KERNEL_UNIT_TEST(uninitialized_memory_is_not_zero),
        KERNEL_UNIT_TEST(an_overrun_is_found_with_its_owner),
        KERNEL_UNIT_TEST(damage_around_large_blocks_is_found),
        KERNEL_UNIT_TEST(a_write_after_free_is_found),
        KERNEL_UNIT_TEST(freed_memory_waits_before_it_is_used_again),
        KERNEL_UNIT_TEST(wrong_frees_are_misuse),
        KERNEL_UNIT_TEST(leaks_are_told_oldest_first),
        KERNEL_UNIT_TEST(failures_are_null_or_raised),
        KERNEL_UNIT_TEST(paged_pool_has_a_lower_ceiling),
        KERNEL_UNIT_TEST(memory_with_an_armed_timer_is_not_free),
        KERNEL_UNIT_TEST(memory_with_the_dpc_of_an_armed_timer_is_not_free),
        KERNEL_UNIT_TEST(memory_with_work_in_it_is_not_free),
        KERNEL_UNIT_TEST(a_queued_item_is_not_uninitialised),
        KERNEL_UNIT_TEST(a_resource_is_deleted_before_its_memory_goes),
        KERNEL_UNIT_TEST(a_failed_allocation_is_no_entry_of_a_look_aside_list),
        KERNEL_UNIT_TEST(a_look_aside_list_is_deleted_before_its_memory_goes),
        KERNEL_UNIT_TEST(a_driver_may_carry_the_functions_of_look_aside_lists_itself),
        KERNEL_UNIT_TEST(a_look_aside_list_raises_if_it_was_asked_to),
        KERNEL_UNIT_TEST(a_special_block_ends_at_a_shut_page),
        KERNEL_UNIT_TEST(a_special_block_begins_at_a_shut_page_when_that_is_chosen),
        KERNEL_UNIT_TEST(what_is_handed_out_ends_at_a_shut_page),
        KERNEL_UNIT_TEST(what_is_handed_out_often_is_shut_from_time_to_time),
        KERNEL_UNIT_TEST(what_may_be_paged_out_is_nothing_that_stayed_open),
        KERNEL_UNIT_TEST(pages_of_a_block_of_long_ago_are_locked_and_nobody_falls),
        KERNEL_UNIT_TEST(who_writes_to_what_was_handed_out_often_is_found),
        KERNEL_UNIT_TEST(contiguous_memory_is_watched_behind_its_end),
        KERNEL_UNIT_TEST(what_a_special_block_does_not_fill_is_redzone),
        KERNEL_UNIT_TEST(a_freed_special_block_stays_shut_and_known),
        KERNEL_UNIT_TEST(a_late_write_of_a_device_is_found_in_a_shut_block),
        KERNEL_UNIT_TEST(there_is_memory_when_no_block_can_be_special),
        KERNEL_UNIT_TEST(a_special_block_is_no_memory_of_a_client),
        cmocka_unit_test(addresses_repeat),
        cmocka_unit_test(a_block_comes_again_at_once_where_memory_is_reused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
