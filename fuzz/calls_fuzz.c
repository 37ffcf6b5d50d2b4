/* Fuzzes submissions, fences, hardware queues and memory by what a client calls, through the whole
 * house on the reference driver: the first bytes choose the driver's settings, the others the calls
 * (calls_client.c). The driver is innocent, and nobody else is to blame either: whatever a client
 * does ends in a pass, or in a word about the client. fuzz/run_calls_fuzz builds and runs it. */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/record.h"
#include "calls_client.h"
#include "host/host.h"

enum { PAGE = 4096, COUNTERS = 4 * PAGE, SECONDS_MAX = 60 };

extern const struct device_model softgpu_model;

int LLVMFuzzerInitialize(int *argc, char ***argv);
int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

/* libFuzzer looks here for what an input did. A run has a process of its own, so this is shared. */
__attribute__((section("__libfuzzer_extra_counters"),
               aligned(PAGE))) static uint8_t counters[COUNTERS];

static const char *driver;

/* Two calls in a row with their answers are something new; more often are, too. */
static void note_answer(unsigned call, int32_t status)
{
    static unsigned before;
    unsigned now = call * 67 + ((uint32_t)status & 0xFFF) * 31 + ((uint32_t)status >> 30);

    counters[now % (COUNTERS / 2)]++;
    counters[COUNTERS / 2 + (before * 7 + now) % (COUNTERS / 2)]++;
    before = now;
}

int LLVMFuzzerInitialize(int *argc, char ***argv)
{
    (void)argc;
    (void)argv;
    driver = getenv("SOFTGPU_SO");
    if (!driver || mmap(counters, COUNTERS, PROT_READ | PROT_WRITE,
                        MAP_SHARED | MAP_ANONYMOUS | MAP_FIXED, -1, 0) != counters) {
        fprintf(stderr, "calls_fuzz: SOFTGPU_SO is to name the driver's module\n");
        exit(2);
    }
    calls_answered = note_answer;
    return 0;
}

static _Noreturn void run_child(const uint8_t *data, size_t size, struct record *record)
{
    static const unsigned versions[] = {0x2000, 0x2100, 0x2400, 0x2600, 0x2700, 0x3000, 0x3200};
    char registry[512];
    struct host_options options = {
        .driver_module = driver,
        .service_name = "softgpu",
        .device_model = &softgpu_model,
        .device_options = "vram_mb=16",
        .driver_speaks_softgpu = true,
        .seed = data[1],
        .ram_bytes = 256u << 20,
        .shadow_content = true,
        .workloads = {&calls_workload},
        .workload_count = 1,
    };

    snprintf(registry, sizeof registry,
             "[\\Registry\\Machine\\System\\CurrentControlSet\\Services\\softgpu]\n"
             "\"GpuMmu\"=dword:1\n\"WddmVersion\"=dword:%x\n\"HardwareScheduling\"=dword:%x\n"
             "\"NativeFences\"=dword:%x\n\"PagingVirtual\"=dword:%x\n\"PageTableUpdateMode\"=dword:"
             "%x\n",
             versions[data[0] % (sizeof versions / sizeof versions[0])], data[2] % 3,
             data[2] / 3 % 3, data[2] / 9 % 2, data[2] / 18 % 3);
    options.registry = (struct host_file){"registry", registry, strlen(registry)};
    calls_choices(data + 3, size - 3);
    alarm(SECONDS_MAX);
    record_attach(record);
    host_run(&options, record);
    _exit(0);
}

static void judge(struct record *record, int status)
{
    const struct record_header *header = record_header(record);
    bool fine =
        WIFEXITED(status) && WEXITSTATUS(status) == 0 &&
        (header->outcome == RUN_OUTCOME_PASS || header->outcome == RUN_OUTCOME_INCONCLUSIVE ||
         header->outcome == RUN_OUTCOME_WORKLOAD_FAULT);

    if (!fine) {
        fprintf(stderr, "calls_fuzz: status %x, outcome %u: %s\n", (unsigned)status,
                header->outcome, header->message);
        for (unsigned i = 0; i < header->breach_count; i++) {
            const struct record_breach *breach = record_breach_at(record, i);
            fprintf(stderr, "  %s in %s: expected %s; actual %s\n", breach->rule, breach->ddi,
                    breach->expected, breach->actual);
        }
        abort();
    }
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int status = -1;

    if (size < 4) {
        return 0;
    }
    struct record *record = record_create(1u << 14, 16u << 20);
    if (!record) {
        abort();
    }
    fflush(NULL);
    pid_t child = fork();
    if (child == 0) {
        run_child(data, size, record);
    }
    pid_t ended;
    do { /* libFuzzer has a timer */
        ended = child < 0 ? -1 : waitpid(child, &status, 0);
    } while (ended < 0 && child > 0 && errno == EINTR);
    if (ended != child) {
        abort();
    }
    if (getenv("CALLS_SAYS")) {
        fprintf(stderr, "outcome %u: %s; %llu calls\n", record_header(record)->outcome,
                record_header(record)->message,
                (unsigned long long)record_counter(record, "calls.made"));
    }
    judge(record, status);
    record_destroy(record);
    return 0;
}
