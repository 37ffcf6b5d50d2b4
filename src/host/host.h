/* host: runs one driver from its file to the end, in this process, and leaves everything in the
 * record.
 *
 *     machine ─ nt ─ registry ─ device in its slot ─ image ─ DriverEntry ─ adapter ─ work ─ stop
 *        └───────────── any of it may end in a breach, a fault, a bug check, a time-out ──────┘
 *
 * The caller made a record and attached it; usually he is a supervised child without privileges and
 * his parent writes the report. Nothing here writes a file.
 *
 * One run in a process. Outcomes and the one sentence that explains them are in the record's
 * header. */
#ifndef HOST_HOST_H
#define HOST_HOST_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/record.h"
#include "drydock/device.h"
#include "drydock/policy.h"
#include "drydock/workload.h"
#include "machine/vary.h"

struct ddi_step;
struct loader_cover;
struct vidsch_policy;

#define HOST_WORKLOADS_MAX 32

struct host_file {
    const char *name; /* for messages and locations: "foo.sys" */
    const void *bytes;
    size_t size;
};

/* A number in the driver's service key, and what it may be instead. */
#define HOST_SETTINGS_MAX       16
#define HOST_SETTING_VALUES_MAX 8
struct host_setting {
    char name[64];
    uint32_t values[HOST_SETTING_VALUES_MAX];
    unsigned value_count;
    bool always; /* it is another wherever any is: it makes much of what the others bring longer */
    /* Where the one before it in the list is not, for the two do not go together. */
    bool instead;
    /* A driver of the first WDDM version cannot have it; or it makes the driver one. What such a
     * driver has not got is wanted where the system stops (stop-screen): the latter is
     * elsewhere. */
    bool newer, oldest;
    bool along; /* of addresses: which value goes by the same number as that of the one before */
};

/* Settings for GPU virtual addresses that have to come together for something to happen at all,
 * each with a value from `least` to `most`. Eight parts are arranged so that each meeting takes
 * place in one, as far as that goes: share_out.c. */
#define HOST_ADDRESS_SETTINGS_MAX 32
#define HOST_MEETINGS_MAX         48
#define HOST_MEETING_MAX          6
struct host_meeting {
    struct {
        const char *name; /* NULL: no more */
        uint32_t least, most;
    } of[HOST_MEETING_MAX];
};

/* What an .inf puts into the registry: text, as nt_registry_load_text() reads it. In that of the
 * device's hardware key HOST_HARDWARE_KEY stands for "Device Parameters" below it. */
#define HOST_HARDWARE_KEY "*"
struct host_installation {
    const char *registry, *hardware;
    const char *note; /* for the report */
};

enum host_special_pool { HOST_SPECIAL_POOL_OFF, HOST_SPECIAL_POOL_AFTER, HOST_SPECIAL_POOL_BEFORE };

/* Where a plug-in lies: who makes its file shorter takes pages of that away under the run. */
struct host_mapped {
    uintptr_t begin, end;
    const char *name;
};

struct host_options {
    struct host_file driver;   /* a PE image; bytes NULL: driver_module instead */
    const char *driver_module; /* path of an ELF module */
    const char *service_name;  /* registry key under Services; NULL: the driver's base name */
    struct host_file registry; /* text, or bytes NULL */
    /* What the driver's installation sets, before what the user does; or NULL. */
    const struct host_installation *installation;
    /* For the variation other-settings. What the registry says of ours stays. */
    const struct host_setting *settings;
    unsigned setting_count;
    bool settings_are_ours;
    /* For gpu-addresses: what has to be so, each one value or several to choose from. */
    const struct host_setting *address_settings;
    unsigned address_setting_count;
    const struct host_meeting *meetings; /* of these */
    unsigned meeting_count;
    unsigned wddm_version;      /* 0x1300; 0: the driver's default. Goes to the service key */
    bool driver_is_given;       /* by the user: not the built-in one */
    bool driver_speaks_softgpu; /* the built-in driver's command set may be used */
    const struct device_model *device_model; /* what is in the slot */
    const char *device_options;
    const char *device_path; /* of a plug-in: whose faults are its own; NULL: a model of ours */
    bool messages;           /* grant message-signalled interrupts */

    uint64_t seed;
    uint64_t ram_bytes;
    unsigned cpu_count;
    uint64_t time_limit_ns;  /* virtual; 0: 10 minutes */
    unsigned watchdog_ms;    /* real time without a switching point; 0: 10 s */
    uint64_t tdr_delay_ns;   /* 0: 2 s */
    uint32_t first_fence_id; /* 0: 1 */
    bool shadow_content;
    bool patch_paging;
    bool undocumented_paging;            /* operations that documents leave open */
    const char *windows; /* "6.1"; NULL: the newest; what the driver is told that this is */
    enum host_special_pool special_pool; /* where the shut page of a block is; see nt.h */
    uint64_t transfer_bytes_max;         /* 0: transfers go whole; see dxgk.h */

    const struct drydock_workload *workloads[HOST_WORKLOADS_MAX];
    const struct drydock_value *workload_values[HOST_WORKLOADS_MAX]; /* NULL: the initial ones */
    bool workload_ends[HOST_WORKLOADS_MAX]; /* known of it: each of its commands ends, and soon */
    const char *workload_paths[HOST_WORKLOADS_MAX]; /* of plug-ins: whose faults are their own */
    /* Who is next on a node: a plug-in with its path, or one that comes with the scheduler; both
     * NULL: vidsch_policy_priority. */
    const struct drydock_policy *policy;
    const char *policy_path;
    const struct vidsch_policy *policy_builtin;
    unsigned workload_count;
    const struct host_mapped *mapped; /* noted while their files were whole */
    unsigned mapped_count;
    uint64_t duration_ns; /* virtual, of each workload */
    unsigned process_count;
    const struct drydock_image *images;
    unsigned image_count;
    const struct drydock_allocation_data *allocation_data;
    unsigned allocation_data_count;
    struct vary_set variations; /* what the kernel does otherwise than usual */
    /* A call of a DDI that is interrupted after an instruction: ddi_step of ddi.h. NULL: none. */
    const struct ddi_step *step;
    const struct loader_cover *cover; /* which places of the image are run is told there; or NULL */
    bool work_expected;    /* a clean run without a client's completed work says nothing */
    bool others_work;      /* but where the user's settings rule out what this part is for */
    bool info_only;        /* start, leave what the driver said of itself (a blob), stop */
    bool surprise_removal; /* pull the device out after the workloads */
    bool round_robin;      /* switch only when one must: for measurements */
    bool verbose;          /* DbgPrint lines to standard error */
    void (*loaded)(void);  /* NULL, or called when the image is in memory and has not run */
};

/* The plug-in that lies there, or NULL. In signal handlers, too. */
static inline const char *host_mapped_name(const struct host_options *options, uintptr_t address)
{
    for (unsigned i = 0; i < options->mapped_count; i++) {
        const struct host_mapped *mapped = &options->mapped[i];
        if (address - mapped->begin < mapped->end - mapped->begin) {
            return mapped->name;
        }
    }
    return NULL;
}

/* Runs and fills the record in. The outcome is in its header; record_finish() was called. */
enum run_outcome host_run(const struct host_options *options, struct record *record);

/* A system call was made that the sandbox forbids. Ends the run if the driver's own code made it;
 * returns if it was ours. For the handler of SIGSYS. */
void host_forbidden_system_call(const void *address, int number);
/* Somebody ends the process by `how`, during the run: tells whose code it is. */
void host_process_ends(const char *how, const void *ucontext);

/* Is there an export of this name for drivers, of the kernel or the graphics kernel? */
bool host_export_exists(const char *name);
/* Is there a Windows of this version, as for `windows` above? */
bool host_is_windows(const char *version);

#endif
