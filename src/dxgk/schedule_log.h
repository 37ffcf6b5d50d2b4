/* Scheduling logs: what nodes that schedule hardware contexts by themselves write of it, in memory
 * of the paging process.
 *
 *   SetSchedulingLogBuffer(a) ─> the GPU writes into a ─> SCHEDULING_LOG_INTERRUPT ─>
 *   SetSchedulingLogBuffer(b) ─> what is in a goes to the record; nothing comes into it any more
 *   ─> SCHEDULING_LOG_INTERRUPT ─> SetSchedulingLogBuffer(a) ─> ...
 *
 * It is the GPU's to write, and so whatever a driver had it write: each word is read once, and no
 * count is believed. */
#ifndef DXGK_SCHEDULE_LOG_H
#define DXGK_SCHEDULE_LOG_H

#include <stdint.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_hwcontext;

/* Behind the paging buffers, before there is any hardware context. May switch. */
NTSTATUS MUST_CHECK dxgk_logs_begin(struct dxgk_adapter *adapter);
/* When no hardware context is left. May switch. */
void dxgk_logs_end(struct dxgk_adapter *adapter);
/* How many bytes of the paging space the logs take. */
uint64_t dxgk_log_addresses(const struct dxgk_adapter *adapter);
/* A hardware context is about to end: what is said of it so far is read. */
void dxgk_log_ends(const struct dxgk_hwcontext *context);
/* What the log says from here on is of a node that has been changed: nobody's state is known. */
void dxgk_log_forget(struct dxgk_adapter *adapter, unsigned node);
/* The device was set up anew by that call, with its memory as it was; a client's submission to a
 * hardware queue was done. What pages says nothing: the log's own tables may come back by it. */
void dxgk_logs_begin_anew(struct dxgk_adapter *adapter, const char *since);
/* The same behind a sleep: whether the log is written from then on no page says. */
void dxgk_logs_wake(struct dxgk_adapter *adapter);
void dxgk_log_work_done(struct dxgk_adapter *adapter, unsigned node);
/* DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT, in the DPC: the worker is to look. */
void dxgk_log_told(struct dxgk_adapter *adapter, unsigned node);
/* The worker's part. May switch. */
void dxgk_logs_work(struct dxgk_adapter *adapter);

#endif
