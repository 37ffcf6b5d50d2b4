/* What the files of dxgk/ share about outputs: sources and what they show, children, monitors and
 * flips. The objects are in internal.h, which includes this; VidPNs in vidpn.h. */
#ifndef DXGK_SCREENS_H
#define DXGK_SCREENS_H

#include "dxgk/flips.h"
#include "dxgk/internal.h"

#define DXGK_PALETTE_SIZE     256u
#define DXGK_LONGEST_FRAME_NS (42 * NS_PER_MS) /* of 24 Hz: by then hardware has taken an address */

/* ---- Sources: display.c, vidpn.c ---------------------------------------------------------- */

NTSTATUS dxgk_display_start(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
void dxgk_display_stop(struct dxgk_adapter *adapter);
/* Places the surface and keeps it there, until a reset of memory. PASSIVE_LEVEL; may switch. */
NTSTATUS dxgk_surface_pin(struct dxgk_allocation *allocation, struct vidmm_pin *pin);
/* access.c: for a lock of the running task's own, which nobody else would end. */
bool dxgk_waits_for_caller(const struct dxgk_allocation *allocation, const struct vidmm_wait *wait);
void dxgk_surface_unpin(struct dxgk_adapter *adapter, struct vidmm_pin *pin);
/* The surface (NULL: none) takes the place of the one shown so far, its pin goes to the source. */
void dxgk_source_replace_shown(struct dxgk_source *source, struct dxgk_allocation *allocation,
                               struct vidmm_pin *pin);
/* Is the surface of the size that the source's mode has, as far as that is known? */
bool dxgk_source_fits(const struct dxgk_source *source, const struct dxgk_allocation *allocation);
/* The newest shared primary that the device of the one shown made besides it, to be flipped to;
 * NULL: none. The source shows one. */
struct dxgk_allocation *dxgk_source_next_primary(const struct dxgk_source *source);
/* If it shows the allocation, it goes dark. May switch. */
void dxgk_source_forget(struct dxgk_source *source, struct dxgk_allocation *allocation);
/* Makes the driver agree on a VidPN with one path per connected output, fills in the sources' modes
 * and commits it without a primary. */
NTSTATUS dxgk_vidpn_bring_up(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
/* Commits the present VidPN with this primary on the source; NULL: the driver has none. */
NTSTATUS dxgk_vidpn_commit(struct dxgk_adapter *adapter, unsigned source,
                           struct dxgk_allocation *primary);
void dxgk_vidpn_tear_down(struct dxgk_adapter *adapter);
/* Before what they show is lost; no DPC has one in hand afterwards. May switch. */
void dxgk_display_end_flips(struct dxgk_adapter *adapter);
void dxgk_display_reshow(struct dxgk_adapter *adapter); /* after a reset: primaries, again */
/* Around a sleep: screens go dark, and what they showed has no place; they show it again. */
void dxgk_display_darken(struct dxgk_adapter *adapter);
void dxgk_display_light(struct dxgk_adapter *adapter);
void dxgk_display_work(struct dxgk_adapter *adapter); /* the worker's part of that */
void dxgk_wait_screens(struct dxgk_adapter *adapter); /* until it has shown all; may switch */
NTSTATUS dxgk_vidpn_interface(D3DKMDT_HVIDPN vidpn, DXGK_VIDPN_INTERFACE_VERSION version,
                              const DXGK_VIDPN_INTERFACE **interface);
/* What a source shows is changed by one at a time; waits for who does. Then he has the change in
 * hand: */
void dxgk_source_begin_change(struct dxgk_source *source);
/* Does anybody change one now? Any context. */
bool dxgk_screens_change(const struct dxgk_adapter *adapter);
void dxgk_source_end_change(struct dxgk_source *source);
/* Presents to primaries were asked for as the screens are: until they are done no mode changes, and
 * none begins while one does [PRES-054]. The source that the present draws on, or NULL: */
struct dxgk_source *dxgk_screen_begin_present(struct dxgk_adapter *adapter,
                                              const struct dxgk_present_request *request);
void dxgk_screen_end_present(struct dxgk_source *source); /* it was called; accepts NULL */
/* Is there one that is called, queued or running? */
bool dxgk_screens_are_drawn_on(const struct dxgk_adapter *adapter);
void dxgk_screens_wait_presents(struct dxgk_adapter *adapter); /* for the calls; may switch */
/* Of all sources: nobody who has one in hand waits for another. */
void dxgk_display_begin_changes(struct dxgk_adapter *adapter);
void dxgk_display_end_changes(struct dxgk_adapter *adapter);
NTSTATUS dxgk_source_set_visible(struct dxgk_source *source, bool visible);
/* vsync_switch.c */
NTSTATUS dxgk_source_enable_vsync(struct dxgk_source *source);
/* It was hidden. */
void dxgk_source_end_vsync(struct dxgk_source *source);
/* The driver may have ended them by itself. */
void dxgk_source_lose_vsyncs(struct dxgk_source *source);
bool dxgk_source_has_vsyncs_on(const struct dxgk_source *source);
/* And the driver tells of each: it claimed interrupts, the mode has a frequency, and no log of
 * flips that wait in the device does it instead. */
bool dxgk_source_tells_vsyncs(const struct dxgk_source *source);
/* Are they on, of something that a monitor shows? */
bool dxgk_source_owes_vsyncs(const struct dxgk_source *source);
/* A type that nobody switches: the answer says so [INT-024]. */
void dxgk_ask_other_interrupt(struct dxgk_adapter *adapter);
/* Those on the way are shown, or come too late. No other comes while the source changes. */
void dxgk_source_end_flips(struct dxgk_source *source);
/* asked.c: what was set is set again: the mode was. The caller has the change in hand. */
void dxgk_source_restore_palette(struct dxgk_source *source);
/* Its flips end, it is dark; with the last visible source vertical syncs are switched off, or where
 * they are each source's its own. */
void dxgk_source_hide(struct dxgk_source *source);
/* After a commit: what it showed last, which is in its place, is seen again. */
NTSTATUS dxgk_source_light(struct dxgk_source *source);
/* Looks at what a visible source's target shows: screen_exam.c. The caller has the change in hand;
 * may switch. */
void dxgk_screen_exam(struct dxgk_source *source);
void dxgk_screen_exam_lines(struct dxgk_source *source); /* screen_lines.c, a part of it */
/* screen_beside.c, too: the others have a shape, and their pointers are hidden before and after. */
void dxgk_screen_exam_beside(const struct dxgk_source *source, int x, int y);
void dxgk_screen_exam_described(const struct dxgk_source *source); /* screen_described.c */
/* Before another surface is shown: hides and shows what the source shows still, if that is what is
 * left of flips that were taken back, or several planes. Whoever calls has the change in hand. */
void dxgk_screen_exam_planes(struct dxgk_source *source);
/* clone.c: a source in stereo is shown on a monitor without it, too, for some moments. The caller
 * has the changes of all sources in hand; may switch. */
void dxgk_screen_exam_stereo(struct dxgk_source *source);
/* Of a source that is shown, with its change in hand: from now on nobody draws there.
 * screen_kept.c */
struct dxgk_untouched {
    uint64_t uses, resets; /* of the surface, and of the adapter, so far */
};
struct dxgk_untouched dxgk_source_touch(const struct dxgk_source *source);
/* Nobody has, or may by now, and the device is as it was: what is seen tells something of the
 * driver. */
bool dxgk_source_is_untouched(const struct dxgk_source *source, const struct dxgk_untouched *since);
/* pointer_shapes.c: a shape that the driver's caps have; pixels are of its format. False: it was
 * not taken, which is a breach but for want of memory. */
struct dxgk_pointer_shape {
    DXGK_POINTERFLAGS flags; /* one of the kinds */
    UINT width, height, pitch;
    const void *pixels;
};
bool dxgk_pointer_give(struct dxgk_source *source, const struct dxgk_pointer_shape *given);
/* pointer_exam.c: shapes of each kind are shown, moved and hidden. False: something else may be
 * seen where they were. */
struct dxgk_pointer_look {
    const uint32_t *beneath;            /* what is shown, in the mode's size */
    bool color;                         /* of Color, too */
    const struct dxgk_untouched *since; /* NULL: nobody draws there */
    const char *behind;                 /* ", behind a sleep"; NULL: nothing */
};
bool dxgk_pointer_exam(struct dxgk_source *source, const struct dxgk_pointer_look *look);
/* Of a source that shows what it showed before it was dark, if nobody did so yet. May switch. */
void dxgk_pointer_exam_woken(struct dxgk_source *source, const char *behind);
/* Of each kind but color one of so many pixels a side, and the largest of color. */
void dxgk_pointer_try_shapes(struct dxgk_source *source, unsigned side);
/* screen_look.c: what the monitor shows, in the mode's size; false: the device model cannot
 * tell, or it is stretched. */
bool dxgk_screen_picture(const struct dxgk_source *source, struct pci_picture *picture);
/* A number for it; false: the device model cannot tell, or it is dark. */
bool dxgk_screen_hash(const struct dxgk_source *source, uint64_t *hash);
bool dxgk_target_hash(const struct dxgk_adapter *adapter, UINT target, uint64_t *hash);
/* Of what one eye saw there last; false: it is not in stereo. */
bool dxgk_target_eye_hash(const struct dxgk_adapter *adapter, UINT target, bool right,
                          uint64_t *hash);
/* A black picture is not told from a dark screen; nor is one that the device model cannot tell. */
bool dxgk_screen_is_black(const struct dxgk_source *source);
/* It was hidden, a VidPN was committed since, and no address told, nor that it is visible again: is
 * it seen? */
void dxgk_source_judge_dark(const struct dxgk_source *source);
bool dxgk_target_is_black(const struct dxgk_adapter *adapter, UINT target); /* or dark */
/* By STRETCHED, ASPECTRATIOCENTEREDMAX or CUSTOM: modes_list.c. */
bool dxgk_is_stretched(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling);
/* Other sizes at both ends: one of those, or CENTERED. */
bool dxgk_is_scaled(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling);
/* The part of the target's mode that shows the picture; false: nobody can tell. */
struct dxgk_fit {
    unsigned left, top, width, height;
    unsigned edge_x, edge_y; /* pixels at the edges that are not looked at */
};
bool dxgk_screen_fit(const struct dxgk_source *source, struct dxgk_fit *out);
/* Such a picture: which pixels can be no stretch of the expected ones, whatever the filter is; the
 * first is told by its place in them. `window`: see dxgk_source_compare(). False: the device model
 * cannot tell. screen_stretched.c */
bool dxgk_screen_compare_stretched(const struct dxgk_source *source, const uint32_t *expected,
                                   const RECT *window, struct dxgk_screen_wrong *out);
/* All that is sent to the monitor, without alpha, in the size of the target's mode; to be freed.
 * NULL: the device model cannot tell, or there is no memory. */
uint32_t *dxgk_screen_sent(const struct dxgk_source *source);
/* Pixels without what stands above their colours. */
void dxgk_colours_take(uint32_t *to, const uint32_t *from, size_t count);
/* A picture of such a source was seen as it has to be: for the first time in each way of scaling it
 * is looked at further, of a driver that renders. screen_scaled.c; may switch. */
void dxgk_screen_exam_scaled(struct dxgk_source *source);
/* The same of a clone's second path, of who has the changes in hand. */
void dxgk_screen_exam_cloned(struct dxgk_source *source);
/* UpdateActiveVidPnPresentPath has set it; is what was seen then as after CommitVidPn? */
const char *dxgk_scaling_name(D3DKMDT_VIDPN_PRESENT_PATH_SCALING scaling);
void dxgk_screen_judge_updated(const struct dxgk_source *source, bool same);
/* pointer_scaled.c: shapes of each kind there. `since` as in struct dxgk_pointer_look. False:
 * something else may be seen where they were. */
bool dxgk_pointer_exam_scaled(struct dxgk_source *source, const struct dxgk_untouched *since);
/* `expected` has the pixels of the mode, row behind row. False: the device model cannot tell. */
bool dxgk_screen_compare(const struct dxgk_source *source, const uint32_t *expected,
                         struct dxgk_screen_wrong *out);
/* What the monitors show besides that of the source (NULL: all of them): screen_kept.c. May
 * switch. */
struct dxgk_screens_kept {
    struct dxgk_adapter *adapter;
    uint64_t seen[CONTRACT_SOURCES_MAX], uses[CONTRACT_SOURCES_MAX];
    const struct dxgk_allocation *shown[CONTRACT_SOURCES_MAX];
    bool saw[CONTRACT_SOURCES_MAX];
    uint64_t resets; /* of the adapter by then */
};
/* A reset, or the end of the device, came since then: nothing that is seen tells any more. */
bool dxgk_screens_disturbed(const struct dxgk_screens_kept *kept);
void dxgk_screens_keep(struct dxgk_adapter *adapter, const struct dxgk_source *except,
                       struct dxgk_screens_kept *out);
/* It was looked at, and since then nobody drew there or showed anything else. */
bool dxgk_screen_tells(const struct dxgk_screens_kept *kept, const struct dxgk_source *source);
bool dxgk_screen_is_kept(const struct dxgk_screens_kept *kept, const struct dxgk_source *source);
/* A commit for the source alone returned [VIDPN-011]. `commit`: "without a path to target 1". */
void dxgk_screens_judge_others(const struct dxgk_screens_kept *kept,
                               const struct dxgk_source *affected, const char *commit);
/* They were dark, and are shown again, behind that call, and where the device lost its power the
 * pointer is: a picture that the kernel makes is looked at elsewhere. May switch. */
void dxgk_screens_judge_woken(const struct dxgk_screens_kept *kept, const char *call,
                              bool lost_power);
/* Waits until what was asked for must be seen; false: there is no vertical sync. */
bool dxgk_screen_settle(struct dxgk_source *source);
/* From one vertical sync to the next, by its mode; of 60 Hz where the driver does not say. */
uint64_t dxgk_frame_ns(const struct dxgk_source *source);
/* Of the time between two vertical syncs; waits for more if it is a little off. SHOW_007. */
void dxgk_screen_judge_rate(struct dxgk_source *source, uint64_t period_ns);
/* Behind a sleep, or the rest of monitors: whether they come at all. */
void dxgk_screen_judge_lit(struct dxgk_source *source);
/* Of a clone's second target, which is the source's for the moment. */
void dxgk_screen_judge_second(struct dxgk_source *source, UINT first,
                              const struct dxgk_screens_kept *kept);
/* Before a flip is programmed; false: what is seen would tell nothing, for somebody draws there. */
bool dxgk_screen_look_before(struct dxgk_flip *flip);
/* A flip for the next vertical sync was programmed [FLIP-004]. */
void dxgk_screen_judge_flip(struct dxgk_flip *flip);
/* An immediate one was programmed (waits microseconds); the vertical sync that ends it came. */
void dxgk_screen_look_at_immediate(struct dxgk_flip *flip);
void dxgk_screen_judge_immediate(struct dxgk_flip *flip);
/* Which output of the device a target is: they are numbered as the children that are outputs. */
unsigned dxgk_output_of(const struct dxgk_adapter *adapter, UINT target);
/* The driver said this of its connection. */
void dxgk_child_says(struct dxgk_child *child, const DXGK_CHILD_STATUS *status);
/* He said both of it so far, or told of a change now. False: it may be one that cannot tell, and is
 * interruptible in name alone. */
bool dxgk_child_is_detected(const struct dxgk_child *child);
/* Asked for its connection he gave this answer [CHILD-007]. */
void dxgk_child_judge_answer(const struct dxgk_adapter *adapter, const struct dxgk_child *child,
                             const DXGK_CHILD_STATUS *answer, bool connected);
/* A monitor is there: reads its descriptor. */
void dxgk_child_read_descriptor(struct dxgk_adapter *adapter, struct dxgk_child *child);
/* descriptor.c: asked for a block, the driver answered so; bytes: NULL without success. */
void dxgk_child_judge_block(const struct dxgk_adapter *adapter, struct dxgk_child *child,
                            unsigned offset, const uint8_t *bytes, NTSTATUS status);
/* For its first block, as who does not know yet that it was pulled out. */
void dxgk_child_ask_descriptor(struct dxgk_adapter *adapter, struct dxgk_child *child);
/* Behind a change of one that interrupts: contacts come to rest at last [plug.c]. */
void dxgk_child_bounce(const struct dxgk_adapter *adapter, const struct dxgk_child *child,
                       bool connected);
/* Until the driver has told of that state, or nobody waits any more. */
void dxgk_child_wait_told(const struct dxgk_child *child, bool connected, uint64_t deadline_ns);
/* Asks for the children, what is connected to them and what it says of itself. */
NTSTATUS dxgk_children_query(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
NTSTATUS dxgk_indicate_child_status(struct ddi_adapter *ddi, DXGK_CHILD_STATUS *status);
NTSTATUS dxgk_monitor_interface(struct ddi_adapter *adapter, DXGK_MONITOR_INTERFACE_VERSION version,
                                const DXGK_MONITOR_INTERFACE **interface);

/* last_screen.c: the device is stopped in the way that leaves a frame buffer to the next driver;
 * false: it is to be stopped as ever. */
bool dxgk_release_display(struct dxgk_adapter *adapter);
/* Is it to be handed over with what it shows? No page says that a source is hidden before, and a
 * frame buffer of a driver that has nothing else is its own. */
bool dxgk_releases_seen(const struct dxgk_adapter *adapter);

/* ---- Planes: planes.c --------------------------------------------------------------------- */

/* Of a source, for the time between start and stop of the display. */
NTSTATUS MUST_CHECK dxgk_planes_start(struct dxgk_source *source);
void dxgk_planes_stop(struct dxgk_source *source);
void dxgk_planes_judge_caps(const struct dxgk_adapter *adapter); /* once, before those */
/* The source shows its primary alone again, or nothing. */
void dxgk_planes_drop(struct dxgk_source *source);
/* Is the picture made of planes? Is the allocation in one of them besides the first? */
bool dxgk_planes_shown(const struct dxgk_source *source);
bool dxgk_planes_all_off(const struct dxgk_source *source); /* it is, and there is none */
bool dxgk_planes_show(const struct dxgk_source *source, const struct dxgk_allocation *allocation);
/* They went within the last frame, and may be seen until the next vertical sync. */
bool dxgk_planes_going(const struct dxgk_source *source);
/* What the plane shows, and how; NULL: it is off. */
struct dxgk_allocation *dxgk_plane_shown(const struct dxgk_source *source, UINT layer,
                                         DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 *attributes);
/* The caller is inside the openings, and stays until the flip is queued. */
NTSTATUS dxgk_planes_make(const struct dxgk_adapter *adapter,
                          const struct dxgk_planes_request *request, struct dxgk_planes **out);
/* May the one be programmed while the other waits for its vertical sync: are both of planes, and
 * have they none in common [MPO-002]? */
bool dxgk_planes_beside(const struct present_flip *flip, const struct present_flip *programmed);
/* Of a flip of planes, at the lock: may it be told here and now? */
bool dxgk_planes_may_program(struct dxgk_source *source, const struct present_flip *flip);
/* Stations of a flip of planes, as flip.c has them for one surface. */
bool dxgk_planes_written(const struct dxgk_planes *planes);
bool dxgk_planes_fit(const struct dxgk_source *source, const struct dxgk_planes *planes);
bool dxgk_planes_pin(struct dxgk_adapter *adapter, struct dxgk_planes *planes, NTSTATUS *status);
void dxgk_planes_unpin(struct dxgk_planes *planes);
/* What its vertical sync is known by. */
uint64_t dxgk_planes_number(struct dxgk_adapter *adapter, struct dxgk_planes *planes);
/* planes_tell.c: at PASSIVE_LEVEL; may switch. */
NTSTATUS dxgk_planes_program(struct dxgk_flip *flip);
void dxgk_planes_latched(struct dxgk_flip *flip);
/* The flip is over, whatever came of it; and its planes are given back without one. */
void dxgk_planes_ended(struct dxgk_flip *flip);
void dxgk_planes_done(struct dxgk_adapter *adapter, struct dxgk_planes *planes);
/* planes_sync.c: at device level; in the DPC; the same, of notices without planes. */
void dxgk_planes_vsync_notice(struct dxgk_adapter *adapter,
                              const DXGKARGCB_NOTIFY_INTERRUPT_DATA *data);
void dxgk_planes_serve(struct dxgk_source *source);
void dxgk_planes_judge_plain(struct dxgk_source *source, unsigned notices);
void dxgk_planes_work(struct dxgk_adapter *adapter); /* the worker's part */

/* plug.c: in the driver's interrupt routine, with a notice: whoever waits for one changes now. */
void dxgk_plug_with_notice(struct dxgk_adapter *adapter);

/* monitor.c: those whose bits are set, by children, are about to be switched off: the driver is
 * told of their paths by CommitVidPn, and again while they are lit, as path_power has it. */
void dxgk_paths_switch_off(struct dxgk_adapter *adapter, uint64_t resting);
/* Of those whose monitors are off by now: a mode is set that may be another one. */
void dxgk_paths_change_while_off(struct dxgk_adapter *adapter);
void dxgk_paths_are_on(struct dxgk_adapter *adapter); /* again, and commits are no transition */

/* moments.c: the first monitor goes and comes, if the device model knows of such. */
void dxgk_plug_move(struct dxgk_adapter *adapter);
/* The same, and its DPC is held back until the driver waits for it, or for 20 ms. May switch. */
void dxgk_plug_move_at_last(struct dxgk_adapter *adapter);
/* A call of this thread that puts the device to rest begins: a plug moves in it, once, when the
 * driver has waited for its DPCs. `holds`: the DPC of that is as late as it can be. */
void dxgk_moment_begin(struct dxgk_adapter *adapter, bool holds);
void dxgk_moment_end(void);

#endif
