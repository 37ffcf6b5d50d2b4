/* mmu_test.c: address spaces: every arrangement of tables, both sizes of pages, what entries
 * permit, faults, and a TLB that knows what it knows until it is flushed. */
#include "mock.h"

#include <stdlib.h>

#define FLAG_P      SOFTGPU_PACKET_FLAG_PRIVILEGED
#define SPACE(n)    ((uint32_t)(n) << SOFTGPU_PACKET_VMID_SHIFT)
#define KEPT        (SOFTGPU_PTE_VALID | SOFTGPU_PTE_COHERENT)
#define BUFFERS     (SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x10000) /* of the mock's commands */
#define BUFFER_SIZE 0xF0000u
#define TABLES_VRAM 0x400000ull /* tables are taken from here, or */
#define TABLES_RAM  (MOCK_RAM_BASE + 0x800000)
#define DATA        0x100000ull /* in video memory: pages that are mapped */

/* The tables of one space, as a driver would write them. */
struct tables {
    struct mock *mock;
    unsigned space, levels, bits[SOFTGPU_LEVEL_MAX];
    bool dual, in_ram;
    uint64_t root, next; /* GPU addresses */
};

static unsigned shift_of(const struct tables *tables, unsigned level)
{
    unsigned shift = 12;
    for (unsigned i = 0; i < level; i++)
        shift += tables->bits[i];
    return shift;
}

static void *at(struct mock *mock, uint64_t gpu_address)
{
    return gpu_address >= SOFTGPU_SYSTEM_BASE ? mock_ram(mock, gpu_address - SOFTGPU_SYSTEM_BASE)
                                              : mock->vram + gpu_address;
}

static uint64_t new_table(struct tables *tables, unsigned level)
{
    uint64_t bytes = (8ull << tables->bits[level]) * (level == 1 && tables->dual ? 2 : 1);
    uint64_t place = tables->next;
    bytes = (bytes + 4095) & ~4095ull;
    tables->next += bytes;
    memset(at(tables->mock, place), 0, bytes);
    return place;
}

/* `bits` begins with level 0 and ends with a zero. */
static void begin_tables(struct mock *mock, struct tables *tables, unsigned space,
                         const unsigned *bits, uint32_t flags)
{
    uint64_t bits_register = 0;
    unsigned levels = 0;
    for (; bits[levels]; levels++) {
        tables->bits[levels] = bits[levels];
        bits_register |= (uint64_t)bits[levels] << (levels * 8);
    }
    tables->mock = mock;
    tables->space = space;
    tables->levels = levels;
    tables->dual = flags & SOFTGPU_MMU_DUAL;
    mock_write64(mock, SOFTGPU_REG_MMU_INDEX_BITS, bits_register);
    mock_write(mock, SOFTGPU_REG_MMU_CONTROL,
               SOFTGPU_MMU_ENABLE | levels << SOFTGPU_MMU_LEVELS_SHIFT | flags);
    if (!tables->next)
        tables->next = tables->in_ram ? SOFTGPU_SYSTEM_BASE + TABLES_RAM : TABLES_VRAM;
    tables->root = new_table(tables, levels - 1);
    mock_write64(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_ROOT), tables->root);
    mock_write(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_ENTRIES), 1u << bits[levels - 1]);
    mock_write(mock, SOFTGPU_SPACE_REG(space, SOFTGPU_SPACE_TAG), space + 100);
}

/* The GPU address of the entry for `address` at `level`; tables above it are made. */
static uint64_t entry_place(struct tables *tables, uint64_t address, unsigned level, bool is_64k)
{
    uint64_t table = tables->root;
    for (unsigned i = tables->levels - 1;; i--) {
        uint64_t index = address >> shift_of(tables, i) & ((1ull << tables->bits[i]) - 1);
        bool pair = i == 1 && tables->dual;
        if (i == level && i == 0 && is_64k)
            index >>= 4;
        uint64_t place = table + index * (pair ? 16 : 8);
        if (i == level)
            return place;
        place += pair && is_64k ? 8 : 0;
        uint64_t *entry = at(tables->mock, place);
        if (!(*entry & SOFTGPU_PTE_VALID))
            *entry = new_table(tables, i - 1) | SOFTGPU_PTE_VALID |
                     (i == 1 && is_64k && !tables->dual ? SOFTGPU_PTE_LEAF_64K : 0);
        table = *entry & SOFTGPU_PTE_GPU_MASK;
    }
}

static uint64_t *entry_of(struct tables *tables, uint64_t address)
{
    return at(tables->mock, entry_place(tables, address, 0, false));
}

static void map(struct tables *tables, uint64_t address, uint64_t page)
{
    *entry_of(tables, address) = page | KEPT;
}

/* Packets of the space find their commands where the mock puts them. */
static void map_buffers(struct tables *tables)
{
    for (uint64_t i = 0; i < BUFFER_SIZE; i += 4096)
        map(tables, BUFFERS + i, BUFFERS + i);
}

static const unsigned four_levels[] = {9, 9, 9, 9, 0};

/* The usual arrangement, in space 1. */
static void begin_usual(struct mock *mock, struct tables *tables)
{
    *tables = (struct tables){0};
    begin_tables(mock, tables, 1, four_levels, 0);
    map_buffers(tables);
}

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=16,aperture_mb=4,outputs=0");
    for (unsigned i = 0; i < SOFTGPU_ENGINE_COUNT; i++)
        mock_start_engine(mock, i, 0);
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
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

static void put_write(struct mock *mock, uint64_t address, uint32_t value)
{
    struct softgpu_command_write write = {.header = HEADER(SOFTGPU_OP_WRITE, write),
                                          .address = gpu_address(address),
                                          .value_low = value};
    mock_command(mock, &write, sizeof(write));
}

static void put_flush(struct mock *mock, uint32_t tag, uint64_t start, uint64_t end)
{
    struct softgpu_command_flush_tlb flush = {.header = HEADER(SOFTGPU_OP_FLUSH_TLB, flush),
                                              .tag = tag,
                                              .start = gpu_address(start),
                                              .end = gpu_address(end)};
    mock_command(mock, &flush, sizeof(flush));
}

static uint32_t word_at(struct mock *mock, uint64_t gpu_address)
{
    uint32_t value;
    memcpy(&value, at(mock, gpu_address), sizeof(value));
    return value;
}

static void set_word(struct mock *mock, uint64_t gpu_address, uint32_t value)
{
    memcpy(at(mock, gpu_address), &value, sizeof(value));
}

/* Lets the space read a word, by way of a copy to `to`. */
static uint32_t read_in_space(struct mock *mock, unsigned engine, unsigned space, uint64_t address,
                              uint64_t to, uint64_t to_page)
{
    put_copy(mock, to, address, 4);
    mock_execute(mock, engine, SPACE(space));
    return word_at(mock, to_page);
}

static void expect_fault(struct mock *mock, unsigned engine, uint32_t flags, uint32_t reason,
                         uint64_t address, uint32_t access)
{
    mock_submit(mock, engine, flags, 1000);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_REASON)), reason);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_ADDRESS)),
                     (uint32_t)address);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_ADDRESS + 4)),
                     address >> 32);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_ACCESS)), access);
    assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_FENCE)), 1000);
    assert_true(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & SOFTGPU_INTERRUPT_FAULT(engine));
    mock->command_words = mock->command_begin = 0;
    mock_write(mock, engine_reg(engine, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock_start_engine(mock, engine, 0);
}

static uint32_t fault_access(uint32_t kind, uint32_t level, uint32_t space)
{
    return kind | level << 8 | space << 16;
}

/* ---- Translation ---- */

static void every_arrangement_of_tables_translates(void **state)
{
    static const struct {
        unsigned bits[7];
        uint32_t flags;
        bool in_ram;
    } table[] = {
        {{9, 16, 0}, 0, false},
        {{10, 16, 0}, SOFTGPU_MMU_DUAL, false},
        {{9, 9, 12, 0}, 0, true},
        {{9, 9, 9, 9, 0}, 0, false},
        {{9, 8, 9, 9, 0}, SOFTGPU_MMU_DUAL, true},
        {{9, 9, 9, 9, 9, 0}, 0, true},
        {{4, 5, 6, 7, 6, 5, 0}, SOFTGPU_MMU_DUAL, false},
    };
    struct mock *mock = *state;
    const uint32_t pages = 40;
    uint8_t expected[40 * 4096];
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        struct tables tables = {.in_ram = table[i].in_ram};
        begin_tables(mock, &tables, 1 + i, table[i].bits, table[i].flags);
        unsigned top = shift_of(&tables, tables.levels - 1);
        uint64_t from = (3ull << top) + (1ull << shift_of(&tables, 1)) - 8 * 4096, to = from * 2;
        /* The commands do not lie where 37 address bits reach: they come as a physical packet's
         * would not, but under an address of their own. */
        uint64_t commands = 1ull << top;
        map(&tables, commands, BUFFERS);
        for (uint32_t page = 0; page < pages; page++) {
            uint32_t shuffled = page * 7 % pages;
            map(&tables, from + page * 4096ull, DATA + shuffled * 4096ull);
            map(&tables, to + page * 4096ull,
                SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x400000 + shuffled * 8192ull);
            uint64_t random = i * 1000 + page;
            for (unsigned k = 0; k < 4096; k += 4)
                set_word(mock, DATA + shuffled * 4096ull + k, next_random(&random));
            memcpy(expected + page * 4096, at(mock, DATA + shuffled * 4096ull), 4096);
        }
        put_copy(mock, to + 3, from + 3, pages * 4096 - 7);
        struct softgpu_packet packet = {
            .type_flags = SOFTGPU_PACKET_EXECUTE | SOFTGPU_PACKET_FLAG_FENCE | SPACE(1 + i),
            .address_low = (uint32_t)commands,
            .address_high = (uint32_t)(commands >> 32),
            .size_bytes = mock->command_words * 4,
            .fence_low = i + 1,
        };
        mock_submit_packet(mock, SOFTGPU_ENGINE_COPY, &packet);
        mock_settle(mock);
        assert_int_equal(mock_fence(mock, SOFTGPU_ENGINE_COPY), i + 1);
        mock->command_words = 0;
        for (uint32_t page = 0; page < pages; page++) {
            const uint8_t *seen =
                mock_ram(mock, MOCK_RAM_BASE + 0x400000 + page * 7 % pages * 8192ull);
            unsigned skip = page == 0 ? 3 : 0, cut = page == pages - 1 ? 4 : 0;
            assert_memory_equal(seen + skip, expected + page * 4096 + skip, 4096 - skip - cut);
        }
    }
}

static void pages_of_64k_and_large_ones_translate(void **state)
{
    struct mock *mock = *state;
    for (unsigned dual = 0; dual < 2; dual++) {
        struct tables tables = {0};
        uint64_t small = 0x40000000, in_64k = 0x80000000, large = 0xC0000000, to = 0x50000000;
        begin_tables(mock, &tables, 1 + dual, four_levels, dual ? SOFTGPU_MMU_DUAL : 0);
        map_buffers(&tables);
        for (unsigned i = 0; i < 3; i++)
            map(&tables, to + i * 4096, DATA + i * 4096);
        map(&tables, small, 0x201000);
        /* The low 16 bits of what the entry names do not count. */
        *(uint64_t *)at(mock, entry_place(&tables, in_64k + 0x10000, 0, true)) = 0x219000 | KEPT;
        *(uint64_t *)at(mock, entry_place(&tables, large, 1, false)) =
            0x200000 | KEPT | SOFTGPU_PTE_LARGE;
        set_word(mock, 0x201004, 0x1111);
        set_word(mock, 0x21F008, 0x2222);
        put_copy(mock, to, small + 4, 4);
        put_copy(mock, to + 4096, in_64k + 0x1F008, 4);
        put_copy(mock, to + 8192, large + 0x1F008, 4);
        mock_execute(mock, 0, SPACE(1 + dual));
        assert_int_equal(word_at(mock, DATA), 0x1111);
        assert_int_equal(word_at(mock, DATA + 4096), 0x2222);
        assert_int_equal(word_at(mock, DATA + 8192), 0x2222);
        if (!dual)
            continue;
        /* What the 64 KiB table does not answer, the other one does. */
        map(&tables, in_64k + 0x20000, 0x230000);
        set_word(mock, 0x230000, 0x3333);
        assert_int_equal(read_in_space(mock, 0, 2, in_64k + 0x20000, to, DATA), 0x3333);
        put_copy(mock, to, in_64k + 0x30000, 4);
        expect_fault(mock, 0, SPACE(2), SOFTGPU_FAULT_PAGE, in_64k + 0x30000,
                     fault_access(SOFTGPU_ACCESS_READ, 0, 2));
    }
}

/* Random tables, random copies within a space, and the same done to an array. */
static void random_copies_do_what_they_do_to_an_array(void **state)
{
    enum { PAGES = 64 };
    struct mock *mock = *state;
    const uint64_t base = 0x7654300000ull;
    uint8_t *model = calloc(PAGES, 4096);
    uint64_t random = 77;
    struct tables tables;
    begin_usual(mock, &tables);
    for (unsigned i = 0; i < PAGES; i++) {
        unsigned place = i * 29 % PAGES; /* neighbours now and then */
        bool ram = next_random(&random) & 1;
        map(&tables, base + i * 4096ull,
            ram ? SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x400000 + place * 4096ull
                : DATA + place * 4096ull);
        for (unsigned k = 0; k < 4096; k += 4) {
            uint32_t word = next_random(&random);
            memcpy(model + i * 4096 + k, &word, 4);
        }
        memcpy(at(mock, *entry_of(&tables, base + i * 4096ull) & SOFTGPU_PTE_GPU_MASK),
               model + i * 4096, 4096);
    }
    for (unsigned i = 0; i < 300; i++) {
        uint32_t size = next_random(&random) % (i % 3 ? 9000 : 100000);
        uint32_t from = next_random(&random) % (PAGES * 4096 - size);
        uint32_t to = next_random(&random) % (PAGES * 4096 - size);
        put_copy(mock, base + to, base + from, size);
        memmove(model + to, model + from, size);
        mock_execute(mock, i % SOFTGPU_ENGINE_COUNT, SPACE(1));
    }
    for (unsigned i = 0; i < PAGES; i++)
        assert_memory_equal(at(mock, *entry_of(&tables, base + i * 4096ull) & SOFTGPU_PTE_GPU_MASK),
                            model + i * 4096, 4096);
    free(model);
}

static void a_picture_in_scattered_pages_is_drawn(void **state)
{
    struct mock *mock = *state;
    const uint64_t base = 0x1000000;
    struct tables tables;
    begin_usual(mock, &tables);
    for (unsigned i = 0; i < 16; i++)
        map(&tables, base + i * 4096, DATA + (15 - i) * 8192);
    struct softgpu_command_fill_rect fill = {
        .header = HEADER(SOFTGPU_OP_FILL_RECT, fill),
        .colour = 0xFF123456,
        .destination = gpu_surface(base + 4, 1000, SOFTGPU_FORMAT_BGRA8, 240, 64),
        .rect = {0, 0, 240, 64},
    };
    mock_command(mock, &fill, sizeof(fill));
    mock_execute(mock, SOFTGPU_ENGINE_3D, SPACE(1));
    for (unsigned y = 0; y < 64; y++) {
        for (unsigned x = 0; x < 240; x++) {
            uint64_t offset = 4 + y * 1000 + x * 4;
            assert_int_equal(word_at(mock, DATA + (15 - offset / 4096) * 8192 + offset % 4096),
                             0xFF123456);
        }
    }
}

/* ---- What entries permit ---- */

static void zero_pages_read_as_zeros_and_drop_what_is_written(void **state)
{
    struct mock *mock = *state;
    const uint64_t to = 0x2000000, tile = 0x3000000, wide = 0x4000000000;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, to, DATA);
    *entry_of(&tables, tile) = SOFTGPU_PTE_ZERO;                                   /* not valid */
    *entry_of(&tables, tile + 4096) = SOFTGPU_PTE_ZERO | SOFTGPU_PTE_VALID | DATA; /* and valid */
    *(uint64_t *)at(mock, entry_place(&tables, wide, 2, false)) = SOFTGPU_PTE_ZERO;
    set_word(mock, DATA, 0xDEADBEEF);
    for (unsigned i = 0; i < 3; i++) {
        uint64_t place = i == 2 ? wide + 0x12345000 : tile + i * 4096;
        put_write(mock, place, 0x55555555);
        put_copy(mock, to + 4, place, 8);
        memset(at(mock, DATA + 4), 0xFF, 8);
        mock_execute(mock, 1, SPACE(1));
        assert_int_equal(word_at(mock, DATA), 0xDEADBEEF);
        assert_int_equal(word_at(mock, DATA + 4), 0);
        assert_int_equal(word_at(mock, DATA + 8), 0);
    }
}

static void forbidden_uses_fault_with_address_level_and_access(void **state)
{
    struct mock *mock = *state;
    const uint64_t good = 0x2000000, read_only = 0x3000000, hole = 0x12345678000;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, good, DATA);
    map(&tables, read_only, DATA + 4096);
    *entry_of(&tables, read_only) |= SOFTGPU_PTE_READ_ONLY;
    put_copy(mock, good, read_only, 4); /* may be read */
    mock_execute(mock, 1, SPACE(1));
    put_write(mock, read_only + 8, 1);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_READ_ONLY, read_only + 8,
                 fault_access(SOFTGPU_ACCESS_WRITE, 0, 1));
    put_write(mock, good + 4096, 1);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_PAGE, good + 4096,
                 fault_access(SOFTGPU_ACCESS_WRITE, 0, 1));
    put_copy(mock, good, hole, 4);
    expect_fault(mock, 0, SPACE(1), SOFTGPU_FAULT_PAGE, hole,
                 fault_access(SOFTGPU_ACCESS_READ, 2, 1));
    /* System memory by its own address is nobody's in a space, with privilege or without. */
    put_copy(mock, good, SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE, 4);
    expect_fault(mock, 1, SPACE(1) | FLAG_P, SOFTGPU_FAULT_PAGE,
                 SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE, fault_access(SOFTGPU_ACCESS_READ, 0, 1));
    /* A page that leads nowhere, and a table. */
    map(&tables, good + 8192, SOFTGPU_SYSTEM_BASE);
    put_copy(mock, good, good + 8192, 4);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_BUS, good + 8192,
                 fault_access(SOFTGPU_ACCESS_READ, 0, 1));
    *(uint64_t *)at(mock, entry_place(&tables, hole, 1, false)) =
        SOFTGPU_SYSTEM_BASE | SOFTGPU_PTE_VALID;
    put_copy(mock, good, hole, 4);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_TABLE, hole,
                 fault_access(SOFTGPU_ACCESS_READ, 0, 1));
}

static void commands_run_only_where_they_may(void **state)
{
    struct mock *mock = *state;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, 0x2000000, DATA);
    put_write(mock, 0x2000000, 1);
    mock_execute(mock, 1, SPACE(1));
    assert_int_equal(word_at(mock, DATA), 1);
    *entry_of(&tables, BUFFERS) |= SOFTGPU_PTE_NO_EXECUTE;
    mock_write(mock, SOFTGPU_REG_MMU_FLUSH, 101);
    put_write(mock, 0x2000000, 2);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_NO_EXECUTE, BUFFERS,
                 fault_access(SOFTGPU_ACCESS_EXECUTE, 0, 1));
    assert_int_equal(word_at(mock, DATA), 1);
    /* Data may lie there. */
    put_copy(mock, DATA, SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x10000, 4);
    mock_execute(mock, 1, FLAG_P);
}

static void an_address_beyond_the_tables_faults(void **state)
{
    struct mock *mock = *state;
    const uint64_t top = 1ull << 39; /* what an entry of the root covers */
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, 5 * top, DATA);
    put_write(mock, 5 * top, 7);
    mock_execute(mock, 1, SPACE(1));
    assert_int_equal(word_at(mock, DATA), 7);
    mock_write(mock, SOFTGPU_SPACE_REG(1, SOFTGPU_SPACE_ENTRIES), 5);
    mock_write(mock, SOFTGPU_REG_MMU_FLUSH, ~0u);
    put_write(mock, 5 * top, 8);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_RANGE, 5 * top,
                 fault_access(SOFTGPU_ACCESS_WRITE, 3, 1));
    put_write(mock, 1ull << 48, 8);
    expect_fault(mock, 1, SPACE(1), SOFTGPU_FAULT_RANGE, 1ull << 48, fault_access(0, 0, 1));
    assert_int_equal(word_at(mock, DATA), 7);
    /* A space without a root, one that does not exist, and any while the MMU is off. */
    mock_submit(mock, 1, SPACE(2), 1000);
    put_write(mock, 0, 1);
    expect_fault(mock, 1, SPACE(2), SOFTGPU_FAULT_RANGE, BUFFERS,
                 fault_access(SOFTGPU_ACCESS_EXECUTE, 3, 2));
    mock_write(mock, SOFTGPU_REG_MMU_CONTROL, SOFTGPU_MMU_ENABLE); /* no levels */
    mock_submit(mock, 1, SPACE(1), 1000);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_REASON)),
                     SOFTGPU_FAULT_PACKET);
}

/* ---- The TLB ---- */

static void stale_translations_are_served_until_they_are_flushed(void **state)
{
    struct mock *mock = *state;
    const uint64_t to = 0x2000000, page = 0x3000000;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, to, DATA);
    map(&tables, page, DATA + 4096);
    set_word(mock, DATA + 4096, 0xAAAA);
    set_word(mock, DATA + 8192, 0xBBBB);
    for (unsigned engine = 0; engine < 2; engine++)
        assert_int_equal(read_in_space(mock, engine, 1, page, to, DATA), 0xAAAA);
    map(&tables, page, DATA + 8192);
    /* Two engines knew it; the third looks it up. */
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 0xAAAA);
    assert_int_equal(read_in_space(mock, 1, 1, page, to, DATA), 0xAAAA);
    assert_int_equal(read_in_space(mock, 2, 1, page, to, DATA), 0xBBBB);
    /* Another tag, and what lies beside it, do not help. */
    put_flush(mock, 102, 0, 0);
    put_flush(mock, 101, page + 4096, page + 8192);
    put_flush(mock, 101, to, page);
    mock_execute(mock, 1, FLAG_P);
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 0xAAAA);
    put_flush(mock, 101, page + 4095, page + 4096);
    mock_execute(mock, 1, FLAG_P);
    for (unsigned engine = 0; engine < 3; engine++)
        assert_int_equal(read_in_space(mock, engine, 1, page, to, DATA), 0xBBBB);
    /* An entry that becomes invalid is used on as well. */
    *entry_of(&tables, page) = 0;
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 0xBBBB);
    put_flush(mock, 101, 0, 0);
    put_copy(mock, to, page, 4);
    expect_fault(mock, 0, SPACE(1) | FLAG_P, SOFTGPU_FAULT_PAGE, page,
                 fault_access(SOFTGPU_ACCESS_READ, 0, 1));
    /* And one that becomes valid is seen at once. */
    map(&tables, page, DATA + 4096);
    assert_int_equal(read_in_space(mock, 1, 1, page, to, DATA), 0xAAAA);
}

static void spaces_with_one_tag_share_what_is_known(void **state)
{
    struct mock *mock = *state;
    const uint64_t to = 0x2000000, page = 0x3000000;
    struct tables first, second;
    begin_usual(mock, &first);
    second = (struct tables){.next = first.next + 0x100000};
    begin_tables(mock, &second, 2, four_levels, 0);
    map_buffers(&second);
    for (unsigned i = 0; i < 2; i++) {
        map(i ? &second : &first, to, DATA);
        map(i ? &second : &first, page, DATA + 4096 + i * 4096);
        set_word(mock, DATA + 4096 + i * 4096, i + 1);
    }
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 1);
    assert_int_equal(read_in_space(mock, 0, 2, page, to, DATA), 2);
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 1);
    mock_write(mock, SOFTGPU_SPACE_REG(2, SOFTGPU_SPACE_TAG), 101);
    assert_int_equal(read_in_space(mock, 0, 2, page, to, DATA), 1);
    mock_write(mock, SOFTGPU_SPACE_REG(2, SOFTGPU_SPACE_TAG), 0); /* keeps nothing */
    assert_int_equal(read_in_space(mock, 0, 2, page, to, DATA), 2);
    map(&second, page, DATA + 4096);
    assert_int_equal(read_in_space(mock, 0, 2, page, to, DATA), 1);
}

static void a_reset_forgets_translations_and_spaces(void **state)
{
    struct mock *mock = *state;
    const uint64_t to = 0x2000000, page = 0x3000000;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, to, DATA);
    map(&tables, page, DATA + 4096);
    set_word(mock, DATA + 4096, 0xAAAA);
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 0xAAAA);
    map(&tables, page, DATA + 8192);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock_start_engine(mock, 0, 0);
    assert_int_equal(read_in_space(mock, 0, 1, page, to, DATA), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_SPACE_REG(1, SOFTGPU_SPACE_TAG)), 101);
    mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_MMU_CONTROL), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_SPACE_REG(1, SOFTGPU_SPACE_ROOT)), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_SPACE_REG(1, SOFTGPU_SPACE_TAG)), 0);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_FEATURES),
                     SOFTGPU_FEATURE_MMU | SOFTGPU_FEATURE_QUEUES | SOFTGPU_FEATURE_FLIPS |
                         SOFTGPU_FEATURE_BELLS | SOFTGPU_FEATURE_NOW);
}

/* ---- Commands ---- */

static void put_ptes(struct mock *mock, uint32_t flags, uint64_t address, uint32_t stride,
                     const uint64_t *entries, uint32_t count)
{
    uint32_t sent = flags & SOFTGPU_PTES_REPEAT ? 1 : count;
    struct softgpu_command_write_pte write = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_WRITE_PTE, sizeof(write) / 4 + sent * 2),
        .flags = flags,
        .address = gpu_address(address),
        .stride_bytes = stride,
        .entry_count = count,
    };
    mock_command(mock, &write, sizeof(write));
    mock_command(mock, entries, sent * sizeof(*entries));
}

static void page_tables_are_written_by_commands(void **state)
{
    struct mock *mock = *state;
    const uint64_t window = 0x2000000, table = 0x600000;
    uint64_t entries[5000], seen[2];
    struct tables tables;
    begin_usual(mock, &tables);
    for (unsigned i = 0; i < 16; i++)
        map(&tables, window + i * 4096, table + i * 4096);
    for (unsigned i = 0; i < 5000; i++)
        entries[i] = 0x1000ull * i | SOFTGPU_PTE_VALID;
    put_ptes(mock, 0, window + 16, 8, entries, 5000);
    put_ptes(mock, SOFTGPU_PTES_PHYSICAL | SOFTGPU_PTES_REPEAT, table + 0xC000, 16, entries + 9, 3);
    mock_execute(mock, 1, SPACE(1) | FLAG_P);
    assert_memory_equal(at(mock, table + 16), entries, sizeof(entries));
    for (unsigned i = 0; i < 3; i++) {
        memcpy(seen, at(mock, table + 0xC000 + i * 16), sizeof(seen));
        assert_int_equal(seen[0], entries[9]);
        assert_int_equal(seen[1], 0);
    }
    struct softgpu_command_copy_pte copy = {.header = HEADER(SOFTGPU_OP_COPY_PTE, copy),
                                            .destination = gpu_address(window + 0xD000),
                                            .source = gpu_address(window + 16 + 8 * 100),
                                            .entry_count = 700};
    mock_command(mock, &copy, sizeof(copy));
    copy.flags = SOFTGPU_PTES_PHYSICAL;
    copy.source = gpu_address(table + 16);
    copy.destination = gpu_address(table + 0xF000);
    copy.entry_count = 2;
    mock_command(mock, &copy, sizeof(copy));
    mock_execute(mock, 1, SPACE(1) | FLAG_P);
    assert_memory_equal(at(mock, table + 0xD000), entries + 100, 700 * 8);
    assert_memory_equal(at(mock, table + 0xF000), entries, 16);
}

static void what_changes_tables_needs_privilege_and_sense(void **state)
{
    struct mock *mock = *state;
    const uint64_t entries[2] = {0};
    struct softgpu_command_copy_pte copy = {.header = HEADER(SOFTGPU_OP_COPY_PTE, copy),
                                            .destination = gpu_address(0x1000),
                                            .source = gpu_address(0x1008),
                                            .entry_count = 2};
    static const uint32_t expected[] = {SOFTGPU_FAULT_PRIVILEGE, SOFTGPU_FAULT_PRIVILEGE,
                                        SOFTGPU_FAULT_PRIVILEGE, SOFTGPU_FAULT_OPERAND,
                                        SOFTGPU_FAULT_OPERAND,   SOFTGPU_FAULT_OPERAND};
    for (unsigned i = 0; i < 6; i++) {
        if (i == 0)
            put_ptes(mock, 0, 0x1000, 8, entries, 2);
        else if (i == 1 || i == 3) /* overlaps */
            mock_command(mock, &copy, sizeof(copy));
        else if (i == 2)
            put_flush(mock, 1, 0, 0);
        else if (i == 4)
            put_ptes(mock, 0, 0x1000, 12, entries, 2);
        else
            put_flush(mock, 1, 8192, 4096);
        mock_submit(mock, 1, i < 3 ? 0 : FLAG_P, 1);
        mock_settle(mock);
        assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_REASON)), expected[i]);
        assert_int_equal(mock_read(mock, engine_reg(1, SOFTGPU_ENGINE_FAULT_ACCESS)), 0);
        mock->command_words = mock->command_begin = 0;
        mock_write(mock, engine_reg(1, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
        mock_start_engine(mock, 1, 0);
    }
}

static void a_fence_in_memory_is_stored_and_told(void **state)
{
    struct mock *mock = *state;
    struct tables tables;
    uint64_t seen;
    begin_usual(mock, &tables);
    map(&tables, 0x2000000, DATA);
    struct softgpu_command_fence64 fence = {.header = HEADER(SOFTGPU_OP_FENCE64, fence),
                                            .address = gpu_address(0x2000008),
                                            .value_low = 5,
                                            .value_high = 6};
    mock_command(mock, &fence, sizeof(fence));
    mock_execute(mock, 2, SPACE(1));
    memcpy(&seen, at(mock, DATA + 8), sizeof(seen));
    assert_int_equal(seen, 6ull << 32 | 5);
    assert_false(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & SOFTGPU_INTERRUPT_USER(2));
    fence.flags = SOFTGPU_FENCE_INTERRUPT;
    fence.value_low++;
    mock_command(mock, &fence, sizeof(fence));
    mock_execute(mock, 2, SPACE(1));
    memcpy(&seen, at(mock, DATA + 8), sizeof(seen));
    assert_int_equal(seen, 6ull << 32 | 6);
    assert_true(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & SOFTGPU_INTERRUPT_USER(2));
    fence.address.low += 4;
    mock_command(mock, &fence, sizeof(fence));
    expect_fault(mock, 2, SPACE(1), SOFTGPU_FAULT_OPERAND, 0x200000C, fault_access(0, 0, 1));
}

/* Lists of pages hold system pages, whatever the other side is. */
static void a_page_list_is_never_virtual(void **state)
{
    struct mock *mock = *state;
    const uint64_t frame = (MOCK_RAM_BASE + 0x500000) >> 12;
    struct tables tables;
    begin_usual(mock, &tables);
    map(&tables, 0x2000000, DATA);
    set_word(mock, SOFTGPU_SYSTEM_BASE + (frame << 12), 0x77777777);
    struct softgpu_command_copy_pages copy = {
        .header = SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, sizeof(copy) / 4 + 2),
        .address = gpu_address(0x2000000),
        .size_low = 4096,
        .page_count = 1,
    };
    mock_command(mock, &copy, sizeof(copy));
    mock_command(mock, &frame, sizeof(frame));
    mock_execute(mock, 1, SPACE(1) | FLAG_P);
    assert_int_equal(word_at(mock, DATA), 0x77777777);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(every_arrangement_of_tables_translates, setup, teardown),
        cmocka_unit_test_setup_teardown(pages_of_64k_and_large_ones_translate, setup, teardown),
        cmocka_unit_test_setup_teardown(random_copies_do_what_they_do_to_an_array, setup, teardown),
        cmocka_unit_test_setup_teardown(a_picture_in_scattered_pages_is_drawn, setup, teardown),
        cmocka_unit_test_setup_teardown(zero_pages_read_as_zeros_and_drop_what_is_written, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(forbidden_uses_fault_with_address_level_and_access, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(commands_run_only_where_they_may, setup, teardown),
        cmocka_unit_test_setup_teardown(an_address_beyond_the_tables_faults, setup, teardown),
        cmocka_unit_test_setup_teardown(stale_translations_are_served_until_they_are_flushed, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(spaces_with_one_tag_share_what_is_known, setup, teardown),
        cmocka_unit_test_setup_teardown(a_reset_forgets_translations_and_spaces, setup, teardown),
        cmocka_unit_test_setup_teardown(page_tables_are_written_by_commands, setup, teardown),
        cmocka_unit_test_setup_teardown(what_changes_tables_needs_privilege_and_sense, setup,
                                        teardown),
        cmocka_unit_test_setup_teardown(a_fence_in_memory_is_stored_and_told, setup, teardown),
        cmocka_unit_test_setup_teardown(a_page_list_is_never_virtual, setup, teardown),
    };

    return cmocka_run_group_tests(tests, NULL, NULL);
}
