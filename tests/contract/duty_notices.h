/* duty_notices.h: what a kernel that mistook notices of residency and eviction would have handed to
 * the driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_NOTICES_H
#define TESTS_CONTRACT_DUTY_NOTICES_H

#define RESIDENCY (&a->NotifyResidency)
#define LEAVING   (&a->NotifyAllocation)
#define NOTICE(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_NOTIFY_RESIDENCY && (condition), change)
#define EVICTION(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_NOTIFY_ALLOC && (condition), change)

NOTICE(notice_twice, RESIDENCY->Resident == 0, RESIDENCY->Resident = 1)
NOTICE(notice_of_nobody, true, RESIDENCY->hAllocation = NOBODY)
NOTICE(notice_of_no_segment, RESIDENCY->Resident, RESIDENCY->PhysicalAddress.SegmentId = 31)
NOTICE(notice_of_eviction_with_place, RESIDENCY->Resident == 0,
       RESIDENCY->PhysicalAddress.SegmentOffset = 4096)
NOTICE(notice_reserved, true, RESIDENCY->Reserved |= 4)
NOTICE(notice_of_another_place,
       RESIDENCY->Resident &&IS_MEMORY(RESIDENCY->PhysicalAddress.SegmentId),
       RESIDENCY->PhysicalAddress.SegmentOffset += 4096)

EVICTION(leaving_of_nobody, true, LEAVING->hAllocation = NOBODY)
EVICTION(leaving_in_part, true, LEAVING->OffsetInBytes += 4096)
EVICTION(leaving_a_process, true, LEAVING->hKmdProcessHandle = NOBODY)
EVICTION(leaving_the_iommu, true, LEAVING->Flags.IoMmuUnmap = 1)
EVICTION(leaving_from_nowhere, true, LEAVING->GpuVirtualAddressAtOffset += 1u << 22)
EVICTION(leaving_too_much, true, LEAVING->SizeInBytes += 1u << 22)
EVICTION(leaving_nobodys_space, LEAVING->Flags.IoMmuUnmap, LEAVING->hKmdProcessHandle = NULL)
EVICTION(leaving_where_nothing_is, LEAVING->Flags.IoMmuUnmap,
         LEAVING->GpuVirtualAddressAtOffset += 1u << 30)
EVICTION(leaving_of_who_never_asked, LEAVING->Flags.IoMmuUnmap, LEAVING->hAllocation = NOBODY)
/* Where no IOMMU translates. */
static bool leaving_no_iommu(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    struct contract_object *object, *next;

    if (a->Operation != DXGK_OPERATION_NOTIFY_ALLOC || !LEAVING->Flags.Eviction) {
        return false;
    }
    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->key.kind == TRACKED_PROCESS &&
            object->key.handle != call->tracker->system_process) {
            LEAVING->Flags.Value = 2; /* IoMmuUnmap alone */
            LEAVING->hKmdProcessHandle = object->key.handle;
            return true;
        }
    }
    return false;
}

/* Of one that is in video memory. */
static bool leaving_video_memory(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments;
    struct contract_object *object, *next;

    if (a->Operation != DXGK_OPERATION_NOTIFY_ALLOC || LEAVING->OffsetInBytes != 0) {
        return false;
    }
    HASH_ITER(hh, call->tracker->objects, object, next)
    {
        if (object->told_resident && object->wants_eviction && IS_MEMORY(object->segment)) {
            LEAVING->hAllocation = object->key.handle;
            return true;
        }
    }
    return false;
}

#define NOTICE_ROWS                                                                            \
    TESTS_RULE(NRES_001, BuildPagingBuffer, notice_twice, SCENE_VIRTUAL),                      \
        TESTS_RULE(NRES_002, BuildPagingBuffer, notice_of_nobody, SCENE_VIRTUAL),              \
        TESTS_RULE(NRES_003, BuildPagingBuffer, notice_of_no_segment, SCENE_VIRTUAL),          \
        TESTS_RULE(NRES_003, BuildPagingBuffer, notice_of_eviction_with_place, SCENE_VIRTUAL), \
        TESTS_RULE(NRES_004, BuildPagingBuffer, notice_reserved, SCENE_VIRTUAL),               \
        TESTS_RULE(NRES_005, BuildPagingBuffer, notice_of_another_place, SCENE_VIRTUAL),       \
        TESTS_RULE(NALLOC_001, BuildPagingBuffer, leaving_of_nobody, SCENE_VIRTUAL),           \
        TESTS_RULE(NALLOC_002, BuildPagingBuffer, leaving_in_part, SCENE_VIRTUAL),             \
        TESTS_RULE(NALLOC_003, BuildPagingBuffer, leaving_video_memory, SCENE_VIRTUAL),        \
        TESTS_RULE(NALLOC_004, BuildPagingBuffer, leaving_a_process, SCENE_VIRTUAL),           \
        TESTS_RULE(NALLOC_004, BuildPagingBuffer, leaving_the_iommu, SCENE_VIRTUAL),           \
        TESTS_RULE(NALLOC_001, BuildPagingBuffer, leaving_of_who_never_asked, SCENE_GIVEN),    \
        TESTS_RULE(NALLOC_004, BuildPagingBuffer, leaving_nobodys_space, SCENE_GIVEN),         \
        TESTS_RULE(NALLOC_005, BuildPagingBuffer, leaving_where_nothing_is, SCENE_GIVEN),      \
        TESTS_RULE(NALLOC_006, BuildPagingBuffer, leaving_no_iommu, SCENE_VIRTUAL),            \
        TESTS_RULE(NALLOC_005, BuildPagingBuffer, leaving_from_nowhere, SCENE_VIRTUAL),        \
        TESTS_RULE(NALLOC_005, BuildPagingBuffer, leaving_too_much, SCENE_VIRTUAL)

#endif
