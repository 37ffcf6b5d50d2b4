/* A device model that is the software GPU but for one deed, in one of the computer's calls of it:
 * "deed=NAME,place=NAME,when=N". What it does wrong is its own fault, and nobody else's. */
#include <drydock/device.h>

#include <setjmp.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include "native.h"
#include "softgpu/softgpu.h"

static struct device *device;
static struct device_bus *bus;
static struct device_operations bent;
static const struct device_operations *straight;
static const char *deed_name, *place_name;
static uint64_t when, calls;

/* ---- Deeds ----------------------------------------------------------------------------------- */

static jmp_buf kept;

static void faults(void)
{
    *(volatile int *)8 = 1;
}
static void jumps_nowhere(void)
{
    ((void (*)(void))(uintptr_t)0x4141)();
}
static void aborts(void)
{
    abort();
}
static void exits(void)
{
    exit(0);
}
static void exits_now(void)
{
    _exit(0);
}
static void spins(void)
{
    for (;;) {
        __asm__ volatile("pause");
    }
}
static void traps(void)
{
    __builtin_trap();
}
static void divides(void)
{
    volatile int zero = 0;
    zero = 1 / zero;
}
static void jumps_back(void)
{
    longjmp(kept, 1);
}
static void gives_up(void)
{
    bus->operations->give_up(bus, "it is tired");
}
static void gives_up_wild(void)
{
    bus->operations->give_up(bus, (const char *)8);
}
static void gives_up_null(void)
{
    bus->operations->give_up(bus, NULL);
}
static void describes_again(void)
{
    static struct device_description none;
    bus->operations->describe(bus, &none);
}
static void describes_null(void)
{
    bus->operations->describe(bus, NULL);
}
static void ticks_for_ever(void)
{
    for (int i = 0; i < 1000; i++) {
        bus->operations->call_at(bus, 0, (uint64_t)i);
    }
}
static void ticks_many(void)
{
    for (uint64_t i = 0; i < 20000000; i++) {
        bus->operations->call_at(bus, UINT64_MAX - i, i);
    }
}
static void ticks_late(void)
{
    bus->operations->call_at(bus, UINT64_MAX, 0);
    bus->operations->call_at(bus, 1ull << 63, 0);
}
static void interrupts_wild(void)
{
    bus->operations->interrupt_set(bus, 0xFFFFFFFF, true);
    bus->operations->interrupt_set(bus, 128, true);
}
static void interrupts_storm(void)
{
    for (int i = 0; i < 100000; i++) {
        bus->operations->interrupt_set(bus, 0, i & 1);
    }
}
static void interrupts_stuck(void)
{
    bus->operations->interrupt_set(bus, 0, true);
}
static void reads_wild(void)
{
    static char bytes[4096];
    bus->operations->dma_read(bus, UINT64_MAX - 8, bytes, 4096);
    bus->operations->dma_read(bus, 0, bytes, 0);
    bus->operations->dma_read(bus, 1ull << 40, bytes, 4096);
}
static void reads_huge(void)
{
    static char bytes[4096];
    bus->operations->dma_read(bus, 0, bytes, SIZE_MAX);
}
static void reads_long(void)
{
    static char bytes[4096];
    bus->operations->dma_read(bus, 0, bytes, 1 << 30);
}
static void reads_null(void)
{
    bus->operations->dma_read(bus, 0, NULL, 4096);
    bus->operations->dma_read(bus, 0, (void *)8, 4096);
}
static void writes_null(void)
{
    bus->operations->dma_write(bus, 0, (void *)8, 4096);
}
static void writes_wild(void)
{
    static char bytes[1 << 20];
    memset(bytes, 0x41, sizeof bytes);
    for (uint64_t at = 0; at < 256ull << 20; at += sizeof bytes) {
        bus->operations->dma_write(bus, at, bytes, sizeof bytes);
    }
}
static void maps_wild(void)
{
    bus->operations->dma_map(bus, UINT64_MAX - 100, 4096);
    bus->operations->dma_map(bus, 0, SIZE_MAX);
    bus->operations->dma_map(bus, 0, 0);
    volatile char *place = bus->operations->dma_map(bus, 0, 4096);
    if (place) {
        place[5000] = 1;
    }
}
static void maps_beyond(void)
{
    char *place = bus->operations->dma_map(bus, 0x100000, 4096);
    if (place) {
        memset(place - 65536, 0x41, 1 << 20);
    }
}
static void bars_wild(void)
{
    bus->operations->bar_memory(bus, 0xFFFFFFFF);
    bus->operations->bar_memory(bus, 6);
    bus->operations->bar_show(bus, 0xFFFFFFFF, 0, 4096, 0);
    bus->operations->bar_show(bus, 0, UINT64_MAX, UINT64_MAX, UINT64_MAX);
    bus->operations->bar_show(bus, 1, 4096, UINT64_MAX - 4095, 0);
    bus->operations->bar_show(bus, 1, 1, 4096, 0);
}
static void shows_wild(void)
{
    for (unsigned bar = 0; bar < 6; bar++) {
        for (uint64_t i = 0; i < 100000; i++) {
            bus->operations->bar_show(bus, bar, i * 8192, 4096, i % 7 * 4096);
        }
    }
}
static void runs_over_bar(void)
{
    for (unsigned bar = 0; bar < 6; bar++) {
        char *memory = bus->operations->bar_memory(bus, bar);
        if (memory) {
            memory[-1] = 1;
        }
    }
}
static void logs_wild(void)
{
    bus->operations->log(bus, (const char *)8);
}
static void logs_null(void)
{
    bus->operations->log(bus, NULL);
}
static void logs_much(void)
{
    static char text[1 << 16];
    memset(text, 'x', sizeof text - 1);
    for (int i = 0; i < 100000; i++) {
        text[i % 1000] = (char)('a' + i % 26);
        bus->operations->log(bus, text);
    }
}
static void logs_control(void)
{
    bus->operations->log(bus, "\033[2J\033]0;x\007\xff\xfe\r\n");
}
static void traces_wild(void)
{
    for (unsigned i = 0; i < 100000; i++) {
        bus->operations->trace(bus, i & 1, i * 7919, i);
    }
}
static void pasid_wild(void)
{
    struct device_pasid_page page;
    size_t size;
    bus->operations->pasid_map(bus, 0xFFFFFFFF, UINT64_MAX, SIZE_MAX, (enum device_pasid_access)77,
                               &size);
    bus->operations->pasid_translate(bus, 0, 0, &page);
    bus->operations->pasid_translate(bus, 5, 4096, NULL);
    bus->operations->pasid_map(bus, 5, 0, 0, DEVICE_PASID_READ, NULL);
}
static void wild_bus(void)
{
    struct device_bus other = {bus->operations};
    other.operations->now_ns(&other);
    other.operations->interrupt_set(&other, 0, true);
}
static void null_bus(void)
{
    bus->operations->interrupt_set(NULL, 0, true);
}
static void writes_operations(void)
{
    memset((void *)(uintptr_t)bus->operations, 0x41, sizeof *bus->operations);
}
static void writes_bus(void)
{
    memset(bus, 0x41, 256);
}
static void forgets_operations(void)
{
    device->operations = NULL;
}
static void wild_operations(void)
{
    device->operations = (const struct device_operations *)0x4141414141414140;
}
static void small_operations(void)
{
    bent.size_bytes = 0;
}
static void huge_operations(void)
{
    bent.size_bytes = SIZE_MAX;
}
static void null_routines(void)
{
    memset((char *)&bent + 8, 0, sizeof bent - 8);
}
static void wild_routines(void)
{
    memset((char *)&bent + 8, 0x41, sizeof bent - 8);
}
static void destroys_itself(void)
{
    straight->destroy(device);
}
static void blocks_signals(void)
{
    sigset_t all;
    sigfillset(&all);
    sigprocmask(SIG_BLOCK, &all, NULL);
    *(volatile int *)8 = 1;
}
static void loses_thread(void)
{
    __asm__ volatile("wrfsbase %0" : : "r"(0ull));
}
static void sets_direction(void)
{
    __asm__ volatile("std");
}
static void sets_mxcsr(void)
{
    unsigned value = 0;
    __asm__ volatile("ldmxcsr %0" : : "m"(value));
}
static void damages_heap(void)
{
    char *block = malloc(24);
    memset(block, 0x41, 4096);
    free(block);
}
static void frees_twice(void)
{
    char *block = malloc(24);
    free(block);
    free(block);
}
static void frees_wild(void)
{
    free((void *)0x4140);
}
static void takes_memory(void)
{
    for (;;) {
        char *block = malloc(64 << 20);
        if (!block) {
            break;
        }
        memset(block, 1, 64 << 20);
    }
}
static void writes_high_stack(void)
{
    volatile char here = 0;
    memset((char *)&here, 0x41, 16 << 10);
}
static void unmaps_ram(void)
{
    void *place = bus->operations->dma_map(bus, 0x100000, 4096);
    munmap(place, 1 << 20);
}
static void forks(void)
{
    if (fork() == 0) {
        _exit(0);
    }
}
static void kills(void)
{
    kill(getppid(), 9);
    raise(9);
}

/* ---- Answers that are none ------------------------------------------------------------------- */

static bool scanout_wild(struct device *d, unsigned output, const void **pixels, unsigned *width,
                         unsigned *height, unsigned *stride)
{
    *pixels = (const void *)8;
    *width = 640;
    *height = 480;
    *stride = 2560;
    return true;
}
static bool scanout_huge(struct device *d, unsigned output, const void **pixels, unsigned *width,
                         unsigned *height, unsigned *stride)
{
    static char dot[4];
    *pixels = dot;
    *width = *height = *stride = 0xFFFFFFFF;
    return true;
}
static bool scanout_none(struct device *d, unsigned output, const void **pixels, unsigned *width,
                         unsigned *height, unsigned *stride)
{
    *width = *height = *stride = 0;
    *pixels = NULL;
    return true;
}
static bool lights_wild(struct device *d, struct device_firmware_picture *picture)
{
    *picture = (struct device_firmware_picture){0xFFFFFFFF, UINT64_MAX, 0xFFFFFFFF, 0xFFFFFFFF,
                                                0xFFFFFFFF};
    return true;
}
static bool lights_end(struct device *d, struct device_firmware_picture *picture)
{
    *picture = (struct device_firmware_picture){1, (1ull << 30) - 4096, 4096, 4096, 4096 * 4};
    return true;
}
static bool spaces_for_ever(struct device *d, unsigned *space, struct device_address_space *found)
{
    *found = (struct device_address_space){{true, UINT64_MAX}, 0xFFFFFFFF, 0};
    ++*space;
    return true;
}
static bool remembers_for_ever(struct device *d, unsigned space, uint64_t *cursor,
                               struct device_remembered *found)
{
    memset(found, 0xFF, sizeof *found);
    ++*cursor;
    return true;
}
static void translates_wild(struct device *d, unsigned space, uint64_t address,
                            struct device_translation *t)
{
    memset(t, 0xFF, sizeof *t);
}
static bool looks_wild(struct device *d, uint64_t address, uint64_t *physical)
{
    *physical = UINT64_MAX;
    return true;
}
static bool goes_wild(struct device *d, uint64_t a, uint64_t s, char *text, size_t size)
{
    memset(text, 'x', size);
    return true;
}
static size_t says_huge(struct device *d, unsigned output, uint8_t *bytes, size_t size)
{
    return SIZE_MAX;
}
static size_t says_noise(struct device *d, unsigned output, uint8_t *bytes, size_t size)
{
    memset(bytes, 0xFF, size);
    return 0xFFFF;
}
static bool monitors_wild(struct device *d, unsigned output, bool connected)
{
    return true;
}
static uint64_t reads_ones(struct device *d, unsigned bar, uint64_t offset, unsigned size)
{
    return UINT64_MAX;
}

static void answers(void)
{
#define ANSWER(name, member, routine)    \
    if (strcmp(deed_name, #name) == 0) { \
        bent.member = routine;           \
    }
    ANSWER(scanout_wild, scanout, scanout_wild)
    ANSWER(scanout_huge, scanout, scanout_huge)
    ANSWER(scanout_none, scanout, scanout_none)
    ANSWER(lights_wild, light_up, lights_wild)
    ANSWER(lights_end, light_up, lights_end)
    ANSWER(spaces_for_ever, address_space, spaces_for_ever)
    ANSWER(remembers_for_ever, remembered, remembers_for_ever)
    ANSWER(translates_wild, translate, translates_wild)
    ANSWER(looks_wild, look_up, looks_wild)
    ANSWER(goes_wild, goes_to, goes_wild)
    ANSWER(says_huge, monitor_says, says_huge)
    ANSWER(says_noise, monitor_says, says_noise)
    ANSWER(monitors_wild, set_monitor, monitors_wild)
    ANSWER(reads_ones, mmio_read, reads_ones)
}

static const struct native_deed deeds[] = {
    DEED(faults),
    DEED(jumps_nowhere),
    DEED(aborts),
    DEED(exits),
    DEED(exits_now),
    DEED(spins),
    DEED(traps),
    DEED(divides),
    DEED(jumps_back),
    DEED(gives_up),
    DEED(gives_up_wild),
    DEED(gives_up_null),
    DEED(describes_again),
    DEED(describes_null),
    DEED(recurses),
    DEED(ticks_for_ever),
    DEED(ticks_many),
    DEED(ticks_late),
    DEED(interrupts_wild),
    DEED(interrupts_storm),
    DEED(interrupts_stuck),
    DEED(reads_wild),
    DEED(reads_huge),
    DEED(reads_long),
    DEED(reads_null),
    DEED(writes_null),
    DEED(writes_wild),
    DEED(maps_wild),
    DEED(maps_beyond),
    DEED(bars_wild),
    DEED(shows_wild),
    DEED(runs_over_bar),
    DEED(logs_wild),
    DEED(logs_null),
    DEED(logs_much),
    DEED(logs_control),
    DEED(traces_wild),
    DEED(pasid_wild),
    DEED(wild_bus),
    DEED(null_bus),
    DEED(writes_operations),
    DEED(writes_bus),
    DEED(forgets_operations),
    DEED(wild_operations),
    DEED(small_operations),
    DEED(huge_operations),
    DEED(null_routines),
    DEED(wild_routines),
    DEED(destroys_itself),
    DEED(blocks_signals),
    DEED(loses_thread),
    DEED(sets_direction),
    DEED(sets_mxcsr),
    DEED(closes_all),
    DEED(writes_words),
    DEED(damages_heap),
    DEED(frees_twice),
    DEED(frees_wild),
    DEED(takes_memory),
    DEED(writes_high_stack),
    DEED(unmaps_ram),
    DEED(forks),
    DEED(kills),
};

static void here(const char *place)
{
    if (!place_name || strcmp(place_name, place) != 0 || ++calls != when) {
        return;
    }
    const struct native_deed *found = native_find(deeds, sizeof deeds / sizeof *deeds, deed_name);
    if (found) {
        found->run();
    }
}

static uint64_t mmio_read(struct device *d, unsigned bar, uint64_t offset, unsigned size)
{
    here("read");
    return straight->mmio_read(d, bar, offset, size);
}
static void mmio_write(struct device *d, unsigned bar, uint64_t offset, unsigned size,
                       uint64_t value)
{
    here("write");
    straight->mmio_write(d, bar, offset, size, value);
}
static void tick(struct device *d, uint64_t cookie)
{
    if (setjmp(kept) == 0) {
        here("tick");
    }
    straight->tick(d, cookie);
}
static void reset(struct device *d)
{
    here("reset");
    straight->reset(d);
}
static void destroy(struct device *d)
{
    here("destroy");
    straight->destroy(d);
}

static struct device *create(struct device_bus *of, const struct drydock_value *values)
{
    const struct drydock_option *option = softgpu_model.options;
    struct drydock_value theirs[DRYDOCK_OPTIONS_MAX] = {0};

    for (unsigned i = 0; option && option[i].key; i++) {
        theirs[i].number = option[i].initial;
    }
    deed_name = values[0].text ? values[0].text : "";
    deed_name = strdup(deed_name);
    place_name = values[1].text ? strdup(values[1].text) : NULL;
    when = values[2].number;
    bus = of;
    here("before");
    device = softgpu_model.create(of, theirs);
    if (!device) {
        return NULL;
    }
    straight = device->operations;
    memcpy(&bent, straight,
           straight->size_bytes < sizeof bent ? straight->size_bytes : sizeof bent);
    bent.mmio_read = mmio_read;
    bent.mmio_write = mmio_write;
    bent.tick = tick;
    bent.reset = reset;
    bent.destroy = destroy;
    answers();
    device->operations = &bent;
    here("create");
    return device;
}

static const struct drydock_option options[] = {
    {"deed", "what it does", 0, 0, 0},
    {"place", "in which call", 0, 0, 0},
    {"when", "in which of those", 1, 1, 1000000000},
    {0},
};

DRYDOCK_DEVICE_EXPORT const struct device_model drydock_device;
const struct device_model drydock_device = {
    DRYDOCK_DEVICE_ABI,
    sizeof(struct device_model),
    "bent",
    "the software GPU with one deed",
    options,
    create,
};
