/* scenes: Presents at random, each compared with what the documents say that it means, also in what
 * it must not change.
 *
 *     fill both surfaces by the CPU ─ Present ─ wait ─ read ─ oracle.c
 *         wrong: the same with less and less, until nothing can be left out; then it is told, with
 *         pictures of what was expected, what is there, and where they differ
 *
 * Of a driver that is not known here only those are made that documents fix: between equal formats,
 * without a curve; what it stretches is looked at where it must not draw, and else a note. */
#include "scenes.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "results.h"
#include "softgpu_client.h"
#include "workloads.h"

#define SITE_SCENE    0
#define SCENE_NS      UINT64_C(2500000) /* of the duration; a scene takes much less */
#define SCENES_MIN    5
#define MODES_MAX     64
#define RARE_TRIES    200
#define SMALLER_TRIES 200
#define SMALL_DMA     4096
#define ODD_PATCHES   17 /* a copy takes two */
#define KEYED_MIN     64 /* pixels: so many are not right by chance */

static const struct {
    D3DDDIFORMAT format;
    unsigned width, height;
} kinds[SCENE_SURFACES] = {
    {D3DDDIFMT_X8R8G8B8, 61, 47}, {D3DDDIFMT_X8R8G8B8, 96, 40}, {D3DDDIFMT_A8R8G8B8, 64, 48},
    {D3DDDIFMT_A8R8G8B8, 33, 70}, {D3DDDIFMT_R5G6B5, 61, 47},   {D3DDDIFMT_R5G6B5, 80, 33},
    {D3DDDIFMT_A8B8G8R8, 50, 50}, {D3DDDIFMT_A8B8G8R8, 71, 29}, {D3DDDIFMT_X8R8G8B8, 128, 96},
    {D3DDDIFMT_A8R8G8B8, 19, 90},
};

/* ---- Surfaces -------------------------------------------------------------------------------- */

static bool make_surface(struct scene_pool *pool, unsigned kind)
{
    struct scene_surface *made = &pool->surfaces[pool->count];
    struct drydock_standard_allocation description = {.kind = DRYDOCK_SURFACE_SHADOW,
                                                      .width = kinds[kind].width,
                                                      .height = kinds[kind].height,
                                                      .format = kinds[kind].format};

    if (gpu_surface_try_create(&pool->gpu, &description, &made->surface) < 0) {
        return !pool->gpu.lost; /* the driver does not know the format */
    }
    made->format = kinds[kind].format;
    made->bytes = (size_t)made->surface.pitch * made->surface.height;
    made->before = calloc(2, made->bytes);
    made->after = made->before ? made->before + made->bytes : NULL;
    pool->count++;
    if (!made->before) {
        pool->gpu.host->fail(pool->gpu.host, "no memory");
    }
    return made->before != NULL;
}

/* A mode of the first source has it. */
static bool is_of_a_screen(const struct gpu *gpu, D3DDDIFORMAT format)
{
    static D3DKMT_DISPLAYMODE modes[MODES_MAX];
    D3DKMT_GETDISPLAYMODELIST list = {
        .hAdapter = gpu->adapter, .pModeList = modes, .ModeCount = MODES_MAX};
    bool is = false;

    if (D3DKMTGetDisplayModeList(&list) >= 0) {
        for (unsigned i = 0; i < list.ModeCount; i++) {
            is |= modes[i].Format == format;
        }
    }
    return is;
}

static bool make_pool(struct scene_pool *pool)
{
    bool good = true, narrow = pool->is_ours || is_of_a_screen(&pool->gpu, D3DDDIFMT_R5G6B5);

    for (unsigned i = 0; good && i < SCENE_SURFACES; i++) {
        /* Others are asked for the formats of a screen alone. */
        if (pool->is_ours || kinds[i].format == D3DDDIFMT_X8R8G8B8 ||
            kinds[i].format == D3DDDIFMT_A8R8G8B8 ||
            (narrow && kinds[i].format == D3DDDIFMT_R5G6B5)) {
            good = make_surface(pool, i);
        }
    }
    return good && pool->count > 0;
}

static void drop_pool(struct scene_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++) {
        gpu_surface_destroy(&pool->gpu, &pool->surfaces[i].surface);
        free(pool->surfaces[i].before);
    }
}

static struct oracle_picture picture_of(const struct scene_surface *surface, const uint8_t *bytes)
{
    return (struct oracle_picture){.width = surface->surface.width,
                                   .height = surface->surface.height,
                                   .pitch = surface->surface.pitch,
                                   .format = surface->format,
                                   .bytes = bytes};
}

/* ---- Content --------------------------------------------------------------------------------- */

static uint32_t mix(uint32_t value)
{
    value = (value ^ value >> 16) * 0x7FEB352Du;
    value = (value ^ value >> 15) * 0x846CA68Bu;
    return value ^ value >> 16;
}

/* A colour of the screen in the bytes of a format; only those that every format has are given. */
static uint32_t in_format(D3DDDIFORMAT format, uint32_t colour)
{
    switch (format) {
    case D3DDDIFMT_R5G6B5:
        return (colour >> 8 & 0xF800) | (colour >> 5 & 0x07E0) | (colour >> 3 & 0x001F);
    case D3DDDIFMT_A8B8G8R8:
        return (colour & 0xFF00FF00) | (colour >> 16 & 0xFF) | (colour & 0xFF) << 16;
    default:
        return colour;
    }
}

static uint32_t content_at(const struct scene *scene, const struct scene_surface *surface,
                           uint32_t which, uint32_t pixel)
{
    uint32_t random = mix(pixel + mix(scene->seed + which * 77));

    switch (scene->content) {
    case SCENE_NOISE:
        return random;
    case SCENE_FEW_COLOURS:
        return in_format(surface->format, scene_colour(random >> 7));
    default:
        return in_format(surface->format, scene_colour(which));
    }
}

static bool give_content(struct scene_pool *pool, const struct scene *scene, unsigned which)
{
    struct scene_surface *surface = &pool->surfaces[which];
    unsigned size = oracle_pixel_bytes(surface->format);
    uint8_t *bytes = gpu_lock(&pool->gpu, &surface->surface, false);

    if (!bytes) {
        return false;
    }
    for (unsigned y = 0; y < surface->surface.height; y++) {
        uint8_t *row = surface->before + (size_t)y * surface->surface.pitch;
        for (unsigned x = 0; x < surface->surface.width; x++) {
            uint32_t value =
                content_at(scene, surface, which == scene->to, y * surface->surface.width + x);
            memcpy(row + x * size, &value, size);
        }
        memcpy(bytes + (size_t)y * surface->surface.pitch, row, surface->surface.width * size);
    }
    gpu_unlock(&pool->gpu, &surface->surface);
    return true;
}

/* A driver without room elsewhere, or of a version without the call, keeps them where they are. */
static void move_away(struct scene_pool *pool, const struct scene *scene)
{
    D3DKMT_HANDLE handles[2] = {pool->surfaces[scene->to].surface.allocation};
    bool two = scene->from != SCENE_NO_SOURCE && scene->from != scene->to;

    if (two) {
        handles[1] = pool->surfaces[scene->from].surface.allocation;
    }
    D3DKMT_EVICT evict = {
        .hDevice = pool->gpu.device, .NumAllocations = two ? 2 : 1, .AllocationList = handles};
    (void)D3DKMTEvict(&evict);
}

static bool read_result(struct scene_pool *pool, struct scene_surface *surface)
{
    const uint8_t *bytes = gpu_lock(&pool->gpu, &surface->surface, true);

    if (bytes) {
        memcpy(surface->after, bytes, surface->bytes);
        gpu_unlock(&pool->gpu, &surface->surface);
    }
    return bytes != NULL;
}

/* ---- One scene ------------------------------------------------------------------------------- */

static RECT rect_of(struct box box)
{
    return (RECT){box.left, box.top, box.right, box.bottom};
}

static NTSTATUS present(const struct scene_pool *pool, const struct scene *scene)
{
    static RECT rects[SCENE_BOXES_MAX];
    struct softgpu_umd_present data = {.magic = SOFTGPU_UMD_PRESENT_MAGIC,
                                       .version = SOFTGPU_UMD_VERSION,
                                       .flags = SOFTGPU_UMD_PRESENT_BILINEAR};
    bool fill = scene->from == SCENE_NO_SOURCE;
    D3DKMT_PRESENT arguments = {
        .hContext = pool->gpu.context,
        .hSource = fill ? 0 : pool->surfaces[scene->from].surface.allocation,
        .hDestination = pool->surfaces[scene->to].surface.allocation,
        .DstRect = rect_of(scene->to_box),
        .SrcRect = rect_of(scene->from_box),
        .Color = scene->color,
        .SubRectCnt = scene->count,
        .pSrcSubRects = rects,
        .PrivateDriverDataSize = scene->bilinear ? sizeof data : 0,
        .pPrivateDriverData = scene->bilinear ? &data : NULL,
        .Flags = {.Blt = !fill,
                  .ColorFill = fill,
                  .DstRectValid = 1,
                  .SrcRectValid = !fill,
                  .SrcColorKey = scene->source_key,
                  .DstColorKey = scene->destination_key,
                  .LinearToSrgb = scene->linear_to_srgb},
    };

    for (unsigned i = 0; i < scene->count; i++) {
        rects[i] = rect_of(scene->boxes[i]);
    }
    return D3DKMTPresent(&arguments);
}

static struct oracle_present meaning_of(const struct scene_pool *pool, const struct scene *scene,
                                        const struct oracle_picture *from)
{
    return (struct oracle_present){
        .from = scene->from == SCENE_NO_SOURCE ? NULL : from,
        .from_box = scene->from_box,
        .to_box = scene->to_box,
        .boxes = scene->boxes,
        .count = scene->count,
        .color = scene->color,
        .source_key = scene->source_key,
        .destination_key = scene->destination_key,
        .linear_to_srgb = scene->linear_to_srgb,
        .filter = !pool->is_ours    ? ORACLE_ANY_FILTER
                  : scene->bilinear ? ORACLE_BILINEAR
                                    : ORACLE_NEAREST,
        .strict = pool->is_ours,
    };
}

enum outcome { SCENE_RIGHT, SCENE_WRONG, SCENE_REFUSED, SCENE_FAILED };

static bool is_converted(const struct scene_pool *pool, const struct scene *scene)
{
    return scene->from != SCENE_NO_SOURCE &&
           pool->surfaces[scene->from].format != pool->surfaces[scene->to].format;
}

/* Two answers say that it cannot be done. To what no page asks of everybody, or says how to refuse,
 * a driver that is not known here may give any. */
static bool is_refused(const struct scene_pool *pool, const struct scene *scene, NTSTATUS status)
{
    bool asked_of_all = !scene->source_key && !scene->destination_key &&
                        !is_converted(pool, scene) && !scene_is_stretched(scene) &&
                        scene->from != SCENE_NO_SOURCE;

    return status == STATUS_GRAPHICS_CANNOTCOLORCONVERT || status == STATUS_NOT_SUPPORTED ||
           (status < 0 && status != STATUS_DEVICE_REMOVED && !pool->is_ours && !asked_of_all);
}

static enum outcome perform(struct scene_pool *pool, const struct scene *scene,
                            struct oracle_verdict *verdict)
{
    struct scene_surface *to = &pool->surfaces[scene->to];
    struct gpu *gpu = &pool->gpu;
    bool fill = scene->from == SCENE_NO_SOURCE;

    if (!give_content(pool, scene, scene->to) ||
        (!fill && scene->from != scene->to && !give_content(pool, scene, scene->from))) {
        return SCENE_FAILED;
    }
    if (scene->evicted) {
        move_away(pool, scene);
    }
    NTSTATUS status = present(pool, scene);
    if (is_refused(pool, scene, status)) {
        return SCENE_REFUSED;
    }
    if (!gpu_check(gpu, status, fill ? "D3DKMTPresent (ColorFill)" : "D3DKMTPresent (Blt)") ||
        !gpu_wait_idle(gpu) || !read_result(pool, to)) {
        return SCENE_FAILED;
    }
    const struct scene_surface *source = &pool->surfaces[fill ? scene->to : scene->from];
    struct oracle_picture from = picture_of(source, source->before);
    struct oracle_picture before = picture_of(to, to->before), after = picture_of(to, to->after);
    struct oracle_present meaning = meaning_of(pool, scene, &from);
    if (!oracle_judge(&meaning, &before, &after, verdict)) {
        gpu->host->fail(gpu->host, "no memory");
        return SCENE_FAILED;
    }
    return verdict->wrong ? SCENE_WRONG : SCENE_RIGHT;
}

/* ---- The smallest that is wrong -------------------------------------------------------------- */

/* Which rule the first wrong pixel breaks; NULL: none that a page fixes. */
static const char *rule_of(const struct scene_pool *pool, const struct scene *scene,
                           const struct oracle_verdict *verdict)
{
    if (verdict->part == ORACLE_OUTSIDE) {
        return "PRES-028";
    }
    if (scene_is_stretched(scene) && !pool->is_ours && verdict->part != ORACLE_KEYED) {
        return NULL; /* the filter is the driver's, with a key as without */
    }
    /* Who has keys has them in each format; who has none is told so. */
    if ((scene->source_key || scene->destination_key) && pool->is_ours &&
        pool->key_is_known[scene->destination_key] && is_converted(pool, scene) &&
        !scene_is_stretched(scene)) {
        return "PRES-025";
    }
    if (scene->source_key) {
        return "PRES-038";
    }
    if (scene->destination_key) {
        return "PRES-039";
    }
    if (scene->linear_to_srgb) {
        return "PRES-040";
    }
    if (scene->from == SCENE_NO_SOURCE) {
        return verdict->as_before ? "PRES-034" : "PRES-025";
    }
    if ((scene_is_stretched(scene) || is_converted(pool, scene)) && !pool->is_ours) {
        return NULL;
    }
    return scene->count == 0 || scene_is_stretched(scene) ? "PRES-033"
           : verdict->as_before                           ? "PRES-028"
                                                          : "PRES-026";
}

/* What a wrong pixel would have broken, inside and outside of what is written. */
static void hold(const struct scene_pool *pool, const struct scene *scene)
{
    const struct drydock_workload_host *host = pool->gpu.host;
    const struct oracle_verdict inside = {.part = ORACLE_WRITTEN};
    const char *rule = rule_of(pool, scene, &inside);

    host->holds(host, "PRES-028");
    if (rule) {
        host->holds(host, rule);
    }
}

/* True: something could be left out. */
static bool shrink_once(struct scene_pool *pool, struct scene *scene,
                        struct oracle_verdict *verdict, unsigned *tries)
{
    static struct scene smaller;
    struct oracle_verdict other;

    for (unsigned n = 0; *tries > 0 && scene_smaller(scene, n, &smaller); n++) {
        if (memcmp(&smaller, scene, sizeof smaller) == 0) {
            continue;
        }
        --*tries;
        if (perform(pool, &smaller, &other) == SCENE_WRONG && other.part == verdict->part) {
            *scene = smaller;
            *verdict = other;
            return true;
        }
    }
    return false;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static const char *format_name(D3DDDIFORMAT format)
{
    return format == D3DDDIFMT_X8R8G8B8   ? "X8R8G8B8"
           : format == D3DDDIFMT_A8R8G8B8 ? "A8R8G8B8"
           : format == D3DDDIFMT_A8B8G8R8 ? "A8B8G8R8"
                                          : "R5G6B5";
}

static void leave_pictures(struct scene_pool *pool, const struct scene *scene)
{
    static const char *const names[3] = {"scenes-expected", "scenes-actual", "scenes-difference"};
    const struct scene_surface *to = &pool->surfaces[scene->to];
    const struct scene_surface *source =
        scene->from == SCENE_NO_SOURCE ? to : &pool->surfaces[scene->from];
    struct oracle_picture from = picture_of(source, source->before);
    struct oracle_picture before = picture_of(to, to->before), after = picture_of(to, to->after);
    struct oracle_present meaning = meaning_of(pool, scene, &from);
    const struct drydock_workload_host *host = pool->gpu.host;
    struct picture pictures[3] = {{0}};
    bool good = true;

    for (unsigned i = 0; i < 3; i++) {
        good = good && picture_create(before.width, before.height, &pictures[i]);
    }
    good = good && oracle_paint(&meaning, &before, &after, pictures);
    for (unsigned i = 0; i < 3; i++) {
        if (good) {
            host->frame(host, names[i], pictures[i].pixels, before.width, before.height,
                        before.width * 4);
        }
        picture_destroy(&pictures[i]);
    }
}

#define CALL_MAX  320
#define PIXEL_MAX 256

static void describe(const struct scene_pool *pool, const struct scene *scene, char text[CALL_MAX])
{
    const struct scene_surface *to = &pool->surfaces[scene->to];
    struct box from = scene->from_box, target = scene->to_box, first = scene->boxes[0];
    char source[112] = "", list[80] = "", color[24] = "";

    if (scene->from != SCENE_NO_SOURCE) {
        const struct scene_surface *surface = &pool->surfaces[scene->from];
        snprintf(source, sizeof source, " from (%d, %d)-(%d, %d) of %s of %u x %u %s", from.left,
                 from.top, from.right, from.bottom,
                 scene->from == scene->to ? "the same surface" : "a surface",
                 surface->surface.width, surface->surface.height, format_name(surface->format));
    }
    if (scene->count > 0) {
        snprintf(list, sizeof list, ", %u sub-rectangles from (%d, %d)-(%d, %d) of the source on",
                 scene->count, first.left, first.top, first.right, first.bottom);
    }
    if (scene->source_key || scene->destination_key || scene->from == SCENE_NO_SOURCE) {
        snprintf(color, sizeof color, ", Color 0x%08X", scene->color);
    }
    snprintf(
        text, CALL_MAX, "Present (%s%s%s%s%s%s%s)%s to (%d, %d)-(%d, %d) of %u x %u %s%s%s",
        scene->from == SCENE_NO_SOURCE ? "ColorFill" : "Blt",
        scene_is_stretched(scene) ? ", stretched" : "", scene->bilinear ? ", blended" : "",
        scene->source_key ? ", SrcColorKey" : "", scene->destination_key ? ", DstColorKey" : "",
        scene->linear_to_srgb ? ", LinearToSrgb" : "", scene->evicted ? ", after an eviction" : "",
        source, target.left, target.top, target.right, target.bottom, to->surface.width,
        to->surface.height, format_name(to->format), color, list);
}

/* Red, green, blue, alpha, as far as they count. */
static void describe_pixel(const struct oracle_verdict *verdict, char text[PIXEL_MAX])
{
    static const char *const names[4] = {"red", "green", "blue", "alpha"};
    const struct oracle_range *expected = &verdict->expected;
    int used = 0;

    text[0] = 0;
    for (unsigned i = 0; i < 4; i++) {
        char range[32] = "";
        if (expected->high[i] > expected->low[i]) {
            snprintf(range, sizeof range, " to %u", expected->high[i]);
        }
        if (expected->counts[i]) {
            used += snprintf(text + used, (size_t)(PIXEL_MAX - used), "%s%s %u, expected %u%s",
                             used ? "; " : "", names[i], verdict->is[i], expected->low[i], range);
        }
    }
}

static void tell(struct scene_pool *pool, const struct scene *scene,
                 const struct oracle_verdict *verdict)
{
    static const char *const parts[] = {"outside of what it may write",
                                        "which a key keeps as it is", "which it is to write"};
    const struct drydock_workload_host *host = pool->gpu.host;
    const char *rule = rule_of(pool, scene, verdict);
    char call[CALL_MAX], pixel[PIXEL_MAX], text[CALL_MAX + PIXEL_MAX + 128];

    describe(pool, scene, call);
    describe_pixel(verdict, pixel);
    leave_pictures(pool, scene);
    snprintf(text, sizeof text, "%s: %llu pixels are wrong, the first at (%d, %d), %s: %s%s", call,
             (unsigned long long)verdict->wrong, verdict->x, verdict->y, parts[verdict->part],
             pixel, verdict->as_before ? "; it is as it was" : "");
    if (rule) {
        host->breaks(host, rule, "%s", text);
    } else {
        host->note(host, "%s: no page says how it is to look", text);
    }
}

/* What is wrong with less is told with less. */
static void tell_smallest(struct scene_pool *pool, struct scene *scene,
                          struct oracle_verdict *verdict)
{
    unsigned tries = SMALLER_TRIES;
    struct oracle_verdict again;

    while (shrink_once(pool, scene, verdict, &tries)) {
    }
    /* The pictures are of the scene that is told. */
    if (perform(pool, scene, &again) == SCENE_WRONG) {
        *verdict = again;
    }
    tell(pool, scene, verdict);
}

/* ---- The whole ------------------------------------------------------------------------------- */

/* One finding of a rule is enough: what comes of the same mistake again tells no more. */
static bool was_told(struct scene_pool *pool, const char *rule)
{
    for (unsigned i = 0; i < pool->told_count; i++) {
        if (pool->told[i] == rule) {
            return true;
        }
    }
    if (pool->told_count < SCENE_RULES_MAX) {
        pool->told[pool->told_count++] = rule;
    }
    return false;
}

static unsigned scene_count(const struct drydock_workload_host *host)
{
    uint64_t by_time = host->duration_ns / SCENE_NS;

    return host->values[0].number ? (unsigned)host->values[0].number
           : by_time < SCENES_MIN ? SCENES_MIN
                                  : (unsigned)by_time;
}

/* Color has 32 bits, and its pixels 16. */
static bool is_narrow_fill(const struct scene_pool *pool, const struct scene *scene)
{
    bool any = false;

    for (unsigned i = 0; i < pool->count; i++) {
        any |= pool->surfaces[i].format == D3DDDIFMT_R5G6B5;
    }
    return !any ||
           (scene->from == SCENE_NO_SOURCE && pool->surfaces[scene->to].format == D3DDDIFMT_R5G6B5);
}

/* However few there are, one of them has DstColorKey, one LinearToSrgb, one is stretched to where a
 * key says what stays, and one fills where pixels are narrower than Color. */
static bool has_what_is_rare(const struct scene_pool *pool, unsigned index,
                             const struct scene *scene)
{
    return index == 1   ? scene->destination_key && !scene_is_stretched(scene)
           : index == 2 ? scene->linear_to_srgb || !pool->is_ours
           : index == 3 ? scene->destination_key && scene_is_stretched(scene)
           : index == 4 ? is_narrow_fill(pool, scene)
                        : true;
}

static void choose_scene(struct scene_pool *pool, unsigned index, struct scene *scene)
{
    const struct drydock_workload_host *host = pool->gpu.host;
    unsigned tries = 0;

    do {
        scene_make(pool, host->random(host, SITE_SCENE), scene);
    } while (!has_what_is_rare(pool, index, scene) && ++tries < RARE_TRIES);
}

static bool run_scenes(struct scene_pool *pool, unsigned count)
{
    static struct scene scene;
    const struct drydock_workload_host *host = pool->gpu.host;

    for (unsigned i = 0; i < count && !host->failed(host); i++) {
        struct oracle_verdict verdict;
        memset(&scene, 0, sizeof scene);
        choose_scene(pool, i, &scene);
        enum outcome outcome = perform(pool, &scene, &verdict);
        if (outcome == SCENE_FAILED) {
            return false;
        }
        if (outcome == SCENE_RIGHT) {
            hold(pool, &scene);
        }
        if (outcome == SCENE_RIGHT && verdict.keyed >= KEYED_MIN && scene.from != scene.to &&
            !is_converted(pool, &scene)) {
            pool->key_is_known[scene.destination_key] = true;
        }
        host->count(host, "scenes.presents", 1);
        host->count(host, "scenes.refused", outcome == SCENE_REFUSED);
        if (outcome == SCENE_WRONG) {
            host->count(host, "scenes.wrong", 1);
            if (!was_told(pool, rule_of(pool, &scene, &verdict))) {
                tell_smallest(pool, &scene, &verdict);
            }
        }
    }
    return true;
}

/* They came with WDDM 2.0. */
static bool takes_private_data(const struct gpu *gpu)
{
    struct softgpu_umd_adapter adapter = {0};
    const D3DKMT_QUERYADAPTERINFO query = {.hAdapter = gpu->adapter,
                                           .Type = KMTQAITYPE_UMDRIVERPRIVATE,
                                           .pPrivateDriverData = &adapter,
                                           .PrivateDriverDataSize = sizeof adapter};

    return D3DKMTQueryAdapterInfo(&query) >= 0 && adapter.magic == SOFTGPU_UMD_ADAPTER_MAGIC &&
           adapter.wddm_version >= 0x2000;
}

/* Buffers of a page, so that long lists take many passes. */
static bool open_pool(struct scene_pool *pool, const struct drydock_workload_host *host)
{
    const struct softgpu_umd_context small = {.magic = SOFTGPU_UMD_CONTEXT_MAGIC,
                                              .version = SOFTGPU_UMD_VERSION,
                                              .dma_buffer_bytes = SMALL_DMA,
                                              .patch_list_entries = ODD_PATCHES};

    pool->is_ours = host->capabilities & DRYDOCK_DRIVER_IS_SOFTGPU;
    return pool->is_ours && host->random(host, SITE_SCENE) % 2
               ? gpu_open_with(&pool->gpu, host, 0, &small, sizeof small)
               : gpu_open(&pool->gpu, host, 0);
}

/* by_address: nothing, where the driver has no contexts for that. */
static bool present_scenes(const struct drydock_workload_host *host, unsigned count,
                           bool by_address)
{
    struct scene_pool pool = {0};
    bool good = false, there = true;

    if (open_pool(&pool, host)) {
        if (by_address && (!gpu_present_by_address(&pool.gpu, 0, &there) || !there)) {
            gpu_close(&pool.gpu);
            return !there;
        }
        pool.has_words = pool.is_ours && takes_private_data(&pool.gpu);
        good = make_pool(&pool) && run_scenes(&pool, count);
        drop_pool(&pool);
        gpu_close(&pool.gpu);
    }
    return good && !host->failed(host);
}

bool result_of_scenes(const struct drydock_workload_host *host, unsigned count)
{
    return present_scenes(host, count, false);
}

bool result_of_placed_scenes(const struct drydock_workload_host *host, unsigned count)
{
    return present_scenes(host, count, true);
}

static void run_by_address(const struct drydock_workload_host *host)
{
    if (work_can_copy(host)) {
        result_of_placed_scenes(host, scene_count(host));
    }
    host->progress(host, 1, 1);
}

static void run(const struct drydock_workload_host *host)
{
    if (work_can_copy(host)) {
        result_of_scenes(host, scene_count(host));
    }
    host->progress(host, 1, 1);
}

static const struct drydock_option options[] = {
    {"count", "how many Presents (0: as the duration says)", 0, 0, 10000000},
    {NULL, NULL, 0, 0, 0},
};

const struct drydock_workload workload_scenes = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "scenes",
    .description = "presents at random, compared with what documents say that they mean",
    .run = run,
    .options = options,
};

const struct drydock_workload workload_placed = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "placed",
    .description = "the same in contexts with GPU virtual addresses, where the driver has them",
    .run = run_by_address,
    .options = options,
};
