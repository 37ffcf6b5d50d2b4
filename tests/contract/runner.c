/* One run in a child process: whatever the driver does, the test goes on. */
#include "runner.h"

#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/check.h"
#include "host/host.h"
#include "scene.h"
#include "workloads.h"

extern const struct device_model softgpu_model;

/* What the child's memory does not show in the record. */
struct shared {
    unsigned failures;
    char failure[160];
};

static bool has_queues(unsigned scene)
{
    return (scene & SCENE_QUEUES) == SCENE_QUEUES;
}

static bool is_scene(unsigned scene, unsigned wanted)
{
    return (scene & wanted) == wanted;
}

static bool has_planes(unsigned scene)
{
    return is_scene(scene, SCENE_FIRST_PLANES) || is_scene(scene, SCENE_PLANES) ||
           is_scene(scene, SCENE_NEWEST_PLANES);
}

static bool has_flip_queue(unsigned scene)
{
    return is_scene(scene, SCENE_QUEUED);
}

static const struct drydock_workload *workload_of(unsigned scene)
{
    return is_scene(scene, SCENE_QUEUED_MODES)    ? &workload_modes
           : is_scene(scene, SCENE_QUEUED_PLANES) ? &workload_planes
           : has_flip_queue(scene)                ? &workload_queued
           : has_planes(scene)                    ? &workload_planes
           : is_scene(scene, SCENE_OVERLAYS)      ? &workload_overlays
           : is_scene(scene, SCENE_GDI)           ? &workload_gdi
                                                  : &scene_workload;
}

static void describe_registry(const struct runner_setup *setup, char *text, size_t size)
{
    unsigned scene = setup->scene;
    int used = snprintf(text, size,
                        "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\driver]\n"
                        "\"Misbehave\"=dword:%08x\n",
                        setup->misbehaviour);

    snprintf(text + used, size - (size_t)used,
             "\"PagingBufferSize\"=dword:%08x\n\"DmaBufferSize\"=dword:%08x\n"
             "\"DmaBufferSegment\"=dword:%08x\n\"PagingNode\"=dword:00000001\n"
             "\"PerEngineTdr\"=dword:%08x\n"
             "\"WddmVersion\"=dword:%08x\n\"GpuMmu\"=dword:%08x\n\"PageTableUpdateMode\"=dword:%"
             "08x\n\"PagingSpaceSize\"=dword:00000002\n\"CompanionNode\"=dword:00000001\n",
             scene & SCENE_SMALL_PAGING ? 0x1000 : 0x10000,
             scene & SCENE_SMALL_DMA ? 0x1000 : 0x8000, (scene & SCENE_APERTURE_DMA) != 0,
             (scene & SCENE_ENGINES) != 0,
             (scene & SCENE_MMUS) == SCENE_MMUS || (scene & SCENE_GIVEN) == SCENE_GIVEN ? 0x3200
             : scene & SCENE_VISTA                                                      ? 0x1000
             : scene & SCENE_WIN8                                                       ? 0x1200
             : scene & SCENE_WDDM2                                                      ? 0x2000
             : scene & SCENE_VIRTUAL                                                    ? 0x3200
             : scene & SCENE_LISTS                                                      ? 0x3000
                                                                                        : 0x1300,
             (scene & SCENE_IOMMU) == SCENE_VIRTUAL, scene & SCENE_LISTS ? 1 : 2);
    used = (int)strlen(text);
    snprintf(text + used, size - (size_t)used,
             "\"ContextState\"=dword:%08x\n\"MapAperture2\"=dword:%08x\n\"Notices\"=dword:%08x\n"
             "\"SwizzlingRanges\"=dword:%08x\n\"PreemptionGranularity\"=dword:%08x\n"
             "\"CpuHostAperture\"=dword:%08x\n\"DeviceMmus\"=dword:%08x\n"
             "\"IoMmu\"=dword:%08x\n\"SwizzledSurfaces\"=dword:%08x\n"
             "\"HardwareScheduling\"=dword:%08x\n\"SignalMonitoredFence\"=dword:%08x\n"
             "\"NativeFences\"=dword:00000001\n\"PageTableIdleUpdates\"=dword:%08x\n"
             "\"LowIrqlPreempt\"=dword:%08x\n\"OverlayPlanes\"=dword:%08x\n"
             "\"FlipQueue\"=dword:%08x\n\"UserModeSubmission\"=dword:%08x\n"
             "\"Scaling\"=dword:%08x\n",
             scene & SCENE_STATES ? (scene & SCENE_WDDM2 ? 2 : 1) : 0, (scene & SCENE_LISTS) != 0,
             (scene & SCENE_VIRTUAL) != 0, scene & SCENE_RANGES ? 2 : 0,
             scene & SCENE_RESULTS ? 2 : 1, (scene & SCENE_HOST) == SCENE_HOST,
             (scene & SCENE_MMUS) == SCENE_MMUS,
             (scene & SCENE_GIVEN) == SCENE_GIVEN ? 2 : (scene & SCENE_IOMMU) == SCENE_IOMMU,
             (scene & SCENE_SWIZZLED) == SCENE_SWIZZLED, has_queues(scene) ? 2 : 0,
             (scene & SCENE_SIGNALS) == SCENE_SIGNALS, (scene & SCENE_SIGNALS) == SCENE_SIGNALS,
             (scene & SCENE_VIRTUAL) != 0, has_planes(scene) || has_flip_queue(scene) ? 2 : 0,
             has_flip_queue(scene) ? 4 : 0, (scene & SCENE_SIGNALS) == SCENE_SIGNALS ? 2 : 1,
             scene & SCENE_MODES ? 3 : 0);
}

static bool read_image(const char *path, struct host_file *file)
{
    int descriptor = open(path, O_RDONLY | O_CLOEXEC);
    off_t size = descriptor >= 0 ? lseek(descriptor, 0, SEEK_END) : -1;
    const char *slash = strrchr(path, '/');

    if (size > 0) {
        file->bytes = mmap(NULL, (size_t)size, PROT_READ, MAP_PRIVATE, descriptor, 0);
        file->size = (size_t)size;
        file->name = slash ? slash + 1 : path;
    }
    if (descriptor >= 0) {
        close(descriptor);
    }
    return size > 0 && file->bytes != MAP_FAILED;
}

/* A small picture is quick; where memory has to be short, or in many pieces, a large one. */
static const char *device_options(const struct runner_setup *setup)
{
    bool small = !setup->before && !(setup->scene & SCENE_CONTENT);

    if (setup->scene & SCENE_RENDER_ONLY) {
        return "vram_mb=32,aperture_mb=8,outputs=0";
    }
    if (setup->scene & (SCENE_REPLUG | SCENE_MODES)) {
        return small ? "vram_mb=32,aperture_mb=8,outputs=2,monitor=2"
                     : "vram_mb=32,aperture_mb=8,outputs=2";
    }
    if ((setup->scene & SCENE_IOMMU) == SCENE_IOMMU) {
        return "vram_mb=32,aperture_mb=32,outputs=1"; /* all is there */
    }
    return small ? "vram_mb=32,aperture_mb=8,outputs=1,monitor=2"
                 : "vram_mb=32,aperture_mb=8,outputs=1";
}

static _Noreturn void run_child(const struct runner_setup *setup, struct record *record,
                                struct shared *shared)
{
    const char *seed = getenv("RUNNER_SEED"); /* another one, and any order of tasks */
    char registry[2048];
    struct host_options options = {
        .driver_module = setup->module,
        .service_name = "driver",
        .driver_speaks_softgpu = true,
        .device_model = &softgpu_model,
        .device_options = device_options(setup),
        .messages = setup->scene & SCENE_MESSAGES,
        .seed = seed ? strtoull(seed, NULL, 0) : 1,
        .ram_bytes = 128u << 20,
        .watchdog_ms = setup->watchdog_ms ? setup->watchdog_ms : 5000,
        .time_limit_ns = setup->time_limit_ns,
        .special_pool = setup->special_pool,
        /* 0: the system's own, which time-outs of work are judged by. */
        .tdr_delay_ns = setup->scene & (SCENE_STATES | SCENE_PREEMPT) || has_queues(setup->scene)
                            ? 0
                            : 200 * 1000000u,
        .shadow_content = setup->scene & SCENE_CONTENT,
        .undocumented_paging = (setup->scene & SCENE_MMUS) == SCENE_MMUS,
        .workloads = {workload_of(setup->scene)},
        .workload_count = 1,
        .process_count = 1,
        .surprise_removal = setup->scene & SCENE_REMOVE,
        .round_robin = !seed,
    };

    options.variations.on[VARY_SPLIT_MAPPINGS] = (setup->scene & SCENE_CONTENT) != 0;
    options.variations.on[VARY_COMPANION_CONTEXTS] = (setup->scene & SCENE_COPIES) == SCENE_COPIES;
    options.variations.on[VARY_RELEASE_DISPLAY] =
        setup->scene & SCENE_RELEASE && !has_queues(setup->scene);
    options.variations.on[VARY_STOP_SCREEN] = (setup->scene & SCENE_STOP_SCREEN) != 0;
    options.variations.on[VARY_RESTING_PARTS] = (setup->scene & SCENE_RESTS) == SCENE_RESTS;
    options.variations.on[VARY_AGP_APERTURE] = (setup->scene & SCENE_CHIPSET) == SCENE_CHIPSET;
    if (setup->image && !read_image(setup->image, &options.driver)) {
        _exit(3);
    }
    describe_registry(setup, registry, sizeof registry);
    options.registry = (struct host_file){"registry", registry, strlen(registry)};
    record_attach(record);
    scene_flags = setup->scene;
    if (setup->before) {
        setup->before();
    }
    host_run(&options, record);
    shared->failures = scene_failures;
    memcpy(shared->failure, scene_failure, sizeof shared->failure);
    _exit(0);
}

void runner_run(const struct runner_setup *setup, struct runner_result *result)
{
    struct record *record = record_create(1u << 14, 1u << 16);
    struct shared *shared =
        mmap(NULL, sizeof *shared, PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    int status = 0;

    CHECK_THAT(record && shared != MAP_FAILED);
    fflush(NULL);
    pid_t child = fork();
    CHECK_THAT(child >= 0);
    if (child == 0) {
        run_child(setup, record, shared);
    }
    CHECK_THAT(waitpid(child, &status, 0) == child);
    const struct record_header *header = record_header(record);
    *result = (struct runner_result){.outcome = (enum run_outcome)header->outcome,
                                     .died = !WIFEXITED(status) || WEXITSTATUS(status) != 0,
                                     .failures = shared->failures};
    snprintf(result->message, sizeof result->message, "%s", header->message);
    snprintf(result->failure, sizeof result->failure, "%s", shared->failure);
    for (unsigned i = 0; i < header->breach_count && i < 32; i++) {
        result->breaches[result->breach_count++] = *record_breach_at(record, i);
    }
    if (getenv("RUNNER_COUNTERS")) {
        for (unsigned i = 0; i < header->counter_count; i++) {
            printf("  %s = %llu\n", header->counters[i].name,
                   (unsigned long long)header->counters[i].value);
        }
    }
    memcpy(result->rule_checks, header->rule_checks, sizeof result->rule_checks);
    munmap(shared, sizeof *shared);
    record_destroy(record);
}

void runner_print(const struct runner_result *result)
{
    printf("  outcome %d%s: %s\n", (int)result->outcome, result->died ? ", died" : "",
           result->message);
    if (result->failures) {
        printf("  scene: %s (%u)\n", result->failure, result->failures);
    }
    for (unsigned i = 0; i < result->breach_count; i++) {
        const struct record_breach *breach = &result->breaches[i];
        printf("  %s in %s x%u: expected %s; actual %s (0x%X/%llX)\n", breach->rule, breach->ddi,
               breach->count, breach->expected, breach->actual, breach->bugcheck,
               (unsigned long long)breach->bugcheck_argument[0]);
    }
}

bool runner_only(const struct runner_result *result, const char *rule)
{
    for (unsigned i = 0; i < result->breach_count; i++) {
        if (strcmp(result->breaches[i].rule, rule) != 0) {
            return false;
        }
    }
    if (result->outcome == RUN_OUTCOME_REFUSED && result->breach_count == 0) {
        return strncmp(result->message, rule, strlen(rule)) == 0; /* the start was refused */
    }
    return result->breach_count > 0 && !result->died;
}

bool runner_among(const struct runner_result *result, const char *rule)
{
    for (unsigned i = 0; i < result->breach_count; i++) {
        if (strcmp(result->breaches[i].rule, rule) == 0) {
            return !result->died;
        }
    }
    return false;
}
