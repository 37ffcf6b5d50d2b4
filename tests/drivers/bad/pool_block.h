/* pool_block.h: a driver that takes a block of pool, does with it what its misuse() does, and does
 * not start. */
#ifndef BAD_POOL_BLOCK_H
#define BAD_POOL_BLOCK_H

#include <ntddk.h>

#define TAG ((ULONG)('B' | 'a' << 8 | 'd' << 16 | 'P' << 24))
#ifndef BLOCK_BYTES
#define BLOCK_BYTES 96
#endif

DRIVER_INITIALIZE DriverEntry;

/* What is wrong. It frees the block, too. */
static void misuse(volatile UCHAR *block);

static void free_block(volatile UCHAR *block)
{
    ExFreePoolWithTag((PVOID)(ULONG_PTR)block, TAG);
}

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    volatile UCHAR *block = ExAllocatePool2(POOL_FLAG_NON_PAGED, BLOCK_BYTES, TAG);

    UNREFERENCED_PARAMETER(driver_object);
    UNREFERENCED_PARAMETER(registry_path);
    if (block != NULL) {
        misuse(block);
    }
    return STATUS_UNSUCCESSFUL;
}

#endif
