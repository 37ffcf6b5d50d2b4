/* Commands, Escapes and private data that the software GPU's driver has to refuse: each would reach
 * what is not the client's, or make the device fault. What they are is agreed on in softgpu_umd.h,
 * word for word. A buffer with one of them is refused as a whole, also if it begins well
 * [RENDER-003]. */
#include "results.h"

#include <string.h>

#include "softgpu_client.h"

#define BYTES     4096u /* of the allocation that the commands name, at index 0 of the list */
#define WORDS_MAX 21
#define ZEROS     64
#define SIDE      16u /* of the surfaces in it */
#define PITCH     (SIDE * 4)
#define ODD       2u /* an address that is aligned for nothing */
#define BEHIND    1u /* index of an allocation that the list has not */

#define COMMAND(opcode, type) \
    SOFTGPU_COMMAND(SOFTGPU_OP_##opcode, sizeof(struct softgpu_command_##type) / 4)
#define SURFACE(offset, height) offset, 0, PITCH, SOFTGPU_FORMAT_BGRX8, SIDE, height

enum listed { LISTED_WRITTEN, LISTED_READ, LISTED_NOT };

static const struct bad_command {
    const char *what;
    enum softgpu_node node;
    enum listed listed;
    unsigned count; /* of words */
    uint32_t words[WORDS_MAX];
} bad_commands[] = {
    {"a FILL that ends behind its allocation",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, BYTES - 8, 0, 12, 0}},
    {"a FILL that begins behind its allocation",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, BYTES + 4, 0, 4, 0}},
    {"a FILL whose offset and size have a sum that wraps",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, 16, 0, 0xFFFFFFF8u, 0xFFFFFFFFu}},
    {"a FILL whose offset and size have a sum that wraps in 32 bits",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, 16, 0, 0xFFFFFFF8u, 0}},
    {"a FILL whose size has a high half alone",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, 0, 0, 0, 1}},
    {"a COPY whose size has a high half",
     NODE_COPY,
     LISTED_WRITTEN,
     8,
     {COMMAND(COPY, copy), 0, 64, 0, 0, 0, 8, 1}},
    {"a FILL of an allocation behind the list",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(FILL, fill), 0, 0, BEHIND, 4, 0}},
    {"a FILL of a slot of the list that is not used",
     NODE_COPY,
     LISTED_NOT,
     6,
     {COMMAND(FILL, fill), 0, 0, 0, 4, 0}},
    {"a FILL of an allocation that is listed without WriteOperation",
     NODE_COPY,
     LISTED_READ,
     6,
     {COMMAND(FILL, fill), 0, 0, 0, 4, 0}},
    {"a COPY from behind its allocation",
     NODE_COPY,
     LISTED_WRITTEN,
     8,
     {COMMAND(COPY, copy), 0, 0, 0, BYTES - 4, 0, 8, 0}},
    {"a COPY with a flag that does not exist",
     NODE_COPY,
     LISTED_WRITTEN,
     8,
     {COMMAND(COPY, copy), 0x80000000u, 0, 0, 64, 0, 8, 0}},
    {"a WRITE to an odd address",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(WRITE, write), 0, ODD, 0, 1, 0}},
    {"a WAIT for an odd address",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(WAIT, wait), SOFTGPU_WAIT_NOT_EQUAL, ODD, 0, 0xA5A5A5A5u, 0}},
    {"the privileged FENCE", NODE_COPY, LISTED_WRITTEN, 4, {COMMAND(FENCE, fence), 0, 1, 0}},
    {"the privileged INTERRUPT",
     NODE_COPY,
     LISTED_WRITTEN,
     1,
     {SOFTGPU_COMMAND(SOFTGPU_OP_INTERRUPT, 1)}},
    {"the privileged COPY_PAGES",
     NODE_COPY,
     LISTED_WRITTEN,
     12,
     {SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, 12), SOFTGPU_PAGES_TO_LIST, 0, 0, 4, 0, 0, 1, 0, 0, 1,
      0}},
    {"the privileged MAP_APERTURE",
     NODE_COPY,
     LISTED_WRITTEN,
     6,
     {COMMAND(MAP_APERTURE, map_aperture), SOFTGPU_MAP_INVALID, 0, 1, 0, 0}},
    {"the privileged FLIP", NODE_3D, LISTED_WRITTEN, 8, {COMMAND(FLIP, flip), SOFTGPU_FLIP_VSYNC}},
    {"an opcode that does not exist", NODE_COPY, LISTED_WRITTEN, 2, {SOFTGPU_COMMAND(0x7F, 2)}},
    {"an opcode above all", NODE_COPY, LISTED_WRITTEN, 1, {SOFTGPU_COMMAND(0xFFFF, 1)}},
    {"a command of length 0", NODE_COPY, LISTED_WRITTEN, 1, {SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 0)}},
    {"a command that is longer than the buffer",
     NODE_COPY,
     LISTED_WRITTEN,
     2,
     {SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 3)}},
    {"a FILL that is cut",
     NODE_COPY,
     LISTED_WRITTEN,
     3,
     {SOFTGPU_COMMAND(SOFTGPU_OP_FILL, 3), 0, 0}},
    {"a FILL with a word too many",
     NODE_COPY,
     LISTED_WRITTEN,
     7,
     {SOFTGPU_COMMAND(SOFTGPU_OP_FILL, 7), 0, 0, 0, 4, 0, 0}},
    {"FILL_RECT on the copy engine",
     NODE_COPY,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(0, SIDE), 0, 0, 4, 4}},
    {"COMPUTE on the copy engine",
     NODE_COPY,
     LISTED_WRITTEN,
     10,
     {COMMAND(COMPUTE, compute), SOFTGPU_KERNEL_IOTA, 4, 0}},
    {"FILL_RECT of a surface that ends behind its allocation",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(0, BYTES / PITCH + 1), 0, 0, 4, 4}},
    {"FILL_RECT of a rectangle that leaves its surface",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(0, SIDE), 8, 8, SIDE, SIDE + 1}},
    {"FILL_RECT of a rectangle that is wider than its surface",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(0, SIDE), 8, 8, SIDE + 1, SIDE}},
    {"FILL_RECT of a rectangle that begins before its surface",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(0, SIDE), (uint32_t)-1, 0, 4, 4}},
    {"FILL_RECT of a surface without a format",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, 0, 0, PITCH, 0, SIDE, SIDE, 0, 0, 4, 4}},
    {"FILL_RECT of a surface at an odd address",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, SURFACE(ODD, SIDE), 0, 0, 4, 4}},
    {"TRIANGLES that are fewer than their count",
     NODE_3D,
     LISTED_WRITTEN,
     13,
     {COMMAND(TRIANGLES, triangles), 0, SURFACE(0, SIDE), 0, 0, SIDE, SIDE, 1}},
    {"TRIANGLES whose count is a sum that wraps",
     NODE_3D,
     LISTED_WRITTEN,
     13,
     {COMMAND(TRIANGLES, triangles), 0, SURFACE(0, SIDE), 0, 0, SIDE, SIDE, 0x55555556u}},
    {"COMPUTE of a kernel that does not exist",
     NODE_COMPUTE,
     LISTED_WRITTEN,
     10,
     {COMMAND(COMPUTE, compute), SOFTGPU_KERNEL_COUNT, 4, 0}},
    {"COMPUTE with a source that its kernel has not",
     NODE_COMPUTE,
     LISTED_WRITTEN,
     10,
     {COMMAND(COMPUTE, compute), SOFTGPU_KERNEL_SUM, 4, 0, 0, 0, 64, 0, 128, 0}},
    {"FILL_RECT of a surface whose pitch times height wraps",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, 0, 0, 0x08000000, SOFTGPU_FORMAT_BGRX8, SIDE, 32, 0, 0, 4,
      4}},
    {"FILL_RECT of a surface whose pitch times height, without its last row, wraps",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, 0, 0, 0x08000000, SOFTGPU_FORMAT_BGRX8, SIDE, 33, 0, 0, 4,
      4}},
    {"a BLT from a surface whose pitch times height, without its last row, wraps",
     NODE_3D,
     LISTED_WRITTEN,
     21,
     {COMMAND(BLT, blt), 0, 0, SURFACE(0, SIDE / 2), BYTES / 2, 0, 0x08000000, SOFTGPU_FORMAT_BGRX8,
      SIDE, 33, 0, 0, 0, 0, 4, 4}},
    {"a BLT to a place whose sum with the width wraps",
     NODE_3D,
     LISTED_WRITTEN,
     21,
     {COMMAND(BLT, blt), 0, 0, SURFACE(0, SIDE / 2), SURFACE(BYTES / 2, SIDE), 0x7FFFFFFE, 0, 0, 0,
      4, 4}},
    {"a BLT to a place whose sum with the height wraps",
     NODE_3D,
     LISTED_WRITTEN,
     21,
     {COMMAND(BLT, blt), 0, 0, SURFACE(0, SIDE / 2), SURFACE(BYTES / 2, SIDE), 0, 0x7FFFFFFE, 0, 0,
      4, 4}},
    {"a BLT to a place before its surface",
     NODE_3D,
     LISTED_WRITTEN,
     21,
     {COMMAND(BLT, blt), 0, 0, SURFACE(0, SIDE / 2), SURFACE(BYTES / 2, SIDE), (uint32_t)-1, 0, 0,
      0, 4, 4}},
    {"FILL_RECT of a surface whose bytes of a row wrap",
     NODE_3D,
     LISTED_WRITTEN,
     12,
     {COMMAND(FILL_RECT, fill_rect), 0, 0, 0, PITCH, SOFTGPU_FORMAT_BGRX8, 0x40000001, SIDE, 0, 0,
      0x40000001, 4}},
    {"a ROTATE that is too high for its surface when it is turned",
     NODE_3D,
     LISTED_WRITTEN,
     20,
     {COMMAND(ROTATE, rotate), 1, SURFACE(0, SIDE / 2), SURFACE(BYTES / 2, SIDE / 2), 0, 0, 0, 0,
      SIDE, SIDE / 2}},
    {"a ROTATE that is too wide for its surface when it is turned",
     NODE_3D,
     LISTED_WRITTEN,
     20,
     {COMMAND(ROTATE, rotate), 3, SURFACE(0, SIDE), SURFACE(BYTES / 2, SIDE), 1, 0, 0, 0, SIDE / 2,
      SIDE}},
    {"COMPUTE whose bytes are a product that wraps",
     NODE_COMPUTE,
     LISTED_WRITTEN,
     10,
     {COMMAND(COMPUTE, compute), SOFTGPU_KERNEL_IOTA, 0x40000001, 0}},
    {"COMPUTE whose result ends behind its allocation",
     NODE_COMPUTE,
     LISTED_WRITTEN,
     10,
     {COMMAND(COMPUTE, compute), SOFTGPU_KERNEL_IOTA, BYTES / 4, 0, 4, 0}},
};

static void list(struct gpu *gpu, const struct surface *target, enum listed listed)
{
    gpu->allocations[0] = (D3DDDI_ALLOCATIONLIST){
        .hAllocation = listed == LISTED_NOT ? 0 : target->allocation,
        .WriteOperation = listed == LISTED_WRITTEN,
    };
}

/* One good command, then the bad one. */
static bool is_refused(struct gpu *gpu, const struct surface *target, const struct bad_command *bad)
{
    const uint32_t good = SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 1);

    memcpy(gpu->commands, &good, sizeof good);
    memcpy(gpu->commands + sizeof good, bad->words, bad->count * sizeof *bad->words);
    list(gpu, target, bad->listed);
    NTSTATUS status =
        gpu_try_render(gpu, (unsigned)(sizeof good + bad->count * sizeof *bad->words), 1);
    if (status < 0) {
        gpu->host->holds(gpu->host, "RENDER-003");
        return true;
    }
    gpu->host->breaks(gpu->host, "RENDER-003", "DxgkDdiRender accepted %s, on node %u", bad->what,
                      (unsigned)bad->node);
    return false;
}

/* ---- Allocations ----------------------------------------------------------------------------- */

#define PICTURE \
    .magic = SOFTGPU_UMD_ALLOCATION_MAGIC, .version = SOFTGPU_UMD_VERSION, .height = SIDE
static const struct bad_allocation {
    const char *what;
    struct softgpu_umd_allocation data;
} bad_allocations[] = {
    {"a pitch that holds no row",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .pitch_bytes = PITCH / 2}},
    {"a pitch that is no number of pixels",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .pitch_bytes = PITCH + ODD}},
    {"a width of 0", {PICTURE, .format = SOFTGPU_FORMAT_BGRX8}},
    {"a width that no surface has",
     {PICTURE, .width = SOFTGPU_SURFACE_SIZE_MAX + 1, .format = SOFTGPU_FORMAT_BGRX8}},
    {"a size that is less than the picture's",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .size_bytes = PITCH}},
    {"a pitch whose product with the height wraps",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .pitch_bytes = 0x10000000}},
    {"a format that does not exist", {PICTURE, .width = SIDE, .format = 99}},
    {"a flag that does not exist",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .flags = 0x80000000u}},
    {"a primary of a source that does not exist",
     {PICTURE, .width = SIDE, .format = SOFTGPU_FORMAT_BGRX8, .flags = SOFTGPU_UMD_PRIMARY,
      .source = 0x10000}},
};

static bool refuses_allocation(struct gpu *gpu, const struct bad_allocation *bad)
{
    struct softgpu_umd_allocation data = bad->data;
    D3DDDI_ALLOCATIONINFO info = {.pPrivateDriverData = &data,
                                  .PrivateDriverDataSize = sizeof data};
    D3DKMT_CREATEALLOCATION create = {
        .hDevice = gpu->device, .NumAllocations = 1, .pAllocationInfo = &info};

    if (D3DKMTCreateAllocation(&create) < 0) {
        return true;
    }
    gpu->host->fail(gpu->host, "DxgkDdiCreateAllocation accepted private data with %s", bad->what);
    return false;
}

static bool refuses_allocations(struct gpu *gpu)
{
    bool good = true;

    for (size_t i = 0; good && i < sizeof bad_allocations / sizeof *bad_allocations; i++) {
        good = refuses_allocation(gpu, &bad_allocations[i]);
    }
    return good;
}

/* What an earlier client left in a DMA buffer is zeros, which look harmless: a driver that reads
 * behind a command finds them. */
static bool leave_zeros(struct gpu *gpu)
{
    uint32_t words[ZEROS] = {SOFTGPU_COMMAND(SOFTGPU_OP_NOP, ZEROS)};

    memcpy(gpu->commands, words, sizeof words);
    return gpu_render(gpu, sizeof words, 0) && gpu_wait_idle(gpu);
}

static NTSTATUS ask_counters(const struct gpu *gpu, struct softgpu_umd_escape *data, UINT size)
{
    const D3DKMT_ESCAPE escape = {
        .hAdapter = gpu->adapter,
        .hDevice = gpu->device,
        .Type = D3DKMT_ESCAPE_DRIVERPRIVATE,
        .pPrivateDriverData = data,
        .PrivateDriverDataSize = size,
    };

    return D3DKMTEscape(&escape);
}

/* Codes that nobody agreed on: before the first, behind the last, and what a sign makes large. */
static bool refuses_codes(struct gpu *gpu)
{
    static const uint32_t bad_codes[] = {0, SOFTGPU_ESCAPE_COUNTERS + 1, 0x7FFFFFFF, UINT32_MAX};
    const struct drydock_workload_host *host = gpu->host;

    for (size_t i = 0; i < sizeof bad_codes / sizeof *bad_codes; i++) {
        struct softgpu_umd_escape data = {SOFTGPU_UMD_ADAPTER_MAGIC, bad_codes[i], {{0, 0}}};

        if (ask_counters(gpu, &data, sizeof data) >= 0) {
            host->fail(host, "DxgkDdiEscape answered a client's code %u, which it does not know",
                       (unsigned)bad_codes[i]);
            return false;
        }
    }
    return true;
}

static bool answers_escapes(struct gpu *gpu)
{
    static const UINT bad_sizes[] = {4, 8, sizeof(struct softgpu_umd_escape) - 4};
    const struct drydock_workload_host *host = gpu->host;
    struct softgpu_umd_escape data = {SOFTGPU_UMD_ADAPTER_MAGIC, SOFTGPU_ESCAPE_COUNTERS, {{0, 0}}};

    NTSTATUS status = ask_counters(gpu, &data, sizeof data);
    if (status < 0) {
        host->fail(host, "D3DKMTEscape for the counters, with PrivateDriverDataSize %u, failed: %s",
                   (unsigned)sizeof data, host->status_name(host, status));
        return false;
    }
    for (size_t i = 0; i < sizeof bad_sizes / sizeof *bad_sizes; i++) {
        if (ask_counters(gpu, &data, bad_sizes[i]) >= 0) {
            host->fail(host, "DxgkDdiEscape answered with %u bytes, PrivateDriverDataSize was %u",
                       (unsigned)sizeof data, (unsigned)bad_sizes[i]);
            return false;
        }
    }
    return refuses_codes(gpu);
}

static bool refuses_on(const struct drydock_workload_host *host, enum softgpu_node node)
{
    struct surface target;
    struct gpu gpu;
    bool good = true;

    if (!gpu_open(&gpu, host, node)) {
        return false;
    }
    good = answers_escapes(&gpu) && refuses_allocations(&gpu) &&
           softgpu_buffer(&gpu, BYTES, 0, &target) && leave_zeros(&gpu);
    for (size_t i = 0; good && i < sizeof bad_commands / sizeof *bad_commands; i++) {
        good = bad_commands[i].node != node || is_refused(&gpu, &target, &bad_commands[i]);
    }
    gpu_surface_destroy(&gpu, &target);
    gpu_close(&gpu);
    return good;
}

bool result_of_refusals(const struct drydock_workload_host *host)
{
    unsigned count = gpu_node_count(host);

    return refuses_on(host, NODE_3D) && (count <= NODE_COPY || refuses_on(host, NODE_COPY)) &&
           (count <= NODE_COMPUTE || refuses_on(host, NODE_COMPUTE));
}
