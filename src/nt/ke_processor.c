/* nt/ke_processor.c: what compilers for Windows read of the kernel without calling it: the running
 * CPU's block and the page that all share.
 *
 * Of both only members that documented macros and functions of the headers read have a value here.
 * An access to any other is the fault that it is in a process. */
#include "nt/internal.h"

#include <string.h>

#include "base/check.h"

/* Of the CPU's block. */
#define CPU_NUMBER 0x184
#define CPU_THREAD 0x188

/* Of the shared page. */
#define SHARED_PAGE            0xFFFFF78000000000u
#define SHARED_TICK_MULTIPLIER 0x004
#define SHARED_INTERRUPT_TIME  0x008
#define SHARED_SYSTEM_TIME     0x014
#define SHARED_PRODUCT_TYPE    0x264
#define SHARED_MAJOR_VERSION   0x26C
#define SHARED_MINOR_VERSION   0x270
#define SHARED_BUILD_NUMBER    0x260
#define SHARED_FEATURES        0x274
#define SHARED_FEATURES_COUNT  64
#define SHARED_TICK_COUNT      0x320
/* Milliseconds a tick, with 24 bits behind the point. */
#define TICK_MULTIPLIER (((uint64_t)CLOCK_INTERRUPT_100NS << 24) / 10000)

static bool of_cpu(uint64_t offset, unsigned size, uint64_t *value)
{
    if (offset == CPU_NUMBER && size <= sizeof(ULONG)) {
        *value = cpu_current();
        return true;
    }
    *value = offset == CPU_THREAD ? (uintptr_t)thread_current() : 0;
    return offset == CPU_THREAD && size == sizeof(PVOID);
}

/* One member: its bytes at its offset, as the page has them. */
struct member {
    unsigned offset, size;
    uint64_t value;
    uint32_t more; /* behind the value, in the last four bytes of the twelve of a time */
};

static uint64_t at_tick(uint64_t time_100ns)
{
    return time_100ns - time_interrupt_100ns() % CLOCK_INTERRUPT_100NS;
}

/* Times are twelve bytes: low, high, and high again, which a reader on a 32-bit processor needs. */
static struct member time_member(unsigned offset, uint64_t time)
{
    return (struct member){offset, 12, time, (uint32_t)(time >> 32)};
}

static bool read_member(const struct member *member, uint64_t offset, unsigned size,
                        uint64_t *value)
{
    unsigned char bytes[16] = {0};

    if (offset < member->offset || !range_fits(offset - member->offset, size, member->size)) {
        return false;
    }
    memcpy(bytes, &member->value, sizeof member->value);
    memcpy(bytes + 8, &member->more, sizeof member->more);
    *value = 0;
    memcpy(value, bytes + (offset - member->offset), size);
    return true;
}

static bool of_shared_page(uint64_t address, unsigned size, uint64_t *value)
{
    uint64_t ticks = time_interrupt_100ns() / CLOCK_INTERRUPT_100NS;
    const struct member members[] = {
        {SHARED_TICK_MULTIPLIER, 4, TICK_MULTIPLIER, 0},
        time_member(SHARED_INTERRUPT_TIME, at_tick(time_interrupt_100ns())),
        time_member(SHARED_SYSTEM_TIME, at_tick(time_system_100ns())),
        time_member(SHARED_TICK_COUNT, ticks),
        {SHARED_BUILD_NUMBER, 4, version_ours.build, 0},
        {SHARED_PRODUCT_TYPE, 4, PRODUCT_WORKSTATION, 0},
        {SHARED_MAJOR_VERSION, 4, version_ours.major, 0},
        {SHARED_MINOR_VERSION, 4, version_ours.minor, 0},
    };
    uint64_t offset = address - SHARED_PAGE;

    for (unsigned i = 0; i < sizeof members / sizeof members[0]; i++) {
        if (read_member(&members[i], offset, size, value)) {
            machine_spend(TIME_QUERY_NS); /* as the functions do: who polls comes to an end */
            return true;
        }
    }
    /* ExIsProcessorFeaturePresent says the same of all. */
    *value = 0;
    return offset >= SHARED_FEATURES && size == 1 &&
           offset < SHARED_FEATURES + SHARED_FEATURES_COUNT;
}

/* KeRaiseIrql and KeLowerIrql of older headers are such a move, and do not say which they are. */
static void set_irql(uint8_t level, const void *caller)
{
    const struct export_call call = {EXPORT_ID_KeLowerIrql, caller};

    if (level >= irql_current()) {
        irql_raise(level);
    } else {
        spin_lower(level, &call);
    }
}

bool nt_perform(uint64_t *gpr, uint64_t *rip, uint64_t *flags)
{
    static const struct processor processor = {
        .of_cpu = of_cpu, .shared = of_shared_page, .set_irql = set_irql};

    return nt_exists() && processor_perform(&processor, gpr, rip, flags);
}
