/* Pieces of work whose result names the rule that was broken: see results.h. */
#include "results.h"

#include <string.h>

#include "softgpu_client.h"

/* ---- Sub-rectangles ------------------------------------------------------------------------ */

#define SIDE   64
#define GROUND 0x203040u
#define DRAWN  0xD0A070u

/* They cover neither the surface nor the smallest rectangle around them. */
static const struct box listed[] = {{8, 8, 24, 24}, {40, 8, 56, 24}, {8, 40, 56, 56}};

#define LISTED (sizeof listed / sizeof *listed)

static bool is_listed(int x, int y)
{
    for (size_t i = 0; i < LISTED; i++) {
        if (x >= listed[i].left && x < listed[i].right && y >= listed[i].top &&
            y < listed[i].bottom) {
            return true;
        }
    }
    return false;
}

static bool judge_sub_rects(struct gpu *gpu, const struct surface *to, const uint8_t *bytes)
{
    for (int y = 0; y < SIDE; y++) {
        const uint32_t *row = (const void *)(bytes + (size_t)y * to->pitch);
        for (int x = 0; x < SIDE; x++) {
            uint32_t wanted = is_listed(x, y) ? DRAWN : GROUND, is = row[x] & 0xFFFFFF;
            if (is != wanted) {
                gpu->host->breaks(
                    gpu->host, "PRES-028",
                    "Present (Blt) into a surface of %d x %d pixels, list (8, 8)-(24, 24), (40, "
                    "8)-(56, 24), (8, 40)-(56, 56): the pixel (%d, %d), %s the list, is 0x%06X; it "
                    "was 0x%06X, the source is 0x%06X",
                    SIDE, SIDE, x, y, is_listed(x, y) ? "in" : "outside of", is, GROUND, DRAWN);
                return false;
            }
        }
    }
    return true;
}

/* The same without a list. What is wrong there, no list is to blame for. */
static bool draw_whole(struct gpu *gpu, const struct surface *to, const struct surface *from,
                       const struct picture *drawn)
{
    struct box first;

    if (!gpu_blt(gpu, to, 0, 0, from, picture_box(drawn)) || !gpu_wait_idle(gpu)) {
        return false;
    }
    uint64_t wrong = gpu_compare(gpu, to, drawn, &first);
    if (wrong > 0 && wrong < UINT64_MAX) {
        gpu->host->fail(gpu->host, "%llu pixels are wrong after a Blt of %d x %d pixels",
                        (unsigned long long)wrong, SIDE, SIDE);
    }
    return wrong == 0;
}

static bool draw_listed(struct gpu *gpu, const struct surface *to, const struct surface *from)
{
    if (!gpu_blt_boxes(gpu, to, from, listed, LISTED) || !gpu_wait_idle(gpu)) {
        return false;
    }
    const uint8_t *bytes = gpu_lock(gpu, to, true);
    bool good = bytes && judge_sub_rects(gpu, to, bytes);
    if (bytes) {
        gpu_unlock(gpu, to);
    }
    return good;
}

bool result_of_sub_rects(struct gpu *gpu)
{
    struct surface from = {0}, to = {0};
    struct picture drawn = {0}, ground = {0};
    bool good = false;

    if (!picture_create(SIDE, SIDE, &drawn) || !picture_create(SIDE, SIDE, &ground)) {
        gpu->host->fail(gpu->host, "no memory");
        goto out;
    }
    picture_fill(&drawn, picture_box(&drawn), DRAWN);
    picture_fill(&ground, picture_box(&ground), GROUND);
    good = gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8, false,
                              &from) &&
           gpu_surface_create(gpu, DRYDOCK_SURFACE_SHADOW, SIDE, SIDE, D3DDDIFMT_X8R8G8B8, false,
                              &to) &&
           gpu_upload(gpu, &from, &drawn) && draw_whole(gpu, &to, &from, &drawn) &&
           gpu_upload(gpu, &to, &ground) && draw_listed(gpu, &to, &from);
    gpu_surface_destroy(gpu, &from);
    gpu_surface_destroy(gpu, &to);
out:
    picture_destroy(&drawn);
    picture_destroy(&ground);
    return good;
}

/* ---- Preemption ---------------------------------------------------------------------------- */

#define STEPS       16
#define STEP_BYTES  64
#define STEP_NS     400000
#define URGENT      6
#define PRIORITY    7
#define NEVER_WROTE 0xEEEEEEEEu

/* Each step keeps what the one before left: a step that ran twice keeps what came later. */
static bool send_steps(struct gpu *gpu, const struct surface *counter, const struct surface *kept)
{
    struct commands commands;

    commands_begin(&commands, gpu);
    for (uint32_t i = 0; i < STEPS; i++) {
        commands_copy(&commands, kept, i * STEP_BYTES, counter, 0, STEP_BYTES);
        commands_fill(&commands, counter, 0, STEP_BYTES, i + 1);
        commands_delay(&commands, STEP_NS);
    }
    return commands_end(&commands);
}

/* Short work of a context that goes before the steps: they are broken off for it. */
static bool interrupt_steps(struct gpu *urgent, const struct surface *other)
{
    const struct drydock_workload_host *host = urgent->host;
    struct commands commands;

    for (unsigned i = 0; i < URGENT; i++) {
        host->sleep_until(host, host->now_ns(host) + STEP_NS * 2);
        commands_begin(&commands, urgent);
        commands_fill(&commands, other, 0, STEP_BYTES, i);
        if (!commands_end(&commands)) {
            return false;
        }
    }
    return true;
}

static bool judge_steps(struct gpu *gpu, const struct surface *kept, bool preempted)
{
    const struct drydock_workload_host *host = gpu->host;
    const uint8_t *bytes = gpu_lock(gpu, kept, true);
    bool good = bytes != NULL;

    for (uint32_t i = 0; good && i < STEPS; i++) {
        uint32_t step;
        memcpy(&step, bytes + (size_t)i * STEP_BYTES, sizeof step);
        good = step == i;
        if (!good && preempted) {
            host->breaks(host, "SUBMIT-045",
                         "a command buffer of %u steps that was preempted: step %u %s",
                         (unsigned)STEPS, i,
                         step == NEVER_WROTE ? "never ran" : "ran twice, or out of turn");
        } else if (!good) {
            host->fail(host, "the GPU's result is wrong: step %u of %u", i, (unsigned)STEPS);
        }
    }
    if (bytes) {
        gpu_unlock(gpu, kept);
    }
    return good;
}

static bool clear(struct gpu *gpu, const struct surface *buffer, uint32_t pattern)
{
    uint8_t *bytes = gpu_lock(gpu, buffer, false);

    for (size_t at = 0; bytes && at < STEPS * STEP_BYTES; at += sizeof pattern) {
        memcpy(bytes + at, &pattern, sizeof pattern);
    }
    if (bytes) {
        gpu_unlock(gpu, buffer);
    }
    return bytes != NULL;
}

/* First undisturbed: what is wrong then, no preemption is to blame for. */
static bool repeat_steps(struct gpu *gpu, struct gpu *urgent, const struct surface *buffers,
                         const struct surface *other)
{
    bool good = true;

    for (unsigned preempted = 0; good && preempted < 2; preempted++) {
        good = clear(gpu, &buffers[0], 0) && clear(gpu, &buffers[1], NEVER_WROTE) &&
               send_steps(gpu, &buffers[0], &buffers[1]) &&
               (!preempted || interrupt_steps(urgent, other)) && gpu_wait_idle(urgent) &&
               gpu_wait_idle(gpu) && judge_steps(gpu, &buffers[1], preempted);
    }
    return good;
}

static bool run_steps(struct gpu *gpu, struct gpu *urgent)
{
    const D3DKMT_SETCONTEXTSCHEDULINGPRIORITY priority = {urgent->context, PRIORITY};
    struct surface buffers[2] = {0}, other = {0};

    bool good = gpu_check(urgent, D3DKMTSetContextSchedulingPriority(&priority),
                          "D3DKMTSetContextSchedulingPriority") &&
                softgpu_buffers(gpu, STEPS * STEP_BYTES, 0, buffers, 2) &&
                softgpu_buffer(urgent, STEPS * STEP_BYTES, 0, &other) &&
                repeat_steps(gpu, urgent, buffers, &other);
    gpu_surface_destroy(urgent, &other);
    gpu_surface_destroy(gpu, &buffers[0]);
    gpu_surface_destroy(gpu, &buffers[1]);
    return good;
}

bool result_of_preemption(const struct drydock_workload_host *host)
{
    struct gpu gpu, urgent;
    bool good = false;

    if (!gpu_open(&gpu, host, softgpu_copy_node(host))) {
        return false;
    }
    if (gpu_open(&urgent, host, softgpu_copy_node(host))) {
        good = run_steps(&gpu, &urgent);
        gpu_close(&urgent);
    }
    gpu_close(&gpu);
    return good;
}
