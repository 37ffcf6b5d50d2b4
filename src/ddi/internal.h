/* What the files of ddi/ share: entering and leaving the door. */
#ifndef DDI_INTERNAL_H
#define DDI_INTERNAL_H

#include "ddi/ddi.h"

#define DDI_ARGUMENT_BYTES_MAX 640

/* What the driver sees of a structure of the kernel's: a copy where it can write nothing behind
 * (machine/lend.c). What it answered in it comes back before anybody judges it. */
enum ddi_lend { DDI_LEND_READS, DDI_LEND_ANSWERS };
struct ddi_loan {
    void *copy; /* NULL: nothing is lent */
    void *own;  /* what it is a copy of; NULL: no answer is wanted */
    size_t size_bytes;
};
/* What to hand to the driver; what: a literal. */
void *ddi_lend(struct ddi_loan *loan, void *own, size_t size_bytes, const char *what,
               enum ddi_lend use);
void ddi_take_back(struct ddi_loan *loan); /* once more: nothing */

/* One call down, on the caller's stack. */
struct ddi_call {
    struct contract_call contract;
    struct ddi_loan lent;        /* the call's arguments: ddi_leave() takes them back */
    struct ddi_adapter *adapter; /* NULL: DriverEntry and Unload */
    uintptr_t stack_mark;        /* of the task before this call */
    struct nt_regions regions;   /* of the thread before it; not of quiet calls */
    struct ddi_call *outer;      /* the DDI this task is in already, by way of a callback */
    uint64_t sequence;
    uint64_t since_ns;
    /* Of the task when the call began; of calls inside this one, as interrupts are. */
    uint64_t registers_before, registers_inside, writes_before, writes_inside;
    uint8_t irql; /* the driver runs at */
    bool quiet;   /* leaves no trace: ddi_be_quiet() */
    bool denied;  /* something that the driver asked for in it was refused */
    bool is_stepped, is_beside; /* the latter: it is looked at with calls for other processes */
    bool is_compared;           /* its comparisons alone are looked at */
    uint64_t number; /* among the calls of its DDI; only where some are stepped */
    bool shared, class_held, exclusive;
    struct gate *process_gate; /* held, or NULL */
    uint64_t process;          /* whose that is */
    _Alignas(16) unsigned char before[DDI_ARGUMENT_BYTES_MAX];
};

/* arguments may be NULL; size_bytes is copied for the rules to compare. The parameters are those
 * that each wrapper has at hand; a structure of them would be built for every call of a driver. */
void ddi_enter(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
               void *arguments, size_t size_bytes, uint32_t object);
/* The same for a DDI that takes a handle besides, which the rules look at. */
void ddi_enter_with(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
                    HANDLE first, void *arguments, size_t size_bytes, uint32_t object);
/* The same in two steps, for arguments that may change while the caller waits at the gates: from
 * the first on nothing does, and he fills them in and goes in, or turns back. */
void ddi_approach(struct ddi_call *call, struct ddi_adapter *adapter, enum contract_point point,
                  uint32_t object);
/* The same of a call that is to be alone though others of its DDI are not. */
void ddi_approach_alone(struct ddi_call *call, struct ddi_adapter *adapter,
                        enum contract_point point);
void ddi_turn_back(struct ddi_call *call);
void ddi_go_in(struct ddi_call *call, HANDLE first, void *arguments, size_t size_bytes);
/* Takes the arguments back. */
NTSTATUS ddi_leave(struct ddi_call *call, NTSTATUS status);

/* The one way into a slot of the driver's table; between ddi_enter() and ddi_leave(). */
#define DDI_CALL(adapter, slot, arguments) \
    (ddi_step_in(), NT_CALL_DRIVER(NULL, (adapter)->driver->table.DxgkDdi##slot, arguments))

/* step.c: right before the driver is called, and right behind. */
extern bool ddi_steps;
void ddi_step_begin(void);
void ddi_step_end(struct ddi_call *call);
void ddi_step_stands(void); /* the running call: findings that follow soon name the place */
/* beside.c: what calls for several processes share. */
void ddi_beside_reset(void);
bool ddi_beside_begin(const struct ddi_call *call);
void ddi_beside_pass(const struct ddi_call *call, bool ends); /* any call comes, or has gone */
void ddi_beside_end(const struct ddi_call *call, const struct step_result *result);
static inline void ddi_step_in(void)
{
    if (__builtin_expect(ddi_steps, 0)) {
        ddi_step_begin();
    }
}
/* answers.c: what each call of a DDI came to. */
void ddi_answered(const struct ddi_call *call, NTSTATUS status);
void ddi_callback_failed(NTSTATUS status); /* what the driver called */
/* The call that the running task is in; NULL: none. */
struct ddi_call *ddi_call_here(void);

/* The adapter whose driver the running task is in, or NULL: for callbacks without a handle. */
struct ddi_adapter *ddi_current_adapter(void);

/* A callback up: its IRQL ceiling, the record, the rules. `adapter` may be NULL. Its parameters
 * are what each callback has at hand, as those of ddi_enter(). A macro, for it notes where the
 * driver called whoever uses it. */
struct ddi_callback {
    struct contract_call contract;
    const void *caller;
    uint8_t irql;
    bool is_stepped; /* the call that it came from */
};
#define ddi_callback_enter(callback, adapter, point, arguments, plain) \
    ((callback)->caller = __builtin_return_address(0),                 \
     ddi_callback_begin(callback, adapter, point, arguments, plain))
void ddi_callback_begin(struct ddi_callback *callback, struct ddi_adapter *adapter,
                        enum contract_point point, void *arguments, uint64_t plain);
NTSTATUS ddi_callback_leave(struct ddi_callback *callback, NTSTATUS status);
/* For those that answer without a status: what is said if the call that asked fails, too. */
#define DDI_DENIAL_MAX 256
RARE void ddi_callback_denied(const struct ddi_callback *callback, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* The adapter of a callback, or NULL after its handle was reported [PNP-002]. */
struct ddi_adapter *ddi_adapter_called(HANDLE device_handle, enum contract_point point);

/* For callbacks without a DeviceHandle: the others count where they look for their adapter. */
void ddi_callback_count(enum contract_point point);

/* interrupts.c */
void ddi_fill_interrupts(DXGKRNL_INTERFACE *interface);

/* memory.c */
void ddi_fill_memory(DXGKRNL_INTERFACE *interface);
void ddi_forget_memory(struct ddi_adapter *adapter);

/* Device handles are small numbers with a mark, not pointers: a driver that passes its own context
 * instead is found [PNP-002]. */
#define DDI_DEVICE_HANDLE_BASE 0xD000000000000000u

/* negotiation.c: the driver asks before all is negotiated, in StartDevice. */
void ddi_negotiate_early(struct ddi_adapter *adapter, DXGK_FEATURE_ID id);
bool ddi_features_are_off(void);
/* features.c: the driver may queue flips, if it has the DDIs for it. */
void ddi_allow_flip_queue(struct ddi_adapter *adapter);

/* acpi.c: DxgkCbEvalAcpiMethod, with buffers of the driver's. */
NTSTATUS ddi_acpi_evaluate(struct ddi_adapter *adapter, ULONG unit, const void *input,
                           size_t input_size, ACPI_EVAL_OUTPUT_BUFFER *output, size_t output_size);

/* services.c */
/* Of the interfaces that DxgkCbQueryServices hands out; their Context is the DeviceHandle. */
void NTAPI ddi_service_reference(PVOID context);
void NTAPI ddi_service_dereference(PVOID context);
/* When the adapter goes. */
void ddi_judge_services(struct ddi_adapter *adapter);
/* Of DxgkCbQueryFeatureSupport. */
NTSTATUS ddi_query_feature_support(struct ddi_adapter *adapter,
                                   DXGKARGCB_QUERYFEATURESUPPORT *asked);
void ddi_fill_features(const struct ddi_adapter *adapter, DXGK_FEATURE_INTERFACE *out);
NTSTATUS ddi_query_service(struct ddi_adapter *adapter, DXGK_SERVICES service, PINTERFACE to);
void ddi_forget_reports(struct ddi_adapter *adapter);

void ddi_fill_interface(struct ddi_adapter *adapter);
void ddi_init_interrupts(struct ddi_adapter *adapter); /* interrupts.c */
void ddi_forget_adapter(struct ddi_adapter *adapter); /* its device handle is dead from now on */

extern const struct ddi_kernel_operations *ddi_kernel;

#endif
