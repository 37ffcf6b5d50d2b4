/* Display: sources and what they show. Modes come from vidpn.c, other surfaces by flips (flip.c).
 */
#include "dxgk/display_only.h"
#include "dxgk/flip_queue.h"
#include "dxgk/overlay.h"
#include "dxgk/present_virtual.h"
#include "dxgk/work.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define VSYNC_WAIT_NS (2 * NS_PER_S)

/* ---- Surfaces that must stay in place ------------------------------------------------------ */

NTSTATUS dxgk_surface_pin(struct dxgk_allocation *allocation, struct vidmm_pin *pin)
{
    struct dxgk_adapter *adapter = allocation->adapter;
    struct vidmm_prepare_result result;

    for (;;) {
        vidmm_pin(pin, &allocation->memory, &result);
        if (result.outcome == VIDMM_FAILED) {
            return result.status;
        }
        if (result.outcome != VIDMM_WAIT) {
            return dxgk_wait_paging(adapter, result.paging_sequence, MACHINE_NEVER);
        }
        if (dxgk_waits_for_caller(allocation, &result.wait)) {
            return STATUS_INVALID_PARAMETER;
        }
        dxgk_wait_memory(adapter, &result.wait, MACHINE_NEVER);
    }
}

void dxgk_surface_unpin(struct dxgk_adapter *adapter, struct vidmm_pin *pin)
{
    bool held = vidmm_pin_holds(pin);

    vidmm_unpin(pin);
    if (held) {
        dxgk_memory_changed(adapter);
    }
}

void dxgk_source_replace_shown(struct dxgk_source *source, struct dxgk_allocation *allocation,
                               struct vidmm_pin *pin)
{
    struct dxgk_allocation *before = source->shown;
    struct vidmm_pin pin_before = source->pin;

    CHECK_THAT(!allocation == !pin && (!pin || pin->allocation == &allocation->memory));
    if (allocation) {
        life_get(&allocation->life);
    }
    source->shown = allocation;
    source->pin = pin ? *pin : (struct vidmm_pin){0};
    source->reshow = DXGK_RESHOW_DONE;
    if (pin) {
        *pin = (struct vidmm_pin){0};
    }
    dxgk_surface_unpin(source->adapter, &pin_before);
    if (before) {
        life_put(&before->life);
    }
}

/* ---- One change at a time ------------------------------------------------------------------ */

/* What a source shows changes by calls of the driver that may wait for each other. Who changes it
 * has it for himself, and waits for nothing that the worker must do. */
void dxgk_source_begin_change(struct dxgk_source *source)
{
    uint64_t deadline_ns = machine_now_ns() + VSYNC_WAIT_NS;

    /* Flips that the driver has written name outputs of the VidPN as it is [PRES-054]. The worker
     * waits for nobody: it shows again what a reset or a sleep took. */
    while (source->changing ||
           (source->flips_commanded > 0 && task_self() != source->adapter->worker &&
            machine_now_ns() < deadline_ns)) {
        wait_queue_wait(&source->changed, source->changing ? MACHINE_NEVER : deadline_ns);
    }
    source->changing = true;
}

void dxgk_source_end_change(struct dxgk_source *source)
{
    CHECK_THAT(source->changing);
    source->changing = false;
    wait_queue_wake(&source->changed, UINT_MAX);
    if (source->reshow != DXGK_RESHOW_DONE || !list_empty(&source->flips)) {
        dxgk_worker_kick(source->adapter); /* it left the source alone meanwhile */
    }
}

void dxgk_display_begin_changes(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_source_begin_change(&adapter->sources[i]);
    }
}

void dxgk_display_end_changes(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_source_end_change(&adapter->sources[i]);
    }
}

/* ---- Presents to screens --------------------------------------------------------------------- */

struct dxgk_source *dxgk_screen_begin_present(struct dxgk_adapter *adapter,
                                              const struct dxgk_present_request *request)
{
    const struct dxgk_allocation *to =
        request->destination ? request->destination->allocation : NULL;

    if (!to || !to->primary || to->source >= adapter->source_count) {
        return NULL;
    }
    struct dxgk_source *source = &adapter->sources[to->source];
    while (source->changing) {
        wait_queue_wait(&source->changed, MACHINE_NEVER);
    }
    source->presents_begun++;
    return source;
}

void dxgk_screen_end_present(struct dxgk_source *source)
{
    if (source && --source->presents_begun == 0) {
        wait_queue_wake(&source->changed, UINT_MAX);
    }
}

bool dxgk_screens_are_drawn_on(const struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].presents_begun > 0) {
            return true;
        }
    }
    list_for_each (link, &adapter->packets) {
        const struct dxgk_packet *packet = container_of(link, struct dxgk_packet, live_link);
        const struct dxgk_allocation *to =
            packet->dma && packet->flags.Present && !packet->flags.Flip &&
                    !packet->flags.FlipWithNoWait
                ? packet->dma->targets[DXGK_PRESENT_DESTINATION_INDEX]
                : NULL;
        if (to && to->primary) {
            return true;
        }
    }
    return false;
}

void dxgk_screens_wait_presents(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        while (adapter->sources[i].presents_begun > 0) {
            wait_queue_wait(&adapter->sources[i].changed, MACHINE_NEVER);
        }
    }
}

/* ---- Showing ------------------------------------------------------------------------------- */

NTSTATUS dxgk_source_set_visible(struct dxgk_source *source, bool visible)
{
    struct dxgk_adapter *adapter = source->adapter;
    const DXGKARG_SETVIDPNSOURCEVISIBILITY arguments = {.VidPnSourceId = source->index,
                                                        .Visible = visible};
    NTSTATUS status = ddi_set_vidpn_source_visibility(&adapter->ddi, adapter->ddi.miniport_context,
                                                      &arguments, 0);

    if (NT_SUCCESS(status)) {
        source->visible = visible;
        if (!visible) {
            dxgk_composed_judge_hidden(source);
        }
    }
    return status;
}

void dxgk_source_end_flips(struct dxgk_source *source)
{
    CHECK_THAT(source->changing);
    dxgk_flip_queue_cancel(source);
    if (!present_wait_flips(&source->present, machine_now_ns() + VSYNC_WAIT_NS)) {
        dxgk_flip_queue_forget(source);
        present_source_cancel(&source->present, VIDSCH_STATUS_CANCELLED);
    }
}

void dxgk_source_hide(struct dxgk_source *source)
{
    CHECK_THAT(source->changing);
    if (!source->visible) {
        return;
    }
    dxgk_overlays_end(source);
    dxgk_source_end_flips(source);
    dxgk_source_set_visible(source, false);
    dxgk_planes_drop(source);
    dxgk_source_end_vsync(source);
}

bool dxgk_screens_change(const struct dxgk_adapter *adapter)
{
    bool changing = false;

    for (unsigned i = 0; i < adapter->source_count; i++) {
        changing |= adapter->sources[i].changing;
    }
    return changing;
}

void dxgk_source_forget(struct dxgk_source *source, struct dxgk_allocation *allocation)
{
    dxgk_source_begin_change(source);
    if (source->shown == allocation || dxgk_planes_show(source, allocation)) {
        dxgk_source_hide(
            source); /* the screen goes dark before its surface does (0x10E/2A otherwise) */
    }
    if (source->shown == allocation) { /* the last of its flips may have shown another */
        dxgk_source_replace_shown(source, NULL, NULL);
    }
    dxgk_source_end_change(source);
}

unsigned dxgk_source_modes(struct dxgk_adapter *adapter, unsigned source,
                           struct dxgk_mode modes[DXGK_MODES_MAX])
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return 0;
    }
    memcpy(modes, adapter->sources[source].modes, sizeof adapter->sources[source].modes);
    return adapter->sources[source].mode_count;
}

bool dxgk_source_mode(struct dxgk_adapter *adapter, unsigned source, struct dxgk_mode *mode)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return false;
    }
    *mode = adapter->sources[source].mode;
    return true;
}

bool dxgk_source_shows(const struct dxgk_adapter *adapter, unsigned source)
{
    return source < adapter->source_count && adapter->sources[source].shown;
}

NTSTATUS dxgk_source_wait_vsync(struct dxgk_adapter *adapter, unsigned source, uint64_t deadline_ns)
{
    if (source >= adapter->source_count || !adapter->sources[source].active) {
        return STATUS_INVALID_PARAMETER;
    }
    return present_wait_vsync(&adapter->sources[source].present, deadline_ns) ? STATUS_SUCCESS
                                                                              : STATUS_TIMEOUT;
}

bool dxgk_source_wait_flips(struct dxgk_adapter *adapter, unsigned source, uint64_t deadline_ns)
{
    return source >= adapter->source_count ||
           present_wait_flips(&adapter->sources[source].present, deadline_ns);
}

/* ---- Life ---------------------------------------------------------------------------------- */

NTSTATUS dxgk_display_start(struct dxgk_adapter *adapter, struct dxgk_failure *failure)
{
    dxgk_planes_judge_caps(adapter);
    dxgk_flip_queue_judge_caps(adapter);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        source->adapter = adapter;
        source->index = i;
        list_init(&source->flips);
        list_init(&source->overlays);
        wait_queue_init(&source->changed);
        source->flip_arguments = nt_memory_alloc(sizeof *source->flip_arguments, 0);
        if (!source->flip_arguments) {
            return STATUS_NO_MEMORY;
        }
        present_source_init(&source->present, &dxgk_present_backend, i,
                            dxgk_adapter_queues_flips(adapter)
                                ? dxgk_flip_queue_length(adapter)
                                : adapter->caps.MaxQueuedFlipOnVSync);
        NTSTATUS status = dxgk_planes_start(source);
        if (!NT_SUCCESS(status)) {
            return status;
        }
    }
    NTSTATUS status =
        adapter->source_count > 0 ? dxgk_vidpn_bring_up(adapter, failure) : STATUS_SUCCESS;
    for (unsigned i = 0; adapter->display_only && NT_SUCCESS(status) && i < adapter->source_count;
         i++) {
        status = dxgk_composed_start(&adapter->sources[i]);
    }
    return status;
}

void dxgk_display_stop(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        if (!source->adapter) {
            continue;
        }
        dxgk_source_begin_change(source);
        dxgk_overlays_end(source);
        if (!dxgk_releases_seen(adapter)) {
            dxgk_source_hide(source);
        } else if (dxgk_adapter_queues_flips(adapter)) {
            dxgk_source_end_flips(source);
        }
        dxgk_source_replace_shown(source, NULL, NULL);
        dxgk_source_end_change(source);
        present_source_fini(&source->present);
        dxgk_planes_stop(source);
        nt_memory_free(source->flip_arguments);
        free(source->palette);
        source->palette = NULL;
        dxgk_composed_stop(source);
    }
    dxgk_vidpn_tear_down(adapter);
}

/* Flips under way are over: none is programmed once their surfaces are gone with the reset. One
 * that another CPU's DPC is programming ends with that DPC. */
void dxgk_display_end_flips(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        dxgk_flip_queue_forget(&adapter->sources[i]);
        present_source_cancel(&adapter->sources[i].present, STATUS_SUCCESS);
    }
    dpc_flush_all();
}

void dxgk_display_reshow(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        dxgk_planes_drop(source); /* the primary alone comes back [MPO-016] */
        if (source->shown) {
            source->reshow = DXGK_RESHOW_WANTED; /* its pin ended with the reset */
            adapter->reshowing = true;
        }
    }
}

/* From darken to light the change is in hand, so that no flip comes between. Vertical syncs stay
 * on: that a device without power has none is the driver's business. */
void dxgk_display_darken(struct dxgk_adapter *adapter)
{
    for (unsigned i = 0; i < adapter->source_count; i++) {
        struct dxgk_source *source = &adapter->sources[i];
        dxgk_source_begin_change(source);
        dxgk_overlays_end(source);
        if (source->visible) {
            dxgk_source_end_flips(source);
            dxgk_source_set_visible(source, false);
            source->visible = true; /* it shall be again */
        }
        dxgk_planes_drop(source);
        dxgk_flip_queue_rest(source);
        dxgk_surface_unpin(adapter, &source->pin);
    }
}

void dxgk_display_light(struct dxgk_adapter *adapter)
{
    dxgk_display_reshow(adapter);
    for (unsigned i = 0; i < adapter->source_count; i++) {
        adapter->sources[i].set_mode = adapter->sources[i].shown != NULL;
        if (adapter->sources[i].composed) {
            dxgk_composed_light(&adapter->sources[i]);
        }
        dxgk_source_end_change(&adapter->sources[i]);
    }
}

NTSTATUS dxgk_source_light(struct dxgk_source *source)
{
    NTSTATUS status = dxgk_source_set_mode_address(source, source->shown);

    if (NT_SUCCESS(status)) {
        status = dxgk_source_enable_vsync(source);
    }
    return NT_SUCCESS(status) ? dxgk_source_set_visible(source, true) : status;
}

/* The worker waits for nobody: reshow() saw that nobody else changes the source. */
static void show_again(struct dxgk_source *source)
{
    dxgk_source_begin_change(source);
    source->reshow = DXGK_RESHOW_DONE;
    if (source->set_mode) {
        dxgk_vidpn_commit(source->adapter, source->index, source->shown);
        source->set_mode = false;
    }
    dxgk_source_set_mode_address(source, source->shown);
    if (source->visible) {
        (void)dxgk_source_enable_vsync(source);
        dxgk_source_set_visible(source, true);
    }
    dxgk_source_end_change(source);
}

/* One step of the way back to the screen; false: there is none. */
static bool pin_again(struct dxgk_source *source)
{
    struct vidmm_prepare_result result;

    if (!dxgk_adapter_has_hardware(source->adapter)) {
        return false;
    }
    vidmm_unpin(&source->pin); /* which has ended */
    vidmm_pin(&source->pin, &source->shown->memory, &result);
    if (result.outcome == VIDMM_READY) {
        source->reshow = DXGK_RESHOW_PAGING;
        source->reshow_sequence = result.paging_sequence;
    }
    return result.outcome != VIDMM_FAILED;
}

static void reshow(struct dxgk_source *source)
{
    struct dxgk_allocation *shown = source->shown;

    if (source->changing || !life_enter(&shown->life)) {
        return; /* who changes it kicks us; who destroys what it shows makes it dark */
    }
    if (source->reshow == DXGK_RESHOW_WANTED && !pin_again(source)) {
        dxgk_source_replace_shown(source, NULL, NULL);
    }
    if (source->reshow == DXGK_RESHOW_PAGING &&
        vidmm_paging_reached(source->adapter->vidmm, source->reshow_sequence)) {
        show_again(source);
    }
    life_leave(&shown->life);
}

void dxgk_display_work(struct dxgk_adapter *adapter)
{
    bool any = false;

    dxgk_planes_work(adapter);
    if (!adapter->reshowing) {
        return;
    }
    for (unsigned i = 0; i < adapter->source_count; i++) {
        if (adapter->sources[i].reshow != DXGK_RESHOW_DONE) {
            reshow(&adapter->sources[i]);
        }
    }
    /* Not before the last is shown: the driver's calls switch, and whoever waits for the screens
     * would look at dark ones. */
    for (unsigned i = 0; i < adapter->source_count; i++) {
        any |= adapter->sources[i].reshow != DXGK_RESHOW_DONE;
    }
    adapter->reshowing = any;
}
