/* Three clients at once. A step that fails for want of anything fails the run. */
#include "work.h"

#include <string.h>

#include "../drivers/softgpu/softgpu_umd.h"
#include "base/check.h"
#include "base/status.h"
#include "dxgk/dxgk.h"
#include "softgpu/softgpu_regs.h"

#define WAIT_NS         (30 * NS_PER_S)
#define FRAMES          12
#define TEXTURES        16
#define TEXTURE_BYTES   (1u << 20)
#define PRESSURE_ROUNDS 60
#define SITE_PRESSURE   1 /* of randomness; plus the client's number */

static const struct drydock_workload_host *host;

static bool good(NTSTATUS status, const char *what)
{
    if (!NT_SUCCESS(status)) {
        host->fail(host, "%s: %s", what, status_name(status));
    }
    return NT_SUCCESS(status);
}

struct client {
    struct dxgk_adapter *adapter;
    struct dxgk_device *device;
    struct dxgk_context *context;
    struct dxgk_command_space space;
};

static bool client_open(struct client *client, unsigned node)
{
    client->adapter = dxgk_adapter_first();
    if (!good(dxgk_device_create(client->adapter, dxgk_process_current(), &client->device),
              "device") ||
        !good(dxgk_context_create(client->device, &(struct dxgk_context_request){.node = node},
                                  &client->context),
              "context")) {
        return false;
    }
    dxgk_context_command_space(client->context, &client->space);
    return true;
}

static bool wait_idle(struct client *client)
{
    return good(dxgk_context_wait_idle(client->context, machine_now_ns() + WAIT_NS), "wait");
}

/* ---- Pictures on a screen ---------------------------------------------------------------- */

static bool draw(struct client *client, struct dxgk_opening *surface, UINT pitch)
{
    void *bytes;

    if (!good(dxgk_lock(surface, (D3DDDICB_LOCKFLAGS){0}, &bytes), "lock")) {
        return false;
    }
    for (unsigned y = 0; y < 64; y++) {
        uint32_t *row = (void *)((uint8_t *)bytes + (size_t)y * pitch);
        for (unsigned x = 0; x < 64; x++) {
            row[x] = x * y * 0x010203;
        }
    }
    return good(dxgk_unlock(surface), "unlock");
}

static bool present_frame(struct client *client, struct dxgk_opening *primary,
                          struct dxgk_opening *picture, const struct dxgk_mode *mode, LONG number)
{
    const RECT all = {0, 0, (LONG)mode->width, (LONG)mode->height};
    const struct dxgk_present_request fill = {.destination = primary,
                                              .destination_rect = all,
                                              .color = 0xFF336699,
                                              .flags = {.ColorFill = 1}};
    const struct dxgk_present_request blt = {
        .source = picture,
        .destination = primary,
        .source_rect = {0, 0, 64, 64},
        .destination_rect = {number * 3, number, number * 3 + 64, number + 64},
        .flags = {.Blt = 1}};
    const struct dxgk_present_request flip = {
        .source = primary, .interval = D3DDDI_FLIPINTERVAL_ONE, .flags = {.Flip = 1}};

    if (!good(dxgk_present(client->context, &fill), "fill") ||
        !good(dxgk_present(client->context, &blt), "blit") ||
        !good(dxgk_present(client->context, &flip), "flip") || !wait_idle(client)) {
        return false;
    }
    if (!dxgk_source_wait_flips(client->adapter, 0, machine_now_ns() + WAIT_NS)) {
        host->fail(host, "a flip never came");
        return false;
    }
    return true;
}

static void show_frame(void)
{
    unsigned width, height, stride;
    const void *pixels;

    if (host->scanout(host, 0, &pixels, &width, &height, &stride)) {
        host->frame(host, "determinism", pixels, width, height, stride);
    }
}

static void show(void *argument)
{
    struct client client;
    struct dxgk_opening *primaries[2], *picture;
    struct dxgk_mode mode;

    if (!client_open(&client, 0) || !dxgk_source_mode(client.adapter, 0, &mode)) {
        return;
    }
    for (unsigned i = 0; i < 2; i++) {
        struct dxgk_standard_request request = {.type =
                                                    D3DKMDT_STANDARDALLOCATION_SHAREDPRIMARYSURFACE,
                                                .width = mode.width,
                                                .height = mode.height,
                                                .format = mode.format};
        if (!good(dxgk_standard_create(client.device, &request, &primaries[i]), "primary")) {
            return;
        }
    }
    struct dxgk_standard_request request = {.type = D3DKMDT_STANDARDALLOCATION_SHADOWSURFACE,
                                            .width = 64,
                                            .height = 64,
                                            .format = mode.format};
    if (!good(dxgk_standard_create(client.device, &request, &picture), "picture") ||
        !draw(&client, picture, request.pitch) ||
        !good(dxgk_source_show(client.adapter, 0, primaries[0], D3DDDI_ROTATION_IDENTITY),
              "show")) {
        return;
    }
    for (LONG i = 1; i <= FRAMES; i++) {
        if (!present_frame(&client, primaries[i & 1], picture, &mode, i)) {
            return;
        }
        show_frame();
    }
}

/* ---- Memory pressure --------------------------------------------------------------------- */

static struct dxgk_opening *create(struct client *client, uint32_t bytes)
{
    struct softgpu_umd_allocation description = {.magic = SOFTGPU_UMD_ALLOCATION_MAGIC,
                                                 .version = SOFTGPU_UMD_VERSION,
                                                 .flags = SOFTGPU_UMD_CPU_VISIBLE,
                                                 .size_bytes = bytes};
    struct dxgk_allocation_request request = {.private_data = &description,
                                              .private_size = sizeof(description)};
    struct dxgk_holding *holding = NULL;

    good(dxgk_allocations_create(
             client->device, &(struct dxgk_allocations_request){.elements = &request, .count = 1},
             &holding),
         "allocation");
    return request.opening;
}

/* Fills one, copies it to another. */
static bool render(struct client *client, struct dxgk_opening *from, struct dxgk_opening *to,
                   uint32_t pattern)
{
    const struct {
        struct softgpu_command_fill fill;
        struct softgpu_command_copy copy;
    } commands = {{.header = SOFTGPU_COMMAND(SOFTGPU_OP_FILL,
                                             SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_fill)),
                   .pattern = pattern,
                   .address = {0, 0},
                   .size_low = TEXTURE_BYTES},
                  {.header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY,
                                             SOFTGPU_COMMAND_WORDS_OF(struct softgpu_command_copy)),
                   .destination = {0, 1},
                   .source = {0, 0},
                   .size_low = TEXTURE_BYTES}};
    const struct dxgk_render_request request = {.command_bytes = sizeof(commands),
                                                .allocation_count = 2};

    memcpy(client->space.commands, &commands, sizeof(commands));
    client->space.allocations[0] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = dxgk_opening_handle(from), .WriteOperation = 1};
    client->space.allocations[1] =
        (D3DDDI_ALLOCATIONLIST){.hAllocation = dxgk_opening_handle(to), .WriteOperation = 1};
    return good(dxgk_render(client->context, &request), "render");
}

static bool check(struct client *client, struct dxgk_opening *opening, uint32_t pattern)
{
    void *bytes;

    if (!good(dxgk_lock(opening, (D3DDDICB_LOCKFLAGS){.ReadOnly = 1}, &bytes), "lock")) {
        return false;
    }
    for (unsigned i = 0; i < TEXTURE_BYTES / 4; i += 1021) {
        if (((const uint32_t *)bytes)[i] != pattern) {
            host->fail(host, "wrong bytes");
            break;
        }
    }
    return good(dxgk_unlock(opening), "unlock");
}

static void press(void *argument)
{
    uint32_t number = (uint32_t)(uintptr_t)argument;
    struct dxgk_opening *textures[TEXTURES];
    struct client client;

    if (!client_open(&client, 0)) {
        return;
    }
    for (unsigned i = 0; i < TEXTURES; i++) {
        textures[i] = create(&client, TEXTURE_BYTES);
        if (!textures[i]) {
            return;
        }
    }
    for (unsigned i = 0; i < PRESSURE_ROUNDS && !host->failed(host); i++) {
        unsigned from = (unsigned)(host->random(host, SITE_PRESSURE + number) % TEXTURES);
        unsigned to = (from + 1 + i % (TEXTURES - 1)) % TEXTURES;
        if (!render(&client, textures[from], textures[to], i * 0x01010101u)) {
            return;
        }
        if (i % 4 == 3 && !check(&client, textures[to], i * 0x01010101u)) {
            return;
        }
    }
    const struct dxgk_render_request nothing = {.command_bytes = 0};
    (void)(good(dxgk_render(client.context, &nothing), "render nothing") && wait_idle(&client));
}

/* ---- A hang ------------------------------------------------------------------------------ */

static void hang(void *argument)
{
    const uint32_t command = SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1);
    const struct dxgk_render_request request = {.command_bytes = sizeof(command)};
    struct client client;

    if (!client_open(&client, 0)) {
        return;
    }
    memcpy(client.space.commands, &command, sizeof(command));
    good(dxgk_render(client.context, &request), "render what hangs");
    /* The device is lost; that is no failure. */
    dxgk_context_wait_idle(client.context, machine_now_ns() + WAIT_NS);
}

/* ---- All of it --------------------------------------------------------------------------- */

static void run_steady(const struct drydock_workload_host *given)
{
    struct drydock_process *processes[3];

    host = given;
    processes[0] = host->start_process(host, "show", show, NULL);
    processes[1] = host->start_process(host, "press 1", press, (void *)1);
    processes[2] = host->start_process(host, "press 2", press, (void *)2);
    for (unsigned i = 0; i < 3; i++) {
        CHECK_THAT(processes[i]);
        host->join(host, processes[i]);
    }
}

static void run(const struct drydock_workload_host *given)
{
    run_steady(given);
    struct drydock_process *last = host->start_process(host, "hang", hang, NULL);
    CHECK_THAT(last);
    host->join(host, last);
}

const struct drydock_workload steady_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "steady",
    .description = "clients that present and press",
    .run = run_steady,
};

const struct drydock_workload determinism_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "determinism",
    .description = "clients that present, press and hang",
    .run = run,
};
