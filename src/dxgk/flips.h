/* Flips: by registers (flip.c), or by commands (flip_command.c); both end with a vertical sync. */
#ifndef DXGK_FLIPS_H
#define DXGK_FLIPS_H

#include "dxgk/internal.h"

struct dxgk_packet;
struct dxgk_road;

/* A flip on its way: from its context's queue to the screen. */
struct dxgk_flip {
    struct present_flip base;
    struct list link; /* in source->flips */
    struct dxgk_source *source;
    struct dxgk_opening *opening; /* inside, until it is done */
    struct dxgk_allocation *allocation;
    struct dxgk_packet *packet;
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags;
    HANDLE context;
    struct vidmm_pin pin;
    uint64_t paging_sequence; /* of the pin */
    /* What was seen before it was programmed, and who had drawn where by then: screen_exam.c. */
    const struct dxgk_allocation *shown_before;
    uint64_t seen_before, uses_before, uses_next;
    bool looked_at, stood;      /* immediate: and the same was seen after it, too */
    struct dxgk_planes *planes; /* planes.c; then opening, allocation and pin are theirs */
};

/* Those of them that do not say when. */
static inline UINT dxgk_flip_modifiers(DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags)
{
    flags.FlipImmediate = flags.FlipOnNextVSync = 0;
    return flags.Value;
}

static inline DXGK_SETVIDPNSOURCEADDRESS_FLAGS dxgk_flip_stereo(DXGK_PRESENTFLAGS flags)
{
    return (DXGK_SETVIDPNSOURCEADDRESS_FLAGS){.FlipStereo = flags.FlipStereo,
                                              .FlipStereoTemporaryMono =
                                                  flags.FlipStereoTemporaryMono,
                                              .FlipStereoPreferRight = flags.FlipStereoPreferRight};
}

/* ---- Flips: flip.c ------------------------------------------------------------------------ */

extern const struct present_backend dxgk_present_backend;
/* Of clients that wait for vertical syncs so: client_event.c. In a DPC. */
void dxgk_vsync_events_set(struct present_source *source);
/* Can the source show it, and is it a primary of that mode? [FLIP-006] */
bool dxgk_flip_fits(struct dxgk_adapter *adapter, const struct dxgk_present_request *request);
/* Queues the flip behind the context's earlier work. */
NTSTATUS dxgk_flip_queue(struct dxgk_context *context, const struct dxgk_present_request *request);
/* The planes are the flip's from here on, also if this fails. */
NTSTATUS dxgk_flip_queue_planes(struct dxgk_context *context,
                                const struct dxgk_planes_request *request,
                                struct dxgk_planes *planes);
/* A mode change, at PASSIVE_LEVEL: the source shows the allocation from here on. */
NTSTATUS dxgk_source_set_mode_address(struct dxgk_source *source,
                                      struct dxgk_allocation *allocation);
/* The context ends: what the hardware has of its flips, and no newer one, is not shown any more.
 * PASSIVE_LEVEL. */
void dxgk_flips_take_back(const struct dxgk_context *context);
/* The same of a device with all its contexts. */
void dxgk_device_flips_take_back(const struct dxgk_device *device);
void dxgk_display_vsync_notice(struct dxgk_adapter *adapter,
                               const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_display_vsync_dpc(struct dxgk_adapter *adapter);

/* ---- By commands: flip_command.c ------------------------------------------------------------ */

extern const struct dxgk_road dxgk_road_flip_command;
/* The last flip of its source from here on, for the buffers that Present fills; put when those are
 * pushed. Between begin and end of the context's passes. */
NTSTATUS dxgk_flip_command_begin(struct dxgk_context *context,
                                 const struct dxgk_present_request *request,
                                 struct dxgk_flip **out);
/* Each buffer holds it. The last who puts it ends it; any context. */
void dxgk_flip_command_hold(struct dxgk_flip *flip);
void dxgk_flip_command_put(struct dxgk_flip *flip);
/* Until vertical syncs have told all of the device's that ran. A task; false: not by then. */
bool dxgk_flip_commands_wait(struct dxgk_device *device, uint64_t deadline_ns);
/* What SubmitCommand says of the flip [PRES-055]. */
void dxgk_flip_command_fill(const struct dxgk_flip *flip, DXGKARG_SUBMITCOMMAND *arguments);
bool dxgk_flip_is_commanded(const struct dxgk_flip *flip);
/* A vertical sync of the source came: what ran long ago must be shown. */
void dxgk_flip_command_judge(struct dxgk_source *source);
/* The address that a vertical sync tells, or that of the flip that it must be about. */
uint64_t dxgk_flip_command_told(struct dxgk_source *source, uint64_t address);
/* The engine has run its commands: what remains is the vertical sync. */
bool dxgk_flip_command_ran(const struct dxgk_flip *flip);

#endif
