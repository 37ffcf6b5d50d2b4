/* queued: flips that wait in the hardware until their time has come.
 *
 *   four given at once, a frame each ─ the same, and nobody listens for vertical syncs ─ four
 *   frames each ─ three for one time, of which the last is shown ─ those of contexts that end
 *   before they are shown ─ a mode is set while some wait ─ a client ends
 *   with flips of which some were shown, and nobody listened
 *
 * It needs a driver that queues flips, and none of its commands. Each surface has one colour: at
 * each vertical sync the monitor tells which flip is shown. */
#include <stdio.h>
#include <string.h>

#include "gpu.h"
#include "workloads.h"

#define FLIPS          4
#define SURFACES       (FLIPS + 1) /* the first is shown when a step begins */
#define NOBODY         (-1)
#define FRAMES_MAX     24 /* that a step may last */
#define FRAMES_LAST    12 /* behind all that could be shown */
#define FRAMES_UNHEARD 6  /* the first is shown, and the second, three frames behind it */
#define RATE           60
#define MODES_MAX      64
#define WIDTH_MIN      640 /* of the small mode, for five surfaces */

struct scene {
    struct gpu gpu;
    D3DKMT_DISPLAYMODE home, mode; /* mode: the small one */
    struct surface surfaces[SURFACES];
    D3DKMT_HANDLE contexts[FLIPS];
    uint64_t frame_ns;
};

static const uint32_t colours[SURFACES] = {0x203040, 0xA02020, 0x20A020, 0x2020A0, 0xA0A020};

/* What a step saw: when each surface was shown first, and where the order broke. */
struct seen {
    uint64_t at_ns[SURFACES]; /* 0: never */
    int last;
    int before, after; /* after the first the second was seen, though it was queued before */
    bool disturbed;    /* the system showed something else meanwhile */
};

/* ---- Objects --------------------------------------------------------------------------------- */

/* Five surfaces of a large mode are more than some memories have. */
static void choose_small(struct scene *scene)
{
    D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = scene->gpu.adapter, .pModeList = modes, .ModeCount = MODES_MAX};

    if (D3DKMTGetDisplayModeList(&list) < 0) {
        return;
    }
    for (unsigned i = 0; i < list.ModeCount && i < MODES_MAX; i++) {
        if (modes[i].Format == scene->home.Format && !modes[i].Flags.Stereo &&
            modes[i].Width >= WIDTH_MIN &&
            (uint64_t)modes[i].Width * modes[i].Height <
                (uint64_t)scene->mode.Width * scene->mode.Height) {
            scene->mode = modes[i];
        }
    }
}

static bool query_mode(struct scene *scene)
{
    if (!gpu_display_mode(scene->gpu.adapter, 0, &scene->home)) {
        return false;
    }
    scene->mode = scene->home;
    choose_small(scene);
    const D3DDDI_RATIONAL *rate = &scene->mode.RefreshRate;
    scene->frame_ns = rate->Numerator ? UINT64_C(1000000000) * rate->Denominator / rate->Numerator
                                      : UINT64_C(1000000000) / RATE;
    return gpu_is_32_bit(scene->mode.Format);
}

static bool make_surfaces(struct scene *scene)
{
    const struct box whole = box_at(0, 0, (int)scene->mode.Width, (int)scene->mode.Height);
    bool good = true;

    for (unsigned i = 0; i < SURFACES && good; i++) {
        good = gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_PRIMARY, scene->mode.Width,
                                  scene->mode.Height, scene->mode.Format, false,
                                  &scene->surfaces[i]) &&
               gpu_fill(&scene->gpu, &scene->surfaces[i], whole, colours[i]);
    }
    return good && gpu_wait_idle(&scene->gpu);
}

/* One for each flip: what a context sends goes on when that before it is done. */
static bool make_contexts(struct scene *scene)
{
    bool good = true;

    for (unsigned i = 0; i < FLIPS && good; i++) {
        good = scene->contexts[i] || gpu_second_context(&scene->gpu, &scene->contexts[i]);
    }
    return good;
}

static bool end_context(struct scene *scene, unsigned index)
{
    const D3DKMT_DESTROYCONTEXT context = {.hContext = scene->contexts[index]};

    scene->contexts[index] = 0;
    return !context.hContext ||
           gpu_check(&scene->gpu, D3DKMTDestroyContext(&context), "D3DKMTDestroyContext");
}

static bool show(struct scene *scene, const struct surface *primary)
{
    const D3DKMT_SETDISPLAYMODE mode = {
        .hDevice = scene->gpu.device,
        .hPrimaryAllocation = primary->allocation,
        .ScanLineOrdering = D3DDDI_VSSLO_PROGRESSIVE,
        .DisplayOrientation = D3DDDI_ROTATION_IDENTITY,
    };

    return gpu_check_mode(&scene->gpu, D3DKMTSetDisplayMode(&mode), "D3DKMTSetDisplayMode");
}

static bool show_first(struct scene *scene)
{
    return show(scene, &scene->surfaces[0]);
}

/* Others find the mode as it was. */
static void go_home(struct scene *scene)
{
    struct surface primary;

    if (gpu_surface_create(&scene->gpu, DRYDOCK_SURFACE_PRIMARY, scene->home.Width,
                           scene->home.Height, scene->home.Format, false, &primary)) {
        (void)show(scene, &primary);
        gpu_surface_destroy(&scene->gpu, &primary);
    }
}

/* ---- Flips ----------------------------------------------------------------------------------- */

/* The next surface, by the next context. */
static bool flip(struct scene *scene, unsigned number, D3DDDI_FLIPINTERVAL_TYPE interval)
{
    D3DKMT_HANDLE own = scene->gpu.context;

    scene->gpu.context = scene->contexts[number - 1];
    bool good = gpu_flip(&scene->gpu, &scene->surfaces[number], 0, interval);
    scene->gpu.context = own;
    return good;
}

static bool wait_all(struct scene *scene)
{
    D3DKMT_HANDLE own = scene->gpu.context;
    bool good = true;

    for (unsigned i = 0; i < FLIPS && good; i++) {
        scene->gpu.context = scene->contexts[i];
        good = !scene->contexts[i] || gpu_wait_idle(&scene->gpu);
    }
    scene->gpu.context = own;
    return good;
}

static uint64_t gone(const struct scene *scene)
{
    return scene->gpu.host->planes_gone(scene->gpu.host, 0);
}

/* ---- The monitor ----------------------------------------------------------------------------- */

/* Whose colour the middle of the monitor has. */
static int shown(const struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    unsigned width, height, stride;
    const void *pixels;

    if (!host->scanout(host, 0, &pixels, &width, &height, &stride) || width == 0 || height == 0) {
        return NOBODY;
    }
    const uint32_t *line = (const void *)((const char *)pixels + (size_t)(height / 2) * stride);
    int index = SURFACES - 1;
    while (index >= 0 && colours[index] != (line[width / 2] & 0xFFFFFF)) {
        index--;
    }
    host->count(host, "present.scanouts_checked", 1);
    return index;
}

static bool wait_sync(const struct scene *scene)
{
    const D3DKMT_WAITFORVERTICALBLANKEVENT wait = {.hAdapter = scene->gpu.adapter,
                                                   .hDevice = scene->gpu.device};

    return D3DKMTWaitForVerticalBlankEvent(&wait) >= 0;
}

static void note(const struct scene *scene, struct seen *seen)
{
    int index = shown(scene);

    if (index == NOBODY) {
        return;
    }
    if (index < seen->last && seen->before == NOBODY) {
        seen->before = seen->last;
        seen->after = index;
    }
    if (!seen->at_ns[index]) {
        seen->at_ns[index] = scene->gpu.host->now_ns(scene->gpu.host);
    }
    seen->last = index;
}

/* At each vertical sync, until the surface is shown or so many have come. */
static void look_for(const struct scene *scene, int last, unsigned frames, struct seen *out)
{
    uint64_t before = gone(scene);

    *out = (struct seen){.last = NOBODY, .before = NOBODY};
    note(scene, out);
    for (unsigned i = 0; i < frames && (out->last != last || last == NOBODY); i++) {
        if (!wait_sync(scene)) {
            break;
        }
        note(scene, out);
    }
    out->disturbed = gone(scene) != before;
}

/* The queue gives up nothing, and takes no flip before another. */
static void judge(const struct scene *scene, const struct seen *seen, int last, const char *step)
{
    const struct drydock_workload_host *host = scene->gpu.host;

    if (seen->disturbed || host->failed(host) || seen->last == NOBODY) {
        return;
    }
    if (seen->before != NOBODY) {
        host->breaks(host, "MPO-029",
                     "of %s the monitor showed flip %d, and behind it flip %d, which was queued "
                     "before",
                     step, seen->before, seen->after);
    } else if (seen->last != last) {
        host->breaks(host, "MPO-029", "of %s the monitor shows flip %d, and flip %d was the last",
                     step, seen->last, last);
    } else {
        host->holds(host, "MPO-029");
    }
}

/* Which waits so many frames for the one before it is not seen behind half of them: who looks at a
 * vertical sync may come late. */
static void judge_times(const struct scene *scene, const struct seen *seen, unsigned interval,
                        const char *step)
{
    const struct drydock_workload_host *host = scene->gpu.host;

    for (unsigned i = 2; i < SURFACES && !seen->disturbed && !host->failed(host); i++) {
        uint64_t before = seen->at_ns[i - 1], at = seen->at_ns[i];
        if (before && at && at < before + interval * scene->frame_ns / 2) {
            host->breaks(host, "MPO-029",
                         "of %s the monitor showed flip %u %llu us behind flip %u: its "
                         "TargetFlipTime was %u frames of %llu us later",
                         step, i, (unsigned long long)((at - before) / 1000), i - 1, interval,
                         (unsigned long long)(scene->frame_ns / 1000));
            return;
        }
    }
}

/* ---- Steps ----------------------------------------------------------------------------------- */

static bool queue_all(struct scene *scene, D3DDDI_FLIPINTERVAL_TYPE interval)
{
    bool good = show_first(scene);

    for (unsigned i = 1; i <= FLIPS && good; i++) {
        good = flip(scene, i, interval);
    }
    scene->gpu.host->count(scene->gpu.host, "flips.queued", FLIPS);
    return good;
}

static bool step_watched(struct scene *scene, D3DDDI_FLIPINTERVAL_TYPE interval, const char *step)
{
    struct seen seen;

    if (!queue_all(scene, interval)) {
        return false;
    }
    look_for(scene, FLIPS, FRAMES_MAX, &seen);
    judge(scene, &seen, FLIPS, step);
    if (interval > D3DDDI_FLIPINTERVAL_ONE) {
        judge_times(scene, &seen, (unsigned)interval, step);
    }
    return wait_all(scene);
}

static bool step_silent(struct scene *scene)
{
    struct seen seen;
    uint64_t before = gone(scene);

    if (!queue_all(scene, D3DDDI_FLIPINTERVAL_ONE) || !wait_all(scene)) {
        return false;
    }
    look_for(scene, FLIPS, 2, &seen);
    seen.disturbed |= gone(scene) != before;
    judge(scene, &seen, FLIPS, "four flips that nobody listened for");
    return true;
}

/* The first waits two frames, and the others come for the same time. */
static bool step_overtaken(struct scene *scene)
{
    struct seen seen;

    if (!show_first(scene) || !flip(scene, 1, D3DDDI_FLIPINTERVAL_ONE) ||
        !flip(scene, 2, D3DDDI_FLIPINTERVAL_TWO) ||
        !flip(scene, 3, D3DDDI_FLIPINTERVAL_IMMEDIATE) ||
        !flip(scene, 4, D3DDDI_FLIPINTERVAL_IMMEDIATE)) {
        return false;
    }
    look_for(scene, FLIPS, FRAMES_MAX, &seen);
    judge(scene, &seen, FLIPS, "three flips for one time");
    return wait_all(scene);
}

/* Contexts end, the newest first, while their flips wait: those are not seen any more. */
static bool step_taken_back(struct scene *scene)
{
    const struct drydock_workload_host *host = scene->gpu.host;
    struct seen seen;

    if (!show_first(scene) || !flip(scene, 1, D3DDDI_FLIPINTERVAL_ONE) ||
        !flip(scene, 2, D3DDDI_FLIPINTERVAL_FOUR) || !flip(scene, 3, D3DDDI_FLIPINTERVAL_FOUR)) {
        return false;
    }
    look_for(scene, 1, FRAMES_LAST, &seen); /* the others wait behind it */
    uint64_t before = gone(scene);
    if (!end_context(scene, 2) || !end_context(scene, 1)) {
        return false;
    }
    uint64_t taken_back = gone(scene) - before;
    look_for(scene, NOBODY, FRAMES_LAST, &seen);
    if (taken_back == 2 && !seen.disturbed && !host->failed(host) &&
        (seen.at_ns[2] || seen.at_ns[3])) {
        host->breaks(host, "MPO-014",
                     "the monitor showed flip %d, which the driver had reported as cancelled",
                     seen.at_ns[2] ? 2 : 3);
    } else if (taken_back == 2 && !seen.disturbed) {
        host->holds(host, "MPO-014");
    }
    host->count(host, "flips.taken_back", taken_back);
    return wait_all(scene) && make_contexts(scene);
}

/* What waits when a mode is set is shown before, or never. */
static bool step_mode(struct scene *scene)
{
    struct seen seen;

    if (!queue_all(scene, D3DDDI_FLIPINTERVAL_THREE)) {
        return false;
    }
    look_for(scene, 1, FRAMES_LAST, &seen);
    if (!show_first(scene)) {
        return false;
    }
    look_for(scene, NOBODY, FRAMES_LAST, &seen);
    judge(scene, &seen, 0, "a mode that was set while four flips waited");
    return wait_all(scene);
}

/* ---- The whole ------------------------------------------------------------------------------- */

static void run_steps(struct scene *scene)
{
    (void)(gpu_own(&scene->gpu) && show_first(scene) &&
           step_watched(scene, D3DDDI_FLIPINTERVAL_ONE, "four flips, a frame each") &&
           step_silent(scene) &&
           step_watched(scene, D3DDDI_FLIPINTERVAL_FOUR, "four flips, four frames each") &&
           step_overtaken(scene) && step_taken_back(scene) && step_mode(scene));
}

static void run(const struct drydock_workload_host *host)
{
    struct scene scene = {.gpu.host = host};

    if (!gpu_open(&scene.gpu, host, 0)) {
        return;
    }
    if (query_mode(&scene) && make_surfaces(&scene) && make_contexts(&scene)) {
        run_steps(&scene);
    }
    for (unsigned i = 0; i < FLIPS; i++) {
        (void)end_context(&scene, i);
    }
    for (unsigned i = 0; i < SURFACES; i++) {
        gpu_surface_destroy(&scene.gpu, &scene.surfaces[i]);
    }
    if (scene.mode.Width != scene.home.Width && !host->failed(host) && !scene.gpu.lost) {
        go_home(&scene);
    }
    gpu_close(&scene.gpu);
}

/* What the system asks to be taken back begins with flips that were shown, and what it asks the log
 * for has them. */
static void leave_with_flips(const struct drydock_workload_host *host)
{
    struct scene scene = {.gpu.host = host};

    if (!gpu_open(&scene.gpu, host, 0)) {
        return;
    }
    if (query_mode(&scene) && make_surfaces(&scene) && make_contexts(&scene) &&
        gpu_own(&scene.gpu) && queue_all(&scene, D3DDDI_FLIPINTERVAL_THREE)) {
        host->sleep_until(host, host->now_ns(host) + FRAMES_UNHEARD * scene.frame_ns);
    }
    uint64_t before = gone(&scene);
    gpu_close(&scene.gpu); /* with all that its device has */
    host->count(host, "flips.left", gone(&scene) - before);
    if (!host->failed(host) && scene.mode.Width != scene.home.Width &&
        gpu_open(&scene.gpu, host, 0)) {
        if (gpu_own(&scene.gpu)) {
            go_home(&scene);
        }
        gpu_close(&scene.gpu);
    }
}

static void run_all(const struct drydock_workload_host *host)
{
    if (!(host->capabilities & DRYDOCK_DRIVER_IS_DISPLAY_ONLY) &&
        (host->capabilities & DRYDOCK_DRIVER_QUEUES_FLIPS)) {
        run(host);
        leave_with_flips(host);
    }
}

const struct drydock_workload workload_queued = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "queued",
    .description = "flips that wait in the hardware until their time has come",
    .run = run_all,
};
