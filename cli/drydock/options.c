/* The command line. Every option is long; the same table serves all commands, and each option says
 * which commands know it. */
#include "drydock.h"

#include <ctype.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <popt.h>

#include "machine/machine.h"

#ifndef DRYDOCK_VERSION
#define DRYDOCK_VERSION "unknown"
#endif

#define NS_PER_MS UINT64_C(1000000)
#define NS_PER_S  UINT64_C(1000000000)

/* Virtual time of each workload, such that all of them end within seconds. */
#define DURATION_DEFAULT_NS (400 * NS_PER_MS)
#define REAL_LIMIT_NS       (600 * NS_PER_S)
#define SEED_DEFAULT        1
#define PARTS_DEFAULT       5

static const char usage[] =
    "Usage: drydock run [DRIVER] [options]   run a driver and judge it\n"
    "       drydock info [DRIVER] [--json]   what it says of itself: DDIs, caps, segments, "
    "outputs\n"
    "       drydock versions [DRIVER]        a short run at each WDDM version it can register\n"
    "       drydock imports DRIVER [--json]  kernel functions it needs; which are missing\n"
    "       drydock rules [ID] [--json]      the contract, and which rules are enforced\n"
    "       drydock variations [--json]      what a run may do otherwise than a calm one\n"
    "       drydock diff DIR DIR             where two runs begin to differ, of two --out folders\n"
    "       drydock gdb DRIVER [options]     a run under gdb, which stops in DriverEntry\n"
    "\n"
    "Runs Windows display miniport drivers on Linux. DRIVER is a Windows .sys, or an ELF module "
    "of\n"
    "the same sources; left out, it is the driver of the built-in software GPU.\n"
    "\n";

static const char examples[] =
    "\n"
    "Examples:\n"
    "  drydock run\n"
    "  drydock run mine.sys --seed 7 --out result\n"
    "  drydock run mine.sys --workload desktop --duration 200ms --json\n"
    "  drydock run mine.sys --wddm 1.2 --registry mine.reg --device vram_mb=32\n"
    "  drydock info mine.sys\n"
    "  drydock imports mine.sys --json\n"
    "  drydock run mine.sys --vary fence-wrap --seed 3\n"
    "  drydock run mine.sys --step SubmitCommand\n"
    "  drydock rules SUBMIT-003\n"
    "\n"
    "Exit status: 0 clean, 1 breach found or driver refused, 2 usage, 3 our own fault, 4 "
    "inconclusive,\n5 a fault of a device model, a workload or a policy\n";

enum option {
    OPTION_WORKLOAD = 1,
    OPTION_DURATION,
    OPTION_PROCESSES,
    OPTION_SEED,
    OPTION_WDDM,
    OPTION_REGISTRY,
    OPTION_INF,
    OPTION_IMAGES,
    OPTION_ALLOCATION_DATA,
    OPTION_OUT,
    OPTION_JSON,
    OPTION_JUNIT,
    OPTION_LINES,
    OPTION_KEEP_EVENTS,
    OPTION_DEVICE,
    OPTION_POLICY,
    OPTION_MESSAGES,
    OPTION_CPUS,
    OPTION_RAM,
    OPTION_TDR_DELAY,
    OPTION_TIME_LIMIT,
    OPTION_REAL_LIMIT,
    OPTION_WATCHDOG,
    OPTION_SURPRISE_REMOVAL,
    OPTION_SHADOW,
    OPTION_NO_SHADOW,
    OPTION_PATCH_PAGING,
    OPTION_UNDOCUMENTED_PAGING,
    OPTION_TRANSFER_MAX,
    OPTION_FIRST_FENCE,
    OPTION_ROUND_ROBIN,
    OPTION_ALLOW,
    OPTION_ALLOW_FILE,
    OPTION_SPECIAL_POOL,
    OPTION_WINDOWS,
    OPTION_VARY,
    OPTION_STEP,
    OPTION_PARTS,
    OPTION_NARROW,
    OPTION_NO_NARROW,
    OPTION_UNTIL_FINDING,
    OPTION_SOFTGPU_COMMANDS,
    OPTION_SERVICE,
    OPTION_IN_PROCESS,
    OPTION_REQUIRE_SANDBOX,
    OPTION_ALTERNATIVE,
    OPTION_ADDRESSES,
    OPTION_VERBOSE,
    OPTION_VERSION,
    OPTION_HELP,
};

static const struct poptOption table[] = {
    {"workload", 0, POPT_ARG_STRING, NULL, OPTION_WORKLOAD,
     "a workload by name or ./library.so[,options], or all, or none of those before; several times "
     "(default: all)",
     "NAME"},
    {"duration", 0, POPT_ARG_STRING, NULL, OPTION_DURATION,
     "virtual time of each workload (default 400ms); varied parts take an eighth", "TIME"},
    {"processes", 0, POPT_ARG_STRING, NULL, OPTION_PROCESSES, "client processes of a workload",
     "N"},
    {"seed", 0, POPT_ARG_STRING, NULL, OPTION_SEED,
     "of every choice the simulation makes (default 1)", "N"},
    {"wddm", 0, POPT_ARG_STRING, NULL, OPTION_WDDM,
     "WddmVersion in the driver's service key: 1.0 ... 3.2", "VERSION"},
    {"registry", 0, POPT_ARG_STRING, NULL, OPTION_REGISTRY, "registry keys and values as text",
     "FILE"},
    {"inf", 0, POPT_ARG_STRING, NULL, OPTION_INF,
     "the driver's setup information file: registry values and service name as it installs them",
     "FILE"},
    {"alternative", 0, POPT_ARG_STRING, NULL, OPTION_ALTERNATIVE,
     "what a number in the driver's service key may be instead, for the variation other-settings",
     "KEY=N,..."},
    {"addresses", 0, POPT_ARG_STRING, NULL, OPTION_ADDRESSES,
     "what turns GPU virtual addresses on in the driver's service key, for the variation "
     "gpu-addresses",
     "KEY=N,..."},
    {"images", 0, POPT_ARG_STRING, NULL, OPTION_IMAGES, "PNG files for the workloads to show",
     "DIR"},
    {"allocation-data", 0, POPT_ARG_STRING, NULL, OPTION_ALLOCATION_DATA,
     "private driver data of allocations, in hexadecimal, for the workloads memory and mapped",
     "FILE"},
    {"out", 0, POPT_ARG_STRING, NULL, OPTION_OUT,
     "writes report.json, frame-*.png and trace.pftrace there", "DIR"},
    {"json", 0, POPT_ARG_NONE, NULL, OPTION_JSON, "the report on standard output", NULL},
    {"keep-events", 0, POPT_ARG_NONE, NULL, OPTION_KEEP_EVENTS,
     "with --out: the events of each part, too, for drydock diff", NULL},
    {"junit", 0, POPT_ARG_STRING, NULL, OPTION_JUNIT,
     "the parts, the rules and the findings as JUnit's XML, for build servers", "FILE"},
    {"lines", 0, POPT_ARG_STRING, NULL, OPTION_LINES,
     "which lines of the driver's sources were reached, as lcov's tracefile", "FILE"},
    {"device", 0, POPT_ARG_STRING, NULL, OPTION_DEVICE,
     "what is in the slot: softgpu or ./library.so, then its options: "
     "vram_mb=N,aperture_mb=N,outputs=N,vram_lost=1,one_clock=1,latch=1,monitor=N",
     "NAME,OPTIONS"},
    {"policy", 0, POPT_ARG_STRING, NULL, OPTION_POLICY,
     "who is next on a node of the GPU: priority (default), fifo or ./library.so", "NAME"},
    {"messages", 0, POPT_ARG_NONE, NULL, OPTION_MESSAGES, "grant message-signalled interrupts",
     NULL},
    {"cpus", 0, POPT_ARG_STRING, NULL, OPTION_CPUS, "virtual processors", "N"},
    {"ram-mb", 0, POPT_ARG_STRING, NULL, OPTION_RAM, "physical memory", "N"},
    {"tdr-delay", 0, POPT_ARG_STRING, NULL, OPTION_TDR_DELAY,
     "virtual time until a GPU counts as hung (default 2s)", "TIME"},
    {"time-limit", 0, POPT_ARG_STRING, NULL, OPTION_TIME_LIMIT,
     "virtual time of each part of the run (default 10m)", "TIME"},
    {"real-limit", 0, POPT_ARG_STRING, NULL, OPTION_REAL_LIMIT,
     "real time of the whole run (default 10m)", "TIME"},
    {"watchdog-ms", 0, POPT_ARG_STRING, NULL, OPTION_WATCHDOG,
     "processor time a driver may take without calling the kernel (default 10000)", "N"},
    {"surprise-removal", 0, POPT_ARG_NONE, NULL, OPTION_SURPRISE_REMOVAL,
     "pull the device out after the workloads", NULL},
    {"shadow", 0, POPT_ARG_NONE, NULL, OPTION_SHADOW,
     "follow the bytes of every allocation through every move (default)", NULL},
    {"no-shadow", 0, POPT_ARG_NONE, NULL, OPTION_NO_SHADOW, "do not", NULL},
    {"patch-paging", 0, POPT_ARG_NONE, NULL, OPTION_PATCH_PAGING,
     "call DxgkDdiPatch for paging buffers, too", NULL},
    {"undocumented-paging", 0, POPT_ARG_NONE, NULL, OPTION_UNDOCUMENTED_PAGING,
     "WDDM 3.2: issue paging operations of which only names and layouts are public, by guesses",
     NULL},
    {"transfer-kb", 0, POPT_ARG_STRING, NULL, OPTION_TRANSFER_MAX,
     "page allocations in pieces of so many KiB (default: whole)", "N"},
    {"first-fence", 0, POPT_ARG_STRING, NULL, OPTION_FIRST_FENCE,
     "first fence id; near 4294967295 it wraps (default 1)", "N"},
    {"round-robin", 0, POPT_ARG_NONE, NULL, OPTION_ROUND_ROBIN,
     "switch tasks only when one must, not at random", NULL},
    {"allow", 0, POPT_ARG_STRING, NULL, OPTION_ALLOW,
     "rules and findings that do not count: told as waived", "RULE,..."},
    {"allow-file", 0, POPT_ARG_STRING, NULL, OPTION_ALLOW_FILE,
     "the same from a file: a name and its reason in a line", "FILE"},
    {"special-pool", 0, POPT_ARG_STRING, NULL, OPTION_SPECIAL_POOL,
     "each pool block against a page that nobody may touch, after it or before it; freed ones shut",
     "after|before"},
    {"windows", 0, POPT_ARG_STRING, NULL, OPTION_WINDOWS,
     "which Windows the driver is told that this is: 6.0 (Vista) to 6.3, 10.0, or with a build as "
     "10.0.19041 (default 10.0.26100); what is done stays the same",
     "VERSION"},
    {"vary", 0, POPT_ARG_STRING, NULL, OPTION_VARY,
     "one part, with these variations: names with commas, none or all", "LIST"},
    {"step", 0, POPT_ARG_STRING, NULL, OPTION_STEP,
     "interrupt one call of a DDI at each of its instructions, a short run each: a DDI, then "
     ":CALL (default: one in the middle), then :N or :N-M of its instructions; or all",
     "DDI"},
    {"parts", 0, POPT_ARG_STRING, NULL, OPTION_PARTS,
     "parts of the run: a calm one and varied ones (default 5, or 13 short ones)", "N"},
    {"narrow", 0, POPT_ARG_NONE, NULL, OPTION_NARROW,
     "run a varied part with a finding again, to see which variations it needs (default without "
     "--vary)",
     NULL},
    {"no-narrow", 0, POPT_ARG_NONE, NULL, OPTION_NO_NARROW, "do not", NULL},
    {"until-finding", 0, POPT_ARG_NONE, NULL, OPTION_UNTIL_FINDING,
     "run no more parts behind the first one that has a finding", NULL},
    {"softgpu-commands", 0, POPT_ARG_NONE, NULL, OPTION_SOFTGPU_COMMANDS,
     "the driver takes the built-in driver's command set", NULL},
    {"service", 0, POPT_ARG_STRING, NULL, OPTION_SERVICE,
     "name of the driver's registry key (default: the file's name)", "NAME"},
    {"in-process", 0, POPT_ARG_NONE, NULL, OPTION_IN_PROCESS, "no child, no sandbox: for debuggers",
     NULL},
    {"require-sandbox", 0, POPT_ARG_NONE, NULL, OPTION_REQUIRE_SANDBOX,
     "run nothing where a driver cannot be kept in", NULL},
    {"verbose", 0, POPT_ARG_NONE, NULL, OPTION_VERBOSE, "print what the driver prints", NULL},
    {"version", 0, POPT_ARG_NONE, NULL, OPTION_VERSION, "print the version", NULL},
    {"help", 0, POPT_ARG_NONE, NULL, OPTION_HELP, "print this", NULL},
    POPT_TABLEEND,
};

/* ---- Values ---------------------------------------------------------------------------------- */

static bool parse_number(const char *text, uint64_t high, uint64_t *out)
{
    char *end;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    unsigned long long value = strtoull(text, &end, 0);
    if (errno != 0 || *end != '\0' || value > high) {
        return false;
    }
    *out = value;
    return true;
}

static bool parse_time(const char *text, uint64_t *ns)
{
    static const struct {
        const char *unit;
        uint64_t ns;
    } units[] = {{"ns", 1}, {"us", 1000}, {"ms", NS_PER_MS}, {"s", NS_PER_S}, {"m", 60 * NS_PER_S}};
    char *unit;

    if (!isdigit((unsigned char)text[0])) {
        return false;
    }
    errno = 0;
    double value = strtod(text, &unit);
    for (size_t i = 0; i < sizeof units / sizeof units[0]; i++) {
        if (errno == 0 && strcmp(unit, units[i].unit) == 0) {
            double result = value * (double)units[i].ns;
            *ns = result < 1e18 ? (uint64_t)result : 0;
            return result >= 1 && result < 1e18;
        }
    }
    return false;
}

/* "1.3" is 0x1300. */
static bool parse_wddm(const char *text, unsigned *version)
{
    if (strlen(text) != 3 || text[0] < '1' || text[0] > '3' || text[1] != '.' ||
        !isdigit((unsigned char)text[2])) {
        return false;
    }
    unsigned major = (unsigned)(text[0] - '0'), minor = (unsigned)(text[2] - '0');
    if ((major == 1 && minor > 3) || (major == 3 && minor > 2)) {
        return false;
    }
    *version = major << 12 | minor << 8;
    return true;
}

static bool wrong(const char *option, const char *value, const char *wanted)
{
    complain("--%s %s: %s", option, value, wanted);
    return false;
}

static bool number_option(const char *name, const char *value, uint64_t low, uint64_t high,
                          uint64_t *out)
{
    char wanted[96];

    if (parse_number(value, high, out) && *out >= low) {
        return true;
    }
    snprintf(wanted, sizeof wanted, "wanted is a number from %llu to %llu", (unsigned long long)low,
             (unsigned long long)high);
    return wrong(name, value, wanted);
}

static bool time_option(const char *name, const char *value, uint64_t *ns)
{
    return parse_time(value, ns) || wrong(name, value, "wanted is a time as 500ms, 2s or 1m");
}

/* ---- Options --------------------------------------------------------------------------------- */

static bool take_workload(struct options *options, const char *value)
{
    if (options->workload_count == HOST_WORKLOADS_MAX) {
        return wrong("workload", value, "too many workloads");
    }
    options->workloads[options->workload_count++] = value;
    return true;
}

static bool take_number(struct options *options, enum option option, const char *value)
{
    struct host_options *host = &options->host;
    uint64_t number = 0;
    bool fine;

    switch (option) {
    case OPTION_PROCESSES:
        fine = number_option("processes", value, 1, 64, &number);
        host->process_count = (unsigned)number;
        return fine;
    case OPTION_SEED:
        options->seed_given = true;
        return number_option("seed", value, 0, INT64_MAX, &host->seed);
    case OPTION_CPUS:
        fine = number_option("cpus", value, 1, MACHINE_CPU_COUNT_MAX, &number);
        host->cpu_count = (unsigned)number;
        return fine;
    case OPTION_RAM:
        fine = number_option("ram-mb", value, 64, 65536, &number);
        host->ram_bytes = number << 20;
        return fine;
    case OPTION_WATCHDOG:
        fine = number_option("watchdog-ms", value, 10, 3600000, &number);
        host->watchdog_ms = (unsigned)number;
        return fine;
    case OPTION_TRANSFER_MAX:
        fine = number_option("transfer-kb", value, 4, 1u << 20, &number);
        host->transfer_bytes_max = (number << 10) & ~UINT64_C(4095);
        return fine;
    case OPTION_PARTS:
        fine = number_option("parts", value, 1, PARTS_MAX, &number);
        options->part_count = (unsigned)number;
        options->parts_given = true;
        return fine;
    default:
        fine = number_option("first-fence", value, 1, UINT32_MAX, &number);
        host->first_fence_id = (uint32_t)number;
        return fine;
    }
}

/* The name of one registry key: not empty, not a path, not longer than a key's name may be. */
static bool is_key_name(const char *value)
{
    if (value[0] && !strchr(value, '\\') && strlen(value) < 256) {
        return true;
    }
    complain("--service '%s': a name of 1 to 255 characters without a backslash is wanted", value);
    return false;
}

static bool take_variations(struct options *options, const char *value)
{
    const char *word;
    size_t length;

    options->vary = value;
    if (vary_set_read(value, &options->host.variations, &word, &length)) {
        return true;
    }
    complain("--vary %s: '%.*s' is no variation; see drydock variations", value, (int)length, word);
    return false;
}

/* NAME=N,N: the numbers as C writes them. One more of *count. */
static bool take_setting(const char *option, const char *value, struct host_setting *settings,
                         unsigned *count)
{
    static const char wanted[] = "wanted is the name of a number and what it may be: KEY=0,1,0x20";
    struct host_setting *setting = &settings[*count];
    const char *at = strchr(value, '=');
    char word[32];
    uint64_t number;

    if (*count == HOST_SETTINGS_MAX) {
        return wrong(option, value, "too many of them");
    }
    *setting = (struct host_setting){0};
    if (!at || at == value || (size_t)(at - value) >= sizeof setting->name) {
        return wrong(option, value, wanted);
    }
    memcpy(setting->name, value, (size_t)(at - value));
    do {
        size_t length = strcspn(++at, ",");
        snprintf(word, sizeof word, "%.*s", (int)length, at);
        if (length >= sizeof word || !parse_number(word, UINT32_MAX, &number) ||
            setting->value_count == HOST_SETTING_VALUES_MAX) {
            return wrong(option, value, wanted);
        }
        setting->values[setting->value_count++] = (uint32_t)number;
        at += length;
    } while (*at == ',');
    (*count)++;
    return true;
}

static bool take_special_pool(struct host_options *host, const char *value)
{
    if (strcmp(value, "after") == 0) {
        host->special_pool = HOST_SPECIAL_POOL_AFTER;
    } else if (strcmp(value, "before") == 0) {
        host->special_pool = HOST_SPECIAL_POOL_BEFORE;
    } else {
        return wrong("special-pool", value, "wanted is after or before");
    }
    return true;
}

/* Files and folders that are opened later. False: the option is another one. */
static bool take_path(struct options *options, enum option option, const char *value)
{
    const char **path = option == OPTION_OUT               ? &options->out
                        : option == OPTION_JUNIT           ? &options->junit
                        : option == OPTION_LINES           ? &options->lines
                        : option == OPTION_REGISTRY        ? &options->registry
                        : option == OPTION_INF             ? &options->inf
                        : option == OPTION_IMAGES          ? &options->images
                        : option == OPTION_ALLOCATION_DATA ? &options->allocation_data
                                                           : NULL;

    if (path) {
        *path = value;
    }
    return path != NULL;
}

static bool take_text(struct options *options, enum option option, const char *value)
{
    struct host_options *host = &options->host;

    if (take_path(options, option, value)) {
        return true;
    }
    switch (option) {
    case OPTION_WORKLOAD:
        return take_workload(options, value);
    case OPTION_DURATION:
        options->duration_given = true;
        return time_option("duration", value, &host->duration_ns);
    case OPTION_TDR_DELAY:
        return time_option("tdr-delay", value, &host->tdr_delay_ns);
    case OPTION_TIME_LIMIT:
        return time_option("time-limit", value, &host->time_limit_ns);
    case OPTION_REAL_LIMIT:
        return time_option("real-limit", value, &options->real_limit_ns);
    case OPTION_WDDM:
        return parse_wddm(value, &host->wddm_version) ||
               wrong("wddm", value, "there are 1.0 to 1.3, 2.0 to 2.9 and 3.0 to 3.2");
    case OPTION_ALTERNATIVE:
        host->settings = options->settings;
        return take_setting("alternative", value, options->settings, &host->setting_count);
    case OPTION_ADDRESSES:
        host->address_settings = options->address_settings;
        return take_setting("addresses", value, options->address_settings,
                            &host->address_setting_count);
    case OPTION_DEVICE:
        options->device = value;
        return true;
    case OPTION_POLICY:
        options->policy = value;
        return true;
    case OPTION_ALLOW:
        return waivers_take_list(value);
    case OPTION_ALLOW_FILE:
        return waivers_take_file(value);
    case OPTION_SPECIAL_POOL:
        return take_special_pool(host, value);
    case OPTION_WINDOWS:
        host->windows = value;
        return host_is_windows(value) ||
               wrong("windows", value, "wanted is 6.0 to 6.3 or 10.0, and a build if you like");
    case OPTION_VARY:
        return take_variations(options, value);
    case OPTION_STEP:
        return steps_read(value, &options->step) ||
               wrong("step", value,
                     "wanted is all, or a DDI as SubmitCommand or SubmitCommand:5:1-90");
    case OPTION_SERVICE:
        host->service_name = value;
        return is_key_name(value);
    default:
        return take_number(options, option, value);
    }
}

static bool take_flag(struct options *options, enum option option)
{
    struct host_options *host = &options->host;

    switch (option) {
    case OPTION_JSON:
        return options->json = true;
    case OPTION_KEEP_EVENTS:
        return options->keep_events = true;
    case OPTION_MESSAGES:
        return host->messages = true;
    case OPTION_SURPRISE_REMOVAL:
        return host->surprise_removal = true;
    case OPTION_SHADOW:
        return host->shadow_content = true;
    case OPTION_NO_SHADOW:
        host->shadow_content = false;
        return true;
    case OPTION_NARROW:
        return options->narrow = true;
    case OPTION_NO_NARROW:
        options->narrow = false;
        return true;
    case OPTION_UNTIL_FINDING:
        return options->until_finding = true;
    case OPTION_PATCH_PAGING:
        return host->patch_paging = true;
    case OPTION_UNDOCUMENTED_PAGING:
        return host->undocumented_paging = true;
    case OPTION_ROUND_ROBIN:
        return host->round_robin = true;
    case OPTION_SOFTGPU_COMMANDS:
        return host->driver_speaks_softgpu = true;
    case OPTION_IN_PROCESS:
        return options->in_process = true;
    case OPTION_REQUIRE_SANDBOX:
        return options->require_sandbox = true;
    case OPTION_VERBOSE:
        return host->verbose = true;
    default:
        return false;
    }
}

static bool takes_value(enum option option)
{
    for (const struct poptOption *row = table; row->longName; row++) {
        if (row->val == (int)option) {
            return row->argInfo == POPT_ARG_STRING;
        }
    }
    return false;
}

/* Only --json belongs to the commands that run nothing. */
static bool option_fits(enum command command, enum option option)
{
    return command == COMMAND_RUN || command == COMMAND_GDB || command == COMMAND_INFO ||
           command == COMMAND_VERSIONS || option == OPTION_JSON;
}

/* ---- Commands -------------------------------------------------------------------------------- */

static enum command command_of(const char *word)
{
    static const struct {
        const char *word;
        enum command command;
    } commands[] = {{"run", COMMAND_RUN},
                    {"info", COMMAND_INFO},
                    {"imports", COMMAND_IMPORTS},
                    {"rules", COMMAND_RULES},
                    {"variations", COMMAND_VARIATIONS},
                    {"diff", COMMAND_DIFF},
                    {"gdb", COMMAND_GDB},
                    {"versions", COMMAND_VERSIONS}};

    for (size_t i = 0; i < sizeof commands / sizeof commands[0]; i++) {
        if (strcmp(word, commands[i].word) == 0) {
            return commands[i].command;
        }
    }
    return COMMAND_NONE;
}

static bool take_words(poptContext context, struct options *options)
{
    const char *word = poptGetArg(context);

    if (!word) {
        fputs(usage, stderr);
        fputs("Try drydock --help.\n", stderr);
        return false;
    }
    options->command = command_of(word);
    if (options->command == COMMAND_NONE) {
        complain("%s: no such command; there are run, info, versions, imports, rules, variations, "
                 "diff and gdb",
                 word);
        return false;
    }
    options->argument = poptGetArg(context);
    if (options->command == COMMAND_DIFF) {
        options->second_argument = poptGetArg(context);
        if (!options->second_argument) {
            complain("diff: two folders that --out filled are wanted");
            return false;
        }
    }
    word = poptGetArg(context);
    if (word) {
        complain("%s: one argument is enough", word);
        return false;
    }
    if ((options->command == COMMAND_IMPORTS || options->command == COMMAND_GDB) &&
        !options->argument) {
        complain("%s: which driver?", options->command == COMMAND_GDB ? "gdb" : "imports");
        return false;
    }
    return true;
}

static void print_help(poptContext context)
{
    fputs(usage, stdout);
    fputs("Options:\n", stdout);
    for (const struct poptOption *row = table; row->longName; row++) {
        char name[64];
        snprintf(name, sizeof name, "--%s%s%s", row->longName, row->argDescrip ? " " : "",
                 row->argDescrip ? row->argDescrip : "");
        printf("  %-24s %s\n", name, row->descrip);
    }
    fputs(examples, stdout);
}

/* One option; false if the program is to end with *status. */
static bool take_option(poptContext context, struct options *options, int option, uint64_t *seen,
                        enum exit_status *status)
{
    *seen |= UINT64_C(1) << option;
    switch (option) {
    case OPTION_HELP:
        print_help(context);
        *status = EXIT_CLEAN;
        return false;
    case OPTION_VERSION:
        puts("drydock " DRYDOCK_VERSION);
        *status = EXIT_CLEAN;
        return false;
    default:
        *status = EXIT_USAGE;
        return takes_value((enum option)option)
                   ? take_text(options, (enum option)option, poptGetOptArg(context))
                   : take_flag(options, (enum option)option);
    }
}

static bool check_fit(const struct options *options, uint64_t seen)
{
    for (const struct poptOption *row = table; row->longName; row++) {
        if (seen & UINT64_C(1) << row->val &&
            !option_fits(options->command, (enum option)row->val)) {
            complain("--%s: only run, info and versions know it", row->longName);
            return false;
        }
    }
    if (options->in_process && options->require_sandbox) {
        complain("--in-process --require-sandbox: without a child there is no sandbox");
        return false;
    }
    return true;
}

bool options_parse(int argc, char **argv, struct options *options, enum exit_status *status)
{
    poptContext context;
    uint64_t seen = 0;
    int option;

    *options = (struct options){
        .argc = argc,
        .argv = argv,
        .real_limit_ns = REAL_LIMIT_NS,
        .part_count = PARTS_DEFAULT,
        .narrow = true,
        .host = {.seed = SEED_DEFAULT,
                 .duration_ns = DURATION_DEFAULT_NS,
                 .shadow_content = true,
                 .process_count = 0},
    };
    *status = EXIT_USAGE;
    context = poptGetContext("drydock", argc, (const char **)argv, table, 0);
    if (!context) {
        complain("out of memory");
        return false;
    }
    /* The context lives as long as the program: the options' texts are its own. */
    while ((option = poptGetNextOpt(context)) > 0) {
        if (!take_option(context, options, option, &seen, status)) {
            return false;
        }
    }
    if (option < -1) {
        complain("%s: %s", poptBadOption(context, POPT_BADOPTION_NOALIAS), poptStrerror(option));
        return false;
    }
    if (steps_is_one_trial(&options->step)) {
        options->host.step = steps_one(&options->step);
    }
    /* Whoever names variations has chosen. */
    options->narrow &= !options->vary || (seen & UINT64_C(1) << OPTION_NARROW) != 0;
    return take_words(context, options) && check_fit(options, seen);
}
