/* Contexts that an engine enters and leaves: the state that it counts in, and the state that it
 * keeps until it leaves. */
#include "mock.h"

#include <stdlib.h>

#define ENGINE  0u
#define CONTEXT 7u
#define PLACE   (MOCK_RAM_BASE + 0x10000)
#define OTHER   (MOCK_RAM_BASE + 0x20000)
#define COUNTED SOFTGPU_PACKET_FLAG_STATE
#define KEPT    (SOFTGPU_PACKET_FLAG_STATE | SOFTGPU_PACKET_FLAG_KEEP)

static int setup(void **state)
{
    struct mock *mock = calloc(1, sizeof(*mock));
    mock_init(mock, "vram_mb=4,outputs=0");
    mock_start_engine(mock, ENGINE, 0);
    *(struct softgpu_context_state *)mock_ram(mock, PLACE) =
        (struct softgpu_context_state){.magic = SOFTGPU_STATE_MAGIC, .context = CONTEXT};
    *state = mock;
    return 0;
}

static int teardown(void **state)
{
    mock_fini(*state);
    free(*state);
    return 0;
}

static struct softgpu_context_state *state_at(struct mock *mock, uint64_t place)
{
    return mock_ram(mock, place);
}

static void move(struct mock *mock, uint64_t from, uint64_t to)
{
    *state_at(mock, to) = *state_at(mock, from);
    memset(state_at(mock, from), 0xCC, sizeof(struct softgpu_context_state));
}

/* The engine comes to the context, whose state lies at place; returns why it stopped, or 0. */
static uint32_t enter(struct mock *mock, uint32_t context, uint32_t flags, uint64_t place)
{
    uint64_t address = SOFTGPU_SYSTEM_BASE + place;
    struct softgpu_packet packet = {.type_flags = SOFTGPU_PACKET_CONTEXT | flags,
                                    .fence_low = context,
                                    .address_low = (uint32_t)address,
                                    .address_high = (uint32_t)(address >> 32)};
    mock_submit_packet(mock, ENGINE, &packet);
    mock_settle(mock);
    return mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_REASON));
}

static uint32_t leave(struct mock *mock)
{
    struct softgpu_packet nobody = {.type_flags = SOFTGPU_PACKET_CONTEXT};
    mock_submit_packet(mock, ENGINE, &nobody);
    mock_settle(mock);
    return mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_REASON));
}

static void assert_faulted_at(struct mock *mock, uint64_t place)
{
    uint64_t low = mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_ADDRESS));
    uint64_t high = mock_read(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_FAULT_ADDRESS) + 4);
    assert_int_equal(low | high << 32, SOFTGPU_SYSTEM_BASE + place);
}

static void a_state_counts_how_often_it_was_entered(void **state)
{
    struct mock *mock = *state;
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(enter(mock, CONTEXT, COUNTED, PLACE), 0);
        assert_int_equal(state_at(mock, PLACE)->entered_low, i);
        assert_int_equal(leave(mock), 0);
        assert_int_equal(state_at(mock, PLACE)->left_low, 0); /* it keeps none of it */
    }
}

static void the_state_of_another_is_refused(void **state)
{
    struct mock *mock = *state;
    assert_int_equal(enter(mock, CONTEXT + 1, COUNTED, PLACE), SOFTGPU_FAULT_STATE);
    assert_faulted_at(mock, PLACE);
    assert_int_equal(state_at(mock, PLACE)->entered_low, 0);
}

static void what_is_no_state_is_refused(void **state)
{
    struct mock *mock = *state;
    assert_int_equal(enter(mock, CONTEXT, KEPT, OTHER), SOFTGPU_FAULT_STATE);
    assert_faulted_at(mock, OTHER);
}

static void a_kept_state_is_written_back_when_the_engine_leaves(void **state)
{
    struct mock *mock = *state;
    for (uint32_t i = 1; i <= 3; i++) {
        assert_int_equal(enter(mock, CONTEXT, KEPT, PLACE), 0);
        assert_int_equal(state_at(mock, PLACE)->entered_low, i);
        assert_int_equal(state_at(mock, PLACE)->left_low, i - 1);
        assert_int_equal(leave(mock), 0);
        assert_int_equal(state_at(mock, PLACE)->left_low, i);
    }
    move(mock, PLACE, OTHER); /* the engine has left it: nothing holds it */
    assert_int_equal(enter(mock, CONTEXT, KEPT, OTHER), 0);
}

static void a_state_that_went_while_it_was_kept_is_missed_at_leaving(void **state)
{
    struct mock *mock = *state;
    assert_int_equal(enter(mock, CONTEXT, KEPT, PLACE), 0);
    move(mock, PLACE, OTHER);
    assert_int_equal(leave(mock), SOFTGPU_FAULT_LEFT);
    assert_faulted_at(mock, PLACE);
}

static void a_copy_made_while_it_was_kept_is_old(void **state)
{
    struct mock *mock = *state;
    assert_int_equal(enter(mock, CONTEXT, KEPT, PLACE), 0);
    *state_at(mock, OTHER) = *state_at(mock, PLACE);
    assert_int_equal(leave(mock), 0); /* what was written back lies where nobody looks any more */
    assert_int_equal(enter(mock, CONTEXT, KEPT, OTHER), SOFTGPU_FAULT_LEFT);
    assert_faulted_at(mock, OTHER);
}

static void a_reset_forgets_what_is_kept(void **state)
{
    struct mock *mock = *state;
    assert_int_equal(enter(mock, CONTEXT, KEPT, PLACE), 0);
    move(mock, PLACE, OTHER);
    mock_write(mock, engine_reg(ENGINE, SOFTGPU_ENGINE_RESET), SOFTGPU_RESET_KEY);
    mock->tail[ENGINE] = 0;
    mock_start_engine(mock, ENGINE, 0);
    assert_int_equal(leave(mock), 0);
    assert_int_equal(enter(mock, CONTEXT, KEPT, OTHER), 0);
    assert_int_equal(state_at(mock, OTHER)->entered_low, 2);
}

int main(void)
{
#define CASE(name) cmocka_unit_test_setup_teardown(name, setup, teardown)
    const struct CMUnitTest tests[] = {
        CASE(a_state_counts_how_often_it_was_entered),
        CASE(the_state_of_another_is_refused),
        CASE(what_is_no_state_is_refused),
        CASE(a_kept_state_is_written_back_when_the_engine_leaves),
        CASE(a_state_that_went_while_it_was_kept_is_missed_at_leaving),
        CASE(a_copy_made_while_it_was_kept_is_old),
        CASE(a_reset_forgets_what_is_kept),
    };

    return cmocka_run_group_tests_name("context", tests, NULL, NULL);
}
