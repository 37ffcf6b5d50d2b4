/* A client that calls anything with anything: all functions of D3DKMT, members filled by their kind
 * and at random, pointers to pages that end, memory that another thread changes meanwhile, handles
 * that other calls gave, of two processes. With `deed`: promises.h. Whatever it does, the driver is
 * innocent and so is Drydock. */
#include <drydock/client.h>
#include <drydock/workload.h>

#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#include "promises.h"

enum { A_HANDLE, POINTER, NUMBER };
enum { PAGE = 4096, AREA = 4 * PAGE, KEPT = 64, ARGUMENTS_MAX = 8192, TEMPLATES = 2 };

struct field {
    size_t offset, size;
    int kind;
};

struct shape {
    const char *name;
    size_t size;
    const struct field *fields;
    size_t field_count;
    int is_constant;
};

#define CALL(function, type, constant) static const struct field fields_##function[] = {
#define FIELD(type, member, what)      {offsetof(type, member), sizeof(((type *)0)->member), what},
#define END_CALL \
    }            \
    ;
#include "shapes.inc"
#undef CALL
#undef FIELD
#undef END_CALL

#define CALL(function, type, constant)           \
    {#function, sizeof(type), fields_##function, \
     sizeof fields_##function / sizeof *fields_##function, constant},
#define FIELD(type, member, what)
#define END_CALL
static const struct shape shapes[] = {
#include "shapes.inc"
};
#undef CALL
enum { SHAPES = sizeof shapes / sizeof *shapes };

typedef int32_t any_call(void *);
#define CALL(function, type, constant) (any_call *)(uintptr_t)function,
static any_call *const routines[] = {
#include "shapes.inc"
};

static struct {
    const struct drydock_workload_host *host;
    uint64_t state, calls_left, seed;
    uint32_t handles[KEPT];
    uint64_t pointers[KEPT];
    unsigned handle_count, pointer_count;
    uint8_t *area; /* AREA bytes, with a page behind them that nobody may touch */
    uint8_t *read_only;
    /* Arguments that were not refused at once. */
    uint8_t kept[SHAPES][TEMPLATES][ARGUMENTS_MAX];
    uint8_t kept_count[SHAPES];
    uint64_t answers[4];
    int is_over;
} stage;

static uint8_t somewhere[4 * PAGE];

static uint64_t draw(void)
{
    uint64_t z = stage.state += 0x9E3779B97F4A7C15;

    z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
    z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
    return z ^ (z >> 31);
}

static unsigned below(unsigned bound)
{
    return (unsigned)(draw() % bound);
}

static uint64_t number(void)
{
    static const uint64_t odd[] = {0,           1,          2,          3,
                                   4,           5,          8,          16,
                                   64,          0xFF,       0xFFF,      0x1000,
                                   0x10000,     0x7FFFFFFF, 0x80000000, 0xFFFFFFFF,
                                   0x100000000, INT64_MAX,  1ull << 63, UINT64_MAX - 0xFFF,
                                   UINT64_MAX};

    switch (below(8)) {
    case 0:
        return odd[below(sizeof odd / sizeof *odd)];
    case 1:
        return 1ull << below(64);
    case 2:
        return draw();
    case 3:
        return below(256);
    default:
        return below(3);
    }
}

static uint32_t a_handle(void)
{
    unsigned known = stage.handle_count < KEPT ? stage.handle_count : KEPT;

    if (known && below(16)) {
        return stage.handles[below(known)];
    }
    return (uint32_t)number();
}

static uint64_t a_pointer(void)
{
    static const uint64_t odd[] = {0,
                                   1,
                                   8,
                                   0x1000,
                                   0x414141414141,
                                   0x7FFFFFFFFFF8,
                                   1ull << 63,
                                   UINT64_MAX,
                                   0xFFFFF78000000000};
    unsigned known = stage.pointer_count < KEPT ? stage.pointer_count : KEPT;

    switch (below(12)) {
    case 0:
        return odd[below(sizeof odd / sizeof *odd)];
    case 1:
        return (uint64_t)(uintptr_t)stage.area + AREA - below(64);
    case 2:
        return (uint64_t)(uintptr_t)stage.read_only + below(64) * 8;
    case 3:
        return known ? stage.pointers[below(known)] : 0;
    case 4:
        return (uint64_t)(uintptr_t)somewhere;
    default:
        return (uint64_t)(uintptr_t)stage.area + below(AREA / 64) * 64;
    }
}

static void put(uint8_t *place, size_t size, uint64_t value)
{
    memcpy(place, &value, size < 8 ? size : 8);
}

static void fill_area(void)
{
    for (unsigned i = 0; i < 256; i++) {
        unsigned at = below(AREA / 8) * 8;
        switch (below(4)) {
        case 0:
            put(stage.area + at, 4, a_handle());
            break;
        case 1:
            put(stage.area + at, 8, a_pointer());
            break;
        default:
            put(stage.area + at, 8, number());
        }
    }
}

static void fill_field(uint8_t *arguments, const struct field *field)
{
    uint8_t *place = arguments + field->offset;

    switch (field->kind) {
    case A_HANDLE:
        for (size_t i = 0; i + 4 <= field->size && i < 64; i += 4) {
            put(place + i, 4, a_handle());
        }
        break;
    case POINTER:
        put(place, field->size, a_pointer());
        break;
    default:
        if (field->size <= 8) {
            put(place, field->size, number());
        } else {
            for (size_t i = 0; i + 4 <= field->size && below(8); i += 4) {
                put(place + i, 4, below(4) ? number() : a_handle());
            }
        }
    }
}

/* A luid stands in structures inside. */
static void fill(uint8_t *arguments, const struct shape *shape, unsigned which)
{
    unsigned templates = stage.kept_count[which];

    if (templates && below(4)) {
        memcpy(arguments, stage.kept[which][below(templates)], shape->size);
        for (unsigned i = below(3); i > 0 && shape->field_count; i--) {
            fill_field(arguments, &shape->fields[below((unsigned)shape->field_count)]);
        }
        return;
    }
    memset(arguments, 0, shape->size);
    for (size_t i = 0; i < shape->field_count; i++) {
        if (below(4)) {
            fill_field(arguments, &shape->fields[i]);
        }
    }
    if (below(3) == 0) {
        size_t at = below((unsigned)shape->size) & ~7u;
        if (at + 8 <= shape->size) {
            memcpy(arguments + at, &stage.host->adapter_luid_low, 4);
            memcpy(arguments + at + 4, &stage.host->adapter_luid_high, 4);
        }
    }
}

static void learn(const uint8_t *before, const uint8_t *arguments, unsigned which, int32_t status)
{
    const struct shape *shape = &shapes[which];
    /* Not refused for a handle or a parameter. */
    int is_new = status >= 0 || (status != (int32_t)0xC000000D && status != (int32_t)0xC0000008 &&
                                 status != (int32_t)0xC0000005);

    stage.answers[status >= 0 ? 0 : is_new ? 1 : 2]++;
    if (is_new && shape->size <= ARGUMENTS_MAX) {
        unsigned place =
            stage.kept_count[which] < TEMPLATES ? stage.kept_count[which]++ : below(TEMPLATES);
        memcpy(stage.kept[which][place], before, shape->size);
    }
    for (size_t i = 0; status >= 0 && i < shape->field_count; i++) {
        const struct field *field = &shape->fields[i];
        uint64_t value = 0;
        memcpy(&value, arguments + field->offset, field->size < 8 ? field->size : 8);
        if (memcmp(before + field->offset, arguments + field->offset, field->size) != 0 && value) {
            if (field->kind == A_HANDLE) {
                stage.handles[stage.handle_count++ % KEPT] = (uint32_t)value;
            } else {
                stage.pointers[stage.pointer_count++ % KEPT] = value;
            }
        }
    }
}

static void call_anything(void)
{
    static uint8_t before[ARGUMENTS_MAX], usual[ARGUMENTS_MAX];
    unsigned which = below(SHAPES);
    const struct shape *shape = &shapes[which];

    if (shape->size > sizeof usual) {
        return;
    }
    /* Destroying all the time leaves nothing, and a wait that nobody ends is the end. */
    if ((strstr(shape->name, "Destroy") && below(8)) ||
        ((strstr(shape->name, "Acquire") || strstr(shape->name, "Wait")) && below(256))) {
        return;
    }
    if (below(16) == 0) {
        fill_area();
    }
    uint8_t *arguments = below(4) ? stage.area + AREA - shape->size : usual;
    if (below(32) == 0) {
        arguments = (uint8_t *)(uintptr_t)a_pointer();
        routines[which](arguments);
        return;
    }
    fill(arguments, shape, which);
    memcpy(before, arguments, shape->size);
    int32_t status = routines[which](arguments);
    if (getenv("WILD_SAYS")) {
        stage.host->note(stage.host, "%s: %x", shape->name, (unsigned)status);
    }
    learn(before, arguments, which, status);
    stage.host->count(stage.host, "wild.calls", 1);
}

static void open_adapter(void)
{
    D3DKMT_OPENADAPTERFROMLUID open = {
        .AdapterLuid = {stage.host->adapter_luid_low, stage.host->adapter_luid_high}};
    D3DKMT_CREATEDEVICE device = {0};
    D3DKMT_CREATECONTEXT context = {.EngineAffinity = 1};
    D3DKMT_CREATEPAGINGQUEUE queue = {0};

    if (D3DKMTOpenAdapterFromLuid(&open) < 0) {
        return;
    }
    stage.handles[stage.handle_count++ % KEPT] = device.hAdapter = open.hAdapter;
    if (D3DKMTCreateDevice(&device) < 0) {
        return;
    }
    stage.handles[stage.handle_count++ % KEPT] = context.hDevice = queue.hDevice = device.hDevice;
    if (D3DKMTCreateContext(&context) >= 0) {
        stage.handles[stage.handle_count++ % KEPT] = context.hContext;
    }
    if (D3DKMTCreatePagingQueue(&queue) >= 0) {
        stage.handles[stage.handle_count++ % KEPT] = queue.hPagingQueue;
        stage.handles[stage.handle_count++ % KEPT] = queue.hSyncObject;
    }
    for (unsigned i = 0; i < 3; i++) {
        struct drydock_standard_allocation surface = {.hDevice = device.hDevice,
                                                      .kind = (enum drydock_surface_kind)i,
                                                      .width = 64,
                                                      .height = 64,
                                                      .format = D3DDDIFMT_X8R8G8B8};
        if (drydock_create_standard_allocation(&surface) >= 0) {
            stage.handles[stage.handle_count++ % KEPT] = surface.hAllocation;
        }
    }
}

static int goes_on(void)
{
    if (stage.calls_left == 0 || stage.host->failed(stage.host)) {
        stage.is_over = 1;
    }
    return !stage.is_over;
}

static void caller(void *argument)
{
    (void)argument;
    open_adapter();
    while (goes_on()) {
        stage.calls_left--;
        call_anything();
        if (below(4) == 0) {
            stage.host->yield(stage.host);
        }
        if (below(64) == 0) {
            stage.host->sleep_until(stage.host, stage.host->now_ns(stage.host) + below(100000));
        }
    }
}

/* Between any two instants at which others may run. */
static void changer(void *argument)
{
    (void)argument;
    while (goes_on()) {
        fill_area();
        stage.host->sleep_until(stage.host, stage.host->now_ns(stage.host) + 1 + below(20000));
    }
}

/* Ends and begins, with what it left open. */
static void short_lived(void *argument)
{
    (void)argument;
    open_adapter();
    for (unsigned i = below(32); i > 0 && goes_on(); i--) {
        stage.calls_left--;
        call_anything();
    }
}

static void first(void *argument)
{
    struct drydock_process *threads[3];

    for (unsigned i = 0; i < 3; i++) {
        threads[i] = stage.host->start_thread(stage.host, "wild", i ? caller : changer, NULL);
    }
    caller(argument);
    for (unsigned i = 0; i < 3; i++) {
        stage.host->join(stage.host, threads[i]);
    }
}

static void call_wildly(const struct drydock_workload_host *host)
{
    memset(&stage, 0, sizeof stage);
    stage.host = host;
    stage.seed = stage.state = host->values[0].number;
    stage.calls_left = host->values[1].number;
    uint8_t *pages =
        mmap(NULL, AREA + 2 * PAGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED || mprotect(pages + AREA, PAGE, PROT_NONE) != 0 ||
        mprotect(pages + AREA + PAGE, PAGE, PROT_READ) != 0) {
        return;
    }
    stage.area = pages;
    stage.read_only = pages + AREA + PAGE;
    struct drydock_process *one = host->start_process(host, "first", first, NULL);
    struct drydock_process *two = host->start_process(host, "second", caller, NULL);
    while (goes_on()) {
        struct drydock_process *three = host->start_process(host, "short", short_lived, NULL);
        if (three) {
            host->join(host, three);
        }
        host->sleep_until(host, host->now_ns(host) + 100000);
    }
    host->join(host, one);
    host->join(host, two);
    host->count(host, "wild.good", stage.answers[0]);
    host->count(host, "wild.late", stage.answers[1]);
    host->count(host, "wild.refused", stage.answers[2]);
}

static void run(const struct drydock_workload_host *host)
{
    const char *deed = host->values[2].text;

    if (!deed) {
        call_wildly(host);
        return;
    }
    if (promise_break(host, deed)) {
        return;
    }
    host->fail(host, "no such deed");
}

static const struct drydock_option options[] = {
    {"seed", "of what is called", 1, 0, UINT64_MAX},
    {"calls", "how many", 2000, 1, 100000000},
    {"deed", "instead: one promise that is broken", 0, 0, 0},
    {0},
};

DRYDOCK_WORKLOAD_EXPORT const struct drydock_workload drydock_workload;
const struct drydock_workload drydock_workload = {
    .abi = DRYDOCK_WORKLOAD_ABI,
    .name = "wild",
    .description = "calls anything with anything",
    .run = run,
    .options = options,
};
