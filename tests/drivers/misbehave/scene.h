/* scene.h: what a misbehaviour needs besides the plain scene, which starts the adapter, renders,
 * pages, presents, flips and stops it again. Flags of enum scene can be added. */
#ifndef MISBEHAVE_SCENE_H
#define MISBEHAVE_SCENE_H

enum scene {
    SCENE_PLAIN = 0,
    SCENE_HANG = 1 << 0,         /* a command that never ends, and what comes of it */
    SCENE_PREEMPT = 1 << 1,      /* long work, and more urgent work behind it */
    SCENE_REMOVE = 1 << 2,       /* the device is pulled out at the end */
    SCENE_VISTA = 1 << 3,        /* WDDM 1.0: no contexts */
    SCENE_WDDM2 = 1 << 4,        /* WDDM 2.0 */
    SCENE_SMALL_PAGING = 1 << 5, /* paging buffers of a page: operations in several parts */
    SCENE_APERTURE_DMA = 1 << 6, /* DMA buffers are mapped into the aperture */
    SCENE_CONTENT = 1 << 7,      /* the kernel follows every byte through paging */
    SCENE_MESSAGES = 1 << 8,     /* message-signalled interrupts */
    SCENE_REFUSED = 1 << 9,      /* the adapter does not start */
    SCENE_RENDER_ONLY = 1 << 10, /* a device without outputs */
    SCENE_SMALL_DMA = 1 << 11,   /* DMA buffers of a page */
    SCENE_WIN8 = 1 << 12,        /* WDDM 1.2 */
    SCENE_LEFT_OUT = 1 << 14,    /* the DDI is not filled in */
    SCENE_HANGS = 1 << 15,       /* hangs until there were too many resets */
    SCENE_STUCK = 1 << 16,       /* a thread is in Escape while the engine hangs */
    SCENE_LOST = 1 << 17,        /* no rule is broken, and a reset takes the client's work */
    SCENE_FREED = 1 << 18,       /* the driver may end in its own freed memory */
    SCENE_ADVICE = 1 << 19,      /* told as advice; the verdict stays clean */
    SCENE_RESULTS = 1 << 20,     /* work whose result names the rule */
    SCENE_REPLUG = 1 << 21,      /* two monitors; the first is pulled out and plugged in again */
    SCENE_RELEASE = 1 << 22,     /* stopped with a frame buffer for the next driver */
    SCENE_STOP_SCREEN = 1 << 23, /* the system stops at the end */
    SCENE_FLIPS = 1 << 24,       /* several immediate flips between pictures that differ */
    SCENE_ENGINES = 1 << 25,     /* engines can be reset alone */
    SCENE_MODES = 1 << 26,       /* other modes and turned screens; two monitors */
    SCENE_VIRTUAL = 1 << 27,     /* WDDM 3.2 with page tables: paging by GPU virtual address */
    SCENE_STATES = 1 << 28,      /* contexts have memory for their state */
    SCENE_LISTS = 1 << 29,       /* WDDM 3.0, and apertures are mapped by address lists */
    SCENE_RANGES = 1 << 30,      /* the CPU looks through swizzling ranges, also while evicted */
    SCENE_COPIES = SCENE_VIRTUAL | SCENE_LISTS,   /* page tables are written, and entries copied, by
                                                   the tables' virtual addresses */
    SCENE_CHIPSET = SCENE_WIN8 | SCENE_WDDM2,     /* WDDM 1.2 on a computer with an AGP aperture */
    SCENE_IOMMU = SCENE_VIRTUAL | SCENE_RANGES,   /* WDDM 3.2, and addresses are the CPU's */
    SCENE_GIVEN = SCENE_IOMMU | SCENE_WDDM2,      /* the same, and the kernel gives addresses out */
    SCENE_RESTS = SCENE_ENGINES | SCENE_WIN8,     /* WDDM 1.2; engines rest without work */
    SCENE_HOST = SCENE_RANGES | SCENE_WDDM2,      /* WDDM 2.0 with a CPU host aperture */
    SCENE_SWIZZLED = SCENE_RANGES | SCENE_WIN8,   /* WDDM 1.2 with ranges and swizzled surfaces */
    SCENE_MMUS = SCENE_VIRTUAL | SCENE_WIN8,      /* as SCENE_VIRTUAL, with paging operations that
                                                documents leave open */
    SCENE_QUEUES = SCENE_VIRTUAL | SCENE_RELEASE, /* WDDM 3.2, and the GPU schedules hardware queues
                                                     of clients, and of paging; their ends are
                                                     signalled by a paging operation */
    SCENE_SIGNALS = SCENE_QUEUES | SCENE_ENGINES, /* the same by SignalMonitoredFence */
    SCENE_FIRST_PLANES = SCENE_MODES | SCENE_STATES, /* overlay planes, as the workload shows them:
                                                        in the form of WDDM 1.3 */
    SCENE_PLANES = SCENE_MODES | SCENE_WDDM2,        /* in that of 2.0 */
    SCENE_NEWEST_PLANES = SCENE_MODES | SCENE_LISTS, /* and as they are since 2.1 */
    SCENE_OVERLAYS = SCENE_MODES | SCENE_WIN8,  /* WDDM 1.2, and overlays, as the workload shows
                                                        them */
    SCENE_QUEUED = SCENE_QUEUES | SCENE_REPLUG, /* flips wait in the device, as the workload
                                                        queued has them */
    SCENE_QUEUED_PLANES = SCENE_QUEUED | SCENE_MODES, /* the same of overlay planes */
    SCENE_CLONES = SCENE_REPLUG | SCENE_MODES,        /* and a clone whose second path is scaled */
    SCENE_QUEUED_MODES = SCENE_QUEUED_PLANES | SCENE_FLIPS, /* modes, stereo and palettes among
                                                        them, as the workload modes has them */
    SCENE_RESET_MEANWHILE = SCENE_LISTS | SCENE_STUCK, /* WDDM 3.0, and a reset is asked for between
                                                          Begin- and EndExclusiveAccess */
    SCENE_GDI = SCENE_RENDER_ONLY | SCENE_SMALL_DMA, /* pictures of GDI, as the workload has them */
    SCENE_GDI_VIRTUAL = SCENE_GDI | SCENE_VIRTUAL,   /* by GPU virtual addresses, too */
    SCENE_MORE_RULES = 1 << 13, /* breaks others besides; the test wants it among them */
};

#endif
