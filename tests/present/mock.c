/* A screen whose vertical syncs the test makes by hand. */
#include "mock.h"

static struct mock *mock_of(struct present_source *source)
{
    return container_of(source, struct mock, source);
}

static struct mock_flip *flip_of(struct present_flip *base)
{
    return container_of(base, struct mock_flip, base);
}

static NTSTATUS mock_program(struct present_source *source, struct present_flip *base)
{
    struct mock *mock = mock_of(source);
    struct mock_flip *flip = flip_of(base);
    NTSTATUS refusal = flip->refusal;

    assert_int_equal(flip->done_count, 0);
    assert_true(mock->programmed_count < MOCK_LOG_MAX);
    mock->programmed[mock->programmed_count++] = flip->number;
    if (NT_SUCCESS(refusal) && refusal != STATUS_RETRY) {
        mock->on_hardware++;
        mock->on_hardware_max =
            mock->on_hardware > mock->on_hardware_max ? mock->on_hardware : mock->on_hardware_max;
    }
    if (flip->latched_inside) {
        mock_sync(mock, flip->number);
    } else if (flip->cancelled_inside) {
        present_source_cancel(source, STATUS_CANCELLED);
    }
    assert_int_equal(flip->done_count, 0); /* it is ours until we return */
    base->retry = refusal == STATUS_RETRY;
    return refusal;
}

static void mock_vsync(struct present_source *source)
{
    mock_of(source)->syncs++;
}

static void mock_done(struct present_flip *base, NTSTATUS status)
{
    struct mock_flip *flip = flip_of(base);
    struct mock *mock = flip->mock;

    flip->done_count++;
    flip->status = status;
    assert_true(mock->done_count < MOCK_LOG_MAX);
    mock->done[mock->done_count++] = flip->number;
    if (NT_SUCCESS(status)) {
        assert_true(mock->on_hardware > 0);
        mock->on_hardware--;
    }
}

void mock_init(struct mock *mock, unsigned programmed_max)
{
    static const struct present_backend backend = {.program = mock_program, .vsync = mock_vsync};

    *mock = (struct mock){0};
    present_source_init(&mock->source, &backend, 0, programmed_max);
}

void mock_fini(struct mock *mock)
{
    present_source_fini(&mock->source);
}

void mock_flip_init(struct mock *mock, struct mock_flip *flip, unsigned number, unsigned interval)
{
    *flip = (struct mock_flip){
        .base = {.address = number * 0x1000ull, .interval = interval, .done = mock_done},
        .mock = mock,
        .number = number,
    };
}

void mock_push(struct mock *mock, struct mock_flip *flip, unsigned number, unsigned interval)
{
    mock_flip_init(mock, flip, number, interval);
    present_flip_push(&mock->source, &flip->base);
}

void mock_sync(struct mock *mock, unsigned number)
{
    present_vsync(&mock->source, number * 0x1000ull);
}
