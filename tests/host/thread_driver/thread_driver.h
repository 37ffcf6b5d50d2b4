/* A compute-only miniport without hardware: its GPU is a system thread, its video memory contiguous
 * RAM. It behaves as drivers in the world do where the reference driver does not:
 *
 *   - it is built for WDDM 2.6, and says what the registry tells it of its version
 *   - it answers no question it does not know, and leaves CommitLimit of its segment 0
 *   - its interrupt routine never claims an interrupt: the thread reports through
 *     DxgkCbSynchronizeExecution from PASSIVE_LEVEL
 *   - it initialises private data of paging buffers at their first use only, and counts on zeros
 *   - it stops in the middle of a buffer and keeps the progress in the private data
 *
 *      SubmitCommand ──> queue ──work event──> thread ──> memory
 *      PreemptCommand ──────────preempt event──> │
 *                                                └──> ISR level: NotifyInterrupt, QueueDpc */
#ifndef THREAD_DRIVER_H
#define THREAD_DRIVER_H

#define DXGKDDI_INTERFACE_VERSION 0xB004 /* WDDM 2.6 */

#include <dispmprt.h>
#include <ntddk.h>

#include "thread_umd.h"

/* As a module of the host the driver has no structured exceptions. */
#if defined(_WIN32)
#define THREAD_TRY    __try
#define THREAD_EXCEPT __except (EXCEPTION_EXECUTE_HANDLER)
#else
#define THREAD_TRY    if (TRUE)
#define THREAD_EXCEPT else
#endif

#define THREAD_TAG         0x64726854u
#define THREAD_QUEUE_SIZE  64
#define THREAD_PAGING_SIZE 4096u

/* Settings in the service key. */
struct thread_settings {
    ULONG said_version;  /* DXGK_DRIVERCAPS.WDDMVersion */
};
extern struct thread_settings thread_settings;

/* Private data of a DMA buffer. */
struct thread_dma {
    UCHAR *bytes;
    BOOLEAN paging;
    ULONG command;       /* the next one of the submission that was stopped */
    ULONGLONG time_left; /* of that one, in 100 ns */
};

struct thread_submission {
    LIST_ENTRY link;
    struct thread_dma *dma;
    UINT start, end, fence;
};

struct thread_paging_command {
    ULONG pattern;
    BOOLEAN fill;
    UINT segments[2]; /* source and destination; 0: the MDL */
    ULONGLONG addresses[2];
    PMDL mdl;
    ULONG mdl_offset; /* pages */
    SIZE_T size;
};

struct thread_adapter {
    DXGKRNL_INTERFACE dxgk;
    UCHAR *memory;
    PHYSICAL_ADDRESS memory_address;

    PVOID thread;
    KEVENT work, preempt;
    volatile BOOLEAN stop;

    KSPIN_LOCK lock;
    LIST_ENTRY queue, free;
    struct thread_submission submissions[THREAD_QUEUE_SIZE];
    DXGKARG_PREEMPTCOMMAND preemption;
    UINT last_completed;
    DXGKARGCB_NOTIFY_INTERRUPT_DATA notice; /* of the thread */
};

/* gpu.c */
NTSTATUS thread_gpu_start(struct thread_adapter *adapter);
void thread_gpu_stop(struct thread_adapter *adapter);
DXGKDDI_SUBMITCOMMAND thread_submit_command;
DXGKDDI_PREEMPTCOMMAND thread_preempt_command;

/* memory.c */
DXGKDDI_CREATEALLOCATION thread_create_allocation;
DXGKDDI_DESTROYALLOCATION thread_destroy_allocation;
DXGKDDI_OPENALLOCATIONINFO thread_open_allocation;
DXGKDDI_CLOSEALLOCATION thread_close_allocation;
DXGKDDI_DESCRIBEALLOCATION thread_describe_allocation;
DXGKDDI_BUILDPAGINGBUFFER thread_build_paging_buffer;
DXGKDDI_RENDER thread_render;
DXGKDDI_PATCH thread_patch;

#endif
