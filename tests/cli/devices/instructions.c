/* The doorbell driver of examples/, reaching its ports by in and out as code does that a compiler
 * inlined, and not by the kernel's functions. */
#define DXGKDDI_INTERFACE_VERSION 0xB004 /* WDDM 2.6 */

#include <dispmprt.h>
#include <ntddk.h>

static ULONG in_instruction(ULONG *port)
{
    ULONG value;

    __asm__ volatile("inl %w1, %0" : "=a"(value) : "d"((ULONG)(ULONG_PTR)port));
    return value;
}

static void out_instruction(ULONG *port, ULONG value)
{
    __asm__ volatile("outl %0, %w1" : : "a"(value), "d"((ULONG)(ULONG_PTR)port));
}

#define READ_PORT_ULONG  in_instruction
#define WRITE_PORT_ULONG out_instruction

#include "../../../examples/driver-doorbell/driver.c"
