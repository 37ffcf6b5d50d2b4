/* duty_presents.h: what a kernel that is wrong about a Present would have handed to the driver. A
 * part of duty_test.c, whose words it uses. */
#ifndef TESTS_CONTRACT_DUTY_PRESENTS_H
#define TESTS_CONTRACT_DUTY_PRESENTS_H

#define PRESENT(name, condition, change) SPOIL(name, DXGKARG_PRESENT, condition, change)
#define BLT                              (a->Flags.Blt)
PRESENT(present_dirty, a->pDmaBuffer && a->DmaBufferPrivateDataSize,
        BYTES(a->pDmaBufferPrivateData)[0] = 1)
PRESENT(present_high, true, call->irql = MACHINE_IRQL_DISPATCH)

PRESENT(present_no_context, true, call->first = NOBODY)
PRESENT(present_unaligned, BLT, a->pDmaBuffer = BYTES(a->pDmaBuffer) + 8)
PRESENT(present_small, BLT, a->DmaSize -= 4)
PRESENT(present_small_private, BLT && a->DmaBufferPrivateDataSize, a->DmaBufferPrivateDataSize--)
PRESENT(present_third, BLT, a->pAllocationList[0].hDeviceSpecificAllocation = NOBODY)
PRESENT(present_no_source, BLT, a->pAllocationList[1].hDeviceSpecificAllocation = NULL)
PRESENT(present_no_segment, BLT, a->pAllocationList[1].SegmentId = 31)
PRESENT(present_read_only, BLT, a->pAllocationList[2].WriteOperation = 0)
PRESENT(present_far, BLT && a->pAllocationList[2].SegmentId,
        a->pAllocationList[2].PhysicalAddress.QuadPart = FAR)
PRESENT(present_short_list, BLT && a->PatchLocationListOutSize, a->PatchLocationListOutSize--)
PRESENT(present_multipass, BLT, a->MultipassOffset += 3)
PRESENT(present_unclipped, BLT, a->DstRect.left = a->DstRect.right)
PRESENT(present_interval, a->Flags.Flip,
        (SAY_CAPS(caps->FlipCaps.FlipInterval = 0), a->FlipInterval = (D3DDDI_FLIPINTERVAL_TYPE)2))
PRESENT(present_two_keys, BLT, a->Flags.SrcColorKey = a->Flags.DstColorKey = 1)
PRESENT(present_no_wait, a->Flags.Flip,
        (SAY_CAPS(caps->FlipCaps.FlipOnVSyncWithNoWait = 0), a->Flags.Flip = 0,
         a->Flags.FlipWithNoWait = 1))
PRESENT(present_stereo, BLT, a->Flags.FlipStereo = a->Flags.FlipStereoTemporaryMono = 1)
PRESENT(present_right_fill, a->Flags.ColorFill, a->Flags.BltStereoUseRight = 1)
PRESENT(present_planes, BLT, (a->Flags.Value = 0, a->Flags.FlipWithMultiPlaneOverlay = 1))
PRESENT(present_reserved, BLT, a->Flags.Reserved = 1)
PRESENT(present_dma_far, BLT, a->DmaBufferPhysicalAddress.QuadPart = FAR)
PRESENT(present_virtual, BLT, a->DmaBufferGpuVirtualAddress = 4096)
/* By GPU virtual addresses, of which the context says whether they are there. */
#define PRESENTS_BY_ADDRESS(name, change)                                                          \
    static bool name(struct contract_call *call)                                                   \
    {                                                                                              \
        DXGKARG_PRESENT *a = (DXGKARG_PRESENT *)(uintptr_t)call->arguments;                        \
        const struct contract_object *context = contract_context_find(call->tracker, call->first); \
        if (!a->Flags.Blt || !context || !context->virtual_addresses) {                            \
            return false;                                                                          \
        }                                                                                          \
        change;                                                                                    \
        return true;                                                                               \
    }
PRESENTS_BY_ADDRESS(presents_without_address, a->DmaBufferGpuVirtualAddress = 0)
PRESENTS_BY_ADDRESS(presents_third, a->pAllocationInfo[0].hDeviceSpecificAllocation = NOBODY)
PRESENTS_BY_ADDRESS(presents_no_source, a->pAllocationInfo[1].hDeviceSpecificAllocation = NULL)
PRESENTS_BY_ADDRESS(presents_in_a_segment, a->pAllocationInfo[2].SegmentId = 1)
PRESENTS_BY_ADDRESS(presents_nowhere, a->pAllocationInfo[2].AllocationVirtualAddress = 0)
SPOIL(present_elsewhere, DXGKARG_SUBMITCOMMANDVIRTUAL, a->Flags.Present,
      a->DmaBufferVirtualAddress += 8)
SPOIL(present_of_a_client, DXGKARG_SUBMITCOMMANDVIRTUAL, a->Flags.Present,
      a->DmaBufferUmdPrivateDataSize = 8)
PRESENT(present_counts, BLT, a->NumSrcAllocations = 5)
PRESENT(present_redirected, BLT, a->Flags.RedirectedFlip = 1)
PRESENT(present_no_data, BLT, a->PrivateDriverDataSize = 16)

/* Within one surface, for a driver that cannot do it. */
PRESENT(present_same, BLT,
        a->pAllocationList[1].hDeviceSpecificAllocation =
            a->pAllocationList[2].hDeviceSpecificAllocation;
        a->pAllocationList[1].PhysicalAddress = a->pAllocationList[2].PhysicalAddress;
        a->pAllocationList[1].SegmentId = a->pAllocationList[2].SegmentId;
        SAY_CAPS(caps->PresentationCaps.NoScreenToScreenBlt = 1))
PRESENT(present_over_itself, BLT,
        a->pAllocationList[1].hDeviceSpecificAllocation =
            a->pAllocationList[2].hDeviceSpecificAllocation;
        a->pAllocationList[1].PhysicalAddress = a->pAllocationList[2].PhysicalAddress;
        a->pAllocationList[1].SegmentId = a->pAllocationList[2].SegmentId; a->SrcRect = a->DstRect;
        SAY_CAPS(caps->PresentationCaps.NoOverlapScreenBlt = 1))

#endif
