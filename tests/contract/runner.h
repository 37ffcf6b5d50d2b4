/* runner: one run of a driver in a child process, and what came of it. */
#ifndef CONTRACT_RUNNER_H
#define CONTRACT_RUNNER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/record.h"
#include "host/host.h"

struct runner_setup {
    const char *module;    /* path of an ELF module, or */
    const char *image;     /* of a .sys */
    unsigned misbehaviour; /* number of the row; 0: none */
    unsigned scene;        /* enum scene */
    unsigned watchdog_ms;
    enum host_special_pool special_pool;
    uint64_t time_limit_ns; /* of virtual time; 0: the host's own */
    void (*before)(void);   /* in the child, before the run; may be NULL */
};

struct runner_result {
    enum run_outcome outcome;
    char message[1024];
    bool died;         /* the child ended by a signal */
    unsigned failures; /* of the scene */
    char failure[160];
    unsigned breach_count;
    struct record_breach breaches[32];
    uint64_t rule_checks[RECORD_JUDGED_COUNT][RECORD_RULES_MAX];
};

void runner_run(const struct runner_setup *setup, struct runner_result *result);
/* All breaches are of this rule ("SUBMIT-003"), and there is one. Prints what there is otherwise.
 */
bool runner_only(const struct runner_result *result, const char *rule);
/* One of them is. */
bool runner_among(const struct runner_result *result, const char *rule);
void runner_print(const struct runner_result *result);

#endif
