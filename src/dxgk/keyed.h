/* Keyed mutexes of clients, for the client face, a room of dxgk.h, and inside.
 *
 * A *keyed mutex* is a CPU's: who acquires it names a key, and gets it when it was released last
 * with that key. It belongs to no adapter. Whoever has it hands on a fence value, and bytes that
 * the runtimes of two clients know (*runtime data*).
 *
 *     released with key a ── acquire(a) ──> owned ── release(b) ──> released with key b ...
 *                                             └── its owner ends ──> abandoned: for everybody
 *
 * An opening of a mutex is what a handle of its process names, as of a synchronisation object.
 * IRQL PASSIVE_LEVEL. */
#ifndef DXGK_KEYED_H
#define DXGK_KEYED_H

#include <d3dkmthk.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"

struct dxgk_keyed;
struct dxgk_keyed_core;
struct dxgk_process;
struct task;

#define DXGK_KEYED_BYTES_MAX 65536u /* of runtime data; ours */

struct dxgk_keyed_request {
    UINT64 key; /* that it is released with */
    const void *runtime_data;
    UINT runtime_size;
    bool nt_security; /* shared by a handle of the system, not by a number */
};
NTSTATUS MUST_CHECK dxgk_keyed_create(struct dxgk_process *process,
                                      const struct dxgk_keyed_request *request,
                                      struct dxgk_keyed **out);
NTSTATUS MUST_CHECK dxgk_keyed_open(struct dxgk_process *process, struct dxgk_keyed_core *core,
                                    struct dxgk_keyed **out);
/* If it is the owner, the mutex is abandoned. */
NTSTATUS dxgk_keyed_destroy(struct dxgk_keyed *keyed);

/* TIMEOUT, and ABANDONED: nobody gets it any more; both are successes by their numbers. Blocks, up
 * to the deadline. */
NTSTATUS MUST_CHECK dxgk_keyed_acquire(struct dxgk_keyed *keyed, UINT64 key, uint64_t deadline_ns);
/* Has this opening the mutex? */
bool dxgk_keyed_has(const struct dxgk_keyed *keyed);
/* INVALID_PARAMETER: it is not the owner, or the data are not as many as it was made with. */
struct dxgk_keyed_release {
    UINT64 key, fence_value;
    const void *runtime_data;
    UINT runtime_size; /* 0: they stay */
};
NTSTATUS MUST_CHECK dxgk_keyed_release(struct dxgk_keyed *keyed,
                                       const struct dxgk_keyed_release *release);

D3DKMT_HANDLE dxgk_keyed_handle(const struct dxgk_keyed *keyed);
/* By which every process can open it; 0: it is not shared so. */
D3DKMT_HANDLE dxgk_keyed_shared_handle(const struct dxgk_keyed *keyed);
struct dxgk_keyed_core *dxgk_keyed_shared(const struct dxgk_keyed *keyed);
bool dxgk_keyed_has_nt_security(const struct dxgk_keyed *keyed);
UINT64 dxgk_keyed_fence_value(const struct dxgk_keyed *keyed);
const void *dxgk_keyed_runtime_data(const struct dxgk_keyed_core *core, UINT *size);

/* ---- Inside ---------------------------------------------------------------------------------- */

/* One more has it open; false: it has ended. */
bool dxgk_keyed_core_open(struct dxgk_keyed_core *core);
void dxgk_keyed_core_close(struct dxgk_keyed_core *core);
struct dxgk_life *dxgk_keyed_core_life(struct dxgk_keyed_core *core);
void dxgk_keyeds_close(struct dxgk_process *process);

/* For who explains why nothing goes on: what a thread of the process waits for without an end. */
struct dxgk_keyed_wait {
    const struct dxgk_process *owner; /* NULL: nobody has it */
    uint32_t number;                  /* of the mutex in the record */
    UINT64 key, released;             /* wanted, and what it was released with, if nobody has it */
};
bool dxgk_keyed_wait_of(const struct dxgk_process *process, struct dxgk_keyed_wait *out);
/* Of those that wait so, in the order in which they began; NULL: there are not so many. */
const struct dxgk_process *dxgk_keyed_waiter_at(unsigned index);
/* Does the task wait for a keyed mutex without an end? */
bool dxgk_keyed_task_waits(const struct task *task);

#endif
