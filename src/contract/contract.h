/* contract: the documented WDDM contract as rows, and the tracker of what a driver was told.
 *
 * contract/rules.json holds the rules: id, text, whose duty, source page. The build turns the ids
 * into enum contract_rule (RULE_SUBMIT_003), so that code cannot name a rule that does not exist.
 *
 * The door (ddi/) runs every call between kernel and driver past the rows of that point:
 *
 *     contract_before(call) ──> driver runs ──> contract_after(call)
 *          kernel duties, copies                  driver duties
 *
 * A row is {rule, point, moment, what to look at}. What is a fact about a member, a status or the
 * IRQL is data (internal.h has the words: FIELD_ZERO, STATUS_IN, POINTER_WITHIN ...), and the
 * sentence of a breach is made from it. Where there is something to compute the row has a check: it
 * looks at the call and the tracker and says false when the rule is broken, after contract_say()ing
 * what was expected and what happened. Adding a rule is adding a row in the file of its family, and
 * a misbehaviour that trips it in tests/contract/.
 *
 * A rule is *judged* by what is linked: a row of a family, or a place in the code that names it
 * (CONTRACT_JUDGES, KERNEL_DUTY; both leave a mark in a section of the binary). It is *tested* when
 * a test broke it and saw it reported; contract/tested.json is what the tests saw, and they fail if
 * it says anything else. Rules are told apart by whose duty they are: the driver's, the kernel's
 * (that is, Drydock's own), or both.
 *
 * A breach goes into the record with the rule, the point, the object, and the bug check Windows
 * would show. Fatal breaches (those that are bug checks on Windows) end the run: the handler that
 * the host installs does not return. A breach by the kernel's side is our own bug: CHECK_THAT
 * style.
 *
 * Locking: the tracker belongs to one adapter; in simulation code between two switching points is
 * atomic, and no check contains one. */
#ifndef CONTRACT_CONTRACT_H
#define CONTRACT_CONTRACT_H

#include <stdbool.h>
#include <stdint.h>

#include <d3dkmddi.h>
#include <dispmprt.h>
#include <ntddk.h>

#include "abi/abi.h"
#include "base/check.h"
#include "base/fill.h"
#include "base/record.h"
#include "base/status.h"
#include "contract/rule_ids.h" /* generated: enum contract_rule, CONTRACT_RULE_COUNT */

/* ---- Points: where kernel and driver meet ------------------------------------------------ */

enum contract_point {
#define DDI(name, irql, level) POINT_##name,
#include "contract/ddis.def"
#undef DDI
    POINT_FIRST_CALLBACK,
    POINT_BEFORE_CALLBACKS = POINT_FIRST_CALLBACK - 1,
#define DXGK_CALLBACK(name, irql_max) POINT_Cb##name,
#include "contract/callbacks.def"
#undef DXGK_CALLBACK
    POINT_DriverEntry,
    POINT_DxgkInitialize,
    POINT_KernelExport, /* any import of the driver that is not a DxgkCb */
    POINT_VidPnInterface,
    POINT_COUNT
};

#define POINT_DDI_COUNT (POINT_BEFORE_CALLBACKS + 1)

enum contract_irql {
    CONTRACT_IRQL_PASSIVE,
    CONTRACT_IRQL_DISPATCH,
    CONTRACT_IRQL_DIRQL,
    CONTRACT_IRQL_PASSIVE_OR_DIRQL,
    CONTRACT_IRQL_UP_TO_DISPATCH,
    CONTRACT_IRQL_ANY,
};

/* WDDM threading levels; level one is split into classes with one thread each. */
enum contract_level {
    CONTRACT_LEVEL_LEVEL_0,
    CONTRACT_LEVEL_CHILD,
    CONTRACT_LEVEL_SWIZZLE,
    CONTRACT_LEVEL_POINTER,
    CONTRACT_LEVEL_OVERLAY,
    CONTRACT_LEVEL_DISPLAY,
    CONTRACT_LEVEL_SCHEDULER,
    CONTRACT_LEVEL_LEVEL_2,
    CONTRACT_LEVEL_LEVEL_3,
    CONTRACT_LEVEL_COUNT
};

struct contract_point_info {
    const char *name;       /* "DxgkDdiSubmitCommand" */
    enum abi_version since; /* that introduced it */
    enum contract_irql irql;
    uint8_t irql_max; /* of callbacks */
    enum contract_level level;
};

extern const struct contract_point_info contract_points[];
static inline const struct contract_point_info *contract_point_info(enum contract_point point)
{
    CHECK_THAT((unsigned)point < POINT_COUNT);
    return &contract_points[point];
}

/* ---- Rules ------------------------------------------------------------------------------- */

/* Whose duty a rule is, and who is judged by a row or a place in the code. */
enum contract_duty {
    CONTRACT_DRIVER = 1,
    CONTRACT_KERNEL = 2,
    CONTRACT_BOTH = CONTRACT_DRIVER | CONTRACT_KERNEL,
};

/* What a breach by the driver leads to. */
enum contract_reaction {
    CONTRACT_REPORT, /* a breach; the run goes on */
    CONTRACT_NOTE,   /* advice: told, never counted */
    CONTRACT_STOP,   /* the pages name a bug check */
    CONTRACT_REFUSE, /* the pages say that the adapter does not start */
};

struct contract_rule_info {
    const char *id, *ddi, *member, *level, *text, *source, *confidence;
    enum contract_reaction reaction;
    enum contract_duty duty;
    unsigned tested; /* enum contract_duty, as bits: who was seen to be named by a test */
};

enum contract_rule_state { RULE_NOT_YET, RULE_ENFORCED, RULE_TESTED };

const struct contract_rule_info *contract_rule_info(enum contract_rule rule);
const char *contract_duty_name(enum contract_duty duty);             /* "driver" */
const char *contract_reaction_name(enum contract_reaction reaction); /* "stop" */
/* Who is judged by it in this binary: bits of enum contract_duty, 0 if nobody is. */
unsigned contract_rule_judged(enum contract_rule rule);
/* Enforced where it is judged; tested where all who are judged were seen to be named. */
enum contract_rule_state contract_rule_state(enum contract_rule rule);
/* What the rows say that they leave out of the rule's text, or NULL. */
const char *contract_rule_leaves_out(enum contract_rule rule);
/* CONTRACT_RULE_COUNT if there is no such id. Letter case does not matter. */
enum contract_rule contract_rule_by_id(const char *id);
/* Findings that are no rule ("LEAK"): findings.def. NULL: there is none of this name. */
struct contract_other_finding {
    const char *name;
    bool goes_on; /* the run, after it: the user may allow it */
};
const struct contract_other_finding *contract_other_finding(const char *name);
/* How what a finding names is mended, one sentence; NULL: nothing is known. `finding` is a rule's
 * id or the name of what is no rule ("LEAK"). */
const char *contract_mending(const char *finding);
/* The public address of the first page that the rule rests on, into `text`; of one that speaks of
 * all DDIs that of `ddi`, in which it was broken, or NULL. False: it names none. */
bool contract_page(const char *finding, const char *ddi, char *text, size_t size);

/* ---- The tracker ------------------------------------------------------------------------- */

/* More of these than any adapter has. */
#define CONTRACT_NODES_MAX    64
#define CONTRACT_SEGMENTS_MAX 32
#define CONTRACT_SOURCES_MAX  16

/* Of UpdateContextAllocation; more the kernel refuses. */
#define CONTRACT_UPDATE_BYTES_MAX 0x10000u
/* Types of QueryAdapterInfo from here on are in no version [CAPS-013]. */
#define CONTRACT_QUESTION_UNKNOWN 0x100u
#define CONTRACT_CANARY_BYTES     64
#define CONTRACT_CANARY           FILL_REDZONE
/* What the driver is handed ends, as nearly as its alignment lets it, at a page that nobody may
 * touch; what is left of its own page holds the canary, CONTRACT_CANARY_BYTES at most. */
void contract_canary_write(void *end);
/* The kernel fills the buffer of QueryDeviceDescriptor with it. */
#define CONTRACT_DESCRIPTOR_FILL 0x5Au

/* What the driver was told and what it answered; the door feeds it, one for each adapter. `has`:
 * the DDIs that the driver filled in, by point; it outlives the tracker. */
struct contract_tracker;

struct contract_tracker *contract_tracker_create(uint32_t adapter_object,
                                                 unsigned interface_version, const bool *has);
void contract_tracker_destroy(struct contract_tracker *tracker);
/* Its monitor is pulled out, which nobody was told of yet. */
void contract_monitor_pulled_out(struct contract_tracker *tracker, ULONG uid, bool pulled_out);
/* The device is pulled out next: its registers read as ones then, whatever its driver is told. */
void contract_device_goes_missing(struct contract_tracker *tracker);
/* Of a device that was stopped and not removed: AddDevice gave the context to an earlier one. */
void contract_is_added(struct contract_tracker *tracker, void *miniport_context);

/* A routine runs synchronised with the service routine from now on, or does not any more. */
void contract_synchronised(struct contract_tracker *tracker, bool begins);
/* ddi_repeats_no_more(). */
void contract_repeats_no_more(struct contract_tracker *tracker, HANDLE context);

/* Why the start of the adapter must fail, beginning with the rule; NULL: it need not. */
const char *contract_refusal(const struct contract_tracker *tracker);

/* ---- A call passing the door ------------------------------------------------------------- */

#define CONTRACT_REMEMBERED_MAX 4

struct contract_call {
    struct contract_tracker *tracker; /* NULL before an adapter exists */
    enum contract_point point;
    void *arguments; /* the structure the driver sees; its type follows from the point */
    void *before;    /* a copy from before the call, size_bytes of it, or NULL */
    size_t size_bytes;
    HANDLE first;      /* the handle that the DDI takes besides, or NULL */
    const void *extra; /* what a check needs besides; its type follows from the point */
    NTSTATUS status;   /* after */
    uint8_t irql_before, irql, irql_after; /* of the caller, of the driver, at its return */
    bool counts_inside;                    /* the tracker shows who is in it: contract_before() */
    uint64_t register_accesses;            /* of the driver in this call; after */
    uint64_t register_writes;              /* those of them that only wrote */
    bool no_case;      /* the row found nothing to look at: contract_no_case() */
    void *overwritten; /* a buffer's end, behind which a row found something; NULL: none did */
    uint64_t scratch;  /* what the row remembered from before the call */
    uint64_t remembered[CONTRACT_REMEMBERED_MAX];
    /* What the tracker took of the arguments before the driver could change it. */
    union {
        struct {
            const void *first;
            size_t stride_bytes;
            UINT count;
        } descriptors; /* of QueryAdapterInfo about segments */
        struct {
            uint64_t handles, request;
        } hashes;   /* of lists: Render, Present, OpenAllocation */
        UINT level; /* of page tables, that QueryAdapterInfo asks about */
    } kept;
    uint32_t object; /* the call is about it; 0: the adapter */
    uint64_t began_ns;
    char expected[RECORD_TEXT_MAX], actual[RECORD_TEXT_MAX];
};

/* What StartDevice answered: `extra` of its call. */
struct contract_counts {
    ULONG source_count, child_count;
};

/* What SetPowerState is asked: `extra` of its call. */
struct contract_power {
    ULONG device;
    DEVICE_POWER_STATE state;
    POWER_ACTION action;
};

/* From SetPowerComponentFState until a transition that is not complete is given up [POWER-002]. */
#define CONTRACT_COMPONENT_MOVES_NS UINT64_C(2000000000)

/* What SetPowerComponentFState is asked, and callbacks of power components say: their arguments. */
struct contract_component_call {
    UINT component, state; /* state: of the DDI */
    bool inside;           /* a callback: in a call of the DDI */
};

/* What PowerRuntimeControlRequest told the driver last. */
enum contract_runtime {
    CONTRACT_RUNTIME_UNTOLD,
    CONTRACT_RUNTIME_PREPARED,
    CONTRACT_RUNTIME_STARTED,
    CONTRACT_RUNTIME_STOPPED,
};

/* How an interrupt was answered: `extra` of InterruptRoutine. */
struct contract_service {
    BOOLEAN ours;        /* what the routine returned */
    uint64_t claimed_up; /* calls in a row before, that claimed a level line and left it up */
    bool anothers;       /* its device had asked for nothing, from before until after the call */
    bool dismissed;      /* a level line was up before the call, and is not after it */
    bool gone;           /* its device was out of its slot before the call */
    uint64_t
        silent_in_a_row; /* calls that claimed, each right behind the other, and told nothing */
};

/* With which message CbSynchronizeExecution is to exclude others: `extra` of its call. */
struct contract_message {
    ULONG number;
    unsigned count; /* of the device's messages; 0: it interrupts by a line */
};

/* What ControlInterrupt is asked for, in whichever form: `extra` of its call. */
struct contract_switch {
    DXGK_INTERRUPT_TYPE type;
    DXGK_CRTC_VSYNC_STATE state; /* of DXGK_INTERRUPT_CRTC_VSYNC */
};

/* What QueryChildRelations fills in: `extra` of its call. */
struct contract_children {
    const DXGK_CHILD_DESCRIPTOR *first;
    ULONG size_bytes;
};

/* A monitor can be at it. What a panel that is built in has for a descriptor is asked elsewhere. */
static inline bool contract_is_output(DXGK_CHILD_DEVICE_TYPE type)
{
    return type == TypeVideoOutput || type == TypeIntegratedDisplay;
}

/* What NotifyAcpiEvent is told: the arguments of its call; `extra` is AcpiFlags. */
struct contract_event {
    DXGK_EVENT_TYPE type;
    ULONG number;
    ULONG *argument; /* NULL: the event has none */
};

/* InterfaceType of DXGKDDI_FEATURE_INTERFACE: GUID_WDDM_INTERFACE_FEATURE. */
extern const GUID contract_feature_interface;

/* What AddValue and SubtractValue of DXGK_FEATURE_SAMPLE are told and answer: the arguments. */
struct contract_sample_call {
    bool subtracts;
    UINT value; /* that GetValue answers */
    UINT input, output;
};

/* AcpiFlags before the call: no request has one of its bits. */
#define CONTRACT_ACPI_UNTOUCHED 0xA5A5A500u

void contract_before(struct contract_call *call);
void contract_after(struct contract_call *call);

/* For checks: says what was expected and what happened, and is false. */
RARE bool contract_say(struct contract_call *call, const char *expected, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* For checks: the call turned out to be none in which the rule could be broken. Is true. */
static inline bool contract_no_case(struct contract_call *call)
{
    return call->no_case = true;
}

/* A breach found outside the door (scheduler, memory manager, kernel exports). */
struct contract_finding {
    enum contract_rule rule; /* CONTRACT_JUDGES(SUBMIT_003) */
    const char *ddi;         /* NULL: the rule's own */
    uint32_t object;
    uint32_t bugcheck;
    uint64_t bugcheck_arguments[4];
    bool fatal;  /* ends the run even without a bug check */
    bool advice; /* told and not counted, whatever the rule's reaction is */
};
/* expected is a literal; the rest says what happened. */
RARE void contract_breach(const struct contract_finding *finding, const char *expected,
                          const char *format, ...) __attribute__((format(printf, 3, 4)));
/* The rule that keeps the driver, in this call, from writing at an address behind a buffer that the
 * call gave it, its bug check, and the member that gave the buffer. False: no row does. */
bool contract_write_behind(const struct contract_call *call, const void *address,
                           struct contract_finding *out, const char **member);
/* What an address of the paging process shows, as the driver was told, and what it showed before;
 * stale: FlushTlb did not come since. */
struct contract_page {
    bool valid, read_only, was_valid, was_read_only, stale;
    bool never_flushed; /* FlushTlb has written no command so far, though it was asked for some */
    unsigned segment, was_segment;
    uint64_t page, was_page; /* from the beginning of the segment; of system memory by its number */
};
void contract_paging_page(const struct contract_tracker *tracker, uint64_t address,
                          struct contract_page *out);
/* What a page of a process shows by its tables of all levels, as the driver was told, and the entry
 * that says so. */
struct contract_shown {
    bool known; /* each entry on the way was written since its table is there */
    bool stale; /* one of them was another, and FlushTlb did not come since */
    bool valid, zero, read_only, no_execute, coherent, is_64k;
    unsigned segment;
    uint64_t page;  /* from the beginning of the segment; of system memory by its number */
    bool was_valid; /* of the leaf: what it showed before */
    unsigned was_segment;
    uint64_t was_page;
    unsigned level, index; /* of the entry */
    /* The operation that wrote it: how many entries, and from where. */
    unsigned first, count, mode;
    bool repeat, copied;
};
void contract_page_shown(const struct contract_tracker *tracker, HANDLE process, uint64_t page,
                         struct contract_shown *out);
/* A look at the driver, and at the kernel, outside the door. */
void contract_count(enum contract_rule rule);
void contract_count_own(enum contract_rule rule);

/* The mark of a place that judges: rule and duty in a section of the binary, tied to the code
 * around it. What the preprocessor, the compiler or the linker leaves out leaves no mark. */
#define CONTRACT_SITE(rule, duty)                                            \
    __asm__ __inline __volatile__(                                           \
        ".Lcontract_site%=:\n\t"                                             \
        ".pushsection contract_sites,\"ao\",@progbits,.Lcontract_site%=\n\t" \
        ".balign 2\n\t.2byte %c0\n\t.popsection"                             \
        :                                                                    \
        : "i"((int)RULE_##rule | (int)(duty) << CONTRACT_SITE_DUTY_SHIFT))
#define CONTRACT_SITE_DUTY_SHIFT 14

/* The rule, by which the code around judges the driver. */
#define CONTRACT_JUDGES(rule)                 \
    ({                                        \
        CONTRACT_SITE(rule, CONTRACT_DRIVER); \
        RULE_##rule;                          \
    })

/* The kernel's own duty, at the place that fulfils it: if this fails Drydock is wrong. */
#define KERNEL_DUTY(rule, condition)                                          \
    do {                                                                      \
        CONTRACT_SITE(rule, CONTRACT_KERNEL);                                 \
        contract_count_own(RULE_##rule);                                      \
        if (__builtin_expect(!(condition), 0)) {                              \
            contract_own_breach(RULE_##rule, __FILE__, __LINE__, #condition); \
        }                                                                     \
    } while (0)
RARE _Noreturn void contract_own_breach(enum contract_rule rule, const char *file, int line,
                                        const char *condition);

/* ---- Coverage: cover.h ----------------------------------------------------------------------- */

/* At the end of a run: what a driver does inside some calls is judged service by service, outside
 * the door; each such call was a look. */
void contract_cover_watched(void);

/* "D3DDDIFMT_A8R8G8B8"; "D3DDDIFORMAT 110" of what no surface on a screen has. */
#define CONTRACT_FORMAT_MAX 32
const char *contract_format_text(D3DDDIFORMAT format, char text[CONTRACT_FORMAT_MAX]);

/* Names for the readers of the record; NULL for a number that is none. */
const char *contract_member_name(unsigned member);
const char *contract_operation_name(unsigned operation); /* "TRANSFER" */

/* ---- Hooks ------------------------------------------------------------------------------- */

/* What the host does when a fatal breach or bug check ends the run. Does not return. */
struct record_breach;

struct contract_hooks {
    void (*fatal)(const struct record_breach *breach); /* does not return */
    /* A call of the driver came back at another level than it was called at. */
    void (*irql_left)(const char *ddi, uint8_t called, uint8_t returned);
    /* Adds to the sentence of a breach what was done to the driver before, if that may be why. */
    void (*remark)(struct record_breach *breach);
};
void contract_set_hooks(const struct contract_hooks *hooks);
/* For tests: sees every call before its rules do, and may spoil it as a wrong kernel would. */
void contract_set_tamper(void (*tamper)(struct contract_call *call));
/* For benchmarks, to see what judging costs: no rows are looked at. What the driver is told is
 * followed all the same. Not inside a call. */
void contract_set_judging(bool judging);

/* Fence ids are 32 bits and wrap [GEN-008]. */
static inline int32_t contract_fence_difference(uint32_t a, uint32_t b)
{
    return (int32_t)(a - b);
}

#endif
