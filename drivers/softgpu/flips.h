/* flips.h: the flip queue of a source's planes, since WDDM 3.0. planes.h opens this.
 *
 *   SetVidPnSourceAddressWithMultiPlaneOverlay3 ──TargetFlipTime──> device's queue ──vsync──> shown
 *                                                                       │
 *   dxgkrnl's log <── vsync, or UpdateFlipQueueLog ── device's log <────┘ */
#ifndef SOFTGPU_FLIPS_H
#define SOFTGPU_FLIPS_H

struct softgpu_adapter;
struct softgpu_plane;
struct softgpu_planes;
struct softgpu_source;

/* By which DDI dxgkrnl takes flips back. */
enum softgpu_flip_cancel {
    SOFTGPU_CANCEL_FLIPS,  /* DxgkDdiCancelFlips, of all planes at once */
    SOFTGPU_CANCEL_SECOND, /* DxgkDdiCancelQueuedFlips, behind a DxgkDdiCancelFlips that refuses */
    SOFTGPU_CANCEL_QUEUED, /* DxgkDdiCancelQueuedFlips alone, plane by plane */
    SOFTGPU_CANCEL_COUNT
};

#define SOFTGPU_FLIPS_KEPT 16u /* more than wait at once */

/* What a call gave a plane. */
struct softgpu_flip_given {
    ULONGLONG tag; /* 0: nothing */
    BOOLEAN on;
    ULONGLONG address;
    ULONG pitch_bytes, format, right_offset;
    RECT from, to, clip;
    ULONG control;
};

/* Of one plane of a source (isr). */
struct softgpu_flip_plane {
    DXGK_FLIPQUEUE_LOG_ENTRY *log; /* dxgkrnl's; NULL: none */
    ULONG log_entries, log_next;
    ULONGLONG interrupt_from; /* InterruptTargetPresentId */
    struct softgpu_flip_given given[SOFTGPU_FLIPS_KEPT];
    ULONG given_count;
    ULONGLONG gone; /* the first tag that went with another plane's; 0: none that is not told */
};

struct softgpu_flips {
    struct softgpu_flip_plane plane[SOFTGPU_PLANE_MAX];
};

/* May the device queue flips? Asked when the device starts, before the caps are said. */
void softgpu_flips_ask(struct softgpu_adapter *adapter);
/* Can they stand behind those that wait? FALSE: not before the queue is empty (isr). */
BOOLEAN softgpu_flips_may_queue(const struct softgpu_planes *planes);
/* The device's time of a flip (isr). */
ULONGLONG softgpu_flip_time(struct softgpu_adapter *adapter, ULONGLONG target);
/* Remembers what a call gave (isr). */
void softgpu_flips_given(struct softgpu_source *source, const struct softgpu_planes *planes);
/* The planes went off, and with them what waited: nothing was given (isr). */
void softgpu_flips_forget(struct softgpu_source *source);
/* The device has forgotten what is to interrupt. */
void softgpu_flips_resume(struct softgpu_adapter *adapter, ULONG output);
/* Tells what an output's vsync completed (isr). */
void softgpu_report_flips(struct softgpu_adapter *adapter, ULONG output, ULONG source);
DXGKDDI_SETFLIPQUEUELOGBUFFER softgpu_set_flip_log;
DXGKDDI_UPDATEFLIPQUEUELOG softgpu_update_flip_log;
DXGKDDI_CANCELFLIPS softgpu_cancel_flips;
DXGKDDI_CANCELQUEUEDFLIPS softgpu_cancel_queued_flips;
DXGKDDI_SETINTERRUPTTARGETPRESENTID softgpu_set_flip_interrupt;

#endif
