/* The scene: start, draw, page, present, flip; and on demand preempt and hang. */
#include "scene.h"

#include <stdio.h>
#include <string.h>

#include "../../drivers/softgpu/softgpu_umd.h"
#include "base/check.h"
#include "dxgk/dxgk.h"
#include "dxgk/planes.h"
#include "dxgk/virtual.h"
#include "meanwhile.h"
#include "periodic.h"
#include "results.h"
#include "workloads.h"

#define BUFFER_COUNT 10
#define BUFFER_BYTES (2u << 20)
#define PATIENCE_NS  (5 * NS_PER_S)
#define RESET_NS     (10 * NS_PER_S)   /* a time-out, and 5 s for threads to leave the driver */
#define BEGUN_NS     (100 * NS_PER_MS) /* all that was sent is paged in and has begun */
#define LONG_WORK_NS 20000000u

unsigned scene_flags;
unsigned scene_failures;
char scene_failure[160];

struct scene_state {
    struct dxgk_adapter *adapter;
    struct dxgk_device *device;
    struct dxgk_context *context, *urgent;
    struct dxgk_mode mode;
    bool has_mode;
    struct dxgk_opening *primary[2], *shadow;
    struct dxgk_opening *buffers[BUFFER_COUNT];
};

static bool good(NTSTATUS status, int line)
{
    if (!NT_SUCCESS(status) && scene_failures++ == 0) {
        snprintf(scene_failure, sizeof scene_failure, "scene.c:%d: %s", line, status_name(status));
    }
    return NT_SUCCESS(status);
}
#define GOOD(status) good(status, __LINE__)

/* ---- Commands ----------------------------------------------------------------------------------
 */

struct writer {
    struct dxgk_command_space space;
    uint32_t *words;
    unsigned word_count, allocation_count;
};

static struct writer begin_commands(struct dxgk_context *context)
{
    struct writer writer = {0};

    dxgk_context_command_space(context, &writer.space);
    writer.words = writer.space.commands;
    return writer;
}

static unsigned refer(struct writer *writer, struct dxgk_opening *opening, bool write)
{
    unsigned index = writer->allocation_count++;

    writer->space.allocations[index] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = dxgk_opening_handle(opening)};
    writer->space.allocations[index].WriteOperation = write;
    return index;
}

static void put(struct writer *writer, const void *command, size_t size)
{
    memcpy(writer->words + writer->word_count, command, size);
    writer->word_count += (unsigned)(size / 4);
}

static void put_fill(struct writer *writer, struct dxgk_opening *target, uint32_t pattern)
{
    const struct softgpu_command_fill fill = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL, SOFTGPU_COMMAND_WORDS_OF(fill)),
        .pattern = pattern,
        .address = {.low = 0, .high = refer(writer, target, true)},
        .size_low = 4096,
    };
    put(writer, &fill, sizeof fill);
}

static void put_copy(struct writer *writer, struct dxgk_opening *target,
                     struct dxgk_opening *source)
{
    const struct softgpu_command_copy copy = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY, SOFTGPU_COMMAND_WORDS_OF(copy)),
        .destination = {.low = 4096, .high = refer(writer, target, true)},
        .source = {.low = 0, .high = refer(writer, source, false)},
        .size_low = 4096,
    };
    put(writer, &copy, sizeof copy);
}

static void put_delay(struct writer *writer, uint32_t nanoseconds)
{
    const struct softgpu_command_delay delay = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_DELAY, SOFTGPU_COMMAND_WORDS_OF(delay)),
        .nanoseconds = nanoseconds,
    };
    put(writer, &delay, sizeof delay);
}

static void put_hang(struct writer *writer)
{
    const uint32_t hang = SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1);

    put(writer, &hang, sizeof hang);
}

static NTSTATUS send(struct writer *writer, struct dxgk_context *context)
{
    const struct dxgk_render_request request = {
        .command_bytes = writer->word_count * 4,
        .allocation_count = writer->allocation_count,
    };

    return dxgk_render(context, &request);
}

/* ---- Steps -------------------------------------------------------------------------------------
 */

static struct dxgk_opening *make_buffer_of(struct scene_state *scene, uint32_t flags,
                                           uint32_t size_bytes)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .flags = SOFTGPU_UMD_CPU_VISIBLE | flags,
        .size_bytes = size_bytes,
    };
    struct dxgk_allocation_request request = {.private_data = &data, .private_size = sizeof data};
    struct dxgk_holding *holding = NULL;
    const char of_the_resource[] = "a resource of the scene";
    const struct dxgk_allocations_request creation = {.private_data = of_the_resource,
                                                      .private_size = sizeof of_the_resource,
                                                      .make_resource = true,
                                                      .elements = &request,
                                                      .count = 1};

    return GOOD(dxgk_allocations_create(scene->device, &creation, &holding)) ? request.opening
                                                                             : NULL;
}

static struct dxgk_opening *make_buffer(struct scene_state *scene, uint32_t flags)
{
    return make_buffer_of(scene, flags, BUFFER_BYTES);
}

/* A second device of the process opens what the first one made. */
static void share(struct scene_state *scene)
{
    struct dxgk_resource *resource = dxgk_holding_resource(dxgk_opening_holding(scene->buffers[0]));
    struct dxgk_opening *opening = NULL;
    struct dxgk_device *second;
    UINT count = 1;

    if (GOOD(dxgk_device_create(scene->adapter, dxgk_process_current(), &second))) {
        GOOD(dxgk_resource_open(second, resource, &opening, &count));
        GOOD(dxgk_device_destroy(second));
    }
}

/* As who composes the screen does; some versions have it. */
static void ask_for_scaling(struct scene_state *scene)
{
    DXGKARG_GETPOSTCOMPOSITIONCAPS caps = {.VidPnSourceId = 0};
    NTSTATUS status = dxgk_post_composition_caps(scene->adapter, &caps);

    if (status != STATUS_NOT_SUPPORTED) {
        GOOD(status);
    }
}

/* A picture that the kernel has to ask the driver about. */
static void describe(struct scene_state *scene)
{
    struct softgpu_umd_allocation data = {
        .magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
        .version = SOFTGPU_UMD_VERSION,
        .width = 64,
        .height = 64,
        .format = SOFTGPU_FORMAT_BGRX8,
    };
    struct dxgk_allocation_request request = {.private_data = &data, .private_size = sizeof data};
    const struct dxgk_allocations_request creation = {
        .make_resource = true, .elements = &request, .count = 1};
    struct dxgk_holding *holding = NULL;
    UINT width, height;

    if (GOOD(dxgk_allocations_create(scene->device, &creation, &holding))) {
        GOOD(dxgk_opening_extent(request.opening, false, &width, &height));
    }
}

static bool make_objects(struct scene_state *scene)
{
    struct dxgk_process *process = dxgk_process_current();
    const struct dxgk_context_request request = {0};

    scene->adapter = dxgk_adapter_first();
    if (!GOOD(dxgk_device_create(scene->adapter, process, &scene->device)) ||
        !GOOD(dxgk_context_create(scene->device, &request, &scene->context)) ||
        !GOOD(dxgk_context_create(scene->device, &request, &scene->urgent))) {
        return false;
    }
    for (unsigned i = 0; i < BUFFER_COUNT; i++) {
        scene->buffers[i] =
            make_buffer(scene, i < 7   ? SOFTGPU_UMD_VRAM_ONLY
                               : i < 8 ? SOFTGPU_UMD_VRAM_ONLY | SOFTGPU_UMD_CAPTURE
                               : i < 9 ? SOFTGPU_UMD_APERTURE_ONLY
                                       : SOFTGPU_UMD_PREFER_APERTURE | SOFTGPU_UMD_AGP);
        if (!scene->buffers[i]) {
            return false;
        }
    }
    return true;
}

/* More than fits: things are paged out and in again. */
static void render_and_page(struct scene_state *scene)
{
    for (unsigned round = 0; round < 2 && scene_failures == 0; round++) {
        for (unsigned i = 0; i < BUFFER_COUNT && scene_failures == 0; i++) {
            struct writer writer = begin_commands(scene->context);
            put_fill(&writer, scene->buffers[i], 0x01010101u * (i + 1));
            put_copy(&writer, scene->buffers[i], scene->buffers[(i + 3) % BUFFER_COUNT]);
            put_delay(&writer, 1000);
            GOOD(send(&writer, scene->context));
        }
        GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
    }
}

/* Memory in the aperture, more than the paging process can see at a time, leaves it. */
static void leave_aperture(struct scene_state *scene)
{
    struct dxgk_opening *large =
        make_buffer_of(scene, SOFTGPU_UMD_APERTURE_ONLY, BUFFER_BYTES + BUFFER_BYTES / 2);

    if (large && GOOD(dxgk_page_in(large))) {
        GOOD(dxgk_evict(large));
    }
}

/* What the CPU wrote goes into its segment, where the CPU looks at it again. */
static void look_in_segment(struct scene_state *scene)
{
    void *bytes;

    for (unsigned i = 0; i < 2 && scene_failures == 0; i++) {
        if (GOOD(dxgk_page_in(scene->buffers[i])) &&
            GOOD(dxgk_lock(scene->buffers[i], (D3DDDICB_LOCKFLAGS){.ReadOnly = 1}, &bytes))) {
            GOOD(dxgk_unlock(scene->buffers[i]));
        }
    }
}

/* Addresses show what others show: entries of page tables are copied by commands. */
static void copy_addresses(struct scene_state *scene)
{
    struct dxgk_opening *block = make_buffer_of(scene, SOFTGPU_UMD_VIRTUAL_ONLY, 1u << 20);
    const struct dxgk_context_request virtual_context = {.virtual_addresses = true};
    const D3DDDI_SYNCHRONIZATIONOBJECTINFO2 monitored = {.Type = D3DDDI_MONITORED_FENCE};
    struct dxgk_map_request map = {.opening = block, .page_count = 256, .protection = {.Write = 1}};
    struct dxgk_reserve_request range = {.size_bytes = 1u << 20};
    struct dxgk_residency_request reside = {.openings = &block, .count = 1};
    struct dxgk_paging_queue *queue;
    struct dxgk_context *context;
    struct dxgk_sync *fence;

    if (!block || !GOOD(dxgk_context_create(scene->device, &virtual_context, &context)) ||
        !GOOD(dxgk_paging_queue_create(scene->device, 0, &queue)) ||
        !GOOD(dxgk_sync_create(scene->device, &monitored, &fence)) ||
        !GOOD(dxgk_map_addresses(queue, &map)) ||
        dxgk_make_resident(queue, &reside) == STATUS_NO_MEMORY ||
        !GOOD(dxgk_sync_wait_cpu(dxgk_paging_queue_fence(queue), reside.fence_value,
                                 machine_now_ns() + PATIENCE_NS)) ||
        !GOOD(dxgk_reserve_addresses(dxgk_process_current(), scene->adapter, queue, &range))) {
        return;
    }
    dxgk_process_move_tables(dxgk_process_current());
    if (scene_flags & SCENE_STATES) { /* what a context has in memory comes with its first work */
        const struct dxgk_virtual_request nothing = {.contexts = &context,
                                                     .context_count = 1,
                                                     .commands = map.address,
                                                     .size_bytes = 4,
                                                     .null_rendering = true};
        GOOD(dxgk_submit_virtual(&nothing));
    }
    for (unsigned i = 0; i < 6 && scene_failures == 0; i++) {
        const struct dxgk_remap_step step = {.kind = DXGK_REMAP_COPY,
                                             .address = range.address + (i + 3) * 0x10000,
                                             .size_bytes = 0x10000,
                                             .source = map.address + (i * 5 + 2) * 0x1000};
        const struct dxgk_remap_request remap = {
            .steps = &step, .count = 1, .fence = fence, .value = i};
        dxgk_process_move_tables(dxgk_process_current()); /* one way or the other */
        GOOD(dxgk_remap_addresses(context, &remap));
        GOOD(dxgk_sync_wait_cpu(fence, i + 1, machine_now_ns() + PATIENCE_NS));
    }
}

static void lock_all(struct scene_state *scene)
{
    for (unsigned i = 0; i < BUFFER_COUNT && scene_failures == 0; i++) {
        void *bytes;
        if (GOOD(dxgk_lock(scene->buffers[i], (D3DDDICB_LOCKFLAGS){0}, &bytes))) {
            memset(bytes, (int)i + 1, 4096);
            memset((char *)bytes + BUFFER_BYTES - 4096, (int)i + 2, 4096);
            GOOD(dxgk_unlock(scene->buffers[i]));
        }
    }
}

/* Through a range, at an address that outlives an eviction if it is one of its own. */
static void look_through(struct scene_state *scene, unsigned buffer, bool alternate)
{
    struct dxgk_opening *opening = scene->buffers[buffer];
    struct dxgk_lock_request request = {.private_data = 0x50 + buffer};
    void *bytes;

    request.flags.AcquireAperture = 1;
    request.flags.UseAlternateVA = alternate;
    NTSTATUS status = dxgk_lock_through(opening, &request, &bytes);
    if (status == STATUS_NOT_SUPPORTED || !GOOD(status)) {
        return; /* the driver has said that it cannot show this one */
    }
    memset(bytes, (int)buffer + 1, 4096);
    if (alternate) {
        GOOD(dxgk_evict(opening));
        memset((char *)bytes + 4096, (int)buffer + 2, 4096);
    }
    GOOD(dxgk_unlock(opening));
    GOOD(dxgk_page_in(opening));
}

static struct dxgk_opening *make_standard(struct scene_state *scene,
                                          D3DKMDT_STANDARDALLOCATION_TYPE type, UINT width,
                                          UINT height)
{
    struct dxgk_standard_request request = {
        .type = type, .width = width, .height = height, .format = scene->mode.format};
    struct dxgk_opening *opening = NULL;

    GOOD(dxgk_standard_create(scene->device, &request, &opening));
    return opening;
}

static bool look_at(struct dxgk_opening *opening, bool through, bool alternate, void **bytes)
{
    struct dxgk_lock_request request = {.private_data = 0x60};

    request.flags.ReadOnly = 1;
    request.flags.AcquireAperture = through;
    request.flags.UseAlternateVA = alternate;
    return GOOD(through ? dxgk_lock_through(opening, &request, bytes)
                        : dxgk_lock(opening, request.flags, bytes));
}

/* What the CPU writes into a surface it sees again wherever that is: through a range, unswizzled in
 * system memory, and at an address that outlives an eviction. Nobody writes meanwhile. */
static void swizzle(struct scene_state *scene)
{
    struct dxgk_standard_request request = {.type = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE,
                                            .width = 160,
                                            .height = 60,
                                            .format = D3DDDIFMT_X8R8G8B8};
    struct dxgk_opening *opening = NULL;
    void *bytes;

    if (!GOOD(dxgk_standard_create(scene->device, &request, &opening)) ||
        !GOOD(dxgk_lock(opening, (D3DDDICB_LOCKFLAGS){0}, &bytes))) {
        return;
    }
    for (uint32_t i = 0; i < 160 * 60; i++) {
        ((uint32_t *)bytes)[i] = i * 0x9E3779B1u;
    }
    GOOD(dxgk_unlock(opening));
    for (unsigned i = 0; i < 3 && scene_failures == 0; i++) {
        GOOD(dxgk_page_in(opening));
        if (look_at(opening, i != 1, i == 2, &bytes)) {
            GOOD(i == 2 ? dxgk_evict(opening) : STATUS_SUCCESS);
            GOOD(dxgk_unlock(opening));
        }
    }
    GOOD(dxgk_page_in(opening));
}

/* Surfaces that came with Windows 7, and with WDDM 1.3. */
static void make_window(struct scene_state *scene, D3DKMDT_GDISURFACETYPE type)
{
    struct dxgk_standard_request request = {.type = D3DKMDT_STANDARDALLOCATION_GDISURFACE,
                                            .width = 60,
                                            .height = 18,
                                            .format = scene->mode.format,
                                            .gdi_type = type};
    struct dxgk_opening *opening;
    NTSTATUS status = dxgk_standard_create(scene->device, &request, &opening);

    if (status != STATUS_NOT_SUPPORTED) {
        GOOD(status);
    }
}

static void present_frame(struct scene_state *scene, unsigned number)
{
    const LONG width = (LONG)scene->mode.width, height = (LONG)scene->mode.height;
    static const RECT parts[] = {{0, 0, 32, 32}, {32, 0, 64, 32}, {0, 32, 64, 64}};
    struct dxgk_opening *target = scene->primary[number & 1];
    const struct dxgk_present_request fill = {.destination = target,
                                              .destination_rect = {0, 0, width, height},
                                              .sub_rect_count = 1,
                                              .sub_rects = parts,
                                              .color = 0xFF336699,
                                              .flags = {.ColorFill = 1}};
    const struct dxgk_present_request blt = {.source = scene->shadow,
                                             .destination = target,
                                             .source_rect = {0, 0, 64, 64},
                                             .destination_rect = {0, 0, 64, 64},
                                             .sub_rect_count = 3,
                                             .sub_rects = parts,
                                             .flags = {.Blt = 1}};
    const struct dxgk_present_request flip = {
        .source = target, .interval = number % 3 == 2 ? 0 : 1, .flags = {.Flip = 1}};

    if (GOOD(dxgk_present(scene->context, &fill)) && GOOD(dxgk_present(scene->context, &blt)) &&
        GOOD(dxgk_present(scene->context, &flip)) &&
        GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS))) {
        GOOD(dxgk_source_wait_flips(scene->adapter, 0, machine_now_ns() + PATIENCE_NS)
                 ? STATUS_SUCCESS
                 : STATUS_TIMEOUT);
    }
}

/* A black surface on the screen is not told from a dark screen. */
static bool paint(struct scene_state *scene, struct dxgk_opening *primary,
                  const struct dxgk_mode *mode)
{
    const RECT whole = {0, 0, (LONG)mode->width, (LONG)mode->height};
    const struct dxgk_present_request fill = {.destination = primary,
                                              .destination_rect = whole,
                                              .sub_rect_count = 1,
                                              .sub_rects = &whole,
                                              .color = 0xFF204060,
                                              .flags = {.ColorFill = 1}};

    return GOOD(dxgk_present(scene->context, &fill)) &&
           GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
}

/* Whose pictures differ. By command some are immediate, and the engine waits for none of them. */
static void flip_at_once(struct scene_state *scene)
{
    const bool by_command = scene_flags & SCENE_VISTA;
    const RECT corner = {0, 0, 64, 64};

    for (unsigned i = 0; i < (by_command ? 8 : 4) && scene_failures == 0; i++) {
        const bool no_wait = by_command && i < 4;
        const struct dxgk_present_request fill = {.destination = scene->primary[i & 1],
                                                  .destination_rect = corner,
                                                  .sub_rect_count = 1,
                                                  .sub_rects = &corner,
                                                  .color = 0xFF000000u | 0x30u << i,
                                                  .flags = {.ColorFill = 1}};
        const struct dxgk_present_request flip = {
            .source = scene->primary[i & 1],
            .interval = no_wait,
            .flags = {.Flip = !no_wait, .FlipWithNoWait = no_wait}};
        GOOD(dxgk_present(scene->context, &fill));
        GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
        GOOD(dxgk_present(scene->context, &flip));
        GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
    }
}

static void present(struct scene_state *scene)
{
    UINT line;
    bool blank;

    scene->has_mode = dxgk_source_mode(scene->adapter, 0, &scene->mode);
    if (!scene->has_mode) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        scene->primary[i] = make_standard(scene, D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
                                          scene->mode.width, scene->mode.height);
    }
    scene->shadow = make_standard(scene, D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE, 64, 64);
    make_window(scene, D3DKMDT_GDISURFACE_STAGING_CPUVISIBLE);
    make_window(scene, D3DKMDT_GDISURFACE_TEXTURE_CROSSADAPTER);
    if (scene_failures || !paint(scene, scene->primary[0], &scene->mode) ||
        !GOOD(dxgk_source_show(scene->adapter, 0, scene->primary[0], D3DDDI_ROTATION_IDENTITY))) {
        return;
    }
    for (unsigned i = 1; i <= 3 && scene_failures == 0; i++) {
        present_frame(scene, i);
    }
    if (scene_flags & SCENE_FLIPS) {
        flip_at_once(scene);
    }
    /* The one that it has, and one that nobody has: the driver may have none at all. */
    (void)dxgk_source_set_private_format(scene->adapter, 0, 0);
    (void)dxgk_source_set_private_format(scene->adapter, 0, 0xFFFF);
    for (unsigned i = 0; i < 6; i++) { /* the last picture stays */
        GOOD(dxgk_source_wait_vsync(scene->adapter, 0, machine_now_ns() + PATIENCE_NS));
    }
    GOOD(dxgk_source_scan_line(scene->adapter, 0, &line, &blank));
}

static struct dxgk_opening *show_second(struct scene_state *scene)
{
    struct dxgk_standard_request request = {.type = D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
                                            .source = 1};
    struct dxgk_opening *second = NULL;
    struct dxgk_mode mode = {0};

    GOOD(dxgk_source_mode(scene->adapter, 1, &mode) ? STATUS_SUCCESS : STATUS_UNSUCCESSFUL);
    request.width = mode.width;
    request.height = mode.height;
    request.format = mode.format;
    GOOD(dxgk_standard_create(scene->device, &request, &second));
    if (scene_failures || !paint(scene, second, &mode)) {
        return NULL;
    }
    GOOD(dxgk_source_show(scene->adapter, 1, second, D3DDDI_ROTATION_IDENTITY));
    return second;
}

static void replug(struct scene_state *scene)
{
    const struct dxgk_clone_wish wish = {.flips = true,
                                         .scaled = (scene_flags & SCENE_CLONES) == SCENE_CLONES};

    if (show_second(scene) && paint(scene, scene->primary[1], &scene->mode)) {
        GOOD(dxgk_adapter_clone(scene->adapter, &wish, machine_now_ns() + PATIENCE_NS)
                 ? STATUS_SUCCESS
                 : STATUS_UNSUCCESSFUL);
        GOOD(dxgk_adapter_replug(scene->adapter, 0, machine_now_ns() + PATIENCE_NS)
                 ? STATUS_SUCCESS
                 : STATUS_UNSUCCESSFUL);
    }
}

/* Long work, and something urgent behind it: the kernel asks the engine to stop. */
static void preempt(struct scene_state *scene)
{
    dxgk_context_set_priority(scene->urgent, 7);
    for (unsigned i = 0; i < 3 && scene_failures == 0; i++) {
        struct writer slow = begin_commands(scene->context);
        for (unsigned k = 0; k < 10; k++) {
            put_delay(&slow, LONG_WORK_NS / 10);
        }
        put_fill(&slow, scene->buffers[8], i);
        GOOD(send(&slow, scene->context));
    }
    struct writer urgent = begin_commands(scene->urgent);
    put_fill(&urgent, scene->buffers[9], 7);
    GOOD(send(&urgent, scene->urgent));
    GOOD(dxgk_context_wait_idle(scene->urgent, machine_now_ns() + PATIENCE_NS));
    GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
}

/* A command that never ends; behind it a packet that never reaches the hardware. */
static void send_hang(struct scene_state *scene)
{
    for (unsigned i = 0; i < 4; i++) {
        struct writer writer = begin_commands(scene->context);
        put_fill(&writer, scene->buffers[8], i);
        if (i == 0) {
            put_hang(&writer);
        }
        GOOD(send(&writer, scene->context));
    }
}

static void wait_for_reset(struct scene_state *scene)
{
    dxgk_context_wait_idle(scene->context, machine_now_ns() + RESET_NS);
    if (dxgk_device_state(scene->device) == D3DKMT_DEVICEEXECUTION_ACTIVE) {
        GOOD(STATUS_UNSUCCESSFUL); /* nobody noticed */
    }
}

/* After a reset another device goes on working. */
static void work_after_hang(struct scene_state *scene)
{
    struct scene_state second = {0};

    if (make_objects(&second)) {
        struct writer writer = begin_commands(second.context);
        put_fill(&writer, second.buffers[0], 1);
        GOOD(send(&writer, second.context));
        GOOD(dxgk_context_wait_idle(second.context, machine_now_ns() + PATIENCE_NS));
    }
}

/* One hang after another, each of a new device. */
static void hang_often(void)
{
    for (unsigned i = 0; i < 7 && scene_failures == 0; i++) {
        struct scene_state another = {0};
        if (make_objects(&another)) {
            send_hang(&another);
            wait_for_reset(&another);
        }
    }
}

static void call_escape(void *argument)
{
    struct scene_state *scene = argument;
    struct softgpu_umd_escape data = {.magic = SOFTGPU_UMD_ADAPTER_MAGIC,
                                      .code = SOFTGPU_ESCAPE_COUNTERS};

    const struct dxgk_escape_request request = {.device = scene->device,
                                                .context = scene->context,
                                                .private_data = &data,
                                                .private_size = sizeof data};

    GOOD(dxgk_escape(scene->adapter, &request));
}

/* What the workloads look at, for drivers that the scene's own work does not show to be wrong. */
static void look_at_results(const struct drydock_workload_host *host)
{
    struct gpu gpu;

    if (gpu_open(&gpu, host, 0)) {
        result_of_sub_rects(&gpu);
        gpu_close(&gpu);
    }
    if (scene_flags & SCENE_VIRTUAL) {
        result_of_properties(host, SOFTGPU_ENGINE_COMPUTE);
        result_of_virtual_preemption(host, SOFTGPU_ENGINE_COMPUTE);
        result_of_page_faults(host, SOFTGPU_ENGINE_COMPUTE);
        return;
    }
    result_of_scenes(host, 400);
    result_of_preemption(host);
    result_of_refusals(host);
    result_of_null_rendering(host);
}

/* A context waits for a native fence that a CPU signals. */
static void wait_for_fence(struct scene_state *scene, struct dxgk_sync *fence, UINT64 value)
{
    const UINT64 less = value - 1;

    GOOD(dxgk_sync_wait_gpu(scene->context, &fence, 1, value));
    GOOD(dxgk_sync_signal_cpu(&(struct dxgk_sync_batch){&fence, &less, 1, true}));
}

static bool is_over(struct scene_state *scene)
{
    return GOOD(dxgk_context_wait_idle(scene->context, machine_now_ns() + PATIENCE_NS));
}

/* One alone, and then a second one, which the CPU signals with the first in a call. */
static void hand_on_fences(struct scene_state *scene)
{
    enum { FIRST, SECOND, COUNT };
    UCHAR data[D3DDDI_NATIVE_FENCE_PDD_SIZE] = {0};
    const struct dxgk_native_request request = {.initial_value = 3, .private_data = data};
    const UINT64 values[COUNT] = {6, (UINT64)5 << 32}, five = 5;
    struct dxgk_sync *fences[COUNT] = {NULL};
    NTSTATUS status = dxgk_native_create(scene->device, &request, &fences[FIRST]);

    if (status == STATUS_NOT_SUPPORTED) {
        return; /* the driver's version has none */
    }
    if (!GOOD(status) || !GOOD(dxgk_native_create(scene->device, &request, &fences[SECOND]))) {
        return;
    }
    wait_for_fence(scene, fences[FIRST], five);
    GOOD(dxgk_sync_signal_cpu(&(struct dxgk_sync_batch){fences, &five, 1, true}));
    if (is_over(scene)) {
        wait_for_fence(scene, fences[SECOND], values[SECOND]);
        GOOD(dxgk_sync_signal_cpu(&(struct dxgk_sync_batch){fences, values, COUNT, true}));
        (void)is_over(scene);
    }
    GOOD(dxgk_sync_destroy(fences[FIRST]));
    GOOD(dxgk_sync_destroy(fences[SECOND]));
}

static void use_addresses(struct scene_state *scene, const struct drydock_workload_host *host)
{
    leave_aperture(scene);
    if (scene_failures == 0) {
        copy_addresses(scene);
        follow_frames(host, false);
        result_of_placed_scenes(host, 4);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_QUEUES) == SCENE_QUEUES) {
        workload_queues.run(host);
        workload_doorbells.run(host);
        if (scene_flags & SCENE_HANG) {
            result_of_a_hung_queue(host, SOFTGPU_ENGINE_COMPUTE);
        }
    }
}

/* False: a reset took what the client had. */
static bool let_things_happen(struct scene_state *scene)
{
    if (scene_failures == 0) {
        present(scene);
    }
    dxgk_adapter_tell_events(scene->adapter);
    bool with_reset = (scene_flags & SCENE_RESET_MEANWHILE) == SCENE_RESET_MEANWHILE;
    GOOD(meanwhile_exchange(scene->adapter, with_reset, PATIENCE_NS));
    return !with_reset;
}

static void run(const struct drydock_workload_host *host)
{
    struct scene_state scene = {0};

    if (!make_objects(&scene)) {
        return;
    }
    lock_all(&scene);
    if (scene_failures == 0 && (scene_flags & SCENE_HOST) == SCENE_HOST) {
        look_in_segment(&scene);
    }
    bool has_ranges = (scene_flags & (SCENE_HOST | SCENE_IOMMU)) == SCENE_RANGES;
    bool has_tables = (scene_flags & SCENE_IOMMU) == SCENE_VIRTUAL;
    for (unsigned i = 0; scene_failures == 0 && has_ranges && i < 4; i++) {
        look_through(&scene, i, i != 1);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_SWIZZLED) == SCENE_SWIZZLED) {
        swizzle(&scene);
    }
    if (scene_failures == 0) {
        share(&scene);
    }
    if (scene_failures == 0 && !(scene_flags & SCENE_RENDER_ONLY)) {
        describe(&scene);
        ask_for_scaling(&scene);
    }
    if (!let_things_happen(&scene)) {
        return;
    }
    if (scene_failures == 0) {
        render_and_page(&scene);
    }
    if (scene_failures == 0 && has_tables) {
        hand_on_fences(&scene);
        use_addresses(&scene, host);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_GIVEN) == SCENE_GIVEN) {
        workload_virtual.run(host);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_REPLUG)) {
        replug(&scene);
    }
    if (scene_failures == 0) {
        lock_all(&scene);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_PREEMPT)) {
        preempt(&scene);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_RESULTS)) {
        look_at_results(host);
    }
    if (scene_failures == 0 && (scene_flags & SCENE_CLONES) == SCENE_MODES && show_second(&scene)) {
        workload_modes.run(host);
    }
    if (scene_flags & SCENE_HANGS) {
        hang_often();
    }
    if (scene_failures == 0 && (scene_flags & SCENE_HANG)) {
        send_hang(&scene);
        if (scene_flags & SCENE_STUCK) {
            /* Once the engine hangs: before, a thread inside would keep out what leads to it. */
            host->sleep_until(host, host->now_ns(host) + BEGUN_NS);
            host->start_thread(host, "stuck", call_escape, &scene);
        }
        wait_for_reset(&scene);
        if (scene_failures == 0) {
            work_after_hang(&scene);
        }
    }
}

const struct drydock_workload scene_workload = {.abi = DRYDOCK_WORKLOAD_ABI,
                                                .name = "scene",
                                                .description = "every DDI, in few steps",
                                                .run = run};
