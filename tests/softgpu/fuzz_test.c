/* fuzz_test.c: command buffers, packets and registers of a hostile driver; nothing may crash.
 *
 * Words are random, but most commands get a plausible header and plausible addresses, so that they
 * come past the first checks. Run under the sanitizers this is where it pays. The seed is printed,
 * and may be given as the first argument. */
#include "mock.h"

#include <stdlib.h>

static uint64_t seed = 20250101;

static const struct {
    uint32_t opcode, words;
} commands[] = {
    {SOFTGPU_OP_NOP, 1},        {SOFTGPU_OP_WRITE, 6},       {SOFTGPU_OP_WAIT, 6},
    {SOFTGPU_OP_TIMESTAMP, 3},  {SOFTGPU_OP_FENCE, 4},       {SOFTGPU_OP_INTERRUPT, 1},
    {SOFTGPU_OP_DELAY, 2},      {SOFTGPU_OP_HANG, 1},        {SOFTGPU_OP_FILL, 6},
    {SOFTGPU_OP_COPY, 8},       {SOFTGPU_OP_COPY_PAGES, 10}, {SOFTGPU_OP_MAP_APERTURE, 6},
    {SOFTGPU_OP_FILL_RECT, 12}, {SOFTGPU_OP_BLT, 21},        {SOFTGPU_OP_STRETCH, 26},
    {SOFTGPU_OP_ROTATE, 20},    {SOFTGPU_OP_OVER, 20},       {SOFTGPU_OP_TRIANGLES, 13},
    {SOFTGPU_OP_FLIP, 8},       {SOFTGPU_OP_COMPUTE, 10},    {SOFTGPU_OP_FENCE64, 6},
    {SOFTGPU_OP_WRITE_PTE, 6},  {SOFTGPU_OP_COPY_PTE, 7},    {SOFTGPU_OP_FLUSH_TLB, 7},
    {SOFTGPU_OP_COMBINE, 31},
};

/* A word as a driver's mistake, or its malice, would have it. */
static uint32_t hostile_word(uint64_t *state)
{
    static const uint32_t edges[] = {0,          1,          2,        3,          4,
                                     255,        256,        4095,     4096,       0xFFFF,
                                     0x10000,    0x3FFFFC,   0x400000, 0x7FFFFFFF, 0x80000000,
                                     0xFFFFFFFF, 0xFFFFFFFC, 16384,    16385,      32767};
    switch (next_random(state) % 8) {
    case 0:
        return next_random(state);
    case 1:
        return edges[next_random(state) % (sizeof(edges) / sizeof(edges[0]))];
    case 2:
        return next_random(state) & 0x3FFFFC; /* an offset in video memory */
    case 3:
        return (next_random(state) % 200) * 4;
    case 4:
        return 1;
    default:
        return next_random(state) % 64;
    }
}

static void put_surface(uint32_t *words, uint64_t *state)
{
    uint32_t width = next_random(state) % 100 + 1, height = next_random(state) % 100 + 1;
    words[0] = next_random(state) & 0x3FFFFC;
    words[1] = next_random(state) % 4 == 0; /* in the aperture */
    words[2] = (width + next_random(state) % 8) * 4;
    words[3] = next_random(state) % 8 ? 1 + next_random(state) % 2 : next_random(state) % 6;
    words[4] = width;
    words[5] = height;
}

static void put_rect(uint32_t *words, uint64_t *state)
{
    words[0] = next_random(state) % 20;
    words[1] = next_random(state) % 20;
    words[2] = words[0] + next_random(state) % 40;
    words[3] = words[1] + next_random(state) % 40;
}

/* Where a command's fields lie, in words; 0: it has none. */
struct layout {
    uint32_t surface_a, surface_b, rect_a, rect_b, rect_c, list_count, list_words;
};

static struct layout layout_of(uint32_t opcode)
{
    switch (opcode) {
    case SOFTGPU_OP_FILL_RECT:
        return (struct layout){.surface_a = 2, .rect_a = 8};
    case SOFTGPU_OP_BLT:
        return (struct layout){.surface_a = 3, .surface_b = 9, .rect_a = 17};
    case SOFTGPU_OP_STRETCH:
        return (struct layout){
            .surface_a = 2, .surface_b = 8, .rect_a = 14, .rect_b = 18, .rect_c = 22};
    case SOFTGPU_OP_COMBINE:
        return (struct layout){
            .surface_a = 5, .surface_b = 11, .rect_a = 19, .rect_b = 23, .rect_c = 27};
    case SOFTGPU_OP_ROTATE:
    case SOFTGPU_OP_OVER:
        return (struct layout){.surface_a = 2, .surface_b = 8, .rect_a = 16};
    case SOFTGPU_OP_TRIANGLES:
        return (struct layout){.surface_a = 2, .rect_a = 8, .list_count = 12, .list_words = 9};
    case SOFTGPU_OP_COPY_PAGES:
        return (struct layout){.list_count = 7, .list_words = 2};
    case SOFTGPU_OP_MAP_APERTURE:
        return (struct layout){.list_count = 3, .list_words = 2};
    case SOFTGPU_OP_WRITE_PTE:
        return (struct layout){.list_count = 5, .list_words = 2};
    default:
        return (struct layout){0};
    }
}

/* A command of random words, most of them with plausible fields where it has surfaces. */
static void put_command(struct mock *mock, uint64_t *state)
{
    uint32_t words[64];
    unsigned which = next_random(state) % (sizeof(commands) / sizeof(commands[0]));
    uint32_t opcode = commands[which].opcode, count = commands[which].words;
    if (opcode == SOFTGPU_OP_HANG && next_random(state) % 50)
        opcode = SOFTGPU_OP_NOP;
    struct layout layout = layout_of(opcode);
    for (unsigned i = 0; i < 64; i++)
        words[i] = hostile_word(state);
    if (next_random(state) % 4) {
        words[1] &= next_random(state) % 4;
        if (layout.surface_a)
            put_surface(words + layout.surface_a, state);
        if (layout.surface_b)
            put_surface(words + layout.surface_b, state);
        if (layout.rect_a)
            put_rect(words + layout.rect_a, state);
        if (layout.rect_b)
            put_rect(words + layout.rect_b, state);
        if (layout.rect_c)
            put_rect(words + layout.rect_c, state);
    }
    if (layout.list_count) {
        words[layout.list_count] = next_random(state) % 4;
        count += words[layout.list_count] * layout.list_words;
    }
    words[0] = SOFTGPU_COMMAND(opcode, next_random(state) % 40 ? count : hostile_word(state));
    mock_command(mock, words, count * 4);
}

static void start(struct mock *mock, unsigned engine)
{
    mock_write(mock, engine_reg(engine, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock_start_engine(mock, engine, next_random(&seed) & SOFTGPU_CONTROL_GRANULARITY_MASK);
}

static void setup_memory(struct mock *mock)
{
    mock_write64(mock, SOFTGPU_REG_APERTURE_TABLE, 0x3FE000);
    mock_write(mock, SOFTGPU_REG_APERTURE_CONTROL, SOFTGPU_APERTURE_ENABLE);
    for (uint64_t i = 0; i < 200; i++) { /* the rest is not mapped */
        uint64_t entry = (MOCK_RAM_BASE + 0x400000 + i * 7 % 256 * 4096) | SOFTGPU_PTE_VALID;
        memcpy(mock->vram + 0x3FE000 + i * 8, &entry, 8);
    }
}

static void hostile_buffers_end_in_faults(void **state)
{
    struct mock mock;
    unsigned faults[SOFTGPU_FAULT_INJECTED + 1] = {0};
    mock_init(&mock, "vram_mb=4,aperture_mb=1");
    mock.scattered = true;
    for (unsigned round = 0; round < 10000; round++) {
        unsigned engine = next_random(&seed) % 4 ? 0 : next_random(&seed) % 3;
        uint32_t flags = next_random(&seed) % 2 ? SOFTGPU_PACKET_FLAG_PRIVILEGED : 0;
        if (round % 64 == 0)
            setup_memory(&mock);
        start(&mock, engine);
        mock.command_words = mock.command_begin = 0;
        for (unsigned i = next_random(&seed) % 4 + 1; i; i--)
            put_command(&mock, &seed);
        mock_submit(&mock, engine, flags, round);
        mock_run(&mock, next_random(&seed) % 20000);
        if (next_random(&seed) % 4 == 0)
            mock_write(&mock, engine_reg(engine, SOFTGPU_ENGINE_PREEMPT), round);
        mock_run(&mock, 100000);
        faults[mock_read(&mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_REASON))]++;
    }
    /* The commands came far enough to mean something. */
    assert_true(mock_read(&mock, SOFTGPU_REG_COUNT_COMMANDS) > 1000);
    assert_true(mock_read(&mock, SOFTGPU_REG_COUNT_PIXELS) > 10000);
    for (unsigned reason = 0; reason <= SOFTGPU_FAULT_OPERAND; reason++)
        assert_true(faults[reason] > 0);
    mock_fini(&mock);
}

/* Tables of few bits, so that walks get somewhere, in memory full of plausible entries; now and
 * then an arrangement that is none. */
static void setup_tables(struct mock *mock)
{
    uint32_t levels = next_random(&seed) % 16 ? 2 + next_random(&seed) % 5 : hostile_word(&seed);
    uint64_t bits = 0;
    for (unsigned i = 0; i < SOFTGPU_LEVEL_MAX; i++)
        bits |= (uint64_t)(4 + next_random(&seed) % 4) << (i * 8);
    mock_write64(mock, SOFTGPU_REG_MMU_INDEX_BITS,
                 next_random(&seed) % 16 ? bits : bits ^ hostile_word(&seed));
    mock_write(mock, SOFTGPU_REG_MMU_CONTROL,
               SOFTGPU_MMU_ENABLE | next_random(&seed) % 2 * SOFTGPU_MMU_DUAL |
                   levels << SOFTGPU_MMU_LEVELS_SHIFT);
    for (unsigned space = 0; space < 4; space++) {
        mock_write64(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_ROOT),
                     (uint64_t)(next_random(&seed) & 0x3FF) << 12);
        mock_write(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_ENTRIES),
                   next_random(&seed) % 8 ? 256 : hostile_word(&seed));
        mock_write(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_TAG), next_random(&seed) % 3);
    }
    for (uint64_t place = 0; place < 0x400000; place += 8) {
        uint64_t entry = (uint64_t)(next_random(&seed) & 0x3FF) << 12 | SOFTGPU_PTE_VALID;
        if (next_random(&seed) % 8 == 0)
            entry ^= next_random(&seed) & 0x7F;
        if (next_random(&seed) % 4 == 0)
            entry = SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + (entry & 0x3FF07F);
        memcpy(mock->vram + place, &entry, sizeof(entry));
    }
}

static void hostile_page_tables_end_in_faults(void **state)
{
    struct mock mock;
    unsigned faults[SOFTGPU_FAULT_TABLE + 1] = {0}, ended = 0;
    mock_init(&mock, "vram_mb=4,aperture_mb=1");
    for (unsigned round = 0; round < 10000; round++) {
        unsigned engine = next_random(&seed) % 3;
        if (round % 250 == 0)
            setup_tables(&mock);
        if (round % 16 == 0) /* else it may know what the commands before have made wrong */
            start(&mock, engine);
        else if (mock_read(&mock, engine_reg(engine, SOFTGPU_ENGINE_STATUS)))
            start(&mock, engine);
        mock.command_words = mock.command_begin = 0;
        uint32_t begin = mock.command_words;
        for (unsigned i = next_random(&seed) % 4 + 1; i; i--)
            put_command(&mock, &seed);
        /* The buffer lies where the tables lead, so mostly it is not commands at all. */
        uint64_t address = hostile_word(&seed) & ~3u;
        struct softgpu_packet packet = {
            .type_flags = SOFTGPU_PACKET_EXECUTE | SOFTGPU_PACKET_FLAG_FENCE |
                          next_random(&seed) % 2 * SOFTGPU_PACKET_FLAG_PRIVILEGED |
                          (next_random(&seed) % 4) << SOFTGPU_PACKET_VMID_SHIFT,
            .address_low = (uint32_t)address,
            .address_high = next_random(&seed) % 8 ? 0 : hostile_word(&seed),
            .size_bytes = (mock.command_words - begin) * 4,
            .fence_low = round + 1,
        };
        if (address < 0x300000 && next_random(&seed) % 4) {
            memcpy(mock.vram + address, mock.commands, packet.size_bytes);
            packet.type_flags |= 1u << SOFTGPU_PACKET_VMID_SHIFT;
        }
        mock_submit_packet(&mock, engine, &packet);
        mock_run(&mock, 100000);
        uint32_t reason = mock_read(&mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_REASON));
        faults[reason]++;
        ended += mock_fence(&mock, engine) == round + 1;
        mock_read(&mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_ACCESS));
    }
    assert_true(ended > 0);
    assert_true(faults[SOFTGPU_FAULT_PAGE] > 0);
    assert_true(faults[SOFTGPU_FAULT_NO_EXECUTE] > 0);
    assert_true(faults[SOFTGPU_FAULT_RANGE] > 0);
    mock_fini(&mock);
}

/* Resumed at any place and with any progress, nothing outside is touched. */
static void hostile_resumption_is_checked(void **state)
{
    struct mock mock;
    mock_init(&mock, "vram_mb=4,aperture_mb=1");
    for (unsigned round = 0; round < 2000; round++) {
        start(&mock, 0);
        mock.command_words = mock.command_begin = 0;
        put_command(&mock, &seed);
        put_command(&mock, &seed);
        uint64_t address = SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x10000;
        struct softgpu_packet packet = {
            .type_flags = SOFTGPU_PACKET_EXECUTE | SOFTGPU_PACKET_FLAG_PRIVILEGED,
            .progress = hostile_word(&seed),
            .address_low = (uint32_t)address,
            .address_high = (uint32_t)(address >> 32),
            .size_bytes = mock.command_words * 4,
            .start = next_random(&seed) % 4 ? 0 : next_random(&seed) % 20 * 4,
        };
        mock_submit_packet(&mock, 0, &packet);
        mock_run(&mock, 200000);
    }
    mock_fini(&mock);
}

static void hostile_registers_do_no_harm(void **state)
{
    struct mock mock;
    mock_init(&mock, "vram_mb=4,aperture_mb=1,outputs=2");
    for (unsigned round = 0; round < 60000; round++) {
        static const uint32_t blocks[] = {0, 0x1000, 0x1100, 0x1200, 0x2000, 0x2400, 0x7F80};
        uint32_t reg = blocks[next_random(&seed) % 7] + next_random(&seed) % 48 * 4;
        uint32_t value = hostile_word(&seed);
        if (next_random(&seed) % 16 == 0)
            value = SOFTGPU_RESET_KEY;
        mock_write(&mock, reg, value);
        mock_read(&mock, reg);
        if (round % 8 == 0) {
            const void *pixels;
            unsigned width, height, stride;
            mock_run(&mock, next_random(&seed) % 100000);
            if (round % 1024 == 0)
                mock.device->operations->scanout(mock.device, 0, &pixels, &width, &height, &stride);
        }
        if (mock.tick_count > MOCK_TICKS / 2)
            mock_run(&mock, 50000000);
    }
    mock_fini(&mock);
}

int main(int argc, char **argv)
{
    static const struct CMUnitTest tests[] = {
        cmocka_unit_test(hostile_buffers_end_in_faults),
        cmocka_unit_test(hostile_page_tables_end_in_faults),
        cmocka_unit_test(hostile_resumption_is_checked),
        cmocka_unit_test(hostile_registers_do_no_harm),
    };
    if (argc > 1)
        seed = strtoull(argv[1], NULL, 0);
    print_message("seed %llu\n", (unsigned long long)seed);
    return cmocka_run_group_tests(tests, NULL, NULL);
}
