/* nt/rtl_bitmap.c: bitmaps of a driver's own. */
#include "nt/internal.h"

#define NOT_FOUND ((ULONG)-1)

static bool bit_at(const RTL_BITMAP *map, ULONG index)
{
    return map->Buffer[index / 32] >> index % 32 & 1;
}

static void set_range(const RTL_BITMAP *map, ULONG start, ULONG count, bool value)
{
    for (ULONG i = start; i < start + count; i++) {
        if (i % 32 == 0 && start + count - i >= 32) {
            map->Buffer[i / 32] = value ? UINT32_MAX : 0;
            i += 31;
        } else if (value) {
            map->Buffer[i / 32] |= 1u << i % 32;
        } else {
            map->Buffer[i / 32] &= ~(1u << i % 32);
        }
    }
}

static bool range_fits_map(const RTL_BITMAP *map, ULONG start, ULONG count,
                           const struct export_call *call)
{
    if (range_fits(start, count, map->SizeOfBitMap)) {
        return true;
    }
    misuse(NT_MISUSE_ARGUMENT, call, "bits %u .. %llu of a bitmap of %u", start,
           (unsigned long long)start + count - 1, map->SizeOfBitMap);
    return false;
}

/* Length of the run of `value` that begins at start, at most limit. */
static ULONG run_length(const RTL_BITMAP *map, ULONG start, ULONG limit, bool value)
{
    ULONG length = 0;

    while (length < limit && start + length < map->SizeOfBitMap &&
           bit_at(map, start + length) == value) {
        length++;
    }
    return length;
}

static ULONG find_between(const RTL_BITMAP *map, ULONG from, ULONG end, ULONG count, bool value)
{
    while (from < end) {
        ULONG length = run_length(map, from, count, value);
        if (length >= count) {
            return from;
        }
        from += length + 1;
    }
    return NOT_FOUND;
}

/* From the hint to the end, then from the beginning. */
static ULONG find(const RTL_BITMAP *map, ULONG count, ULONG hint, bool value)
{
    ULONG found;

    if (hint >= map->SizeOfBitMap) {
        hint = 0;
    }
    if (count == 0) {
        return hint & ~7u;
    }
    found = find_between(map, hint, map->SizeOfBitMap, count, value);
    return found == NOT_FOUND && hint ? find_between(map, 0, map->SizeOfBitMap, count, value)
                                      : found;
}

VOID NTAPI RtlInitializeBitMap(PRTL_BITMAP BitMapHeader, PULONG BitMapBuffer, ULONG SizeOfBitMap)
{
    NT_EXPORT_ENTER(RtlInitializeBitMap);
    BitMapHeader->SizeOfBitMap = SizeOfBitMap;
    BitMapHeader->Buffer = BitMapBuffer;
}

VOID NTAPI RtlClearBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber)
{
    struct export_call call = NT_EXPORT_CALL(RtlClearBit);

    if (range_fits_map(BitMapHeader, BitNumber, 1, &call)) {
        set_range(BitMapHeader, BitNumber, 1, false);
    }
}

VOID NTAPI RtlSetBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber)
{
    struct export_call call = NT_EXPORT_CALL(RtlSetBit);

    if (range_fits_map(BitMapHeader, BitNumber, 1, &call)) {
        set_range(BitMapHeader, BitNumber, 1, true);
    }
}

BOOLEAN NTAPI RtlTestBit(PRTL_BITMAP BitMapHeader, ULONG BitNumber)
{
    struct export_call call = NT_EXPORT_CALL(RtlTestBit);
    return range_fits_map(BitMapHeader, BitNumber, 1, &call) && bit_at(BitMapHeader, BitNumber);
}

VOID NTAPI RtlClearAllBits(PRTL_BITMAP BitMapHeader)
{
    NT_EXPORT_ENTER(RtlClearAllBits);
    set_range(BitMapHeader, 0, (BitMapHeader->SizeOfBitMap + 31) & ~31u, false);
}

VOID NTAPI RtlSetAllBits(PRTL_BITMAP BitMapHeader)
{
    NT_EXPORT_ENTER(RtlSetAllBits);
    set_range(BitMapHeader, 0, (BitMapHeader->SizeOfBitMap + 31) & ~31u, true);
}

VOID NTAPI RtlClearBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToClear)
{
    struct export_call call = NT_EXPORT_CALL(RtlClearBits);

    if (range_fits_map(BitMapHeader, StartingIndex, NumberToClear, &call)) {
        set_range(BitMapHeader, StartingIndex, NumberToClear, false);
    }
}

VOID NTAPI RtlSetBits(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG NumberToSet)
{
    struct export_call call = NT_EXPORT_CALL(RtlSetBits);

    if (range_fits_map(BitMapHeader, StartingIndex, NumberToSet, &call)) {
        set_range(BitMapHeader, StartingIndex, NumberToSet, true);
    }
}

ULONG NTAPI RtlFindClearBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex)
{
    NT_EXPORT_ENTER(RtlFindClearBits);
    return find(BitMapHeader, NumberToFind, HintIndex, false);
}

ULONG NTAPI RtlFindSetBits(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex)
{
    NT_EXPORT_ENTER(RtlFindSetBits);
    return find(BitMapHeader, NumberToFind, HintIndex, true);
}

static ULONG find_and_flip(const RTL_BITMAP *map, ULONG count, ULONG hint, bool value)
{
    ULONG found = find(map, count, hint, value);

    if (found != NOT_FOUND) {
        set_range(map, found, count, !value);
    }
    return found;
}

ULONG NTAPI RtlFindClearBitsAndSet(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex)
{
    NT_EXPORT_ENTER(RtlFindClearBitsAndSet);
    return find_and_flip(BitMapHeader, NumberToFind, HintIndex, false);
}

ULONG NTAPI RtlFindSetBitsAndClear(PRTL_BITMAP BitMapHeader, ULONG NumberToFind, ULONG HintIndex)
{
    NT_EXPORT_ENTER(RtlFindSetBitsAndClear);
    return find_and_flip(BitMapHeader, NumberToFind, HintIndex, true);
}

/* The next clear run at or after `from`; count 0: there is none. */
static RTL_BITMAP_RUN next_clear_run(const RTL_BITMAP *map, ULONG from)
{
    RTL_BITMAP_RUN run = {.StartingIndex = from};

    run.StartingIndex += run_length(map, from, UINT32_MAX, true);
    run.NumberOfBits = run_length(map, run.StartingIndex, UINT32_MAX, false);
    return run;
}

static void insert_longest(PRTL_BITMAP_RUN runs, ULONG capacity, ULONG *count, RTL_BITMAP_RUN run)
{
    ULONG at = *count;

    while (at > 0 && runs[at - 1].NumberOfBits < run.NumberOfBits) {
        if (at < capacity) {
            runs[at] = runs[at - 1];
        }
        at--;
    }
    if (at < capacity) {
        runs[at] = run;
        *count += *count < capacity;
    }
}

ULONG NTAPI RtlFindClearRuns(PRTL_BITMAP BitMapHeader, PRTL_BITMAP_RUN RunArray,
                             ULONG SizeOfRunArray, BOOLEAN LocateLongestRuns)
{
    ULONG count = 0, at = 0;

    NT_EXPORT_ENTER(RtlFindClearRuns);
    while (LocateLongestRuns || count < SizeOfRunArray) {
        RTL_BITMAP_RUN run = next_clear_run(BitMapHeader, at);
        if (run.NumberOfBits == 0) {
            break;
        }
        if (LocateLongestRuns) {
            insert_longest(RunArray, SizeOfRunArray, &count, run);
        } else {
            RunArray[count++] = run;
        }
        at = run.StartingIndex + run.NumberOfBits;
    }
    return count;
}

ULONG NTAPI RtlFindLongestRunClear(PRTL_BITMAP BitMapHeader, PULONG StartingIndex)
{
    RTL_BITMAP_RUN longest = {0};
    ULONG count = 0;

    NT_EXPORT_ENTER(RtlFindLongestRunClear);
    for (ULONG at = 0;;) {
        RTL_BITMAP_RUN run = next_clear_run(BitMapHeader, at);
        if (run.NumberOfBits == 0) {
            break;
        }
        insert_longest(&longest, 1, &count, run);
        at = run.StartingIndex + run.NumberOfBits;
    }
    *StartingIndex = longest.StartingIndex;
    return longest.NumberOfBits;
}

static ULONG count_set(const RTL_BITMAP *map)
{
    ULONG count = 0;

    for (ULONG i = 0; i < map->SizeOfBitMap; i++) {
        count += bit_at(map, i);
    }
    return count;
}

ULONG NTAPI RtlNumberOfClearBits(PRTL_BITMAP BitMapHeader)
{
    NT_EXPORT_ENTER(RtlNumberOfClearBits);
    return BitMapHeader->SizeOfBitMap - count_set(BitMapHeader);
}

ULONG NTAPI RtlNumberOfSetBits(PRTL_BITMAP BitMapHeader)
{
    NT_EXPORT_ENTER(RtlNumberOfSetBits);
    return count_set(BitMapHeader);
}

static bool all_are(const RTL_BITMAP *map, ULONG start, ULONG count, bool value)
{
    return count > 0 && range_fits(start, count, map->SizeOfBitMap) &&
           run_length(map, start, count, value) == count;
}

BOOLEAN NTAPI RtlAreBitsClear(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length)
{
    NT_EXPORT_ENTER(RtlAreBitsClear);
    return all_are(BitMapHeader, StartingIndex, Length, false);
}

BOOLEAN NTAPI RtlAreBitsSet(PRTL_BITMAP BitMapHeader, ULONG StartingIndex, ULONG Length)
{
    NT_EXPORT_ENTER(RtlAreBitsSet);
    return all_are(BitMapHeader, StartingIndex, Length, true);
}

CCHAR NTAPI RtlFindLeastSignificantBit(ULONGLONG Set)
{
    NT_EXPORT_ENTER(RtlFindLeastSignificantBit);
    return Set ? (CCHAR)__builtin_ctzll(Set) : -1;
}

CCHAR NTAPI RtlFindMostSignificantBit(ULONGLONG Set)
{
    NT_EXPORT_ENTER(RtlFindMostSignificantBit);
    return Set ? (CCHAR)(63 - __builtin_clzll(Set)) : -1;
}
