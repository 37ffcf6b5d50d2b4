/* Settings of the built-in driver, or of one made from it: what its service key may hold in varied
 * parts, by drivers/softgpu/README.md. */
#include "drydock.h"

static const struct host_setting settings[] = {
    {"DmaBufferSegment", {1}, 1},
    {"ApertureQueued", {1}, 1, .instead = true},
    {"PerEngineTdr", {1}, 1, .newer = true},
    {"PreemptionGranularity", {0, 2}, 2},
    {"VramSegments", {2, 3}, 2},
    {"PagingBufferSize", {4096}, 1, true},
    {"HwQueueDepth", {2, 15}, 2},
    {"PagingNode", {0}, 1},
    {"DmaBufferSize", {4096}, 1},
    {"SwizzlingRanges", {1, 4}, 2},
    {"SwizzledSurfaces", {1}, 1},
    {"PrivateData", {0}, 1},
    {"OverlayPlanes", {2}, 1, .newer = true}, /* in the form of the version */
    {"ContextState", {1, 2}, 2, .newer = true},
    {"WddmVersion", {0x1000}, 1, .oldest = true},
    {"ContainerIds", {1}, 1, .always = true, .newer = true},
    {"PowerComponents", {2}, 1, .always = true, .newer = true},
};

static const struct host_setting addresses[] = {
    {"GpuMmu", {1}, 1},
    {"WddmVersion", {0x2600, 0x3200, 0x3200, 0x3000, 0x2400, 0x3200, 0x3200, 0x3000}, 8},
    {"IoMmu", {0, 2, 0, 0, 1, 2, 0, 0}, 8, .along = true}, /* 2: of 3.2 alone */
    {"ContextState", {0, 1, 2}, 3},
    {"PagingVirtual", {1, 1, 0, 1}, 4},
    {"PageTableLevels", {2, 3, 4, 2, 5, 6}, 6}, /* a root that grows is a matter of its own */
    {"PageTableUpdateMode", {0, 1, 2, 2}, 4},
    {"PageTableSegment", {0, 1, 1}, 3},
    {"PagingBufferSize", {0x10000, 4096, 4096}, 3},
    {"DualPte", {0, 1}, 2},
    {"VramPages64K", {0, 1}, 2},
    {"PageTableInvalidation", {0, 1}, 2},
    {"Notices", {0, 1}, 2},
    {"SystemSegment", {0, 1}, 2},
    {"MapAperture2", {0, 1, 1}, 3},
    {"PreemptionGranularity", {2, 2, 1}, 3},
    {"CpuHostAperture", {0, 1}, 2},
    {"PageTableIdleUpdates", {0, 0, 1}, 3},
    {"CompanionNode", {1, 0, 3}, 3},
    {"PageTablesInTransfer", {0, 1}, 2},
    {"HardwareScheduling", {0, 2, 2, 1}, 4},
    {"LowIrqlPreempt", {0, 1}, 2},
    {"RingBufferFenceRelease", {0, 0, 1, 0}, 4},
    {"SignalMonitoredFence", {1, 0}, 2},
    {"UserModeSubmission", {1, 2, 1}, 3}, /* since 3.1, with hardware scheduling */
    {"NativeFences", {1, 2}, 2},          /* since 3.2 */
    {"OverlayPlanes", {2, 0}, 2},
    {"FlipQueue", {4, 8, 8, 0}, 4}, /* since 3.0, with planes and hardware scheduling */
    {"FlipCancel", {2, 0, 1}, 3},
    {"HwQueueDepth", {15, 0}, 2}, /* packets behind one that faults or hangs */
};

/* Addresses by page tables, and not the CPU's. */
#define MMU IS("IoMmu", 0)
#define IS(name, value)    \
    {                      \
        name, value, value \
    }
#define FROM(name, least)       \
    {                           \
        name, least, UINT32_MAX \
    }
#define VERSION(least) FROM("WddmVersion", least)

static const struct host_meeting meetings[] = {
    /* Paging on hardware queues, and what signals behind it. */
    {{MMU, VERSION(0x2500), IS("PagingVirtual", 1), IS("HardwareScheduling", 2),
      IS("RingBufferFenceRelease", 0), IS("SignalMonitoredFence", 1)}},
    {{MMU, VERSION(0x2500), IS("PagingVirtual", 1), IS("HardwareScheduling", 2),
      IS("RingBufferFenceRelease", 0), IS("SignalMonitoredFence", 0)}},
    {{MMU, VERSION(0x2500), IS("PagingVirtual", 1), IS("HardwareScheduling", 2),
      IS("RingBufferFenceRelease", 1)}},
    {{MMU, VERSION(0x2500), IS("HardwareScheduling", 1)}},
    /* What hardware queues bring with them. */
    {{MMU, VERSION(0x3100), FROM("HardwareScheduling", 1), IS("UserModeSubmission", 2)}},
    {{MMU, VERSION(0x3100), FROM("HardwareScheduling", 1), IS("UserModeSubmission", 1)}},
    {{MMU, VERSION(0x3200), IS("NativeFences", 1)}},
    {{MMU, VERSION(0x3200), FROM("HardwareScheduling", 1), IS("NativeFences", 2)}},
    {{VERSION(0x3000), FROM("HardwareScheduling", 1), FROM("OverlayPlanes", 1),
      FROM("FlipQueue", 1), IS("FlipCancel", 0)}},
    {{VERSION(0x3000), FROM("HardwareScheduling", 1), FROM("OverlayPlanes", 1),
      FROM("FlipQueue", 1), IS("FlipCancel", 1)}},
    {{VERSION(0x3000), FROM("HardwareScheduling", 1), FROM("OverlayPlanes", 1),
      FROM("FlipQueue", 1), IS("FlipCancel", 2)}},
    /* Planes of whose flips vertical syncs tell, and no log. */
    {{{"WddmVersion", 0x2100, 0x2F00}, FROM("OverlayPlanes", 1)}},
    {{IS("PreemptionGranularity", 2), IS("LowIrqlPreempt", 1)}},
    /* Page tables by kind and by who writes them. */
    {{MMU, IS("PageTableUpdateMode", 0), IS("DualPte", 1)}},
    {{MMU, IS("PageTableUpdateMode", 1), IS("DualPte", 1)}},
    {{MMU, IS("PageTableUpdateMode", 2), IS("DualPte", 1), IS("VramPages64K", 1)}},
    {{MMU, IS("DualPte", 0), IS("VramPages64K", 1)}},
    {{MMU, IS("PageTableUpdateMode", 1), IS("PageTableLevels", 2)}},
    {{MMU, IS("PageTableUpdateMode", 2), IS("PageTableLevels", 2)}},
    {{MMU, IS("PageTableUpdateMode", 0), IS("PageTableInvalidation", 1)}},
    {{MMU, IS("PageTableUpdateMode", 2), IS("PageTableInvalidation", 1)}},
    {{MMU, IS("PageTableUpdateMode", 1), IS("PagingBufferSize", 4096)}},
    {{MMU, IS("PageTableUpdateMode", 2), IS("PageTableIdleUpdates", 1)}},
    {{MMU, IS("PageTableUpdateMode", 2), IS("PagingVirtual", 0)}},
    {{MMU, IS("PagingVirtual", 1), IS("PageTablesInTransfer", 1)}},
    /* Contexts' memory. */
    {{MMU, IS("PagingVirtual", 1), IS("ContextState", 1), IS("PageTableSegment", 0)}},
    {{MMU, IS("PagingVirtual", 1), IS("ContextState", 2)}},
    {{MMU, IS("PagingVirtual", 0), FROM("ContextState", 1)}},
    {{MMU, FROM("ContextState", 1), FROM("HardwareScheduling", 1)}},
    /* Memory and notices. */
    {{MMU, VERSION(0x2900), IS("MapAperture2", 1), IS("CpuHostAperture", 1)}},
    {{MMU, IS("CpuHostAperture", 1), IS("VramPages64K", 1)}},
    {{MMU, VERSION(0x3200), IS("SystemSegment", 1)}},
    {{MMU, {"WddmVersion", 0, 0x3100}, IS("Notices", 1)}},
    {{MMU, VERSION(0x3200), IS("Notices", 1)}},
    {{IS("IoMmu", 2), IS("Notices", 1)}},
    {{IS("IoMmu", 2), FROM("HardwareScheduling", 1)}},
};

void own_settings_choose(struct host_options *host)
{
    if (host->setting_count == 0) {
        host->settings = settings;
        host->setting_count = sizeof settings / sizeof settings[0];
        host->settings_are_ours = true;
    }
    if (host->address_setting_count == 0) {
        host->address_settings = addresses;
        host->address_setting_count = sizeof addresses / sizeof addresses[0];
        host->meetings = meetings;
        host->meeting_count = sizeof meetings / sizeof meetings[0];
    }
}
