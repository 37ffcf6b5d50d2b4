/* nt/hal_bios.c: the interrupts of a PC's BIOS, as display drivers for old adapters call them.
 *
 * This computer starts by UEFI and has no BIOS. No page describes these routines of the HAL, nor
 * what they answer then: that they fail is a guess. */
#include "nt/internal.h"

/* Of the registers drivers themselves declare the type. */
BOOLEAN NTAPI x86BiosCall(ULONG BiosCommand, PVOID BiosArguments);

BOOLEAN NTAPI x86BiosCall(ULONG BiosCommand, PVOID BiosArguments)
{
    NT_EXPORT_ENTER(x86BiosCall);
    return FALSE;
}

NTSTATUS NTAPI x86BiosAllocateBuffer(ULONG *Size, USHORT *Segment, USHORT *Offset)
{
    NT_EXPORT_ENTER(x86BiosAllocateBuffer);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosFreeBuffer(USHORT Segment, USHORT Offset)
{
    NT_EXPORT_ENTER(x86BiosFreeBuffer);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosReadMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size)
{
    NT_EXPORT_ENTER(x86BiosReadMemory);
    return STATUS_NOT_SUPPORTED;
}

NTSTATUS NTAPI x86BiosWriteMemory(USHORT Segment, USHORT Offset, PVOID Buffer, ULONG Size)
{
    NT_EXPORT_ENTER(x86BiosWriteMemory);
    return STATUS_NOT_SUPPORTED;
}
