/* Plug-ins that the user names: device models, scheduling policies and workloads, built in or
 * libraries of anybody's.
 * A library is loaded here, before the run gives up its rights; its code runs behind them. */
#include "drydock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/option.h"
#include "loading.h"
#include "softgpu/softgpu.h"
#include "vidsch/vidsch.h"
#include "workloads.h"

#define POLICY_STATE_MAX (1u << 20)

/* "./mine.so,lanes=4" in its two parts; options is NULL if there are none. */
struct plugin_word {
    char name[LOADING_NAME_MAX];
    const char *options;
};

static bool split(const char *option, const char *word, struct plugin_word *out, char *error,
                  size_t error_size)
{
    const char *comma = strchr(word, ',');
    size_t length = comma ? (size_t)(comma - word) : strlen(word);

    if (length >= sizeof out->name) {
        snprintf(error, error_size, "--%s: the name is too long", option);
        return false;
    }
    memcpy(out->name, word, length);
    out->name[length] = '\0';
    out->options = comma ? comma + 1 : NULL;
    return true;
}

/* ---- Device models --------------------------------------------------------------------------- */

/* "vram_mb=32" alone is said to the built-in device. */
static bool is_options_alone(const char *word)
{
    size_t plain = strcspn(word, ",=/");

    return word[plain] == '=';
}

bool device_choose(struct options *options, char *error, size_t error_size)
{
    static struct plugin_word word;
    struct host_options *host = &options->host;
    struct option_values values;
    char why[512];

    host->device_model = &softgpu_model;
    if (!options->device) {
        return true;
    }
    if (is_options_alone(options->device)) {
        host->device_options = options->device;
    } else if (!split("device", options->device, &word, error, error_size)) {
        return false;
    } else if (strchr(word.name, '/')) {
        loading_begin(word.name);
        host->device_model =
            loading_symbol("device", word.name, DRYDOCK_DEVICE_SYMBOL, error, error_size);
        loading_end();
        loading_tell(host);
        host->device_path = word.name;
        host->device_options = word.options;
        return host->device_model != NULL;
    } else if (strcmp(word.name, softgpu_model.name) == 0) {
        host->device_options = word.options;
    } else {
        snprintf(error, error_size,
                 "--device %s: no such device; there is softgpu, and a library needs a path",
                 word.name);
        return false;
    }
    if (!option_values_read(&values, softgpu_model.options, host->device_options, why,
                            sizeof why)) {
        snprintf(error, error_size, "--device: %s", why);
        return false;
    }
    return true;
}

/* ---- Scheduling policies --------------------------------------------------------------------- */

static bool take_builtin_policy(struct options *options, char *error, size_t error_size)
{
    static const struct vidsch_policy *const policies[] = {&vidsch_policy_priority,
                                                           &vidsch_policy_fifo};

    for (size_t i = 0; i < sizeof policies / sizeof *policies; i++) {
        if (strcmp(options->policy, policies[i]->name) == 0) {
            options->host.policy_builtin = policies[i];
            return true;
        }
    }
    snprintf(error, error_size,
             "--policy %s: no such policy; there are priority and fifo, and a library needs a path",
             options->policy);
    return false;
}

bool policy_choose(struct options *options, char *error, size_t error_size)
{
    const struct drydock_policy *policy;

    if (!options->policy) {
        return true;
    }
    if (!strchr(options->policy, '/')) {
        return take_builtin_policy(options, error, error_size);
    }
    loading_begin(options->policy);
    policy = loading_symbol("policy", options->policy, DRYDOCK_POLICY_SYMBOL, error, error_size);
    loading_end();
    loading_tell(&options->host);
    if (!policy) {
        return false;
    }
    if (policy->abi == 0 || policy->abi > DRYDOCK_POLICY_ABI) {
        snprintf(error, error_size,
                 "--policy %s: it is made for version %u of drydock/policy.h, this Drydock has %u",
                 options->policy, policy->abi, DRYDOCK_POLICY_ABI);
        return false;
    }
    if (!policy->name || !policy->pick || policy->state_bytes > POLICY_STATE_MAX) {
        snprintf(error, error_size,
                 "--policy %s: it has no name or no pick(), or wants more than "
                 "%u bytes for a node",
                 options->policy, POLICY_STATE_MAX);
        return false;
    }
    options->host.policy = policy;
    options->host.policy_path = options->policy;
    return true;
}

/* ---- Workloads ------------------------------------------------------------------------------- */

static const struct drydock_workload *find_workload(const char *name, char *error,
                                                    size_t error_size)
{
    const struct drydock_workload *workload;

    if (!strchr(name, '/')) {
        workload = workload_builtin(name);
        if (!workload) {
            snprintf(error, error_size, "--workload %s: no such workload; a library needs a path",
                     name);
        }
        return workload;
    }
    workload = loading_symbol("workload", name, DRYDOCK_WORKLOAD_SYMBOL, error, error_size);
    if (workload && (workload->abi == 0 || workload->abi > DRYDOCK_WORKLOAD_ABI)) {
        snprintf(error, error_size,
                 "--workload %s: it is made for version %u of drydock/workload.h, this Drydock "
                 "has %u",
                 name, workload->abi, DRYDOCK_WORKLOAD_ABI);
        return NULL;
    }
    /* The name is read to its end: reports do, too. */
    if (workload && (!workload->name || !workload->run || strlen(workload->name) == 0)) {
        snprintf(error, error_size, "--workload %s: it has no name or no run()", name);
        return NULL;
    }
    return workload;
}

static bool take_workload(struct options *options, const char *text, char *error, size_t error_size)
{
    static struct option_values values[HOST_WORKLOADS_MAX];
    static char paths[HOST_WORKLOADS_MAX][sizeof((struct plugin_word *)NULL)->name];
    struct host_options *host = &options->host;
    unsigned place = host->workload_count;
    struct plugin_word word;
    char why[512];

    if (!split("workload", text, &word, error, error_size)) {
        return false;
    }
    loading_begin(word.name);
    const struct drydock_workload *workload = find_workload(word.name, error, error_size);
    bool fine = workload != NULL;
    if (fine && !option_values_read(&values[place], workload->abi >= 2 ? workload->options : NULL,
                                    word.options, why, sizeof why)) {
        snprintf(error, error_size, "--workload %s: %s", word.name, why);
        fine = false;
    }
    loading_end();
    loading_tell(host);
    if (!fine) {
        return false;
    }
    host->workloads[place] = workload;
    host->workload_ends[place] = workload_ends(workload);
    if (strchr(word.name, '/')) {
        memcpy(paths[place], word.name, sizeof word.name);
        host->workload_paths[place] = paths[place];
    }
    host->workload_values[place] = values[place].values;
    host->workload_count++;
    return true;
}

static bool has_room(const struct host_options *host, char *error, size_t error_size)
{
    if (host->workload_count == HOST_WORKLOADS_MAX) {
        snprintf(error, error_size, "--workload: more than %u workloads", HOST_WORKLOADS_MAX);
    }
    return host->workload_count < HOST_WORKLOADS_MAX;
}

static bool take_all_workloads(struct options *options, char *error, size_t error_size)
{
    for (unsigned i = 0; workload_builtin_at(i); i++) {
        if (!has_room(&options->host, error, error_size) ||
            !take_workload(options, workload_builtin_at(i)->name, error, error_size)) {
            return false;
        }
    }
    return true;
}

bool workloads_choose(struct options *options, char *error, size_t error_size)
{
    bool fine = options->workload_count > 0 || take_all_workloads(options, error, error_size);

    for (unsigned i = 0; i < options->workload_count && fine; i++) {
        if (strcmp(options->workloads[i], WORKLOADS_ALL) == 0) {
            fine = take_all_workloads(options, error, error_size);
        } else if (strcmp(options->workloads[i], WORKLOADS_NONE) == 0) {
            options->host.workload_count = 0;
        } else {
            fine = has_room(&options->host, error, error_size) &&
                   take_workload(options, options->workloads[i], error, error_size);
        }
    }
    return fine;
}
