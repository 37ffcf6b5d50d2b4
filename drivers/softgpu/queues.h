/* queues.h: hardware queues: those that dxgkrnl submits to (queue.c), and those that clients submit
 * to by themselves, by doorbells (doorbell.c). */
#ifndef SOFTGPU_QUEUES_OF_DRIVER_H
#define SOFTGPU_QUEUES_OF_DRIVER_H

/* UserModeSubmission: by doorbells of the device, or by words in memory, which the driver looks at
 * when it is told. */
enum softgpu_users { SOFTGPU_USERS_NONE, SOFTGPU_USERS_RING, SOFTGPU_USERS_TELL };

/* One thread at a time submits to a queue (HWQ-001): its ring needs no lock. */
struct softgpu_hw_queue {
    struct softgpu_hw_context *context;
    HANDLE kernel_handle;
    ULONG slot;
    struct softgpu_hwqueue_entry *ring; /* contiguous system memory; SOFTGPU_QUEUE_ENTRIES */
    ULONGLONG ring_address;
    ULONG tail;
    const volatile ULONGLONG *progress; /* what the GPU wrote last */
    BOOLEAN users;                      /* its client has the ring, by a doorbell; `ring` is NULL */
    struct softgpu_doorbell *doorbell;  /* of such a queue; NULL: it has none */
};

#define SOFTGPU_NO_BELL (~0u)

/* Of a queue that its client submits to by itself. */
struct softgpu_doorbell {
    struct softgpu_hw_queue *queue;
    HANDLE kernel_handle;
    ULONGLONG ring_address, read_address; /* in the client's process */
    ULONG entries;
    ULONG first;          /* where the queue goes on when the device has forgotten it */
    ULONG bell;           /* of the device, that it is connected to; or SOFTGPU_NO_BELL */
    ULONGLONG since;      /* when it was connected, counted in connections */
    volatile ULONG *word; /* a page of memory in place of one, with SOFTGPU_USERS_TELL */
};

/* Which doorbell has which of the device's: under the mutex. */
struct softgpu_bells {
    KMUTEX mutex;
    struct softgpu_doorbell *taken[SOFTGPU_DOORBELL_COUNT];
    ULONGLONG connections; /* so far */
};

NTSTATUS softgpu_query_doorbell_caps(const struct softgpu_adapter *adapter,
                                     const DXGKARG_QUERYADAPTERINFO *query);
DXGKDDI_CREATEDOORBELL softgpu_create_doorbell;
DXGKDDI_CONNECTDOORBELL softgpu_connect_doorbell;
DXGKDDI_DISCONNECTDOORBELL softgpu_disconnect_doorbell;
DXGKDDI_DESTROYDOORBELL softgpu_destroy_doorbell;
DXGKDDI_NOTIFYWORKSUBMISSION softgpu_notify_work_submission;
/* The device is about to forget all, and has forgotten it. */
void softgpu_doorbells_keep(const struct softgpu_adapter *adapter);
void softgpu_doorbells_resume(const struct softgpu_adapter *adapter);

#endif
