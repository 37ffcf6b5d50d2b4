/* ddi: the one door between kernel and driver.
 *
 * Only this folder calls a driver, and only this folder is called by one through DXGKRNL_INTERFACE
 * and DxgkInitialize. Every call down goes
 *
 *     enter the threading level ─> raise IRQL ─> rules before ─> record ─> driver
 *     leave it <─ lower IRQL <─ rules after <─ record <──────────────────────┘
 *
 * and every callback up the same way in the other direction, before it reaches `struct
 * ddi_kernel_operations`, which dxgk fills in. Facts about a DDI (first version, IRQL, level) are
 * rows of contract/ddis.def and contract/callbacks.def.
 *
 * Threading levels [GEN-001..004]: level 0 calls run together, but one thread of a process; one
 * thread per class of level 1; levels 2 and 3 alone in the driver. They are gates: they may wait,
 * so no engine lock is held here (machine checks it). A DDI called from inside a callback of the
 * same task passes without waiting. The service and DPC routines take no gate. During a reset the
 * door is closed to all but the task that resets [TDR-001].
 *
 * A driver that registers version V is given structures of the size V has, and no later DDI. */
#ifndef DDI_DDI_H
#define DDI_DDI_H

#include "base/list.h"
#include "contract/contract.h"
#include "machine/machine.h"
#include "nt/nt.h"

struct ddi_adapter;

/* ---- A registered driver ----------------------------------------------------------------- */

/* One per DriverEntry; lives from ddi_driver_enter() until ddi_driver_unload(). */
struct ddi_driver {
    bool registered;
    bool display_only;
    bool catches_faults;              /* its form has exceptions; said after ddi_driver_enter() */
    unsigned interface_version;       /* DXGKDDI_INTERFACE_VERSION_* */
    enum abi_version version;         /* the same */
    DRIVER_INITIALIZATION_DATA table; /* zero beyond what the version has */
    PDXGKDDI_PRESENTDISPLAYONLY present_display_only;
    bool has[POINT_DDI_COUNT]; /* the slot is filled and the version knows it */
    DRIVER_OBJECT *driver_object;
    NTSTATUS registration_status; /* what DxgkInitialize answered */
    char refusal[240];            /* why, if it refused */
    const void *registered_from;  /* where the driver called DxgkInitialize */
};

/* Makes `driver` the one that DxgkInitialize will fill, and calls entry (DriverEntry) through the
 * door. On success driver->registered says whether it registered. */
NTSTATUS MUST_CHECK ddi_driver_enter(struct ddi_driver *driver, DRIVER_INITIALIZE *entry,
                                     DRIVER_OBJECT *driver_object,
                                     const UNICODE_STRING *registry_path);
void ddi_driver_unload(struct ddi_driver *driver);
/* After the unload: memory of the callbacks for IOMMUs that is left, one line each, as
 * nt_leak_report() tells the rest; it is freed. */
void ddi_leak_report(void (*visit)(void *ctx, const char *kind, const char *text), void *ctx);
/* Asked in DxgkInitialize: does it fail for want of memory? NULL: it does not. */
void ddi_set_registration_refusal(bool (*refuses)(void));

/* What it registered has to be code: a table that nobody cleared holds what was there before. */
void ddi_check_routines(const struct ddi_driver *driver, bool (*is_code)(const void *address));

/* The driver's caps have come: what they say it can do has to be registered. */
void ddi_check_caps(const struct ddi_driver *driver, const DXGK_DRIVERCAPS *caps);

/* DxgkInitialize and its kind, as an export table for the loader. */
const struct nt_export *ddi_exports(size_t *count);

/* ---- What the kernel answers ------------------------------------------------------------- */

/* dxgk fills this in once. Called at the IRQL of the callback, on the driver's stack; arguments are
 * the driver's own memory, already past the rules of the point. */
struct ddi_kernel_operations {
    void (*notify_interrupt)(struct ddi_adapter *adapter,
                             const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
    void (*notify_dpc)(struct ddi_adapter *adapter);
    /* The device raised an interrupt that stays away (lost-interrupts). In hardware context; NULL:
     * none is lost. */
    void (*interrupt_lost)(struct ddi_adapter *adapter);
    NTSTATUS (*get_device_information)(struct ddi_adapter *adapter, DXGK_DEVICE_INFO *info);
    void *(*get_handle_data)(const DXGKARGCB_GETHANDLEDATA *data);
    D3DKMT_HANDLE (*get_handle_parent)(D3DKMT_HANDLE handle);
    D3DKMT_HANDLE (*enum_handle_children)(const DXGKARGCB_ENUMHANDLECHILDREN *data);
    NTSTATUS (*indicate_child_status)(struct ddi_adapter *adapter, DXGK_CHILD_STATUS *status);
    NTSTATUS(*query_vidpn_interface)
    (D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
     const DXGK_VIDPN_INTERFACE **interface);
    NTSTATUS(*query_monitor_interface)
    (struct ddi_adapter *adapter, DXGK_MONITOR_INTERFACE_VERSION version,
     const DXGK_MONITOR_INTERFACE **interface);
    NTSTATUS(*acquire_post_display_ownership)
    (struct ddi_adapter *adapter, DXGK_DISPLAY_INFORMATION *information);
    NTSTATUS(*reserve_gpu_virtual_address_range)
    (struct ddi_adapter *adapter, DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range);
    NTSTATUS(*invalidate_hw_context)
    (struct ddi_adapter *adapter, const DXGKARGCB_INVALIDATEHWCONTEXT *request);
    /* The callback names no adapter. False: it has no such hardware queue. */
    bool (*has_hw_queue)(const struct ddi_adapter *adapter, HANDLE queue);
    NTSTATUS(*disconnect_doorbell)
    (struct ddi_adapter *adapter, const DXGKARGCB_DISCONNECTDOORBELL *request);
    NTSTATUS(*create_context_allocation)
    (struct ddi_adapter *adapter, DXGKARGCB_CREATECONTEXTALLOCATION *request);
    NTSTATUS (*destroy_context_allocation)(struct ddi_adapter *adapter, HANDLE allocation);
    D3DGPU_VIRTUAL_ADDRESS(*map_context_allocation)
    (struct ddi_adapter *adapter, const DXGKARGCB_MAPCONTEXTALLOCATION *request);
    NTSTATUS(*update_context_allocation)
    (struct ddi_adapter *adapter, const DXGKARGCB_UPDATECONTEXTALLOCATION *request);
    /* inside: in DxgkDdiSetPowerComponentFState. It may wait otherwise, at PASSIVE_LEVEL. */
    void (*component_active)(struct ddi_adapter *adapter, UINT component, bool inside);
    void (*component_idle)(struct ddi_adapter *adapter, UINT component);
    void (*component_completed)(struct ddi_adapter *adapter, UINT component);
};

void ddi_set_kernel(const struct ddi_kernel_operations *operations);

/* ---- An adapter -------------------------------------------------------------------------- */

/* What came of asking the driver about a feature. */
struct ddi_feature {
    bool by_driver, on_config;
    UINT16 version; /* 0: it is not enabled */
};

#define DDI_FEATURES     10
#define DDI_SAMPLE_VALUE 21u /* what GetValue of DXGK_FEATURE_SAMPLE answers */

struct ddi_negotiation {
    bool held;   /* an interface that is to be given back */
    bool usable; /* and the driver can be asked by it */
    DXGKDDI_FEATURE_INTERFACE interface;
    struct ddi_feature features[DDI_FEATURES];
};

/* Embedded in the kernel's adapter. Fixed after ddi_adapter_init(). */
struct ddi_adapter {
    struct ddi_driver *driver;
    struct pci_slot *slot;
    HANDLE miniport_context; /* from AddDevice; hAdapter of every DDI */
    struct contract_tracker *tracker;
    uint32_t object;

    DXGKRNL_INTERFACE interface; /* given to StartDevice: of it as much as the version has */
    DXGK_START_INFO start_info;
    void *handed_interface, *handed_info; /* what the driver sees of them: there until fini */

    struct gate adapter_gate; /* shared: levels 0 and 1; exclusive: 2 and 3 */
    struct gate class_gate[CONTRACT_LEVEL_COUNT];
    struct interrupt *interrupt;
    uint64_t claimed_interrupts; /* its InterruptRoutine said TRUE */
    uint64_t silent_interrupts;  /* of these, without a call of DxgkCbNotifyInterrupt */
    uint64_t notices;            /* such calls, from wherever */
    uint64_t silent_in_a_row;    /* of the silent messages, each right behind the other */
    uint64_t served_ns;          /* when the latest began */
    uint64_t notices_served;     /* `notices` when the latest ended */
    bool serving;                /* it runs */
    bool in_dpc, dpc_wanted;     /* run_dpc_routine() */
    bool dpc_is_late;            /* ddi_dpc_is_late() */
    struct dpc dpc;
    unsigned threads_inside; /* in the driver now by way of a gate */
    struct wait_queue drained;
    struct task *closed_for; /* the door is closed to all others: a reset is under way */
    struct wait_queue opened;

    struct list mappings; /* of DxgkCbMapMemory, those that are still there */
    struct list reports;  /* of DbgReportCreate, those that are not complete */
    unsigned report_count;
    unsigned reports_told; /* as notes */
    uint64_t reports_made;
    bool low_irql_preempt; /* its PreemptCommand is called below DISPATCH_LEVEL: so say its caps */
    bool asked_for_native_fences; /* the driver, by IsFeatureEnabled */
    bool told_of_native_fences;   /* and the answer was that they are enabled */
    bool flip_queue_allowed;      /* it asked for that, by QueryFeatureSupport: it may */
    struct ddi_negotiation negotiation;
    bool services_asked; /* interfaces that QueryServices gave it: some */
    int services_held;   /* and so many were not given back */
};

void ddi_adapter_init(struct ddi_adapter *adapter, struct ddi_driver *driver, struct pci_slot *slot,
                      uint32_t object);
void ddi_adapter_fini(struct ddi_adapter *adapter);
struct ddi_adapter *ddi_adapter_of_handle(HANDLE device_handle); /* NULL: no such handle */

/* Why the start must fail after what the driver said, or NULL [CAPS-001 and others]. */
const char *ddi_refusal(const struct ddi_adapter *adapter);

/* Does the driver have this DDI, and did its version know it? */
bool ddi_has(const struct ddi_adapter *adapter, enum contract_point point);

/* Closes the door for a reset and waits until no thread is in the driver; false when the deadline
 * came first [TDR-008], the door is closed all the same. Who comes from now on waits outside, with
 * no gate, until it is open again; except the caller, and CancelCommand: that one comes from the
 * scheduler, which the reset itself waits for. */
bool ddi_close(struct ddi_adapter *adapter, uint64_t deadline_ns);
/* Behind a close that timed out: once more, up to another deadline. */
bool ddi_wait_empty(struct ddi_adapter *adapter, uint64_t deadline_ns);
void ddi_open(struct ddi_adapter *adapter);
bool ddi_is_closed(const struct ddi_adapter *adapter);

/* Render or Present wanted to be called again in this context, and will not be: the kernel has lost
 * patience or the device. The next call of either there begins anew. */
void ddi_repeats_no_more(struct ddi_adapter *adapter, HANDLE context);

/* When StartDevice has succeeded: asks the driver what features it has, if it has an interface for
 * that. Ends behind a StartDevice that failed, and before the device is stopped. */
void ddi_negotiate(struct ddi_adapter *adapter);
void ddi_negotiation_end(struct ddi_adapter *adapter);
DXGK_ISFEATUREENABLED_RESULT ddi_feature_state(const struct ddi_adapter *adapter,
                                               DXGK_FEATURE_ID id);

/* Connects and disconnects the service routine. */
NTSTATUS MUST_CHECK ddi_connect_interrupt(struct ddi_adapter *adapter);
/* The device comes to rest: a DpcRoutine that runs or is queued is late [pci_is_late()]. */
void ddi_dpc_is_late(struct ddi_adapter *adapter);
/* One that is queued still does not run any more. */
void ddi_dpc_forget(struct ddi_adapter *adapter);
void ddi_disconnect_interrupt(struct ddi_adapter *adapter);
/* Its work moves: silent interrupts before that are no cause that asks for ever. */
void ddi_interrupts_go_on(struct ddi_adapter *adapter);

/* The DDI that the running task is in, or POINT_COUNT. For reports of faults. */
enum contract_point ddi_current_point(void);
/* contract_write_behind() for the call that the running task is in. */
bool ddi_write_behind(const void *address, struct contract_finding *out, const char **member);
/* As much as the newest headers make of what the driver is handed under this name; 0: nothing that
 * grows with the version. */
size_t ddi_handed_at_most(const char *what);
/* For who explains a use of NULL: what the call that the running task is in was handed without an
 * allocation; "": nothing. */
void ddi_handed_null(char *text, size_t size);
/* The call that a task is in, or POINT_COUNT. */
enum contract_point ddi_task_point(const struct task *task);
/* Since when it is in it, or MACHINE_NEVER. */
uint64_t ddi_task_since_ns(const struct task *task);
/* The call by which it has come into the adapter's driver, of which others may have come, and since
 * when; POINT_COUNT: it is not in there. */
enum contract_point ddi_task_entry(const struct task *task, const struct ddi_adapter *adapter,
                                   uint64_t *since_ns);
/* Calls of the running task leave no trace in the record from now on: what comes of them hangs on
 * how the driver was compiled, and a digest must not. */
void ddi_be_quiet(bool quiet);
bool ddi_is_quiet(void);
/* How many calls of drivers began so far. */
uint64_t ddi_call_count(void);
uint64_t ddi_task_call_count(void); /* of the running task */
/* The number of the one that the running task is in, or that is judged after it; or 0. */
uint64_t ddi_current_call(void);
/* What keeps others out while it runs. */
void ddi_standing(struct nt_standing *out);
/* The newest call of the running task that the driver answered with this error, if it began after
 * so many calls; POINT_COUNT: none. */
enum contract_point ddi_failed_since(uint64_t calls, NTSTATUS status);
/* Memory was refused to the call that the task is in, by the run or for want of it. */
void ddi_memory_refused(void);
/* At the begin and the end of a run: DDIs that never found memory, though some was there. */
void ddi_answers_reset(void);
void ddi_judge_answers(void);
/* If the newest error was this one, and the kernel had refused something to the driver in that
 * call: "DxgkCbGetHandleData, called at mine.sys+0x10, was answered NULL ...". */
bool ddi_failure_denial(const char *ddi, NTSTATUS status, char *text, size_t size);

/* The system has none of its features on, whatever its drivers support; or it has them again. */
void ddi_features_off(bool off);

/* For a DDI that a run did not call: what it would take, or that nobody calls it yet. */
const char *ddi_why_not_called(unsigned point);

/* ---- Calls down -------------------------------------------------------------------------- */
/* `first` is the handle the DDI takes: the miniport's adapter, device or context handle. `object`
 * is the number in the record of what the call is about (0: the adapter). Each returns the driver's
 * status, or STATUS_NOT_SUPPORTED if the driver has no such DDI. Caller at PASSIVE_LEVEL unless the
 * row in ddis.def says ANY or the comment says otherwise; the door raises. */

/* Whether the driver answers in the structure too: what it does to one that it only reads stays its
 * own affair. */
#define DDI_READS(type)   const type
#define DDI_ANSWERS(type) type
#define DDI_UNIFORM_CALLS(X)                                                                       \
    X(query_adapter_info, QueryAdapterInfo, READS, DXGKARG_QUERYADAPTERINFO)                       \
    X(create_process, CreateProcess, ANSWERS, DXGKARG_CREATEPROCESS)                               \
    X(create_device, CreateDevice, ANSWERS, DXGKARG_CREATEDEVICE)                                  \
    X(create_context, CreateContext, ANSWERS, DXGKARG_CREATECONTEXT)                               \
    X(create_allocation, CreateAllocation, ANSWERS, DXGKARG_CREATEALLOCATION)                      \
    X(destroy_allocation, DestroyAllocation, READS, DXGKARG_DESTROYALLOCATION)                     \
    X(describe_allocation, DescribeAllocation, ANSWERS, DXGKARG_DESCRIBEALLOCATION)                \
    X(validate_update_allocation_property, ValidateUpdateAllocationProperty, READS,                \
      DXGKARG_VALIDATEUPDATEALLOCPROPERTY)                                                         \
    X(get_standard_allocation_driver_data, GetStandardAllocationDriverData, ANSWERS,               \
      DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA)                                                     \
    X(open_allocation, OpenAllocation, READS, DXGKARG_OPENALLOCATION)                              \
    X(close_allocation, CloseAllocation, READS, DXGKARG_CLOSEALLOCATION)                           \
    X(render, Render, ANSWERS, DXGKARG_RENDER)                                                     \
    X(render_km, RenderKm, ANSWERS, DXGKARG_RENDER)                                                \
    X(render_gdi, RenderGdi, ANSWERS, DXGKARG_RENDERGDI)                                           \
    X(present, Present, ANSWERS, DXGKARG_PRESENT)                                                  \
    X(present_to_hw_queue, PresentToHwQueue, ANSWERS, DXGKARG_PRESENT)                             \
    X(patch, Patch, READS, DXGKARG_PATCH)                                                          \
    X(submit_command, SubmitCommand, READS, DXGKARG_SUBMITCOMMAND)                                 \
    X(submit_command_virtual, SubmitCommandVirtual, READS, DXGKARG_SUBMITCOMMANDVIRTUAL)           \
    X(create_hw_context, CreateHwContext, ANSWERS, DXGKARG_CREATEHWCONTEXT)                        \
    X(setup_priority_bands, SetupPriorityBands, READS, DXGKARG_SETUPPRIORITYBANDS)                 \
    X(set_context_scheduling_properties, SetContextSchedulingProperties, READS,                    \
      DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES)                                                      \
    X(set_scheduling_log_buffer, SetSchedulingLogBuffer, READS, DXGKARG_SETSCHEDULINGLOGBUFFER)    \
    X(suspend_context, SuspendContext, READS, DXGKARG_SUSPENDCONTEXT)                              \
    X(resume_context, ResumeContext, READS, DXGKARG_RESUMECONTEXT)                                 \
    X(reset_hw_engine, ResetHwEngine, ANSWERS, DXGKARG_RESETHWENGINE)                              \
    X(resume_hw_engine, ResumeHwEngine, ANSWERS, DXGKARG_RESUMEHWENGINE)                           \
    X(create_hw_queue, CreateHwQueue, ANSWERS, DXGKARG_CREATEHWQUEUE)                              \
    X(submit_command_to_hw_queue, SubmitCommandToHwQueue, READS, DXGKARG_SUBMITCOMMANDTOHWQUEUE)   \
    X(signal_monitored_fence, SignalMonitoredFence, ANSWERS, DXGKARG_SIGNALMONITOREDFENCE)         \
    X(validate_submit_command, ValidateSubmitCommand, ANSWERS, DXGKARG_VALIDATESUBMITCOMMAND)      \
    X(preempt_command, PreemptCommand, READS, DXGKARG_PREEMPTCOMMAND)                              \
    X(cancel_command, CancelCommand, READS, DXGKARG_CANCELCOMMAND)                                 \
    X(acquire_swizzling_range, AcquireSwizzlingRange, ANSWERS, DXGKARG_ACQUIRESWIZZLINGRANGE)      \
    X(release_swizzling_range, ReleaseSwizzlingRange, READS, DXGKARG_RELEASESWIZZLINGRANGE)        \
    X(map_cpu_host_aperture, MapCpuHostAperture, READS, DXGKARG_MAPCPUHOSTAPERTURE)                \
    X(unmap_cpu_host_aperture, UnmapCpuHostAperture, READS, DXGKARG_UNMAPCPUHOSTAPERTURE)          \
    X(query_current_fence, QueryCurrentFence, ANSWERS, DXGKARG_QUERYCURRENTFENCE)                  \
    X(format_history_buffer, FormatHistoryBuffer, ANSWERS, DXGKARG_FORMATHISTORYBUFFER)            \
    X(collect_dbg_info, CollectDbgInfo, READS, DXGKARG_COLLECTDBGINFO)                             \
    X(query_dependent_engine_group, QueryDependentEngineGroup, ANSWERS,                            \
      DXGKARG_QUERYDEPENDENTENGINEGROUP)                                                           \
    X(query_engine_status, QueryEngineStatus, ANSWERS, DXGKARG_QUERYENGINESTATUS)                  \
    X(reset_engine, ResetEngine, ANSWERS, DXGKARG_RESETENGINE)                                     \
    X(escape, Escape, READS, DXGKARG_ESCAPE)                                                       \
    X(is_supported_vidpn, IsSupportedVidPn, ANSWERS, DXGKARG_ISSUPPORTEDVIDPN)                     \
    X(recommend_functional_vidpn, RecommendFunctionalVidPn, READS,                                 \
      DXGKARG_RECOMMENDFUNCTIONALVIDPN)                                                            \
    X(recommend_vidpn_topology, RecommendVidPnTopology, READS, DXGKARG_RECOMMENDVIDPNTOPOLOGY)     \
    X(enum_vidpn_cofunc_modality, EnumVidPnCofuncModality, READS, DXGKARG_ENUMVIDPNCOFUNCMODALITY) \
    X(set_palette, SetPalette, READS, DXGKARG_SETPALETTE)                                          \
    X(set_display_private_driver_format, SetDisplayPrivateDriverFormat, READS,                     \
      DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT)                                                       \
    X(set_vidpn_source_address, SetVidPnSourceAddress, READS, DXGKARG_SETVIDPNSOURCEADDRESS)       \
    X(check_multi_plane_overlay_support, CheckMultiPlaneOverlaySupport, ANSWERS,                   \
      DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT)                                                       \
    X(check_multi_plane_overlay_support2, CheckMultiPlaneOverlaySupport2, ANSWERS,                 \
      DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2)                                                      \
    X(set_vidpn_source_address_with_multi_plane_overlay,                                           \
      SetVidPnSourceAddressWithMultiPlaneOverlay, READS,                                           \
      DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY)                                          \
    X(set_vidpn_source_address_with_multi_plane_overlay2,                                          \
      SetVidPnSourceAddressWithMultiPlaneOverlay2, READS,                                          \
      DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2)                                         \
    X(check_multi_plane_overlay_support3, CheckMultiPlaneOverlaySupport3, ANSWERS,                 \
      DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3)                                                      \
    X(set_vidpn_source_address_with_multi_plane_overlay3,                                          \
      SetVidPnSourceAddressWithMultiPlaneOverlay3, ANSWERS,                                        \
      DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3)                                         \
    X(post_multi_plane_overlay_present, PostMultiPlaneOverlayPresent, READS,                       \
      DXGKARG_POSTMULTIPLANEOVERLAYPRESENT)                                                        \
    X(get_multi_plane_overlay_caps, GetMultiPlaneOverlayCaps, ANSWERS,                             \
      DXGKARG_GETMULTIPLANEOVERLAYCAPS)                                                            \
    X(get_post_composition_caps, GetPostCompositionCaps, ANSWERS, DXGKARG_GETPOSTCOMPOSITIONCAPS)  \
    X(set_flip_queue_log_buffer, SetFlipQueueLogBuffer, READS, DXGKARG_SETFLIPQUEUELOGBUFFER)      \
    X(update_flip_queue_log, UpdateFlipQueueLog, ANSWERS, DXGKARG_UPDATEFLIPQUEUELOG)              \
    X(cancel_flips, CancelFlips, ANSWERS, DXGKARG_CANCELFLIPS)                                     \
    X(cancel_queued_flips, CancelQueuedFlips, ANSWERS, DXGKARG_CANCELQUEUEDFLIPS)                  \
    X(set_interrupt_target_present_id, SetInterruptTargetPresentId, READS,                         \
      DXGKARG_SETINTERRUPTTARGETPRESENTID)                                                         \
    X(set_vidpn_source_visibility, SetVidPnSourceVisibility, READS,                                \
      DXGKARG_SETVIDPNSOURCEVISIBILITY)                                                            \
    X(commit_vidpn, CommitVidPn, READS, DXGKARG_COMMITVIDPN)                                       \
    X(update_active_vidpn_present_path, UpdateActiveVidPnPresentPath, READS,                       \
      DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH)                                                        \
    X(recommend_monitor_modes, RecommendMonitorModes, READS, DXGKARG_RECOMMENDMONITORMODES)        \
    X(query_vidpn_hw_capability, QueryVidPnHWCapability, ANSWERS, DXGKARG_QUERYVIDPNHWCAPABILITY)  \
    X(create_native_fence, CreateNativeFence, ANSWERS, DXGKARG_CREATENATIVEFENCE)                  \
    X(open_native_fence, OpenNativeFence, ANSWERS, DXGKARG_OPENNATIVEFENCE)                        \
    X(close_native_fence, CloseNativeFence, ANSWERS, DXGKARG_CLOSENATIVEFENCE)                     \
    X(stop_capture, StopCapture, READS, DXGKARG_STOPCAPTURE)                                       \
    X(get_scan_line, GetScanLine, ANSWERS, DXGKARG_GETSCANLINE)                                    \
    X(set_pointer_position, SetPointerPosition, READS, DXGKARG_SETPOINTERPOSITION)                 \
    X(set_pointer_shape, SetPointerShape, READS, DXGKARG_SETPOINTERSHAPE)

#define DDI_DECLARE(name, slot_name, use, type)                                                 \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, DDI_##use(type) * arguments, \
                        uint32_t object);
DDI_UNIFORM_CALLS(DDI_DECLARE)
#undef DDI_DECLARE

/* SetVidPnSourceAddress at PASSIVE_LEVEL, where a caller waits at the gates and a reset may take
 * the surface's place meanwhile: behind them `fill` says where it is, or answers false. Then nobody
 * is called, and the status is STATUS_DEVICE_REMOVED. It does not wait. */
struct ddi_filler {
    bool (*fill)(void *context, DXGKARG_SETVIDPNSOURCEADDRESS *arguments);
    void *context;
};
NTSTATUS ddi_set_vidpn_source_address_late(struct ddi_adapter *adapter, HANDLE first,
                                           const struct ddi_filler *filler, uint32_t object);

/* Those of overlays, where a reset may take what they show from its place meanwhile: `fill` is
 * asked as above, and makes the arguments complete. */
struct ddi_late {
    bool (*fill)(void *context);
    void *context;
};
#define DDI_LATE_CALLS(X)                                            \
    X(create_overlay, CreateOverlay, ANSWERS, DXGKARG_CREATEOVERLAY) \
    X(update_overlay, UpdateOverlay, READS, DXGKARG_UPDATEOVERLAY)   \
    X(flip_overlay, FlipOverlay, READS, DXGKARG_FLIPOVERLAY)

#define DDI_DECLARE(name, slot_name, use, type)                                                 \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, DDI_##use(type) * arguments, \
                        const struct ddi_late *late, uint32_t object);
DDI_LATE_CALLS(DDI_DECLARE)
#undef DDI_DECLARE

/* Escape with HardwareAccess: alone in the driver, as a call of level two [GEN-003]. `fill` says
 * behind the gates whether the hardware rests still; if not, CANCELLED. */
NTSTATUS ddi_escape_alone(struct ddi_adapter *adapter, const DXGKARG_ESCAPE *arguments,
                          const struct ddi_late *late);

/* BuildPagingBuffer, where the driver may give up what an operation names while the caller waits at
 * the gates: behind them `correct` looks again. It does not wait. */
struct ddi_corrector {
    void (*correct)(void *context, DXGKARG_BUILDPAGINGBUFFER *arguments);
    void *context;
};
NTSTATUS ddi_build_paging_buffer(struct ddi_adapter *adapter, HANDLE first,
                                 DXGKARG_BUILDPAGINGBUFFER *arguments,
                                 const struct ddi_corrector *corrector, uint32_t object);

/* DDIs that take a handle and nothing else. */
#define DDI_HANDLE_CALLS(X)                 \
    X(destroy_device, DestroyDevice)        \
    X(destroy_context, DestroyContext)      \
    X(destroy_hw_context, DestroyHwContext) \
    X(destroy_hw_queue, DestroyHwQueue)     \
    X(destroy_overlay, DestroyOverlay)      \
    X(reset_from_timeout, ResetFromTimeout) \
    X(restart_from_timeout, RestartFromTimeout)

#define DDI_DECLARE(name, slot_name) \
    NTSTATUS ddi_##name(struct ddi_adapter *adapter, HANDLE first, uint32_t object);
DDI_HANDLE_CALLS(DDI_DECLARE)
#undef DDI_DECLARE

/* Of native fences, whose arguments say all. */
NTSTATUS ddi_create_periodic_frame_notification(struct ddi_adapter *adapter,
                                                DXGKARG_CREATEPERIODICFRAMENOTIFICATION *arguments,
                                                uint32_t object);
NTSTATUS
ddi_destroy_periodic_frame_notification(struct ddi_adapter *adapter,
                                        const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *arguments,
                                        uint32_t object);
NTSTATUS ddi_destroy_native_fence(struct ddi_adapter *adapter,
                                  DXGKARG_DESTROYNATIVEFENCE *arguments, uint32_t object);
NTSTATUS ddi_update_monitored_values(struct ddi_adapter *adapter,
                                     const DXGKARG_UPDATEMONITOREDVALUES *arguments,
                                     uint32_t object);
NTSTATUS ddi_update_current_values(struct ddi_adapter *adapter,
                                   const DXGKARG_UPDATECURRENTVALUESFROMCPU *arguments,
                                   uint32_t object);

/* Of doorbells, whose arguments say all, too. */
NTSTATUS ddi_create_doorbell(struct ddi_adapter *adapter, DXGKARG_CREATEDOORBELL *arguments,
                             uint32_t object);
NTSTATUS ddi_connect_doorbell(struct ddi_adapter *adapter, DXGKARG_CONNECTDOORBELL *arguments,
                              uint32_t object);
NTSTATUS ddi_disconnect_doorbell(struct ddi_adapter *adapter,
                                 const DXGKARG_DISCONNECTDOORBELL *arguments, uint32_t object);
NTSTATUS ddi_destroy_doorbell(struct ddi_adapter *adapter, const DXGKARG_DESTROYDOORBELL *arguments,
                              uint32_t object);
NTSTATUS ddi_notify_work_submission(struct ddi_adapter *adapter,
                                    const DXGKARG_NOTIFYWORKSUBMISSION *arguments, uint32_t object);

/* *miniport_context stays in the adapter. A null context with success: the driver declines. */
NTSTATUS ddi_add_device(struct ddi_adapter *adapter, DEVICE_OBJECT *physical_device);
/* In its place, of a device that another adapter has stopped and not removed. */
void ddi_take_added(struct ddi_adapter *adapter, void *miniport_context);
NTSTATUS ddi_start_device(struct ddi_adapter *adapter, ULONG *source_count, ULONG *child_count);
/* Around a switch of the IOMMU's domain. */
NTSTATUS ddi_begin_exclusive_access(struct ddi_adapter *adapter);
NTSTATUS ddi_end_exclusive_access(struct ddi_adapter *adapter);
NTSTATUS ddi_stop_device(struct ddi_adapter *adapter);
NTSTATUS ddi_remove_device(struct ddi_adapter *adapter);
NTSTATUS ddi_query_child_relations(struct ddi_adapter *adapter, DXGK_CHILD_DESCRIPTOR *children,
                                   ULONG size_bytes);
NTSTATUS ddi_query_child_status(struct ddi_adapter *adapter, DXGK_CHILD_STATUS *status,
                                bool non_destructive_only);
/* Behind the buffer are CONTRACT_CANARY_BYTES. */
NTSTATUS ddi_query_device_descriptor(struct ddi_adapter *adapter, ULONG child,
                                     DXGK_DEVICE_DESCRIPTOR *descriptor);
/* *container has the kernel's default. */
NTSTATUS ddi_get_child_container_id(struct ddi_adapter *adapter, ULONG child,
                                    DXGK_CHILD_CONTAINER_ID *container);
NTSTATUS ddi_set_power_state(struct ddi_adapter *adapter, ULONG device, DEVICE_POWER_STATE state,
                             POWER_ACTION action);
/* Called when the driver is called at once; false: it is not wanted any more. */
struct ddi_beginning {
    bool (*begin)(void *context);
    void *context;
};
/* IRQL <= DISPATCH_LEVEL. The driver is not called where it is not wanted any more. */
NTSTATUS ddi_set_power_component_f_state(struct ddi_adapter *adapter, UINT component, UINT state,
                                         const struct ddi_beginning *beginning);
/* What the kernel tells of runtime power management, by GUID. `counts`: with room for
 * BytesReturned, which is optional. */
NTSTATUS ddi_power_runtime_control_request(struct ddi_adapter *adapter, enum contract_runtime told,
                                           bool counts);
/* *flags: what the driver wants done for it; of one that leaves it alone, nothing. */
NTSTATUS ddi_notify_acpi_event(struct ddi_adapter *adapter, const struct contract_event *event,
                               ULONG *flags);
/* Behind the output buffer are CONTRACT_CANARY_BYTES. */
NTSTATUS ddi_dispatch_io_request(struct ddi_adapter *adapter, ULONG source,
                                 VIDEO_REQUEST_PACKET *packet);
NTSTATUS ddi_query_interface(struct ddi_adapter *adapter, QUERY_INTERFACE *query);
void ddi_control_etw_logging(struct ddi_adapter *adapter, bool enable, UCHAR level);
void ddi_set_stable_power_state(struct ddi_adapter *adapter, bool enabled);
NTSTATUS ddi_calibrate_gpu_clock(struct ddi_adapter *adapter, UINT node,
                                 DXGKARG_CALIBRATEGPUCLOCK *clock);
void ddi_reset_device(struct ddi_adapter *adapter); /* any IRQL */
NTSTATUS ddi_stop_device_and_release(struct ddi_adapter *adapter, UINT target,
                                     DXGK_DISPLAY_INFORMATION *display);
/* Any IRQL. What the driver left alone is 0. */
struct ddi_system_display {
    UINT width, height;
    D3DDDIFORMAT format;
};
NTSTATUS ddi_system_display_enable(struct ddi_adapter *adapter, UINT target,
                                   struct ddi_system_display *display);
struct ddi_system_picture {
    void *pixels; /* X8R8G8B8 */
    UINT width, height, stride_bytes, x, y;
};
/* Any IRQL. False: it has no such DDI. */
bool ddi_system_display_write(struct ddi_adapter *adapter,
                              const struct ddi_system_picture *picture);
NTSTATUS ddi_notify_surprise_removal(struct ddi_adapter *adapter, DXGK_SURPRISE_REMOVAL_TYPE type);
NTSTATUS ddi_get_node_metadata(struct ddi_adapter *adapter, UINT node,
                               DXGKARG_GETNODEMETADATA *metadata);
NTSTATUS ddi_control_interrupt(struct ddi_adapter *adapter, DXGK_INTERRUPT_TYPE type, bool enable);
NTSTATUS ddi_present_display_only(struct ddi_adapter *adapter,
                                  DXGKARG_PRESENT_DISPLAYONLY *arguments);
NTSTATUS ddi_control_interrupt2(struct ddi_adapter *adapter,
                                const DXGKARG_CONTROLINTERRUPT2 *control);
NTSTATUS ddi_control_interrupt3(struct ddi_adapter *adapter,
                                const DXGKARG_CONTROLINTERRUPT3 *control);
/* `process`: what CreateProcess answered. */
NTSTATUS ddi_destroy_process(struct ddi_adapter *adapter, HANDLE process, uint32_t object);
/* Bytes of a root table, and in the arguments for how many entries; 0: there is no such DDI. */
SIZE_T ddi_get_root_page_table_size(struct ddi_adapter *adapter,
                                    DXGKARG_GETROOTPAGETABLESIZE *arguments);
/* late, or NULL: behind the gates it says whether the root still is what it was; false: it is not,
 * and the driver was not called. */
bool ddi_set_root_page_table(struct ddi_adapter *adapter, const DXGKARG_SETROOTPAGETABLE *root,
                             const struct ddi_late *late, uint32_t object);

/* ---- Steps ------------------------------------------------------------------------------- */

/* One call of a DDI that stands still behind one of its instructions: machine/step.h. */
struct ddi_step {
    enum contract_point point;
    uint64_t call;        /* its number among those of this DDI, from 1 on */
    uint64_t instruction; /* 0: they are counted alone */
};
/* Behind how many instructions are accesses to what the interrupt's side touches, the first, second
 * ... in that call. */
#define DDI_STEP_SHARED_COUNTER "step.shared.%u"
/* When the machine exists. NULL: those that the variation interrupt-within draws, if it is on. What
 * was stepped of the chosen one the counters step.instructions, step.stood, step.interrupted and
 * step.waited_ns say. */
void ddi_step_choose(const struct ddi_step *step);
/* struct nt_hooks::routine: what the variation draws of the driver's own routines. */
bool ddi_step_routine(void *unused, const char *what, bool goes_on);
/* "call 3 of DxgkDdiRender was interrupted after 17 instructions, at mine.sys+0x1234", for what is
 * found behind it in the DDI `about`. False: there was none lately, or it does not matter. */
bool ddi_step_text(const char *about, char *text, size_t size);

/* Between the two, what the running task's next call of that DDI compares the bytes with is looked
 * at: machine/compared.h has what they are filled with. */
void ddi_compares_begin(enum contract_point point, const void *bytes, size_t size,
                        const bool *known);
unsigned ddi_compares_end(struct compared out[COMPARED_MAX]);

#endif
