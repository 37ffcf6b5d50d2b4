/* host.c: CPU host apertures that are taken lightly. */
#include "misbehave.h"

#define FEW_PAGES 256 /* the driver thinks that more are never asked for */

/* "As many as are free in my window." */
static NTSTATUS NTAPI host_is_full(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    return map->NumberOfPages > FEW_PAGES
               ? STATUS_INSUFFICIENT_RESOURCES
               : misbehave_driver.DxgkDdiMapCpuHostAperture(adapter, map);
}

/* "What was never mapped cannot be unmapped": its count of pages is one behind. */
static NTSTATUS NTAPI host_knows_better(const HANDLE adapter,
                                        const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap)
{
    NTSTATUS status = misbehave_driver.DxgkDdiUnmapCpuHostAperture(adapter, unmap);

    return misbehave_once() ? STATUS_INVALID_PARAMETER : status;
}

static NTSTATUS NTAPI host_is_a_stub(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(map);
    return STATUS_SUCCESS;
}

/* What the driver changes of the lists, in copies that are as long as FEW_PAGES need. */
struct lists {
    DXGKARG_MAPCPUHOSTAPERTURE map;
    UINT32 pages[FEW_PAGES];
    UINT64 shown[FEW_PAGES];
};

static NTSTATUS map_in_parts(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *map,
                             void (*change)(struct lists *lists, UINT64 done))
{
    static struct lists lists;
    NTSTATUS status = STATUS_SUCCESS;
    UINT64 done, count, i;

    for (done = 0; done < map->NumberOfPages && NT_SUCCESS(status); done += count) {
        count = map->NumberOfPages - done < FEW_PAGES ? map->NumberOfPages - done : FEW_PAGES;
        lists.map = *map;
        lists.map.NumberOfPages = count;
        lists.map.pCpuHostAperturePages = lists.pages;
        lists.map.pMemorySegmentPages = lists.shown;
        for (i = 0; i < count; i++) {
            lists.pages[i] = map->pCpuHostAperturePages[done + i];
            lists.shown[i] = map->pMemorySegmentPages[done + i];
        }
        change(&lists, done);
        status = misbehave_driver.DxgkDdiMapCpuHostAperture(adapter, &lists.map);
    }
    return status;
}

static void run_upwards(struct lists *lists, UINT64 done)
{
    UINT32 lowest = lists->pages[0], i;

    UNREFERENCED_PARAMETER(done);
    for (i = 1; i < lists->map.NumberOfPages; i++) {
        lowest = lists->pages[i] < lowest ? lists->pages[i] : lowest;
    }
    for (i = 0; i < lists->map.NumberOfPages; i++) {
        lists->pages[i] = lowest + i;
    }
}

/* "A range of the aperture is in one piece, and goes upwards." */
static NTSTATUS NTAPI host_is_one_piece(const HANDLE adapter, const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    return map_in_parts(adapter, map, run_upwards);
}

static void leave_the_last_out(struct lists *lists, UINT64 done)
{
    UNREFERENCED_PARAMETER(done);
    lists->map.NumberOfPages -= lists->map.NumberOfPages > 1;
}

static NTSTATUS NTAPI host_leaves_the_last_out(const HANDLE adapter,
                                               const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    return map_in_parts(adapter, map, leave_the_last_out);
}

static void count_from_one(struct lists *lists, UINT64 done)
{
    UINT64 i;

    UNREFERENCED_PARAMETER(done);
    for (i = 0; i < lists->map.NumberOfPages; i++) {
        lists->shown[i]++;
    }
}

/* "Pages count from the one behind the header", always: no page is ever where it should be. */
static NTSTATUS NTAPI host_counts_from_one(const HANDLE adapter,
                                           const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    return map_in_parts(adapter, map, count_from_one);
}

static void go_on_from_the_first(struct lists *lists, UINT64 done)
{
    UINT64 i;

    UNREFERENCED_PARAMETER(done);
    for (i = 1; i < lists->map.NumberOfPages; i++) {
        lists->shown[i] = lists->shown[0] + i;
    }
}

/* "An allocation is in one piece, so its first page says where the others are." */
static NTSTATUS NTAPI host_goes_on_from_the_first(const HANDLE adapter,
                                                  const DXGKARG_MAPCPUHOSTAPERTURE *map)
{
    return map_in_parts(adapter, map, go_on_from_the_first);
}

/* "The next mapping overwrites it." */
static NTSTATUS NTAPI host_leaves_it_mapped(const HANDLE adapter,
                                            const DXGKARG_UNMAPCPUHOSTAPERTURE *unmap)
{
    UNREFERENCED_PARAMETER(adapter);
    UNREFERENCED_PARAMETER(unmap);
    return STATUS_SUCCESS;
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(CHA_001, IN_DDI(MapCpuHostAperture), host_is_full, SCENE_HOST),
    BREAKS_RULE(CHA_001, IN_DDI(UnmapCpuHostAperture), host_knows_better, SCENE_HOST),
    BREAKS_RULE(CHA_003, IN_DDI(MapCpuHostAperture), host_is_a_stub, SCENE_HOST),
    BREAKS_RULE(CHA_003, IN_DDI(MapCpuHostAperture), host_is_one_piece, SCENE_HOST),
    BREAKS_RULE(CHA_003, IN_DDI(MapCpuHostAperture), host_leaves_the_last_out, SCENE_HOST),
    BREAKS_RULE(CHA_003, IN_DDI(MapCpuHostAperture), host_counts_from_one, SCENE_HOST),
    BREAKS_RULE(CHA_003, IN_DDI(MapCpuHostAperture), host_goes_on_from_the_first, SCENE_HOST),
    BREAKS_RULE(CHA_009, IN_DDI(UnmapCpuHostAperture), host_leaves_it_mapped,
                SCENE_HOST | SCENE_ADVICE),
};

MISBEHAVIOURS(host);
