/* Rules of GPU virtual addresses that are the driver's: what its page tables look like, ranges that
 * it reserves, and submissions by virtual address. */
#include "contract/internal.h"

#include "machine/machine.h"

#define ADDRESS_BITS_OF_PAGE 12
#define PAGE_BYTES_64K       65536u

/* ---- Caps ------------------------------------------------------------------------------------ */

static bool mmu_came(const struct contract_call *call)
{
    DXGK_GPUMMUCAPS caps;

    return contract_mmu_answered(call, &caps);
}

static bool level_came(const struct contract_call *call)
{
    DXGK_PAGE_TABLE_LEVEL_DESC level;

    return contract_level_answered(call, &level);
}

static bool levels_can_be_counted(struct contract_call *call)
{
    DXGK_GPUMMUCAPS caps;

    if (!contract_mmu_answered(call, &caps)) {
        return true;
    }
    return (caps.PageTableLevelCount >= 2 && caps.PageTableLevelCount <= CONTRACT_TABLE_LEVELS) ||
           contract_say(call, "2 to 6 levels of page tables", "PageTableLevelCount is %u",
                        caps.PageTableLevelCount);
}

static bool is_local(const struct contract_tracker *tracker, UINT segment)
{
    UINT id = contract_table_segment(tracker, segment);

    return id > 0 && id <= tracker->segment_count && !tracker->segments[id].flags.Aperture;
}

/* The CPU cannot be asked to write directories that it does not see. */
static bool directories_are_within_reach(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    DXGK_PAGE_TABLE_LEVEL_DESC level;

    if (!contract_level_answered(call, &level) || !tracker->mmu.known || call->kept.level == 0 ||
        tracker->mmu.caps.PageTableUpdateMode != DXGK_PAGETABLEUPDATE_CPU_VIRTUAL) {
        return contract_no_case(call);
    }
    return !is_local(tracker, level.PageTableSegmentId) ||
           contract_say(call,
                        "page directories in system memory with "
                        "DXGK_PAGETABLEUPDATE_CPU_VIRTUAL",
                        "tables of level %u are in memory segment %u", call->kept.level,
                        level.PageTableSegmentId);
}

/* Two levels have a root that grows: its size is asked for by another call. */
static bool is_growing_root(const struct contract_call *call)
{
    return call->tracker->mmu.caps.PageTableLevelCount == 2 && call->kept.level == 1;
}

static bool segment_is_known(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    DXGK_PAGE_TABLE_LEVEL_DESC level;

    if (!contract_level_answered(call, &level)) {
        return true;
    }
    const UINT ids[] = {level.PageTableSegmentId, level.PagingProcessPageTableSegmentId};
    for (size_t i = 0; i < sizeof ids / sizeof ids[0]; i++) {
        if (contract_table_segment(tracker, ids[i]) > tracker->segment_count) {
            return contract_say(call, "a segment for page tables, or 0 for system memory",
                                "segment %u of %u for level %u", ids[i], tracker->segment_count,
                                call->kept.level);
        }
    }
    return true;
}

static bool table_has_pages(struct contract_call *call)
{
    DXGK_PAGE_TABLE_LEVEL_DESC level;

    if (!contract_level_answered(call, &level)) {
        return true;
    }
    UINT size = level.PageTableSizeInBytes;
    if (size % MACHINE_PAGE_SIZE != 0 || (size == 0 && !is_growing_root(call))) {
        return contract_say(call, "tables of whole pages", "PageTableSizeInBytes of level %u is %u",
                            call->kept.level, size);
    }
    UINT bits = level.PageTableIndexBitCount;
    if ((bits == 0 && !is_growing_root(call)) || bits > 31) {
        return contract_say(call, "index bits that a table can have",
                            "PageTableIndexBitCount of level %u is %u", call->kept.level, bits);
    }
    bool elsewhere = level.PageTableSegmentId != 0;
    return (elsewhere && level.PagingProcessPageTableSegmentId != 0) || size <= MACHINE_PAGE_SIZE ||
           contract_say(call, "tables of at most 4096 bytes in system memory",
                        "PageTableSizeInBytes of level %u is %u, %s 0", call->kept.level, size,
                        elsewhere ? "PagingProcessPageTableSegmentId" : "PageTableSegmentId");
}

/* All levels are known with this answer, and none of them grows. */
static bool is_last_level(const struct contract_call *call)
{
    const struct contract_mmu *mmu = &call->tracker->mmu;
    DXGK_PAGE_TABLE_LEVEL_DESC level;

    if (!contract_level_answered(call, &level) || mmu->caps.PageTableLevelCount <= 2 ||
        mmu->caps.PageTableLevelCount > CONTRACT_TABLE_LEVELS) {
        return false;
    }
    return (mmu->levels_known | 1u << call->kept.level) ==
           (1u << mmu->caps.PageTableLevelCount) - 1;
}

static bool bits_make_up_the_address(struct contract_call *call)
{
    const struct contract_mmu *mmu = &call->tracker->mmu;
    DXGK_PAGE_TABLE_LEVEL_DESC level;
    UINT bits = ADDRESS_BITS_OF_PAGE;

    if (!contract_level_answered(call, &level)) {
        return true;
    }
    for (unsigned i = 0; i < mmu->caps.PageTableLevelCount; i++) {
        bits += i == call->kept.level ? level.PageTableIndexBitCount
                                      : mmu->levels[i].PageTableIndexBitCount;
    }
    return bits == mmu->caps.VirtualAddressBitCount ||
           contract_say(call, "index bits of all levels, and 12, that make VirtualAddressBitCount",
                        "they make %u, VirtualAddressBitCount is %u", bits,
                        mmu->caps.VirtualAddressBitCount);
}

static bool segments_came(const struct contract_call *call)
{
    struct contract_segments_answer answer;

    return contract_segments_answered(call, &answer) && answer.has_descriptors;
}

static bool host_apertures_are_needed(struct contract_call *call)
{
    struct contract_segments_answer answer;

    if (!contract_segments_answered(call, &answer)) {
        return true;
    }
    for (UINT i = 0; i < call->kept.descriptors.count; i++) {
        if (answer.segments[i].flags.SupportsCpuHostAperture &&
            answer.segments[i].flags.CpuVisible) {
            return contract_say(call, "SupportsCpuHostAperture or CpuVisible, not both",
                                "the flags of segment %u are 0x%X", i + 1,
                                answer.segments[i].flags.Value);
        }
    }
    return true;
}

/* ---- Root tables ----------------------------------------------------------------------------- */

/* How large an entry is the driver knows, but one of less has no room for a place in memory. */
#define ENTRY_BYTES_MIN 4u

static bool root_has_pages(struct contract_call *call)
{
    const struct contract_tracker *tracker = call->tracker;
    const DXGKARG_GETROOTPAGETABLESIZE *before = call->before, *after = call->arguments;
    const SIZE_T *size = call->extra;
    UINT segment = contract_table_segment(tracker, tracker->mmu.levels[1].PageTableSegmentId);
    UINT page = segment > 0 && segment <= tracker->segment_count &&
                        tracker->segments[segment].flags.Use64KBPages
                    ? PAGE_BYTES_64K
                    : MACHINE_PAGE_SIZE;

    if (*size == 0 || *size % page != 0) {
        return contract_say(call, "whole pages of the segment that the table will be in",
                            "0x%llX bytes for %u entries, pages have %u", (unsigned long long)*size,
                            before->NumberOfPte, page);
    }
    if (*size / ENTRY_BYTES_MIN < after->NumberOfPte) {
        return contract_say(call, "room for NumberOfPte entries",
                            "0x%llX bytes for %u entries: less than %u for each",
                            (unsigned long long)*size, after->NumberOfPte, ENTRY_BYTES_MIN);
    }
    return after->NumberOfPte >= before->NumberOfPte ||
           contract_say(call, "at least as many entries as were asked for",
                        "NumberOfPte went from %u to %u", before->NumberOfPte, after->NumberOfPte);
}

/* ---- Reserved ranges ------------------------------------------------------------------------- */

static bool inside_create_process(struct contract_call *call)
{
    return contract_is_inside(call->tracker, POINT_CreateProcess) ||
           contract_say(call, "called inside DxgkDdiCreateProcess", "called elsewhere");
}

static bool is_reserving(const struct contract_call *call)
{
    return call->arguments && (call->tracker->mmu.levels_known & 1);
}

static bool whole_leaves(struct contract_call *call)
{
    const DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *range = call->arguments;
    UINT bits = call->tracker->mmu.levels[0].PageTableIndexBitCount;

    if (bits > 31) {
        return contract_no_case(call); /* that was said */
    }
    UINT64 leaf = (UINT64)MACHINE_PAGE_SIZE << bits;
    if (range->SizeInBytes == 0 || range->SizeInBytes % leaf != 0 ||
        range->BaseAddress % leaf != 0) {
        return contract_say(call, "multiples of what one leaf page table covers",
                            "SizeInBytes 0x%llX, BaseAddress 0x%llX, a leaf covers 0x%llX",
                            (unsigned long long)range->SizeInBytes,
                            (unsigned long long)range->BaseAddress, (unsigned long long)leaf);
    }
    UINT alignment = range->Alignment;
    return alignment == 0 || (alignment % leaf == 0 && (alignment & (alignment - 1)) == 0) ||
           contract_say(call, "a power of two of at least what one leaf page table covers",
                        "Alignment 0x%X, a leaf covers 0x%llX", alignment,
                        (unsigned long long)leaf);
}

static bool is_paging(const struct contract_call *call)
{
    const DXGKARG_SUBMITCOMMANDVIRTUAL *submit = call->arguments;

    return submit->Flags.Paging;
}

static bool succeeds_or_fails(struct contract_call *call)
{
    return call->status == STATUS_SUCCESS || !NT_SUCCESS(call->status) ||
           contract_say(call, "STATUS_SUCCESS, or an error such as STATUS_INVALID_USER_BUFFER",
                        "%s, which is neither", status_name(call->status));
}

static const struct contract_row rows[] = {
    AFTER(PT_008, QueryAdapterInfo, levels_can_be_counted, WHEN(mmu_came)),
    AFTER(PT_008, QueryAdapterInfo, directories_are_within_reach, WHEN(level_came)),
    AFTER(PT_009, QueryAdapterInfo, segment_is_known, WHEN(level_came)),
    AFTER(PT_009, QueryAdapterInfo, table_has_pages, WHEN(level_came)),
    AFTER(PT_009, QueryAdapterInfo, bits_make_up_the_address, WHEN(is_last_level), ADVISES),
    AFTER(PT_007, GetRootPageTableSize, root_has_pages,
          LEAVES_OUT("whether entries of 4 bytes or more fit: their size is the driver's")),
    BEFORE(PT_013, CbReserveGpuVirtualAddressRange, inside_create_process),
    BEFORE(PT_013, CbReserveGpuVirtualAddressRange, whole_leaves, WHEN(is_reserving)),
    AFTER(CHA_004, QueryAdapterInfo, host_apertures_are_needed, WHEN(segments_came)),
    AFTER(CHA_001, MapCpuHostAperture, SUCCEEDS, STOPS(0x10E, 0x2D)),
    AFTER(CHA_001, UnmapCpuHostAperture, SUCCEEDS, STOPS(0x10E, 0x2E)),
    AFTER(SUBV_001, SubmitCommandVirtual, STATUS_IN(STATUS_SUCCESS, STATUS_INVALID_PARAMETER),
          STOPS(0x119, 2)),
    AFTER(SUBV_001, SubmitCommandVirtual, STATUS_IN(STATUS_SUCCESS), WHEN(is_paging),
          SAYS("a paging buffer, which the driver wrote itself, is well formed"), STOPS(0x119, 2)),
    AFTER(VALID_005, ValidateSubmitCommand, succeeds_or_fails,
          LEAVES_OUT("which private data are malformed: that is the driver's to know")),
};

const struct contract_family contract_family_spaces = FAMILY_OF(rows);
