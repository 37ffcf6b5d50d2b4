/* The kernel's own duties: Present and SetVidPnSourceAddress. */
#include "contract/internal.h"

#include "machine/machine.h"

#define SOURCE_INDEX      1
#define DESTINATION_INDEX 2

static const DXGKARG_PRESENT *present_of(const struct contract_call *call)
{
    return call->arguments;
}

static const struct contract_object *context_of(const struct contract_call *call)
{
    return contract_presenter(call);
}

static bool is_flip(const DXGKARG_PRESENT *present)
{
    return present->Flags.Flip || present->Flags.FlipWithNoWait ||
           present->Flags.FlipWithMultiPlaneOverlay;
}

/* Planes stand in the place of the list: kernel_planes.c. */
static bool has_list(const struct contract_call *call)
{
    return !present_of(call)->Flags.FlipWithMultiPlaneOverlay;
}

/* Of elements with addresses: the kind of the list is the context's. */
static bool has_virtual_list(const struct contract_call *call)
{
    return has_list(call) && contract_presents_by_address(call);
}

static bool has_plain_list(const struct contract_call *call)
{
    return has_list(call) && !contract_presents_by_address(call);
}

static HANDLE listed(const struct contract_call *call, UINT index)
{
    const DXGKARG_PRESENT *present = present_of(call);

    return contract_presents_by_address(call)
               ? present->pAllocationInfo[index].hDeviceSpecificAllocation
               : present->pAllocationList[index].hDeviceSpecificAllocation;
}

static bool repeats_all(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(call,
                        !context || !context->present.wanted ||
                            context->present.count == present_of(call)->SubRectCnt,
                        "all rectangles again after INSUFFICIENT_DMA_BUFFER", "%u of %u",
                        present_of(call)->SubRectCnt, context->present.count);
}

static bool repeats_the_same(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(call,
                        !context || !context->present.wanted ||
                            context->present.request_hash ==
                                contract_hash_rectangles(present_of(call)),
                        "the same rectangles in the same order after INSUFFICIENT_DMA_BUFFER",
                        "%u other rectangles", present_of(call)->SubRectCnt);
}

static bool multipass_kept(struct contract_call *call)
{
    const struct contract_object *context = context_of(call);
    UINT wanted = context && context->present.wanted ? context->present.multipass : 0;

    return KERNEL_KEEPS(call, !context || present_of(call)->MultipassOffset == wanted,
                        "0 for new rectangles, what the driver left for a repeat", "%u, not %u",
                        present_of(call)->MultipassOffset, wanted);
}

static bool dma_buffer(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    bool without = is_flip(present) && call->tracker->caps.FlipCaps.FlipOnVSyncMmIo;

    return KERNEL_KEEPS(
        call,
        present->pDmaBuffer ? (uintptr_t)present->pDmaBuffer % MACHINE_PAGE_SIZE == 0 : without,
        "a 4 KB aligned buffer; NULL for flips by MMIO", "%p, flags 0x%X", present->pDmaBuffer,
        present->Flags.Value);
}

static bool dma_size(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(
        call, !present->pDmaBuffer || !context || present->DmaSize >= context->info.DmaBufferSize,
        "at least the size that the context asked for", "DmaSize %u", present->DmaSize);
}

static bool private_data(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(
        call,
        !present->pDmaBuffer || !context ||
            present->DmaBufferPrivateDataSize == context->info.DmaBufferPrivateDataSize,
        "private data of the context's size", "%u bytes", present->DmaBufferPrivateDataSize);
}

static bool list_handles(struct contract_call *call)
{
    const void *list = present_of(call)->pAllocationList; /* the two share a place */

    if (!list || listed(call, 0)) {
        return contract_say(call, "three elements, the first without a handle", "%p", list);
    }
    for (UINT i = SOURCE_INDEX; i <= DESTINATION_INDEX; i++) {
        HANDLE handle = listed(call, i);
        if (handle && !contract_object_find(call->tracker, TRACKED_OPENING, handle)) {
            return contract_say(call, "handles of openings that live", "[%u] is %p", i, handle);
        }
    }
    return true;
}

static bool list_kind(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    bool source = listed(call, SOURCE_INDEX) != NULL;
    bool target = listed(call, DESTINATION_INDEX) != NULL;

    return KERNEL_KEEPS(call,
                        present->Flags.ColorFill ? !source && target
                        : is_flip(present)       ? source && !target
                                                 : source && target,
                        "source and destination as the kind of present has them",
                        "source %d, destination %d, flags 0x%X", source, target,
                        present->Flags.Value);
}

static bool overlap(const RECT *a, const RECT *b)
{
    return a->left < b->right && b->left < a->right && a->top < b->bottom && b->top < a->bottom;
}

/* Of rectangles that lie apart all parts do. */
static bool same_surface(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    const DXGK_PRESENTATIONCAPS caps = call->tracker->caps.PresentationCaps;

    if (!present->Flags.Blt || listed(call, SOURCE_INDEX) != listed(call, DESTINATION_INDEX)) {
        return contract_no_case(call);
    }
    return KERNEL_KEEPS(
        call,
        !caps.NoScreenToScreenBlt &&
            (!caps.NoOverlapScreenBlt || !overlap(&present->SrcRect, &present->DstRect)),
        "a copy within a surface for drivers that can make it",
        "one surface, NoScreenToScreenBlt %u, NoOverlapScreenBlt %u",
        (unsigned)caps.NoScreenToScreenBlt, (unsigned)caps.NoOverlapScreenBlt);
}

static bool list_segments(struct contract_call *call)
{
    const DXGK_ALLOCATIONLIST *list = present_of(call)->pAllocationList;

    for (UINT i = 0; i <= DESTINATION_INDEX; i++) {
        if (list[i].SegmentId > call->tracker->segment_count) {
            return contract_say(call, "0, or a segment of the adapter", "[%u] has %u", i,
                                list[i].SegmentId);
        }
    }
    return true;
}

static bool list_writes(struct contract_call *call)
{
    const DXGK_ALLOCATIONLIST *list = present_of(call)->pAllocationList;

    return KERNEL_KEEPS(call,
                        !list[SOURCE_INDEX].WriteOperation &&
                            (!list[DESTINATION_INDEX].hDeviceSpecificAllocation ||
                             list[DESTINATION_INDEX].WriteOperation),
                        "the destination written, the source read", "source %d, destination %d",
                        list[SOURCE_INDEX].WriteOperation, list[DESTINATION_INDEX].WriteOperation);
}

static bool list_addresses(struct contract_call *call)
{
    const DXGK_ALLOCATIONLIST *list = present_of(call)->pAllocationList;

    for (UINT i = 0; i <= DESTINATION_INDEX; i++) {
        uint64_t address = (uint64_t)list[i].PhysicalAddress.QuadPart;
        HANDLE handle = list[i].hDeviceSpecificAllocation;
        if (list[i].SegmentId
                ? !contract_in_place(call->tracker, handle, list[i].SegmentId, address)
                : address != 0) {
            return contract_say(call, "an address that the allocation may have, 0 without one",
                                "[%u]: segment %u, 0x%llX", i, list[i].SegmentId,
                                (unsigned long long)address);
        }
    }
    return true;
}

/* Neither segment nor physical address: public drivers refuse a segment there. */
static bool no_segment(struct contract_call *call)
{
    const DXGK_PRESENTALLOCATIONINFO *list = present_of(call)->pAllocationInfo;

    for (UINT i = 0; i <= DESTINATION_INDEX; i++) {
        if (list[i].SegmentId != 0 || list[i].PhysicalAddress.QuadPart != 0) {
            return contract_say(call, "no segment and no physical address beside a virtual one",
                                "[%u]: segment %u, 0x%llX", i, list[i].SegmentId,
                                (unsigned long long)list[i].PhysicalAddress.QuadPart);
        }
    }
    return true;
}

static bool virtual_addresses(struct contract_call *call)
{
    const DXGK_PRESENTALLOCATIONINFO *list = present_of(call)->pAllocationInfo;

    for (UINT i = 0; i <= DESTINATION_INDEX; i++) {
        uint64_t address = list[i].AllocationVirtualAddress;
        if ((address != 0) != (list[i].hDeviceSpecificAllocation != NULL) ||
            address % MACHINE_PAGE_SIZE != 0) {
            return contract_say(call, "the address where the context's process sees the surface",
                                "[%u]: 0x%llX, of %p", i, (unsigned long long)address,
                                list[i].hDeviceSpecificAllocation);
        }
    }
    return true;
}

static bool buffer_address(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    uint64_t address = present->DmaBufferGpuVirtualAddress;

    return KERNEL_KEEPS(
        call, (address != 0) == (present->pDmaBuffer != NULL) && address % MACHINE_PAGE_SIZE == 0,
        "the address where the context's process sees the buffer", "0x%llX, of %p",
        (unsigned long long)address, present->pDmaBuffer);
}

static bool is_not_virtual(const struct contract_call *call)
{
    return !contract_presents_by_address(call);
}

static bool patch_list(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    const struct contract_object *context = context_of(call);

    return KERNEL_KEEPS(
        call,
        !present->pDmaBuffer || !context ||
            (present->pPatchLocationListOut &&
             present->PatchLocationListOutSize >= context->info.PatchLocationListSize),
        "a patch list of the context's size", "%u elements", present->PatchLocationListOutSize);
}

static bool inside(const RECT *inner, const RECT *outer)
{
    return inner->left >= outer->left && inner->top >= outer->top && inner->right <= outer->right &&
           inner->bottom <= outer->bottom;
}

static bool rectangles_clipped(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);

    if (is_flip(present)) {
        return true;
    }
    for (UINT i = 0; i < present->SubRectCnt; i++) {
        const RECT *rect = &present->pDstSubRects[i];
        if (!inside(rect, &present->DstRect) || rect->left >= rect->right ||
            rect->top >= rect->bottom) {
            return contract_say(call, "rectangles inside DstRect", "[%u] is %d,%d-%d,%d", i,
                                (int)rect->left, (int)rect->top, (int)rect->right,
                                (int)rect->bottom);
        }
    }
    return true;
}

static bool interval(struct contract_call *call)
{
    return KERNEL_KEEPS(
        call, (int)present_of(call)->FlipInterval < 2 || call->tracker->caps.FlipCaps.FlipInterval,
        "an interval below 2 without FlipCaps.FlipInterval", "FlipInterval %d",
        (int)present_of(call)->FlipInterval);
}

static bool one_kind(struct contract_call *call)
{
    DXGK_PRESENTFLAGS flags = present_of(call)->Flags;

    return KERNEL_KEEPS(call,
                        flags.Blt + flags.ColorFill + flags.Flip + flags.FlipWithNoWait +
                                    flags.FlipWithMultiPlaneOverlay ==
                                1 &&
                            flags.ColorFill + flags.SrcColorKey + flags.DstColorKey <= 1,
                        "one kind of present, at most one of fill and colour keys", "flags 0x%X",
                        flags.Value);
}

static bool no_wait(struct contract_call *call)
{
    return KERNEL_KEEPS(call,
                        !present_of(call)->Flags.FlipWithNoWait ||
                            call->tracker->caps.FlipCaps.FlipOnVSyncWithNoWait,
                        "FlipWithNoWait for drivers with FlipOnVSyncWithNoWait", "flags 0x%X",
                        present_of(call)->Flags.Value);
}

static bool stereo(struct contract_call *call)
{
    DXGK_PRESENTFLAGS flags = present_of(call)->Flags;

    return KERNEL_KEEPS(
        call,
        !(flags.FlipStereo && flags.FlipStereoTemporaryMono) &&
            !(flags.FlipStereoTemporaryMono && flags.FlipStereoPreferRight) &&
            (is_flip(present_of(call)) ||
             !(flags.FlipStereo || flags.FlipStereoTemporaryMono || flags.FlipStereoPreferRight)) &&
            (flags.Blt || !flags.BltStereoUseRight),
        "stereo flags that go together and with the kind of present", "flags 0x%X", flags.Value);
}

static bool no_redirected_flip(struct contract_call *call)
{
    return KERNEL_KEEPS(call, !present_of(call)->Flags.RedirectedFlip,
                        "no RedirectedFlip, of which no page says what it is", "flags 0x%X",
                        present_of(call)->Flags.Value);
}

/* Before WDDM 2.0 neither is there. */
static bool client_data(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);

    return KERNEL_KEEPS(
        call, (present->PrivateDriverDataSize > 0) == (present->pPrivateDriverData != NULL),
        "private data of the client, or NULL and 0", "%u bytes at %p",
        present->PrivateDriverDataSize, present->pPrivateDriverData);
}

static bool reserved(struct contract_call *call)
{
    return KERNEL_KEEPS(call, present_of(call)->Flags.Reserved == 0, "reserved bits 0",
                        "flags 0x%X", present_of(call)->Flags.Value);
}

static bool dma_place(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    uint64_t address = (uint64_t)present->DmaBufferPhysicalAddress.QuadPart;

    return KERNEL_KEEPS(call,
                        address == 0 ||
                            contract_in_segment(call->tracker, present->DmaBufferSegmentId, address,
                                                present->DmaSize),
                        "where the buffer is, or 0", "segment %u, 0x%llX",
                        present->DmaBufferSegmentId, (unsigned long long)address);
}

static bool allocation_counts(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = present_of(call);
    bool two = contract_is_wddm2(call->tracker);
    UINT source = two && listed(call, SOURCE_INDEX) != NULL;
    UINT target = two && listed(call, DESTINATION_INDEX) != NULL;

    return KERNEL_KEEPS(
        call, present->NumSrcAllocations == source && present->NumDstAllocations == target,
        "how many there are, since WDDM 2.0", "%u sources, %u destinations",
        present->NumSrcAllocations, present->NumDstAllocations);
}

/* ---- SetVidPnSourceAddress --------------------------------------------------------------------
 */

static const DXGKARG_SETVIDPNSOURCEADDRESS *flip_of(const struct contract_call *call)
{
    return call->arguments;
}

static bool flip_irql(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *flip = flip_of(call);

    return KERNEL_KEEPS(
        call,
        flip->Flags.ModeChange ? call->irql < MACHINE_IRQL_DISPATCH && flip->ContextCount == 0
                               : call->irql >= MACHINE_IRQL_DEVICE_FIRST,
        "a flip at device IRQL; a mode change at PASSIVE_LEVEL without contexts",
        "IRQL %u, %u contexts, flags 0x%X", call->irql, flip->ContextCount, flip->Flags.Value);
}

static bool flip_source(struct contract_call *call)
{
    UINT source = flip_of(call)->VidPnSourceId;

    return KERNEL_KEEPS(call,
                        source < call->tracker->source_count && source < CONTRACT_SOURCES_MAX &&
                            call->tracker->sources[source].committed,
                        "a source with a committed path", "source %u of %u", source,
                        call->tracker->source_count);
}

static bool flip_place(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *flip = flip_of(call);
    uint64_t address = (uint64_t)flip->PrimaryAddress.QuadPart;
    const struct contract_object *allocation =
        contract_object_find(call->tracker, TRACKED_ALLOCATION, flip->hAllocation);

    if (!allocation || flip->PrimarySegment == 0 ||
        !contract_in_segment(call->tracker, flip->PrimarySegment, address, allocation->size)) {
        return contract_say(call, "where the primary is", "segment %u, 0x%llX, hAllocation %p",
                            flip->PrimarySegment, (unsigned long long)address, flip->hAllocation);
    }
    return KERNEL_KEEPS(call,
                        allocation->segment == 0 || (allocation->segment == flip->PrimarySegment &&
                                                     allocation->address == address),
                        "where paging put the primary", "segment %u, 0x%llX, not %u, 0x%llX",
                        flip->PrimarySegment, (unsigned long long)address, allocation->segment,
                        (unsigned long long)allocation->address);
}

static bool flip_contexts(struct contract_call *call)
{
    const DXGKARG_SETVIDPNSOURCEADDRESS *flip = flip_of(call);

    if (flip->ContextCount > sizeof flip->Context / sizeof flip->Context[0] ||
        (!flip->Flags.ModeChange && flip->ContextCount == 0)) {
        return contract_say(call, "the contexts of a flip", "%u contexts", flip->ContextCount);
    }
    for (UINT i = 0; i < flip->ContextCount; i++) {
        if (!contract_context_find(call->tracker, flip->Context[i]) &&
            !contract_object_find(call->tracker, TRACKED_HW_CONTEXT, flip->Context[i])) {
            return contract_say(call, "contexts that live", "[%u] is %p", i, flip->Context[i]);
        }
    }
    return true;
}

static bool flip_kind(struct contract_call *call)
{
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags = flip_of(call)->Flags;

    return KERNEL_KEEPS(
        call,
        flags.ModeChange + flags.FlipImmediate + flags.FlipOnNextVSync <= 1 &&
            (!flags.FlipImmediate || call->tracker->caps.FlipCaps.FlipImmediateMmIo),
        "one kind at most; FlipImmediate for drivers with FlipImmediateMmIo", "flags 0x%X",
        flags.Value);
}

static bool flip_stereo(struct contract_call *call)
{
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS flags = flip_of(call)->Flags;

    return KERNEL_KEEPS(call,
                        !(flags.FlipStereo && flags.FlipStereoTemporaryMono) &&
                            !(flags.FlipStereoTemporaryMono && flags.FlipStereoPreferRight),
                        "stereo flags that go together", "flags 0x%X", flags.Value);
}

static bool flip_depth(struct contract_call *call)
{
    UINT source = flip_of(call)->VidPnSourceId;
    UINT depth = call->tracker->caps.MaxQueuedFlipOnVSync;

    return KERNEL_KEEPS(call,
                        !flip_of(call)->Flags.FlipOnNextVSync || source >= CONTRACT_SOURCES_MAX ||
                            call->tracker->sources[source].pending_count < (depth ? depth : 1),
                        "at most MaxQueuedFlipOnVSync flips pending", "%u of %u wait already",
                        call->tracker->sources[source].pending_count, depth);
}

static bool palette_fits(struct contract_call *call)
{
    const DXGKARG_SETPALETTE *palette = call->arguments;

    return KERNEL_KEEPS(
        call,
        palette->pLookupTable && palette->NumEntries > 0 && palette->FirstEntry < 256 &&
            palette->NumEntries <= 256 - palette->FirstEntry,
        "entries of a palette of 256", "%u from %u on", palette->NumEntries, palette->FirstEntry);
}

/* Also of a buffer that comes back, but under old-private-data. */
static bool private_zero(struct contract_call *call)
{
    const DXGKARG_PRESENT *present = call->arguments;
    const unsigned char *bytes = present->pDmaBufferPrivateData;

    if (!bytes || vary_on(VARY_OLD_PRIVATE_DATA)) {
        return contract_no_case(call);
    }
    for (UINT i = 0; i < present->DmaBufferPrivateDataSize; i++) {
        if (bytes[i] != 0) {
            return contract_say(call, "private data of zeros", "byte %u is 0x%02X", i, bytes[i]);
        }
    }
    return true;
}

/* What a hardware queue's Present has of a context's: all but sizes, for nobody asked for any. */
#define BOTH(rule, ...) \
    KERNEL(rule, Present, __VA_ARGS__), KERNEL(rule, PresentToHwQueue, __VA_ARGS__)

static const struct contract_row rows[] = {
    KERNEL(HWQ_012, PresentToHwQueue, IRQL_AT_MOST(MACHINE_IRQL_PASSIVE)),
    KERNEL(HWQ_012, PresentToHwQueue, HANDLE_LIVES(TRACKED_HW_QUEUE)),
    KERNEL(PRES_001, Present, IRQL_AT_MOST(MACHINE_IRQL_APC)),
    BOTH(PRES_003, repeats_all),
    KERNEL(PRES_007, Present, HANDLE_LIVES(ANY_CONTEXT)),
    BOTH(PRES_008, dma_buffer),
    KERNEL(PRES_011, Present, dma_size),
    KERNEL(PRES_012, Present, private_data),
    BOTH(PRES_013, list_handles, WHEN(has_list)),
    BOTH(PRES_014, list_kind, WHEN(has_list)),
    BOTH(PRES_015, same_surface, WHEN(has_list)),
    KERNEL(PRES_017, Present, list_segments, WHEN(has_plain_list)),
    BOTH(PRES_017, no_segment, WHEN(has_virtual_list)),
    KERNEL(PRES_018, Present, list_writes, WHEN(has_plain_list)),
    KERNEL(PRES_019, Present, list_addresses, WHEN(has_plain_list)),
    BOTH(PRES_019, virtual_addresses, WHEN(has_virtual_list)),
    BOTH(PRES_023, patch_list),
    BOTH(PRES_024, multipass_kept),
    BOTH(PRES_027, rectangles_clipped),
    BOTH(PRES_029, repeats_the_same),
    BOTH(PRES_031, interval),
    BOTH(PRES_032, one_kind),
    BOTH(PRES_037, no_wait),
    BOTH(PRES_044, stereo,
         LEAVES_OUT("that the allocation was created with Stereo, of which no DDI tells the "
                    "driver")),
    BOTH(PRES_046, no_redirected_flip),
    BOTH(PRES_047, reserved),
    BOTH(PRES_048, dma_place, LEAVES_OUT("that the driver embeds no address where it is 0")),
    BOTH(SUBMIT_023, private_zero, LEAVES_OUT("that the memory is nonpaged")),
    KERNEL(PRES_050, Present, FIELD_ZERO(DXGKARG_PRESENT, DmaBufferGpuVirtualAddress),
           WHEN(is_not_virtual)),
    BOTH(PRES_050, buffer_address, WHEN(contract_presents_by_address)),
    BOTH(PRES_051, allocation_counts, WHEN(has_list)),
    BOTH(
        PRES_052, client_data,
        LEAVES_OUT("that the driver looks at what the data hold: bad-private-data spoils them, and "
                   "only a fault shows who believes them")),

    KERNEL(FLIP_001, SetVidPnSourceAddress, flip_irql),
    KERNEL(FLIP_006, SetVidPnSourceAddress, flip_source),
    KERNEL(FLIP_007, SetVidPnSourceAddress, flip_place),
    KERNEL(FLIP_009, SetVidPnSourceAddress, flip_contexts),
    KERNEL(FLIP_010, SetVidPnSourceAddress, flip_kind,
           LEAVES_OUT("the secondary outputs of a clone view, which are flipped at once without "
                      "the cap: Drydock gives each source one target")),
    KERNEL(FLIP_014, SetVidPnSourceAddress, flip_depth),
    KERNEL(PRES_044, SetVidPnSourceAddress, flip_stereo),
    KERNEL(SHOW_010, SetPalette, palette_fits),
    KERNEL(SHOW_012, SetDisplayPrivateDriverFormat,
           FIELD_BELOW_TOLD(DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT, VidPnSourceId, source_count)),
    KERNEL(SHOW_012, SetDisplayPrivateDriverFormat,
           FIELD_LIVES_OR_NULL(DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT, PrimaryAllocation,
                               TRACKED_ALLOCATION)),
};

const struct contract_family contract_family_kernel_present = FAMILY_OF(rows);
