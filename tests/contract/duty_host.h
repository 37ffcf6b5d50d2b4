/* duty_host.h: what a kernel that mistook CPU host apertures, or PASIDs, would have handed to
 * the driver. A part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_HOST_H
#define TESTS_CONTRACT_DUTY_HOST_H

#define HOST_MAP(name, change)   SPOIL(name, DXGKARG_MAPCPUHOSTAPERTURE, true, change)
#define HOST_UNMAP(name, change) SPOIL(name, DXGKARG_UNMAPCPUHOSTAPERTURE, true, change)

HOST_MAP(host_of_nobody, a->hAllocation = NOBODY)
HOST_MAP(host_of_another_segment, a->SegmentId = 2)
HOST_MAP(host_of_another_adapter, a->PhysicalAdapterIndex = 1)
HOST_MAP(host_without_pages, a->NumberOfPages = 0)
HOST_MAP(host_behind_its_end, a->pCpuHostAperturePages[0] = 1u << 24)
HOST_MAP(host_twice_in_a_list, a->pCpuHostAperturePages[1] = a->pCpuHostAperturePages[0])
/* What the first call mapped, once more while it is mapped. */
HOST_MAP(host_mapped_twice, precede_copy(call, STATUS_SUCCESS))
HOST_MAP(host_behind_the_segment, a->pMemorySegmentPages[0] = (UINT64)FAR)
HOST_UNMAP(host_of_no_segment, a->SegmentId = 9)
HOST_UNMAP(host_of_no_adapter, a->PhysicalAdapterIndex = 1)
HOST_UNMAP(host_not_mapped, a->pCpuHostAperturePages[0] += 1000)
HOST_UNMAP(host_unmapped_twice, precede_copy(call, STATUS_SUCCESS))

/* An IOMMU's. */
SPOIL(process_without_pasid, DXGKARG_CREATEPROCESS, a->NumPasid > 0, a->NumPasid = 0)
SPOIL(device_of_another_pasid, DXGKARG_CREATEDEVICE, a->Pasid != 0, a->Pasid++)

#define HOST_ROWS                                                                     \
    TESTS_RULE(PT_015, CreateProcess, process_without_pasid, SCENE_IOMMU),            \
        TESTS_RULE(PT_015, CreateDevice, device_of_another_pasid, SCENE_IOMMU),       \
        TESTS_RULE(CHA_002, MapCpuHostAperture, host_of_nobody, SCENE_HOST),          \
        TESTS_RULE(CHA_005, MapCpuHostAperture, host_of_another_segment, SCENE_HOST), \
        TESTS_RULE(CHA_005, MapCpuHostAperture, host_of_another_adapter, SCENE_HOST), \
        TESTS_RULE(CHA_005, MapCpuHostAperture, host_without_pages, SCENE_HOST),      \
        TESTS_RULE(CHA_006, MapCpuHostAperture, host_behind_its_end, SCENE_HOST),     \
        TESTS_RULE(CHA_006, MapCpuHostAperture, host_twice_in_a_list, SCENE_HOST),    \
        TESTS_RULE(CHA_006, MapCpuHostAperture, host_mapped_twice, SCENE_HOST),       \
        TESTS_RULE(CHA_007, MapCpuHostAperture, host_behind_the_segment, SCENE_HOST), \
        TESTS_RULE(CHA_005, UnmapCpuHostAperture, host_of_no_segment, SCENE_HOST),    \
        TESTS_RULE(CHA_005, UnmapCpuHostAperture, host_of_no_adapter, SCENE_HOST),    \
        TESTS_RULE(CHA_008, UnmapCpuHostAperture, host_not_mapped, SCENE_HOST),       \
        TESTS_RULE(CHA_008, UnmapCpuHostAperture, host_unmapped_twice, SCENE_HOST)

#endif
