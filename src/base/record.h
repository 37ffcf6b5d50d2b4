/* base/record.h: the event record, one region of memory shared by the run and its supervisor.
 *
 * The run writes, the supervisor reads; whatever a driver does to the process that runs it, what
 * was written stays readable. Nothing in the record is a pointer.
 *
 *     +--------+----------+-----------+-----------------+---------------------------+
 *     | header | breaches | text pool | event ring      | blobs (frames, documents) |
 *     +--------+----------+-----------+-----------------+---------------------------+
 *
 * Events are 32 bytes. The ring keeps the newest; the digest covers every event ever written,
 * folded in blocks, and no event holds anything that differs between two builds (no address, no
 * real time).
 *
 * Objects are named by numbers given in order of creation (record_object_new): the same in every
 * run with the same seed. A history of an object is found by its number.
 *
 * There is one record in a process (record_attach). Without one, writing is a no-op, so that
 * engines can be tested alone. In simulation there is one OS thread and no lock. */
#ifndef BASE_RECORD_H
#define BASE_RECORD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* What an event is about. a and b mean what the comment says; "ddi" is an index of enum ddi_id.
 * New kinds are added at the end of their group; readers look names up in record_event_name(). */
enum event_kind {
    EVENT_NONE = 0,
    EVENT_RUN_STAGE,   /* a: enum run_stage */
    EVENT_OBJECT_NEW,  /* object; a: enum object_kind, b: parent object */
    EVENT_OBJECT_DEAD, /* object; a: enum object_kind */
    EVENT_DDI_ENTER,   /* object the call is about; a: ddi | irql << 16, b: call sequence number */
    EVENT_DDI_LEAVE,   /* object; a: ddi | (uint64_t)(uint32_t)status << 32, b: call sequence */
    EVENT_CALLBACK,    /* driver calls DxgkCb*; a: callback id, b: first plain argument */
    EVENT_CALLBACK_DONE, /* a: callback id | status << 32 */
    EVENT_BREACH,        /* a: rule index, b: breach index */
    EVENT_MARK,          /* a: text offset in the pool */
    EVENT_VARIATION,     /* a: text offset of its name */

    EVENT_TASK_NEW = 32, /* object: task; a: text offset of the name */
    EVENT_TASK_RUN,      /* object: task; cpu */
    EVENT_TASK_END,      /* object: task */
    EVENT_IRQL,          /* a: new irql, b: old */
    EVENT_INTERRUPT,     /* a: line; cpu that serves it */
    EVENT_INTERRUPT_END, /* a: line, b: 1 if the routine said it was its own */
    EVENT_DPC,           /* object: the DPC's number */
    EVENT_DPC_END,

    EVENT_PACKET_QUEUED = 64, /* object: packet; a: context object, b: kind | node << 8 */
    EVENT_PACKET_SUBMIT,      /* object: packet; a: fence id, b: node */
    EVENT_PACKET_DONE,        /* object: packet; a: status, b: fence id */
    EVENT_PACKET_PREEMPTED,   /* object: packet; a: fence id, b: node */
    EVENT_PACKET_CANCELLED,   /* object: packet; b: node */
    EVENT_FENCE_REPORTED,     /* a: fence id, b: node */
    EVENT_PREEMPT_REQUEST,    /* a: preemption fence id, b: node */
    EVENT_TIMEOUT,            /* object: packet; b: node */
    EVENT_RESET,              /* a: 0 begin, 1 end */
    EVENT_FENCE_SIGNAL,       /* object: fence; a: value */
    EVENT_FENCE_WAIT,         /* object: fence; a: value */
    EVENT_QUEUE_STATE,        /* object: context; a: state | node << 8, b: since when, ns */

    EVENT_PAGING_OP = 96, /* object: allocation; a: operation | segment << 16, b: bytes */
    EVENT_ALLOC_PLACED,   /* object: allocation; a: segment, b: offset */
    EVENT_ALLOC_EVICTED,  /* object: allocation; a: segment, b: offset */
    EVENT_ALLOC_CONTENT,  /* object: allocation; a: hash of its bytes as checked */

    EVENT_PRESENT = 128, /* object: context; a: flags, b: frame number */
    EVENT_FLIP,          /* a: source | address << 8, b: allocation object */
    EVENT_VSYNC,         /* a: source, b: address shown */
    EVENT_FRAME,         /* a: frame number, b: hash of its pixels */

    EVENT_GPU_BEGIN = 160, /* device: a: engine, b: tag of the command */
    EVENT_GPU_END,

    EVENT_POOL = 192,  /* a: bytes, b: tag */
    EVENT_POOL_FREE,   /* a: bytes, b: tag */
    EVENT_EXPORT_CALL, /* a: export index */
    EVENT_CLIENT_CALL, /* D3DKMT: a: function id, b: status */
    EVENT_USER = 224,  /* for plug-ins: a and b are theirs */
};

struct event {
    uint64_t time_ns; /* virtual */
    uint16_t kind;    /* enum event_kind */
    uint8_t cpu;
    uint8_t irql;
    uint32_t object; /* 0: none */
    uint64_t a, b;
};

_Static_assert(sizeof(struct event) == 32, "an event is half a cache line");

enum object_kind {
    OBJECT_NONE,
    OBJECT_ADAPTER,
    OBJECT_PROCESS,
    OBJECT_DEVICE,
    OBJECT_CONTEXT,
    OBJECT_ALLOCATION,
    OBJECT_RESOURCE,
    OBJECT_PACKET,
    OBJECT_TASK,
    OBJECT_FENCE,
    OBJECT_NODE,
    OBJECT_SEGMENT,
    OBJECT_SOURCE,
    OBJECT_KIND_COUNT
};

/* How far the run came; the supervisor shows it when the child dies. */
enum run_stage {
    RUN_STAGE_NONE,
    RUN_STAGE_LOAD,   /* reading and mapping the image */
    RUN_STAGE_ENTRY,  /* DriverEntry */
    RUN_STAGE_ADD,    /* AddDevice */
    RUN_STAGE_START,  /* StartDevice */
    RUN_STAGE_CAPS,   /* QueryAdapterInfo and the consistency of its answers */
    RUN_STAGE_WORK,   /* workloads */
    RUN_STAGE_STOP,   /* StopDevice, RemoveDevice */
    RUN_STAGE_UNLOAD, /* Unload, leak check */
    RUN_STAGE_DONE,
};

/* Why the run ended. */
enum run_outcome {
    RUN_OUTCOME_NONE, /* still running; after the child's end: it died */
    RUN_OUTCOME_PASS,
    RUN_OUTCOME_BREACH,         /* the driver broke a rule */
    RUN_OUTCOME_REFUSED,        /* the image or the driver's answers were refused; no rule needed */
    RUN_OUTCOME_USAGE,          /* asked for something that makes no sense */
    RUN_OUTCOME_OWN_FAULT,      /* ours */
    RUN_OUTCOME_INCONCLUSIVE,   /* time ran out, or nothing was there to judge by */
    RUN_OUTCOME_DEVICE_FAULT,   /* of the hardware model, not of the driver */
    RUN_OUTCOME_UNSUPPORTED,    /* Drydock lacks what the driver needs */
    RUN_OUTCOME_WORKLOAD_FAULT, /* of a client, not of the driver */
    RUN_OUTCOME_FAULT,          /* the driver crashed, hung, or ended the system or its process */
};

#define RECORD_TEXT_MAX     640
#define RECORD_BREACHES_MAX 256
#define RECORD_DDI_MAX      256
#define RECORD_RULES_MAX    1024
#define RECORD_COUNTERS_MAX 256
#define RECORD_MEMBERS_MAX  512
#define RECORD_PAGING_MAX   32
#define RECORD_CALLBACK_MAX 128
#define RECORD_EXPORTS_MAX  1024
#define RECORD_BLOBS_MAX    1024
#define RECORD_NOTES_MAX    64
#define RECORD_OBJECTS_MAX  (1u << 20) /* whose kind is kept longer than the ring keeps events */

/* What a finding means for the verdict. */
enum record_weight {
    RECORD_COUNTS, /* the driver is not clean */
    RECORD_ADVICE, /* what a page asks for and what does no harm here: told, not counted */
    RECORD_WAIVED, /* the user allowed it by name */
};

/* One breach, complete enough to be printed when the process that found it is gone. */
struct record_breach {
    char rule[24]; /* "SUBMIT-003", or a fault's name: "FAULT", "POOL" */
    char ddi[64];  /* "DxgkDdiSubmitCommand" */
    char expected[RECORD_TEXT_MAX];
    char actual[RECORD_TEXT_MAX];
    uint32_t object;   /* whose history belongs to it; 0: none */
    uint32_t bugcheck; /* as Windows would show it; 0: none */
    uint64_t bugcheck_argument[4];
    uint64_t event_index; /* where in the record it happened */
    uint32_t count;       /* how often the same breach was seen */
    uint32_t fatal;       /* it ended the run */
    uint32_t weight;      /* enum record_weight */
};

struct record_ddi_count {
    uint64_t calls, failures;
    uint64_t registered; /* not 0: the driver has it */
};

/* One thing that a run may reach, and how often it did. */
struct record_reach {
    uint64_t could; /* not 0: this driver and version have it */
    uint64_t count;
};

/* Who was looked at: rules of both sides are counted for each. */
enum record_judged { RECORD_DRIVER, RECORD_KERNEL, RECORD_JUDGED_COUNT };

enum record_blob_kind {
    RECORD_BLOB_FRAME,  /* a picture, 32 bits a pixel, blue first */
    RECORD_BLOB_INFO,   /* JSON: what the driver said of itself */
    RECORD_BLOB_DEBUG,  /* what CollectDbgInfo wrote, without the zeros at its end */
    RECORD_BLOB_SCREEN, /* a picture as of a frame: a monitor when the system had stopped */
};

/* Nothing here names a file: the reader does. */
struct record_blob {
    uint64_t offset, size;
    uint32_t kind;                  /* enum record_blob_kind */
    uint32_t workload;              /* of a frame: whose, from 0 */
    uint32_t number;                /* of a frame: which of it; of what else: which; from 1 */
    uint32_t width, height, stride; /* of a picture */
    uint32_t label;                 /* text offset: what the frame's maker calls it */
    uint32_t reason, bucket;        /* of debug information: Reason and BucketingKey */
    uint64_t time_ns;               /* of debug information and screens */
};

struct record_counter {
    char name[48]; /* "memory.paged_in", "paging.Transfer": dots nest in the report */
    uint64_t value;
};

/* Whose code runs besides the driver's and Drydock's: what a user may plug in. */
enum record_plugged {
    RECORD_PLUGGED_CLIENT,
    RECORD_PLUGGED_MODEL,
    RECORD_PLUGGED_POLICY,
    RECORD_PLUGGED_COUNT
};

struct record_header {
    uint64_t magic, size_bytes;
    uint32_t stage;     /* enum run_stage */
    uint32_t outcome;   /* enum run_outcome */
    char message[1024]; /* why it ended so; one clear sentence */
    char driver[256];
    uint64_t seed;
    uint64_t digest; /* of all events; valid after record_finish() */
    uint64_t event_count;
    uint64_t event_capacity; /* a power of two */
    uint64_t object_count;
    uint64_t now_ns;   /* newest virtual time, since the machine's begin */
    uint32_t progress; /* thousandths of the run's work, for whoever watches */
    uint32_t note_count;
    uint32_t notes[RECORD_NOTES_MAX]; /* text offsets: what was left out, and why */
    uint32_t breach_count, blob_count, counter_count, text_used;
    uint32_t counting_breaches; /* of breach_count: those with RECORD_COUNTS */
    uint64_t blob_used;
    uint64_t breach_offset, text_offset, event_offset, blob_offset;
    uint64_t text_size, blob_size;
    struct record_ddi_count ddi[RECORD_DDI_MAX];
    /* How often each rule was looked at where it could have been broken, and whether it speaks of
     * this driver. */
    uint64_t rule_checks[RECORD_JUDGED_COUNT][RECORD_RULES_MAX];
    uint8_t rule_applies[RECORD_JUDGED_COUNT][RECORD_RULES_MAX];
    struct record_reach members[RECORD_MEMBERS_MAX]; /* by contract_members */
    struct record_reach paging[RECORD_PAGING_MAX];   /* by DXGK_BUILDPAGINGBUFFER_OPERATION */
    struct record_reach callbacks[RECORD_CALLBACK_MAX];
    struct record_reach exports[RECORD_EXPORTS_MAX]; /* of the kernel, by number */
    struct record_counter counters[RECORD_COUNTERS_MAX];
    struct record_blob blobs[RECORD_BLOBS_MAX];
    uint8_t object_kinds[RECORD_OBJECTS_MAX]; /* enum object_kind, by the object's number */
    uint32_t driver_runs; /* now: a routine of the driver, which need not be a DDI */
    /* Now: the code of a client, by the place of its workload from 1, of a model, of a policy. */
    uint32_t plugged_runs[RECORD_PLUGGED_COUNT];
};

struct record; /* a mapping of the region in this process */

/* Makes a region (memfd) with room for event_capacity events (a power of two) and blob_bytes.
 * Null if memory is short. */
struct record *record_create(uint64_t event_capacity, uint64_t blob_bytes);
void record_destroy(struct record *record);
/* In a child process: gives up its way to a region that is another's. The record cannot be used. */
void record_forget(struct record *record);

/* Makes the record the process's own; events written from now on go there. NULL detaches. */
void record_attach(struct record *record);
struct record *record_current(void);
struct record_header *record_header(struct record *record);
/* The attached record's counters of looks at rules; NULL: none is attached. */
uint64_t *record_rule_checks(void);

/* The clock, the virtual CPU and its IRQL that new events carry. machine keeps them up to date. */
struct record_context {
    uint64_t now_ns, begun_ns; /* a machine's clock need not begin at 0 */
    uint8_t cpu, irql;
};
extern struct record_context record_context;

/* For whoever finds the process dead: no event, since most such routines have some of their own. */
void record_driver_runs(bool runs);
/* Which of that kind, from 1; 0: none. */
void record_plugged_runs(enum record_plugged who, uint32_t which);
void record_event(enum event_kind kind, uint32_t object, uint64_t a, uint64_t b);

/* Numbers for objects: 1, 2, 3 ... in order of creation. Writes EVENT_OBJECT_NEW. */
uint32_t record_object_new(enum object_kind kind, uint32_t parent);
void record_object_dead(uint32_t object, enum object_kind kind);

/* Puts a text into the pool and returns its offset; the same text has the same offset. */
uint32_t record_text(const char *text);
/* The same for what a driver prints: a flood of it leaves room for notes and names. */
uint32_t record_text_printed(const char *text);
const char *record_text_at(struct record *record, uint32_t offset);

void record_set_stage(enum run_stage stage);
/* The first outcome other than NONE and PASS stays. */
void record_set_outcome(enum run_outcome outcome, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

/* A line for the report that is no failure. The same line is kept once. */
void record_note(const char *text);
/* NULL behind the last. */
const char *record_note_at(struct record *record, uint32_t index);

/* Adds to a named counter of the report; the name is created at its first use. Names are literals:
 * the pointer itself may be remembered between calls. */
void record_count(const char *name, uint64_t add);
uint64_t record_counter(struct record *record, const char *name);

/* What the user allows by name, a rule or a finding ("CAPS-007", "LEAK"): breaches of it are kept
 * as waived. Of the process, not of a record; what is said before a fork holds on both sides.
 * False: no such name can be, or there is no more room. */
bool record_waive(const char *name);
bool record_is_waived(const char *name);

/* Appends a breach or raises the count of an equal one (same rule, ddi, expected). Returns its
 * index, or RECORD_BREACHES_MAX when there is no more room. */
uint32_t record_add_breach(const struct record_breach *breach);
/* From here on none is added: what was found ended the run. */
void record_seal_breaches(void);
bool record_breaches_are_sealed(void);
struct record_breach *record_breach_at(struct record *record, uint32_t index);

/* Stores bytes; false when there is no more room. */
bool record_add_blob(const struct record_blob *description, const void *bytes);
uint32_t record_blobs_of(enum record_blob_kind kind); /* how many there are */
/* A description, copied so that what is checked is what is used, and its bytes; NULL behind the
 * last and for one that does not lie in the region. */
const void *record_blob_at(struct record *record, uint32_t index, struct record_blob *out);

/* Event number index (0 is the first ever); NULL if the ring has lost it. */
const struct event *record_event_at(struct record *record, uint64_t index);
const char *record_event_name(enum event_kind kind);
const char *record_object_name(enum object_kind kind);

/* Closes the digest. Nothing may be written afterwards. */
uint64_t record_finish(struct record *record);

/* ---- What the writer says outside the region ------------------------------------------------- */

/* Whoever can write to the region can write a verdict into it. So the writer also says what it
 * knows from its own memory, over a way that its supervisor gave it: each outcome when it is set,
 * and the end. */
struct record_statement {
    uint32_t ends; /* record_finish() was reached */
    uint32_t outcome, stage;
    uint32_t breach_count, counting_breaches, blob_count, note_count, counter_count, text_used;
    uint64_t event_count, object_count, digest, now_ns;
    char message[1024];
};

/* Called with each statement; it must be fit for a signal handler. */
typedef void record_speaker(void *ctx, const struct record_statement *statement);
void record_set_speaker(struct record *record, record_speaker *speak, void *ctx);

/* ---- For the supervisor, when the writer is gone --------------------------------------------- */

/* Makes this process the writer: what it adds comes behind what is there. The outcome is open
 * again: what the region says of it is nobody's word. */
void record_take_over(struct record *record);
/* Does the region hold what a run has, as far as it can be seen from it alone? */
bool record_is_sound(struct record *record);
/* Does it hold what the writer said at its end? Events are compared while the ring has them all. */
bool record_matches(struct record *record, const struct record_statement *end);

#endif
