/* A driver whose thread comes back with a register and the rounding of its caller's changed. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

static KSTART_ROUTINE thread;

static __attribute__((naked)) VOID NTAPI thread(PVOID context)
{
    __asm__("xor %r12d, %r12d; push $0x3f80; ldmxcsr (%rsp); pop %rax; ret");
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    HANDLE handle;
    PVOID object;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (NT_SUCCESS(
            PsCreateSystemThread(&handle, THREAD_ALL_ACCESS, NULL, NULL, NULL, thread, NULL))) {
        ObReferenceObjectByHandle(handle, THREAD_ALL_ACCESS, NULL, KernelMode, &object, NULL);
        ZwClose(handle);
        KeWaitForSingleObject(object, Executive, KernelMode, FALSE, NULL);
        ObDereferenceObject(object);
    }
    return STATUS_UNSUCCESSFUL;
}
