/* A backend whose clock and hardware the test moves by hand: a packet ends when the test says so.
 */
#ifndef TESTS_VIDSCH_MOCK_H
#define TESTS_VIDSCH_MOCK_H

/* clang-format off */
#include <stdarg.h>
#include <stddef.h>
#include <setjmp.h>
#include <stdint.h>
#include <cmocka.h>
/* clang-format on */

#include "vidsch/vidsch.h"

#define MOCK_LOG_MAX 256

struct mock;

struct mock_packet {
    struct vidsch_packet base;
    struct mock *mock;
    unsigned number; /* the test's name for it */
    unsigned done_count;
    unsigned cancel_count;
    unsigned prepare_count;
    NTSTATUS status;
    /* What the backend will do with it. */
    enum vidsch_prepare prepare;
    enum vidsch_submit submit;
    struct vidsch_context *loses; /* this queue is lost while submit() has the packet; or NULL */
    NTSTATUS failure;
    struct mock_packet *rest; /* pushed behind it by prepare(), once */
    bool complete_at_once;    /* reported from inside submit(), or execute() completes it */
    struct sync_object *signals;
    uint64_t signal_value;
};

struct mock_submission {
    unsigned node_index;
    unsigned number;
    uint32_t fence_id;
    unsigned resubmission_count;
};

struct mock {
    struct vidsch vidsch;
    uint64_t now_ns;
    uint64_t armed_ns;
    bool may_step;
    bool answers_query;
    uint32_t query_answer;
    unsigned kicks, queries;

    struct mock_submission submitted[MOCK_LOG_MAX];
    unsigned submitted_count;
    unsigned done[MOCK_LOG_MAX]; /* numbers, in the order of done() */
    unsigned done_count;
    unsigned preempted_node;
    uint32_t preemption_id;
    unsigned preempt_count;
    enum vidsch_preempt_reason preempt_reason;
    unsigned timed_out_count;
    struct vidsch_packet *timed_out_packet;
    bool reset_inside; /* timed_out() carries the whole reset out */
    struct vidsch_context *hit[8];
    unsigned hit_count;
};

extern struct vidsch_backend mock_backend; /* a test may take callbacks out of a copy */

void mock_init(struct mock *mock, unsigned node_count);
void mock_init_with(struct mock *mock, const struct vidsch_backend *backend,
                    const struct vidsch_config *config);
void mock_fini(struct mock *mock);
void mock_context(struct mock *mock, struct vidsch_context *context, unsigned node_index,
                  unsigned priority);
void mock_system_context(struct mock *mock, struct vidsch_context *context, unsigned node_index);
/* Fills the packet in, ready for a push; does not push. */
void mock_packet(struct mock *mock, struct mock_packet *packet, unsigned number,
                 enum vidsch_packet_kind kind);
void mock_push(struct mock *mock, struct vidsch_context *context, struct mock_packet *packet,
               unsigned number, enum vidsch_packet_kind kind);
/* Moves the clock and ticks as often as the scheduler asked to be. */
void mock_advance(struct mock *mock, uint64_t ns);
/* The numbers submitted, or done, so far, in order. */
void mock_assert_submitted(const struct mock *mock, unsigned count, const unsigned *numbers);
void mock_assert_done(const struct mock *mock, unsigned count, const unsigned *numbers);

#define ASSERT_SUBMITTED(mock, ...)                                                   \
    mock_assert_submitted(mock, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), \
                          (unsigned[]){__VA_ARGS__})
#define ASSERT_DONE(mock, ...)                                                   \
    mock_assert_done(mock, sizeof((unsigned[]){__VA_ARGS__}) / sizeof(unsigned), \
                     (unsigned[]){__VA_ARGS__})

#endif
