/* abi: what each WDDM version has, as data, and what follows from it for one adapter.
 *
 *     abi/versions.json ──tools/abi/tables.py──> abi/tables.h: sizes, slots, enumerators by version
 *     interface version + caps ──abi_features_init──> struct abi_features
 *
 * An *interface version* (DXGKDDI_INTERFACE_VERSION_*) is what a driver was built against and
 * registers: it fixes the layout of structures and tables. A *WDDM version* (DXGK_WDDMVERSION) is
 * the model that the driver follows, and fixes what the kernel does with it; it may be the older of
 * the two, for drivers are built against newer headers than the model they follow.
 *
 * What differs by version is decided in this folder. Everybody else asks for a size or a feature by
 * its name; only the door, which walks the tables of slots, holds a slot's first version against
 * the driver's. The kernel and the judge make their features each from what they saw
 * themselves, by the same function. */
#ifndef ABI_ABI_H
#define ABI_ABI_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <d3dkmddi.h>
#include <dispmprt.h>

#include "abi/tables.h" /* generated */

/* ---- Versions ---------------------------------------------------------------------------- */

enum abi_version {
#define X(name, interface, wddm) ABI_##name,
    ABI_VERSIONS(X)
#undef X
        ABI_VERSION_COUNT
};

struct abi_version_info {
    const char *name; /* "WDDM2_0" */
    unsigned interface_version, wddm_version;
};

const struct abi_version_info *abi_version_info(enum abi_version version);
/* ABI_VERSION_COUNT: no system accepts it. */
enum abi_version abi_version_of(unsigned interface_version);

/* ---- Structures, tables, enumerators ----------------------------------------------------- */

enum abi_structure {
#define X(name, ...) ABI_SIZE_OF_##name,
    ABI_STRUCTURES(X)
#undef X
        ABI_STRUCTURE_COUNT
};

/* Bytes; 0 in a version that lacks it. */
size_t abi_size(enum abi_structure structure, enum abi_version version);

/* Of interfaces that a driver hands out for its features. */
#define ABI_FEATURE_FUNCTIONS(X)            \
    X(QueryFeatureSupport, WDDM3_2)         \
    X(QueryFeatureInterface, WDDM3_2)       \
    X(FeatureInterfaceDereference, WDDM3_2) \
    X(FeatureSampleValue, WDDM3_2)

/* First versions of slots, as constants: ABI_SINCE_DDI_Render. */
enum abi_since {
#define X(name, since) ABI_SINCE_DDI_##name = ABI_##since,
    ABI_DDI_SLOTS(X) ABI_DISPLAY_ONLY_OWN_SLOTS(X) ABI_FEATURE_FUNCTIONS(X)
#undef X
#define X(name, since) ABI_SINCE_CB_##name = ABI_##since,
        ABI_CALLBACK_SLOTS(X)
#undef X
};

/* False: the type came later, or there is none of that number. */
bool abi_has_interrupt(DXGK_INTERRUPT_TYPE type, enum abi_version version);

/* ---- Features ---------------------------------------------------------------------------- */

/* Which form of segment descriptors the kernel asks for. */
enum abi_segment_query { ABI_QUERY_SEGMENT, ABI_QUERY_SEGMENT3, ABI_QUERY_SEGMENT4 };

struct abi_features {
    enum abi_version version; /* of the interface */
    unsigned wddm_version;    /* what the caps say; if they do not, the newest of the interface */
    unsigned wddm_version_max;

    /* By the interface: what structures and tables have. */
    bool engine_topology;   /* caps name the number of nodes and the paging node */
    bool node_metadata;     /* GetNodeMetadata */
    bool power_components;  /* NUMPOWERCOMPONENTS, POWERCOMPONENTINFO */
    bool history_precision; /* HISTORYBUFFERPRECISION */
    bool engine_resets;     /* SupportPerEngineTDR and the DDIs that go with it */
    bool physical_contexts; /* every context renders by patch lists */
    bool read_segment_sets; /* SupportedReadSegmentSet counts */
    bool residency_flags;   /* ExplicitResidencyNotification, AccessedPhysically */
    bool shaped_scalings;   /* AspectRatioCenteredMax and Custom of paths */
    bool gdi_surfaces;      /* the kind of standard allocations that came last */
    bool cross_adapter;     /* surfaces that another adapter reaches, if the caps have them */
    bool plain_alignment;   /* Alignment is a number of bytes and nothing else */
    bool paging_space_size; /* PAGINGPROCESSGPUVASIZE */
    bool loose_escapes;     /* NoAdapterSynchronization of an Escape */
    bool known_escapes;     /* DriverKnownEscape, DriverCommonEscape */
    bool eviction_notices;  /* NOTIFY_ALLOC, for allocations with NotifyEviction */
    bool device_mmus;       /* QUERYMMUS, and the operations for it */
    bool iommu_addresses;   /* GpuVaIommuRequired, and NOTIFY_ALLOC with IoMmuUnmap */
    /* By the WDDM version: what the kernel does. */
    enum abi_segment_query segment_query;
    bool flips_by_register;     /* FlipOnVSyncMmIo is required of a display driver */
    bool physical_adapter_caps; /* PHYSICALADAPTERCAPS */
    bool virtual_addressing;    /* GPU virtual addresses, which the caps ask for */
    bool wddm2;                 /* the second model: members that only it fills in or reads */
    bool aperture_views;        /* MapApertureCpuVisible: the driver sees what is mapped */
    bool address_lists;         /* apertures are mapped by MAP_APERTURE_SEGMENT2 */
    bool hardware_queues;       /* nodes may have hardware contexts, of the last generation */
    bool in_flight_limit;       /* and a limit for what their queues are given at once */
    bool user_submission;       /* clients may submit to such queues by themselves, by doorbells */
    bool native_fences;         /* fences that the GPU waits for by itself, which the caps offer */
    bool one_removal_cap;       /* one cap speaks of a removal in hibernation and of any other */
};

/* `caps` as the driver left them, zero beyond the size that its version has. */
void abi_features_init(struct abi_features *features, enum abi_version version,
                       const DXGK_DRIVERCAPS *caps);

/* Is what came with a version there? The interface has it and, where it is the second model's, the
 * driver follows that. */
bool abi_features_have(const struct abi_features *features, enum abi_version since);
/* The same of a slot: the interface alone counts. */
bool abi_features_have_slot(const struct abi_features *features, enum abi_version since);

#endif
