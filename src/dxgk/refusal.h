/* A room of dxgk.h, which includes it: why the work of a client went wrong, as far as it is known.
 * The client face leaves it, and the host asks. */
#ifndef DXGK_REFUSAL_H
#define DXGK_REFUSAL_H

#include <ntddk.h>

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/status.h"

struct dxgk_adapter;
struct dxgk_process;

struct dxgk_written { /* writer: NULL if none is known; given: dxgk_packet_given() */
    const char *writer, *given;
    uint64_t fence;
    unsigned node, begin, end, submissions;
};
struct dxgk_turned_down { /* ddi: NULL, none was; for which its device was lost */
    const char *ddi;
    NTSTATUS status;
    uint64_t fence;
    bool has_data, validated; /* private data, which ValidateSubmitCommand took */
};

/* The answer to a task's last call. `call`: it was refused, and what was wrong with it came from
 * the client, for that task did not ask the driver meanwhile. `ddi`: the driver's that answered the
 * same. NULL: not so. */
struct dxgk_refusal {
    const char *call, *ddi;
    const char *lacking; /* the call is one that Drydock does not have */
    bool marked;         /* it named a device that its client had marked as being in error */
    NTSTATUS status;
    uint32_t task;      /* that made it; its number in the record */
    const char *inside; /* the call that it is in; NULL: in none */
    uint64_t inside_since_ns;
};

/* Of a process. */
struct dxgk_answers {
    struct dxgk_refusal last;     /* of tasks that keep none for themselves */
    struct dxgk_written read;     /* what the GPU wrote last to what the process locked last */
    struct dxgk_turned_down down; /* the submission by address that the driver refused last */
};
/* Those in words; false: it locked nothing that the GPU wrote to; nothing was refused. */
bool dxgk_written_text(struct dxgk_process *process, char *text, size_t size);
bool dxgk_turned_down_text(struct dxgk_process *process, char *text, size_t size);

/* Where the running task's is kept: as dxgk_refusal_keep() said, or with its process. NULL: it is
 * no client's. */
struct dxgk_refusal *dxgk_refusal_here(void);
void dxgk_refusal_keep(struct dxgk_refusal *refusal);

/* Was there no room for a page table, of video memory that is too small for them anyhow? */
bool dxgk_adapter_lacks_tables(struct dxgk_adapter *adapter);
/* Was an allocation of ordinary size larger than every segment that it may be in? */
bool dxgk_adapter_lacks_size(struct dxgk_adapter *adapter);

uint64_t dxgk_driver_calls(void);      /* begun so far */
uint64_t dxgk_driver_task_calls(void); /* by the running task */
/* The DDI that answered the running task so, after so many calls; or NULL. */
const char *dxgk_driver_refusal(uint64_t driver_calls, NTSTATUS status);

#endif
