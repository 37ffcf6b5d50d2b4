/* firmware.h: the picture that firmware, or whoever had the display before, leaves to a driver, and
 * the methods of its tables. */
#ifndef MACHINE_FIRMWARE_H
#define MACHINE_FIRMWARE_H

#include <stdbool.h>
#include <stdint.h>

#include "drydock/device.h"

struct pci_slot;

/* Somebody else has shown something since, with rows of another length: what pci_firmware_picture()
 * tells is another picture than before. Nobody drives the device. */
void pci_firmware_leave_another(struct pci_slot *slot);

/* pci_look.c: a method of the firmware's tables, of the device or of a child; its parameters are
 * those of the model's acpi_method(). False: there is none; what the result points to is sound. */
bool pci_acpi_method(struct pci_slot *slot, uint32_t unit, const char name[4],
                     const struct device_acpi_value *arguments, unsigned count,
                     struct device_acpi_value *result);

#endif
