/* mock.h: a computer with nothing but a software GPU, whose clock the test moves.
 *
 * RAM is MOCK_RAM_SIZE bytes from physical address MOCK_RAM_BASE on. Engine n's ring, fence and
 * command buffers have fixed places in it. */
#ifndef TESTS_SOFTGPU_MOCK_H
#define TESTS_SOFTGPU_MOCK_H

#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include <drydock/device.h>

#include "base/option.h"
#include "softgpu/softgpu.h"
#include "softgpu/softgpu_regs.h"

#define MOCK_RAM_BASE  0x100000ull
#define MOCK_RAM_SIZE  0x1000000ull
#define MOCK_TICKS     64
#define MOCK_RING_SIZE 16u

struct mock_tick {
    uint64_t time_ns, order, cookie;
};

struct mock {
    struct device_bus bus;
    struct device *device;
    struct device_description description;
    uint64_t now_ns, tick_order;
    struct mock_tick ticks[MOCK_TICKS];
    unsigned tick_count;
    bool line[SOFTGPU_MESSAGE_COUNT];
    unsigned rises[SOFTGPU_MESSAGE_COUNT];
    bool scattered; /* dma_map gives no more than one page */
    uint8_t *ram, *vram;
    int trace_depth;

    uint32_t tail[SOFTGPU_ENGINE_COUNT];
    uint32_t *commands; /* being written */
    uint32_t command_words, command_begin;
};

void mock_init(struct mock *mock, const char *options);
void mock_fini(struct mock *mock);
/* Lets time pass; runs the ticks that fall due. */
void mock_run(struct mock *mock, uint64_t ns);
/* Until no tick is outstanding, at most a second. */
void mock_settle(struct mock *mock);

uint32_t mock_read(struct mock *mock, uint32_t reg);
void mock_write(struct mock *mock, uint32_t reg, uint32_t value);
void mock_write64(struct mock *mock, uint32_t reg, uint64_t value);

/* RAM at a physical address. */
void *mock_ram(struct mock *mock, uint64_t physical);

/* Ring, fence address and interrupts of an engine, enabled. */
void mock_start_engine(struct mock *mock, unsigned engine, uint32_t control);
/* Fence values of engine n are written here. */
uint64_t mock_fence(struct mock *mock, unsigned engine);

/* Adds a command to the buffer being written. */
void mock_command(struct mock *mock, const void *words, size_t bytes);
/* Puts a packet for the buffer in the ring; a new buffer begins. */
void mock_submit(struct mock *mock, unsigned engine, uint32_t flags, uint64_t fence);
void mock_submit_packet(struct mock *mock, unsigned engine, const struct softgpu_packet *packet);
/* mock_submit on engine with a fence and interrupt, mock_settle, and the engine must not have
 * faulted. */
void mock_execute(struct mock *mock, unsigned engine, uint32_t flags);

static inline uint32_t engine_reg(unsigned engine, uint32_t reg)
{
    return SOFTGPU_ENGINE_REG(engine, reg);
}

static inline struct softgpu_address gpu_address(uint64_t address)
{
    return (struct softgpu_address){(uint32_t)address, (uint32_t)(address >> 32)};
}

static inline struct softgpu_surface gpu_surface(uint64_t address, uint32_t pitch, uint32_t format,
                                                 uint32_t width, uint32_t height)
{
    return (struct softgpu_surface){gpu_address(address), pitch, format, width, height};
}

#define HEADER(opcode, type) SOFTGPU_COMMAND(opcode, sizeof(type) / 4)

/* A small generator: the same numbers everywhere. */
static inline uint32_t next_random(uint64_t *state)
{
    *state = *state * 6364136223846793005ull + 1442695040888963407ull;
    uint64_t value = *state ^ *state >> 33;
    return (uint32_t)(value * 0xFF51AFD7ED558CCDull >> 32);
}

#endif
