/* iommu_memory.c: memory in the domain of the IOMMU, by callbacks of WDDM 2.4 and 2.9. */
#include "misbehave.h"

#define OBJECT_BYTES (3u * PAGE_SIZE)

/* What does not fail in these scenes. A test that went by it silently would see nothing. */
static void must(BOOLEAN done, ULONG step)
{
    if (!done) {
        KeBugCheckEx(0xE2, step, 0, 0, 0);
    }
}

static void make_object(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object,
                        DXGK_PHYSICAL_MEMORY_TYPE type, HANDLE adapter)
{
    RtlZeroMemory(object, sizeof(*object));
    object->hAdapter = adapter;
    object->Size = OBJECT_BYTES;
    object->Type = type;
    object->CacheType = DXGK_MEMORY_CACHING_TYPE_CACHED;
    if (type == DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY) {
        object->ContiguousMemory.HighestAcceptableAddress.QuadPart = -1;
    } else {
        object->Mdl.HighAddress.QuadPart = -1;
    }
    must(NT_SUCCESS(misbehave_kernel.DxgkCbCreatePhysicalMemoryObject(object)), 1);
    must((object->hAdapterMemoryObject != NULL) == (adapter != NULL), 2);
}

static NTSTATUS open_object(DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object)
{
    DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT open;
    NTSTATUS status;

    RtlZeroMemory(&open, sizeof(open));
    open.hPhysicalMemoryObject = object->hPhysicalMemoryObject;
    open.hAdapter = misbehave_kernel.DeviceHandle;
    status = misbehave_kernel.DxgkCbOpenPhysicalMemoryObject(&open);
    if (NT_SUCCESS(status)) {
        object->hAdapterMemoryObject = open.hAdapterMemoryObject;
    }
    return status;
}

static void close_object(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object)
{
    const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT close = {object->hAdapterMemoryObject};

    misbehave_kernel.DxgkCbClosePhysicalMemoryObject(&close);
}

static DXGK_ADL *make_list(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object, BOOLEAN in_one)
{
    DXGKARGCB_ALLOCATE_ADL list;

    RtlZeroMemory(&list, sizeof(list));
    list.hAdapterMemoryObject = object->hAdapterMemoryObject;
    list.Offset = PAGE_SIZE;
    list.Size = OBJECT_BYTES - PAGE_SIZE;
    list.Flags.RequireContiguous = in_one ? 1 : 0;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbAllocateAdl(&list)), 3);
    return list.pAdl;
}

static void free_list(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object, DXGK_ADL *list)
{
    const DXGKARGCB_FREE_ADL free = {object->hAdapterMemoryObject, list};

    misbehave_kernel.DxgkCbFreeAdl(&free);
}

static void destroy_object(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object, HANDLE opened)
{
    const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT destroy = {object->hPhysicalMemoryObject,
                                                              opened};

    misbehave_kernel.DxgkCbDestroyPhysicalMemoryObject(&destroy);
}

static UCHAR *map_object(const DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *object,
                         DXGKARGCB_MAP_PHYSICAL_MEMORY *map, SIZE_T offset, SIZE_T size)
{
    RtlZeroMemory(map, sizeof(*map));
    map->hPhysicalMemoryObject = object->hPhysicalMemoryObject;
    map->Offset = offset;
    map->Size = size;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbMapPhysicalMemory(map)), 4);
    return (UCHAR *)map->pMappedAddress + map->Offset;
}

static void unmap_object(const DXGKARGCB_MAP_PHYSICAL_MEMORY *map)
{
    const DXGKARGCB_UNMAP_PHYSICAL_MEMORY unmap = {map->hPhysicalMemoryObject, map->pMappedAddress,
                                                   map->Size};

    misbehave_kernel.DxgkCbUnmapPhysicalMemory(&unmap);
}

/* ---- What is wrong --------------------------------------------------------------------------- */

static NTSTATUS NTAPI list_outlives_its_memory(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY,
                misbehave_kernel.DeviceHandle);
    (void)make_list(&object, TRUE);
    destroy_object(&object, object.hAdapterMemoryObject);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* The adapter's half stays. */
static NTSTATUS NTAPI list_outlives_the_first_half(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;
    DXGK_ADL *list;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY,
                misbehave_kernel.DeviceHandle);
    list = make_list(&object, TRUE);
    destroy_object(&object, NULL);
    free_list(&object, list);
    close_object(&object);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI list_is_left(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, misbehave_kernel.DeviceHandle);
    (void)make_list(&object, FALSE);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI object_is_left(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_SECTION, misbehave_kernel.DeviceHandle);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI object_of_nobody_is_left(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;
    DXGKARGCB_MAP_PHYSICAL_MEMORY map;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, NULL);
    *map_object(&object, &map, 0, PAGE_SIZE) = 1;
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI object_is_closed_alone(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_SECTION, misbehave_kernel.DeviceHandle);
    close_object(&object);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI opens_it_twice(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, misbehave_kernel.DeviceHandle);
    must(!NT_SUCCESS(open_object(&object)), 5);
    destroy_object(&object, object.hAdapterMemoryObject);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static NTSTATUS NTAPI closes_by_the_wrong_handle(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object, wrong;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, misbehave_kernel.DeviceHandle);
    wrong = object;
    wrong.hAdapterMemoryObject = object.hPhysicalMemoryObject;
    close_object(&wrong);
    destroy_object(&object, object.hAdapterMemoryObject);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* Its view went with it. */
static NTSTATUS NTAPI writes_where_it_was(const PVOID context)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;
    DXGKARGCB_MAP_PHYSICAL_MEMORY map;
    volatile UCHAR *view;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, misbehave_kernel.DeviceHandle);
    view = map_object(&object, &map, PAGE_SIZE, PAGE_SIZE);
    destroy_object(&object, object.hAdapterMemoryObject);
    *view = 1;
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static void map_list(MDL *pages, HANDLE *handle)
{
    DXGKARGCB_MAPMDLTOIOMMU mapped;

    RtlZeroMemory(&mapped, sizeof(mapped));
    mapped.pMdl = pages;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbMapMdlToIoMmu(misbehave_kernel.DeviceHandle, &mapped)),
         6);
    *handle = mapped.hMemoryHandle;
}

static void use_pages(BOOLEAN unmaps)
{
    DXGKARGCB_ALLOCATEPAGESFORMDL pages;
    DXGKARGCB_UNMAPMDLFROMIOMMU unmap;
    DXGKARGCB_FREEPAGESFROMMDL free;

    RtlZeroMemory(&pages, sizeof(pages));
    pages.HighAddress.QuadPart = -1;
    pages.TotalBytes = OBJECT_BYTES;
    must(NT_SUCCESS(
             misbehave_kernel.DxgkCbAllocatePagesForMdl(misbehave_kernel.DeviceHandle, &pages)),
         7);
    map_list(pages.pMdl, &unmap.hMemoryHandle);
    if (unmaps) {
        misbehave_kernel.DxgkCbUnmapMdlFromIoMmu(misbehave_kernel.DeviceHandle, &unmap);
    }
    free.hMemoryHandle = pages.hMemoryHandle;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbFreePagesFromMdl(misbehave_kernel.DeviceHandle, &free)),
         8);
}

static NTSTATUS NTAPI stays_mapped(const PVOID context)
{
    use_pages(FALSE);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

/* ---- What is right --------------------------------------------------------------------------- */

/* Its view shows what its list names. */
static void use_object(DXGK_PHYSICAL_MEMORY_TYPE type, BOOLEAN in_one)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;
    DXGKARGCB_MAP_PHYSICAL_MEMORY map;
    PHYSICAL_ADDRESS address;
    DXGK_ADL *list;

    make_object(&object, type, misbehave_kernel.DeviceHandle);
    list = make_list(&object, in_one);
    *(volatile ULONG *)map_object(&object, &map, PAGE_SIZE + 8, PAGE_SIZE) = 0x1234;
    address = MmGetPhysicalAddress(map.pMappedAddress);
    must(map.Offset == 8 && map.Size == 2 * PAGE_SIZE, 9);
    must(list->PageCount == 2 && list->Flags.Contiguous == in_one, 10);
    must((ULONGLONG)address.QuadPart >> PAGE_SHIFT ==
             (in_one ? list->BasePageNumber : list->Pages[0]),
         11);
    unmap_object(&map);
    free_list(&object, list);
    destroy_object(&object, object.hAdapterMemoryObject);
}

/* Made before anybody knows the adapter; and destroyed in halves, in both orders. */
static void use_halves(void)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_MDL, NULL);
    must(NT_SUCCESS(open_object(&object)), 12);
    free_list(&object, make_list(&object, FALSE));
    close_object(&object);
    must(NT_SUCCESS(open_object(&object)), 13);
    destroy_object(&object, NULL);
    close_object(&object);
    make_object(&object, DXGK_PHYSICAL_MEMORY_TYPE_SECTION, misbehave_kernel.DeviceHandle);
    close_object(&object);
    destroy_object(&object, NULL);
}

static void use_registers(PHYSICAL_ADDRESS begin)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;
    DXGKARGCB_MAP_PHYSICAL_MEMORY map;
    UCHAR *view;

    RtlZeroMemory(&object, sizeof(object));
    object.hAdapter = misbehave_kernel.DeviceHandle;
    object.Size = SOFTGPU_REGISTERS_SIZE;
    object.Type = DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE;
    object.CacheType = DXGK_MEMORY_CACHING_TYPE_NON_CACHED;
    object.IOSpace.BaseAddress = begin;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbCreatePhysicalMemoryObject(&object)), 14);
    view = map_object(&object, &map, SOFTGPU_REG_ID, sizeof(ULONG));
    must(READ_REGISTER_ULONG((volatile ULONG *)view) == SOFTGPU_ID_VALUE, 15);
    unmap_object(&map);
    free_list(&object, make_list(&object, TRUE));
    destroy_object(&object, object.hAdapterMemoryObject);
}

static void use_io_space(void)
{
    DXGK_DEVICE_INFO information;
    CM_PARTIAL_RESOURCE_LIST *list;
    ULONG i, found = 0;

    RtlZeroMemory(&information, sizeof(information));
    (void)misbehave_kernel.DxgkCbGetDeviceInformation(misbehave_kernel.DeviceHandle, &information);
    list = &information.TranslatedResourceList->List[0].PartialResourceList;
    for (i = 0; i < list->Count; i++) {
        const CM_PARTIAL_RESOURCE_DESCRIPTOR *resource = &list->PartialDescriptors[i];
        if (resource->Type == CmResourceTypeMemory &&
            resource->u.Memory.Length == SOFTGPU_REGISTERS_SIZE) {
            use_registers(resource->u.Memory.Start);
            found++;
        }
    }
    must(found == 1, 16);
}

/* More than there is: refused, and nobody's mistake. */
static void ask_for_too_much(void)
{
    DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT object;

    RtlZeroMemory(&object, sizeof(object));
    object.Size = (SIZE_T)1 << 40;
    object.Type = DXGK_PHYSICAL_MEMORY_TYPE_SECTION;
    must(misbehave_kernel.DxgkCbCreatePhysicalMemoryObject(&object) == STATUS_NO_MEMORY, 17);
}

static void use_contiguous_memory(void)
{
    DXGKARGCB_ALLOCATECONTIGUOUSMEMORY block;
    DXGKARGCB_FREECONTIGUOUSMEMORY free;

    RtlZeroMemory(&block, sizeof(block));
    block.NumberOfBytes = 100;
    block.HighestAcceptableAddress.QuadPart = -1;
    must(NT_SUCCESS(misbehave_kernel.DxgkCbAllocateContiguousMemory(misbehave_kernel.DeviceHandle,
                                                                    &block)),
         18);
    RtlZeroMemory(block.pMemory, 100);
    free.hMemoryHandle = block.hMemoryHandle;
    must(NT_SUCCESS(
             misbehave_kernel.DxgkCbFreeContiguousMemory(misbehave_kernel.DeviceHandle, &free)),
         19);
}

/* At APC_LEVEL, as their pages allow. */
static NTSTATUS NTAPI memory_comes_and_goes(const PVOID context)
{
    KIRQL before;

    use_io_space();
    KeRaiseIrql(APC_LEVEL, &before);
    use_object(DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, TRUE);
    use_object(DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY, FALSE);
    use_object(DXGK_PHYSICAL_MEMORY_TYPE_MDL, FALSE);
    use_object(DXGK_PHYSICAL_MEMORY_TYPE_SECTION, FALSE);
    use_halves();
    ask_for_too_much();
    use_contiguous_memory();
    use_pages(TRUE);
    KeLowerIrql(before);
    return misbehave_driver.DxgkDdiStopDevice(context);
}

static const struct misbehaviour rows[] = {
    BREAKS_RULE(PNP_014, IN_DDI(StopDevice), list_outlives_its_memory, SCENE_LISTS),
    BREAKS_RULE(PNP_014, IN_DDI(StopDevice), list_outlives_the_first_half, SCENE_LISTS),
    BREAKS_RULE(PNP_014, IN_DDI(StopDevice), list_is_left, SCENE_LISTS),
    BREAKS_RULE(PNP_014, IN_DDI(StopDevice), object_is_left, SCENE_LISTS),
    BREAKS_RULE(LEAK, IN_DDI(StopDevice), object_of_nobody_is_left, SCENE_LISTS),
    BREAKS_RULE(LEAK, IN_DDI(StopDevice), object_is_closed_alone, SCENE_LISTS),
    BREAKS_RULE(LEAK, IN_DDI(StopDevice), stays_mapped, SCENE_LISTS),
    IS_FOUND("MISUSE", IN_DDI(StopDevice), opens_it_twice, SCENE_LISTS),
    IS_FOUND("MISUSE", IN_DDI(StopDevice), closes_by_the_wrong_handle, SCENE_LISTS),
    IS_FOUND("FAULT", IN_DDI(StopDevice), writes_where_it_was, SCENE_LISTS),
    BREAKS_NO_RULE(IN_DDI(StopDevice), memory_comes_and_goes, SCENE_LISTS),
};

MISBEHAVIOURS(iommu_memory);
