/* A driver module that tries what a process without rights cannot: it says what came of it. */
#include <ntddk.h>

int open(const char *path, int flags, ...);
int socket(int domain, int type, int protocol);
int fork(void);
int kill(int process, int number);

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path);

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver, PUNICODE_STRING path)
{
    UNREFERENCED_PARAMETER(driver);
    UNREFERENCED_PARAMETER(path);
    DbgPrint("read %d\n", open("/etc/passwd", 0));
    DbgPrint("write %d\n", open("stolen", 0101, 0666));
    DbgPrint("socket %d\n", socket(2, 1, 0));
    DbgPrint("fork %d\n", fork());
    DbgPrint("kill %d\n", kill(1, 0));
    return STATUS_UNSUCCESSFUL;
}
