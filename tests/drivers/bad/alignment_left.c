/* A driver that comes back with the alignment check on, and strings running downwards. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

__attribute__((naked)) NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object,
                                                  PUNICODE_STRING registry_path)
{
    __asm__("pushfq; orl $0x40400, (%rsp); popfq; mov $0xC0000001, %eax; ret");
}
