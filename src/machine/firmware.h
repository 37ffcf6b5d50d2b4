/* firmware.h: the picture that firmware, or whoever had the display before, leaves to a driver. */
#ifndef MACHINE_FIRMWARE_H
#define MACHINE_FIRMWARE_H

struct pci_slot;

/* Somebody else has shown something since, with rows of another length: what pci_firmware_picture()
 * tells is another picture than before. Nobody drives the device. */
void pci_firmware_leave_another(struct pci_slot *slot);

#endif
