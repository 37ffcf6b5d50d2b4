/* softgpu_queues.h: hardware queues, which the software GPU schedules by itself: the part of
 * softgpu_regs.h that only drivers with such queues include. commands.md tells the same as a text.
 *
 *   engine ── hardware contexts: priority, address space ── queues: rings of entries
 *
 * The engine runs entries of the queues itself: those of the context that comes first by band,
 * process and priority. It leaves a context between commands (as CONTROL's granularity says), when
 * a better one has work, when its quantum is over, when it waits, or when it is suspended. */
#ifndef SOFTGPU_QUEUES_H
#define SOFTGPU_QUEUES_H

#include "softgpu_regs.h"

/* ---- Queues --------------------------------------------------------------------------------- */

#define SOFTGPU_HWQUEUE_COUNT   256u
#define SOFTGPU_HWCONTEXT_COUNT 128u

#define SOFTGPU_HWQUEUE_REG(queue, reg) (0x8000 + (queue)*0x40 + (reg))

#define SOFTGPU_HWQUEUE_CONTROL   0x00 /* RW: _ENABLE | context << 8; 0 drops what is in it */
#define SOFTGPU_HWQUEUE_RING_SIZE 0x04 /* RW while disabled: entries, a power of two <= 4096 */
#define SOFTGPU_HWQUEUE_RING_BASE 0x08 /* RW while disabled: GPU address, 4 KiB aligned, pair */
#define SOFTGPU_HWQUEUE_HEAD      0x10 /* RO: index of the entry in work, or next */
#define SOFTGPU_HWQUEUE_TAIL      0x14 /* RW: index after the last entry: the doorbell */
#define SOFTGPU_HWQUEUE_READ      0x18 /* RW while disabled: _CLIENT: where HEAD is noted, pair */
#define SOFTGPU_HWQUEUE_FIRST     0x20 /* RW: HEAD and TAIL when it is enabled */

#define SOFTGPU_HWQUEUE_ENABLE 0x1u
/* The ring is a client's: it lies in the context's address space, as READ does, and nothing in it
 * is privileged. Behind each entry HEAD is written to READ, unless that is 0. */
#define SOFTGPU_HWQUEUE_CLIENT             0x2u
#define SOFTGPU_HWQUEUE_RING_MAX           4096u
#define SOFTGPU_HWQUEUE_OF_CONTEXT(number) (SOFTGPU_HWQUEUE_ENABLE | (number) << 8)

/* A submission: the buffer, and where the queue's progress is noted when it has ended. Both
 * addresses are those of the context's address space. */
struct softgpu_hwqueue_entry {
    softgpu_u32 flags; /* SOFTGPU_ENTRY_... */
    softgpu_u32 size_bytes;
    softgpu_u32 address_low, address_high; /* 4 byte aligned */
    softgpu_u32 fence_address_low, fence_address_high;
    softgpu_u32 fence_low, fence_high;
};

#define SOFTGPU_ENTRY_FENCE      0x1u /* the device writes the fence; else the buffer does */
#define SOFTGPU_ENTRY_INTERRUPT  0x2u /* sets USER when it is done */
#define SOFTGPU_ENTRY_PRIVILEGED 0x4u /* the buffer was written by the driver itself */
#define SOFTGPU_ENTRY_FLAGS      0x7u

/* ---- Doorbells ------------------------------------------------------------------------------ */

/* Each is a page of its own, which a client may be shown: what is written to its first word is
 * written to TAIL of the queue that it is bound to, if that is one of a client's. Nothing is read
 * there. A queue that is switched off is bound to none. */
#define SOFTGPU_DOORBELL_COUNT       4u
#define SOFTGPU_DOORBELL_SIZE        0x1000u
#define SOFTGPU_DOORBELL(number)     (0x10000u + (number)*SOFTGPU_DOORBELL_SIZE)
#define SOFTGPU_REG_DOORBELL(number) (0xE060u + (number)*4u) /* RW: queue + 1; 0: leads nowhere */

/* ---- Contexts ------------------------------------------------------------------------------- */

#define SOFTGPU_HWCONTEXT_REG(context, reg) (0xC000 + (context)*0x40 + (reg))

#define SOFTGPU_HWCONTEXT_CONTROL       0x00 /* RW: _ENABLE | engine << 8; 0: it is none */
#define SOFTGPU_HWCONTEXT_SPACE         0x04 /* RW: address space; 0: GPU addresses */
#define SOFTGPU_HWCONTEXT_BAND          0x08 /* RW: SOFTGPU_BAND_... */
#define SOFTGPU_HWCONTEXT_PRIORITY      0x0C /* RW: signed; a higher one comes first */
#define SOFTGPU_HWCONTEXT_ID            0x10 /* RW: what the log calls it, pair */
#define SOFTGPU_HWCONTEXT_QUANTUM       0x18 /* RW: ns, before an equal one of its process runs */
#define SOFTGPU_HWCONTEXT_GRACE_SAME    0x1C /* RW: ns that it leaves an equal one of its process */
#define SOFTGPU_HWCONTEXT_GRACE_LOWER   0x20 /* RW: the same for a lower one */
#define SOFTGPU_HWCONTEXT_SUSPEND_FENCE 0x28 /* RW: number of the next SUSPEND, pair */
#define SOFTGPU_HWCONTEXT_SUSPENDED     0x30 /* RO: number of the last that was honoured, pair */
#define SOFTGPU_HWCONTEXT_COMMAND       0x38 /* WO: SOFTGPU_HWCONTEXT_SUSPEND or _RESUME */
#define SOFTGPU_HWCONTEXT_STATUS        0x3C /* RO: SOFTGPU_HWCONTEXT_IS_... */

#define SOFTGPU_HWCONTEXT_ENABLE            0x1u
#define SOFTGPU_HWCONTEXT_OF_ENGINE(engine) (SOFTGPU_HWCONTEXT_ENABLE | (engine) << 8)
#define SOFTGPU_HWCONTEXT_SUSPEND           1u
#define SOFTGPU_HWCONTEXT_RESUME            2u
#define SOFTGPU_HWCONTEXT_IS_RUNNING        0x1u
#define SOFTGPU_HWCONTEXT_IS_SUSPENDED      0x2u
#define SOFTGPU_HWCONTEXT_IS_LOST           0x4u /* a reset of the engine broke its work off */

#define SOFTGPU_BAND_IDLE     0u
#define SOFTGPU_BAND_NORMAL   1u
#define SOFTGPU_BAND_FOCUS    2u
#define SOFTGPU_BAND_REALTIME 3u /* by the priority, whatever the process */
#define SOFTGPU_BAND_COUNT    4u

/* Of all engines, in nanoseconds. */
#define SOFTGPU_BAND_REG(band, reg) (0xE000 + (band)*0x10 + (reg))

#define SOFTGPU_BAND_GRACE           0x0 /* RW: that a context of it leaves one of a lower band */
#define SOFTGPU_BAND_PROCESS_QUANTUM 0x4 /* RW: before another process of the band runs */
#define SOFTGPU_BAND_PROCESS_GRACE   0x8 /* RW: that this one leaves the other then */
#define SOFTGPU_REG_NORMAL_SHARE     0xE040 /* RW: percent that _FOCUS leaves _NORMAL, 0 ... 50 */

/* ---- The scheduling log: SOFTGPU_ENGINE_LOG_... --------------------------------------------- */

/* What the device writes of its switches: the header's first two words are written at once, behind
 * the entry that they count. */
struct softgpu_log_header {
    softgpu_u32 next_entry, wraparounds;
    softgpu_u32 entries_low, entries_high; /* not touched */
    softgpu_u32 reserved[4];
};

struct softgpu_log_entry {
    softgpu_u32 time_low, time_high;
    softgpu_u32 operation, reserved; /* 0: a context changes its state */
    softgpu_u32 context_low, context_high;
    softgpu_u32 state; /* SOFTGPU_LOG_... */
    softgpu_u32 reserved2;
};

#define SOFTGPU_LOG_IDLE    0u /* it has nothing to do */
#define SOFTGPU_LOG_RUNNING 1u
#define SOFTGPU_LOG_READY   2u /* it has, and does not run */

#endif
