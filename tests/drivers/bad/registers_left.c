/* A driver that comes back with registers of its caller's changed. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

__attribute__((naked)) NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object,
                                                  PUNICODE_STRING registry_path)
{
    __asm__("xor %ebx, %ebx; xor %esi, %esi; xor %edi, %edi;"
            "xor %r12d, %r12d; xor %r13d, %r13d; xor %r14d, %r14d; xor %r15d, %r15d;"
            "xorps %xmm6, %xmm6; xorps %xmm15, %xmm15;"
            "mov $0xC0000001, %eax; ret");
}
