/* commands_test.c: each command against a plain reference. */
#include "mock.h"

#include <pixman.h>
#include <stdlib.h>

#define FLAG_P SOFTGPU_PACKET_FLAG_PRIVILEGED
#define TABLE  0xF00000ull /* aperture table in video memory */
#define PAGES  (MOCK_RAM_BASE + 0x100000ull)

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=16,aperture_mb=8");
    mock->scattered = true;
    for (unsigned engine = 0; engine < SOFTGPU_ENGINE_COUNT; engine++)
        mock_start_engine(mock, engine, 0);
    mock_write64(mock, SOFTGPU_REG_APERTURE_TABLE, TABLE);
    mock_write(mock, SOFTGPU_REG_APERTURE_CONTROL, SOFTGPU_APERTURE_ENABLE);
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

static void randomise(uint8_t *bytes, size_t size, uint64_t seed)
{
    for (size_t i = 0; i < size; i++)
        bytes[i] = (uint8_t)next_random(&seed);
}

/* Page i of a list of pages that are in no order in memory. */
static uint64_t shuffled_frame(uint32_t i)
{
    return (PAGES >> 12) + (i * 37 + 11) % 1024;
}

static uint8_t *shuffled_page(struct mock *mock, uint32_t i)
{
    return mock_ram(mock, shuffled_frame(i) << 12);
}

/* Maps `count` aperture pages from `first` on to shuffled frames from `frame` on. */
static void map_aperture(struct mock *mock, uint32_t first, uint32_t frame, uint32_t count)
{
    struct softgpu_command_map_aperture map = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_MAP_APERTURE, sizeof(map) / 4 + count * 2),
        .first_page = first,
        .page_count = count,
    };
    mock_command(mock, &map, sizeof(map));
    for (uint32_t i = 0; i < count; i++) {
        uint64_t number = shuffled_frame(frame + i);
        mock_command(mock, &number, sizeof(number));
    }
    mock_execute(mock, SOFTGPU_ENGINE_COPY, FLAG_P);
}

/* What the aperture shows, gathered. */
static void aperture_read(struct mock *mock, uint32_t frame, uint8_t *bytes, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        memcpy(bytes + i * 4096ull, shuffled_page(mock, frame + i), 4096);
}

static void aperture_write(struct mock *mock, uint32_t frame, const uint8_t *bytes, uint32_t pages)
{
    for (uint32_t i = 0; i < pages; i++)
        memcpy(shuffled_page(mock, frame + i), bytes + i * 4096ull, 4096);
}

/* ---- Linear ---- */

static void fill_sets_every_byte_and_no_other(void **state)
{
    static const uint32_t sizes[] = { 1, 3, 4, 63, 4096, 4099, 100001, 3 << 20 };
    struct mock *mock = *state;
    uint8_t pattern[4];
    for (unsigned i = 0; i < 8; i++) {
        uint32_t value = i % 2 ? 0x04030201u + i : 0x5A5A5A5A, size = sizes[i], begin = 4096 + i;
        memcpy(pattern, &value, 4);
        memset(mock->vram, 0xCC, 4 << 20);
        struct softgpu_command_fill fill = { HEADER(SOFTGPU_OP_FILL, fill), value,
                                             gpu_address(begin), size, 0 };
        mock_command(mock, &fill, sizeof(fill));
        mock_execute(mock, i % 3, 0);
        assert_int_equal(mock->vram[begin - 1], 0xCC);
        assert_int_equal(mock->vram[begin + size], 0xCC);
        for (uint32_t k = 0; k < size; k++)
            if (mock->vram[begin + k] != pattern[k % 4])
                fail_msg("byte %u of %u", k, size);
    }
}

static void put_copy(struct mock *mock, uint64_t to, uint64_t from, uint64_t size)
{
    struct softgpu_command_copy copy = {
        .header = HEADER(SOFTGPU_OP_COPY, copy),
        .destination = gpu_address(to),
        .source = gpu_address(from),
        .size_low = (uint32_t)size,
        .size_high = (uint32_t)(size >> 32),
    };
    mock_command(mock, &copy, sizeof(copy));
}

static void copy_is_memmove(void **state)
{
    static const struct {
        uint32_t to, from, size;
    } table[] = {
        { 0, 0x400000, 3 << 20 },       { 5, 0x400003, 2500001 }, { 0, 100, 2 << 20 },
        { 100, 0, 2 << 20 },            { 4096, 0, 5 << 20 },     { 0x200000, 0x200000, 4096 },
        { 0x300000, 0x2FFFFF, 1 << 20 }, { 1, 0, 1 },
    };
    struct mock *mock = *state;
    uint8_t *expected = malloc(8 << 20);
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        randomise(mock->vram, 8 << 20, i);
        memcpy(expected, mock->vram, 8 << 20);
        memmove(expected + table[i].to, expected + table[i].from, table[i].size);
        put_copy(mock, table[i].to, table[i].from, table[i].size);
        mock_execute(mock, SOFTGPU_ENGINE_COPY, 0);
        assert_memory_equal(mock->vram, expected, 8 << 20);
    }
    free(expected);
}

static void copy_within_the_aperture_is_memmove(void **state)
{
    static const struct {
        uint32_t to, from, size;
    } table[] = { { 0, 100, 1500000 }, { 100, 0, 1500000 }, { 8192, 4096, 1200000 },
                  { 4097, 4096, 4096 } };
    struct mock *mock = *state;
    const uint32_t pages = 400;
    uint8_t *expected = malloc(pages * 4096), *seen = malloc(pages * 4096);
    map_aperture(mock, 0, 0, pages);
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        randomise(expected, pages * 4096, i);
        aperture_write(mock, 0, expected, pages);
        memmove(expected + table[i].to, expected + table[i].from, table[i].size);
        put_copy(mock, SOFTGPU_APERTURE_BASE + table[i].to, SOFTGPU_APERTURE_BASE + table[i].from,
                 table[i].size);
        mock_execute(mock, SOFTGPU_ENGINE_COPY, 0);
        aperture_read(mock, 0, seen, pages);
        assert_memory_equal(seen, expected, pages * 4096);
    }
    free(expected);
    free(seen);
}

/* Both directions, list inline and in memory, and a beginning inside of a page. */
static void copy_pages_follows_the_list(void **state)
{
    struct mock *mock = *state;
    const uint32_t size = 600 * 4096 + 77, first_byte = 123, page_count = 601;
    const uint64_t list_place = MOCK_RAM_BASE + 0x600000;
    uint8_t *expected = malloc(size), *seen = malloc(page_count * 4096);
    uint64_t frames[601];
    for (uint32_t i = 0; i < page_count; i++)
        frames[i] = shuffled_frame(i);
    memcpy(mock_ram(mock, list_place), frames, sizeof(frames));
    for (unsigned way = 0; way < 4; way++) {
        bool indirect = way & 1, to_list = way & 2;
        for (uint32_t i = 0; i < page_count; i++)
            randomise(shuffled_page(mock, i), 4096, i + way);
        randomise(mock->vram, size, way + 99);
        struct softgpu_command_copy_pages copy = {
            .header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES,
                                      sizeof(copy) / 4 + (indirect ? 0 : page_count * 2)),
            .flags = (indirect ? SOFTGPU_PAGES_INDIRECT : 0) |
                     (to_list ? SOFTGPU_PAGES_TO_LIST : 0),
            .address = gpu_address(0),
            .size_low = size,
            .first_byte = first_byte,
            .page_count = page_count,
            .list_address = gpu_address(indirect ? SOFTGPU_SYSTEM_BASE + list_place : 0),
        };
        mock_command(mock, &copy, sizeof(copy));
        if (!indirect)
            mock_command(mock, frames, sizeof(frames));
        if (to_list)
            memcpy(expected, mock->vram, size);
        aperture_read(mock, 0, seen, page_count);
        if (!to_list)
            memcpy(expected, seen + first_byte, size);
        uint8_t before = seen[first_byte - 1], after = seen[first_byte + size];
        mock_execute(mock, SOFTGPU_ENGINE_COPY, FLAG_P);
        aperture_read(mock, 0, seen, page_count);
        assert_memory_equal(to_list ? seen + first_byte : mock->vram, expected, size);
        assert_int_equal(seen[first_byte - 1], before);
        assert_int_equal(seen[first_byte + size], after);
    }
    free(expected);
    free(seen);
}

static void aperture_maps_unmaps_and_has_a_dummy_page(void **state)
{
    struct mock *mock = *state;
    uint64_t dummy = PAGES + 0x7FF000;
    map_aperture(mock, 100, 5, 2);
    memset(shuffled_page(mock, 5), 0xA5, 4096);
    put_copy(mock, 0, SOFTGPU_APERTURE_BASE + 100 * 4096, 16);
    mock_execute(mock, SOFTGPU_ENGINE_COMPUTE, 0);
    assert_int_equal(mock->vram[15], 0xA5);

    struct softgpu_command_map_aperture unmap = {
        .header = HEADER(SOFTGPU_OP_MAP_APERTURE, unmap),
        .flags = SOFTGPU_MAP_REPEAT,
        .first_page = 100,
        .page_count = 1,
        .list_address = gpu_address(dummy),
    };
    mock_command(mock, &unmap, sizeof(unmap));
    unmap.flags = SOFTGPU_MAP_INVALID;
    unmap.first_page = 101;
    mock_command(mock, &unmap, sizeof(unmap));
    put_copy(mock, SOFTGPU_APERTURE_BASE + 100 * 4096, 0, 16);
    mock_execute(mock, SOFTGPU_ENGINE_COPY, FLAG_P);
    assert_int_equal(*(uint8_t *)mock_ram(mock, dummy), 0xA5);

    mock_write64(mock, SOFTGPU_REG_APERTURE_DUMMY, dummy);
    put_copy(mock, SOFTGPU_APERTURE_BASE + 101 * 4096 + 100, 0, 16);
    mock_execute(mock, SOFTGPU_ENGINE_COPY, 0);
    assert_int_equal(*((uint8_t *)mock_ram(mock, dummy) + 100), 0xA5);

    mock_write64(mock, SOFTGPU_REG_APERTURE_DUMMY, 0);
    put_copy(mock, SOFTGPU_APERTURE_BASE + 101 * 4096, 0, 16);
    mock_submit(mock, SOFTGPU_ENGINE_COPY, 0, 1000);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_REASON)),
                     SOFTGPU_FAULT_PAGE);
    assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_ADDRESS)), 101 * 4096);
}

static void read_only_pages_are_not_written(void **state)
{
    struct mock *mock = *state;
    uint64_t entry = shuffled_frame(0) << 12 | SOFTGPU_PTE_VALID | SOFTGPU_PTE_READ_ONLY;
    memcpy(mock->vram + TABLE, &entry, sizeof(entry)); /* by the CPU, through the BAR */
    put_copy(mock, 0, SOFTGPU_APERTURE_BASE, 64);
    mock_execute(mock, 1, 0);
    put_copy(mock, SOFTGPU_APERTURE_BASE, 0, 64);
    mock_submit(mock, 1, 0, 1000);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_REASON)),
                     SOFTGPU_FAULT_READ_ONLY);
}

/* ---- Synchronisation ---- */

static void engines_wait_for_each_other(void **state)
{
    struct mock *mock = *state;
    struct softgpu_command_wait wait = {
        .header = HEADER(SOFTGPU_OP_WAIT, wait),
        .condition = SOFTGPU_WAIT_AT_LEAST | SOFTGPU_WAIT_64,
        .address = gpu_address(0x1000),
        .value_low = 0,
        .value_high = 2,
    };
    struct softgpu_command_address stamp = { HEADER(SOFTGPU_OP_TIMESTAMP, stamp),
                                             gpu_address(0x2000) };
    struct softgpu_command_delay delay = { HEADER(SOFTGPU_OP_DELAY, delay), 3000000 };
    struct softgpu_command_write write = {
        .header = HEADER(SOFTGPU_OP_WRITE, write),
        .flags = SOFTGPU_WRITE_64,
        .address = gpu_address(0x1000),
        .value_low = 1,
        .value_high = 2,
    };
    mock_command(mock, &wait, sizeof(wait));
    mock_command(mock, &stamp, sizeof(stamp));
    mock_submit(mock, 0, 0, 1);
    mock_command(mock, &delay, sizeof(delay));
    mock_command(mock, &write, sizeof(write));
    mock_submit(mock, 1, 0, 1);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 1);
    uint64_t time;
    memcpy(&time, mock->vram + 0x2000, 8);
    assert_in_range(time, 3000000, 3200000);
}

static void fence_command_writes_at_its_place(void **state)
{
    struct mock *mock = *state;
    struct softgpu_command_fence fence = { HEADER(SOFTGPU_OP_FENCE, fence),
                                           SOFTGPU_FENCE_INTERRUPT, 55, 0 };
    struct softgpu_command_delay delay = { HEADER(SOFTGPU_OP_DELAY, delay), 1000000 };
    mock_command(mock, &fence, sizeof(fence));
    mock_command(mock, &delay, sizeof(delay));
    mock_submit(mock, 0, FLAG_P, 56);
    mock_run(mock, 10000);
    assert_int_equal(mock_fence(mock, 0), 55);
    assert_true(mock->line[0]);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 56);
}

/* ---- Compute ---- */

static void compute(struct mock *mock, uint32_t kernel, uint32_t count, uint32_t scalar)
{
    struct softgpu_command_compute operand = {
        HEADER(SOFTGPU_OP_COMPUTE, operand), kernel,           count, scalar,
        gpu_address(0x800000),               gpu_address(0),   gpu_address(0x400000),
    };
    mock_command(mock, &operand, sizeof(operand));
    mock_execute(mock, SOFTGPU_ENGINE_COMPUTE, 0);
}

static void kernels_compute(void **state)
{
    struct mock *mock = *state;
    const uint32_t count = 200001;
    randomise(mock->vram, 8 << 20, 3);
    const uint32_t *a = (const uint32_t *)mock->vram;
    const uint32_t *b = (const uint32_t *)(mock->vram + 0x400000);
    const uint32_t *result = (const uint32_t *)(mock->vram + 0x800000);
    compute(mock, SOFTGPU_KERNEL_ADD, count, 0);
    for (uint32_t i = 0; i < count; i++)
        assert_true(result[i] == a[i] + b[i]);
    compute(mock, SOFTGPU_KERNEL_MAD, count, 77);
    for (uint32_t i = 0; i < count; i++)
        assert_true(result[i] == a[i] * 77 + b[i]);
    uint32_t sum = 5, hash = 0x811C9DC5u;
    for (uint32_t i = 0; i < count; i++)
        sum += a[i];
    for (uint32_t i = 0; i < count * 4; i++)
        hash = (hash ^ mock->vram[i]) * 0x01000193u;
    compute(mock, SOFTGPU_KERNEL_SUM, count, 5);
    assert_int_equal(result[0], sum);
    compute(mock, SOFTGPU_KERNEL_HASH, count, 0);
    assert_int_equal(result[0], hash);
    compute(mock, SOFTGPU_KERNEL_IOTA, count, 9);
    assert_int_equal(result[count - 1], count + 8);
}

/* ---- Pictures: each is done with surfaces in video memory and in scattered pages ---- */

#define WIDTH  640u
#define HEIGHT 480u
#define PITCH  (WIDTH * 4 + 64)
#define PICTURE_PAGES ((PITCH * HEIGHT + 4095) / 4096)

struct pictures {
    uint64_t to, from;        /* GPU addresses */
    bool to_scattered, from_scattered;
    uint8_t *before, *source, *expected, *seen;
};

static void pictures_make(struct mock *mock, struct pictures *pictures, unsigned variant)
{
    size_t size = PICTURE_PAGES * 4096ull;
    pictures->before = malloc(size);
    pictures->source = malloc(size);
    pictures->expected = malloc(size);
    pictures->seen = malloc(size);
    pictures->to_scattered = variant & 1;
    pictures->from_scattered = variant & 2;
    pictures->to = pictures->to_scattered ? SOFTGPU_APERTURE_BASE : 0;
    pictures->from = pictures->from_scattered ? SOFTGPU_APERTURE_BASE + PICTURE_PAGES * 4096ull
                                              : 0x400000;
    randomise(pictures->before, size, variant + 1);
    randomise(pictures->source, size, variant + 100);
    map_aperture(mock, 0, 0, PICTURE_PAGES);
    map_aperture(mock, PICTURE_PAGES, 500, PICTURE_PAGES);
    aperture_write(mock, 0, pictures->before, PICTURE_PAGES);
    aperture_write(mock, 500, pictures->source, PICTURE_PAGES);
    memcpy(mock->vram, pictures->before, size);
    memcpy(mock->vram + 0x400000, pictures->source, size);
    memcpy(pictures->expected, pictures->before, size);
}

static void pictures_check(struct mock *mock, struct pictures *pictures)
{
    size_t size = PICTURE_PAGES * 4096ull;
    mock_execute(mock, SOFTGPU_ENGINE_3D, 0);
    if (pictures->to_scattered)
        aperture_read(mock, 0, pictures->seen, PICTURE_PAGES);
    else
        memcpy(pictures->seen, mock->vram, size);
    for (size_t i = 0; i < size; i++)
        if (pictures->seen[i] != pictures->expected[i])
            fail_msg("x %zu y %zu byte %zu: %02x, not %02x", i % PITCH / 4, i / PITCH, i % 4,
                     pictures->seen[i], pictures->expected[i]);
    free(pictures->before);
    free(pictures->source);
    free(pictures->expected);
    free(pictures->seen);
}

static uint32_t get(const uint8_t *picture, uint32_t x, uint32_t y)
{
    uint32_t value;
    memcpy(&value, picture + (size_t)y * PITCH + (size_t)x * 4, 4);
    return value;
}

static void set(uint8_t *picture, uint32_t x, uint32_t y, uint32_t value)
{
    memcpy(picture + (size_t)y * PITCH + (size_t)x * 4, &value, 4);
}

static struct softgpu_surface surface32(uint64_t address, uint32_t format)
{
    return gpu_surface(address, PITCH, format, WIDTH, HEIGHT);
}

static void fill_rect_fills_the_rectangle(void **state)
{
    for (unsigned variant = 0; variant < 2; variant++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, variant);
        struct softgpu_command_fill_rect fill = {
            HEADER(SOFTGPU_OP_FILL_RECT, fill), 0x00123456,
            surface32(pictures.to, SOFTGPU_FORMAT_BGRX8), { 3, 5, 600, 470 },
        };
        mock_command(*state, &fill, sizeof(fill));
        for (uint32_t y = 5; y < 470; y++)
            for (uint32_t x = 3; x < 600; x++)
                set(pictures.expected, x, y, 0xFF123456);
        pictures_check(*state, &pictures);
    }
}

static uint32_t blt_reference(const struct softgpu_command_blt *blt, uint32_t source,
                              uint32_t destination)
{
    uint32_t from_format = blt->source.format, to_format = blt->destination.format;
    if ((blt->flags & SOFTGPU_BLT_SOURCE_KEY) && (source & 0xFFFFFF) == blt->key)
        return destination;
    if ((blt->flags & SOFTGPU_BLT_DESTINATION_KEY) && (destination & 0xFFFFFF) != blt->key)
        return destination;
    if (from_format == to_format)
        return source;
    if (from_format == SOFTGPU_FORMAT_RGBA8 || to_format == SOFTGPU_FORMAT_RGBA8)
        source = (source & 0xFF00FF00) | (source & 0xFF) << 16 | (source >> 16 & 0xFF);
    if (from_format == SOFTGPU_FORMAT_BGRX8 || to_format == SOFTGPU_FORMAT_BGRX8)
        source |= 0xFF000000;
    return source;
}

static void blt_copies_converts_and_keys(void **state)
{
    static const struct {
        uint32_t flags, to_format, from_format;
    } table[] = {
        { 0, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRX8 },
        { 0, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRA8 },
        { 0, SOFTGPU_FORMAT_RGBA8, SOFTGPU_FORMAT_BGRX8 },
        { SOFTGPU_BLT_SOURCE_KEY, SOFTGPU_FORMAT_BGRA8, SOFTGPU_FORMAT_BGRA8 },
        { SOFTGPU_BLT_SOURCE_KEY, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRA8 },
        { SOFTGPU_BLT_DESTINATION_KEY, SOFTGPU_FORMAT_BGRX8, SOFTGPU_FORMAT_BGRX8 },
    };
    for (unsigned i = 0; i < 4 * sizeof(table) / sizeof(table[0]); i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_blt blt = {
            HEADER(SOFTGPU_OP_BLT, blt),
            table[i / 4].flags,
            0x030201,
            surface32(pictures.to, table[i / 4].to_format),
            surface32(pictures.from, table[i / 4].from_format),
            17,
            1,
            { 2, 9, 603, 480 },
        };
        struct mock *mock = *state;
        for (uint32_t k = 0; k < 300; k++) { /* some pixels have the key */
            set(pictures.expected, k * 2, k, 0x77030201);
            set(pictures.source, k, k, 0x99030201);
        }
        size_t size = PICTURE_PAGES * 4096ull;
        aperture_write(mock, 0, pictures.expected, PICTURE_PAGES);
        aperture_write(mock, 500, pictures.source, PICTURE_PAGES);
        memcpy(mock->vram, pictures.expected, size);
        memcpy(mock->vram + 0x400000, pictures.source, size);
        mock_command(mock, &blt, sizeof(blt));
        for (uint32_t y = 0; y < 471; y++)
            for (uint32_t x = 0; x < 601; x++)
                set(pictures.expected, x + 17, y + 1,
                    blt_reference(&blt, get(pictures.source, x + 2, y + 9),
                                  get(pictures.expected, x + 17, y + 1)));
        pictures_check(mock, &pictures);
    }
}

static void blt_within_a_surface_may_overlap(void **state)
{
    static const int moves[][2] = { { 1, 0 }, { 0, 1 }, { -1, 0 }, { 0, -1 }, { 7, -3 }, { -7, 3 },
                                    { 5, 5 }, { -5, -5 } };
    for (unsigned i = 0; i < 16; i++) {
        int dx = moves[i / 2][0], dy = moves[i / 2][1];
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 2);
        struct softgpu_command_blt blt = {
            .header = HEADER(SOFTGPU_OP_BLT, blt),
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .x = 10 + dx,
            .y = 10 + dy,
            .source_rect = { 10, 10, 630, 470 },
        };
        mock_command(*state, &blt, sizeof(blt));
        for (uint32_t y = 10; y < 470; y++)
            for (uint32_t x = 10; x < 630; x++)
                set(pictures.expected, x + (uint32_t)dx, y + (uint32_t)dy,
                    get(pictures.before, x, y));
        pictures_check(*state, &pictures);
    }
}

static void blt_converts_565_as_pixman_does(void **state)
{
    struct mock *mock = *state;
    randomise(mock->vram, 64 * 64 * 4, 5);
    uint32_t *expected = calloc(64 * 64, 4);
    struct softgpu_command_blt blt = {
        .header = HEADER(SOFTGPU_OP_BLT, blt),
        .destination = gpu_surface(0x100000, 64 * 2, SOFTGPU_FORMAT_RGB565, 64, 64),
        .source = gpu_surface(0, 64 * 4, SOFTGPU_FORMAT_BGRX8, 64, 64),
        .source_rect = { 0, 0, 64, 64 },
    };
    mock_command(mock, &blt, sizeof(blt));
    blt.source = blt.destination;
    blt.destination = gpu_surface(0x200000, 64 * 4, SOFTGPU_FORMAT_BGRA8, 64, 64);
    mock_command(mock, &blt, sizeof(blt));
    mock_execute(mock, 0, 0);

    pixman_image_t *source = pixman_image_create_bits(PIXMAN_x8r8g8b8, 64, 64,
                                                      (uint32_t *)mock->vram, 256);
    pixman_image_t *narrow = pixman_image_create_bits(PIXMAN_r5g6b5, 64, 64, NULL, 128);
    pixman_image_t *wide = pixman_image_create_bits(PIXMAN_a8r8g8b8, 64, 64, expected, 256);
    pixman_image_composite32(PIXMAN_OP_SRC, source, NULL, narrow, 0, 0, 0, 0, 0, 0, 64, 64);
    pixman_image_composite32(PIXMAN_OP_SRC, narrow, NULL, wide, 0, 0, 0, 0, 0, 0, 64, 64);
    assert_memory_equal(mock->vram + 0x100000, pixman_image_get_data(narrow), 64 * 64 * 2);
    assert_memory_equal(mock->vram + 0x200000, expected, 64 * 64 * 4);
    pixman_image_unref(source);
    pixman_image_unref(narrow);
    pixman_image_unref(wide);
    free(expected);
}

static pixman_image_t *image_of(uint8_t *picture, pixman_format_code_t format)
{
    return pixman_image_create_bits(format, WIDTH, HEIGHT, (uint32_t *)picture, PITCH);
}

static void over_is_pixman_over(void **state)
{
    static const uint32_t opacities[] = { 255, 200, 0 };
    for (unsigned i = 0; i < 12; i++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        uint32_t opacity = opacities[i / 4];
        struct softgpu_command_over over = {
            .header = HEADER(SOFTGPU_OP_OVER, over),
            .opacity = opacity,
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            .x = 7,
            .y = 3,
            .source_rect = { 11, 13, 611, 413 },
        };
        mock_command(*state, &over, sizeof(over));
        pixman_color_t colour = { .alpha = (uint16_t)(opacity * 257) };
        pixman_image_t *mask = pixman_image_create_solid_fill(&colour);
        pixman_image_t *from = image_of(pictures.source, PIXMAN_a8r8g8b8);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_image_composite32(PIXMAN_OP_OVER, from, mask, to, 11, 13, 0, 0, 7, 3, 600, 400);
        pixman_image_unref(mask);
        pixman_image_unref(from);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

struct stretch_case {
    struct softgpu_rect source, destination, clip;
    uint32_t flags;
};

static void stretch_is_pixman_scaling(void **state)
{
    static const struct stretch_case table[] = {
        { { 0, 0, 640, 480 }, { 0, 0, 640, 480 }, { 0, 0, 640, 480 }, 0 },
        { { 10, 20, 110, 90 }, { 5, 6, 205, 146 }, { 0, 0, 640, 480 }, 0 },
        { { 10, 20, 310, 290 }, { 5, 6, 215, 195 }, { 0, 0, 640, 480 }, 0 },
        { { 3, 4, 50, 60 }, { -100, -50, 700, 600 }, { 33, 44, 555, 666 }, 0 },
        { { 0, 0, 1, 1 }, { 0, 0, 640, 480 }, { 10, 10, 20, 20 }, 0 },
        { { 0, 0, 640, 480 }, { 0, 0, 1, 1 }, { 0, 0, 640, 480 }, 0 },
        { { 10, 20, 110, 90 }, { 5, 6, 205, 146 }, { 0, 0, 640, 480 }, 1 },
        { { 10, 20, 310, 290 }, { 5, 6, 215, 195 }, { 0, 0, 640, 480 }, 1 },
        { { 3, 4, 50, 60 }, { -100, -50, 700, 600 }, { 33, 44, 555, 666 }, 1 },
        { { 0, 0, 640, 480 }, { 0, 0, 333, 77 }, { 0, 0, 640, 480 }, 1 },
        { { 0, 0, 2, 2 }, { 0, 0, 640, 480 }, { 0, 0, 640, 480 }, 1 },
    };
    for (unsigned i = 0; i < 4 * sizeof(table) / sizeof(table[0]); i++) {
        const struct stretch_case *row = &table[i / 4];
        const struct softgpu_rect *s = &row->source, *d = &row->destination, *c = &row->clip;
        struct pictures pictures;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_stretch stretch = {
            HEADER(SOFTGPU_OP_STRETCH, stretch), row->flags,
            surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            surface32(pictures.from, SOFTGPU_FORMAT_BGRA8), *d, *s, *c,
        };
        mock_command(*state, &stretch, sizeof(stretch));
        pixman_image_t *from = pixman_image_create_bits(
            PIXMAN_a8r8g8b8, s->right - s->left, s->bottom - s->top,
            (uint32_t *)(pictures.source + (size_t)s->top * PITCH + (size_t)s->left * 4), PITCH);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_transform_t transform;
        pixman_transform_init_scale(&transform,
                                    (pixman_fixed_t)(((int64_t)(s->right - s->left) << 16) /
                                                     (d->right - d->left)),
                                    (pixman_fixed_t)(((int64_t)(s->bottom - s->top) << 16) /
                                                     (d->bottom - d->top)));
        pixman_image_set_transform(from, &transform);
        pixman_image_set_filter(from, row->flags ? PIXMAN_FILTER_BILINEAR : PIXMAN_FILTER_NEAREST,
                                NULL, 0);
        pixman_image_set_repeat(from, PIXMAN_REPEAT_PAD);
        pixman_region32_t region;
        pixman_region32_init_rect(&region, c->left, c->top, (unsigned)(c->right - c->left),
                                  (unsigned)(c->bottom - c->top));
        pixman_image_set_clip_region32(to, &region);
        pixman_image_composite32(PIXMAN_OP_SRC, from, NULL, to, 0, 0, 0, 0, d->left, d->top,
                                 d->right - d->left, d->bottom - d->top);
        pixman_region32_fini(&region);
        pixman_image_unref(from);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

static void rotate_turns_clockwise(void **state)
{
    for (unsigned i = 0; i < 16; i++) {
        struct pictures pictures;
        unsigned turns = i / 4;
        const uint32_t w = 301, h = 407;
        pictures_make(*state, &pictures, i % 4);
        struct softgpu_command_rotate rotate = {
            .header = HEADER(SOFTGPU_OP_ROTATE, rotate),
            .quarter_turns = turns,
            .destination = surface32(pictures.to, SOFTGPU_FORMAT_BGRA8),
            .source = surface32(pictures.from, SOFTGPU_FORMAT_BGRA8),
            .x = 2,
            .y = 1,
            .source_rect = { 5, 6, 5 + (int)w, 6 + (int)h },
        };
        mock_command(*state, &rotate, sizeof(rotate));
        for (uint32_t y = 0; y < h; y++) {
            for (uint32_t x = 0; x < w; x++) {
                uint32_t to_x = turns == 0 ? x : turns == 1 ? h - 1 - y : turns == 2 ? w - 1 - x : y;
                uint32_t to_y = turns == 0 ? y : turns == 1 ? x : turns == 2 ? h - 1 - y : w - 1 - x;
                set(pictures.expected, to_x + 2, to_y + 1, get(pictures.source, x + 5, y + 6));
            }
        }
        pictures_check(*state, &pictures);
    }
}

/* ---- Triangles ---- */

static void put_triangles(struct mock *mock, uint64_t to, uint32_t flags,
                          const struct softgpu_vertex *vertices, uint32_t count)
{
    struct softgpu_command_triangles triangles = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_TRIANGLES, sizeof(triangles) / 4 + count * 9),
        .flags = flags,
        .destination = surface32(to, SOFTGPU_FORMAT_BGRA8),
        .clip = { -5, -5, 1000, 1000 },
        .triangle_count = count,
    };
    mock_command(mock, &triangles, sizeof(triangles));
    mock_command(mock, vertices, count * 3 * sizeof(*vertices));
}

/* Two triangles with a common edge cover every pixel of a rectangle once: blending shows it. */
static void triangles_that_share_an_edge_cover_once(void **state)
{
    for (unsigned variant = 0; variant < 2; variant++) {
        struct pictures pictures;
        pictures_make(*state, &pictures, variant);
        const uint32_t colour = 0x80402010;
        const struct softgpu_vertex v[6] = {
            { 160, 160, colour }, { 4000, 160, 0 }, { 4000, 3200, 0 },
            { 160, 160, colour }, { 160, 3200, 0 }, { 4000, 3200, 0 },
        };
        put_triangles(*state, pictures.to, SOFTGPU_TRIANGLES_BLEND, v, 2);
        pixman_color_t pixman_colour = { 0x4040, 0x2020, 0x1010, 0x8080 };
        pixman_image_t *solid = pixman_image_create_solid_fill(&pixman_colour);
        pixman_image_t *to = image_of(pictures.expected, PIXMAN_a8r8g8b8);
        pixman_image_composite32(PIXMAN_OP_OVER, solid, NULL, to, 0, 0, 0, 0, 10, 10, 240, 190);
        pixman_image_unref(solid);
        pixman_image_unref(to);
        pictures_check(*state, &pictures);
    }
}

static int64_t side(const struct softgpu_vertex *a, const struct softgpu_vertex *b, int64_t x,
                    int64_t y)
{
    return (int64_t)(b->x - a->x) * (y - a->y) - (int64_t)(b->y - a->y) * (x - a->x);
}

/* Every pixel whose centre is strictly inside is drawn, none whose centre is strictly outside. */
static void triangles_cover_their_inside(void **state)
{
    struct mock *mock = *state;
    uint64_t seed = 42;
    for (unsigned round = 0; round < 60; round++) {
        struct softgpu_vertex v[3];
        memset(mock->vram, 0, PITCH * HEIGHT);
        for (unsigned i = 0; i < 3; i++) {
            v[i].x = (int)(next_random(&seed) % (round < 30 ? 2000 : 14000)) - 700;
            v[i].y = (int)(next_random(&seed) % (round < 30 ? 2000 : 12000)) - 700;
            v[i].colour = 0xFF00FF00;
        }
        put_triangles(mock, 0, SOFTGPU_TRIANGLES_GOURAUD, v, 1);
        mock_execute(mock, 0, 0);
        int64_t area = side(&v[0], &v[1], v[2].x, v[2].y);
        for (uint32_t y = 0; y < HEIGHT; y++) {
            for (uint32_t x = 0; x < WIDTH; x++) {
                int inside = 0, outside = 0;
                for (unsigned i = 0; i < 3; i++) {
                    int64_t s = side(&v[i], &v[(i + 1) % 3], x * 16 + 8, y * 16 + 8);
                    s = area < 0 ? -s : s;
                    inside += s > 0;
                    outside += s < 0;
                }
                uint32_t pixel = get(mock->vram, x, y);
                if (inside == 3 && area)
                    assert_int_equal(pixel, 0xFF00FF00);
                else if (outside || !area)
                    assert_int_equal(pixel, 0);
            }
        }
    }
}

static void gouraud_colours_run_from_corner_to_corner(void **state)
{
    struct mock *mock = *state;
    const struct softgpu_vertex v[3] = { { 0, 0, 0xFF000000 }, { 4096, 0, 0xFF0000FF },
                                         { 0, 4096, 0xFFFF0000 } };
    put_triangles(mock, 0, SOFTGPU_TRIANGLES_GOURAUD, v, 1);
    mock_execute(mock, 0, 0);
    for (uint32_t x = 0; x < 255; x++) {
        uint32_t pixel = get(mock->vram, x, 0);
        assert_in_range(pixel & 0xFF, x ? x - 1 : 0, x + 1);
        assert_int_equal(pixel >> 24, 0xFF);
        pixel = get(mock->vram, 0, x);
        assert_in_range(pixel >> 16 & 0xFF, x ? x - 1 : 0, x + 1);
    }
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(fill_sets_every_byte_and_no_other),
        TEST(copy_is_memmove),
        TEST(copy_within_the_aperture_is_memmove),
        TEST(copy_pages_follows_the_list),
        TEST(aperture_maps_unmaps_and_has_a_dummy_page),
        TEST(read_only_pages_are_not_written),
        TEST(engines_wait_for_each_other),
        TEST(fence_command_writes_at_its_place),
        TEST(kernels_compute),
        TEST(fill_rect_fills_the_rectangle),
        TEST(blt_copies_converts_and_keys),
        TEST(blt_within_a_surface_may_overlap),
        TEST(blt_converts_565_as_pixman_does),
        TEST(over_is_pixman_over),
        TEST(stretch_is_pixman_scaling),
        TEST(rotate_turns_clockwise),
        TEST(triangles_that_share_an_edge_cover_once),
        TEST(triangles_cover_their_inside),
        TEST(gouraud_colours_run_from_corner_to_corner),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
