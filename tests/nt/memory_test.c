/* MDLs, contiguous memory, addresses, I/O space and registers, a device and its bus. */
#include "nt/support.h"

#include "machine/fake_device.h"

/* ---- MDLs ---- */

KERNEL_TEST(an_mdl_of_pool_names_its_frames)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 3 * PAGE_SIZE, TAG);
    MDL *mdl = IoAllocateMdl(memory + 100, 2 * PAGE_SIZE, FALSE, FALSE, NULL);
    PPFN_NUMBER frames = MmGetMdlPfnArray(mdl);

    assert_int_equal(mdl->ByteOffset, 100);
    MmBuildMdlForNonPagedPool(mdl);
    for (unsigned i = 0; i < 3; i++) {
        assert_int_equal(frames[i],
                         MmGetPhysicalAddress(memory + i * PAGE_SIZE).QuadPart >> PAGE_SHIFT);
    }
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), memory + 100);
    IoFreeMdl(mdl);
    ExFreePool(memory);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_mapping_shows_the_same_bytes)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, 2 * PAGE_SIZE, TAG);
    MDL *mdl = IoAllocateMdl(memory + 8, PAGE_SIZE, FALSE, FALSE, NULL);
    uint8_t *view;

    MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
    view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    assert_non_null(view);
    assert_ptr_not_equal(view, memory + 8);
    view[0] = 0x5A;
    view[PAGE_SIZE - 1] = 0xA5;
    assert_int_equal(memory[8], 0x5A);
    assert_int_equal(memory[PAGE_SIZE + 7], 0xA5);
    assert_int_equal(MmGetPhysicalAddress(view).QuadPart,
                     MmGetPhysicalAddress(memory + 8).QuadPart);
    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    MmUnmapLockedPages(view, mdl);
    MmUnmapLockedPages(view, mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MAPPING], 1);
    MmUnlockPages(mdl);
    MmUnlockPages(mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MDL], 1);
    IoFreeMdl(mdl);
    ExFreePool(memory);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(pages_for_an_mdl_are_zero_and_scattered)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};
    MDL *mdl = MmAllocatePagesForMdlEx(low, high, skip, 64 * PAGE_SIZE, MmCached, 0);
    PPFN_NUMBER frames = MmGetMdlPfnArray(mdl);
    unsigned breaks = 0;
    uint8_t *view;

    assert_int_equal(mdl->ByteCount, 64 * PAGE_SIZE);
    for (unsigned i = 1; i < 64; i++) {
        breaks += frames[i] != frames[i - 1] + 1;
    }
    assert_true(breaks > 0);
    view = MmMapLockedPagesSpecifyCache(mdl, KernelMode, MmCached, NULL, FALSE, NormalPagePriority);
    for (unsigned i = 0; i < 64 * PAGE_SIZE; i += 512) {
        assert_int_equal(view[i], 0);
    }
    MmUnmapLockedPages(view, mdl);
    MmFreePagesFromMdl(mdl);
    MmFreePagesFromMdl(mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MDL], 1);
    ExFreePool(mdl);
}

/* A driver may ask for them under its spin lock. */
KERNEL_TEST(pages_for_an_mdl_come_at_dispatch_level)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};
    KIRQL old = KfRaiseIrql(DISPATCH_LEVEL);
    MDL *mdl = MmAllocatePagesForMdlEx(low, high, skip, 2 * PAGE_SIZE, MmCached, 0);

    assert_non_null(mdl);
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);
    mdl = MmAllocatePagesForMdl(low, high, skip, PAGE_SIZE);
    assert_non_null(mdl);
    MmFreePagesFromMdl(mdl);
    ExFreePool(mdl);
    KeLowerIrql(old);
    assert_int_equal(seen.irql_violations, 0);
    assert_int_equal(misuse_count(), 0);
}

/* A part of other pages is mapped anew, whatever the MDL showed before. */
KERNEL_TEST(a_partial_mdl_is_used_again)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};
    MDL *pages = MmAllocatePagesForMdlEx(low, high, skip, 2 * PAGE_SIZE, MmCached, 0);
    uint8_t *pool = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG);
    MDL *whole = IoAllocateMdl(pool, PAGE_SIZE, FALSE, FALSE, NULL);
    MDL *part = IoAllocateMdl(NULL, 2 * PAGE_SIZE, FALSE, FALSE, NULL);
    uint8_t *view;

    MmBuildMdlForNonPagedPool(whole);
    IoBuildPartialMdl(whole, part, pool, 64);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(part, NormalPagePriority), pool);
    IoBuildPartialMdl(pages, part, (void *)((uintptr_t)pages->StartVa + PAGE_SIZE), 64);
    view = MmGetSystemAddressForMdlSafe(part, NormalPagePriority);
    assert_non_null(view);
    assert_ptr_not_equal(view, pool);
    assert_int_equal(MmGetPhysicalAddress(view).QuadPart,
                     (LONGLONG)(MmGetMdlPfnArray(pages)[1] << PAGE_SHIFT));
    assert_int_equal(misuse_count(), 0);
    IoFreeMdl(part);
    IoFreeMdl(whole);
    MmFreePagesFromMdl(pages);
    ExFreePool(pages);
    ExFreePool(pool);
    assert_int_equal(misuse_count(), 0);
}

/* What an MDL says is the driver's to spoil: only its own pages go back. */
KERNEL_TEST(pages_of_a_spoiled_mdl_are_freed_once)
{
    PHYSICAL_ADDRESS low = {0}, high = {.QuadPart = -1}, skip = {0};
    uint64_t free_bytes = ram_free_bytes();
    MDL *mdl = MmAllocatePagesForMdlEx(low, high, skip, 2 * PAGE_SIZE, MmCached, 0);

    assert_int_equal(nt_leak_report(NULL, NULL), 1);
    MmGetMdlPfnArray(mdl)[0] = 0x1234567890;
    mdl->ByteCount = 0xFFFFF000;
    MmFreePagesFromMdl(mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MDL], 1);
    mdl->ByteCount = 2 * PAGE_SIZE;
    ExFreePool(mdl);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    assert_in_range(ram_free_bytes(), free_bytes - PAGE_SIZE * 16, free_bytes);
}

KERNEL_TEST(locking_bad_memory_raises)
{
    MDL *mdl = IoAllocateMdl((void *)0x123000, PAGE_SIZE, FALSE, FALSE, NULL);

    assert_int_equal(RAISED_BY(MmProbeAndLockPages(mdl, UserMode, IoReadAccess)),
                     STATUS_ACCESS_VIOLATION);
    IoFreeMdl(mdl);
    assert_int_equal(misuse_count(), 0);
}

static NTSTATUS probe(const volatile void *address, size_t length, ULONG alignment, bool write)
{
    return RAISED_BY(write ? ProbeForWrite((volatile VOID *)address, length, alignment)
                           : ProbeForRead(address, length, alignment));
}

static uint64_t of_a_client[2] = {1, 2};
static const uint64_t read_only[2] = {3, 4};

KERNEL_TEST(probes_raise_for_what_no_client_has)
{
    uint64_t local[2] = {0};
    uint8_t *pool = ExAllocatePoolWithTag(NonPagedPoolNx, 64, TAG);
    uint8_t *internal = nt_memory_alloc(64, TAG);

    assert_int_equal(probe(of_a_client, sizeof(of_a_client), 8, false), 0);
    assert_int_equal(probe(of_a_client, sizeof(of_a_client), 8, true), 0);
    assert_int_equal(of_a_client[1], 2);
    assert_int_equal(probe((char *)of_a_client + 1, 4, 4, false), STATUS_DATATYPE_MISALIGNMENT);
    assert_int_equal(probe(of_a_client, SIZE_MAX, 8, false), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe((void *)0xffff800000000000, 8, 8, false), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe((void *)16, 8, 8, false), 0);
    assert_int_equal(probe((void *)16, 8, 8, true), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe(read_only, 8, 8, false), 0);
    assert_int_equal(probe(read_only, 8, 8, true), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe((void *)17, 0, 8, true), 0);
    /* The driver's own memory is the kernel's; what the layers above hand over may be a client's.
     */
    assert_int_equal(probe(pool, 64, 1, false), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe(local, 16, 1, true), STATUS_ACCESS_VIOLATION);
    assert_int_equal(probe(internal, 64, 1, true), 0);
    assert_null(MmSecureVirtualMemory(pool, 64, PAGE_READWRITE));
    assert_non_null(MmSecureVirtualMemory(of_a_client, 8, PAGE_READWRITE));
    nt_memory_free(internal);
    ExFreePool(pool);
}

/* Bytes, frames and views of memory that had no frames until it was locked. */
static void lock_and_look(uint8_t *memory, ULONG size)
{
    MDL *mdl = IoAllocateMdl(memory, size, FALSE, FALSE, NULL);
    uint8_t *view, *dma;

    memset(memory, 0x11, size);
    MmProbeAndLockPages(mdl, KernelMode, IoWriteAccess);
    view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    dma = ram_at((uint64_t)MmGetPhysicalAddress(memory).QuadPart, 1);
    assert_non_null(view);
    assert_non_null(dma);
    assert_int_equal(view[size - 1], 0x11);
    *dma = 0x22;
    view[size - 1] = 0x33;
    assert_int_equal(memory[0], 0x22);
    assert_int_equal(memory[size - 1], 0x33);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
}

KERNEL_TEST(a_stack_is_locked_where_it_lies)
{
    uint8_t small[24], large[3 * PAGE_SIZE];
    uint64_t before;

    lock_and_look(small, sizeof(small));
    lock_and_look(large, sizeof(large));
    before = ram_free_bytes();
    lock_and_look(large, sizeof(large));
    assert_int_equal(ram_free_bytes(), before);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_client_sees_nonpaged_pool_beside_the_system)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG);
    MDL *mdl = IoAllocateMdl(memory + 8, 64, FALSE, FALSE, NULL);
    uint8_t *first, *second;

    MmBuildMdlForNonPagedPool(mdl);
    first = MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    second = MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    assert_ptr_not_equal(first, second);
    first[63] = 9;
    assert_int_equal(probe(first, 64, 1, true), 0);
    assert_int_equal(memory[8 + 63], 9);
    assert_int_equal(second[63], 9);
    assert_ptr_equal(MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority), memory + 8);
    MmUnmapLockedPages(first, mdl);
    assert_int_equal(misuse_count(), 0);
    MmUnmapLockedPages(first, mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MAPPING], 1);
    IoFreeMdl(mdl);
    assert_int_equal(seen.misuses[NT_MISUSE_MDL], 1);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
    ExFreePool(memory);
}

KERNEL_TEST(a_client_and_the_system_see_locked_pages)
{
    uint8_t *memory = ExAllocatePoolWithTag(NonPagedPoolNx, PAGE_SIZE, TAG), *system, *user;
    MDL *mdl = IoAllocateMdl(memory, PAGE_SIZE, FALSE, FALSE, NULL);

    assert_int_equal(RAISED_BY(MmProbeAndLockPages(mdl, UserMode, IoReadAccess)),
                     STATUS_ACCESS_VIOLATION);
    MmProbeAndLockPages(mdl, KernelMode, IoReadAccess);
    system = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    user = MmMapLockedPagesSpecifyCache(mdl, UserMode, MmCached, NULL, FALSE, NormalPagePriority);
    assert_ptr_not_equal(system, user);
    user[1] = 1;
    assert_int_equal(system[1], 1);
    MmUnmapLockedPages(user, mdl);
    MmUnmapLockedPages(system, mdl);
    MmUnlockPages(mdl);
    IoFreeMdl(mdl);
    ExFreePool(memory);
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(an_mdl_is_made_from_frames)
{
    uint64_t frames[4];
    struct ram_request request = {.page_count = 4};
    const uint64_t *listed;
    size_t count;
    uint8_t *view;
    MDL *mdl;

    assert_int_equal(ram_alloc_frames(&request, frames), STATUS_SUCCESS);
    mdl = nt_mdl_from_frames(frames, 4, 16, 4 * PAGE_SIZE - 16);
    assert_null(nt_mdl_from_frames(frames, 4, 16, 4 * PAGE_SIZE));
    listed = nt_mdl_frames(mdl, &count);
    assert_int_equal(count, 4);
    assert_memory_equal(listed, frames, sizeof(frames));
    view = MmGetSystemAddressForMdlSafe(mdl, NormalPagePriority);
    view[PAGE_SIZE] = 9;
    assert_int_equal(((uint8_t *)ram_at(frames[1] << PAGE_SHIFT, PAGE_SIZE))[16], 9);
    nt_mdl_free(mdl);
    ram_free_frames(frames, 4);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

/* ---- Contiguous memory and addresses ---- */

KERNEL_TEST(contiguous_memory_honours_its_bounds)
{
    PHYSICAL_ADDRESS low = {.QuadPart = 1 << 20}, high = {.QuadPart = (16 << 20) - 1};
    PHYSICAL_ADDRESS boundary = {.QuadPart = 1 << 20};
    uint8_t *memory =
        MmAllocateContiguousMemorySpecifyCache(500000, low, high, boundary, MmNonCached);
    LONGLONG first = MmGetPhysicalAddress(memory).QuadPart;
    LONGLONG last = MmGetPhysicalAddress(memory + 499999).QuadPart;

    assert_int_equal(last - first, 499999);
    assert_true(first >= low.QuadPart && last <= high.QuadPart);
    assert_int_equal(first >> 20, last >> 20);
    assert_ptr_equal(MmGetVirtualForPhysical(MmGetPhysicalAddress(memory)), memory);
    MmFreeContiguousMemorySpecifyCache(memory, 499999, MmNonCached);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 1);
    MmFreeContiguousMemory(memory);
    assert_int_equal(seen.misuses[NT_MISUSE_POOL_FREE], 2);
    high.QuadPart = 4095;
    assert_null(MmAllocateContiguousMemory(PAGE_SIZE, high));
}

/* That there is not so much is an answer. */
KERNEL_TEST(more_contiguous_memory_than_there_is_is_null)
{
    PHYSICAL_ADDRESS any = {.QuadPart = INT64_MAX};

    assert_null(MmAllocateContiguousMemory((SIZE_T)1 << 40, any));
    assert_int_equal(misuse_count(), 0);
    assert_null(MmAllocateContiguousMemory(0, any));
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
}

/* Common buffers are where the device reaches; what is not there is no fault of the caller. */
KERNEL_TEST(a_dma_adapter_is_whole)
{
    DEVICE_DESCRIPTION wanted = {.Version = DEVICE_DESCRIPTION_VERSION3, .DmaAddressWidth = 24};
    NTSTATUS(NTAPI * build)(void);
    PHYSICAL_ADDRESS logical;
    ULONG registers;
    PDMA_ADAPTER adapter = IoGetDmaAdapter(NULL, &wanted, &registers);
    uint8_t *buffer;

    buffer = adapter->DmaOperations->AllocateCommonBuffer(adapter, PAGE_SIZE, &logical, TRUE);
    assert_non_null(buffer);
    assert_true(logical.QuadPart < 1 << 24);
    adapter->DmaOperations->FreeCommonBuffer(adapter, PAGE_SIZE, logical, buffer, TRUE);
    build = (NTSTATUS(NTAPI *)(void))(uintptr_t)adapter->DmaOperations->BuildScatterGatherList;
    assert_int_equal(build(), STATUS_NOT_IMPLEMENTED);
    assert_int_equal(seen.lacks, 1);
    assert_string_equal(seen.lacked, "DmaOperations->BuildScatterGatherList");
    adapter->DmaOperations->PutDmaAdapter(adapter);
    wanted.Version = 4;
    assert_null(IoGetDmaAdapter(NULL, &wanted, &registers));
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(addresses_are_valid_or_not)
{
    const void *low, *high;
    int local;

    assert_true(MmIsAddressValid(&local));
    assert_false(MmIsAddressValid((void *)0x10));
    assert_false(MmIsAddressValid((void *)0x123456789000));
    task_stack_bounds(&low, &high);
    assert_false(MmIsAddressValid((char *)(uintptr_t)low - 1)); /* the guard */
    assert_true(MmGetPhysicalAddress(&local).QuadPart != 0);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(MmGetPhysicalAddress((void *)0x123456789000).QuadPart, 0);
    assert_int_equal(seen.misuses[NT_MISUSE_ADDRESS], 1);
}

/* ---- I/O space ---- */

static struct pci_slot *slot;
static DEVICE_OBJECT *device;
static DRIVER_OBJECT *driver;

static int device_start(void **state)
{
    kernel_start(state);
    assert_int_equal(pci_plug(&fake_model, NULL, NULL, &slot), STATUS_SUCCESS);
    assert_int_equal(nt_device_create(slot, &device), STATUS_SUCCESS);
    assert_int_equal(nt_driver_object_create("fake", &driver), STATUS_SUCCESS);
    assert_int_equal(nt_device_set_driver(device, driver), STATUS_SUCCESS);
    return 0;
}

static int device_end(void **state)
{
    nt_device_destroy(device);
    nt_driver_object_destroy(driver);
    pci_unplug(slot);
    return kernel_stop(state);
}

#define DEVICE_TEST(name) cmocka_unit_test_setup_teardown(name, device_start, device_end)

KERNEL_TEST(a_driver_drops_no_reference_of_the_kernel)
{
    DEVICE_OBJECT *top;

    ObReferenceObject(device);
    top = IoGetAttachedDeviceReference(device);
    assert_ptr_equal(top, device);
    ObDereferenceObject(device);
    ObDereferenceObject(device);
    assert_int_equal(misuse_count(), 0);
    ObDereferenceObject(device);
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    IoDeleteDevice(device); /* it is the bus's */
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 2);
    ObReferenceObject(device); /* it is still there */
    ObDereferenceObject(device);
    assert_int_equal(misuse_count(), 2);
}

KERNEL_TEST(registers_are_read_and_written)
{
    PHYSICAL_ADDRESS base = {
        .QuadPart = (LONGLONG)pci_resources(slot)->bars[FAKE_REGISTER_BAR].base + 4 * FAKE_PLAIN};
    ULONG *registers = MmMapIoSpace(base, 16, MmNonCached), buffer[2] = {7, 8};

    assert_non_null(registers);
    assert_int_equal((uintptr_t)registers % PAGE_SIZE, 4 * FAKE_PLAIN);
    WRITE_REGISTER_ULONG(registers, 0x12345678);
    assert_int_equal(READ_REGISTER_ULONG(registers), 0x12345678);
    assert_int_equal(READ_REGISTER_USHORT((USHORT *)registers), 0x5678);
    WRITE_REGISTER_BUFFER_ULONG(registers, buffer, 2);
    assert_int_equal(READ_REGISTER_NOFENCE_ULONG(registers + 1), 8);
    assert_int_equal(READ_REGISTER_ULONG64((ULONG64 *)(void *)registers), 0x800000007);
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(READ_PORT_ULONG((ULONG *)0x3C0), 0xFFFFFFFF);
    WRITE_PORT_UCHAR((UCHAR *)0x3C0, 1);
    assert_int_equal(misuse_count(), 0);
    MmUnmapIoSpace(registers, 12);
    assert_int_equal(seen.misuses[NT_MISUSE_MAPPING], 1);
    MmUnmapIoSpace(registers, 16);
    assert_int_equal(seen.misuses[NT_MISUSE_MAPPING], 2);
    WRITE_REGISTER_ULONG(buffer, 9);
    assert_int_equal(seen.misuses[NT_MISUSE_REGISTER], 1);
    assert_int_equal(READ_REGISTER_ULONG(buffer), 9);
    assert_int_equal(seen.misuses[NT_MISUSE_REGISTER], 2);
}

static void read_what_is_unmapped(void *argument)
{
    PHYSICAL_ADDRESS base = {.QuadPart =
                                 (LONGLONG)pci_resources(slot)->bars[FAKE_REGISTER_BAR].base};
    ULONG *registers = MmMapIoSpace(base, 16, MmNonCached);

    MmUnmapIoSpace(registers, 16);
    READ_REGISTER_ULONG(registers);
}

static void a_read_of_what_is_unmapped_is_a_bug_check(void **state)
{
    assert_int_equal(run_task(read_what_is_unmapped, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.bugcheck, PAGE_FAULT_IN_NONPAGED_AREA);
    assert_int_equal(seen.misuses[NT_MISUSE_REGISTER], 1);
    assert_non_null(strstr(seen.misuse_text, "offset 0x0 of the mapping of 16 bytes"));
    assert_non_null(strstr(seen.misuse_text, "which was unmapped at"));
}

static void write_to_nowhere_at_dispatch(void *argument)
{
    KfRaiseIrql(DISPATCH_LEVEL);
    WRITE_REGISTER_UCHAR((UCHAR *)0xFBFBFBFBFBFBFC0F, 0);
}

static void a_write_to_nowhere_is_a_bug_check(void **state)
{
    assert_int_equal(run_task(write_to_nowhere_at_dispatch, NULL), MACHINE_STOP_HALTED);
    assert_int_equal(seen.bugcheck, DRIVER_IRQL_NOT_LESS_OR_EQUAL);
    assert_int_equal(seen.misuses[NT_MISUSE_REGISTER], 1);
    assert_non_null(strstr(seen.misuse_text, "in no mapping of a device"));
}

KERNEL_TEST(nothing_is_mapped_where_nothing_is)
{
    PHYSICAL_ADDRESS nowhere = {.QuadPart = 0x7FFFFFFFF000};

    assert_null(MmMapIoSpace(nowhere, PAGE_SIZE, MmNonCached));
    assert_null(MmMapIoSpaceEx(nowhere, PAGE_SIZE, 0));
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

/* ---- The device's stack ---- */

KERNEL_TEST(the_bus_answers_for_its_device)
{
    struct {
        INTERFACE base;
        void *translate, *adapter;
        ULONG(NTAPI *set)(PVOID, ULONG, PVOID, ULONG, ULONG);
        ULONG(NTAPI *get)(PVOID, ULONG, PVOID, ULONG, ULONG);
    } bus = {0};
    static const GUID standard = {
        0x496B8280, 0x6F25, 0x11D0, {0xBE, 0xAF, 0x08, 0x00, 0x2B, 0xE2, 0x09, 0x2F}};
    USHORT vendor = 0, expected;
    IO_STATUS_BLOCK io;
    KEVENT done;
    IRP *irp;

    pci_config_read(slot, 0, &expected, 2);
    KeInitializeEvent(&done, NotificationEvent, FALSE);
    irp = IoBuildSynchronousFsdRequest(IRP_MJ_PNP, device, NULL, 0, NULL, &done, &io);
    irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
    IoGetNextIrpStackLocation(irp)->MinorFunction = IRP_MN_QUERY_INTERFACE;
    IoGetNextIrpStackLocation(irp)->Parameters.QueryInterface.InterfaceType = &standard;
    IoGetNextIrpStackLocation(irp)->Parameters.QueryInterface.Size = sizeof(bus);
    IoGetNextIrpStackLocation(irp)->Parameters.QueryInterface.Version = 1;
    IoGetNextIrpStackLocation(irp)->Parameters.QueryInterface.Interface = &bus.base;
    assert_int_equal(IoCallDriver(device, irp), STATUS_SUCCESS);
    assert_int_equal(KeReadStateEvent(&done), 1);
    assert_int_equal(io.Status, STATUS_SUCCESS);
    assert_int_equal(bus.get(bus.base.Context, PCI_WHICHSPACE_CONFIG, &vendor, 0, 2), 2);
    assert_int_equal(vendor, expected);
    bus.base.InterfaceDereference(bus.base.Context);

    irp = IoBuildSynchronousFsdRequest(IRP_MJ_PNP, device, NULL, 0, NULL, NULL, &io);
    irp->IoStatus.Status = STATUS_NOT_SUPPORTED;
    IoGetNextIrpStackLocation(irp)->MinorFunction = 0x55;
    assert_int_equal(IoCallDriver(device, irp), STATUS_NOT_SUPPORTED);
    irp = IoBuildDeviceIoControlRequest(1, device, NULL, 0, NULL, 0, FALSE, NULL, &io);
    assert_int_equal(IoCallDriver(device, irp), STATUS_INVALID_DEVICE_REQUEST);
}

KERNEL_TEST(properties_and_keys_of_a_device)
{
    WCHAR text[64];
    ULONG size, number;
    HANDLE key;

    assert_int_equal(
        IoGetDeviceProperty(device, DevicePropertyLegacyBusType, sizeof(number), &number, &size),
        STATUS_SUCCESS);
    assert_int_equal(number, PCIBus);
    assert_int_equal(IoGetDeviceProperty(device, DevicePropertyHardwareID, 4, text, &size),
                     STATUS_BUFFER_TOO_SMALL);
    assert_true(size > 40);
    assert_int_equal(
        IoGetDeviceProperty(device, DevicePropertyClassName, sizeof(text), text, &size),
        STATUS_SUCCESS);
    assert_memory_equal(text, L"Display", 16);
    assert_int_equal(IoOpenDeviceRegistryKey(device, PLUGPLAY_REGKEY_DRIVER, KEY_READ, &key),
                     STATUS_SUCCESS);
    ZwClose(key);
    assert_true(nt_registry_key_exists(nt_device_software_key(device)));
    assert_true(nt_registry_key_exists(NT_REGISTRY_SERVICES "\\fake"));
    assert_int_equal(nt_driver_registry_path(driver)->Length % 2, 0);
    assert_ptr_equal(nt_device_slot(device), slot);
    assert_int_equal(misuse_count(), 0);
}

static VOID NTAPI count_call(PVOID context)
{
    ++*(unsigned *)context;
}

static unsigned interrupts;

static BOOLEAN NTAPI service(struct _KINTERRUPT *interrupt, PVOID context)
{
    ULONG *registers = context;

    if (!(READ_REGISTER_ULONG(registers + FAKE_STATUS) & 1)) {
        return FALSE;
    }
    WRITE_REGISTER_ULONG(registers + FAKE_STATUS, 1);
    count_call(&interrupts);
    return TRUE;
}

static BOOLEAN NTAPI synchronized(PVOID context)
{
    return KeGetCurrentIrql() == pci_resources(slot)->interrupt_irql && context == &interrupts;
}

KERNEL_TEST(a_driver_can_connect_its_own_interrupt)
{
    const struct pci_resources *resources = pci_resources(slot);
    PHYSICAL_ADDRESS base = {.QuadPart = (LONGLONG)resources->bars[FAKE_REGISTER_BAR].base};
    ULONG *registers = MmMapIoSpace(base, PAGE_SIZE, MmNonCached);
    PKINTERRUPT interrupt;

    interrupts = 0;
    assert_int_equal(IoConnectInterrupt(&interrupt, service, registers, NULL,
                                        resources->interrupt_vector, resources->interrupt_irql,
                                        resources->interrupt_irql, LevelSensitive, TRUE, 1, FALSE),
                     STATUS_SUCCESS);
    WRITE_REGISTER_ULONG(registers + FAKE_CONTROL, 1);
    machine_spend(NS_PER_MS);
    machine_yield();
    assert_int_equal(interrupts, 1);
    assert_true(KeSynchronizeExecution(interrupt, synchronized, &interrupts));
    IoDisconnectInterrupt(interrupt);
    assert_false(KeSynchronizeExecution(interrupt, synchronized, &interrupts));
    assert_int_equal(seen.misuses[NT_MISUSE_OBJECT], 1);
    MmUnmapIoSpace(registers, PAGE_SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(an_mdl_of_pool_names_its_frames),
        KERNEL_UNIT_TEST(a_mapping_shows_the_same_bytes),
        KERNEL_UNIT_TEST(pages_for_an_mdl_are_zero_and_scattered),
        KERNEL_UNIT_TEST(pages_for_an_mdl_come_at_dispatch_level),
        KERNEL_UNIT_TEST(a_partial_mdl_is_used_again),
        KERNEL_UNIT_TEST(pages_of_a_spoiled_mdl_are_freed_once),
        KERNEL_UNIT_TEST(locking_bad_memory_raises),
        KERNEL_UNIT_TEST(probes_raise_for_what_no_client_has),
        KERNEL_UNIT_TEST(a_stack_is_locked_where_it_lies),
        KERNEL_UNIT_TEST(a_client_sees_nonpaged_pool_beside_the_system),
        KERNEL_UNIT_TEST(a_client_and_the_system_see_locked_pages),
        KERNEL_UNIT_TEST(an_mdl_is_made_from_frames),
        KERNEL_UNIT_TEST(contiguous_memory_honours_its_bounds),
        KERNEL_UNIT_TEST(more_contiguous_memory_than_there_is_is_null),
        KERNEL_UNIT_TEST(a_dma_adapter_is_whole),
        KERNEL_UNIT_TEST(addresses_are_valid_or_not),
        DEVICE_TEST(a_driver_drops_no_reference_of_the_kernel),
        DEVICE_TEST(registers_are_read_and_written),
        DEVICE_TEST(a_read_of_what_is_unmapped_is_a_bug_check),
        DEVICE_TEST(a_write_to_nowhere_is_a_bug_check),
        DEVICE_TEST(nothing_is_mapped_where_nothing_is),
        DEVICE_TEST(the_bus_answers_for_its_device),
        DEVICE_TEST(properties_and_keys_of_a_device),
        DEVICE_TEST(a_driver_can_connect_its_own_interrupt),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
