/* Cases of planes_test.c: a driver that queues flips, and what is taken back of them. */
#ifndef CONTRACT_PLANES_QUEUED_H
#define CONTRACT_PLANES_QUEUED_H

/* A driver that queues flips, and is told of none. */
static void queue_flips(UINT logs)
{
    says.caps.MaxHwQueuedFlips = 4;
    says.caps.WDDMVersion = DXGKDDI_WDDMv3_0;
    says.first = STATUS_SUCCESS;
    says.output = 0;
    asks.set.TargetFlipTime = 1000;
    asks.logs = logs;
    asks.notices = 0;
    asks.posts = false;
}

/* In an hour: it is taken back. */
static void cancel_an_interlocked_flip(void)
{
    queue_flips(PLANES);
    asks.set.TargetFlipTime = UINT64_C(36000000000);
    asks.cancels = PLANES;
    says.cancelled[0] = says.cancelled[1] = 7;
}

/* What went counts no more: the next flip may be for an earlier time. */
static void goes_on_before_what_was_taken_back(void)
{
    cancel_an_interlocked_flip();
    asks.later = true;
}

static void cancels_a_half(void)
{
    cancel_an_interlocked_flip();
    says.cancelled[1] = 0;
}

static void takes_a_half_back(void)
{
    cancel_an_interlocked_flip();
    asks.cancels = 1;
}

static void takes_two_flips_back_at_once(void)
{
    cancel_an_interlocked_flip();
    asks.planes[1].PresentId = 8;
}

static void gives_a_log_to_the_top_alone(void)
{
    queue_flips(1);
}

static void goes_back_in_time(void)
{
    queue_flips(PLANES);
    asks.earlier = true;
}

/* In an hour. */
static void takes_the_log_from_a_flip_that_waits(void)
{
    queue_flips(PLANES);
    asks.set.TargetFlipTime = UINT64_C(36000000000);
    asks.taken = true;
}

/* The same, when the log has it. */
static void takes_the_log_from_a_flip_that_was_told(void)
{
    takes_the_log_from_a_flip_that_waits();
    log_of[0][2].PresentId = log_of[1][2].PresentId = asks.planes[0].PresentId;
}

static void takes_the_log_from_a_flip_whose_time_has_come(void)
{
    queue_flips(PLANES);
    asks.set.TargetFlipTime = 0;
    asks.taken = true;
}

#endif
