/* kernel_parts.h: what the files of the kernel of kernel.h share among themselves. */
#ifndef TESTS_DRIVERS_KERNEL_PARTS_H
#define TESTS_DRIVERS_KERNEL_PARTS_H

#include "kernel.h"

/* Its addresses stand for the device's registers; nothing is stored there. */
extern UCHAR kernel_registers[SOFTGPU_REGISTERS_SIZE];

/* The entry point of the driver kernel_choose_driver() chose, loaded and bound. */
PDRIVER_INITIALIZE kernel_load_driver(void);

/* DxgkCbQueryVidPnInterface. */
NTSTATUS NTAPI kernel_query_vidpn_interface(D3DKMDT_HVIDPN const vidpn,
                                            const DXGK_VIDPN_INTERFACE_VERSION version,
                                            const DXGK_VIDPN_INTERFACE **interface);

#endif
