/* A table of calls that no run comes to, for drivers that are wrong before. */
#ifndef BAD_TABLE_H
#define BAD_TABLE_H

#include <ntddk.h>

#include <dispmprt.h>

static NTSTATUS NTAPI never_called(void)
{
    return STATUS_UNSUCCESSFUL;
}

/* All that a driver of this version has to register. */
static void fill_table(DRIVER_INITIALIZATION_DATA *table)
{
    RtlZeroMemory(table, sizeof(*table));
    table->Version = DXGKDDI_INTERFACE_VERSION_WIN8;
    table->DxgkDdiAddDevice = (PDXGKDDI_ADD_DEVICE)(ULONG_PTR)never_called;
    table->DxgkDdiStartDevice = (PDXGKDDI_START_DEVICE)(ULONG_PTR)never_called;
    table->DxgkDdiStopDevice = (PDXGKDDI_STOP_DEVICE)(ULONG_PTR)never_called;
    table->DxgkDdiRemoveDevice = (PDXGKDDI_REMOVE_DEVICE)(ULONG_PTR)never_called;
    table->DxgkDdiQueryAdapterInfo = (PDXGKDDI_QUERYADAPTERINFO)(ULONG_PTR)never_called;
    table->DxgkDdiUnload = (PDXGKDDI_UNLOAD)(ULONG_PTR)never_called;
    table->DxgkDdiCreateAllocation = (PDXGKDDI_CREATEALLOCATION)(ULONG_PTR)never_called;
    table->DxgkDdiDestroyAllocation = (PDXGKDDI_DESTROYALLOCATION)(ULONG_PTR)never_called;
    table->DxgkDdiOpenAllocation = (PDXGKDDI_OPENALLOCATIONINFO)(ULONG_PTR)never_called;
    table->DxgkDdiCloseAllocation = (PDXGKDDI_CLOSEALLOCATION)(ULONG_PTR)never_called;
    table->DxgkDdiBuildPagingBuffer = (PDXGKDDI_BUILDPAGINGBUFFER)(ULONG_PTR)never_called;
    table->DxgkDdiSubmitCommand = (PDXGKDDI_SUBMITCOMMAND)(ULONG_PTR)never_called;
}

#endif
