/* nt/ke_time.c: the kernel's clocks, all of them the machine's virtual clock.
 *
 * Each query takes a little virtual time, so that a driver that polls a clock comes to its end. The
 * clock interrupt of 15.625 ms is not modelled as an event; only the functions that show the time
 * of the last tick round down to it. */
#include "nt/internal.h"

/* What the page of KeStallExecutionProcessor asks for, and what no watchdog of Windows lets pass.
 */
#define STALL_ADVISED_US 50u
#define STALL_ABSURD_US  500000u
#define QPC_FREQUENCY    10000000           /* 10 MHz: ticks of 100 ns */
#define EPOCH_100NS      133801632000000000 /* 2025-01-01 00:00 UTC: power-on of every run */

uint64_t time_interrupt_100ns(void)
{
    return machine_now_ns() / 100;
}

uint64_t time_system_100ns(void)
{
    return EPOCH_100NS + time_interrupt_100ns();
}

static uint64_t last_tick(void)
{
    return time_interrupt_100ns() / CLOCK_INTERRUPT_100NS;
}

LARGE_INTEGER NTAPI KeQueryPerformanceCounter(PLARGE_INTEGER PerformanceFrequency)
{
    LARGE_INTEGER counter;

    NT_EXPORT_ENTER(KeQueryPerformanceCounter);
    machine_spend(TIME_QUERY_NS);
    if (PerformanceFrequency) {
        PerformanceFrequency->QuadPart = QPC_FREQUENCY;
    }
    counter.QuadPart = (LONGLONG)time_interrupt_100ns();
    return counter;
}

uint64_t nt_performance_counter(void)
{
    return time_interrupt_100ns();
}

uint64_t nt_system_time(void)
{
    return time_system_100ns();
}

VOID NTAPI KeQuerySystemTime(PLARGE_INTEGER CurrentTime)
{
    NT_EXPORT_ENTER(KeQuerySystemTime);
    machine_spend(TIME_QUERY_NS);
    CurrentTime->QuadPart = (LONGLONG)(EPOCH_100NS + last_tick() * CLOCK_INTERRUPT_100NS);
}

VOID NTAPI KeQuerySystemTimePrecise(PLARGE_INTEGER CurrentTime)
{
    NT_EXPORT_ENTER(KeQuerySystemTimePrecise);
    machine_spend(TIME_QUERY_NS);
    CurrentTime->QuadPart = (LONGLONG)time_system_100ns();
}

VOID NTAPI KeQueryTickCount(PLARGE_INTEGER CurrentCount)
{
    NT_EXPORT_ENTER(KeQueryTickCount);
    machine_spend(TIME_QUERY_NS);
    CurrentCount->QuadPart = (LONGLONG)last_tick();
}

ULONGLONG NTAPI KeQueryInterruptTime(VOID)
{
    NT_EXPORT_ENTER(KeQueryInterruptTime);
    machine_spend(TIME_QUERY_NS);
    return last_tick() * CLOCK_INTERRUPT_100NS;
}

ULONG64 NTAPI KeQueryInterruptTimePrecise(PULONG64 QpcTimeStamp)
{
    NT_EXPORT_ENTER(KeQueryInterruptTimePrecise);
    machine_spend(TIME_QUERY_NS);
    *QpcTimeStamp = time_interrupt_100ns();
    return time_interrupt_100ns();
}

/* The machine never sleeps, so biased and unbiased time are one. */
ULONGLONG NTAPI KeQueryUnbiasedInterruptTime(VOID)
{
    NT_EXPORT_ENTER(KeQueryUnbiasedInterruptTime);
    machine_spend(TIME_QUERY_NS);
    return last_tick() * CLOCK_INTERRUPT_100NS;
}

ULONG NTAPI KeQueryTimeIncrement(VOID)
{
    NT_EXPORT_ENTER(KeQueryTimeIncrement);
    return CLOCK_INTERRUPT_100NS;
}

#define STALLED_NS (2 * NS_PER_S) /* as long as the system waits for a GPU [TDR-001] */

/* Told once, where many short stalls have become an absurd one; what one alone is was told. At
 * HIGH_LEVEL nothing else is left to do. */
static void spend_stalled(const struct export_call *call, ULONG microseconds)
{
    bool told = irql_high_ns() >= STALLED_NS || microseconds >= STALL_ABSURD_US ||
                irql_current() == HIGH_LEVEL;

    machine_spend(microseconds * NS_PER_US);
    if (!told && irql_high_ns() >= STALLED_NS) {
        misuse(NT_MISUSE_ARGUMENT, call,
               "stalls a processor again and again: it is at IRQL %u for %llu ms now, and nothing "
               "else runs there; what is waited for may never come: return, and go on when the "
               "device interrupts",
               irql_current(), (unsigned long long)(irql_high_ns() / NS_PER_MS));
    }
}

VOID NTAPI KeStallExecutionProcessor(ULONG MicroSeconds)
{
    struct export_call call = NT_EXPORT_CALL(KeStallExecutionProcessor);

    if (MicroSeconds >= STALL_ABSURD_US && irql_current() >= DISPATCH_LEVEL) {
        misuse(NT_MISUSE_ARGUMENT, &call,
               "stalls a processor for %u us at IRQL %u: wait for a timer or in a thread",
               MicroSeconds, irql_current());
    } else if (MicroSeconds > STALL_ADVISED_US) {
        advise(&call, "stalls a processor for more than 50 us: wait for a timer or in a thread");
    }
    spend_stalled(&call, MicroSeconds);
}

/* The machine's time zone is UTC. */
VOID NTAPI ExSystemTimeToLocalTime(PLARGE_INTEGER SystemTime, PLARGE_INTEGER LocalTime)
{
    NT_EXPORT_ENTER(ExSystemTimeToLocalTime);
    *LocalTime = *SystemTime;
}

VOID NTAPI ExLocalTimeToSystemTime(PLARGE_INTEGER LocalTime, PLARGE_INTEGER SystemTime)
{
    NT_EXPORT_ENTER(ExLocalTimeToSystemTime);
    *SystemTime = *LocalTime;
}
