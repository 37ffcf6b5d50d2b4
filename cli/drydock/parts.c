/* The parts of a run: plans them, gathers what they need, has them run, each from power-on to
 * power-off with a record of its own.
 *
 *     calm       as the user said
 *     varied-1   shorter, with a seed of its own, and some of the variations on
 *     varied-2   and so on; see vary_set_choose()
 *     addresses-1 ... of a driver that has settings for GPU virtual addresses: with them, and with
 *                work alone that uses such addresses
 *
 * What a varied part finds is looked for again with fewer variations; see needs.c.
 * --vary makes it one part, with exactly those variations; so the command that replays any part is
 * the one that was given with --seed, --vary and --duration behind it. */
#include "drydock.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <xxhash.h>

#include "base/file.h"
#include "inf.h"
#include "lines.h"

#define EVENTS_KEPT         (UINT64_C(1) << 20)
#define BLOB_BYTES          (UINT64_C(512) << 20)
#define PARTS_AT_ONCE       2 /* on a larger computer, too: a run is a good neighbour */
#define VARIED_SHORTER      8 /* than the calm part, so many times */
#define VARIED_DURATION_MIN UINT64_C(1000000)
#define LITTLE_EVENTS       UINT64_C(300000) /* of all parts together */
#define LITTLE_PARTS        13
#define ADDRESS_PARTS       8 /* for drivers with settings for GPU virtual addresses */
#define HANGING_PARTS       3 /* the last of these: one at least has hardware queues */
/* Of the built-in device, if the user said nothing of it: there is less to page. */
#define VARIED_DEVICE "vram_mb=32"

/* ---- What the run needs ---------------------------------------------------------------------- */

static bool read_registry(struct options *options, char *error, size_t error_size)
{
    void *bytes = NULL;
    size_t size;

    if (!options->registry) {
        return true;
    }
    if (!file_read(options->registry, 16u << 20, &bytes, &size, error, error_size)) {
        return false;
    }
    options->host.registry =
        (struct host_file){.name = options->registry, .bytes = bytes, .size = size};
    return true;
}

static bool read_installation(struct options *options, char *error, size_t error_size)
{
    static struct inf_settings settings;
    static struct host_installation installation;

    if (!options->inf) {
        return true;
    }
    if (!inf_settings_read(options->inf, &settings, error, error_size)) {
        return false;
    }
    installation = (struct host_installation){
        .registry = settings.text, .hardware = settings.hardware, .note = settings.note};
    options->host.installation = &installation;
    if (!options->host.service_name && settings.service[0]) {
        options->host.service_name = settings.service;
    }
    return true;
}

static bool read_images(struct options *options, char *error, size_t error_size)
{
    static struct drydock_image images[IMAGES_MAX];

    options->host.images = images;
    return !options->images ||
           images_read(options->images, images, &options->host.image_count, error, error_size);
}

static bool read_allocation_data(struct options *options, char *error, size_t error_size)
{
    static struct drydock_allocation_data data[ALLOCATION_DATA_MAX];

    options->host.allocation_data = data;
    return !options->allocation_data ||
           allocation_data_read(options->allocation_data, data,
                                &options->host.allocation_data_count, error, error_size);
}

bool parts_gather(struct options *options, char *error, size_t error_size)
{
    return driver_choose(options, error, error_size) &&
           read_installation(options, error, error_size) &&
           read_registry(options, error, error_size) && read_images(options, error, error_size) &&
           read_allocation_data(options, error, error_size) &&
           device_choose(options, error, error_size) && policy_choose(options, error, error_size) &&
           workloads_choose(options, error, error_size) && lines_find(options, error, error_size);
}

/* ---- The commands that run them again -------------------------------------------------------- */

static void append_word(char *line, size_t size, const char *word)
{
    size_t used = strlen(line);
    bool plain =
        word[0] != '\0' && strspn(word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                        "0123456789-_./=,:+@%") == strlen(word);

    if (plain) {
        snprintf(line + used, size - used, "%s%s", used ? " " : "", word);
        return;
    }
    used += (size_t)snprintf(line + used, size - used, "%s'", used ? " " : "");
    for (; *word && used + 8 < size; word++) {
        used += (size_t)snprintf(line + used, size - used, *word == '\'' ? "'\\''" : "%c", *word);
    }
    if (used + 2 < size) {
        memcpy(line + used, "'", 2);
    }
}

/* Nothing is planned: what the user said is what runs. */
static bool is_one_part(const struct options *options)
{
    return options->vary || options->in_process || options->host.info_only ||
           options->part_count == 1 || steps_is_one_trial(&options->step);
}

static void append_option(char *line, const char *option, const char *value)
{
    append_word(line, REPLAY_BYTES, option);
    append_word(line, REPLAY_BYTES, value);
}

/* The command as it was given, and the seed if it says another or none. */
static void describe_run(const struct options *options, uint64_t seed, char *line)
{
    char number[32];

    line[0] = '\0';
    for (int i = 0; i < options->argc; i++) {
        append_word(line, REPLAY_BYTES - VARY_LIST_MAX - 256, options->argv[i]);
    }
    if (!options->seed_given || seed != options->host.seed) {
        snprintf(number, sizeof number, "%" PRIu64, seed);
        append_option(line, "--seed", number);
    }
}

/* One part alone: later options win over earlier ones. */
void part_describe(const struct options *options, struct part *part, bool says_variations)
{
    char *line = part->replay, number[32], step[96];

    vary_set_write(&part->host.variations, part->variations, sizeof part->variations);
    describe_run(options, part->host.seed, line);
    if (says_variations) {
        append_option(line, "--vary", part->variations);
    }
    if (part->host.duration_ns != options->host.duration_ns) {
        snprintf(number, sizeof number, "%" PRIu64 "us", part->host.duration_ns / 1000);
        append_option(line, "--duration", number);
    }
    bool fewer = part->host.workload_count != options->host.workload_count;
    if (fewer && options->workload_count > 0) {
        append_option(line, "--workload", WORKLOADS_NONE);
    }
    for (unsigned i = 0; fewer && i < part->host.workload_count; i++) {
        append_option(line, "--workload", part->host.workloads[i]->name);
    }
    if (part->host.device_options != options->host.device_options) {
        append_option(line, "--device", part->host.device_options);
    }
    if (part->host.step != options->host.step) {
        steps_describe(part->host.step, step, sizeof step);
        append_option(line, "--step", step);
    } else if (options->step.given && !options->host.step) {
        append_option(line, "--step", "none");
    }
}

/* ---- The plan -------------------------------------------------------------------------------- */

/* Whose record it is. */
static void name_part(struct part *part, const struct options *options)
{
    struct record_header *header = record_header(part->record);
    const struct host_options *host = &part->host;
    const char *name = host->driver.bytes    ? host->driver.name
                       : host->driver_module ? host->driver_module
                       : options->argument   ? options->argument
                                             : BUILTIN_DRIVER_NAME;

    snprintf(header->driver, sizeof header->driver, "%s", name);
    header->seed = host->seed;
}

bool part_make(struct part *part, const struct options *options)
{
    part->record = record_create(EVENTS_KEPT, BLOB_BYTES);
    if (!part->record) {
        complain("no memory for what the run records: %s", strerror(errno));
        return false;
    }
    name_part(part, options);
    return true;
}

struct part *part_add(struct parts *parts, const struct options *options)
{
    struct part *part = &parts->all[parts->count];

    *part = (struct part){.host = options->host};
    part->host.work_expected = !options->host.info_only;
    part->host.cover = lines_cover(parts->count);
    part->host.loaded = options->in_process ? NULL : sandbox_seal;
    if (!part_make(part, options)) {
        return NULL;
    }
    parts->count++;
    return part;
}

/* A seed that people can type. Those of four parts differ in their lowest two bits alone: whoever
 * chooses by the other bits can choose the opposite in the next pair (host/settings.c). */
static uint64_t seed_of(uint64_t seed, unsigned index)
{
    unsigned four = index / 4;

    return XXH3_64bits_withSeed(&four, sizeof four, seed) % 250000001 * 4 + index % 4;
}

/* Of eight that share settings out among them (host/share_out.c). */
static uint64_t seed_of_address(uint64_t seed, unsigned index)
{
    static const char name[] = "addresses";

    return XXH3_64bits_withSeed(name, sizeof name, seed) % 125000001 * ADDRESS_PARTS + index;
}

static void make_varied(struct part *part, const struct options *options, unsigned index)
{
    uint64_t duration_ns = options->host.duration_ns / VARIED_SHORTER;

    snprintf(part->name, sizeof part->name, "varied-%u", index + 1);
    part->host.seed = seed_of(options->host.seed, index);
    part->host.duration_ns =
        duration_ns < VARIED_DURATION_MIN ? VARIED_DURATION_MIN : duration_ns / 1000 * 1000;
    vary_set_choose(options->host.seed, index, options->host.driver_speaks_softgpu,
                    &part->host.variations);
    if (!options->device) {
        part->host.device_options = VARIED_DEVICE;
    }
}

static bool is_one_of(const char *name, const char *const names[])
{
    for (unsigned i = 0; names[i]; i++) {
        if (strcmp(name, names[i]) == 0) {
            return true;
        }
    }
    return false;
}

/* Those that use virtual addresses, and planes, which come with the versions that have them;
 * pictures of GDI in each second part; and hangs. */
static bool is_addressed(const char *name, unsigned index, bool hangs)
{
    static const char *const always[] = {"virtual", "memory", "queues", "doorbells", "fences",
                                         "placed",  "planes", "queued", NULL};

    return is_one_of(name, always) || (index % 2 == 1 && strcmp(name, "gdi") == 0) ||
           (hangs && index >= ADDRESS_PARTS - HANGING_PARTS && strcmp(name, "hang") == 0);
}

static void choose_addressed(struct host_options *host, const struct host_options *all,
                             unsigned index, bool hangs)
{
    host->workload_count = 0;
    for (unsigned i = 0; i < all->workload_count; i++) {
        if (is_addressed(all->workloads[i]->name, index, hangs)) {
            unsigned to = host->workload_count++;
            host->workloads[to] = all->workloads[i];
            host->workload_values[to] = all->workload_values[i];
            host->workload_ends[to] = all->workload_ends[i];
            host->workload_paths[to] = all->workload_paths[i];
        }
    }
}

/* A life with page tables. */
static void make_addressed(struct part *part, const struct options *options, unsigned index)
{
    bool *on = part->host.variations.on;

    make_varied(part, options, index);
    part->host.seed = seed_of_address(options->host.seed, index);
    snprintf(part->name, sizeof part->name, "addresses-%u", index + 1);
    memset(&part->host.variations, 0, sizeof part->host.variations);
    on[VARY_GPU_ADDRESSES] = on[VARY_FROM_END] = on[VARY_FILL_PATTERN] = true;
    on[VARY_IDLE_RESET] = index % 4 == 0;
    on[VARY_ODD_PREEMPT] = on[VARY_MID_PREEMPT] = on[VARY_OLD_PRIVATE_DATA] = index % 4 == 1;
    on[VARY_SHORT_MEMORY] = index % 4 == 1;
    on[VARY_SECOND_START] = index % 2 == 0; /* the first life is one without features, maybe */
    on[VARY_FENCE_GAPS] = on[VARY_ODD_QUESTIONS] = on[VARY_VALIDATED_ELSEWHERE] = index % 4 == 2;
    on[VARY_SPECIAL_POOL] = on[VARY_OLD_MEMORY] = index % 4 == 3;
    on[VARY_HIGH_MEMORY] = index % 4 >= 2;
    on[VARY_SECOND_MONITOR] = index % 2 == 1; /* planes, queued flips and notices of two heads */
    on[VARY_PAGING_OVERLAPS] = index < 4;
    on[VARY_BAD_PRIVATE_DATA] = index == 2;
    on[VARY_PULLED_OUT] = index == 3;
    on[VARY_SLEEP] = index == 4;
    on[VARY_PAGING_RESTS] = on[VARY_FULL_PAGING] = on[VARY_SPLIT_TRANSFERS] = index >= 4;
    on[VARY_SPLIT_MAPPINGS] = index >= 4 && options->host.driver_speaks_softgpu;
    choose_addressed(&part->host, &options->host, index, options->host.driver_speaks_softgpu);
    part->host.others_work = true;
}

void part_finish(const struct options *options, struct part *part, struct observe_part *told)
{
    part_describe(options, part, !is_one_part(options));
    name_part(part, options);
    *told = (struct observe_part){
        .name = part->name,
        .record = part->record,
        .seed = part->host.seed,
        .variations = part->variations,
        .replay = part->replay,
    };
}

static bool plan(const struct options *options, struct parts *parts, unsigned count)
{
    for (unsigned i = parts->count; i < count; i++) {
        struct part *part = part_add(parts, options);
        if (!part) {
            return false;
        }
        if (i > 0) {
            make_varied(part, options, i - 1);
        } else {
            snprintf(part->name, sizeof part->name, "%s", options->vary ? "varied" : "calm");
        }
        part_finish(options, part, &parts->told[i]);
    }
    return true;
}

static bool plan_addresses(const struct options *options, struct parts *parts)
{
    struct host_options addressed = options->host;

    choose_addressed(&addressed, &options->host, 0, false);
    if (options->host.address_setting_count == 0 || addressed.workload_count == 0) {
        return true;
    }
    for (unsigned i = 0; i < ADDRESS_PARTS && parts->count < PARTS_MAX; i++) {
        struct part *part = part_add(parts, options);
        if (!part) {
            return false;
        }
        make_addressed(part, options, i);
        part_finish(options, part, &parts->told[parts->count - 1]);
    }
    return true;
}

/* ---- Running them ---------------------------------------------------------------------------- */

void part_work(void *argument)
{
    const struct part *part = argument;

    record_attach(part->record);
    host_run(&part->host, part->record);
}

/* What was begun behind the first part with a finding is forgotten. */
static void leave_out(struct parts *parts, unsigned count)
{
    char text[96];

    if (count == parts->count) {
        return;
    }
    snprintf(text, sizeof text, "this part has a finding: the %u parts behind it were not run",
             parts->count - count);
    record_attach(parts->all[count - 1].record);
    record_note(text);
    while (parts->count > count) {
        record_destroy(parts->all[--parts->count].record);
    }
}

/* From the first one on. */
static void run_supervised(const struct options *options, struct parts *parts, unsigned first)
{
    static struct supervision jobs[PARTS_MAX];

    for (unsigned i = first; i < parts->count; i++) {
        jobs[i] = (struct supervision){
            .record = parts->all[i].record,
            .work = part_work,
            .argument = &parts->all[i],
            .host = &parts->all[i].host};
    }
    unsigned count = supervise(&(struct supervisions){
        .jobs = jobs + first,
        .count = parts->count - first,
        .at_once = PARTS_AT_ONCE,
        .options = options,
        .progress = isatty(STDERR_FILENO) && !options->host.verbose,
        .until_finding = options->until_finding,
    });
    leave_out(parts, first + count);
    for (unsigned i = first; i < parts->count; i++) {
        parts->told[i].sandbox = jobs[i].sandbox;
        name_part(&parts->all[i], options); /* the driver could write there */
    }
}

/* A driver that shows nothing, and whose commands nobody knows, has little to do in each part: it
 * is met in more of them within the time that others take. What happened decides, and no clock. */
static bool had_little_to_do(const struct parts *parts)
{
    uint64_t events = 0;

    for (unsigned i = 0; i < parts->count; i++) {
        const struct record_header *header = record_header(parts->all[i].record);
        if (header->outcome != RUN_OUTCOME_PASS) {
            return false;
        }
        events += header->event_count;
    }
    return events < LITTLE_EVENTS;
}

/* False: out of memory. */
static bool run_all(const struct options *options, struct parts *parts, bool may_be_more)
{
    run_supervised(options, parts, 0);
    if (may_be_more && had_little_to_do(parts)) {
        unsigned first = parts->count;
        if (!plan(options, parts, LITTLE_PARTS)) {
            return false;
        }
        run_supervised(options, parts, first);
    }
    return true;
}

/* By name or by default; one's own come beside them. */
static bool has_all_workloads(const struct options *options)
{
    bool all = options->workload_count == 0;

    for (unsigned i = 0; i < options->workload_count; i++) {
        all |= strcmp(options->workloads[i], WORKLOADS_ALL) == 0;
    }
    return all;
}

bool parts_run(struct options *options, struct parts *parts)
{
    char error[1024];
    bool by_default = !options->parts_given && !options->duration_given &&
                      has_all_workloads(options) && !is_one_part(options);
    bool gathered = parts_gather(options, error, sizeof error);

    if (!gathered) {
        options->part_count = 1;
    }
    describe_run(options, options->host.seed, parts->replay);
    if (gathered && options->step.given && !is_one_part(options)) {
        return steps_run(options, parts);
    }
    if (!plan(options, parts, is_one_part(options) ? 1 : options->part_count) ||
        (by_default && gathered && !plan_addresses(options, parts))) {
        return false;
    }
    if (!gathered) {
        record_attach(parts->all[0].record);
        record_set_outcome(RUN_OUTCOME_USAGE, "%s", error);
        record_finish(parts->all[0].record);
    } else if (options->in_process) {
        part_work(&parts->all[0]);
    } else {
        if (!run_all(options, parts, by_default)) {
            return false;
        }
        if (options->narrow) {
            needs_find(options, parts);
        }
    }
    return true;
}

void parts_destroy(struct parts *parts)
{
    for (unsigned i = 0; i < parts->count; i++) {
        record_destroy(parts->all[i].record);
    }
    parts->count = 0;
}
