/* duty_ranges.h: what a kernel that mistook swizzling ranges would have handed to the driver. A
 * part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_RANGES_H
#define TESTS_CONTRACT_DUTY_RANGES_H

#define SPECIAL (&a->SpecialLockTransfer)
#define SPECIAL_MOVE(name, condition, change) \
    PAGING(name, a->Operation == DXGK_OPERATION_SPECIAL_LOCK_TRANSFER && (condition), change)
#define GOES_OUT              (SPECIAL->Destination.SegmentId == 0)
#define ACQUIRE(name, change) SPOIL(name, DXGKARG_ACQUIRESWIZZLINGRANGE, true, change)
#define RELEASE(name, change) SPOIL(name, DXGKARG_RELEASESWIZZLINGRANGE, true, change)

/* An ordinary transfer in other words. */
static bool special_without_lock(struct contract_call *call)
{
    DXGKARG_BUILDPAGINGBUFFER *a = call->arguments, plain;

    if (a->Operation != DXGK_OPERATION_TRANSFER || a->Transfer.Destination.SegmentId == 0 ||
        a->Transfer.Source.SegmentId != 0) {
        return false;
    }
    plain = *a;
    a->Operation = DXGK_OPERATION_SPECIAL_LOCK_TRANSFER;
    memset(SPECIAL, 0, sizeof *SPECIAL);
    SPECIAL->hAllocation = plain.Transfer.hAllocation;
    SPECIAL->TransferSize = plain.Transfer.TransferSize;
    SPECIAL->Source.pMdl = plain.Transfer.Source.pMdl;
    SPECIAL->Destination.SegmentId = plain.Transfer.Destination.SegmentId;
    SPECIAL->Destination.SegmentAddress = plain.Transfer.Destination.SegmentAddress;
    SPECIAL->Flags = plain.Transfer.Flags;
    return true;
}
SPECIAL_MOVE(special_of_nobody, true, SPECIAL->hAllocation = NOBODY)
SPECIAL_MOVE(special_of_nothing, true, SPECIAL->TransferSize = 0)
SPECIAL_MOVE(special_from_elsewhere, GOES_OUT, SPECIAL->Source.SegmentAddress.QuadPart += 4096)
SPECIAL_MOVE(special_to_no_pages, GOES_OUT, SPECIAL->Destination.pMdl = NULL)
SPECIAL_MOVE(special_without_start, true, SPECIAL->Flags.TransferStart = 0)
SPECIAL_MOVE(special_of_another_range, GOES_OUT, SPECIAL->SwizzlingRangeData ^= 1)
ACQUIRE(range_too_high, a->RangeId = 2)
RELEASE(range_of_another, a->PrivateDriverData ^= 1)

#define RANGE_ROWS                                                                         \
    TESTS_RULE(SPLOCK_001, BuildPagingBuffer, special_without_lock, SCENE_RANGES),         \
        TESTS_RULE(SPLOCK_002, BuildPagingBuffer, special_of_nobody, SCENE_RANGES),        \
        TESTS_RULE(SPLOCK_003, BuildPagingBuffer, special_of_nothing, SCENE_RANGES),       \
        TESTS_RULE(SPLOCK_004, BuildPagingBuffer, special_from_elsewhere, SCENE_RANGES),   \
        TESTS_RULE(SPLOCK_005, BuildPagingBuffer, special_to_no_pages, SCENE_RANGES),      \
        TESTS_RULE(SPLOCK_006, BuildPagingBuffer, special_without_start, SCENE_RANGES),    \
        TESTS_RULE(SPLOCK_008, BuildPagingBuffer, special_of_another_range, SCENE_RANGES), \
        TESTS_RULE(SWZ_001, AcquireSwizzlingRange, range_too_high, SCENE_RANGES),          \
        TESTS_RULE(SWZ_001, ReleaseSwizzlingRange, range_of_another, SCENE_RANGES)

#endif
