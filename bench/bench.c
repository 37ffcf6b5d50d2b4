/* Rounds, medians and the tables they are printed in. */
#include "bench.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#define ROWS_MAX   16
#define ROUNDS_MAX 101
#define TARGET_NS  2e6

static struct {
    char title[96];
    struct bench_work rows[ROWS_MAX];
    unsigned repeat[ROWS_MAX];
    double times[ROWS_MAX][ROUNDS_MAX]; /* ns an item, in the order of the rounds */
    unsigned count;
} table;

static unsigned rounds = 15;
static bool json;
static const char *only;  /* a part of the names of rows to run beside the first */
static const char *among; /* a part of the titles of tables to run */
static unsigned times;    /* that each row runs in a round; 0: until a round is long enough */

double bench_now_ns(void)
{
    struct timespec time;

    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec * 1e9 + (double)time.tv_nsec + 1;
}

/* ---- Options ----------------------------------------------------------------------------- */

static void drop_argument(int *argc, char **argv, int index)
{
    memmove(&argv[index], &argv[index + 1], (size_t)(*argc - index) * sizeof(*argv));
    (*argc)--;
}

bool bench_options(int *argc, char **argv)
{
    for (int i = 1; i < *argc;) {
        if (strcmp(argv[i], "--json") == 0) {
            json = true;
        } else if (strcmp(argv[i], "--quick") == 0) {
            rounds = 3;
        } else if (strcmp(argv[i], "--rounds") == 0 && i + 1 < *argc) {
            rounds = (unsigned)strtoul(argv[i + 1], NULL, 10);
            drop_argument(argc, argv, i);
        } else if (strcmp(argv[i], "--only") == 0 && i + 1 < *argc) {
            only = argv[i + 1];
            drop_argument(argc, argv, i);
        } else if (strcmp(argv[i], "--table") == 0 && i + 1 < *argc) {
            among = argv[i + 1];
            drop_argument(argc, argv, i);
        } else if (strcmp(argv[i], "--times") == 0 && i + 1 < *argc) {
            times = (unsigned)strtoul(argv[i + 1], NULL, 10);
            drop_argument(argc, argv, i);
        } else if (strncmp(argv[i], "--", 2) == 0) {
            fprintf(stderr,
                    "usage: %s [--rounds N] [--quick] [--times N] [--table PART] [--only PART] "
                    "[--json] ...\n",
                    argv[0]);
            return false;
        } else {
            i++;
            continue;
        }
        drop_argument(argc, argv, i);
    }
    if (rounds < 1 || rounds > ROUNDS_MAX) {
        fprintf(stderr, "%s: between 1 and %d rounds\n", argv[0], ROUNDS_MAX);
        return false;
    }
    return true;
}

bool bench_is_quick(void)
{
    return rounds <= 3;
}

/* ---- Measuring --------------------------------------------------------------------------- */

bool bench_table(const char *title)
{
    memset(&table, 0, sizeof(table));
    snprintf(table.title, sizeof(table.title), "%s", title);
    return !among || strstr(title, among);
}

void bench_row(const struct bench_work *work)
{
    if (only && table.count > 0 && !strstr(work->name, only)) {
        return;
    }
    if (table.count == ROWS_MAX) {
        fprintf(stderr, "bench: too many rows in \"%s\"\n", table.title);
        exit(3);
    }
    table.rows[table.count] = *work;
    if (work->items <= 0) {
        table.rows[table.count].items = 1;
    }
    table.count++;
}

static double run_once(const struct bench_work *work, unsigned repeat)
{
    double begin = bench_now_ns();

    work->run(work->context, repeat);
    return (bench_now_ns() - begin) / repeat / work->items;
}

/* Doubles the repetitions until a round is long enough; warms up on the way. */
static unsigned choose_repeat(const struct bench_work *work)
{
    double target = work->target_ns > 0 ? work->target_ns : TARGET_NS;
    unsigned repeat = 1;

    while (run_once(work, repeat) * work->items * repeat < target) {
        if ((work->repeat_max && repeat * 2 > work->repeat_max) || repeat > 1u << 28) {
            break;
        }
        repeat *= 2;
    }
    return repeat;
}

static int compare(const void *a, const void *b)
{
    double left = *(const double *)a, right = *(const double *)b;

    return left < right ? -1 : left > right;
}

/* values is changed: sorted. */
static double quantile(double *values, double part)
{
    qsort(values, rounds, sizeof(*values), compare);
    return values[(unsigned)(part * (rounds - 1) + 0.5)];
}

static double row_quantile(unsigned row, double part)
{
    double values[ROUNDS_MAX];

    memcpy(values, table.times[row], rounds * sizeof(*values));
    return quantile(values, part);
}

double bench_median(unsigned row)
{
    return row_quantile(row, 0.5);
}

/* Of times; for bytes the reverse, of speeds. */
double bench_ratio(unsigned row)
{
    double ratios[ROUNDS_MAX];

    for (unsigned i = 0; i < rounds; i++) {
        double ratio = table.times[row][i] / table.times[0][i];
        ratios[i] = table.rows[row].bytes ? 1 / ratio : ratio;
    }
    return quantile(ratios, 0.5);
}

/* ---- Printing ---------------------------------------------------------------------------- */

static void print_row(unsigned row)
{
    const struct bench_work *work = &table.rows[row];
    double median = bench_median(row), p10 = row_quantile(row, 0.1), p90 = row_quantile(row, 0.9);

    if (work->bytes) {
        double bytes = (double)work->bytes;
        printf("  %-44s %10.2f GB/s %10.2f %10.2f %10.3f\n", work->name, bytes / median,
               bytes / p90, bytes / p10, bench_ratio(row));
    } else {
        printf("  %-44s %10.1f ns   %10.1f %10.1f %10.3f\n", work->name, median, p10, p90,
               bench_ratio(row));
    }
}

static void print_table(void)
{
    printf("%-46s %10s      %10s %10s %10s\n", table.title, "median", "p10", "p90", "x first");
    for (unsigned i = 0; i < table.count; i++) {
        print_row(i);
    }
    printf("\n");
    fflush(stdout);
}

/* One object a line. Titles and names hold no character that JSON would have to escape. */
static void print_json(void)
{
    for (unsigned i = 0; i < table.count; i++) {
        printf("{\"table\":\"%s\",\"row\":\"%s\",\"bytes\":%llu,\"ns_median\":%.4g,"
               "\"ns_p10\":%.4g,\"ns_p90\":%.4g,\"ratio\":%.4g,\"rounds\":%u}\n",
               table.title, table.rows[i].name, (unsigned long long)table.rows[i].bytes,
               bench_median(i), row_quantile(i, 0.1), row_quantile(i, 0.9), bench_ratio(i), rounds);
    }
    fflush(stdout);
}

void bench_run(void)
{
    for (unsigned row = 0; row < table.count; row++) {
        table.repeat[row] = times ? times : choose_repeat(&table.rows[row]);
    }
    for (unsigned round = 0; round < rounds; round++) {
        for (unsigned row = 0; row < table.count; row++) {
            table.times[row][round] = run_once(&table.rows[row], table.repeat[row]);
        }
    }
    if (json) {
        print_json();
    } else {
        print_table();
    }
}
