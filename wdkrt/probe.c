/* Probing memory that a client gave: the exceptions must come out of a function inside the image.
 */
#include "wdkrt.h"

__declspec(dllimport) void ExRaiseAccessViolation(void);
__declspec(dllimport) void ExRaiseDatatypeMisalignment(void);

void ProbeForRead(const volatile void *address, size_t length, u32 alignment);
void ProbeForWrite(volatile void *address, size_t length, u32 alignment);

/* Where system space begins for a probe on x64 Windows. */
static const u64 user_probe_address = 0x00007fffffff0000ull;

static void check_range(u64 address, size_t length, u32 alignment)
{
    if (address & (alignment - 1)) {
        ExRaiseDatatypeMisalignment();
    }
    if (address + length < address || address + length > user_probe_address) {
        ExRaiseAccessViolation();
    }
}

void ProbeForRead(const volatile void *address, size_t length, u32 alignment)
{
    if (length) {
        check_range((u64)address, length, alignment);
    }
}

void ProbeForWrite(volatile void *address, size_t length, u32 alignment)
{
    volatile u8 *at = address;
    u64 last = (u64)address + length - 1;

    if (length == 0) {
        return;
    }
    check_range((u64)address, length, alignment);
    /* Each page is written to with what it holds. */
    for (;;) {
        *at = *at;
        if (((u64)at & ~0xfffull) == (last & ~0xfffull)) {
            return;
        }
        at = (volatile u8 *)(((u64)at & ~0xfffull) + 0x1000);
    }
}
