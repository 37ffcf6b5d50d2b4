/* deeds.h: terrible things that ordinary code does, by their names. */
#ifndef HOSTILE_DEEDS_H
#define HOSTILE_DEEDS_H

#include <dispmprt.h>

/* What a deed may need of the driver that does it. */
struct deed_stage {
    PDRIVER_OBJECT driver;
    PDEVICE_OBJECT device;  /* NULL before AddDevice */
    ULONG_PTR *interface;   /* DXGKRNL_INTERFACE as it was handed, or NULL */
    ULONG_PTR arguments[8]; /* of the DDI that it is done in */
};

/* False: there is none of that name. `number` and `other` are its arguments. */
BOOLEAN deed_do(const struct deed_stage *stage, const wchar_t *name, ULONG_PTR number,
                ULONG_PTR other);

/* The same, of objects that are written over while the kernel uses them (spoils.c). */
BOOLEAN spoil_do(const struct deed_stage *stage, const wchar_t *name, ULONG_PTR number,
                 ULONG_PTR other);

#endif
