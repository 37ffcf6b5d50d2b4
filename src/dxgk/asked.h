/* For the client face, a room of dxgk.h, which includes it: what clients ask of an adapter that has
 * nothing to do with their own work, and what they set for their processes. IRQL PASSIVE_LEVEL. */
#ifndef DXGK_ASKED_H
#define DXGK_ASKED_H

#include <d3dkmddi.h>
#include <d3dkmthk.h>
#include <ntddk.h>

#include <stdbool.h>
#include <stdint.h>

#include "base/status.h"
#include "machine/vary.h"

struct dxgk_adapter;
struct dxgk_context;
struct dxgk_device;
struct dxgk_process;

/* ---- Priorities ----------------------------------------------------------------------- */

/* Of a process, for all contexts that it has and will have. */
NTSTATUS dxgk_process_set_class(struct dxgk_process *process, D3DKMT_SCHEDULINGPRIORITYCLASS class);
D3DKMT_SCHEDULINGPRIORITYCLASS dxgk_process_class(const struct dxgk_process *process);
/* -7 to 7: before or behind the process's other contexts of the same priority. */
NTSTATUS dxgk_context_set_in_process(struct dxgk_context *context, int priority);
int dxgk_context_in_process(const struct dxgk_context *context);
/* What comes of both in the scheduler. */
unsigned dxgk_context_level(const struct dxgk_context *context);

/* ---- Numbers -------------------------------------------------------------------------- */

/* What the kernel counted since the adapter was started. */
struct dxgk_adapter_numbers {
    unsigned segment_count, node_count, source_count, reset_count;
};
void dxgk_adapter_numbers(struct dxgk_adapter *adapter, struct dxgk_adapter_numbers *out);
/* False: there is no such segment (ids begin at 1), or node. */
struct dxgk_segment_numbers {
    uint64_t limit_bytes, placed_bytes;
    bool aperture;
};
bool dxgk_segment_numbers(struct dxgk_adapter *adapter, unsigned segment,
                          struct dxgk_segment_numbers *out);
/* The time that packets of the kernel's own scheduling were the oldest on the node; what hardware
 * queues take the GPU alone knows. */
struct dxgk_node_numbers {
    uint64_t ran_ns, system_ran_ns;
};
bool dxgk_node_numbers(struct dxgk_adapter *adapter, unsigned node, struct dxgk_node_numbers *out);

/* ---- Devices -------------------------------------------------------------------------- */

/* As if its work had failed: nothing more of it comes to the hardware. */
NTSTATUS dxgk_device_mark_error(struct dxgk_device *device);
/* How many of its Presents may wait or run; 0: the default, and that is kept from here on. */
void dxgk_device_limit_presents(struct dxgk_device *device, UINT limit);
UINT dxgk_device_present_limit(const struct dxgk_device *device);
/* There are as many: the next one waits. */
bool dxgk_device_presents_wait(const struct dxgk_device *device);

/* ---- The driver ----------------------------------------------------------------------- */

enum dxgk_adapter_kind { DXGK_RENDERS, DXGK_DISPLAY_ONLY, DXGK_COMPUTE_ONLY };
enum dxgk_adapter_kind dxgk_adapter_kind(const struct dxgk_adapter *adapter);
/* DEVICE_REMOVED: there is no hardware any more; so do the others answer. */
NTSTATUS dxgk_adapter_calibrate(struct dxgk_adapter *adapter, unsigned node,
                                DXGKARG_CALIBRATEGPUCLOCK *out);
/* Native fences can be made. */
bool dxgk_adapter_has_natives(const struct dxgk_adapter *adapter);
/* What its driver is told of a feature. */
/* Path of the adapter's software key, or of its driver's service; UTF-8, at most the size below. */
#define DXGK_REGISTRY_KEY_MAX 320
void dxgk_adapter_registry_key(const struct dxgk_adapter *adapter, bool service, char *out,
                               size_t size);
DXGK_ISFEATUREENABLED_RESULT dxgk_adapter_feature(const struct dxgk_adapter *adapter,
                                                  DXGK_FEATURE_ID id);
/* D3DKMTSetStablePowerState: clocks that stay as they are, for who measures. NOT_SUPPORTED: the
 * driver has no such thing. */
NTSTATUS dxgk_adapter_hold_clocks(struct dxgk_adapter *adapter, bool hold);
/* Children that are looked at by asking; `interruptible`: those, too, that tell it themselves. */
NTSTATUS dxgk_adapter_poll(struct dxgk_adapter *adapter, bool interruptible, bool destructive);
/* The handle by which every process can open the shared primary that the source shows; 0: it shows
 * none. */
D3DKMT_HANDLE dxgk_source_shared_primary(struct dxgk_adapter *adapter, unsigned source);
/* DxgkDdiSetDisplayPrivateDriverFormat. NOT_SUPPORTED: the driver has no such thing. */
NTSTATUS dxgk_source_set_private_format(struct dxgk_adapter *adapter, unsigned source,
                                        UINT attribute);
/* The colours of what the source shows go through the ramp; Type DEFAULT: as they are.
 * NOT_SUPPORTED: the driver does not say that it can. */
NTSTATUS dxgk_source_set_gamma(struct dxgk_adapter *adapter, unsigned source,
                               const D3DKMDT_GAMMA_RAMP *ramp);

/* learned.c: escapes of a client that has learned what the driver expects of one. What they do to
 * the device nobody knows: nothing comes behind them but its stop. Any of them may wait for ever;
 * count goes up with each that returns. False: nothing was learned. */
bool dxgk_escape_learned(struct dxgk_adapter *adapter, enum variation variation, uint64_t *count);
void dxgk_learn_reset(void); /* of this and all else, at the begin of a run */

#endif
