/* Native fences (WDDM 3.2): fences that the GPU waits for by itself, and tells of only when a CPU
 * waits.
 *
 *     CreateNativeFence ─> its memory is placed: NOTIFY_FENCE_RESIDENCY ─> OpenNativeFence for each
 *     process that has it open ─> ... ─> CloseNativeFence ─> with the last, DestroyNativeFence
 *
 *     current value     a word that both sides write   who signals on a CPU: the driver does
 *                                                      (UpdateCurrentValuesFromCpu)
 *     monitored value   one less than the least value that a CPU waits for, or UINT64_MAX: the
 *                       driver writes it (UpdateMonitoredValues), the GPU reads it
 *
 * Waits of contexts, too, are a CPU's: the kernel holds their work back. */
#ifndef DXGK_NATIVE_H
#define DXGK_NATIVE_H

#include "dxgk/dxgk.h"
#include "dxgk/syncobj.h"

struct dxgk_failure;
struct paging_operation;
struct vidmm_op;

/* Asks for the caps, if the driver has such fences. */
void dxgk_natives_ask(struct dxgk_adapter *adapter);

/* An opening ends, and the whole fence: the driver hears of it. May switch. */
void dxgk_native_close(struct dxgk_sync *sync);
void dxgk_native_end(struct dxgk_sync_core *core);

/* A CPU, or the scheduler, signals them: those of the batch from `first` on that go to the driver
 * in one call. 0: none, for the first is no such fence, or nobody is to be asked. DISPATCH_LEVEL or
 * below. */
UINT dxgk_natives_signal(const struct dxgk_sync_batch *batch, UINT first);

/* DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED: at device level, and in the DPC. */
void dxgk_native_notice(struct dxgk_adapter *adapter, const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_native_dpc(struct dxgk_adapter *adapter);

/* The worker's: what the driver could not be told before. */
void dxgk_natives_work(struct dxgk_adapter *adapter);
/* What waits of the scheduler's own have changed is told. Any context without locks. */
void dxgk_natives_tell(struct dxgk_adapter *adapter);

/* NOTIFY_FENCE_RESIDENCY of an operation. */
void dxgk_native_fill(const struct vidmm_op *op, DXGKARG_BUILDPAGINGBUFFER *arguments);

#endif
