/* start.h: StartDevice and StopDevice, with the interrupt that is connected between them. */
#ifndef DXGK_START_H
#define DXGK_START_H

#include "dxgk/internal.h"

struct dxgk_failure;

/* A failure leaves the device stopped. */
NTSTATUS dxgk_start_device(struct dxgk_adapter *adapter, struct dxgk_failure *failure);
/* One that ran may be asked for its display. */
void dxgk_stop_device(struct dxgk_adapter *adapter);

#endif
