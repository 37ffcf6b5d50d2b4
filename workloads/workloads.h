/* workloads.h: those that come with Drydock. */
#ifndef WORKLOADS_WORKLOADS_H
#define WORKLOADS_WORKLOADS_H

#include <drydock/workload.h>

extern const struct drydock_workload workload_desktop;   /* any display driver */
extern const struct drydock_workload workload_modes;     /* any display driver */
extern const struct drydock_workload workload_queued;    /* any driver that queues flips */
extern const struct drydock_workload workload_planes;    /* any driver with overlay planes */
extern const struct drydock_workload workload_overlays;  /* any driver with MaxOverlays */
extern const struct drydock_workload workload_pressure;  /* any driver with standard allocations */
extern const struct drydock_workload workload_memory;    /* any driver that presents nothing */
extern const struct drydock_workload workload_surfaces;  /* any driver that copies by Present */
extern const struct drydock_workload workload_gdi;       /* any driver that draws for GDI */
extern const struct drydock_workload workload_scenes;    /* any driver that copies by Present */
extern const struct drydock_workload workload_placed;    /* any driver with GPU addresses */
extern const struct drydock_workload workload_empty;     /* any driver with contexts */
extern const struct drydock_workload workload_mapped;    /* any driver with GPU addresses */
extern const struct drydock_workload workload_screen;    /* any display-only driver */
extern const struct drydock_workload workload_render;    /* the software GPU's driver */
extern const struct drydock_workload workload_virtual;   /* the software GPU's driver */
extern const struct drydock_workload workload_queues;    /* any driver with GPU addresses */
extern const struct drydock_workload workload_doorbells; /* any driver with GPU addresses */
extern const struct drydock_workload workload_fences;    /* any driver with GPU addresses */
extern const struct drydock_workload workload_residency; /* the software GPU's driver */
extern const struct drydock_workload workload_hang;      /* the software GPU's driver */

/* NULL: there is none of this name. */
const struct drydock_workload *workload_builtin(const char *name);
/* In the order in which they run by default; NULL past the last. */
const struct drydock_workload *workload_builtin_at(unsigned index);
/* Does each of its commands end, and soon? Of a workload of somebody else's nobody knows it. */
bool workload_ends(const struct drydock_workload *workload);

#endif
