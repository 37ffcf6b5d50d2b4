/* A driver that registers all that takes memory, and nothing that takes work. */
#include "table.h"

DRIVER_INITIALIZE DriverEntry;

NTSTATUS NTAPI DriverEntry(PDRIVER_OBJECT driver_object, PUNICODE_STRING registry_path)
{
    DRIVER_INITIALIZATION_DATA table;

    fill_table(&table);
    table.DxgkDdiSubmitCommand = NULL;
    return DxgkInitialize(driver_object, registry_path, &table);
}
