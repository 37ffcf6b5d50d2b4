/* drydock/workload.h: client work as a plug-in.
 *
 * A workload stands where a user-mode driver and its application stand. It reaches the driver under
 * test through the D3DKMT functions (d3dkmthk.h) and through nothing else; from its host it gets
 * processes and threads to run in, virtual time, seeded randomness and pictures, and tells it how
 * the work goes.
 *
 *      host ── run() ──> workload ── start() ──> client processes ── D3DKMT ──> driver
 *        ^                  │                          │
 *        └── note, count, frame, fail ─────────────────┘
 *
 * run() and every process are tasks on the simulated machine: one of them runs at a time, and
 * another gets its turn only inside D3DKMT functions and those functions of the host that say "may
 * switch". Between two such calls memory that tasks share needs no lock. A task must not wait for
 * anything but by these functions, and must not read a clock or randomness but those given here:
 * two runs with one seed are the same run. It has no threads but those its host starts, and run()
 * returns when they have ended. What breaks in its own code, or in a library's that it called, ends
 * the run as its own fault (workload_fault, exit status 5) and nobody else's.
 *
 * A library with a workload is built against this header and d3dkmthk.h and exports
 *
 *      DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload = {
 *          .abi = DRYDOCK_WORKLOAD_ABI, .name = "mine", .description = "...", .run = run,
 *      };
 *
 * Texts given to the host are copied, but for names of counters, which are literals. Structures
 * grow at their end only; size_bytes says how much of the host's one is there. */
#ifndef DRYDOCK_WORKLOAD_H
#define DRYDOCK_WORKLOAD_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "drydock/option.h"

#ifdef __cplusplus
extern "C" {
#define DRYDOCK_WORKLOAD_EXPORT extern "C" __attribute__((visibility("default")))
#else
#define DRYDOCK_WORKLOAD_EXPORT __attribute__((visibility("default")))
#endif

#define DRYDOCK_WORKLOAD_ABI    2
#define DRYDOCK_WORKLOAD_SYMBOL "drydock_workload"

#define DRYDOCK_NEVER UINT64_MAX /* a deadline that never comes */

/* A picture: rows of 32-bit pixels 0xAARRGGBB without gaps, alpha not multiplied in. */
struct drydock_image {
    const char *name; /* "meadow.png" */
    unsigned width, height;
    const uint32_t *pixels;
};

/* What the host knows of the adapter. */
enum drydock_capability {
    DRYDOCK_DEVICE_IS_SOFTGPU = 1u << 0, /* the built-in software GPU is in the slot */
    DRYDOCK_DRIVER_IS_SOFTGPU = 1u
                                << 1, /* and the built-in driver, with its command set, drives it */
    DRYDOCK_DRIVER_IS_DISPLAY_ONLY = 1u << 2, /* no devices, no work: drydock_present_frame() */
    DRYDOCK_DRIVER_HAS_PLANES = 1u << 3,      /* overlay planes, in any of their forms */
    DRYDOCK_DRIVER_QUEUES_FLIPS = 1u << 4,    /* a hardware flip queue, in use */
    DRYDOCK_DRIVER_HAS_OVERLAYS = 1u << 5,    /* D3DKMTCreateOverlay may succeed */
    DRYDOCK_RUN_HAS_RESETS = 1u << 6, /* the adapter is reset now and then while it has nothing to
                                       * do; a workload may ask for one (D3DKMTEscape with
                                       * D3DKMT_TDRDBGCTRLTYPE_FORCETDR) */
};

/* Private driver data of an allocation, as a user-mode driver would make it: what the user gave with
 * --allocation-data, for a driver whose data nobody else knows. */
struct drydock_allocation_data {
    const void *bytes;
    size_t size;
    const void *resource_bytes; /* of the resource around it */
    size_t resource_size;       /* 0: an allocation without a resource */
};

struct drydock_workload_host;
struct drydock_process; /* a client process or thread that start() made */
struct drydock_event;   /* something that tasks wait for */

typedef void drydock_process_entry(void *argument);

struct drydock_window {
    int32_t left, top, right, bottom;
};

struct drydock_wrong_pixel {
    unsigned x, y;
    uint32_t seen;  /* 0x00RRGGBB */
    uint64_t count; /* 0: none is wrong */
};

struct drydock_workload_host {
    size_t size_bytes; /* of this structure, as the host has it */

    uint32_t adapter_luid_low; /* for D3DKMTOpenAdapterFromLuid */
    int32_t adapter_luid_high;
    uint32_t capabilities; /* of enum drydock_capability */
    const char *driver_name;
    uint64_t seed;
    uint64_t duration_ns;   /* how long to go on, in virtual time from the call of run() */
    unsigned process_count; /* client processes that were asked for; at least 1 */
    const struct drydock_image *images; /* given by the user; may be none */
    size_t image_count;

    /* ---- Time ---- */
    uint64_t (*now_ns)(const struct drydock_workload_host *host); /* virtual, since power-on */
    /* Sleeps; returns at once if the time has passed. May switch. */
    void (*sleep_until)(const struct drydock_workload_host *host, uint64_t time_ns);

    /* ---- Randomness: the n-th number of a site, the same in every run with the seed. A workload
     * numbers its sites from 0; they are its own. ---- */
    uint64_t (*random)(const struct drydock_workload_host *host, uint32_t site);

    /* ---- Tasks ---- */
    /* A new client process with one thread, or a further thread in the caller's process. NULL if
     * there is no memory. When the entry returns and the process has no other thread, whatever it
     * left open is closed, as a kernel does. */
    struct drydock_process *(*start_process)(const struct drydock_workload_host *host,
                                             const char *name, drydock_process_entry *entry,
                                             void *argument);
    struct drydock_process *(*start_thread)(const struct drydock_workload_host *host,
                                            const char *name, drydock_process_entry *entry,
                                            void *argument);
    /* Waits until it has ended, and frees it. Each is joined once. May switch. */
    void (*join)(const struct drydock_workload_host *host, struct drydock_process *process);
    /* Lets others run. */
    void (*yield)(const struct drydock_workload_host *host);

    /* An event counts signals: each lets one wait pass. NULL if there is no memory. */
    struct drydock_event *(*event_create)(const struct drydock_workload_host *host);
    /* No thread may be left in event_wait() that nobody has let go. */
    void (*event_destroy)(const struct drydock_workload_host *host, struct drydock_event *event);
    void (*event_signal)(const struct drydock_workload_host *host, struct drydock_event *event);
    /* False if the deadline came first. May switch. */
    bool (*event_wait)(const struct drydock_workload_host *host, struct drydock_event *event,
                       uint64_t deadline_ns);

    /* ---- Telling ---- */
    /* How far the work is. done <= total. */
    void (*progress)(const struct drydock_workload_host *host, uint64_t done, uint64_t total);
    /* A line for the report that is no failure: what was left out, and why. */
    void (*note)(const struct drydock_workload_host *host, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    /* The work went wrong; the run fails. The workload cleans up and returns from run(). Where the
     * calling thread's last call of D3DKMT was refused without asking the driver it is the workload's
     * own fault, or inconclusive where that was for want of memory or STATUS_NOT_SUPPORTED; else a
     * finding about the driver. Calls behind it that end things, and D3DKMTGetDeviceState, do not
     * count. Its own fault it is, too, where that call named a device that it gave up itself, by
     * D3DKMTMarkDeviceAsError for one; and what it tells behind a fault of its own is a note. */
    void (*fail)(const struct drydock_workload_host *host, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    bool (*failed)(const struct drydock_workload_host *host); /* somebody called fail() */
    /* Adds to a counter of the report: "pressure.bytes_wrong". */
    void (*count)(const struct drydock_workload_host *host, const char *name, uint64_t add);
    /* A finished picture, 32-bit BGRX rows, for the output folder ("desktop" gives
     * frame-desktop-0001.png and so on); what stands in X does not count. Also goes into the
     * record as a frame event. */
    void (*frame)(const struct drydock_workload_host *host, const char *name, const void *pixels,
                  unsigned width, unsigned height, unsigned stride_bytes);
    /* What the monitor of a video present source shows now, 32-bit BGRX rows; what stands in X
     * does not count. False if the device cannot tell or the output is dark. *pixels stays valid
     * until the next call that may switch, and may be the surface itself. */
    bool (*scanout)(const struct drydock_workload_host *host, unsigned source, const void **pixels,
                    unsigned *width, unsigned *height, unsigned *stride_bytes);

    /* ---- What the user said: "--workload ./mine.so,rounds=3" ---- */
    const struct drydock_value *values; /* one for each row of the workload's options */

    /* The run fails as by fail(), and the finding is named for the rule that the result shows to be
     * broken: "PRES-028". A rule that no result shows is fail()'s. */
    void (*breaks)(const struct drydock_workload_host *host, const char *rule, const char *format,
                   ...) __attribute__((format(printf, 3, 4)));

    /* ---- More words ---- */
    /* The work ended because the adapter was reset and took the device: as fail(), but where the
     * user made the time-out shorter than the system's own, nobody is to blame for that, and the
     * run is inconclusive. */
    void (*lost)(const struct drydock_workload_host *host, const char *format, ...)
        __attribute__((format(printf, 2, 3)));
    /* "STATUS_INVALID_PARAMETER". Valid until the next call. */
    const char *(*status_name)(const struct drydock_workload_host *host, int32_t status);

    const struct drydock_allocation_data *allocation_data; /* of the user; may be none */
    size_t allocation_data_count;

    /* How often overlay planes of a source went, so that its primary was left: by a flip of that, or
     * because the system had to show it again, after a reset, a sleep, another VidPN. Who had planes
     * there presents them again. */
    uint64_t (*planes_gone)(const struct drydock_workload_host *host, unsigned source);

    /* As scanout(): what one eye saw last on a monitor that is sent the two images of a stereo
     * picture in turn. False: it is sent one picture, or the device cannot tell. */
    bool (*scanout_eye)(const struct drydock_workload_host *host, unsigned source, bool right,
                        const void **pixels, unsigned *width, unsigned *height,
                        unsigned *stride_bytes);

    /* Can what the monitor of a source shows be these 32-bit pixels, row behind row, of the size of
     * the source's mode, however its path scales them? *wrong: where not, first by its place in them.
     * `window`: where in the mode of the monitor they are, of a path that is scaled as the driver
     * likes, and whose driver you know; or NULL. False: the device cannot tell. */
    bool (*compare)(const struct drydock_workload_host *host, unsigned source,
                    const uint32_t *pixels, const struct drydock_window *window,
                    struct drydock_wrong_pixel *wrong);

    /* What breaks() would have told of this rule was looked at, and is as it should be: the report
     * counts it among the rules that the run came to. */
    void (*holds)(const struct drydock_workload_host *host, const char *rule);
};

struct drydock_workload {
    uint32_t abi; /* DRYDOCK_WORKLOAD_ABI; of 1 everything but options is read */
    const char *name;
    const char *description; /* one line */
    /* Called once, in a client process of its own named after the workload. */
    void (*run)(const struct drydock_workload_host *host);
    const struct drydock_option *options; /* what the user can say; NULL: nothing */
};

#ifdef __cplusplus
}
#endif

#endif
