/* engine_test.c: registers, rings, fences, interrupts, faults, preemption, reset,
 * test registers. */
#include "mock.h"

#include <stdlib.h>

#define FLAG_P SOFTGPU_PACKET_FLAG_PRIVILEGED

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=16,aperture_mb=4,outputs=2");
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

static void put_write32(struct mock *mock, uint64_t address, uint32_t value)
{
    struct softgpu_command_write write = {
        .header = HEADER(SOFTGPU_OP_WRITE, write),
        .address = gpu_address(address),
        .value_low = value,
    };
    mock_command(mock, &write, sizeof(write));
}

static void put_fill(struct mock *mock, uint64_t address, uint64_t size, uint32_t pattern)
{
    struct softgpu_command_fill fill = {
        .header = HEADER(SOFTGPU_OP_FILL, fill),
        .pattern = pattern,
        .address = gpu_address(address),
        .size_low = (uint32_t)size,
        .size_high = (uint32_t)(size >> 32),
    };
    mock_command(mock, &fill, sizeof(fill));
}

static void put_delay(struct mock *mock, uint32_t ns)
{
    struct softgpu_command_delay delay = {HEADER(SOFTGPU_OP_DELAY, delay), ns};
    mock_command(mock, &delay, sizeof(delay));
}

static void put_word(struct mock *mock, uint32_t word)
{
    mock_command(mock, &word, 4);
}

static uint32_t vram_word(struct mock *mock, uint64_t offset)
{
    uint32_t value;
    memcpy(&value, mock->vram + offset, 4);
    return value;
}

static uint32_t fault_of(struct mock *mock, unsigned engine)
{
    return mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FAULT_REASON));
}

static void unlock_test_registers(struct mock *mock)
{
    mock_write(mock, SOFTGPU_TEST_KEY, SOFTGPU_TEST_KEY_VALUE);
}

/* ---- Identity and registers ---- */

static void description_names_the_device(void **state)
{
    struct mock *mock = *state;
    const struct device_description *description = &mock->description;
    assert_int_equal(description->vendor_id, SOFTGPU_VENDOR_ID);
    assert_int_equal(description->device_id, SOFTGPU_DEVICE_ID);
    assert_int_equal(description->class_code, 3);
    assert_int_equal(description->bars[0].kind, DEVICE_BAR_MEMORY);
    assert_int_equal(description->bars[0].size, 16 << 20);
    assert_int_equal(description->bars[2].kind, DEVICE_BAR_REGISTERS);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_ID), SOFTGPU_ID_VALUE);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_VRAM_SIZE), 16 << 20);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_APERTURE_SIZE), 4 << 20);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_OUTPUT_COUNT), 2);
}

static void bad_options_are_refused(void **state)
{
    static const char *const bad[] = {"vram_mb",     "vram_mb=", "vram_mb=0", "vram_mb=9999",
                                      "vram_mb=-1",  "colour=3", "outputs=3", "outputs=1x",
                                      "outputs=1,,", "=3"};
    struct option_values values;
    char error[256];
    for (unsigned i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
        error[0] = 0;
        assert_false(
            option_values_read(&values, softgpu_model.options, bad[i], error, sizeof(error)));
        assert_int_not_equal(error[0], 0);
    }
    struct mock *mock = *state;
    mock_fini(mock);
    mock_init(mock, NULL);
    assert_int_equal(mock->description.bars[0].size, 64 << 20);
}

static void registers_answer_every_width_and_offset(void **state)
{
    struct mock *mock = *state;
    const struct device_operations *operations = mock->device->operations;
    mock_write(mock, SOFTGPU_REG_SCRATCH, 0x12345678);
    assert_int_equal(operations->mmio_read(mock->device, 2, SOFTGPU_REG_SCRATCH, 4), 0x12345678);
    assert_int_equal(operations->mmio_read(mock->device, 2, SOFTGPU_REG_SCRATCH + 1, 1), 0x56);
    assert_int_equal(operations->mmio_read(mock->device, 2, SOFTGPU_REG_SCRATCH + 2, 2), 0x1234);
    operations->mmio_write(mock->device, 2, SOFTGPU_REG_SCRATCH, 2, 0);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_SCRATCH), 0x12345678);
    operations->mmio_write(mock->device, 2, SOFTGPU_REG_APERTURE_TABLE, 8, 0x112345678ull);
    assert_int_equal(operations->mmio_read(mock->device, 2, SOFTGPU_REG_APERTURE_TABLE, 8),
                     0x112345000ull);
    uint64_t seed = 1;
    for (uint64_t offset = 0; offset < 0x10100; offset++) {
        for (unsigned size = 1; size <= 8; size *= 2) {
            operations->mmio_read(mock->device, 2, offset, size);
            if (offset < SOFTGPU_TEST_KEY)
                operations->mmio_write(mock->device, 2, offset, size, next_random(&seed));
        }
    }
    mock_run(mock, 1000000);
}

/* ---- Rings ---- */

static void packets_execute_in_order_and_fences_follow(void **state)
{
    struct mock *mock = *state;
    for (unsigned engine = 0; engine < SOFTGPU_ENGINE_COUNT; engine++) {
        mock_start_engine(mock, engine, 0);
        for (uint32_t i = 1; i <= 40; i++) { /* around the ring more than once */
            put_write32(mock, 64 * engine, i);
            mock_submit(mock, engine, 0, i);
            if (i % 10 == 0) {
                mock_settle(mock);
                assert_int_equal(vram_word(mock, 64 * engine), i);
                assert_int_equal(mock_fence(mock, engine), i);
                assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_FENCE)), i);
            }
        }
        assert_int_equal(mock_read(mock, engine_reg(engine, SOFTGPU_ENGINE_STATUS)), 0);
    }
    assert_int_equal(mock->trace_depth, 0);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_COUNT_PACKETS), 120);
}

static void work_takes_its_time(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 1, 0);
    put_fill(mock, 0, 8 << 20, 0xAB);
    mock_submit(mock, 1, 0, 7);
    mock_run(mock, (8 << 20) / 32 - 1000);
    assert_int_equal(mock_fence(mock, 1), 0);
    mock_run(mock, 3000);
    assert_int_equal(mock_fence(mock, 1), 7);
}

static void engines_work_side_by_side(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    mock_start_engine(mock, 1, 0);
    put_delay(mock, 1000000);
    mock_submit(mock, 0, 0, 1);
    put_delay(mock, 10000);
    mock_submit(mock, 1, 0, 1);
    mock_run(mock, 20000);
    assert_int_equal(mock_fence(mock, 0), 0);
    assert_int_equal(mock_fence(mock, 1), 1);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 1);
}

static void interrupt_line_is_up_until_acknowledged(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    mock_execute(mock, 0, 0);
    assert_true(mock->line[0]);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS), SOFTGPU_INTERRUPT_FENCE(0));
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_FENCE(0));
    assert_false(mock->line[0]);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, 0);
    mock_execute(mock, 0, 0);
    assert_false(mock->line[0]);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_ENABLE, SOFTGPU_INTERRUPT_FENCE(0));
    assert_true(mock->line[0]);
}

/* What nobody has dismissed is gone with its engine, and so is the line that told of it. */
static void an_engine_that_forgets_takes_its_interrupts_along(void **state)
{
    struct mock *mock = *state;
    static const struct {
        uint32_t reg, value;
    } ways[] = {{SOFTGPU_ENGINE_POWER, SOFTGPU_POWER_OFF},
                {SOFTGPU_ENGINE_RESET, SOFTGPU_RESET_KEY}};
    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        mock_start_engine(mock, 0, 0);
        mock_start_engine(mock, 1, 0);
        mock_execute(mock, 0, 0);
        mock_execute(mock, 1, 0);
        mock_write(mock, engine_reg(0, ways[i].reg), ways[i].value);
        assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS), SOFTGPU_INTERRUPT_FENCE(1));
        assert_true(mock->line[0]);
        mock_write(mock, engine_reg(1, ways[i].reg), ways[i].value);
        assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS), 0);
        assert_false(mock->line[0]);
        for (uint32_t j = 0; j < 2; j++)
            mock_write(mock, engine_reg(j, SOFTGPU_ENGINE_POWER), SOFTGPU_POWER_ON);
    }
}

/* An acknowledgement that leaves another bit sends the message once more. */
static void messages_are_not_lost_between_status_and_acknowledgement(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_REG_INTERRUPT_MESSAGES, SOFTGPU_MESSAGE_COUNT);
    mock_start_engine(mock, 1, 0);
    put_word(mock, SOFTGPU_COMMAND(SOFTGPU_OP_INTERRUPT, 1));
    mock_execute(mock, 1, FLAG_P);
    assert_int_equal(mock->rises[0], 0);
    assert_int_equal(mock->rises[1], 2);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_USER(1));
    assert_int_equal(mock->rises[1], 3);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, SOFTGPU_INTERRUPT_FENCE(1));
    assert_false(mock->line[1]);
}

static void context_and_fence_packets(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 2, 0);
    struct softgpu_packet context = {.type_flags = SOFTGPU_PACKET_CONTEXT, .fence_low = 99};
    struct softgpu_packet fence = {.type_flags = SOFTGPU_PACKET_FENCE | SOFTGPU_PACKET_FLAG_FENCE,
                                   .fence_low = 5,
                                   .fence_high = 6};
    mock_submit_packet(mock, 2, &context);
    mock_submit_packet(mock, 2, &fence);
    mock_settle(mock);
    assert_int_equal(mock_read(mock, engine_reg(2, SOFTGPU_ENGINE_CONTEXT)), 99);
    assert_int_equal(mock_fence(mock, 2), 0x600000005ull);
    assert_false(mock->line[0]);
}

/* ---- The chipset's aperture ---- */

/* At the bus's own addresses, for everybody, as far as the driver says. */
static void the_chipsets_aperture_is_seen_where_the_bus_has_it(void **state)
{
    const uint64_t base = MOCK_RAM_BASE + 0x700000;
    struct mock *mock = *state;
    uint32_t value;
    mock_fini(mock);
    mock_init(mock, "vram_mb=1,aperture_mb=4");
    mock_write64(mock, SOFTGPU_REG_AGP_BASE, base);
    mock_write64(mock, SOFTGPU_REG_AGP_SIZE, 2 * SOFTGPU_PAGE_SIZE);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_AGP_BASE), (uint32_t)base);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_AGP_SIZE), 2 * SOFTGPU_PAGE_SIZE);
    mock_start_engine(mock, 0, 0);
    put_write32(mock, base + SOFTGPU_PAGE_SIZE + 16, 0x12345678);
    mock_submit(mock, 0, 0, 1);
    mock_settle(mock);
    assert_int_equal(fault_of(mock, 0), 0);
    memcpy(&value, mock_ram(mock, base + SOFTGPU_PAGE_SIZE + 16), 4);
    assert_int_equal(value, 0x12345678);
    put_write32(mock, base + 2 * SOFTGPU_PAGE_SIZE, 1);
    mock_submit(mock, 0, 0, 2);
    mock_settle(mock);
    assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_ADDRESS);
    mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_AGP_SIZE), 0);
}

/* ---- Faults ---- */

struct hostile {
    uint32_t words[16];
    uint32_t count, engine, flags, reason;
};

static const struct hostile hostile_commands[] = {
    {{0}, 1, 0, 0, SOFTGPU_FAULT_LENGTH},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_NOP, 2)}, 1, 0, 0, SOFTGPU_FAULT_LENGTH},
    {{SOFTGPU_COMMAND(0x7F, 1)}, 1, 0, 0, SOFTGPU_FAULT_OPCODE},
    {{SOFTGPU_COMMAND(0xFFFF, 1)}, 1, 0, 0, SOFTGPU_FAULT_OPCODE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 2)}, 2, 0, 0, SOFTGPU_FAULT_LENGTH},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_INTERRUPT, 1)}, 1, 0, 0, SOFTGPU_FAULT_PRIVILEGE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COMPUTE, 10)}, 10, 0, 0, SOFTGPU_FAULT_OPCODE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_BLT, 1)}, 1, 1, 0, SOFTGPU_FAULT_OPCODE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, 6), 0, 1, 0}, 6, 0, 0, SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, 6), 0, 0x01000000, 0}, 6, 0, 0, SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, 6), 0, 0x00100000, 0x100},
     6,
     0,
     0,
     SOFTGPU_FAULT_PRIVILEGE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, 6), 0, 0, 0x100}, 6, 0, FLAG_P, SOFTGPU_FAULT_BUS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_WRITE, 6), 0, 0, 1}, 6, 0, 0, SOFTGPU_FAULT_PAGE},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_FILL, 6), 0, 0, 0, 0x01000001, 0}, 6, 0, 0, SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_FILL, 6), 0, 16, 0, 0xFFFFFFF8, 0xFFFFFFFF},
     6,
     0,
     0,
     SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COPY, 8), 1}, 8, 0, 0, SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, 10), 0, 0, 0, 4096, 0, 0, 1},
     10,
     0,
     FLAG_P,
     SOFTGPU_FAULT_LENGTH},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, 12), 0, 0, 0, 4096, 0, 0, 1, 0, 0, 1, 0xFFFFFFFF},
     12,
     0,
     FLAG_P,
     SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, 12), 0, 0, 0, 4096, 0, 1, 1},
     12,
     0,
     FLAG_P,
     SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COPY_PAGES, 10), SOFTGPU_PAGES_INDIRECT, 0, 0, 4096, 0, 0,
      0xFFFFFFFF, 8, 0},
     10,
     0,
     FLAG_P,
     SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_MAP_APERTURE, 6), SOFTGPU_MAP_INVALID, 0xFFFFFFFF, 2},
     6,
     1,
     FLAG_P,
     SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COMPUTE, 10), 99}, 10, 2, 0, SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_COMPUTE, 10), 0, 0xFFFFFFFF}, 10, 2, 0, SOFTGPU_FAULT_ADDRESS},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_FLIP, 8), 1, 2}, 8, 0, FLAG_P, SOFTGPU_FAULT_OPERAND},
    {{SOFTGPU_COMMAND(SOFTGPU_OP_FILL_RECT, 12), 0, 0, 0, 400, 1 | 1 << SOFTGPU_FORMAT_BANK_SHIFT,
      100, 100},
     12,
     0,
     0,
     SOFTGPU_FAULT_OPERAND}, /* its rows do not fit in the banks */
    {{SOFTGPU_COMMAND(SOFTGPU_OP_FILL_RECT, 12), 0, 64, 0, 400, 1 | 9 << SOFTGPU_FORMAT_BANK_SHIFT,
      100, 100},
     12,
     0,
     0,
     SOFTGPU_FAULT_OPERAND}, /* no page begins there */
};

static void hostile_commands_fault_with_a_reason(void **state)
{
    struct mock *mock = *state;
    for (unsigned i = 0; i < sizeof(hostile_commands) / sizeof(hostile_commands[0]); i++) {
        const struct hostile *row = &hostile_commands[i];
        mock_start_engine(mock, row->engine, 0);
        put_write32(mock, 0, 1);
        mock_command(mock, row->words, row->count * 4);
        mock_submit(mock, row->engine, row->flags, i + 1);
        mock_settle(mock);
        if (fault_of(mock, row->engine) != row->reason)
            print_message("row %u\n", i);
        assert_int_equal(fault_of(mock, row->engine), row->reason);
        assert_int_equal(mock_read(mock, engine_reg(row->engine, SOFTGPU_ENGINE_FAULT_OFFSET)), 24);
        assert_int_equal(mock_read(mock, engine_reg(row->engine, SOFTGPU_ENGINE_FAULT_FENCE)),
                         i + 1);
        assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS),
                         SOFTGPU_INTERRUPT_FAULT(row->engine));
        assert_true(mock->line[0]);
        mock_write(mock, engine_reg(row->engine, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
        assert_false(mock->line[0]);
        assert_int_equal(fault_of(mock, row->engine), 0);
    }
}

static void buffer_of_another_context_is_a_fault(void **state)
{
    struct mock *mock = *state;
    struct softgpu_packet context = {.type_flags = SOFTGPU_PACKET_CONTEXT, .fence_low = 0x10007};
    struct softgpu_packet buffer = {.type_flags = SOFTGPU_PACKET_EXECUTE |
                                                  SOFTGPU_PACKET_FLAG_OF_CONTEXT |
                                                  7u << SOFTGPU_PACKET_VMID_SHIFT};
    mock_start_engine(mock, 0, 0);
    mock_submit_packet(mock, 0, &context);
    mock_submit_packet(mock, 0, &buffer);
    mock_settle(mock);
    assert_int_equal(fault_of(mock, 0), 0);
    buffer.type_flags ^= 1u << SOFTGPU_PACKET_VMID_SHIFT;
    mock_submit_packet(mock, 0, &buffer);
    mock_settle(mock);
    assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_CONTEXT);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock_start_engine(mock, 0, 0);
    buffer.type_flags ^= 1u << SOFTGPU_PACKET_VMID_SHIFT;
    mock_submit_packet(mock, 0, &buffer); /* a reset forgets the context */
    mock_settle(mock);
    assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_CONTEXT);
}

static void hostile_packets_fault(void **state)
{
    static const struct softgpu_packet table[] = {
        {.type_flags = 9},
        {.type_flags = SOFTGPU_PACKET_NOP | 1u << SOFTGPU_PACKET_VMID_SHIFT},
        {.type_flags = SOFTGPU_PACKET_NOP | 0x8000u},
        {.type_flags = SOFTGPU_PACKET_EXECUTE, .address_low = 2},
        {.type_flags = SOFTGPU_PACKET_EXECUTE, .size_bytes = 3},
        {.type_flags = SOFTGPU_PACKET_EXECUTE, .size_bytes = 4, .start = 8},
    };
    struct mock *mock = *state;
    for (unsigned i = 0; i < sizeof(table) / sizeof(table[0]); i++) {
        mock_start_engine(mock, 0, 0);
        mock_submit_packet(mock, 0, &table[i]);
        mock_settle(mock);
        assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_PACKET);
        mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    }
    mock_start_engine(mock, 0, 0);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RING_TAIL), MOCK_RING_SIZE);
    assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_RING);
}

/* The fence's own address may be bad: of a packet's fence and of a FENCE command's. */
static void a_fence_that_cannot_be_written_is_a_fault(void **state)
{
    struct mock *mock = *state;
    for (unsigned by_command = 0; by_command < 2; by_command++) {
        struct softgpu_command_fence fence = {HEADER(SOFTGPU_OP_FENCE, fence), 0, 1, 0};
        unsigned rises = mock->rises[0];
        mock_start_engine(mock, 0, 0);
        mock_write64(mock, engine_reg(0, SOFTGPU_ENGINE_FENCE_ADDRESS), SOFTGPU_SYSTEM_BASE);
        if (by_command)
            mock_command(mock, &fence, sizeof(fence));
        mock_submit(mock, 0, FLAG_P, 1);
        mock_settle(mock);
        assert_int_equal(fault_of(mock, 0), SOFTGPU_FAULT_BUS);
        assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS), SOFTGPU_INTERRUPT_FAULT(0));
        assert_int_equal(mock->rises[0], rises + 1);
        mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    }
}

static void a_faulted_engine_leaves_the_others_alone(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    mock_start_engine(mock, 1, 0);
    put_word(mock, 0);
    mock_submit(mock, 0, 0, 1);
    put_write32(mock, 8, 3);
    mock_submit(mock, 1, 0, 1);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 0);
    assert_int_equal(mock_fence(mock, 1), 1);
    mock_submit(mock, 0, 0, 2);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 0);
}

/* ---- Preemption ---- */

static uint32_t preempt_read(struct mock *mock, uint32_t reg)
{
    return mock_read(mock, engine_reg(0, reg));
}

static void idle_engine_reports_preemption_at_once(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    mock_execute(mock, 0, 0);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 17);
    mock_run(mock, 1000);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_DONE), 17);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_STATE), SOFTGPU_PREEMPT_IDLE);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_FENCE), 1);
    assert_true(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS) & SOFTGPU_INTERRUPT_PREEMPTED(0));
}

/* A fill is stopped in its middle, other work goes first, and the fill goes on where it was. */
static void a_broken_command_goes_on_where_it_was(void **state)
{
    struct mock *mock = *state;
    const uint64_t block = MOCK_RAM_BASE + 0x8000;
    mock_start_engine(mock, 0, 0);
    mock_write64(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT_ADDRESS), SOFTGPU_SYSTEM_BASE + block);
    put_write32(mock, 0xF00000, 1);
    put_fill(mock, 0, 8 << 20, 0x11223344);
    mock_submit(mock, 0, 0, 1);
    put_write32(mock, 0xF00000, 2);
    mock_submit(mock, 0, 0, 2);
    mock_run(mock, 100000); /* about three of eight slices */
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 5);
    assert_true(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_STATUS)) & SOFTGPU_STATUS_PREEMPTING);
    mock_settle(mock);

    struct softgpu_preempt_block saved;
    memcpy(&saved, mock_ram(mock, block), sizeof(saved));
    assert_int_equal(saved.done, 5);
    assert_int_equal(saved.state, SOFTGPU_PREEMPT_BROKEN);
    assert_int_equal(saved.head, 0);
    assert_int_equal(saved.offset, sizeof(struct softgpu_command_write));
    assert_in_range(saved.progress, 1, 7);
    assert_int_equal(mock_fence(mock, 0), 0);
    assert_int_equal(vram_word(mock, 0xF00000), 1);
    assert_int_equal(vram_word(mock, (saved.progress << 20) - 4), 0x11223344);
    assert_int_equal(vram_word(mock, saved.progress << 20), 0);

    struct softgpu_packet first, second;
    const uint8_t *ring = mock_ram(mock, MOCK_RAM_BASE + 0x1000);
    memcpy(&first, ring, sizeof(first));
    memcpy(&second, ring + sizeof(first), sizeof(second));
    put_write32(mock, 0x10, 0xFEED); /* somebody else's, in the part that is already filled */
    mock_submit(mock, 0, 0, 100);
    first.start = saved.offset;
    first.progress = saved.progress;
    mock_submit_packet(mock, 0, &first);
    mock_submit_packet(mock, 0, &second);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 2);
    assert_int_equal(vram_word(mock, 0x10), 0xFEED);
    assert_int_equal(vram_word(mock, (8 << 20) - 4), 0x11223344);
    assert_int_equal(vram_word(mock, 0xF00000), 2);
}

static void granularity_decides_where_preemption_stops(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, SOFTGPU_CONTROL_GRANULARITY_COMMAND);
    put_fill(mock, 0, 4 << 20, 1);
    put_fill(mock, 0, 4 << 20, 2);
    mock_submit(mock, 0, 0, 1);
    mock_run(mock, 1000);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 1);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_STATE), SOFTGPU_PREEMPT_BROKEN);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_OFFSET), 24);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_PROGRESS), 0);
    assert_int_equal(mock_fence(mock, 0), 0);

    mock_start_engine(mock, 0, SOFTGPU_CONTROL_GRANULARITY_PACKET);
    mock->tail[0] = mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_RING_TAIL));
    put_fill(mock, 0, 4 << 20, 3);
    mock_submit(mock, 0, 0, 2);
    put_fill(mock, 0, 4 << 20, 4);
    mock_submit(mock, 0, 0, 3);
    mock_run(mock, 1000);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 2);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_STATE), SOFTGPU_PREEMPT_QUEUED);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_FENCE), 2);
    assert_int_equal(vram_word(mock, 0), 3);
}

static void an_atomic_packet_is_finished_first(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    put_fill(mock, 0, 4 << 20, 9);
    mock_submit(mock, 0, SOFTGPU_PACKET_FLAG_ATOMIC, 1);
    mock_run(mock, 1000);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 1);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_STATE), SOFTGPU_PREEMPT_IDLE);
    assert_int_equal(mock_fence(mock, 0), 1);
}

static void a_waiting_engine_can_be_preempted(void **state)
{
    struct mock *mock = *state;
    struct softgpu_command_wait wait = {
        .header = HEADER(SOFTGPU_OP_WAIT, wait),
        .condition = SOFTGPU_WAIT_AT_LEAST,
        .address = gpu_address(0x100),
        .value_low = 4,
    };
    mock_start_engine(mock, 0, 0);
    mock_command(mock, &wait, sizeof(wait));
    mock_submit(mock, 0, 0, 1);
    mock_run(mock, 50000000);
    assert_true(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_STATUS)) & SOFTGPU_STATUS_WAITING);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 3);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_DONE), 3);
    assert_int_equal(mock_fence(mock, 0), 0);
}

/* ---- Hang and reset ---- */

static void a_hung_engine_needs_a_reset(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    put_write32(mock, 0, 7);
    put_word(mock, SOFTGPU_COMMAND(SOFTGPU_OP_HANG, 1));
    mock_submit(mock, 0, 0, 1);
    mock_settle(mock);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 1);
    mock_run(mock, 10000000);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_DONE), 0);
    assert_true(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_STATUS)) & SOFTGPU_STATUS_BUSY);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    assert_int_equal(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_STATUS)), 0);
    assert_int_equal(vram_word(mock, 0), 7);
    mock->command_words = mock->command_begin = 0;
    mock_start_engine(mock, 0, 0);
    mock_execute(mock, 0, 0);
}

static void reset_silences_memory(void **state)
{
    struct mock *mock = *state;
    mock_start_engine(mock, 0, 0);
    put_fill(mock, 0, 8 << 20, 5);
    mock_submit(mock, 0, 0, 1);
    mock_run(mock, 50000);
    mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    memset(mock->vram, 0xEE, 16 << 20);
    mock_settle(mock);
    for (uint32_t i = 0; i < 16 << 20; i += 4096)
        assert_int_equal(mock->vram[i], 0xEE);
    assert_int_equal(mock_fence(mock, 0), 0);
    assert_false(mock->line[0]);
}

static void reset_may_lose_video_memory(void **state)
{
    struct mock mock;
    mock_init(&mock, "vram_mb=1,vram_lost=1");
    mock.vram[5] = 1;
    mock_read(&mock, SOFTGPU_REG_ID);
    mock_write(&mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    assert_int_equal(mock.vram[5], 0);
    mock_fini(&mock);
}

/* ---- Test registers ---- */

static void test_registers_need_their_key(void **state)
{
    struct mock *mock = *state;
    mock_write(mock, SOFTGPU_TEST_ENGINE_REG(0, SOFTGPU_TEST_HANG_AFTER), 1);
    mock_write(mock, SOFTGPU_TEST_LOSE_INTERRUPTS, 1);
    mock_start_engine(mock, 0, 0);
    put_write32(mock, 0, 7);
    mock_execute(mock, 0, 0);
    assert_true(mock->line[0]);
}

static void engine_hangs_and_faults_when_told(void **state)
{
    struct mock *mock = *state;
    unlock_test_registers(mock);
    mock_write(mock, SOFTGPU_TEST_ENGINE_REG(0, SOFTGPU_TEST_HANG_AFTER), 2);
    mock_write(mock, SOFTGPU_TEST_ENGINE_REG(1, SOFTGPU_TEST_FAULT_AFTER), 2);
    for (unsigned engine = 0; engine < 2; engine++) {
        mock_start_engine(mock, engine, 0);
        put_write32(mock, 16 * engine, 1);
        put_write32(mock, 16 * engine, 2);
        mock_submit(mock, engine, 0, 1);
        mock_settle(mock);
        assert_int_equal(vram_word(mock, 16 * engine), 1);
        assert_int_equal(mock_fence(mock, engine), 0);
    }
    assert_int_equal(fault_of(mock, 0), 0);
    assert_true(mock_read(mock, engine_reg(0, SOFTGPU_ENGINE_STATUS)) & SOFTGPU_STATUS_BUSY);
    assert_int_equal(fault_of(mock, 1), SOFTGPU_FAULT_INJECTED);
}

static void interrupts_are_lost_delayed_and_made_up(void **state)
{
    struct mock *mock = *state;
    unlock_test_registers(mock);
    mock_start_engine(mock, 0, 0);
    mock_write(mock, SOFTGPU_TEST_LOSE_INTERRUPTS, 1);
    mock_execute(mock, 0, 0);
    assert_int_equal(mock->rises[0], 0);

    mock_write(mock, SOFTGPU_TEST_DELAY_INTERRUPT, 5000000);
    mock_submit(mock, 0, 0, 2);
    mock_run(mock, 4000000);
    assert_int_equal(mock_fence(mock, 0), 2);
    assert_false(mock->line[0]);
    mock_run(mock, 2000000);
    assert_true(mock->line[0]);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, ~0u);
    assert_false(mock->line[0]);

    mock_write(mock, SOFTGPU_TEST_SPURIOUS, 1);
    assert_true(mock->line[0]);
    assert_int_equal(mock_read(mock, SOFTGPU_REG_INTERRUPT_STATUS), 0);
    mock_settle(mock);
    assert_false(mock->line[0]);

    mock_write(mock, SOFTGPU_TEST_STUCK_LINE, 1);
    mock_write(mock, SOFTGPU_REG_INTERRUPT_STATUS, ~0u);
    assert_true(mock->line[0]);
    mock_write(mock, SOFTGPU_TEST_STUCK_LINE, 0);
    assert_false(mock->line[0]);
}

static void a_fence_can_be_wrong_and_a_preemption_ignored(void **state)
{
    struct mock *mock = *state;
    unlock_test_registers(mock);
    mock_start_engine(mock, 0, 0);
    mock_write(mock, SOFTGPU_TEST_ENGINE_REG(0, SOFTGPU_TEST_FENCE_OFFSET), (uint32_t)-3);
    mock_submit(mock, 0, 0, 10);
    mock_settle(mock);
    assert_int_equal(mock_fence(mock, 0), 7);
    mock_write(mock, SOFTGPU_TEST_ENGINE_REG(0, SOFTGPU_TEST_IGNORE_PREEMPT), 1);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 4);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_DONE), 0);
    mock_write(mock, engine_reg(0, SOFTGPU_ENGINE_PREEMPT), 5);
    mock_settle(mock);
    assert_int_equal(preempt_read(mock, SOFTGPU_ENGINE_PREEMPT_DONE), 5);
}

static void memory_is_written_after_reset_when_told(void **state)
{
    struct mock *mock = *state;
    uint64_t value;
    unlock_test_registers(mock);
    mock_write64(mock, SOFTGPU_TEST_LATE_WRITE, SOFTGPU_SYSTEM_BASE + MOCK_RAM_BASE + 0x9000);
    mock_write(mock, SOFTGPU_TEST_LATE_WRITE_DELAY, 1000);
    mock_write(mock, SOFTGPU_REG_RESET, SOFTGPU_RESET_KEY);
    mock_run(mock, 999);
    memcpy(&value, mock_ram(mock, MOCK_RAM_BASE + 0x9000), 8);
    assert_int_equal(value, 0);
    mock_run(mock, 2);
    memcpy(&value, mock_ram(mock, MOCK_RAM_BASE + 0x9000), 8);
    assert_true(value == SOFTGPU_LATE_WRITE_VALUE);
}

#define TEST(name) cmocka_unit_test_setup_teardown(name, setup, teardown)

int main(void)
{
    static const struct CMUnitTest tests[] = {
        TEST(description_names_the_device),
        TEST(bad_options_are_refused),
        TEST(registers_answer_every_width_and_offset),
        TEST(packets_execute_in_order_and_fences_follow),
        TEST(work_takes_its_time),
        TEST(engines_work_side_by_side),
        TEST(interrupt_line_is_up_until_acknowledged),
        TEST(an_engine_that_forgets_takes_its_interrupts_along),
        TEST(messages_are_not_lost_between_status_and_acknowledgement),
        TEST(context_and_fence_packets),
        TEST(the_chipsets_aperture_is_seen_where_the_bus_has_it),
        TEST(hostile_commands_fault_with_a_reason),
        TEST(buffer_of_another_context_is_a_fault),
        TEST(hostile_packets_fault),
        TEST(a_fence_that_cannot_be_written_is_a_fault),
        TEST(a_faulted_engine_leaves_the_others_alone),
        TEST(idle_engine_reports_preemption_at_once),
        TEST(a_broken_command_goes_on_where_it_was),
        TEST(granularity_decides_where_preemption_stops),
        TEST(an_atomic_packet_is_finished_first),
        TEST(a_waiting_engine_can_be_preempted),
        TEST(a_hung_engine_needs_a_reset),
        TEST(reset_silences_memory),
        TEST(reset_may_lose_video_memory),
        TEST(test_registers_need_their_key),
        TEST(engine_hangs_and_faults_when_told),
        TEST(interrupts_are_lost_delayed_and_made_up),
        TEST(a_fence_can_be_wrong_and_a_preemption_ignored),
        TEST(memory_is_written_after_reset_when_told),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
