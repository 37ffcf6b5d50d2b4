/* What drivers say of an allocation that they made, in vidmm's words. */
#include "dxgk/device_mmu.h"
#include "dxgk/resource.h"
#include "dxgk/work.h"

/* Where views come and go with a lock anyhow, on demand is always. */
static bool is_seen_by_cpu(const struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info)
{
    return info->Flags.CpuVisible ||
           (adapter->features.wddm2 && info->FlagsWddm2.CpuVisibleOnDemand);
}

static uint32_t allocation_flags(const struct dxgk_adapter *adapter,
                                 const DXGK_ALLOCATIONINFO *info, bool primary)
{
    return (primary ? VIDMM_ALLOCATION_PRIMARY : 0) |
           (is_seen_by_cpu(adapter, info) ? VIDMM_ALLOCATION_CPU_VISIBLE : 0) |
           (info->Flags.Cached ? VIDMM_ALLOCATION_CACHED : 0) |
           (info->Flags.PermanentSysMem ? VIDMM_ALLOCATION_PERMANENT_SYSMEM : 0) |
           (info->Flags.Swizzled ? VIDMM_ALLOCATION_SWIZZLED : 0) |
           (info->Flags.Overlay ? VIDMM_ALLOCATION_OVERLAY : 0) |
           (info->Flags.SynchronousPaging ? VIDMM_ALLOCATION_SYNCHRONOUS_PAGING : 0);
}

void dxgk_fill_preferences(D3DDDI_SEGMENTPREFERENCE given,
                           struct vidmm_preference preferences[VIDMM_PREFERENCE_COUNT])
{
    preferences[0] = (struct vidmm_preference){given.SegmentId0, given.Direction0};
    preferences[1] = (struct vidmm_preference){given.SegmentId1, given.Direction1};
    preferences[2] = (struct vidmm_preference){given.SegmentId2, given.Direction2};
    preferences[3] = (struct vidmm_preference){given.SegmentId3, given.Direction3};
    preferences[4] = (struct vidmm_preference){given.SegmentId4, given.Direction4};
}

static void fill_preferences(const DXGK_ALLOCATIONINFO *info, struct vidmm_preference *preferences)
{
    dxgk_fill_preferences(info->PreferredSegment, preferences);
    if (info->PreferredSegment.SegmentId0 == 0 && info->Flags.FromEndOfSegment) {
        for (unsigned id = 1; id <= 32; id++) {
            if (info->SupportedWriteSegmentSet & VIDMM_SEGMENT_BIT(id)) {
                preferences[0] = (struct vidmm_preference){id, true};
                break;
            }
        }
    }
}

/* Of drivers with GPU virtual addresses: what is seen by those alone needs no place in an
 * aperture. */
static uint32_t access_flags(const struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info,
                             bool primary)
{
    if (!adapter->mmu.present || !adapter->features.residency_flags) {
        return 0;
    }
    bool physical = info->FlagsWddm2.AccessedPhysically || primary;
    bool notify = info->FlagsWddm2.ExplicitResidencyNotification &&
                  info->FlagsWddm2.AccessedPhysically; /* [NRES-001] */
    bool notify_eviction = adapter->features.eviction_notices && info->Flags2.NotifyEviction;

    return (physical ? 0u : (uint32_t)VIDMM_ALLOCATION_VIRTUAL) |
           (!physical && dxgk_mmu_is_the_cpus(&adapter->mmu) ? VIDMM_ALLOCATION_SHARED_VIEW : 0u) |
           (adapter->mmu.gives && info->Flags2.NotifyIoMmuUnmap ? VIDMM_ALLOCATION_NOTIFY_UNMAP
                                                                : 0u) |
           (notify ? VIDMM_ALLOCATION_NOTIFY : 0u) |
           (notify_eviction ? VIDMM_ALLOCATION_NOTIFY_EVICTION : 0u);
}

/* Plain pages that nothing maps into an aperture: see add_system_memory(). What is used by physical
 * addresses has no place there. */
static bool is_out_of_reach(const struct dxgk_adapter *adapter,
                            const struct vidmm_allocation_options *options)
{
    return adapter->segment_count < VIDMM_SEGMENT_COUNT_MAX &&
           (options->write_segments & VIDMM_SEGMENT_BIT(adapter->segment_count + 1)) &&
           !(options->flags & VIDMM_ALLOCATION_VIRTUAL);
}

/* The client gave memory, and the driver took it for the backing store. False: it did not, or wants
 * more than there is. */
static bool take_existing(struct dxgk_allocation *allocation,
                          const struct dxgk_allocation_request *request,
                          struct vidmm_allocation_options *options)
{
    if (!request->section) {
        return true;
    }
    options->existing_frames =
        dxgk_section_frames(request->section, request->section_page,
                            align_up(allocation->info.Size, MACHINE_PAGE_SIZE));
    options->flags |= VIDMM_ALLOCATION_PERMANENT_SYSMEM; /* so it is locked */
    if (!allocation->info.Flags.ExistingSysMem || !options->existing_frames) {
        return false;
    }
    allocation->section = request->section;
    dxgk_section_hold(allocation->section);
    return true;
}

NTSTATUS dxgk_allocation_place(struct dxgk_allocation *allocation, struct dxgk_device *device,
                               const struct dxgk_allocation_request *request)
{
    struct dxgk_adapter *adapter = device->adapter;
    const DXGK_ALLOCATIONINFO *info = &allocation->info;
    struct vidmm_allocation_options options = {
        .size_bytes = info->Size,
        .alignment_bytes = info->Alignment,
        .read_segments = adapter->features.wddm2 ? info->SupportedWriteSegmentSet
                                                 : info->SupportedReadSegmentSet,
        .write_segments = info->SupportedWriteSegmentSet,
        .eviction_segments = info->EvictionSegmentSet,
        .device_mmus = dxgk_device_mmu_set(adapter, info),
        .flags = allocation_flags(adapter, info, allocation->primary) |
                 access_flags(adapter, info, allocation->primary),
        .priority = info->AllocationPriority ? info->AllocationPriority : VIDMM_PRIORITY_NORMAL,
        .account = device->process ? &device->process->account : NULL,
        .object = allocation->object,
    };

    if (is_out_of_reach(adapter, &options)) {
        dxgk_clue_refused(adapter, info);
        return STATUS_INVALID_PARAMETER;
    }
    if (allocation->wants_view && !adapter->features.address_lists) {
        return STATUS_INVALID_PARAMETER; /* [MAPAP2-010] */
    }
    if (!take_existing(allocation, request, &options)) {
        dxgk_clue_existing(adapter, info);
        return STATUS_INVALID_PARAMETER;
    }
    fill_preferences(info, options.preferences);
    NTSTATUS status = vidmm_allocation_init(&allocation->memory, adapter->vidmm, &options);
    if (status == STATUS_INVALID_PARAMETER) {
        dxgk_clue_refused(adapter, info);
    }
    return status;
}
