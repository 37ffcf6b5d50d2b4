/* machine/acpi.h: methods of the firmware's tables, which the device model has. */
#ifndef MACHINE_ACPI_H
#define MACHINE_ACPI_H

#include "machine/machine.h"

/* One of the device, or of a child. Its parameters are those of the model's acpi_method(). False:
 * there is none; what the result points to is sound. */
bool pci_acpi_method(struct pci_slot *slot, uint32_t unit, const char name[4],
                     const struct device_acpi_value *arguments, unsigned count,
                     struct device_acpi_value *result);

#endif
