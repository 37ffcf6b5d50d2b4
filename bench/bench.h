/* bench.h: measures rows against each other.
 *
 * A *table* is a list of *rows* that do comparable work. All rows run once in each *round*, in
 * turn, so a machine that is slow for a while slows all of them alike; what counts are medians over
 * the rounds, and the median of the rounds' ratios to the table's first row, the limit or the peer.
 *
 * *     bench_table("empty work");
 *     bench_row(&(struct bench_work){.name = "bare call", .run = bare_call});
 *     bench_row(&(struct bench_work){.name = "the whole way", .run = whole_way, .context =
 * &state}); bench_run();
 *
 * prints
 *
 *     empty work                     median       p10       p90     x first
 *       bare call                    1.1 ns       1.1       1.2        1.00
 *       the whole way              900.0 ns     880.1     950.7      818.00
 *
 * For rows that move bytes the table shows GB/s, and ratios of speed. One thread calls all of it.
 */
#ifndef BENCH_BENCH_H
#define BENCH_BENCH_H

#include <stdbool.h>
#include <stdint.h>

/* Does the row's work `repeat` times. */
typedef void bench_function(void *context, unsigned repeat);

/* Real time; never 0. */
double bench_now_ns(void);

/* Takes the options that every benchmark has off the command line: --rounds N, --quick (three
 * rounds), --json; for profilers --only PART (of the names of rows), --table PART (of the titles
 * of tables) and --times N (how often each row runs in a round, without warming up). False after a
 * usage message. */
bool bench_options(int *argc, char **argv);
bool bench_is_quick(void);

/* False: it is not asked for, and need not be run. */
bool bench_table(const char *title);
/* bytes: moved by one repetition; 0: the table is in nanoseconds. target_ns: how long one round of
 * the row should take, 0 for two milliseconds; the number of repetitions follows from it, but is
 * at most repeat_max if that is not 0. */
struct bench_work {
    const char *name;
    bench_function *run;
    void *context;
    uint64_t bytes;
    double target_ns;
    unsigned repeat_max;
    double items; /* that one repetition counts for; 0: one */
};
void bench_row(const struct bench_work *work);
/* Measures and prints. */
void bench_run(void);
/* After bench_run(): the median in nanoseconds an item, and the ratio to the first row. */
double bench_median(unsigned row);
double bench_ratio(unsigned row);

#endif
