/* softgpu_notices.h: interrupts that dxgkrnl wants in each frame of an output; see notices.c. */
#ifndef SOFTGPU_NOTICES_H
#define SOFTGPU_NOTICES_H

struct softgpu_adapter;

struct softgpu_notice {
    UINT id;         /* dxgkrnl's */
    ULONG before_ns; /* the vsync; 0: the slot is free */
    ULONG output;
};

/* In the adapter, (isr). */
struct softgpu_notices {
    struct softgpu_notice slots[SOFTGPU_OUTPUT_MAX][SOFTGPU_NOTICE_COUNT];
};

DXGKDDI_CREATEPERIODICFRAMENOTIFICATION softgpu_create_frame_notification;
DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION softgpu_destroy_frame_notification;

/* At device IRQL. */
void softgpu_report_notices(struct softgpu_adapter *adapter, ULONG status);
/* The device has forgotten them, after a reset or low power. */
BOOLEAN NTAPI softgpu_notices_resume(PVOID argument);

#endif
