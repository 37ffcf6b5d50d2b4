/* Request packets: their buffers, who is called when they complete, pending bits. */
#include "nt/support.h"

#include <wdmsec.h>

#define READ_DATA "from the device"

static DRIVER_OBJECT *driver;
static DEVICE_OBJECT *lower, *upper;
static NTSTATUS answer;
static ULONG_PTR answer_size;
static char input_seen[32];
static bool system_buffer_is_callers, mark_pending;
static MDL *mdl_seen;
static void *callers_buffer;

/* Takes the input, writes READ_DATA where the output goes. */
static NTSTATUS NTAPI dispatch_lower(PDEVICE_OBJECT device, PIRP irp)
{
    char *out = irp->AssociatedIrp.SystemBuffer;

    mdl_seen = irp->MdlAddress;
    system_buffer_is_callers = out && out == callers_buffer;
    if (out) {
        snprintf(input_seen, sizeof(input_seen), "%s", out);
    }
    if (mdl_seen) {
        out = MmGetSystemAddressForMdlSafe(mdl_seen, NormalPagePriority);
    }
    if (out && answer_size) {
        memcpy(out, READ_DATA, sizeof(READ_DATA));
    }
    if (mark_pending) {
        IoMarkIrpPending(irp);
    }
    irp->IoStatus.Status = answer;
    irp->IoStatus.Information = answer_size;
    IoCompleteRequest(irp, IO_NO_INCREMENT);
    return mark_pending ? STATUS_PENDING : answer;
}

static NTSTATUS NTAPI dispatch(PDEVICE_OBJECT device, PIRP irp)
{
    if (device == lower) {
        return dispatch_lower(device, irp);
    }
    /* Nothing of its own: a layer without a routine. */
    IoCopyCurrentIrpStackLocationToNext(irp);
    return IoCallDriver(lower, irp);
}

static void make_stack(void)
{
    answer = STATUS_SUCCESS;
    answer_size = sizeof(READ_DATA);
    mark_pending = system_buffer_is_callers = false;
    memset(input_seen, 0, sizeof(input_seen));
    assert_int_equal(nt_driver_object_create("irptest", &driver), STATUS_SUCCESS);
    for (unsigned i = 0; i <= IRP_MJ_MAXIMUM_FUNCTION; i++) {
        driver->MajorFunction[i] = dispatch;
    }
    assert_int_equal(IoCreateDevice(driver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &lower),
                     STATUS_SUCCESS);
    assert_int_equal(IoCreateDevice(driver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &upper),
                     STATUS_SUCCESS);
    assert_ptr_equal(IoAttachDeviceToDeviceStack(upper, lower), lower);
}

static void drop_stack(void)
{
    IoDetachDevice(lower);
    IoDeleteDevice(upper);
    IoDeleteDevice(lower);
    nt_driver_object_destroy(driver);
}

static char *pool_text(const char *text)
{
    char *copy = ExAllocatePool2(POOL_FLAG_NON_PAGED, 32, TAG);

    snprintf(copy, 32, "%s", text);
    return copy;
}

static ULONG control_code(ULONG method)
{
    return CTL_CODE(FILE_DEVICE_UNKNOWN, 0x800, method, FILE_ANY_ACCESS);
}

static NTSTATUS send_control(ULONG method, char *input, char *output, ULONG output_size)
{
    IO_STATUS_BLOCK io = {.Status = STATUS_NOT_SUPPORTED};
    IRP *irp = IoBuildDeviceIoControlRequest(control_code(method), lower, input, 32, output,
                                             output_size, FALSE, NULL, &io);

    assert_non_null(irp);
    callers_buffer = input;
    IoCallDriver(lower, irp);
    return io.Status;
}

KERNEL_TEST(a_secure_device_says_who_may_open_it)
{
    UNICODE_STRING nobody = RTL_CONSTANT_STRING((PWSTR)L"everybody");
    DEVICE_OBJECT *device = NULL;
    IO_STACK_LOCATION location = {.MajorFunction = IRP_MJ_DEVICE_CONTROL};
    IRP irp = {.Tail.Overlay.CurrentStackLocation = &location};

    make_stack();
    assert_int_equal(IoCreateDeviceSecure(driver, 0, NULL, FILE_DEVICE_UNKNOWN, 0, FALSE, &nobody,
                                          NULL, &device),
                     STATUS_INVALID_PARAMETER);
    assert_int_equal(IoCreateDeviceSecure(driver, 16, NULL, FILE_DEVICE_UNKNOWN,
                                          FILE_DEVICE_SECURE_OPEN, TRUE,
                                          &SDDL_DEVOBJ_SYS_ALL_ADM_ALL, NULL, &device),
                     STATUS_SUCCESS);
    assert_true(device->Characteristics == FILE_DEVICE_SECURE_OPEN && device->DeviceExtension);
    assert_true(device->Flags & DO_EXCLUSIVE);
    IoDeleteDevice(device);
    assert_int_equal(IoValidateDeviceIoControlAccess(&irp, FILE_WRITE_ACCESS), STATUS_SUCCESS);
    assert_int_equal(IoValidateDeviceIoControlAccess(&irp, 4), STATUS_INVALID_PARAMETER);
    location.MajorFunction = IRP_MJ_READ;
    assert_int_equal(IoValidateDeviceIoControlAccess(&irp, FILE_READ_ACCESS),
                     STATUS_INVALID_PARAMETER);
    drop_stack();
}

KERNEL_TEST(a_buffered_request_has_a_buffer_of_its_own)
{
    char *input = pool_text("question"), *output = pool_text("");

    make_stack();
    assert_int_equal(send_control(METHOD_BUFFERED, input, output, 32), STATUS_SUCCESS);
    assert_false(system_buffer_is_callers);
    assert_string_equal(input_seen, "question");
    assert_string_equal(input, "question");
    assert_string_equal(output, READ_DATA);
    /* An error moves nothing. */
    answer = STATUS_UNSUCCESSFUL;
    output[0] = 0;
    send_control(METHOD_BUFFERED, input, output, 32);
    assert_string_equal(output, "");
    ExFreePool(input);
    ExFreePool(output);
    drop_stack();
    assert_int_equal(misuse_count(), 0);
    nt_pool_report(NULL, NULL);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

KERNEL_TEST(an_information_beyond_the_output_buffer_is_told)
{
    char *input = pool_text("question"), *output = pool_text("");

    make_stack();
    send_control(METHOD_BUFFERED, input, output, 4);
    assert_memory_equal(output, READ_DATA, 4);
    assert_int_equal(output[4], 0);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    ExFreePool(input);
    ExFreePool(output);
    drop_stack();
}

KERNEL_TEST(a_direct_request_describes_the_output_by_an_mdl)
{
    const ULONG methods[] = {METHOD_IN_DIRECT, METHOD_OUT_DIRECT};
    char *input = pool_text("question"), *output = pool_text("");

    make_stack();
    for (unsigned i = 0; i < 2; i++) {
        output[0] = 0;
        assert_int_equal(send_control(methods[i], input, output, 32), STATUS_SUCCESS);
        assert_non_null(mdl_seen);
        assert_string_equal(input_seen, "question");
        assert_string_equal(output, READ_DATA);
    }
    ExFreePool(input);
    ExFreePool(output);
    drop_stack();
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(nt_leak_report(NULL, NULL), 0); /* unlocked and freed */
}

static void read_from(ULONG device_flags, char *buffer)
{
    IO_STATUS_BLOCK io;
    IRP *irp;

    lower->Flags |= device_flags;
    irp = IoBuildSynchronousFsdRequest(IRP_MJ_READ, lower, buffer, 32, NULL, NULL, &io);
    callers_buffer = buffer;
    IoCallDriver(lower, irp);
    lower->Flags &= ~device_flags;
    assert_int_equal(io.Status, STATUS_SUCCESS);
    assert_int_equal(io.Information, sizeof(READ_DATA));
}

KERNEL_TEST(a_read_is_buffered_or_direct_as_the_device_says)
{
    char *buffer = pool_text("");

    make_stack();
    read_from(DO_BUFFERED_IO, buffer);
    assert_null(mdl_seen);
    assert_false(system_buffer_is_callers);
    assert_string_equal(buffer, READ_DATA);
    buffer[0] = 0;
    read_from(DO_DIRECT_IO, buffer);
    assert_non_null(mdl_seen);
    assert_string_equal(buffer, READ_DATA);
    ExFreePool(buffer);
    drop_stack();
    assert_int_equal(misuse_count(), 0);
    assert_int_equal(nt_leak_report(NULL, NULL), 0);
}

static unsigned completions;
static bool pending_above;
static NTSTATUS routine_answer;

static NTSTATUS NTAPI completed(PDEVICE_OBJECT device, PIRP irp, PVOID context)
{
    completions++;
    pending_above = irp->PendingReturned;
    return routine_answer;
}

/* Sends a request of the driver's own with a routine; how often that was called. */
static unsigned completions_of(bool cancel, bool on_success, bool on_error, bool on_cancel)
{
    IRP *irp = IoAllocateIrp(lower->StackSize, FALSE);

    completions = 0;
    routine_answer = STATUS_MORE_PROCESSING_REQUIRED;
    irp->Cancel = cancel;
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_FLUSH_BUFFERS;
    assert_int_equal(
        IoSetCompletionRoutineEx(lower, irp, completed, NULL, on_success, on_error, on_cancel),
        STATUS_SUCCESS);
    IoCallDriver(lower, irp);
    IoFreeIrp(irp);
    return completions;
}

KERNEL_TEST(a_routine_is_called_for_the_status_or_for_a_cancel)
{
    make_stack();
    answer_size = 0;
    for (unsigned failed = 0; failed < 2; failed++) {
        answer = failed ? STATUS_UNSUCCESSFUL : STATUS_SUCCESS;
        assert_int_equal(completions_of(false, true, false, false), !failed);
        assert_int_equal(completions_of(false, false, true, false), failed);
        assert_int_equal(completions_of(false, false, false, true), 0);
        assert_int_equal(completions_of(true, true, true, false), 1);
        assert_int_equal(completions_of(true, false, false, true), 1);
        assert_int_equal(completions_of(true, !failed, failed, false), 1);
    }
    drop_stack();
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_pending_bit_goes_up_through_a_layer_without_a_routine)
{
    IRP *irp;

    make_stack();
    answer_size = 0;
    mark_pending = true;
    irp = IoAllocateIrp(upper->StackSize, FALSE);
    routine_answer = STATUS_MORE_PROCESSING_REQUIRED;
    pending_above = false;
    IoGetNextIrpStackLocation(irp)->MajorFunction = IRP_MJ_FLUSH_BUFFERS;
    IoSetCompletionRoutine(irp, completed, NULL, TRUE, TRUE, TRUE);
    assert_int_equal(IoCallDriver(upper, irp), STATUS_PENDING);
    assert_true(pending_above);
    IoFreeIrp(irp);
    drop_stack();
}

KERNEL_TEST(an_asynchronous_request_is_freed_by_its_driver)
{
    char *buffer = pool_text("");
    IO_STATUS_BLOCK io;
    IRP *irp;

    make_stack();
    lower->Flags |= DO_BUFFERED_IO;
    irp = IoBuildAsynchronousFsdRequest(IRP_MJ_READ, lower, buffer, 32, NULL, &io);
    routine_answer = STATUS_MORE_PROCESSING_REQUIRED;
    IoSetCompletionRoutine(irp, completed, NULL, TRUE, TRUE, TRUE);
    IoCallDriver(lower, irp);
    assert_string_equal(irp->AssociatedIrp.SystemBuffer, READ_DATA);
    ExFreePool(irp->AssociatedIrp.SystemBuffer);
    IoFreeIrp(irp);
    ExFreePool(buffer);
    drop_stack();
    assert_int_equal(misuse_count(), 0);
}

KERNEL_TEST(a_request_does_not_end_pending)
{
    make_stack();
    answer_size = 0;
    answer = STATUS_PENDING;
    completions_of(false, true, true, true);
    assert_int_equal(seen.misuses[NT_MISUSE_ARGUMENT], 1);
    drop_stack();
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        KERNEL_UNIT_TEST(a_secure_device_says_who_may_open_it),
        KERNEL_UNIT_TEST(a_buffered_request_has_a_buffer_of_its_own),
        KERNEL_UNIT_TEST(an_information_beyond_the_output_buffer_is_told),
        KERNEL_UNIT_TEST(a_direct_request_describes_the_output_by_an_mdl),
        KERNEL_UNIT_TEST(a_read_is_buffered_or_direct_as_the_device_says),
        KERNEL_UNIT_TEST(a_routine_is_called_for_the_status_or_for_a_cancel),
        KERNEL_UNIT_TEST(a_pending_bit_goes_up_through_a_layer_without_a_routine),
        KERNEL_UNIT_TEST(an_asynchronous_request_is_freed_by_its_driver),
        KERNEL_UNIT_TEST(a_request_does_not_end_pending),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
