/* commands_test.c: linear memory, aperture, synchronisation and compute, against plain references.
 */
#include "scatter.h"

#include <stdlib.h>

#define FLAG_P SOFTGPU_PACKET_FLAG_PRIVILEGED

/* ---- Linear ---- */

static void fill_sets_every_byte_and_no_other(void **state)
{
    static const uint32_t sizes[] = {1, 3, 4, 63, 4096, 4099, 100001, 3 << 20};
    struct mock *mock = *state;
    uint8_t pattern[4];
    for (unsigned i = 0; i < 8; i++) {
        uint32_t value = i % 2 ? 0x04030201u + i : 0x5A5A5A5A, size = sizes[i], begin = 4096 + i;
        memcpy(pattern, &value, 4);
        memset(mock->vram, 0xCC, 4 << 20);
        struct softgpu_command_fill fill = {HEADER(SOFTGPU_OP_FILL, fill), value,
                                            gpu_address(begin), size, 0};
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
        {0, 0x400000, 3 << 20},
        {5, 0x400003, 2500001},
        {0, 100, 2 << 20},
        {100, 0, 2 << 20},
        {4096, 0, 5 << 20},
        {0x200000, 0x200000, 4096},
        {0x300000, 0x2FFFFF, 1 << 20},
        {1, 0, 1},
    };
    struct mock *mock = *state;
    uint8_t *expected = malloc(8 << 20);
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        scatter_randomise(mock->vram, 8 << 20, i);
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
    } table[] = {{0, 100, 1500000}, {100, 0, 1500000}, {8192, 4096, 1200000}, {4097, 4096, 4096}};
    struct mock *mock = *state;
    const uint32_t pages = 400;
    uint8_t *expected = malloc(pages * 4096), *seen = malloc(pages * 4096);
    scatter_map(mock, 0, 0, pages);
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        scatter_randomise(expected, pages * 4096, i);
        scatter_write(mock, 0, expected, pages);
        memmove(expected + table[i].to, expected + table[i].from, table[i].size);
        put_copy(mock, SOFTGPU_APERTURE_BASE + table[i].to, SOFTGPU_APERTURE_BASE + table[i].from,
                 table[i].size);
        mock_execute(mock, SOFTGPU_ENGINE_COPY, 0);
        scatter_read(mock, 0, seen, pages);
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
        frames[i] = scatter_frame(i);
    memcpy(mock_ram(mock, list_place), frames, sizeof(frames));
    for (unsigned way = 0; way < 4; way++) {
        bool indirect = way & 1, to_list = way & 2;
        for (uint32_t i = 0; i < page_count; i++)
            scatter_randomise(scatter_page(mock, i), 4096, i + way);
        scatter_randomise(mock->vram, size, way + 99);
        struct softgpu_command_copy_pages copy = {
            .header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES,
                                      sizeof(copy) / 4 + (indirect ? 0 : page_count * 2)),
            .flags =
                (indirect ? SOFTGPU_PAGES_INDIRECT : 0) | (to_list ? SOFTGPU_PAGES_TO_LIST : 0),
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
        scatter_read(mock, 0, seen, page_count);
        if (!to_list)
            memcpy(expected, seen + first_byte, size);
        uint8_t before = seen[first_byte - 1], after = seen[first_byte + size];
        mock_execute(mock, SOFTGPU_ENGINE_COPY, FLAG_P);
        scatter_read(mock, 0, seen, page_count);
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
    uint64_t dummy = SCATTER_PAGES + 0x7FF000;
    scatter_map(mock, 100, 5, 2);
    memset(scatter_page(mock, 5), 0xA5, 4096);
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
    uint64_t entry = scatter_frame(0) << 12 | SOFTGPU_PTE_VALID | SOFTGPU_PTE_READ_ONLY;
    memcpy(mock->vram + SCATTER_TABLE, &entry, sizeof(entry)); /* by the CPU, through the BAR */
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
    struct softgpu_command_address stamp = {HEADER(SOFTGPU_OP_TIMESTAMP, stamp),
                                            gpu_address(0x2000)};
    struct softgpu_command_delay delay = {HEADER(SOFTGPU_OP_DELAY, delay), 3000000};
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
    struct softgpu_command_fence fence = {HEADER(SOFTGPU_OP_FENCE, fence), SOFTGPU_FENCE_INTERRUPT,
                                          55, 0};
    struct softgpu_command_delay delay = {HEADER(SOFTGPU_OP_DELAY, delay), 1000000};
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
        HEADER(SOFTGPU_OP_COMPUTE, operand),
        kernel,
        count,
        scalar,
        gpu_address(0x800000),
        gpu_address(0),
        gpu_address(0x400000),
    };
    mock_command(mock, &operand, sizeof(operand));
    mock_execute(mock, SOFTGPU_ENGINE_COMPUTE, 0);
}

static void kernels_compute(void **state)
{
    struct mock *mock = *state;
    const uint32_t count = 200001;
    scatter_randomise(mock->vram, 8 << 20, 3);
    const uint32_t *a = (const void *)mock->vram;
    const uint32_t *b = (const void *)(mock->vram + 0x400000);
    const uint32_t *result = (const void *)(mock->vram + 0x800000);
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

#define TEST(name) cmocka_unit_test_setup_teardown(name, scatter_setup, scatter_teardown)

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
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
