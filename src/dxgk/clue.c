/* Clues: what looks odd in the commands of a driver and is no breach, since a driver may have its
 * reasons. The latest is kept for the sentence of a wrong result, which it may explain.
 *
 * A driver that has put plain addresses where its patch lists say is taken to mean it so; of 32
 * bits if it mostly did that, as drivers of older devices do. */
#include "dxgk/work.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define LOOKS_MAX 32 /* of one list: what is odd comes again */

static void __attribute__((format(printf, 2, 3)))
clue(struct dxgk_adapter *adapter, const char *format, ...)
{
    va_list arguments;

    va_start(arguments, format);
    vsnprintf(adapter->clue.text, sizeof adapter->clue.text, format, arguments);
    va_end(arguments);
    adapter->clue.of_results = adapter->clue.produced = false;
}

const char *dxgk_adapter_clue(const struct dxgk_adapter *adapter, bool call_failed)
{
    bool explains = adapter && adapter->clue.text[0] && !(call_failed && adapter->clue.of_results);

    return explains ? adapter->clue.text : NULL;
}

/* What follows an address of 32 bits may be 0. */
static bool is_narrow(const struct dxgk_adapter *adapter)
{
    return adapter->clue.narrow > adapter->clue.wide / 4;
}

static size_t address_bytes(const struct dxgk_adapter *adapter)
{
    return is_narrow(adapter) ? sizeof(uint32_t) : sizeof(uint64_t);
}

/* What stands at that place in the buffer. False: nothing that an address could be. */
static bool value_at(const struct dxgk_dma *dma, UINT offset, size_t size, uint64_t *value)
{
    *value = 0;
    if (!range_fits(offset, size, dma->size)) {
        return false;
    }
    memcpy(value, dma->buffer->bytes + offset, size);
    return true;
}

/* The upper half, too, of an address that has one: nobody leaves that there by chance. */
static bool is_wide_for_sure(struct dxgk_adapter *adapter, const struct dxgk_dma *dma, UINT offset,
                             uint64_t wanted)
{
    uint64_t value;
    bool is_it =
        wanted > UINT32_MAX && value_at(dma, offset, sizeof value, &value) && value == wanted;

    if (is_it) {
        adapter->clue.wide++;
        adapter->clue.narrow = 0; /* what seemed so were halves of low addresses */
    }
    return is_it;
}

/* Whether it is the address, or its lower half; and which of both this driver writes. */
static bool is_plain(struct dxgk_adapter *adapter, uint64_t value, uint64_t wanted)
{
    bool narrow = (uint32_t)value == wanted;

    adapter->clue.wide += value == wanted && wanted <= UINT32_MAX && !is_narrow(adapter);
    adapter->clue.narrow += narrow && (value != wanted || is_narrow(adapter));
    return value == wanted || (narrow && is_narrow(adapter));
}

static UINT at_most(size_t count, UINT limit)
{
    return count < limit ? (UINT)count : limit;
}

/* ---- After Patch ----------------------------------------------------------------------------- */

static void explain_value(struct dxgk_adapter *adapter, const D3DDDI_PATCHLOCATIONLIST *element,
                          uint64_t is, uint64_t wanted)
{
    if (element->AllocationOffset != 0 && is == wanted - element->AllocationOffset) {
        clue(adapter,
             "Patch put the allocation's own address at PatchOffset 0x%X, without AllocationOffset "
             "0x%X [PATCH-011]",
             element->PatchOffset, element->AllocationOffset);
    } else {
        clue(adapter,
             "after Patch, PatchOffset 0x%X has address 0x%llX; the allocation's place is 0x%llX "
             "[PATCH-004, PATCH-011]",
             element->PatchOffset, (unsigned long long)is, (unsigned long long)wanted);
    }
}

/* The address that Patch should have put there, if the element is one of an allocation that is
 * somewhere. */
static bool address_of(const struct dxgk_dma *dma, const D3DDDI_PATCHLOCATIONLIST *element,
                       uint64_t *address)
{
    const DXGK_ALLOCATIONLIST *allocation = element->AllocationIndex < dma->allocation_count
                                                ? &dma->allocations[element->AllocationIndex]
                                                : NULL;

    if (!allocation || allocation->SegmentId == 0) {
        return false;
    }
    *address = (uint64_t)allocation->PhysicalAddress.QuadPart + element->AllocationOffset;
    return true;
}

/* An address that stood where Patch has written another explains nothing. */
static void forget_produced(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    uint64_t value;

    if (packet->odd.elsewhere && adapter->clue.produced &&
        value_at(packet->dma, packet->odd.offset, packet->odd.bytes, &value) &&
        value != packet->odd.is) {
        adapter->clue.text[0] = '\0';
    }
}

void dxgk_clue_patched(struct dxgk_packet *packet)
{
    struct dxgk_adapter *adapter = packet->adapter;
    const struct dxgk_dma *dma = packet->dma;
    const D3DDDI_PATCHLOCATIONLIST *first = &dma->patches[packet->patched.patch_first];
    UINT count = at_most(packet->patched.patch_count, LOOKS_MAX);
    const D3DDDI_PATCHLOCATIONLIST *odd = NULL;
    uint64_t value, wanted, odd_value = 0, odd_wanted = 0;

    forget_produced(packet);
    for (UINT i = 0; i < count; i++) {
        UINT offset = first[i].PatchOffset;
        if (!address_of(dma, &first[i], &wanted) ||
            is_wide_for_sure(adapter, dma, offset, wanted) ||
            !value_at(dma, offset, address_bytes(adapter), &value)) {
            continue;
        }
        if (!is_plain(adapter, value, wanted)) {
            odd = &first[i];
            odd_value = value;
            odd_wanted = wanted;
        }
    }
    packet->odd.seen = odd && (adapter->clue.wide > 0 || is_narrow(adapter));
    if (packet->odd.seen) {
        packet->odd.offset = odd->PatchOffset;
        packet->odd.is = odd_value;
        packet->odd.wanted = odd_wanted;
        explain_value(adapter, odd, odd_value, odd_wanted);
    }
}

/* ---- After Render and Present ---------------------------------------------------------------- */

/* An address inside of the allocation that is not the one on the list. */
static bool is_elsewhere(const struct dxgk_adapter *adapter, const struct dxgk_dma *dma,
                         const D3DDDI_PATCHLOCATIONLIST *element, uint64_t *value)
{
    const DXGK_ALLOCATIONLIST *told = element->AllocationIndex < dma->allocation_count
                                          ? &dma->allocations[element->AllocationIndex]
                                          : NULL;
    const struct dxgk_allocation *target = told ? dma->targets[element->AllocationIndex] : NULL;
    uint64_t begin;

    if (!target || told->SegmentId == 0 ||
        !value_at(dma, element->PatchOffset, address_bytes(adapter), value)) {
        return false;
    }
    begin = (uint64_t)told->PhysicalAddress.QuadPart;
    return *value >= begin && *value - begin < target->memory.size_bytes &&
           *value - begin != element->AllocationOffset;
}

void dxgk_clue_produced(struct dxgk_packet *packet)
{
    const struct dxgk_dma *dma = packet->dma;

    if (dma->patch_count == 0 && packet->flags.Present &&
        ddi_has(&packet->adapter->ddi, POINT_Patch)) {
        clue(packet->adapter,
             "Present left pPatchLocationListOut where it was: its commands name no "
             "allocation [PRES-022]");
    } else if (dma->patch_count == 0 && dma->allocation_count > 0 && packet->start < packet->end &&
               !packet->context->info.Caps.NoPatchingRequired &&
               ddi_has(&packet->adapter->ddi, POINT_Patch)) {
        clue(packet->adapter,
             "Render left pPatchLocationListOut where it was, of commands with %u allocations: "
             "Patch has no address to write [RENDER-013]",
             dma->allocation_count);
    }
    for (UINT i = 0; i < at_most(dma->patch_count, LOOKS_MAX); i++) {
        const D3DDDI_PATCHLOCATIONLIST *element = &dma->patches[i];
        if (is_elsewhere(packet->adapter, dma, element, &packet->odd.is)) {
            clue(packet->adapter,
                 "the address at PatchOffset 0x%X is not the one with AllocationOffset 0x%X, which "
                 "the patch list has [RENDER-012, PRES-016]",
                 element->PatchOffset, element->AllocationOffset);
            packet->odd.offset = element->PatchOffset;
            packet->odd.bytes = address_bytes(packet->adapter);
            packet->odd.elsewhere = packet->adapter->clue.produced = true;
            return;
        }
    }
}

void dxgk_clue_nothing(struct dxgk_adapter *adapter, bool present)
{
    clue(adapter, "%s succeeded and left pDmaBuffer where it was: nothing of the call runs [%s]",
         present ? "Present" : "Render", present ? "PRES-009" : "RENDER-009");
}

void dxgk_clue_context_memory(struct dxgk_adapter *adapter, const struct dxgk_fault *fault,
                              bool writable)
{
    clue(adapter,
         "the GPU faulted at 0x%llX in a context's memory, mapped %s Protection.Write "
         "(DxgkCbMapContextAllocation)",
         (unsigned long long)fault->address, writable ? "with" : "without");
}

/* ---- Commands that nobody read --------------------------------------------------------------- */

#define READ_MIN 16 /* a driver may copy commands itself: it does so from the beginning */

/* What is shown in an aperture may be in pieces: a device reads the first. */
void dxgk_clue_given(const struct dxgk_packet *packet, const DXGKARG_SUBMITCOMMAND *arguments)
{
    uint64_t address = (uint64_t)arguments->DmaBufferPhysicalAddress.QuadPart + packet->start;
    size_t size = packet->end - packet->start;

    if (packet->start >= packet->end) {
        return;
    }
    if (arguments->DmaBufferSegmentId != 0) {
        if (!packet->dma ||
            !ram_physical_of(packet->dma->buffer->bytes + packet->start, &address)) {
            return;
        }
        size_t room = MACHINE_PAGE_SIZE - address % MACHINE_PAGE_SIZE;
        size = size < room ? size : room;
    }
    dma_watch(packet, address, size);
}

void dxgk_clue_ended(const struct dxgk_packet *packet, bool complete)
{
    const struct dxgk_engine *engine = &packet->adapter->engines[packet->context->node];
    struct dxgk_fetches *fetches = &packet->adapter->engines[packet->context->node].fetches;
    enum dma_watched watched = dma_watch_end(packet);

    if (watched == DMA_WATCHED_NOT || !complete) {
        return;
    }
    fetches->read += watched == DMA_WATCHED_READ;
    fetches->unread += watched == DMA_WATCHED_UNREAD;
    if (watched == DMA_WATCHED_UNREAD && fetches->read / READ_MIN >= fetches->unread) {
        clue(packet->adapter, "the device read nothing of fence %u of node %u, told as complete%s",
             packet->vidsch.fence_id, packet->context->node,
             engine->by_preemption
                 ? " by LastCompletedFenceId of a DMA_PREEMPTED: the last that ended, and no later "
                   "one that was dropped [INT-008]"
                 : ": look where SubmitCommand puts it, as at a ring's end [INT-007]");
        packet->adapter->clue.of_results = true;
    }
}

/* ---- Preemption ------------------------------------------------------------------------------ */

#define STOPPED_MIN 2 /* once is what every driver was tried with */

/* Whatever else is odd explains more. */
void dxgk_clue_preempted(const struct dxgk_packet *packet)
{
    unsigned count = packet->vidsch.resubmission_count;

    if (count >= STOPPED_MIN && !packet->adapter->clue.text[0]) {
        clue(packet->adapter,
             "a packet (%s) was stopped %u times before its end, and has to go on where it stopped "
             "[SUBMIT-045]",
             packet->road->name, count);
        packet->adapter->clue.of_results = true;
    }
}

/* ---- Allocations that are refused ------------------------------------------------------------ */

static bool is_declared(const struct dxgk_adapter *adapter, UINT segment)
{
    return segment <= adapter->segment_count;
}

/* The highest of the set, from 1; 0: none. */
static UINT highest_of(UINT set)
{
    return set ? 32 - (UINT)__builtin_clz(set) : 0;
}

static UINT highest_named(const DXGK_ALLOCATIONINFO *info)
{
    UINT sets =
        info->SupportedReadSegmentSet | info->SupportedWriteSegmentSet | info->EvictionSegmentSet;
    UINT preferred[] = {info->PreferredSegment.SegmentId0, info->PreferredSegment.SegmentId1,
                        info->PreferredSegment.SegmentId2, info->PreferredSegment.SegmentId3,
                        info->PreferredSegment.SegmentId4};
    UINT highest = highest_of(sets);

    for (size_t i = 0; i < sizeof preferred / sizeof *preferred; i++) {
        highest = preferred[i] > highest ? preferred[i] : highest;
    }
    return highest;
}

void dxgk_clue_refused(struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info)
{
    UINT highest = highest_named(info);

    if (!is_declared(adapter, highest)) {
        clue(adapter,
             "CreateAllocation named segment %u, and NbSegment is %u: bit n - 1 of a set stands "
             "for segment n [ALLOC-007]",
             highest, adapter->segment_count);
    } else {
        clue(adapter,
             "CreateAllocation said Size 0x%llX, Alignment 0x%llX, segment sets 0x%X to read, 0x%X "
             "to write, 0x%X to evict [ALLOC-007, ALLOC-008]",
             (unsigned long long)info->Size, (unsigned long long)info->Alignment,
             info->SupportedReadSegmentSet, info->SupportedWriteSegmentSet,
             info->EvictionSegmentSet);
    }
}

void dxgk_clue_existing(struct dxgk_adapter *adapter, const DXGK_ALLOCATIONINFO *info)
{
    clue(adapter,
         "CreateAllocation said Size 0x%llX and %s ExistingSysMem, of an allocation that a client "
         "gave memory for",
         (unsigned long long)info->Size, info->Flags.ExistingSysMem ? "set" : "did not set");
}

/* What contexts with lists have is named by its place in a segment. */
void dxgk_clue_not_listed(const struct dxgk_allocation *allocation)
{
    if (allocation->standard) {
        clue(allocation->adapter,
             "CreateAllocation left AccessedPhysically 0 of a surface of %u x %u pixels, which a "
             "Present without VirtualAddressing has by its place in a segment [MAPAP2-010]",
             allocation->width, allocation->height);
    }
}

void dxgk_clue_not_in_list(const struct dxgk_allocation *allocation, UINT element)
{
    clue(allocation->adapter,
         "CreateAllocation left AccessedPhysically 0 of an allocation of 0x%llX bytes (segments "
         "0x%X), which a client without GPU virtual addresses names in its list, element %u "
         "[MAPAP2-010]",
         (unsigned long long)allocation->info.Size, allocation->info.SupportedWriteSegmentSet,
         element);
}

/* Of the kinds that are made for the CPU to write to; others a client locks at its own risk. */
void dxgk_clue_lock_fails(const struct dxgk_allocation *allocation)
{
    if (allocation->standard && !allocation->primary && !allocation->info.Flags.CpuVisible) {
        clue(allocation->adapter,
             "a client locks a surface of %u x %u pixels, for which CreateAllocation left "
             "CpuVisible 0 [ALLOC-010]",
             allocation->width, allocation->height);
    }
}

void dxgk_clue_of_begin(const struct dxgk_adapter *adapter, unsigned node, char *text, size_t size)
{
    const char *call = adapter->engines[node].begun_by;

    text[0] = '\0';
    if (call) {
        snprintf(text, size, "; nothing of node %u was completed since %s", node, call);
    }
}
