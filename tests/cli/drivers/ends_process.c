/* A module that ends its process by the function END, in DriverEntry or, as WHERE says, in a
 * thread, a DPC or a work item of its own. */
#include <ntddk.h>

#define IN_ENTRY  0
#define IN_THREAD 1
#define IN_DPC    2
#define IN_WORK   3

#ifndef WHERE
#define WHERE IN_ENTRY
#endif
#ifndef END
#define END _exit(0)
#endif

DRIVER_INITIALIZE DriverEntry;
__attribute__((noreturn, sysv_abi)) void _exit(int status);
__attribute__((noreturn, sysv_abi)) void exit(int status);
__attribute__((noreturn, sysv_abi)) void quick_exit(int status);
__attribute__((noreturn, sysv_abi)) void abort(void);

static KDPC dpc;
static WORK_QUEUE_ITEM item;

static VOID NTAPI end_thread(PVOID context)
{
    UNREFERENCED_PARAMETER(context);
    END;
}

static VOID NTAPI end_dpc(PKDPC self, PVOID context, PVOID first, PVOID second)
{
    UNREFERENCED_PARAMETER(self);
    UNREFERENCED_PARAMETER(context);
    UNREFERENCED_PARAMETER(first);
    UNREFERENCED_PARAMETER(second);
    END;
}

static void begin(void)
{
    HANDLE thread;

    switch (WHERE) {
    case IN_THREAD:
        PsCreateSystemThread(&thread, THREAD_ALL_ACCESS, NULL, NULL, NULL, end_thread, NULL);
        break;
    case IN_DPC:
        KeInitializeDpc(&dpc, end_dpc, NULL);
        KeInsertQueueDpc(&dpc, NULL, NULL);
        break;
    case IN_WORK:
        ExInitializeWorkItem(&item, end_thread, NULL);
        ExQueueWorkItem(&item, DelayedWorkQueue);
        break;
    default:
        END;
    }
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    KEVENT never;

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    begin();
    KeInitializeEvent(&never, NotificationEvent, FALSE);
    for (;;) {
        KeWaitForSingleObject(&never, Executive, KernelMode, FALSE, NULL);
    }
}
