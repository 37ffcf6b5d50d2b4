/* duty_mmus.h: what a kernel that mistook its own operations on MMUs of the device, of which
 * documents say nothing, would have handed to the driver. A part of duty_test.c, whose words it
 * uses. */
#ifndef TESTS_CONTRACT_DUTY_MMUS_H
#define TESTS_CONTRACT_DUTY_MMUS_H

#define MAPPED   (&a->MmapMmu)
#define UNMAPPED (&a->UnmapMmu)
#define PART     (&a->NotifyResidency2)
#define MMU_MAP(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_MAP_MMU && (condition), change)
#define MMU_UNMAP(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_UNMAP_MMU && (condition), change)
#define PART_NOTICE(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY2 && (condition), change)

MMU_MAP(map_of_nobody, true, MAPPED->hAllocation = NOBODY)
MMU_MAP(map_in_no_mmu, true, MAPPED->MmuId = 7)
MMU_MAP(map_behind_the_mmu, true, MAPPED->VirtualAddress = UINT64_C(1) << 40)
MMU_MAP(map_in_a_page, true, MAPPED->VirtualAddress += 16)
MMU_MAP(map_of_too_much, true, MAPPED->AllocationOffsetInPages += 1u << 20)
MMU_MAP(map_of_another_place, MAPPED->SegmentId, MAPPED->Adl.BasePageNumber++)
MMU_MAP(map_of_no_segment, MAPPED->SegmentId, MAPPED->SegmentId = 31)

MMU_UNMAP(unmap_of_nobody, true, UNMAPPED->hAllocation = NOBODY)
MMU_UNMAP(unmap_in_no_mmu, true, UNMAPPED->MmuId = 7)
MMU_UNMAP(unmap_reserved, true, UNMAPPED->Reserved0 = 1)
/* Nothing was mapped. */
static bool unmap_unmapped(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    struct contract_object *allocation =
        a->Operation == DXGK_OPERATION_UNMAP_MMU
            ? contract_object_find(call->tracker, TRACKED_ALLOCATION, UNMAPPED->hAllocation)
            : NULL;

    if (allocation) {
        allocation->mmu_pages = 0;
    }
    return allocation != NULL;
}

PART_NOTICE(part_of_nobody, true, PART->hAllocation = NOBODY)
PART_NOTICE(part_behind_the_end, true, PART->SizeInPages += 1u << 20)
PART_NOTICE(part_twice, PART->Resident == 0, PART->Resident = 1)
PART_NOTICE(part_out_of_order, true, PART->AllocationOffsetInPages++)
PART_NOTICE(part_in_no_segment, PART->Resident, PART->SegmentId = 31)
PART_NOTICE(part_gone_with_place, PART->Resident == 0, PART->PhysicalAddress.SegmentOffset = 4096)
PART_NOTICE(part_reserved, true, PART->Reserved = 1)

#define MMU_ROWS                                                                     \
    TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_of_nobody, SCENE_MMUS),            \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_in_no_mmu, SCENE_MMUS),        \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_behind_the_mmu, SCENE_MMUS),   \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_in_a_page, SCENE_MMUS),        \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_of_too_much, SCENE_MMUS),      \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_of_another_place, SCENE_MMUS), \
        TESTS_RULE(MAPMMU_001, BuildPagingBuffer, map_of_no_segment, SCENE_MMUS),    \
        TESTS_RULE(UNMAPMMU_001, BuildPagingBuffer, unmap_of_nobody, SCENE_MMUS),    \
        TESTS_RULE(UNMAPMMU_001, BuildPagingBuffer, unmap_in_no_mmu, SCENE_MMUS),    \
        TESTS_RULE(UNMAPMMU_001, BuildPagingBuffer, unmap_reserved, SCENE_MMUS),     \
        TESTS_RULE(UNMAPMMU_001, BuildPagingBuffer, unmap_unmapped, SCENE_MMUS),     \
        TESTS_RULE(NRES2_001, BuildPagingBuffer, part_of_nobody, SCENE_MMUS),        \
        TESTS_RULE(NRES2_001, BuildPagingBuffer, part_behind_the_end, SCENE_MMUS),   \
        TESTS_RULE(NRES2_001, BuildPagingBuffer, part_twice, SCENE_MMUS),            \
        TESTS_RULE(NRES2_001, BuildPagingBuffer, part_out_of_order, SCENE_MMUS),     \
        TESTS_RULE(NRES2_002, BuildPagingBuffer, part_in_no_segment, SCENE_MMUS),    \
        TESTS_RULE(NRES2_002, BuildPagingBuffer, part_gone_with_place, SCENE_MMUS),  \
        TESTS_RULE(NRES2_002, BuildPagingBuffer, part_reserved, SCENE_MMUS)

#endif
