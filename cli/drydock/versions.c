/* drydock versions: a driver at each WDDM version that it can register, a short run each.
 *
 *     3.2 ... 1.0 ── WddmVersion in the service key ── supervised children, two at a time
 *                       └── a line: what it registered, how it pages, what came of it
 *
 * A driver that does not read the key registers the same whatever is asked; it has one line. */
#include "drydock.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "abi/abi.h"
#include "base/check.h"
#include "base/text.h"
#include "contract/contract.h"
#include "machine/machine.h"
#include "machine/vary.h"
#include "nt/nt.h"

#define DURATION_NS   (5 * NS_PER_MS) /* of each workload, unless the user says more */
#define RUNS_AT_ONCE  2
#define VERSION_BYTES 24
#define DEVICE        "vram_mb=32"

/* One version, asked for by its number in the service key. */
struct version {
    const struct abi_version_info *asked;
    struct part part;
    json_t *info; /* what the driver said of itself; NULL: it did not come so far */
};

static const char *const models[] = {"patched", "GpuMmu", "IoMmu", "none"};

/* ---- Which ----------------------------------------------------------------------------------- */

/* What the built-in driver's key says besides, so that its lines together show more. */
static const struct {
    unsigned wddm_version;
    const char *values, *variations;
    unsigned transfer_kb; /* larger ones go in pieces; 0: none do */
} builtin_values[] = {
    {0x1000, "\"SwizzlingRanges\"=dword:2\n\"SwizzledSurfaces\"=dword:1\n",
     "fill-pattern,second-monitor", .transfer_kb = 64},
    {0x1100,
     "\"ApertureQueued\"=dword:1\n\"AgpSegment\"=dword:1\n\"PagingBufferSize\"=dword:1000\n",
     "agp-aperture,split-mappings"},
    {0x1200, "\"DmaBufferSegment\"=dword:1\n"},
    {0x1300, "\"ContextState\"=dword:1\n\"PrivateData\"=dword:0\n\"OverlayPlanes\"=dword:2\n",
     "bad-commands"},
    {0x2000, "\"ContextState\"=dword:2\n\"OverlayPlanes\"=dword:2\n"},
    {0x2100, "\"GpuMmu\"=dword:1\n\"PagingVirtual\"=dword:0\n"},
    {0x2200, "\"OverlayPlanes\"=dword:2\n", "full-paging"},
    {0x2400, "\"IoMmu\"=dword:1\n"},
    {0x2500, "\"CpuHostAperture\"=dword:1\n"},
    {0x2600,
     "\"GpuMmu\"=dword:1\n\"PageTableUpdateMode\"=dword:1\n\"DualPte\"=dword:0\n"
     "\"ContextState\"=dword:1\n\"CompanionNode\"=dword:1\n",
     "moved-tables,companion-contexts"},
    {0x2700, "\"GpuMmu\"=dword:1\n\"ContextState\"=dword:2\n\"PageTableIdleUpdates\"=dword:1\n"
             "\"DualPte\"=dword:1\n\"VramPages64K\"=dword:1\n\"PageTablesInTransfer\"=dword:1\n"},
    {0x2800,
     "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:2\n\"PageTableIdleUpdates\"=dword:1\n"
     "\"SignalMonitoredFence\"=dword:0\n"},
    {0x2900, "\"GpuMmu\"=dword:1\n\"PagingVirtual\"=dword:0\n"},
    {0x3000, "\"MapAperture2\"=dword:1\n\"DmaBufferSegment\"=dword:1\n", "split-mappings"},
    {0x3100, "\"GpuMmu\"=dword:1\n\"HardwareScheduling\"=dword:1\n\"Notices\"=dword:1\n"
             "\"OverlayPlanes\"=dword:2\n\"FlipQueue\"=dword:4\n"},
    {0x3200,
     "\"GpuMmu\"=dword:1\n\"Notices\"=dword:1\n\"PagingSpaceSize\"=dword:2\n"
     "\"HardwareScheduling\"=dword:2\n\"RingBufferFenceRelease\"=dword:1\n"
     "\"NativeFences\"=dword:2\n",
     "fill-pattern"},
};

static void switch_on(struct vary_set *set, const char *list)
{
    struct vary_set more = {0};
    const char *wrong;
    size_t length;

    CHECK_THAT(!list || vary_set_read(list, &more, &wrong, &length));
    for (unsigned i = 0; i < VARY_COUNT; i++) {
        set->on[i] |= more.on[i];
    }
}

static struct host_file builtin_registry(struct host_options *host)
{
    char text[512];
    const char *mmus = host->undocumented_paging ? "\"DeviceMmus\"=dword:1\n" : "";

    for (size_t i = 0; i < sizeof builtin_values / sizeof builtin_values[0]; i++) {
        if (builtin_values[i].wddm_version == host->wddm_version) {
            switch_on(&host->variations, builtin_values[i].variations);
            if (builtin_values[i].transfer_kb && !host->transfer_bytes_max) {
                host->transfer_bytes_max = (uint64_t)builtin_values[i].transfer_kb << 10;
            }
            int length = snprintf(text, sizeof text, "[" NT_REGISTRY_SERVICES "\\softgpu]\n%s%s",
                                  builtin_values[i].values, mmus);
            return (struct host_file){"settings", strdup(text), (size_t)length};
        }
    }
    return (struct host_file){0};
}

/* In the table of interfaces one WDDM version may have several: the newest counts. */
static unsigned choose_versions(struct version *versions)
{
    unsigned count = 0;

    for (unsigned i = 0; i < ABI_VERSION_COUNT; i++) {
        const struct abi_version_info *info = abi_version_info((enum abi_version)i);
        if (count > 0 && versions[count - 1].asked->wddm_version == info->wddm_version) {
            count--;
        }
        versions[count++].asked = info;
    }
    return count;
}

static bool prepare(const struct options *options, struct version *version)
{
    struct part *part = &version->part;

    *part = (struct part){.host = options->host};
    part->host.wddm_version = version->asked->wddm_version;
    part->host.loaded = sandbox_seal;
    part->host.work_expected = true;
    if (!options->device) {
        part->host.device_options = DEVICE;
    }
    if (!options->argument && !options->registry) {
        part->host.registry = builtin_registry(&part->host);
    }
    return part_make(part, options);
}

/* ---- Running --------------------------------------------------------------------------------- */

static void run_some(const struct options *options, struct version *versions, unsigned count)
{
    struct supervision jobs[PARTS_MAX];

    for (unsigned i = 0; i < count; i++) {
        jobs[i] = (struct supervision){
            .record = versions[i].part.record,
            .work = part_work,
            .argument = &versions[i].part,
            .host = &versions[i].part.host};
    }
    supervise(&(struct supervisions){.jobs = jobs,
                                     .count = count,
                                     .at_once = RUNS_AT_ONCE,
                                     .options = options,
                                     .progress = isatty(STDERR_FILENO)});
}

static bool run_all(const struct options *options, struct version *versions, unsigned count)
{
    for (unsigned first = 0; first < count; first += PARTS_MAX) {
        unsigned some = count - first < PARTS_MAX ? count - first : PARTS_MAX;
        for (unsigned i = 0; i < some; i++) {
            if (!prepare(options, &versions[first + i])) {
                return false;
            }
        }
        run_some(options, versions + first, some);
    }
    for (unsigned i = 0; i < count; i++) {
        versions[i].info = info_find(versions[i].part.record);
    }
    return true;
}

/* ---- Telling --------------------------------------------------------------------------------- */

static json_int_t number_in(const json_t *info, const char *group, const char *name)
{
    const json_t *from = group ? json_object_get(info, group) : info;

    return json_integer_value(json_object_get(from, name));
}

/* How it pages, as its caps say. */
static const char *model_of(const json_t *info)
{
    bool gpu_mmu = number_in(info, "driver_caps", "MemoryManagementCaps.GpuMmuSupported") != 0;
    bool io_mmu = number_in(info, "driver_caps", "MemoryManagementCaps.IoMmuSupported") != 0;

    if (!info || json_is_true(json_object_get(info, "display_only"))) {
        return models[3];
    }
    return models[gpu_mmu ? 1 : io_mmu ? 2 : 0];
}

/* Did the driver register what it was asked for, or is this what nobody has a line of yet? A driver
 * that did not come so far has its line. */
static bool has_line(const struct version *versions, unsigned count, unsigned index)
{
    const struct version *version = &versions[index];
    json_int_t registered = number_in(version->info, NULL, "interface_version");

    if (!version->info || registered == (json_int_t)version->asked->interface_version) {
        return true;
    }
    for (unsigned i = 0; i < count; i++) {
        if ((i < index || versions[i].asked->interface_version == registered) && versions[i].info &&
            number_in(versions[i].info, NULL, "interface_version") == registered) {
            return false;
        }
    }
    return true;
}

/* What it registered, whatever it was asked for. */
static unsigned version_number(const struct version *version)
{
    json_int_t registered = number_in(version->info, NULL, "interface_version");

    for (unsigned i = 0; version->info && i < ABI_VERSION_COUNT; i++) {
        const struct abi_version_info *info = abi_version_info((enum abi_version)i);
        if (info->interface_version == registered) {
            return info->wddm_version;
        }
    }
    return version->asked->wddm_version;
}

static const char *version_text(const struct version *version, char text[VERSION_BYTES])
{
    unsigned number = version_number(version);

    snprintf(text, VERSION_BYTES, "%u.%u", number >> 12, number >> 8 & 0xF);
    return text;
}

static json_t *operations_of(struct record *record)
{
    const struct record_header *header = record_header(record);
    json_t *operations = json_object();

    for (unsigned i = 0; i < RECORD_PAGING_MAX && contract_operation_name(i); i++) {
        if (header->paging[i].count > 0) {
            json_object_set_new(operations, contract_operation_name(i),
                                json_integer((json_int_t)header->paging[i].count));
        }
    }
    return operations;
}

/* The ways on which work came to the hardware, and how often. */
static json_t *submissions_of(struct record *record)
{
    static const struct {
        const char *name;
        enum contract_point point;
    } ways[] = {{"patched", POINT_SubmitCommand},
                {"virtual", POINT_SubmitCommandVirtual},
                {"hardware queue", POINT_SubmitCommandToHwQueue},
                {"doorbell connected", POINT_ConnectDoorbell}}; /* who rings calls nobody */
    const struct record_header *header = record_header(record);
    json_t *submissions = json_object();

    for (size_t i = 0; i < sizeof ways / sizeof ways[0]; i++) {
        uint64_t calls = header->ddi[ways[i].point].calls;
        if (calls > 0) {
            json_object_set_new(submissions, ways[i].name, json_integer((json_int_t)calls));
        }
    }
    return submissions;
}

/* How often each member that this driver and version have was handed over with a value that tells
 * something, added to what is there. */
static void add_members(struct record *record, json_t *members)
{
    const struct record_header *header = record_header(record);

    for (unsigned i = 0; i < RECORD_MEMBERS_MAX && contract_member_name(i); i++) {
        const char *name = contract_member_name(i);
        json_int_t count = (json_int_t)header->members[i].count;
        if (header->members[i].could || count > 0) {
            count += json_integer_value(json_object_get(members, name));
            json_object_set_new(members, name, json_integer(count));
        }
    }
}

static json_t *coverage_of(const struct version *versions, unsigned count)
{
    json_t *members = json_object();

    for (unsigned i = 0; i < count; i++) {
        if (has_line(versions, count, i)) {
            add_members(versions[i].part.record, members);
        }
    }
    return json_pack("{s:o}", "members", members);
}

static json_t *line_of(const struct version *version)
{
    json_t *members = json_object();
    const struct record_header *header = record_header(version->part.record);
    const char *interface = json_string_value(json_object_get(version->info, "interface"));
    char number[VERSION_BYTES], message[sizeof header->message];

    snprintf(message, sizeof message, "%s",
             header->outcome == RUN_OUTCOME_PASS ? "" : header->message);
    text_make_plain(message, strlen(message));
    add_members(version->part.record, members);
    return json_pack("{s:s, s:s?, s:s, s:s, s:s, s:o, s:o, s:{s:o}}", "version",
                     version_text(version, number), "interface", interface, "outcome",
                     observe_outcome_name((enum run_outcome)header->outcome), "message", message,
                     "model", model_of(version->info), "submissions",
                     submissions_of(version->part.record), "paging_operations",
                     operations_of(version->part.record), "coverage", "members", members);
}

static void print_line(const json_t *line)
{
    const char *message = json_string_value(json_object_get(line, "message"));
    const char *operation, *way, *before = " ";
    json_t *count;

    printf("%-5s %-13s %-8s", json_string_value(json_object_get(line, "version")),
           json_string_value(json_object_get(line, "outcome")),
           json_string_value(json_object_get(line, "model")));
    json_object_foreach(json_object_get(line, "submissions"), way, count)
    {
        printf("%s%s %lld", before, way, (long long)json_integer_value(count));
        before = ", ";
    }
    printf(";");
    json_object_foreach(json_object_get(line, "paging_operations"), operation, count)
    {
        printf(" %s %lld", operation, (long long)json_integer_value(count));
    }
    printf("%s%s\n", message[0] ? "\n      " : "", message);
}

static void tell(const struct options *options, const struct version *versions, unsigned count)
{
    json_t *document = json_object(), *lines = json_array(), *line;
    size_t index;

    for (unsigned i = 0; i < count; i++) {
        if (has_line(versions, count, i)) {
            json_array_append_new(lines, line_of(&versions[i]));
        }
    }
    json_object_set_new(document, "versions", lines);
    json_object_set_new(document, "coverage", coverage_of(versions, count));
    if (options->json) {
        json_dumpf(document, stdout, JSON_INDENT(2));
        putchar('\n');
    } else {
        json_array_foreach(lines, index, line)
        {
            print_line(line);
        }
    }
    json_decref(document);
}

/* The first that is not clean, of those that have a line. */
static enum exit_status status_of(const struct version *versions, unsigned count)
{
    enum exit_status status = EXIT_CLEAN;

    for (unsigned i = 0; i < count && status == EXIT_CLEAN; i++) {
        if (has_line(versions, count, i)) {
            status = (enum exit_status)observe_exit_status(versions[i].part.record);
        }
    }
    return status;
}

enum exit_status versions_command(struct options *options)
{
    static struct version versions[ABI_VERSION_COUNT];
    enum exit_status status = EXIT_USAGE;
    unsigned count = choose_versions(versions);
    char error[1024];

    if (!options->duration_given) {
        options->host.duration_ns = DURATION_NS;
    }
    if (!parts_gather(options, error, sizeof error)) {
        complain("%s", error);
        return EXIT_USAGE;
    }
    if (run_all(options, versions, count)) {
        tell(options, versions, count);
        status = status_of(versions, count);
    }
    for (unsigned i = 0; i < count; i++) {
        json_decref(versions[i].info);
        if (versions[i].part.record) {
            record_destroy(versions[i].part.record);
        }
    }
    return status;
}
