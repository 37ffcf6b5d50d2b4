/*
 * d3dkmddi.h: what the graphics kernel and a display miniport driver say to each other.
 *
 * DXGKARG_X is the argument of DxgkDdiX, a function of the driver; DXGKARGCB_X that of DxgkCbX, a
 * function of the kernel. DXGKDDI_X is the type of the function, PDXGKDDI_X of a pointer to it.
 * Names that begin with IN, OUT, INOUT or DEREF are types of parameters. What stands under a
 * version gate exists only for drivers of that version or later.
 *
 * Written by tools/abi/wdkgen.py from abi/; do not edit.
 */

#ifndef _D3DKMDDI_H_
#define _D3DKMDDI_H_

#include <wdm.h>
#include <d3dkmdt.h>

#ifdef __cplusplus
extern "C" {
#endif
/* ----------------------------------------------------------------------------------------------
 * Constants
 */

#define DXGK_KEYWORD_LOG_FLAGS_STABLE_POWER                           0x1000
#define DXGK_KEYWORD_LOG_FLAGS_STABLE_POWER2                          0x2000
#define DXGK_PRESENT_SOURCE_INDEX                                     1
#define DXGK_PRESENT_DESTINATION_INDEX                                2
#define DXGK_PRESENT_MAX_INDEX                                        2
#define D3DKM_INVALID_GAMMA_INDEX                                     0xFFFFFFFFU
#define DXGK_ALLOCATION_LIST_SIZE_GDICONTEXT                          256
#define DXGK_TEXTURE_SIZE_SHIFT                                       11
#define DXGK_MAX_ASYMETRICAL_PROCESSING_NODES                         64
#define DXGK_SEGMENT_ID_INVALID                                       0
#define DXGK_SEGMENT_ID_SYSTEMMEMORY                                  31
#define DXGK_SEGMENT_SET_SYSTEMMEMORY                                 0x80000000U
#define DXGK_MAX_INTEGRATED_DISPLAYS                                  16
#define DXGK_FSTATE_UNKNOWN_POWER                                     0xFFFFFFFFU
#define DXGK_FSTATE_UNKNOWN_TIME                                      0xFFFFFFFFFFFFFFFFULL
#define DXGK_MAX_F_STATES                                             8
#define DXGK_POWER_COMPONENT_NAME_SIZE                                40
#define DXGK_MAX_POWER_COMPONENT_PROVIDERS                            16
#define DXGK_MAX_P_STATES                                             32
#define DXGK_SECONDARY_BUCKETING_TAG                                  0x6253734D
#define DXGK_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3_DURATION_MAX 0xFFFFFFFFU
#define DXGK_HWFLIPQUEUE_TIMESTAMP_CANCELLED                          0
#define DXGKDDI_PARTITION_EVENT_DESCRIPTION_MAX                       255
#define DXGK_MAX_DOORBELL_SIZE_BYTES                                  16384
#define DXGK_WDDM3_ON_VB_INTERFACE_VERSION_1                          1
#define DXGK_MAX_MMUS                                                 16
#define DXGK_INVALID_MMU_ID                                           65535

#define DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN 0xFFFFFFFFFFFFFFFFULL

/* ----------------------------------------------------------------------------------------------
 * Identifiers
 */

DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE_UP,
            0x6131c9ed, 0xb9ec, 0x40b3, 0xa5, 0xe2, 0xc0, 0x61, 0x3e, 0x43, 0x7b, 0x7e);
DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE_DOWN,
            0x7f81ce3d, 0x5989, 0x4519, 0x83, 0x94, 0xb4, 0x57, 0xf6, 0x37, 0xba, 0x39);
DEFINE_GUID(GUID_DXGKDDI_POWER_VOLTAGE,
            0x78ba81db, 0x0f5c, 0x45fd, 0x8f, 0x03, 0xc7, 0xb5, 0xcc, 0xd1, 0xe0, 0xda);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK_UP,
            0x8c7fde48, 0xff0b, 0x48ff, 0x93, 0x6b, 0x33, 0x2a, 0xbb, 0x9b, 0xd3, 0xb3);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK_DOWN,
            0x611114f3, 0xcb1e, 0x4d0c, 0x8e, 0xe8, 0x87, 0x2e, 0x1f, 0xbd, 0xac, 0xeb);
DEFINE_GUID(GUID_DXGKDDI_POWER_CLOCK,
            0x51c6873b, 0x1c29, 0x4c45, 0x82, 0x46, 0x05, 0xe4, 0xd6, 0xd8, 0x0d, 0x15);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH_UP,
            0x1995dcb1, 0x986e, 0x47ba, 0x9a, 0x73, 0x60, 0xaf, 0x51, 0x11, 0x93, 0x8b);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH_DOWN,
            0x97ce1383, 0xef2d, 0x49cb, 0x9b, 0xcf, 0x26, 0xa7, 0x38, 0xf3, 0xce, 0x32);
DEFINE_GUID(GUID_DXGKDDI_POWER_BANDWIDTH,
            0x38751bfd, 0x64ba, 0x4962, 0xa5, 0xa9, 0x9f, 0x2e, 0x62, 0x7a, 0x64, 0x3e);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_PREPARE_TO_START,
            0xcba549d4, 0xcf3a, 0x445c, 0x94, 0x68, 0x23, 0x83, 0xfd, 0x52, 0x31, 0x16);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STARTED,
            0x6c929c1d, 0x7d76, 0x4538, 0x93, 0xad, 0x44, 0x9d, 0xc9, 0xfd, 0xc2, 0x39);
DEFINE_GUID(GUID_DXGKDDI_POWER_MANAGEMENT_STOPPED,
            0x0a9d9621, 0xbc21, 0x4dd4, 0xa0, 0xfc, 0xd9, 0x76, 0xe4, 0x28, 0xf7, 0x38);
DEFINE_GUID(GUID_DXGKDDI_AZURE_TRIAGE_EVENT,
            0x45125f6f, 0x6132, 0x4082, 0xad, 0x17, 0xed, 0x27, 0xf8, 0xdd, 0x02, 0xf9);
DEFINE_GUID(GUID_DEVINTERFACE_WDDM3_ON_VB,
            0xe922004d, 0xeb9c, 0x4de1, 0x92, 0x24, 0xa9, 0xce, 0xaa, 0x95, 0x9b, 0xce);

/* ----------------------------------------------------------------------------------------------
 * Parameters
 *
 * A parameter's type says which way it goes.
 */

typedef _Outptr_ const D3DKMDT_MONITOR_DESCRIPTOR **DEREF_OUT_CONST_PPD3DKMDT_MONITOR_DESCRIPTOR;
typedef _Outptr_ const D3DKMDT_MONITOR_FREQUENCY_RANGE **DEREF_OUT_CONST_PPD3DKMDT_MONITOR_FREQUENCY_RANGE;
typedef _Outptr_ const D3DKMDT_MONITOR_SOURCE_MODE **DEREF_OUT_CONST_PPD3DKMDT_MONITOR_SOURCE_MODE;
typedef _Outptr_ const D3DKMDT_VIDPN_PRESENT_PATH **DEREF_OUT_CONST_PPD3DKMDT_VIDPN_PRESENT_PATH;
typedef _Outptr_ const D3DKMDT_VIDPN_SOURCE_MODE **DEREF_OUT_CONST_PPD3DKMDT_VIDPN_SOURCE_MODE;
typedef _Outptr_ const D3DKMDT_VIDPN_TARGET_MODE **DEREF_OUT_CONST_PPD3DKMDT_VIDPN_TARGET_MODE;
typedef _Outptr_ D3DKMDT_MONITOR_SOURCE_MODE **DEREF_OUT_PPD3DKMDT_MONITOR_SOURCE_MODE;
typedef _Outptr_ D3DKMDT_VIDPN_PRESENT_PATH **DEREF_OUT_PPD3DKMDT_VIDPN_PRESENT_PATH;
typedef _Outptr_ D3DKMDT_VIDPN_SOURCE_MODE **DEREF_OUT_PPD3DKMDT_VIDPN_SOURCE_MODE;
typedef _Outptr_ D3DKMDT_VIDPN_TARGET_MODE **DEREF_OUT_PPD3DKMDT_VIDPN_TARGET_MODE;
typedef _In_ BOOLEAN IN_BOOLEAN;
typedef _In_ const D3DDDI_VIDEO_PRESENT_SOURCE_ID IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID;
typedef _In_ const D3DDDI_VIDEO_PRESENT_TARGET_ID IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID;
typedef _In_ const D3DKMDT_ADAPTER IN_CONST_D3DKMDT_ADAPTER;
typedef _In_ const D3DKMDT_HMONITORDESCRIPTORSET IN_CONST_D3DKMDT_HMONITORDESCRIPTORSET;
typedef _In_ const D3DKMDT_HMONITORFREQUENCYRANGESET IN_CONST_D3DKMDT_HMONITORFREQUENCYRANGESET;
typedef _In_ const D3DKMDT_HMONITORSOURCEMODESET IN_CONST_D3DKMDT_HMONITORSOURCEMODESET;
typedef _In_ const D3DKMDT_HVIDPN IN_CONST_D3DKMDT_HVIDPN;
typedef _In_ const D3DKMDT_HVIDPNSOURCEMODESET IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET;
typedef _In_ const D3DKMDT_HVIDPNTARGETMODESET IN_CONST_D3DKMDT_HVIDPNTARGETMODESET;
typedef _In_ const D3DKMDT_HVIDPNTOPOLOGY IN_CONST_D3DKMDT_HVIDPNTOPOLOGY;
typedef _In_ const D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID IN_CONST_D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID;
typedef _In_ const D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID IN_CONST_D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID;
typedef _In_ const D3DKMDT_VIDPN_PRESENT_PATH_INDEX IN_CONST_D3DKMDT_VIDPN_PRESENT_PATH_INDEX;
typedef _In_ const HANDLE IN_CONST_HANDLE;
typedef _In_ const D3DKMDT_MONITOR_DESCRIPTOR * const IN_CONST_PD3DKMDT_MONITOR_DESCRIPTOR_CONST;
typedef _In_ const D3DKMDT_MONITOR_FREQUENCY_RANGE * const IN_CONST_PD3DKMDT_MONITOR_FREQUENCY_RANGE_CONST;
typedef _In_ const D3DKMDT_MONITOR_SOURCE_MODE * const IN_CONST_PD3DKMDT_MONITOR_SOURCE_MODE_CONST;
typedef _In_ const D3DKMDT_VIDPN_PRESENT_PATH *IN_CONST_PD3DKMDT_VIDPN_PRESENT_PATH;
typedef _In_ const D3DKMDT_VIDPN_PRESENT_PATH * const IN_CONST_PD3DKMDT_VIDPN_PRESENT_PATH_CONST;
typedef _In_ const D3DKMDT_VIDPN_SOURCE_MODE * const IN_CONST_PD3DKMDT_VIDPN_SOURCE_MODE_CONST;
typedef _In_ const D3DKMDT_VIDPN_TARGET_MODE * const IN_CONST_PD3DKMDT_VIDPN_TARGET_MODE_CONST;
typedef _In_ const DXGKARG_SETPALETTE *IN_CONST_PDXGKARG_SETPALETTE;
typedef _In_ const DXGK_TARGETMODE_DETAIL_TIMING *IN_CONST_PDXGK_TARGETMODE_DETAIL_TIMING;
typedef _In_ const SIZE_T IN_CONST_SIZE_T;
typedef _In_ D3DKMDT_HVIDPN IN_D3DKMDT_HVIDPN;
typedef _In_ D3DKMDT_HVIDPNSOURCEMODESET IN_D3DKMDT_HVIDPNSOURCEMODESET;
typedef _In_ D3DKMDT_HVIDPNTARGETMODESET IN_D3DKMDT_HVIDPNTARGETMODESET;
typedef _In_ D3DKMDT_HVIDPNTOPOLOGY IN_D3DKMDT_HVIDPNTOPOLOGY;
typedef _In_ D3DKMT_HANDLE IN_D3DKMT_HANDLE;
typedef _In_ D3DKMDT_MONITOR_SOURCE_MODE * const IN_PD3DKMDT_MONITOR_SOURCE_MODE_CONST;
typedef _In_ D3DKMDT_VIDPN_PRESENT_PATH *IN_PD3DKMDT_VIDPN_PRESENT_PATH;
typedef _In_ D3DKMDT_VIDPN_SOURCE_MODE * const IN_PD3DKMDT_VIDPN_SOURCE_MODE_CONST;
typedef _In_ D3DKMDT_VIDPN_TARGET_MODE * const IN_PD3DKMDT_VIDPN_TARGET_MODE_CONST;
typedef _Out_ D3DDDI_VIDEO_PRESENT_SOURCE_ID *OUT_PD3DDDI_VIDEO_PRESENT_SOURCE_ID;
typedef _Out_ D3DDDI_VIDEO_PRESENT_TARGET_ID *OUT_PD3DDDI_VIDEO_PRESENT_TARGET_ID;
typedef _Out_ D3DKMDT_HMONITORDESCRIPTORSET *OUT_PD3DKMDT_HMONITORDESCRIPTORSET;
typedef _Out_ D3DKMDT_HMONITORFREQUENCYRANGESET *OUT_PD3DKMDT_HMONITORFREQUENCYRANGESET;
typedef _Out_ D3DKMDT_HMONITORSOURCEMODESET *OUT_PD3DKMDT_HMONITORSOURCEMODESET;
typedef _Out_ D3DKMDT_HVIDPNSOURCEMODESET *OUT_PD3DKMDT_HVIDPNSOURCEMODESET;
typedef _Out_ D3DKMDT_HVIDPNTARGETMODESET *OUT_PD3DKMDT_HVIDPNTARGETMODESET;
typedef _Out_ D3DKMDT_HVIDPNTOPOLOGY *OUT_PD3DKMDT_HVIDPNTOPOLOGY;
typedef _Out_ SIZE_T *OUT_PSIZE_T;
typedef _Out_ SIZE_T * const OUT_PSIZE_T_CONST;
typedef _Out_ UINT *OUT_PUINT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef _Out_ DXGKARG_CALIBRATEGPUCLOCK *OUT_PDXGKARG_CALIBRATEGPUCLOCK;

typedef _Out_ DXGKARG_GETNODEMETADATA *OUT_PDXGKARG_GETNODEMETADATA;

#endif

/* ----------------------------------------------------------------------------------------------
 * Submission
 *
 * A DMA buffer is patched, submitted, perhaps preempted, perhaps cancelled. SubmitCommand,
 * PreemptCommand and CancelCommand answer for one packet by its fence; the driver reports the end
 * of a packet by interrupt.
 */

typedef struct _DXGK_PATCHFLAGS {
    union {
        struct {
            UINT Paging : 1;
            UINT Present : 1;
            UINT RedirectedPresent : 1;
            UINT NullRendering : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_PATCHFLAGS;

/*
 * An allocation that a DMA buffer uses. Input. Reference page: ns-d3dkmddi-_dxgk_allocationlist.md.
 */
typedef struct _DXGK_ALLOCATIONLIST {
    /*
     * The handle that DxgkDdiOpenAllocation returned for this device; NULL for an unused element.
     */
    HANDLE hDeviceSpecificAllocation;
    struct {
        /* The GPU writes the allocation, not only reads it. */
        UINT WriteOperation : 1;
        /*
         * Segment in which the allocation is now, or was last; 0 when nothing is known, so that
         * nothing can be patched in advance.
         */
        UINT SegmentId : 5;
        /* 0. */
        UINT Reserved : 26;
    };
    union {
        /* Address in that segment in bytes; valid if SegmentId is not 0. */
        PHYSICAL_ADDRESS       PhysicalAddress;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        /* GPU virtual address, for contexts that address memory virtually. */
        D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
#endif
    };
} DXGK_ALLOCATIONLIST;

typedef struct _DXGKARG_PATCH {
    union {
        HANDLE hDevice;
        HANDLE hContext;
    };
    UINT                           DmaBufferSegmentId;
    PHYSICAL_ADDRESS               DmaBufferPhysicalAddress;
    void                           *pDmaBuffer;
    UINT                           DmaBufferSize;
    UINT                           DmaBufferSubmissionStartOffset;
    UINT                           DmaBufferSubmissionEndOffset;
    void                           *pDmaBufferPrivateData;
    UINT                           DmaBufferPrivateDataSize;
    UINT                           DmaBufferPrivateDataSubmissionStartOffset;
    UINT                           DmaBufferPrivateDataSubmissionEndOffset;
    const DXGK_ALLOCATIONLIST      *pAllocationList;
    UINT                           AllocationListSize;
    const D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    UINT                           PatchLocationListSize;
    UINT                           PatchLocationListSubmissionStart;
    UINT                           PatchLocationListSubmissionLength;
    UINT                           SubmissionFenceId;
    DXGK_PATCHFLAGS                Flags;
    UINT                           EngineOrdinal;
} DXGKARG_PATCH;

typedef _In_ const DXGKARG_PATCH *IN_CONST_PDXGKARG_PATCH;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_PATCH(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_PATCH pPatch);

typedef DXGKDDI_PATCH *PDXGKDDI_PATCH;

/*
 * What a submitted buffer contains. Input. Reference page: ns-d3dkmddi-_dxgk_submitcommandflags.md.
 */
typedef struct _DXGK_SUBMITCOMMANDFLAGS {
    union {
        struct {
            /* A paging buffer (BuildPagingBuffer). */
            UINT Paging : 1;
            /* Built by DxgkDdiPresent. */
            UINT Present : 1;
            /* A present into a surface of the compositor, built by Render. */
            UINT RedirectedPresent : 1;
            /*
             * Execute nothing; the fence is completed all the same. Only if the driver was built
             * for such debugging.
             */
            UINT NullRendering : 1;
            /* Contains a flip in the queue; VidPnSourceId and FlipInterval are valid. */
            UINT Flip : 1;
            /*
             * Contains a flip that takes effect at the next vertical sync without stalling the GPU;
             * VidPnSourceId is valid.
             */
            UINT FlipWithNoWait : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            /* 0. */
            UINT Reserved : 26;
#else
            /* No commands: switch the node to the null context. Start and end offset are equal. */
            UINT ContextSwitch : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            /* 0. */
            UINT Reserved : 25;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            /* Submitted before, preempted, and now submitted again. */
            UINT Resubmission : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            /* 0. */
            UINT Reserved : 24;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            /* From an adapter that a virtual machine sees. */
            UINT VirtualMachineData : 1;
            /* 0. */
            UINT Reserved : 23;
#endif
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_SUBMITCOMMANDFLAGS;

/*
 * Argument of DxgkDdiSubmitCommand: one stretch of a DMA buffer that the scheduler wants executed
 * now. Called at DISPATCH_LEVEL, so all that it points at is nonpaged. The driver queues it and
 * returns; any result but STATUS_SUCCESS stops the system (0x119).
 *
 * Reference page: ns-d3dkmddi-_dxgkarg_submitcommand.md.
 */
typedef struct _DXGKARG_SUBMITCOMMAND {
    union {
        /*
         * [in] The driver's handle of the device, when the driver has no contexts. NULL for some
         * paging (Flags.Paging), for instance when all of video memory is emptied for a power
         * change.
         */
        HANDLE hDevice;
        /*
         * [in] The driver's handle of the context, when it has contexts. NULL under the same
         * circumstances; then NodeOrdinal names the node.
         */
        HANDLE hContext;
    };
    /*
     * [in] Segment that holds the DMA buffer. 0: contiguous system memory, as DmaBufferSegmentSet
     * of DXGK_CONTEXTINFO asked for.
     */
    UINT                           DmaBufferSegmentId;
    /*
     * [in] Address in bytes of the start of the whole buffer, even if only a later part is
     * submitted: a system address if the segment is 0, else base address of the segment plus offset
     * in it.
     */
    PHYSICAL_ADDRESS               DmaBufferPhysicalAddress;
    /* [in] Bytes of the whole buffer; the part to execute may be smaller. */
    UINT                           DmaBufferSize;
    /*
     * [in] Bytes from the start of the buffer to the first byte to execute. Same as in
     * DxgkDdiPatch.
     */
    UINT                           DmaBufferSubmissionStartOffset;
    /*
     * [in] Bytes from the start of the buffer to the byte after the last one to execute. Same as in
     * DxgkDdiPatch.
     */
    UINT                           DmaBufferSubmissionEndOffset;
    /*
     * [in] The driver's own data of this buffer, as Render, Present or Patch left it. In a paging
     * buffer, which serves many submissions, BuildPagingBuffer decided whether each has a range of
     * its own.
     */
    void                           *pDmaBufferPrivateData;
    /* [in] Bytes of the whole private data. When 0 the driver does not look at it. */
    UINT                           DmaBufferPrivateDataSize;
    /* [in] Bytes to the part that belongs to this submission; 0 unless paging. */
    UINT                           DmaBufferPrivateDataSubmissionStartOffset;
    /* [in] Bytes to the end of that part. */
    UINT                           DmaBufferPrivateDataSubmissionEndOffset;
    /*
     * [in] The number to report (DxgkCbNotifyInterrupt) when the GPU has finished this buffer;
     * ascending in a node, and the same that Patch saw.
     */
    UINT                           SubmissionFenceId;
    /* [in] Zero-based source of a flip; valid only with Flags.Flip or Flags.FlipWithNoWait. */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    /* [in] Vertical syncs (0 to 4) after which the flip shows; valid only with Flags.Flip. */
    D3DDDI_FLIPINTERVAL_TYPE       FlipInterval;
    /* [in] What the buffer contains. */
    DXGK_SUBMITCOMMANDFLAGS        Flags;
    /* [in] Zero-based engine of the node; reserved. */
    UINT                           EngineOrdinal;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    /* Reserved, 0. */
    D3DGPU_VIRTUAL_ADDRESS         DmaBufferVirtualAddress;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    /*
     * [in] Zero-based node that executes the buffer; the only way to know it when the context is
     * NULL.
     */
    UINT                           NodeOrdinal;
#endif
} DXGKARG_SUBMITCOMMAND;

typedef _In_ const DXGKARG_SUBMITCOMMAND *IN_CONST_PDXGKARG_SUBMITCOMMAND;

typedef _IRQL_requires_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDI_SUBMITCOMMAND(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SUBMITCOMMAND pSubmitCommand);

typedef DXGKDDI_SUBMITCOMMAND *PDXGKDDI_SUBMITCOMMAND;

typedef struct _DXGK_PREEMPTCOMMANDFLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_PREEMPTCOMMANDFLAGS;

typedef struct _DXGKARG_PREEMPTCOMMAND {
    UINT                     PreemptionFenceId;
    UINT                     NodeOrdinal;
    UINT                     EngineOrdinal;
    DXGK_PREEMPTCOMMANDFLAGS Flags;
} DXGKARG_PREEMPTCOMMAND;

typedef _In_ const DXGKARG_PREEMPTCOMMAND *IN_CONST_PDXGKARG_PREEMPTCOMMAND;

typedef _IRQL_requires_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDI_PREEMPTCOMMAND(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_PREEMPTCOMMAND pPreemptCommand);

typedef DXGKDDI_PREEMPTCOMMAND *PDXGKDDI_PREEMPTCOMMAND;

/*
 * Argument of DxgkDdiCancelCommand: a command that leaves the software queue and will never reach
 * the hardware, because its device was lost. The driver frees what it keeps for it, touches no GPU
 * and reports no fence. Only STATUS_SUCCESS is allowed (else 0x119).
 *
 * Reference page: ns-d3dkmddi-_dxgkarg_cancelcommand.md. It mentions a member Flags, which does not
 * exist.
 */
typedef struct _DXGKARG_CANCELCOMMAND {
    /* [in] The driver's handle of the context that the command came from; NULL for some paging. */
    HANDLE                         hContext;
    /* [in] Start of the DMA buffer, aligned to 4 KB. The page marks it as output; it is input. */
    void                           *pDmaBuffer;
    /* [in] Bytes of the whole buffer. */
    UINT                           DmaBufferSize;
    /* [in] Bytes from the start of the buffer to the part that is cancelled. */
    UINT                           DmaBufferSubmissionStartOffset;
    /* [in] Bytes from the start of the buffer to the end of that part. */
    UINT                           DmaBufferSubmissionEndOffset;
    /* [in] The driver's own data of this buffer. */
    void                           *pDmaBufferPrivateData;
    /* [in] Bytes of the whole private data; the part of this command may be smaller. */
    UINT                           DmaBufferPrivateDataSize;
    /* [in] Bytes to the part that belongs to this command. */
    UINT                           DmaBufferPrivateDataSubmissionStartOffset;
    /* [in] Bytes to the end of that part. */
    UINT                           DmaBufferPrivateDataSubmissionEndOffset;
    /* [in] The allocation list of the whole buffer. */
    const DXGK_ALLOCATIONLIST      *pAllocationList;
    /* [in] Number of its elements; the command may use fewer. */
    UINT                           AllocationListSize;
    /* [in] The patch locations of the whole buffer; may begin before those of this command. */
    const D3DDDI_PATCHLOCATIONLIST *pPatchLocationList;
    /* [in] Number of its elements. */
    UINT                           PatchLocationListSize;
    /* [in] Index of the first element that belongs to this command. */
    UINT                           PatchLocationListSubmissionStart;
    /* [in] Number of elements that belong to this command. */
    UINT                           PatchLocationListSubmissionLength;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    /*
     * [in] GPU virtual address of the buffer, for a command that was submitted by virtual address.
     * The page says nothing of it; inferred from its name.
     */
    D3DGPU_VIRTUAL_ADDRESS         DmaBufferVirtualAddress;
    /*
     * [in] Bytes at the beginning of the private data that came from user mode. The page says
     * nothing of it; inferred from its name.
     */
    UINT                           DmaBufferUmdPrivateDataSize;
#endif
} DXGKARG_CANCELCOMMAND;

typedef _In_ const DXGKARG_CANCELCOMMAND *IN_CONST_PDXGKARG_CANCELCOMMAND;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CANCELCOMMAND(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_CANCELCOMMAND pCancelCommand);

typedef DXGKDDI_CANCELCOMMAND *PDXGKDDI_CANCELCOMMAND;

typedef struct _DXGKARG_QUERYCURRENTFENCE {
    UINT CurrentFence;
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_QUERYCURRENTFENCE;

typedef _Inout_ DXGKARG_QUERYCURRENTFENCE *INOUT_PDXGKARG_QUERYCURRENTFENCE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERYCURRENTFENCE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_QUERYCURRENTFENCE pCurrentFence);

typedef DXGKDDI_QUERYCURRENTFENCE *PDXGKDDI_QUERYCURRENTFENCE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGKARG_SUBMITCOMMANDVIRTUAL {
    HANDLE                         hContext;
    D3DGPU_VIRTUAL_ADDRESS         DmaBufferVirtualAddress;
    UINT                           DmaBufferSize;
    void                           *pDmaBufferPrivateData;
    UINT                           DmaBufferPrivateDataSize;
    UINT                           DmaBufferUmdPrivateDataSize;
    UINT                           SubmissionFenceId;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_FLIPINTERVAL_TYPE       FlipInterval;
    DXGK_SUBMITCOMMANDFLAGS        Flags;
    UINT                           EngineOrdinal;
    UINT                           NodeOrdinal;
} DXGKARG_SUBMITCOMMANDVIRTUAL;

typedef _In_ const DXGKARG_SUBMITCOMMANDVIRTUAL *IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL;

typedef NTSTATUS NTAPI DXGKDDI_SUBMITCOMMANDVIRTUAL(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SUBMITCOMMANDVIRTUAL pSubmitCommand);

typedef DXGKDDI_SUBMITCOMMANDVIRTUAL *PDXGKDDI_SUBMITCOMMANDVIRTUAL;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGKARG_SUBMITCOMMANDTOHWQUEUE {
    HANDLE                  hHwQueue;
    UINT64                  HwQueueProgressFenceId;
    D3DGPU_VIRTUAL_ADDRESS  DmaBufferVirtualAddress;
    UINT                    DmaBufferSize;
    UINT                    DmaBufferPrivateDataSize;
    void                    *pDmaBufferPrivateData;
    DXGK_SUBMITCOMMANDFLAGS Flags;
    D3DGPU_VIRTUAL_ADDRESS  HwQueueProgressFenceGpuVa;
    void                    *HwQueueProgressFenceCpuVa;
} DXGKARG_SUBMITCOMMANDTOHWQUEUE;

typedef _In_ const DXGKARG_SUBMITCOMMANDTOHWQUEUE *IN_CONST_PDXGKARG_SUBMITCOMMANDTOHWQUEUE;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDI_SUBMITCOMMANDTOHWQUEUE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SUBMITCOMMANDTOHWQUEUE pSubmitCommandToHwQueue);

typedef DXGKDDI_SUBMITCOMMANDTOHWQUEUE *PDXGKDDI_SUBMITCOMMANDTOHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

/* Input. Reference page: ns-d3dkmddi-_dxgk_validatesubmitcommandflags.md. */
typedef struct _DXGK_VALIDATESUBMITCOMMANDFLAGS {
    union {
        struct {
            /* The command goes to hardware queues, and Context holds their handles. */
            UINT HardwareQueueSubmission : 1;
            /* 0. */
            UINT Reserved : 31;
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_VALIDATESUBMITCOMMANDFLAGS;

/*
 * Argument of DxgkDdiValidateSubmitCommand: a command buffer that a client submits by GPU virtual
 * address, shown to the driver once before it is queued. Not necessarily called in the client's
 * process; a failure refuses the submission and harms nothing else.
 *
 * Reference page: ns-d3dkmddi-_dxgkarg_validatesubmitcommand.md.
 */
typedef struct _DXGKARG_VALIDATESUBMITCOMMAND {
    /* [in] GPU virtual address of the command buffer. */
    D3DGPU_VIRTUAL_ADDRESS          Commands;
    /* [in] Bytes of the command buffer. */
    UINT                            CommandLength;
    /* [in] How the command will be submitted. */
    DXGK_VALIDATESUBMITCOMMANDFLAGS Flags;
    /* [in] Number of valid elements of Context. */
    UINT                            ContextCount;
    /*
     * [in] The driver's handles of the contexts, or of the hardware queues if
     * Flags.HardwareQueueSubmission is set.
     */
    HANDLE                          Context[64];
    /*
     * [in/out] Kernel copy of the private data of D3DKMTSubmitCommand, or NULL. The part behind
     * UmdPrivateDataSize is uninitialized: the driver may keep its own data there until
     * SubmitCommandVirtual or SubmitCommandToHwQueue.
     */
    void                            *pPrivateDriverData;
    /* [in] Bytes of the private data in all. */
    UINT                            PrivateDriverDataSize;
    /* [in] Bytes of it that came from user mode. */
    UINT                            UmdPrivateDataSize;
    /*
     * [in] Value of the queue's progress fence for this command, valid with
     * Flags.HardwareQueueSubmission: if the fence has it already, the GPU has executed the buffer
     * before.
     */
    UINT64                          HwQueueProgressFenceId;
} DXGKARG_VALIDATESUBMITCOMMAND;

typedef _Inout_ DXGKARG_VALIDATESUBMITCOMMAND *INOUT_PDXGKARG_VALIDATESUBMITCOMMAND;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_VALIDATESUBMITCOMMAND(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_VALIDATESUBMITCOMMAND pArgs);

typedef DXGKDDI_VALIDATESUBMITCOMMAND *PDXGKDDI_VALIDATESUBMITCOMMAND;

#endif

/* ----------------------------------------------------------------------------------------------
 * Paging
 *
 * BuildPagingBuffer writes the commands by which the memory manager moves, fills and maps memory.
 */

typedef enum _DXGK_BUILDPAGINGBUFFER_OPERATION {
    DXGK_OPERATION_TRANSFER                  = 0,
    DXGK_OPERATION_FILL                      = 1,
    DXGK_OPERATION_DISCARD_CONTENT           = 2,
    DXGK_OPERATION_READ_PHYSICAL             = 3,
    DXGK_OPERATION_WRITE_PHYSICAL            = 4,
    DXGK_OPERATION_MAP_APERTURE_SEGMENT      = 5,
    DXGK_OPERATION_UNMAP_APERTURE_SEGMENT    = 6,
    DXGK_OPERATION_SPECIAL_LOCK_TRANSFER     = 7,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    DXGK_OPERATION_VIRTUAL_TRANSFER          = 8,
    DXGK_OPERATION_VIRTUAL_FILL              = 9,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    DXGK_OPERATION_INIT_CONTEXT_RESOURCE     = 10,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGK_OPERATION_UPDATE_PAGE_TABLE         = 11,
    DXGK_OPERATION_FLUSH_TLB                 = 12,
    DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION = 13,
    DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES   = 14,
    DXGK_OPERATION_NOTIFY_RESIDENCY          = 15,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGK_OPERATION_SIGNAL_MONITORED_FENCE    = 16,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    DXGK_OPERATION_MAP_APERTURE_SEGMENT2     = 17,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY    = 18,
    DXGK_OPERATION_MAP_MMU                   = 19,
    DXGK_OPERATION_UNMAP_MMU                 = 20,
    DXGK_OPERATION_NOTIFY_RESIDENCY2         = 21,
    DXGK_OPERATION_NOTIFY_ALLOC              = 22,
#endif
} DXGK_BUILDPAGINGBUFFER_OPERATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _DXGK_MEMORY_TRANSFER_DIRECTION {
    DXGK_MEMORY_TRANSFER_LOCAL_TO_SYSTEM = 0,
    DXGK_MEMORY_TRANSFER_SYSTEM_TO_LOCAL = 1,
    DXGK_MEMORY_TRANSFER_LOCAL_TO_LOCAL  = 2,
} DXGK_MEMORY_TRANSFER_DIRECTION;

typedef struct _DXGK_PAGETABLEUPDATEADDRESS {
    union {
        PVOID                   CpuVirtual;
        D3DGPU_PHYSICAL_ADDRESS GpuPhysical;
        D3DGPU_VIRTUAL_ADDRESS  GpuVirtual;
    };
} DXGK_PAGETABLEUPDATEADDRESS;

/* Input. Reference page: ns-d3dkmddi-_dxgk_updatepagetableflags.md. */
typedef struct _DXGK_UPDATEPAGETABLEFLAGS {
    /* There is one source entry, to be written to all places. */
    UINT Repeat : 1;
    /* The table has just become resident: every entry is written. */
    UINT InitialUpdate : 1;
    /* The table is about to be evicted. */
    UINT NotifyEviction : 1;
    /* The table is that of 64 KB pages. */
    UINT Use64KBPages : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    /* 0. */
    UINT Reserved : 28;
#else
    /* The pages belong to a native fence. */
    UINT NativeFence : 1;
    /* 0. */
    UINT Reserved : 27;
#endif
} DXGK_UPDATEPAGETABLEFLAGS;

#endif

/* Input. Reference page: ns-d3dkmddi-_dxgk_transferflags.md. */
typedef struct _DXGK_TRANSFERFLAGS {
    union {
        struct {
            /* Convert from linear layout while copying. */
            UINT Swizzle : 1;
            /* Convert to linear layout while copying. */
            UINT Unswizzle : 1;
            /*
             * The GPU has no use of the allocation until the call returns. When clear,
             * STATUS_GRAPHICS_ALLOCATION_BUSY may be returned.
             */
            UINT AllocationIsIdle : 1;
            /* The first part of a transfer. */
            UINT TransferStart : 1;
            /* The last part of a transfer. */
            UINT TransferEnd : 1;
            /* 0. */
            UINT Reserved : 27;
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_TRANSFERFLAGS;

/* Input. Reference page: ns-d3dkmddi-_dxgk_discardcontentflags.md. */
typedef struct _DXGK_DISCARDCONTENTFLAGS {
    union {
        struct {
            /*
             * The GPU has no use of the allocation until the call returns. When clear,
             * STATUS_GRAPHICS_ALLOCATION_BUSY may be returned.
             */
            UINT AllocationIsIdle : 1;
            /* 0. */
            UINT Reserved : 31;
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_DISCARDCONTENTFLAGS;

/* Input. Reference page: ns-d3dkmddi-_dxgk_mapapertureflags.md. */
typedef struct _DXGK_MAPAPERTUREFLAGS {
    union {
        struct {
            /* Accesses must be coherent with the caches of the CPU. */
            UINT CacheCoherent : 1;
            /* 0. */
            UINT Reserved : 31;
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_MAPAPERTUREFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_copy_range.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_COPY_RANGE {
    /* Number of entries to copy. */
    UINT                   NumPageTableEntries;
    /* GPU virtual address of the source table, aligned to 64 KB. */
    D3DGPU_VIRTUAL_ADDRESS SrcPageTableAddress;
    /* GPU virtual address of the destination table, aligned to 64 KB. */
    D3DGPU_VIRTUAL_ADDRESS DstPageTableAddress;
    /* Index of the first entry in the source. */
    UINT                   SrcStartPteIndex;
    /* Index of the first entry in the destination. */
    UINT                   DstStartPteIndex;
} DXGK_BUILDPAGINGBUFFER_COPY_RANGE;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_flushtlb.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_FLUSHTLB {
    /* Physical address of the root table. */
    D3DGPU_PHYSICAL_ADDRESS RootPageTableAddress;
    /* The driver's handle of the process. */
    HANDLE                  hProcess;
    /* First GPU virtual address to forget; with both 0, all are forgotten. */
    D3DGPU_VIRTUAL_ADDRESS  StartVirtualAddress;
    /* End of the range. */
    D3DGPU_VIRTUAL_ADDRESS  EndVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FLUSHTLB;

typedef enum _DXGK_PAGETABLEUPDATEMODE {
    DXGK_PAGETABLEUPDATE_CPU_VIRTUAL  = 0,
    DXGK_PAGETABLEUPDATE_GPU_VIRTUAL  = 1,
    DXGK_PAGETABLEUPDATE_GPU_PHYSICAL = 2,
} DXGK_PAGETABLEUPDATEMODE;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_updatepagetable.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE {
    /* Level of the table, counted from 0 for the leaves. */
    UINT                        PageTableLevel;
    /*
     * The driver's handle of the allocation that is mapped; NULL for page tables and other things
     * of the kernel.
     */
    HANDLE                      hAllocation;
    /* Where the table is; UpdateMode tells how it is addressed. */
    DXGK_PAGETABLEUPDATEADDRESS PageTableAddress;
    /* The entries to write, in the system's form; one for each 4 KB. */
    DXGK_PTE                    *pPageTableEntries;
    /* Index in the table of the first entry to write. */
    UINT                        StartIndex;
    /* Number of entries to write. */
    UINT                        NumPageTableEntries;
    /* 0. */
    UINT                        Reserved0;
    /* Repetition, first filling, eviction, size of pages. */
    DXGK_UPDATEPAGETABLEFLAGS   Flags;
    /* 64 bits that the client gave with the mapping; 0 above the leaves. */
    UINT64                      DriverProtection;
    /* Bytes from the start of the allocation to the page of the first entry. */
    UINT64                      AllocationOffsetInBytes;
    /* The driver's handle of the process that the table belongs to. */
    HANDLE                      hProcess;
    /* Which member of PageTableAddress is valid. */
    DXGK_PAGETABLEUPDATEMODE    UpdateMode;
    /* Entries for the table of 64 KB pages, when driver and mapping use both sizes; else NULL. */
    DXGK_PTE                    *pPageTableEntries64KB;
    /* The GPU virtual address that the first entry translates. */
    D3DGPU_VIRTUAL_ADDRESS      FirstPteVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_fillvirtual.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL {
    /* The driver's handle of the allocation, for its layout. */
    HANDLE                 hAllocation;
    /* Bytes from the start of the allocation to this part. */
    UINT64                 AllocationOffsetInBytes;
    /* Bytes to fill. */
    UINT64                 FillSizeInBytes;
    /* 32 bits, repeated. */
    UINT                   FillPattern;
    /* GPU virtual address of this part in the paging process. */
    D3DGPU_VIRTUAL_ADDRESS DestinationVirtualAddress;
} DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL;

/* Input. Reference page: ns-d3dkmddi-_dxgk_transfervirtualflags.md. */
typedef struct _DXGK_TRANSFERVIRTUALFLAGS {
    union {
        struct {
            /* The source is mapped by 64 KB pages. */
            UINT Src64KBPages : 1;
            /* The destination is mapped by 64 KB pages. */
            UINT Dst64KBPages : 1;
            /* 0. */
            UINT Reserved : 30;
        };
        /* All flags as one number. */
        UINT Flags;
    };
} DXGK_TRANSFERVIRTUALFLAGS;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_transfervirtual.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL {
    /*
     * The driver's handle of the allocation, for its layout; may be NULL for what the kernel made
     * itself.
     */
    HANDLE                         hAllocation;
    /*
     * Bytes from the start of the allocation to this part; already contained in the addresses
     * below.
     */
    UINT64                         AllocationOffsetInBytes;
    /* Bytes to copy. */
    UINT64                         TransferSizeInBytes;
    /* GPU virtual address in the paging process, mapped until the copy is done. */
    D3DGPU_VIRTUAL_ADDRESS         SourceVirtualAddress;
    /* GPU virtual address in the paging process, mapped until the copy is done. */
    D3DGPU_VIRTUAL_ADDRESS         DestinationVirtualAddress;
    /*
     * GPU virtual address of the page table of the source; only for drivers that asked for it, else
     * 0.
     */
    D3DGPU_VIRTUAL_ADDRESS         SourcePageTable;
    /* Which side is system memory, which local. */
    DXGK_MEMORY_TRANSFER_DIRECTION TransferDirection;
    /* Size of pages on each side. */
    DXGK_TRANSFERVIRTUALFLAGS      Flags;
    /*
     * GPU virtual address of the page table of the destination; only for drivers that asked for it,
     * else 0.
     */
    D3DGPU_VIRTUAL_ADDRESS         DestinationPageTable;
} DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL;

/*
 * Input; sent for allocations that asked for it. Reference page: ns-d3dkmddi-
 * _dxgk_buildpagingbuffer_notifyresidency.md.
 */
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY {
    /* The driver's handle of the allocation. */
    HANDLE                  hAllocation;
    /* Where it is now; zeros when it goes. */
    D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
    union {
        /* 1: it came, the transfer is in the queue before; 0: it goes, the transfer follows. */
        UINT Resident : 1;
        /*
         * 0. Resident and Reserved share their bits in the published declaration; only bit 0
         * counts.
         */
        UINT Reserved : 31;
    };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_copypagetableentries.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES {
    /* Number of elements of pRanges. */
    UINT                              NumRanges;
    /* What to copy; read during the call. */
    DXGK_BUILDPAGINGBUFFER_COPY_RANGE *pRanges;
} DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES;

/* Input. Reference page: ns-d3dkmddi-_dxgk_buildpagingbuffer_updatecontextallocation.md. */
typedef struct _DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION {
    /* GPU virtual address of the allocation in the paging process. */
    D3DGPU_VIRTUAL_ADDRESS ContextAllocation;
    /* Bytes of the allocation. */
    UINT64                 ContextAllocationSize;
    /* What the driver passed to DxgkCbUpdateContextAllocation. */
    PVOID                  pDriverPrivateData;
    /* Bytes of it. */
    UINT                   DriverPrivateDataSize;
} DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

/* Input. It has no reference page. */
typedef struct _DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE {
    /* GPU virtual address to write to. */
    D3DGPU_VIRTUAL_ADDRESS MonitoredFenceGpuVa;
    /* 64 bits to write, after all operations before. */
    UINT64                 MonitoredFenceValue;
} DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

/* Input. It has no reference page. */
typedef struct _DXGK_FENCE_RESIDENCY_INFO {
    /* The driver's handle of the native fence. */
    HANDLE                  hGlobalNativeFence;
    /* Where its current value is now. */
    D3DGPU_PHYSICAL_ADDRESS CurrentValuePhysicalAddress;
    /* Where its monitored value is now. */
    D3DGPU_PHYSICAL_ADDRESS MonitoredValuePhysicalAddress;
    /* Kernel address of the current value. */
    PVOID                   CurrentValueKernelCpuVa;
    /* Kernel address of the monitored value. */
    PVOID                   MonitoredValueKernelCpuVa;
} DXGK_FENCE_RESIDENCY_INFO;

/* Input. It has no reference page. */
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY {
    /* Number of elements of FenceResidencyInfo. */
    UINT                      NumFences;
    /* Reserved. */
    union {
        /* 0. */
        UINT Reserved;
    } Flags;
    /* The fences and their new places. */
    DXGK_FENCE_RESIDENCY_INFO *FenceResidencyInfo;
} DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

/* Input. Reference page: ns-d3dkmddi-dxgk_adl_flags.md. */
typedef struct _DXGK_ADL_FLAGS {
    union {
        struct {
            /* BasePageNumber is valid, and the pages follow one another; else Pages is. */
            UINT32 Contiguous : 1;
            /* 0. */
            UINT32 Reserved : 31;
        };
        /* All flags as one number. */
        UINT32 Value;
    };
} DXGK_ADL_FLAGS;

#endif

typedef UINT_PTR DXGK_PAGE_NUMBER;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

/* A list of addresses in pages. Input. Reference page: ns-d3dkmddi-dxgk_adl.md. */
typedef struct _DXGK_ADL {
    /* Number of pages. */
    UINT32         PageCount;
    /* Which of the two forms it has. */
    DXGK_ADL_FLAGS Flags;
    union {
        /* Number of the first page, if contiguous. */
        DXGK_PAGE_NUMBER       BasePageNumber;
        /* Number of each page, if not. */
        const DXGK_PAGE_NUMBER *Pages;
    };
} DXGK_ADL;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

/* Input; undocumented, the comments go by the names. */
typedef struct _DXGK_BUILDPAGINGBUFFER_MAPMMU {
    /* The driver's handle of the allocation. */
    HANDLE   hAllocation;
    /* Address in the MMU from which on to map. */
    UINT64   VirtualAddress;
    /* The MMU. */
    UINT16   MmuId;
    /* Segment of the pages, 0 for system memory. */
    UINT16   SegmentId;
    /* Pages from the start of the allocation. */
    UINT     AllocationOffsetInPages;
    /* The pages. */
    DXGK_ADL Adl;
} DXGK_BUILDPAGINGBUFFER_MAPMMU;

/* Input; undocumented, the comments go by the names. */
typedef struct _DXGK_BUILDPAGINGBUFFER_UNMAPMMU {
    /* The driver's handle of the allocation. */
    HANDLE hAllocation;
    /* Address in the MMU from which on to unmap. */
    UINT64 VirtualAddress;
    /* The MMU. */
    UINT16 MmuId;
    /* 0. */
    UINT16 Reserved0;
    /* Offset in the allocation; in pages, presumably. */
    UINT   AllocationOffset;
    /* Pages to unmap. */
    UINT   NumberOfPages;
} DXGK_BUILDPAGINGBUFFER_UNMAPMMU;

/* Input; undocumented, the comments go by the names. */
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2 {
    /* The driver's handle of the allocation. */
    HANDLE hAllocation;
    /* Pages from the start of the allocation to the part. */
    UINT   AllocationOffsetInPages;
    /* Pages of the part. */
    UINT   SizeInPages;
    /* Segment it came to, 0 for system memory. */
    UINT16 SegmentId;
    /* Not used. */
    UINT16 Padding0;
    union {
        /* Address in the segment; valid if SegmentId is not 0. */
        D3DGPU_PHYSICAL_ADDRESS PhysicalAddress;
        /* The pages in system memory; valid if SegmentId is 0. */
        PMDL                    Mdl;
    };
    struct {
        /* 1: it came; 0: it goes. */
        UINT Resident : 1;
        /* 0. */
        UINT Reserved : 31;
    };
} DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2;

/* Input. It has no reference page. */
typedef struct _DXGK_NOTIFYALLOCFLAGS {
    union {
        struct {
            /* The allocation is about to be evicted from an aperture or from system memory. */
            UINT Eviction : 1;
            /* The allocation is about to leave the IOMMU. */
            UINT IoMmuUnmap : 1;
            /* 0. */
            UINT Reserved : 30;
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_NOTIFYALLOCFLAGS;

/* Input; sent for allocations that asked for it. It has no reference page. */
typedef struct _DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC {
    /* The driver's handle of the allocation. */
    HANDLE                 hAllocation;
    /* The driver's handle of the process with Flags.IoMmuUnmap; 0 with Flags.Eviction. */
    HANDLE                 hKmdProcessHandle;
    /* Why the notice comes. */
    DXGK_NOTIFYALLOCFLAGS  Flags;
    /* Bytes from the start of the allocation to this part. */
    UINT64                 OffsetInBytes;
    /* Bytes of this part. */
    UINT64                 SizeInBytes;
    /*
     * GPU virtual address of the part: in the paging process with Eviction, else in the named one.
     */
    D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddressAtOffset;
} DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC;

#endif

/*
 * Argument of DxgkDdiBuildPagingBuffer: one operation on memory, to be written as commands into a
 * paging buffer. Called at PASSIVE_LEVEL. Results: STATUS_SUCCESS;
 * STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER, upon which the same operation comes again with a fresh
 * buffer and the MultipassOffset that the driver left; STATUS_GRAPHICS_ALLOCATION_BUSY, upon which
 * it comes again with AllocationIsIdle. Of the union only the member that Operation names is valid.
 *
 * Reference page: ns-d3dkmddi-_dxgkarg_buildpagingbuffer.md.
 */
typedef struct _DXGKARG_BUILDPAGINGBUFFER {
    /*
     * [in/out] First free byte of the paging buffer; aligned to 4 KB only when the buffer is new,
     * for operations are packed one behind the other. The driver leaves it one byte behind its
     * last, and pads if the GPU needs alignment. NULL when the page tables of the paging process
     * are set up by the CPU.
     */
    void                             *pDmaBuffer;
    /*
     * [in] Bytes from pDmaBuffer to the end of the buffer. The page marks it in/out; the kernel
     * goes by the pointer.
     */
    UINT                             DmaSize;
    /*
     * [in/out] The driver's own data of this buffer; advanced, each operation has a range of its
     * own; left alone, all share one.
     */
    void                             *pDmaBufferPrivateData;
    /* [in] Bytes that are left there. */
    UINT                             DmaBufferPrivateDataSize;
    /* [in] Which operation, and so which member of the union. */
    DXGK_BUILDPAGINGBUFFER_OPERATION Operation;
    /*
     * [in/out] The driver's own note of its progress: 0 at the first call of an operation,
     * afterwards what the driver left in it.
     */
    UINT                             MultipassOffset;
    union {
        /*
         * DXGK_OPERATION_TRANSFER: copy a part of an allocation between a segment and another, or
         * system memory.
         */
        struct {
            /*
             * [in] The driver's handle from DxgkDdiCreateAllocation; NULL means plain bytes,
             * without any layout.
             */
            HANDLE             hAllocation;
            /*
             * [in] Bytes from the start of the allocation to the part; counts for the side in a
             * segment only, and stays the same when the operation comes again.
             */
            UINT               TransferOffset;
            /*
             * [in] Bytes to copy. 0 after a reset of the adapter: the allocation is gone from its
             * segment, nothing is copied.
             */
            SIZE_T             TransferSize;
            /* Where the bytes come from. */
            struct {
                /* [in] Segment, or 0 for system memory. */
                UINT SegmentId;
                union {
                    /*
                     * [in] Base address of the segment plus offset of the allocation in it, in
                     * bytes; valid if SegmentId is not 0.
                     */
                    LARGE_INTEGER SegmentAddress;
                    /* [in] The pages in system memory; valid if SegmentId is 0. */
                    PMDL          pMdl;
                };
            } Source;
            /* Where the bytes go. */
            struct {
                /* [in] Segment, or 0 for system memory. */
                UINT SegmentId;
                union {
                    /*
                     * [in] Base address of the segment plus offset of the allocation in it, in
                     * bytes; valid if SegmentId is not 0.
                     */
                    LARGE_INTEGER SegmentAddress;
                    /* [in] The pages in system memory; valid if SegmentId is 0. */
                    PMDL          pMdl;
                };
            } Destination;
            /* [in] Layout conversion, idleness, first and last part. */
            DXGK_TRANSFERFLAGS Flags;
            /*
             * [in] Index of the first page of this part in the MDL:
             * MmGetMdlPfnArray(pMdl)[MdlOffset].
             */
            UINT               MdlOffset;
        } Transfer;
        /* DXGK_OPERATION_FILL: give new memory a content, for an allocation that has none yet. */
        struct {
            /* [in] The driver's handle of the allocation; it is idle. */
            HANDLE hAllocation;
            /* [in] Bytes to fill. */
            SIZE_T FillSize;
            /* [in] 32 bits, repeated. */
            UINT   FillPattern;
            /* Where to fill; always in a memory segment. */
            struct {
                /* [in] Segment; never an aperture, never 0. */
                UINT          SegmentId;
                /*
                 * [in] Base address of the segment plus offset of the allocation in it, in bytes.
                 */
                LARGE_INTEGER SegmentAddress;
            } Destination;
        } Fill;
        /*
         * DXGK_OPERATION_DISCARD_CONTENT: an allocation leaves its place in a segment, and its
         * content is not kept.
         */
        struct {
            /* [in] The driver's handle of the allocation. */
            HANDLE                   hAllocation;
            /* [in] Whether the allocation is idle. */
            DXGK_DISCARDCONTENTFLAGS Flags;
            /* [in] The segment it leaves. */
            UINT                     SegmentId;
            /* [in] Base address of the segment plus offset of the allocation in it, in bytes. */
            PHYSICAL_ADDRESS         SegmentAddress;
        } DiscardContent;
        /* DXGK_OPERATION_READ_PHYSICAL: read somewhere, for the sake of coherency. */
        struct {
            /* [in] Segment to read from. */
            UINT             SegmentId;
            /* [in] Address in it in bytes. */
            PHYSICAL_ADDRESS PhysicalAddress;
        } ReadPhysical;
        /* DXGK_OPERATION_WRITE_PHYSICAL: write somewhere, for the sake of coherency. */
        struct {
            /* [in] Segment to write to. */
            UINT             SegmentId;
            /* [in] Address in it in bytes. */
            PHYSICAL_ADDRESS PhysicalAddress;
        } WritePhysical;
        /*
         * DXGK_OPERATION_MAP_APERTURE_SEGMENT: let a range of an aperture lead to pages of system
         * memory. The rest of the aperture is in use meanwhile.
         */
        struct {
            /*
             * [in] The driver's handle of the device that owns the allocation; of a shared one, the
             * device that the memory manager chose; NULL for the primary.
             */
            HANDLE                hDevice;
            /* [in] The driver's handle of the allocation; NULL for a DMA buffer. */
            HANDLE                hAllocation;
            /* [in] The aperture segment. */
            UINT                  SegmentId;
            /* [in] Pages from the start of the segment to the range. */
            SIZE_T                OffsetInPages;
            /* [in] Pages of the range. */
            SIZE_T                NumberOfPages;
            /* [in] The pages in system memory. */
            PMDL                  pMdl;
            /* [in] Whether access must be coherent. */
            DXGK_MAPAPERTUREFLAGS Flags;
            /* [in] Index in the MDL of the page that the first page of the range leads to. */
            ULONG                 MdlOffset;
        } MapApertureSegment;
        /*
         * DXGK_OPERATION_UNMAP_APERTURE_SEGMENT: let a range of an aperture lead to the dummy page.
         * Must not fail.
         */
        struct {
            /* [in] As in the mapping. */
            HANDLE           hDevice;
            /* [in] As in the mapping. */
            HANDLE           hAllocation;
            /* [in] The aperture segment. */
            UINT             SegmentId;
            /* [in] Pages from the start of the segment to the range. */
            SIZE_T           OffsetInPages;
            /* [in] Pages of the range. */
            SIZE_T           NumberOfPages;
            /*
             * [in] Address in bytes of the page to which every page of the range leads from now on;
             * nothing may be written there.
             */
            PHYSICAL_ADDRESS DummyPage;
        } UnmapApertureSegment;
        /*
         * DXGK_OPERATION_SPECIAL_LOCK_TRANSFER: a transfer of an allocation that the CPU has locked
         * through an alternate address.
         */
        struct {
            /* [in] The driver's handle from DxgkDdiCreateAllocation. */
            HANDLE             hAllocation;
            /*
             * [in] Bytes from the start of the allocation; counts for the side in a segment only.
             */
            UINT               TransferOffset;
            /* [in] Bytes to copy. */
            SIZE_T             TransferSize;
            /* Where the bytes come from. */
            struct {
                /* [in] Segment, or 0 for system memory. */
                UINT SegmentId;
                union {
                    /*
                     * [in] Base address of the segment plus offset of the allocation in it, in
                     * bytes; valid if SegmentId is not 0.
                     */
                    LARGE_INTEGER SegmentAddress;
                    /* [in] The pages in system memory; valid if SegmentId is 0. */
                    PMDL          pMdl;
                };
            } Source;
            /* Where the bytes go. */
            struct {
                /* [in] Segment, or 0 for system memory. */
                UINT SegmentId;
                union {
                    /*
                     * [in] Base address of the segment plus offset of the allocation in it, in
                     * bytes; valid if SegmentId is not 0.
                     */
                    LARGE_INTEGER SegmentAddress;
                    /* [in] The pages in system memory; valid if SegmentId is 0. */
                    PMDL          pMdl;
                };
            } Destination;
            /* [in] Layout conversion, idleness, first and last part. */
            DXGK_TRANSFERFLAGS Flags;
            /* [in] The swizzling range through which the CPU sees the allocation. */
            UINT               SwizzlingRangeId;
            /* [in] What the driver's user-mode half gave when the range was acquired. */
            UINT               SwizzlingRangeData;
        } SpecialLockTransfer;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        /*
         * DXGK_OPERATION_INIT_CONTEXT_RESOURCE: give a context allocation its first content, once,
         * before its first use.
         */
        struct {
            /* [in] The handle that DxgkCbCreateContextAllocation returned. */
            HANDLE hAllocation;
            /* Where the allocation is. */
            struct {
                /* [in] Segment, or 0 for system memory. */
                UINT                   SegmentId;
                union {
                    /*
                     * [in] Base address of the segment plus offset of the allocation in it, in
                     * bytes; valid if SegmentId is not 0.
                     */
                    LARGE_INTEGER SegmentAddress;
                    /* [in] The pages in system memory; valid if SegmentId is 0. */
                    PMDL          pMdl;
                };
                /*
                 * [in] Kernel address for the life of the allocation, if it was created so that the
                 * CPU sees it; else NULL.
                 */
                PVOID                  VirtualAddress;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
                /* [in] GPU virtual address in the paging process. */
                D3DGPU_VIRTUAL_ADDRESS GpuVirtualAddress;
#endif
            } Destination;
        } InitContextResource;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        /* DXGK_OPERATION_VIRTUAL_TRANSFER: copy by GPU virtual address. */
        DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL       TransferVirtual;
        /* DXGK_OPERATION_VIRTUAL_FILL: fill by GPU virtual address. */
        DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL           FillVirtual;
        /* DXGK_OPERATION_UPDATE_PAGE_TABLE: write entries of a page table. */
        DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE       UpdatePageTable;
        /* DXGK_OPERATION_FLUSH_TLB: forget translations. */
        DXGK_BUILDPAGINGBUFFER_FLUSHTLB              FlushTlb;
        /* DXGK_OPERATION_COPY_PAGE_TABLE_ENTRIES: copy entries when the GPU gets there. */
        DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES  CopyPageTableEntries;
        /*
         * DXGK_OPERATION_UPDATE_CONTEXT_ALLOCATION: write what DxgkCbUpdateContextAllocation asked
         * for.
         */
        DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION UpdateContextAllocation;
        /* DXGK_OPERATION_NOTIFY_RESIDENCY: an allocation came or goes. */
        DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY       NotifyResidency;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        /* DXGK_OPERATION_SIGNAL_MONITORED_FENCE: write a fence from the GPU. */
        DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE  SignalMonitoredFence;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        /*
         * DXGK_OPERATION_MAP_APERTURE_SEGMENT2: as MapApertureSegment, with a list of addresses
         * instead of an MDL; undone by UnmapApertureSegment.
         */
        struct {
            /*
             * [in] The driver's handle of the device that owns the allocation; NULL for the
             * primary.
             */
            HANDLE                hDevice;
            /* [in] The driver's handle of the allocation; NULL for a DMA buffer. */
            HANDLE                hAllocation;
            /* [in] The aperture segment. */
            UINT                  SegmentId;
            /* [in] Pages from the start of the segment to the range. */
            SIZE_T                OffsetInPages;
            /* [in] Pages of the range. */
            SIZE_T                NumberOfPages;
            /*
             * [in] The addresses, contiguous or page by page; logical ones if an IOMMU translates.
             */
            DXGK_ADL              Adl;
            /* [in] Whether access must be coherent. */
            DXGK_MAPAPERTUREFLAGS Flags;
            /* [in] Index in the list of the page that the first page of the range leads to. */
            ULONG                 AdlOffset;
            /*
             * [in] Kernel address of the memory until it is unmapped, if the allocation was created
             * with MapApertureCpuVisible; else NULL.
             */
            PVOID                 CpuVisibleAddress;
        } MapApertureSegment2;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        /* DXGK_OPERATION_NOTIFY_FENCE_RESIDENCY: the memory of native fences has moved. */
        DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY NotifyFenceResidency;
        /*
         * DXGK_OPERATION_MAP_MMU: map pages in a given MMU. The pages say nothing of it; this and
         * the following comments go by the names.
         */
        DXGK_BUILDPAGINGBUFFER_MAPMMU                MmapMmu;
        /* DXGK_OPERATION_UNMAP_MMU: take pages out of a given MMU. Undocumented as well. */
        DXGK_BUILDPAGINGBUFFER_UNMAPMMU              UnmapMmu;
        /*
         * DXGK_OPERATION_NOTIFY_RESIDENCY2: a part of an allocation came or goes. Undocumented as
         * well.
         */
        DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2      NotifyResidency2;
        /* DXGK_OPERATION_NOTIFY_ALLOC: the GPU must leave an allocation alone from now on. */
        DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC           NotifyAllocation;
#endif
        /* Not used; it gives the union its size. */
        struct {
            /* Not used. */
            UINT Reserved[64];
        } Reserved;
    };
    /* [in] The driver's handle of the system context that will execute the paging buffer. */
    HANDLE                           hSystemContext;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    /*
     * [in] GPU virtual address of the start of the paging buffer, in the paging process; 0 when it
     * is not mapped.
     */
    D3DGPU_VIRTUAL_ADDRESS           DmaBufferGpuVirtualAddress;
    /* [in] Bytes from the start of the paging buffer to pDmaBuffer as the driver received it. */
    UINT                             DmaBufferWriteOffset;
#endif
} DXGKARG_BUILDPAGINGBUFFER;

typedef _In_ DXGKARG_BUILDPAGINGBUFFER *IN_PDXGKARG_BUILDPAGINGBUFFER;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_BUILDPAGINGBUFFER(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_BUILDPAGINGBUFFER pBuildPagingBuffer);

typedef DXGKDDI_BUILDPAGINGBUFFER *PDXGKDDI_BUILDPAGINGBUFFER;

/* ----------------------------------------------------------------------------------------------
 * Present
 *
 * Copy, fill and flip of what the desktop shows; a present may be translated into a DMA buffer.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID {
    DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_COMPLETE = 0,
    DXGK_PRESENT_DISPLAYONLY_PROGRESS_ID_FAILED   = 1,
} DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID;

#endif

/* The kind of a present. Input. Reference page: ns-d3dkmddi-_dxgk_presentflags.md. */
typedef struct _DXGK_PRESENTFLAGS {
    union {
        struct {
            /* Copy the source to the destination, stretched if the rectangles differ. */
            UINT Blt : 1;
            /* Fill the destination with Color; there is no source. */
            UINT ColorFill : 1;
            /* Show the source from a vertical sync on; there is no destination. */
            UINT Flip : 1;
            /*
             * As Flip, without stalling the GPU until the sync; only if the driver reported
             * FlipOnVSyncWithNoWait.
             */
            UINT FlipWithNoWait : 1;
            /*
             * Leave out pixels of the source that equal Color. Not with ColorFill or DstColorKey.
             */
            UINT SrcColorKey : 1;
            /*
             * Replace only pixels of the destination that equal Color. Not with ColorFill or
             * SrcColorKey.
             */
            UINT DstColorKey : 1;
            /* The source is linear, the destination sRGB: convert while copying. */
            UINT LinearToSrgb : 1;
            /*
             * Turn the content to the orientation of the path while copying. Rectangles are given
             * unrotated.
             */
            UINT Rotate : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            /* 0. */
            UINT Reserved : 24;
#else
            /* Flip the two images of a stereo allocation. Not with FlipStereoTemporaryMono. */
            UINT FlipStereo : 1;
            /*
             * Show the left image of a stereo allocation on both sides. Not with
             * FlipStereoPreferRight.
             */
            UINT FlipStereoTemporaryMono : 1;
            /* A clone that shows one image takes the right one. */
            UINT FlipStereoPreferRight : 1;
            /* Copy from the right image of the source. */
            UINT BltStereoUseRight : 1;
            /* Flip planes; pPresentMultiPlaneOverlayInfo is valid. */
            UINT FlipWithMultiPlaneOverlay : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            /* 0. */
            UINT Reserved : 19;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            /* A flip whose result goes to the compositor. The pages say nothing more of it. */
            UINT RedirectedFlip : 1;
            /* 0. */
            UINT Reserved : 18;
#endif
        };
        /* All flags as one number. */
        UINT Value;
    };
} DXGK_PRESENTFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

/* Reserved for the system; drivers use DXGK_ALLOCATIONLIST. It has no reference page. */
typedef struct _DXGK_PRESENTALLOCATIONINFO {
    /* The handle that DxgkDdiOpenAllocation returned. */
    HANDLE                 hDeviceSpecificAllocation;
    /* GPU virtual address of the allocation. */
    D3DGPU_VIRTUAL_ADDRESS AllocationVirtualAddress;
    /* Address in the segment in bytes. */
    PHYSICAL_ADDRESS       PhysicalAddress;
    /* Segment that holds the allocation. */
    WORD                   SegmentId;
    /* Zero-based adapter of a linked chain. */
    WORD                   PhysicalAdapterIndex;
} DXGK_PRESENTALLOCATIONINFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYLIST {
    UINT             LayerIndex;
    BOOL             Enabled;
    HANDLE           hDeviceSpecificAllocation;
    struct {
        UINT SegmentId : 5;
        UINT Reserved : 27;
    };
    PHYSICAL_ADDRESS PhysicalAddress;
} DXGK_PRESENTMULTIPLANEOVERLAYLIST;

/*
 * The planes of a flip. Input. Reference page: ns-d3dkmddi-_dxgk_presentmultiplaneoverlayinfo.md.
 */
typedef struct _DXGK_PRESENTMULTIPLANEOVERLAYINFO {
    /* Zero-based source whose planes change. */
    D3DDDI_VIDEO_PRESENT_SOURCE_ID    VidPnSourceId;
    /* Number of elements of pPlaneList. */
    UINT                              PlaneListCount;
    /* The planes from the top down, in strict order of their layer index. */
    DXGK_PRESENTMULTIPLANEOVERLAYLIST *pPlaneList;
} DXGK_PRESENTMULTIPLANEOVERLAYINFO;

#endif

/*
 * Argument of DxgkDdiPresent: a copy, a fill or a flip that the driver turns into commands of a DMA
 * buffer. Called at PASSIVE_LEVEL. When the buffer is too small the driver keeps its progress in
 * MultipassOffset and returns STATUS_GRAPHICS_INSUFFICIENT_DMA_BUFFER; the same call comes again
 * with a fresh buffer.
 *
 * Reference page: ns-d3dkmddi-_dxgkarg_present.md.
 */
typedef struct _DXGKARG_PRESENT {
    /*
     * [in/out] First free byte of the DMA buffer, aligned to 4 KB; the driver leaves it one byte
     * behind its last. NULL for a flip that is done by MMIO: then nothing is written.
     */
    void                     *pDmaBuffer;
    /* [in] Bytes from pDmaBuffer to the end of the buffer. */
    UINT                     DmaSize;
    /*
     * [in/out] First free byte of the driver's own data for this buffer; the driver may advance it.
     */
    void                     *pDmaBufferPrivateData;
    /* [in] Bytes that are left there. */
    UINT                     DmaBufferPrivateDataSize;
    union {
        /*
         * [in] Three elements: [0] unused, [DXGK_PRESENT_SOURCE_INDEX] the source,
         * [DXGK_PRESENT_DESTINATION_INDEX] the destination. Handles are those of
         * DxgkDdiOpenAllocation; NULL for what the operation does not have.
         */
        DXGK_ALLOCATIONLIST               *pAllocationList;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
        /* Reserved for the system. */
        DXGK_PRESENTALLOCATIONINFO        *pAllocationInfo;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        /* [in] The planes to show; valid only with Flags.FlipWithMultiPlaneOverlay. */
        DXGK_PRESENTMULTIPLANEOVERLAYINFO *pPresentMultiPlaneOverlayInfo;
#endif
    };
    /*
     * [in/out] Array that the driver fills with every place of the buffer that holds an address; it
     * leaves the pointer behind its last element.
     */
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    /* [in] Elements of that array; not all need to be used. */
    UINT                     PatchLocationListOutSize;
    /*
     * [in/out] The driver's own note of its progress: 0 at the first call for a list of rectangles,
     * afterwards what the driver left in it.
     */
    UINT                     MultipassOffset;
    /*
     * [in] A8R8G8B8 colour of a fill or of a colour key; an index when the primary has a palette.
     * Valid with Flags.ColorFill, SrcColorKey or DstColorKey.
     */
    UINT                     Color;
    /* [in] Destination in pixels; with SrcRect it gives the stretch factor. */
    RECT                     DstRect;
    /* [in] Source in pixels. */
    RECT                     SrcRect;
    /* [in] Number of elements of pDstSubRects. */
    UINT                     SubRectCnt;
    /*
     * [in] The rectangles to write, in pixels of the destination, already clipped to DstRect and to
     * the screen.
     */
    const RECT               *pDstSubRects;
    /* [in] Vertical syncs (0 to 4) after which a flip shows; valid with Flags.Flip. */
    D3DDDI_FLIPINTERVAL_TYPE FlipInterval;
    /* [in] The kind of present; exactly one of Blt, ColorFill and the flips. */
    DXGK_PRESENTFLAGS        Flags;
    /* [in] Segment of the DMA buffer; 0 when the buffer is not paged in now. */
    UINT                     DmaBufferSegmentId;
    /* [in] Its address there in bytes; 0 when it is not paged in now. */
    PHYSICAL_ADDRESS         DmaBufferPhysicalAddress;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    /* Ignored by the driver. */
    UINT                     Reserved;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    /* [in] GPU virtual address of the DMA buffer; 0 when it is not mapped now. */
    D3DGPU_VIRTUAL_ADDRESS   DmaBufferGpuVirtualAddress;
    /* [in] Number of allocations of the source. */
    UINT                     NumSrcAllocations;
    /* [in] Number of allocations of the destination. */
    UINT                     NumDstAllocations;
    /* [in] Bytes behind pPrivateDriverData; 0 when there is none. */
    UINT                     PrivateDriverDataSize;
    /*
     * [in] What the user-mode driver passed with its present, or NULL. Unchecked: the client may
     * have written anything.
     */
    PVOID                    pPrivateDriverData;
#endif
} DXGKARG_PRESENT;

typedef _Inout_ DXGKARG_PRESENT *INOUT_PDXGKARG_PRESENT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_PRESENT(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_PRESENT pPresent);

typedef DXGKDDI_PRESENT *PDXGKDDI_PRESENT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_PRESENTTOHWQUEUE(
    IN_CONST_HANDLE hHwQueue,
    INOUT_PDXGKARG_PRESENT pPresent);

typedef DXGKDDI_PRESENTTOHWQUEUE *PDXGKDDI_PRESENTTOHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID        VidPnSourceId;
    DXGK_PRESENT_DISPLAY_ONLY_PROGRESS_ID ProgressId;
} DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;

typedef _In_ const DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS *IN_CONST_PDXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS;

typedef void (NTAPI *DXGKCB_PRESENT_DISPLAYONLY_PROGRESS)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS);

typedef struct _D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS {
    union {
        struct {
            UINT Rotate : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS;

typedef struct _DXGKARG_PRESENT_DISPLAYONLY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID      VidPnSourceId;
    void                                *pSource;
    ULONG                               BytesPerPixel;
    LONG                                Pitch;
    D3DKMT_PRESENT_DISPLAY_ONLY_FLAGS   Flags;
    ULONG                               NumMoves;
    D3DKMT_MOVE_RECT                    *pMoves;
    ULONG                               NumDirtyRects;
    RECT                                *pDirtyRect;
    DXGKCB_PRESENT_DISPLAYONLY_PROGRESS pfnPresentDisplayOnlyProgress;
} DXGKARG_PRESENT_DISPLAYONLY;

typedef _In_ const DXGKARG_PRESENT_DISPLAYONLY *IN_CONST_PDXGKARG_PRESENT_DISPLAYONLY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_PRESENTDISPLAYONLY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_PRESENT_DISPLAYONLY pPresentDisplayOnly);

typedef DXGKDDI_PRESENTDISPLAYONLY *PDXGKDDI_PRESENTDISPLAYONLY;

#endif

/* ----------------------------------------------------------------------------------------------
 * Rendering
 *
 * A client or the kernel itself (GDI) hands commands down; the driver copies them into a DMA
 * buffer.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef enum _DXGK_GDIROP_BITBLT {
    DXGK_GDIROP_INVALID   = 0,
    DXGK_GDIROP_SRCCOPY   = 1,
    DXGK_GDIROP_SRCINVERT = 2,
    DXGK_GDIROP_SRCAND    = 3,
    DXGK_GDIROP_SRCOR     = 4,
    DXGK_GDIROP_ROP3      = 5,
} DXGK_GDIROP_BITBLT;

typedef enum _DXGK_GDIROP_COLORFILL {
    DXGK_GDIROPCF_INVALID   = 0,
    DXGK_GDIROPCF_PATCOPY   = 1,
    DXGK_GDIROPCF_PATINVERT = 2,
    DXGK_GDIROPCF_PDXN      = 3,
    DXGK_GDIROPCF_DSTINVERT = 4,
    DXGK_GDIROPCF_PATAND    = 5,
    DXGK_GDIROPCF_PATOR     = 6,
    DXGK_GDIROPCF_ROP3      = 7,
} DXGK_GDIROP_COLORFILL;

typedef enum _DXGK_RENDERKM_OPERATION {
    DXGK_GDIOP_BITBLT         = 1,
    DXGK_GDIOP_COLORFILL      = 2,
    DXGK_GDIOP_ALPHABLEND     = 3,
    DXGK_GDIOP_STRETCHBLT     = 4,
    DXGK_GDIOP_ESCAPE         = 5,
    DXGK_GDIOP_TRANSPARENTBLT = 6,
    DXGK_GDIOP_CLEARTYPEBLEND = 7,
} DXGK_RENDERKM_OPERATION;

#endif

typedef struct _DXGKARG_RENDER {
    const void               *pCommand;
    UINT                     CommandLength;
    void                     *pDmaBuffer;
    UINT                     DmaSize;
    void                     *pDmaBufferPrivateData;
    UINT                     DmaBufferPrivateDataSize;
    DXGK_ALLOCATIONLIST      *pAllocationList;
    UINT                     AllocationListSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListIn;
    UINT                     PatchLocationListInSize;
    D3DDDI_PATCHLOCATIONLIST *pPatchLocationListOut;
    UINT                     PatchLocationListOutSize;
    UINT                     MultipassOffset;
    UINT                     DmaBufferSegmentId;
    PHYSICAL_ADDRESS         DmaBufferPhysicalAddress;
} DXGKARG_RENDER;

typedef _Inout_ DXGKARG_RENDER *INOUT_PDXGKARG_RENDER;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RENDER(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_RENDER pRender);

typedef DXGKDDI_RENDER *PDXGKDDI_RENDER;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RENDERKM(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_RENDER pRenderKmArgs);

typedef DXGKDDI_RENDERKM *PDXGKDDI_RENDERKM;

typedef struct _DXGK_GDIARG_BITBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT SrcAllocationIndex;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    WORD Rop;
    WORD Rop3;
    UINT SrcPitch;
    UINT DstPitch;
} DXGK_GDIARG_BITBLT;

typedef struct _DXGK_GDIARG_STRETCHBLT {
    RECT SrcRect;
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT SrcAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    union {
        struct {
            UINT Mode : 16;
            UINT MirrorX : 1;
            UINT MirrorY : 1;
        };
        UINT Flags;
    };
    UINT SrcPitch;
} DXGK_GDIARG_STRETCHBLT;

typedef struct _DXGK_GDIARG_COLORFILL {
    RECT DstRect;
    UINT DstAllocationIndex;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT Color;
    WORD Rop;
    WORD Rop3;
} DXGK_GDIARG_COLORFILL;

typedef struct _DXGK_GDIARG_ALPHABLEND {
    RECT    SrcRect;
    RECT    DstRect;
    UINT    SrcAllocationIndex;
    UINT    DstAllocationIndex;
    UINT    NumSubRects;
    RECT    *pSubRects;
    BYTE    SourceConstantAlpha;
    BOOLEAN SourceHasAlpha;
    UINT    SrcPitch;
} DXGK_GDIARG_ALPHABLEND;

typedef struct _D3DKM_TRANSPARENTBLTFLAGS {
    union {
        struct {
            UINT HonorAlpha : 1;
        };
        UINT Value;
    };
} D3DKM_TRANSPARENTBLTFLAGS;

typedef struct _DXGK_GDIARG_TRANSPARENTBLT {
    RECT                      SrcRect;
    RECT                      DstRect;
    UINT                      SrcAllocationIndex;
    UINT                      DstAllocationIndex;
    UINT                      Color;
    UINT                      NumSubRects;
    RECT                      *pSubRects;
    D3DKM_TRANSPARENTBLTFLAGS Flags;
    UINT                      SrcPitch;
} DXGK_GDIARG_TRANSPARENTBLT;

typedef struct _DXGK_GDIARG_CLEARTYPEBLEND {
    RECT DstRect;
    UINT TmpSurfAllocationIndex;
    UINT GammaSurfAllocationIndex;
    UINT AlphaSurfAllocationIndex;
    UINT DstAllocationIndex;
    INT  DstToAlphaOffsetX;
    INT  DstToAlphaOffsetY;
    UINT Color;
    UINT Gamma;
    UINT NumSubRects;
    RECT *pSubRects;
    UINT AlphaSurfPitch;
    UINT Color2;
} DXGK_GDIARG_CLEARTYPEBLEND;

typedef struct _DXGK_RENDERKM_COMMAND {
    DXGK_RENDERKM_OPERATION OpCode;
    UINT                    CommandSize;
    union {
        DXGK_GDIARG_BITBLT         BitBlt;
        DXGK_GDIARG_COLORFILL      ColorFill;
        DXGK_GDIARG_ALPHABLEND     AlphaBlend;
        DXGK_GDIARG_STRETCHBLT     StretchBlt;
        DXGK_GDIARG_TRANSPARENTBLT TransparentBlt;
        DXGK_GDIARG_CLEARTYPEBLEND ClearTypeBlend;
    } Command;
} DXGK_RENDERKM_COMMAND;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGKARG_RENDERGDI {
    const void             *pCommand;
    UINT                   CommandLength;
    void                   *pDmaBuffer;
    D3DGPU_VIRTUAL_ADDRESS DmaBufferGpuVirtualAddress;
    UINT                   DmaSize;
    void                   *pDmaBufferPrivateData;
    UINT                   DmaBufferPrivateDataSize;
    DXGK_ALLOCATIONLIST    *pAllocationList;
    UINT                   AllocationListSize;
    UINT                   MultipassOffset;
} DXGKARG_RENDERGDI;

typedef _Inout_ DXGKARG_RENDERGDI *INOUT_PDXGKARG_RENDERGDI;

typedef NTSTATUS NTAPI DXGKDDI_RENDERGDI(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_RENDERGDI pRenderGdi);

typedef DXGKDDI_RENDERGDI *PDXGKDDI_RENDERGDI;

#endif

/* ----------------------------------------------------------------------------------------------
 * Interrupts and faults
 *
 * What the driver reports from its interrupt routine, and how reporting is switched on.
 */

typedef enum _DXGK_INTERRUPT_TYPE {
    DXGK_INTERRUPT_DMA_COMPLETED                       = 1,
    DXGK_INTERRUPT_DMA_PREEMPTED                       = 2,
    DXGK_INTERRUPT_CRTC_VSYNC                          = 3,
    DXGK_INTERRUPT_DMA_FAULTED                         = 4,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    DXGK_INTERRUPT_DISPLAYONLY_VSYNC                   = 5,
    DXGK_INTERRUPT_DISPLAYONLY_PRESENT_PROGRESS        = 6,
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY  = 7,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGK_INTERRUPT_MICACAST_CHUNK_PROCESSING_COMPLETE  = 8,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGK_INTERRUPT_DMA_PAGE_FAULTED                    = 9,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY2 = 10,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGK_INTERRUPT_MONITORED_FENCE_SIGNALED            = 11,
    DXGK_INTERRUPT_HWQUEUE_PAGE_FAULTED                = 12,
    DXGK_INTERRUPT_HWCONTEXTLIST_SWITCH_COMPLETED      = 13,
    DXGK_INTERRUPT_PERIODIC_MONITORED_FENCE_SIGNALED   = 14,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    DXGK_INTERRUPT_SCHEDULING_LOG_INTERRUPT            = 15,
    DXGK_INTERRUPT_GPU_ENGINE_TIMEOUT                  = 16,
    DXGK_INTERRUPT_SUSPEND_CONTEXT_COMPLETED           = 17,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    DXGK_INTERRUPT_CRTC_VSYNC_WITH_MULTIPLANE_OVERLAY3 = 18,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    DXGK_INTERRUPT_NATIVE_FENCE_SIGNALED               = 19,
    DXGK_INTERRUPT_GPU_ENGINE_STATE_CHANGE             = 20,
#endif
} DXGK_INTERRUPT_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef enum _DXGK_ENGINE_STATE {
    DXGK_ENGINE_STATE_ACTIVE           = 0,
    DXGK_ENGINE_STATE_TRANSITION_TO_F1 = 1,
    DXGK_ENGINE_STATE_HUNG             = 2,
} DXGK_ENGINE_STATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef enum _DXGK_INTERRUPT_STATE {
    DXGK_INTERRUPT_ENABLE  = 0,
    DXGK_INTERRUPT_DISABLE = 1,
} DXGK_INTERRUPT_STATE;

typedef enum _DXGK_CRTC_VSYNC_STATE {
    DXGK_VSYNC_ENABLE             = 0,
    DXGK_VSYNC_DISABLE_KEEP_PHASE = 1,
    DXGK_VSYNC_DISABLE_NO_PHASE   = 2,
} DXGK_CRTC_VSYNC_STATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_MULTIPLANE_OVERLAY_FLAGS {
    union {
        struct {
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 30;
#else
            UINT StaticCheck : 1;
            UINT Reserved : 29;
#endif
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_FLAGS;

typedef struct _DXGK_MULTIPLANE_OVERLAY_BLEND {
    union {
        struct {
            UINT AlphaBlend : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_BLEND;

typedef enum _DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT {
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_PROGRESSIVE                   = 0,
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_TOP_FIELD_FIRST    = 1,
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT_INTERLACED_BOTTOM_FIELD_FIRST = 2,
} DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT;

typedef struct _DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS {
    union {
        struct {
            UINT NominalRange : 1;
            UINT Bt709 : 1;
            UINT xvYCC : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS;

typedef enum _DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT {
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO               = 0,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_HORIZONTAL         = 1,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_VERTICAL           = 2,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_SEPARATE           = 3,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_MONO_OFFSET        = 4,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_ROW_INTERLEAVED    = 5,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_COLUMN_INTERLEAVED = 6,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT_CHECKERBOARD       = 7,
} DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT;

typedef enum _DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE {
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_NONE   = 0,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME0 = 1,
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_FRAME1 = 2,
} DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE;

typedef enum _DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY {
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY_BILINEAR = 1,
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY_HIGH     = 2,
} DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY;

#pragma pack(push, 4)
typedef struct _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES {
    DXGK_MULTIPLANE_OVERLAY_FLAGS              Flags;
    RECT                                       SrcRect;
    RECT                                       DstRect;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    RECT                                       ClipRect;
#endif
    D3DDDI_ROTATION                            Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND              Blend;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT                                       NumFilters;
    void                                       *pFilters;
#endif
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    DXGK_MULTIPLANE_OVERLAY_YCbCr_FLAGS        YCbCrFlags;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT      StereoFormat;
    BOOL                                       StereoLeftViewFrame0;
    BOOL                                       StereoBaseViewFrame0;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE   StereoFlipMode;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY    StretchQuality;
#endif
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES;
#pragma pack(pop)

typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO {
    DWORD                              LayerIndex;
    BOOL                               Enabled;
    PHYSICAL_ADDRESS                   PhysicalAddress;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO;

#endif

typedef struct _DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS {
    union {
        struct {
            UINT ValidPhysicalAdapterMask : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 31;
#else
            UINT HsyncFlipCompletion : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 30;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT EvaluateLegacyMonitoredFences : 1;
            UINT Reserved : 29;
#endif
        };
        UINT Value;
    };
} DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS;

typedef struct _DXGKCB_NOTIFY_MPO_VSYNC_FLAGS {
    union {
        struct {
            UINT PostPresentNeeded : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKCB_NOTIFY_MPO_VSYNC_FLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 {
    DWORD                         LayerIndex;
    ULONGLONG                     PresentId;
    DXGKCB_NOTIFY_MPO_VSYNC_FLAGS Flags;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 {
    DWORD LayerIndex;
    ULONG FirstFreeFlipQueueLogEntryIndex;
} DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3;

#endif

typedef struct _DXGKARGCB_NOTIFY_INTERRUPT_DATA {
    DXGK_INTERRUPT_TYPE                InterruptType;
    union {
        struct {
            UINT SubmissionFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaCompleted;
        struct {
            UINT PreemptionFenceId;
            UINT LastCompletedFenceId;
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } DmaPreempted;
        struct {
            UINT     FaultedFenceId;
            NTSTATUS Status;
            UINT     NodeOrdinal;
            UINT     EngineOrdinal;
        } DmaFaulted;
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            PHYSICAL_ADDRESS               PhysicalAddress;
            UINT                           PhysicalAdapterMask;
        } CrtcVsync;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
        } DisplayOnlyVsync;
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID     VidPnTargetId;
            UINT                               PhysicalAdapterMask;
            UINT                               MultiPlaneOverlayVsyncInfoCount;
            DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO *pMultiPlaneOverlayVsyncInfo;
        } CrtcVsyncWithMultiPlaneOverlay;
        DXGKARGCB_PRESENT_DISPLAYONLY_PROGRESS DisplayOnlyPresentProgress;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            DXGK_MIRACAST_CHUNK_INFO       ChunkInfo;
            PVOID                          pPrivateDriverData;
            UINT                           PrivateDataDriverSize;
            NTSTATUS                       Status;
        } MiracastEncodeChunkCompleted;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
        struct {
            UINT                       FaultedFenceId;
            UINT64                     FaultedPrimitiveAPISequenceNumber;
            DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
            UINT                       FaultedBindTableEntry;
            DXGK_PAGE_FAULT_FLAGS      PageFaultFlags;
            D3DGPU_VIRTUAL_ADDRESS     FaultedVirtualAddress;
            UINT                       NodeOrdinal;
            UINT                       EngineOrdinal;
            UINT                       PageTableLevel;
            DXGK_FAULT_ERROR_CODE      FaultErrorCode;
            HANDLE                     FaultedProcessHandle;
        } DmaPageFaulted;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID      VidPnTargetId;
            UINT                                PhysicalAdapterMask;
            UINT                                MultiPlaneOverlayVsyncInfoCount;
            DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO2 *pMultiPlaneOverlayVsyncInfo;
            ULONGLONG                           GpuFrequency;
            ULONGLONG                           GpuClockCounter;
        } CrtcVsyncWithMultiPlaneOverlay2;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        struct {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } MonitoredFenceSignaled;
        struct {
            UINT   NodeOrdinal;
            UINT   EngineOrdinal;
            UINT64 ContextSwitchFence;
        } HwContextListSwitchCompleted;
        struct {
            UINT64                     FaultedFenceId;
            D3DGPU_VIRTUAL_ADDRESS     FaultedVirtualAddress;
            UINT64                     FaultedPrimitiveAPISequenceNumber;
            union {
                HANDLE FaultedHwQueue;
                HANDLE FaultedHwContext;
                HANDLE FaultedProcessHandle;
            };
            UINT                       NodeOrdinal;
            UINT                       EngineOrdinal;
            DXGK_RENDER_PIPELINE_STAGE FaultedPipelineStage;
            UINT                       FaultedBindTableEntry;
            DXGK_PAGE_FAULT_FLAGS      PageFaultFlags;
            UINT                       PageTableLevel;
            DXGK_FAULT_ERROR_CODE      FaultErrorCode;
        } HwQueuePageFaulted;
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
            UINT                           NotificationID;
        } PeriodicMonitoredFenceSignaled;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
        struct {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } SchedulingLogInterrupt;
        struct {
            UINT NodeOrdinal;
            UINT EngineOrdinal;
        } GpuEngineTimeout;
        struct {
            HANDLE hContext;
            UINT64 ContextSuspendFence;
        } SuspendContextCompleted;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
        struct {
            D3DDDI_VIDEO_PRESENT_TARGET_ID      VidPnTargetId;
            UINT                                PhysicalAdapterMask;
            UINT                                MultiPlaneOverlayVsyncInfoCount;
            DXGK_MULTIPLANE_OVERLAY_VSYNC_INFO3 *pMultiPlaneOverlayVsyncInfo;
            ULONGLONG                           GpuFrequency;
            ULONGLONG                           GpuClockCounter;
        } CrtcVsyncWithMultiPlaneOverlay3;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
        struct {
            UINT   NodeOrdinal;
            UINT   EngineOrdinal;
            UINT   SignaledNativeFenceCount;
            HANDLE *pSignaledNativeFenceArray;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            HANDLE hHWQueue;
#endif
        } NativeFenceSignaled;
        struct {
            UINT              NodeOrdinal;
            UINT              EngineOrdinal;
            DXGK_ENGINE_STATE NewState;
        } EngineStateChange;
#endif
        struct {
            UINT Reserved[16];
        } Reserved;
    };
    DXGKCB_NOTIFY_INTERRUPT_DATA_FLAGS Flags;
} DXGKARGCB_NOTIFY_INTERRUPT_DATA;

typedef _In_ DXGKARGCB_NOTIFY_INTERRUPT_DATA *IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA;

typedef void (NTAPI *DXGKCB_NOTIFY_INTERRUPT)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_NOTIFY_INTERRUPT_DATA);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _DXGKARG_CONTROLINTERRUPT2 {
    DXGK_INTERRUPT_TYPE InterruptType;
    union {
        DXGK_INTERRUPT_STATE  InterruptState;
        DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
    };
} DXGKARG_CONTROLINTERRUPT2;

typedef _In_ const DXGKARG_CONTROLINTERRUPT2 IN_CONST_DXGKARG_CONTROLINTERRUPT2;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CONTROLINTERRUPT2(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_DXGKARG_CONTROLINTERRUPT2 InterruptControl);

typedef DXGKDDI_CONTROLINTERRUPT2 *PDXGKDDI_CONTROLINTERRUPT2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)

typedef struct _DXGKARG_CONTROLINTERRUPT3 {
    DXGK_INTERRUPT_TYPE            InterruptType;
    union {
        DXGK_INTERRUPT_STATE  InterruptState;
        DXGK_CRTC_VSYNC_STATE CrtcVsyncState;
    };
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARG_CONTROLINTERRUPT3;

typedef _In_ const DXGKARG_CONTROLINTERRUPT3 *IN_CONST_PDXGKARG_CONTROLINTERRUPT3;

typedef NTSTATUS NTAPI DXGKDDI_CONTROLINTERRUPT3(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_CONTROLINTERRUPT3 InterruptControl);

typedef DXGKDDI_CONTROLINTERRUPT3 *PDXGKDDI_CONTROLINTERRUPT3;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef enum _DXGK_KERNEL_SUBMISSION_TYPE {
    DXGK_KERNEL_SUBMISSION_BUILD_PAGING_BUFFER = 0,
    DXGK_KERNEL_SUBMISSION_RENDERGDI           = 1,
    DXGK_KERNEL_SUBMISSION_PRESENTBLT          = 2,
} DXGK_KERNEL_SUBMISSION_TYPE;

typedef struct _DXGKARG_SIGNALMONITOREDFENCE {
    DXGK_KERNEL_SUBMISSION_TYPE KernelSubmissionType;
    void                        *pDmaBuffer;
    D3DGPU_VIRTUAL_ADDRESS      DmaBufferGpuVirtualAddress;
    UINT                        DmaSize;
    void                        *pDmaBufferPrivateData;
    UINT                        DmaBufferPrivateDataSize;
    UINT                        MultipassOffset;
    D3DGPU_VIRTUAL_ADDRESS      MonitoredFenceGpuVa;
    UINT64                      MonitoredFenceValue;
    void                        *MonitoredFenceCpuVa;
    HANDLE                      hHwQueue;
} DXGKARG_SIGNALMONITOREDFENCE;

typedef _Inout_ DXGKARG_SIGNALMONITOREDFENCE *INOUT_PDXGKARG_SIGNALMONITOREDFENCE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SIGNALMONITOREDFENCE(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_SIGNALMONITOREDFENCE pSignalMonitoredFence);

typedef DXGKDDI_SIGNALMONITOREDFENCE *PDXGKDDI_SIGNALMONITOREDFENCE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_TDR_PAYLOAD_VSYNC_TIMEOUT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           LayerIndex;
    ULONGLONG                      PresentId;
} DXGK_TDR_PAYLOAD_VSYNC_TIMEOUT;

#endif

typedef _IRQL_requires_(DISPATCH_LEVEL) void (NTAPI *DXGKCB_NOTIFY_DPC)(IN_CONST_HANDLE hAdapter);

typedef _In_ const DXGK_INTERRUPT_TYPE IN_CONST_DXGK_INTERRUPT_TYPE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CONTROLINTERRUPT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_DXGK_INTERRUPT_TYPE InterruptType,
    IN_BOOLEAN EnableInterrupt);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef void (NTAPI *DXGKCB_NOTIFYVSYNC)(
    IN_CONST_HANDLE hAdapter,
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId);

typedef DXGKCB_NOTIFYVSYNC *PDXGKCB_NOTIFYVSYNC;

#endif

typedef DXGKDDI_CONTROLINTERRUPT *PDXGKDDI_CONTROLINTERRUPT;

/* ----------------------------------------------------------------------------------------------
 * Hardware flip queues
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGK_FLIPQUEUE_LOG_ENTRY {
    ULONGLONG PresentId;
    ULONGLONG PresentTimestamp;
} DXGK_FLIPQUEUE_LOG_ENTRY;

typedef struct _DXGKARG_SETFLIPQUEUELOGBUFFER {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           LayerIndex;
    UINT                           NumberOfEntries;
    DXGK_FLIPQUEUE_LOG_ENTRY       *LogBufferAddress;
} DXGKARG_SETFLIPQUEUELOGBUFFER;

typedef _In_ const DXGKARG_SETFLIPQUEUELOGBUFFER *IN_CONST_PDXGKARG_SETFLIPQUEUELOGBUFFER;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETFLIPQUEUELOGBUFFER(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETFLIPQUEUELOGBUFFER pSetFlipQueueLogBuffer);

typedef DXGKDDI_SETFLIPQUEUELOGBUFFER *PDXGKDDI_SETFLIPQUEUELOGBUFFER;

typedef struct _DXGKARG_UPDATEFLIPQUEUELOG {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           LayerIndex;
    ULONG                          FirstFreeFlipQueueLogEntryIndex;
} DXGKARG_UPDATEFLIPQUEUELOG;

typedef _Inout_ DXGKARG_UPDATEFLIPQUEUELOG *INOUT_PDXGKARG_UPDATEFLIPQUEUELOG;

/* Runs at the level of the device's interrupt. */
typedef NTSTATUS NTAPI DXGKDDI_UPDATEFLIPQUEUELOG(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_UPDATEFLIPQUEUELOG pUpdateFlipQueueLog);

typedef DXGKDDI_UPDATEFLIPQUEUELOG *PDXGKDDI_UPDATEFLIPQUEUELOG;

typedef struct _DXGKARG_CANCELQUEUEDFLIPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           LayerIndex;
    ULONGLONG                      PresentIdCancelRequested;
    ULONGLONG                      PresentIdCancelled;
} DXGKARG_CANCELQUEUEDFLIPS;

typedef _Inout_ DXGKARG_CANCELQUEUEDFLIPS *INOUT_PDXGKARG_CANCELQUEUEDFLIPS;

typedef NTSTATUS NTAPI DXGKDDI_CANCELQUEUEDFLIPS(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CANCELQUEUEDFLIPS pCancelQueuedFlips);

typedef DXGKDDI_CANCELQUEUEDFLIPS *PDXGKDDI_CANCELQUEUEDFLIPS;

typedef struct _DXGK_CANCELFLIPS_PLANE {
    ULONGLONG PresentIdCancelRequested;
    ULONGLONG PresentIdCancelled;
    UINT      LayerIndex;
} DXGK_CANCELFLIPS_PLANE;

typedef struct _DXGKARG_CANCELFLIPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           PlaneCount;
    DXGK_CANCELFLIPS_PLANE         **ppPlanes;
} DXGKARG_CANCELFLIPS;

typedef _Inout_ DXGKARG_CANCELFLIPS *INOUT_PDXGKARG_CANCELFLIPS;

/* Runs at the level of the device's interrupt. */
typedef NTSTATUS NTAPI DXGKDDI_CANCELFLIPS(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CANCELFLIPS pCancelFlips);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef DXGKDDI_CANCELFLIPS *PDXGKDDI_CANCELFLIPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGKARG_SETINTERRUPTTARGETPRESENTID {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           LayerIndex;
    ULONGLONG                      InterruptTargetPresentId;
} DXGKARG_SETINTERRUPTTARGETPRESENTID;

typedef _In_ const DXGKARG_SETINTERRUPTTARGETPRESENTID *IN_CONST_PDXGKARG_SETINTERRUPTTARGETPRESENTID;

/* Runs at the level of the device's interrupt. */
typedef NTSTATUS NTAPI DXGKDDI_SETINTERRUPTTARGETPRESENTID(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETINTERRUPTTARGETPRESENTID pSetInterruptTargetPresentId);

typedef DXGKDDI_SETINTERRUPTTARGETPRESENTID *PDXGKDDI_SETINTERRUPTTARGETPRESENTID;

#endif

/* ----------------------------------------------------------------------------------------------
 * Devices, contexts, processes
 *
 * The driver's own objects: it returns handles of its choice and gets them back with each call.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef enum _DXGK_SCHEDULING_LOG_OPERATION {
    DXGK_SCHEDULING_LOG_OPERATION_CONTEXT_STATE_CHANGE = 0,
} DXGK_SCHEDULING_LOG_OPERATION;

typedef enum _DXGK_SCHEDULING_LOG_CONTEXT_STATE {
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_IDLE          = 0,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_RUNNING       = 1,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY         = 2,
    DXGK_SCHEDULING_LOG_CONTEXT_STATE_READY_STANDBY = 3,
} DXGK_SCHEDULING_LOG_CONTEXT_STATE;

typedef enum _DXGK_SCHEDULING_PRIORITY_BAND {
    DXGK_SCHEDULING_PRIORITY_BAND_IDLE     = 0,
    DXGK_SCHEDULING_PRIORITY_BAND_NORMAL   = 1,
    DXGK_SCHEDULING_PRIORITY_BAND_FOCUS    = 2,
    DXGK_SCHEDULING_PRIORITY_BAND_REALTIME = 3,
    DXGK_SCHEDULING_PRIORITY_BAND_COUNT    = 4,
} DXGK_SCHEDULING_PRIORITY_BAND;

#endif

typedef struct _DXGK_DEVICEINFOFLAGS {
    union {
        struct {
            UINT GuaranteedDmaBufferContract : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DEVICEINFOFLAGS;

typedef struct _DXGK_DEVICEINFO {
    UINT                 DmaBufferSize;
    UINT                 DmaBufferSegmentSet;
    UINT                 DmaBufferPrivateDataSize;
    UINT                 AllocationListSize;
    UINT                 PatchLocationListSize;
    DXGK_DEVICEINFOFLAGS Flags;
} DXGK_DEVICEINFO;

typedef struct _DXGK_CREATEDEVICEFLAGS {
    union {
        struct {
            UINT SystemDevice : 1;
            UINT GdiDevice : 1;
            UINT Reserved : 29;
            UINT Reserved0 : 1;
        };
        UINT Value;
    };
} DXGK_CREATEDEVICEFLAGS;

typedef struct _DXGKARG_CREATEDEVICE {
    HANDLE hDevice;
    union {
        DXGK_CREATEDEVICEFLAGS Flags;
        DXGK_DEVICEINFO        *pInfo;
    };
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    ULONG  Pasid;
    HANDLE hKmdProcess;
#endif
} DXGKARG_CREATEDEVICE;

typedef _Inout_ DXGKARG_CREATEDEVICE *INOUT_PDXGKARG_CREATEDEVICE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEDEVICE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATEDEVICE pCreateDevice);

typedef DXGKDDI_CREATEDEVICE *PDXGKDDI_CREATEDEVICE;

typedef struct _DXGK_CREATECONTEXTFLAGS {
    union {
        struct {
            UINT SystemContext : 1;
            UINT GdiContext : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 30;
#else
            UINT VirtualAddressing : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved : 29;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT SystemProtectedContext : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT HwQueueSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT TestContext : 1;
            UINT Reserved : 26;
#endif
        };
        UINT Value;
    };
} DXGK_CREATECONTEXTFLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_CONTEXTINFO_CAPS {
    union {
        struct {
            UINT NoPatchingRequired : 1;
            UINT DriverManagesResidency : 1;
            UINT UseIoMmu : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_CONTEXTINFO_CAPS;

#endif

typedef struct _DXGK_CONTEXTINFO {
    UINT                  DmaBufferSize;
    UINT                  DmaBufferSegmentSet;
    UINT                  DmaBufferPrivateDataSize;
    UINT                  AllocationListSize;
    UINT                  PatchLocationListSize;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    UINT                  Reserved;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGK_CONTEXTINFO_CAPS Caps;
    ULONG                 PagingCompanionNodeId;
#endif
} DXGK_CONTEXTINFO;

typedef struct _DXGKARG_CREATECONTEXT {
    HANDLE                  hContext;
    UINT                    NodeOrdinal;
    UINT                    EngineAffinity;
    DXGK_CREATECONTEXTFLAGS Flags;
    void                    *pPrivateDriverData;
    UINT                    PrivateDriverDataSize;
    DXGK_CONTEXTINFO        ContextInfo;
} DXGKARG_CREATECONTEXT;

typedef _Inout_ DXGKARG_CREATECONTEXT *INOUT_PDXGKARG_CREATECONTEXT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATECONTEXT(
    IN_CONST_HANDLE hDevice,
    INOUT_PDXGKARG_CREATECONTEXT pCreateContext);

typedef DXGKDDI_CREATECONTEXT *PDXGKDDI_CREATECONTEXT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_HWCONTEXT_CAPS {
    union {
        struct {
            UINT UseIoMmu : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_HWCONTEXT_CAPS;

typedef struct _DXGKARG_CREATEHWCONTEXT {
    HANDLE                      hHwContext;
    UINT                        NodeOrdinal;
    UINT                        EngineAffinity;
    D3DDDI_CREATEHWCONTEXTFLAGS Flags;
    UINT                        PrivateDriverDataSize;
    void                        *pPrivateDriverData;
    DXGK_HWCONTEXT_CAPS         ContextCaps;
} DXGKARG_CREATEHWCONTEXT;

typedef _Inout_ DXGKARG_CREATEHWCONTEXT *INOUT_PDXGKARG_CREATEHWCONTEXT;

typedef NTSTATUS NTAPI DXGKDDI_CREATEHWCONTEXT(
    IN_CONST_HANDLE hDevice,
    INOUT_PDXGKARG_CREATEHWCONTEXT pCreateContext);

typedef DXGKDDI_CREATEHWCONTEXT *PDXGKDDI_CREATEHWCONTEXT;

typedef struct _DXGKARG_CREATEHWQUEUE {
    HANDLE                    hHwQueue;
    D3DDDI_CREATEHWQUEUEFLAGS Flags;
    UINT                      PrivateDriverDataSize;
    void                      *pPrivateDriverData;
    D3DKMT_HANDLE             hHwQueueProgressFence;
    void                      *HwQueueProgressFenceCPUVirtualAddress;
    D3DGPU_VIRTUAL_ADDRESS    HwQueueProgressFenceGPUVirtualAddress;
} DXGKARG_CREATEHWQUEUE;

typedef _Inout_ DXGKARG_CREATEHWQUEUE *INOUT_PDXGKARG_CREATEHWQUEUE;

typedef NTSTATUS NTAPI DXGKDDI_CREATEHWQUEUE(
    IN_CONST_HANDLE hHwContext,
    INOUT_PDXGKARG_CREATEHWQUEUE pCreateHwQueue);

typedef DXGKDDI_CREATEHWQUEUE *PDXGKDDI_CREATEHWQUEUE;

#endif

typedef struct _DXGK_HWQUEUEDFLIP_CAPS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_HWQUEUEDFLIP_CAPS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_CREATEPROCESSFLAGS {
    union {
        struct {
            UINT SystemProcess : 1;
            UINT GdiProcess : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 30;
#else
            UINT VirtualMachineProcess : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_4)
            UINT Reserved : 29;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
            UINT VirtualMachineWorkerProcess : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT SessionIsolatedContainer : 1;
            UINT Reserved : 27;
#endif
        };
        UINT Value;
    };
} DXGK_CREATEPROCESSFLAGS;

typedef struct _DXGKARG_CREATEPROCESS {
    HANDLE                  hDxgkProcess;
    HANDLE                  hKmdProcess;
    DXGK_CREATEPROCESSFLAGS Flags;
    UINT                    NumPasid;
    ULONG                   *pPasid;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    HANDLE                  hKmdVmWorkerProcess;
    UINT                    ProcessNameLength;
    WCHAR                   *pProcessName;
#endif
} DXGKARG_CREATEPROCESS;

typedef _Inout_ DXGKARG_CREATEPROCESS *INOUT_PDXGKARG_CREATEPROCESS;

typedef NTSTATUS NTAPI DXGKDDI_CREATEPROCESS(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATEPROCESS pArgs);

typedef DXGKDDI_CREATEPROCESS *PDXGKDDI_CREATEPROCESS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGKARG_SWITCHTOHWCONTEXTLIST {
    HANDLE hHwContextFirst;
    HANDLE hHwContextSecond;
    UINT   NodeOrdinal;
    UINT   EngineOrdinal;
} DXGKARG_SWITCHTOHWCONTEXTLIST;

typedef _In_ const DXGKARG_SWITCHTOHWCONTEXTLIST *IN_CONST_PDXGKARG_SWITCHTOHWCONTEXTLIST;

typedef NTSTATUS NTAPI DXGKDDI_SWITCHTOHWCONTEXTLIST(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SWITCHTOHWCONTEXTLIST pHwContextList);

typedef DXGKDDI_SWITCHTOHWCONTEXTLIST *PDXGKDDI_SWITCHTOHWCONTEXTLIST;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _DXGK_UPDATEHWCONTEXTSTATE_FLAGS {
    union {
        struct {
            UINT Suspended : 1;
            UINT InterruptOnSwitchCompletion : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_UPDATEHWCONTEXTSTATE_FLAGS;

typedef struct _DXGKARG_UPDATEHWCONTEXTSTATE {
    HANDLE                          hHwContext;
    UINT64                          ContextSwitchFence;
    UINT                            Priority;
    DXGK_UPDATEHWCONTEXTSTATE_FLAGS Flags;
} DXGKARG_UPDATEHWCONTEXTSTATE;

typedef _In_ const DXGKARG_UPDATEHWCONTEXTSTATE *IN_CONST_PDXGKARG_UPDATEHWCONTEXTSTATE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_UPDATEHWCONTEXTSTATE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_UPDATEHWCONTEXTSTATE pUpdateHwContextState);

typedef DXGKDDI_UPDATEHWCONTEXTSTATE *PDXGKDDI_UPDATEHWCONTEXTSTATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGK_SCHEDULING_LOG_CONTEXT_STATE_CHANGE {
    HANDLE                            hKmdContext;
    DXGK_SCHEDULING_LOG_CONTEXT_STATE newContextState;
} DXGK_SCHEDULING_LOG_CONTEXT_STATE_CHANGE;

typedef struct _DXGK_SCHEDULING_LOG_HEADER {
    union {
        struct {
            UINT32 FirstFreeEntryIndex;
            UINT32 WraparoundCount;
        };
        ULARGE_INTEGER AtomicWraparoundAndEntryIndex;
    };
    UINT64 NumberOfEntries;
    UINT64 Reserved[2];
} DXGK_SCHEDULING_LOG_HEADER;

typedef struct _DXGK_SCHEDULING_LOG_ENTRY {
    UINT64 GpuTimeStamp;
    UINT   OperationType : 32;
    UINT   ReservedOperationTypeBits : 32;
    union {
        DXGK_SCHEDULING_LOG_CONTEXT_STATE_CHANGE ContextStateChange;
        UINT64                                   ReservedOperationData[2];
    };
} DXGK_SCHEDULING_LOG_ENTRY;

typedef struct _DXGK_SCHEDULING_LOG_BUFFER {
    DXGK_SCHEDULING_LOG_HEADER Header;
    DXGK_SCHEDULING_LOG_ENTRY  Entries[1];
} DXGK_SCHEDULING_LOG_BUFFER;

typedef struct _DXGKARG_SETSCHEDULINGLOGBUFFER {
    UINT                       NodeOrdinal;
    UINT                       EngineOrdinal;
    UINT                       NumberOfEntries;
    DXGK_SCHEDULING_LOG_BUFFER *LogBufferCpuVa;
    D3DGPU_VIRTUAL_ADDRESS     LogBufferGpuVa;
    UINT                       InterruptEntry;
} DXGKARG_SETSCHEDULINGLOGBUFFER;

typedef _In_ const DXGKARG_SETSCHEDULINGLOGBUFFER *IN_CONST_PDXGKARG_SETSCHEDULINGLOGBUFFER;

typedef NTSTATUS NTAPI DXGKDDI_SETSCHEDULINGLOGBUFFER(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETSCHEDULINGLOGBUFFER pSetSchedulingLogBuffer);

typedef DXGKDDI_SETSCHEDULINGLOGBUFFER *PDXGKDDI_SETSCHEDULINGLOGBUFFER;

typedef struct _DXGKARG_SETUPPRIORITYBANDS {
    UINT64 gracePeriodForBand[4];
    UINT64 processQuantumForBand[4];
    UINT64 processGracePeriodForBand[4];
    UINT   targetNormalBandPercentage;
} DXGKARG_SETUPPRIORITYBANDS;

typedef _In_ const DXGKARG_SETUPPRIORITYBANDS *IN_CONST_PDXGKARG_SETUPPRIORITYBANDS;

typedef NTSTATUS NTAPI DXGKDDI_SETUPPRIORITYBANDS(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETUPPRIORITYBANDS pSetupPriorityBands);

typedef DXGKDDI_SETUPPRIORITYBANDS *PDXGKDDI_SETUPPRIORITYBANDS;

typedef struct _DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES {
    HANDLE                        hContext;
    DXGK_SCHEDULING_PRIORITY_BAND priorityBand;
    INT                           realtimeBandPriorityLevel;
    INT                           inProcessPriority;
    UINT64                        quantum;
    UINT64                        gracePeriodSamePriority;
    UINT64                        gracePeriodLowerPriority;
} DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES;

typedef _In_ const DXGKARG_SETCONTEXTSCHEDULINGPROPERTIES *IN_CONST_PDXGKARG_SETCONTEXTSCHEDULINGPROPERTIES;

typedef NTSTATUS NTAPI DXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETCONTEXTSCHEDULINGPROPERTIES pSetContextSchedulingProperties);

typedef DXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES *PDXGKDDI_SETCONTEXTSCHEDULINGPROPERTIES;

typedef struct _DXGKARG_SUSPENDCONTEXT {
    HANDLE hContext;
    UINT64 contextSuspendFence;
} DXGKARG_SUSPENDCONTEXT;

typedef _In_ const DXGKARG_SUSPENDCONTEXT *IN_CONST_PDXGKARG_SUSPENDCONTEXT;

typedef NTSTATUS NTAPI DXGKDDI_SUSPENDCONTEXT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SUSPENDCONTEXT pSuspendContext);

typedef DXGKDDI_SUSPENDCONTEXT *PDXGKDDI_SUSPENDCONTEXT;

typedef struct _DXGKARG_RESUMECONTEXT {
    HANDLE hContext;
} DXGKARG_RESUMECONTEXT;

typedef _In_ const DXGKARG_RESUMECONTEXT *IN_CONST_PDXGKARG_RESUMECONTEXT;

typedef NTSTATUS NTAPI DXGKDDI_RESUMECONTEXT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_RESUMECONTEXT pResumeContext);

typedef DXGKDDI_RESUMECONTEXT *PDXGKDDI_RESUMECONTEXT;

typedef struct _DXGK_VIRTUALMACHINEDATAFLAGS {
    union {
        struct {
            UINT SecureVirtualMachine : 1;
            UINT LinuxVirtualMachine : 1;
        };
        UINT Value;
    };
} DXGK_VIRTUALMACHINEDATAFLAGS;

typedef struct _DXGKARG_SETVIRTUALMACHINEDATA {
    HANDLE                       hKmdVmWorkerProcess;
    GUID                         *pVmGuid;
    DXGK_VIRTUALMACHINEDATAFLAGS Flags;
} DXGKARG_SETVIRTUALMACHINEDATA;

typedef _In_ const DXGKARG_SETVIRTUALMACHINEDATA *IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALMACHINEDATA(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIRTUALMACHINEDATA Args);

typedef DXGKDDI_SETVIRTUALMACHINEDATA *PDXGKDDI_SETVIRTUALMACHINEDATA;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_INVALIDATEHWCONTEXTFLAGS {
    union {
        struct {
            UINT CollateralDamage : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_INVALIDATEHWCONTEXTFLAGS;

typedef struct _DXGKARGCB_INVALIDATEHWCONTEXT {
    HANDLE                        hAdapter;
    HANDLE                        hHwContext;
    DXGK_INVALIDATEHWCONTEXTFLAGS Flags;
} DXGKARGCB_INVALIDATEHWCONTEXT;

typedef _In_ const DXGKARGCB_INVALIDATEHWCONTEXT *IN_CONST_PDXGKARGCB_INVALIDATEHWCONTEXT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_INVALIDATEHWCONTEXT)(
    IN_CONST_PDXGKARGCB_INVALIDATEHWCONTEXT);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _DXGKARG_CREATEPROTECTEDSESSION {
    HANDLE hProtectedSession;
    PVOID  pPrivateDriverData;
    UINT   PrivateDriverDataSize;
} DXGKARG_CREATEPROTECTEDSESSION;

typedef _Inout_ DXGKARG_CREATEPROTECTEDSESSION *INOUT_PDXGKARG_CREATEPROTECTEDSESSION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEPROTECTEDSESSION(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATEPROTECTEDSESSION pCreateProtectedSession);

typedef DXGKDDI_CREATEPROTECTEDSESSION *PDXGKDDI_CREATEPROTECTEDSESSION;

typedef enum _DXGK_PROTECTED_SESSION_STATUS {
    DXGK_PROTECTED_SESSION_STATUS_OK      = 0,
    DXGK_PROTECTED_SESSION_STATUS_INVALID = 1,
} DXGK_PROTECTED_SESSION_STATUS;

typedef struct _DXGKARGCB_PROTECTEDSESSIONSTATUS {
    HANDLE                        hProtectedSession;
    DXGK_PROTECTED_SESSION_STATUS Status;
} DXGKARGCB_PROTECTEDSESSIONSTATUS;

typedef _In_ const DXGKARGCB_PROTECTEDSESSIONSTATUS *IN_CONST_PDXGKARGCB_PROTECTEDSESSIONSTATUS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_SETPROTECTEDSESSIONSTATUS)(
    IN_CONST_PDXGKARGCB_PROTECTEDSESSIONSTATUS pProtectedSessionStatus);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGKARG_NOTIFYCONTEXTPRIORITYCHANGE {
    HANDLE hContext;
    INT    SchedulingPriority;
    INT    InProcessPriority;
} DXGKARG_NOTIFYCONTEXTPRIORITYCHANGE;

typedef _In_ const DXGKARG_NOTIFYCONTEXTPRIORITYCHANGE *IN_CONST_PDXGKARG_NOTIFYCONTEXTPRIORITYCHANGE;

typedef NTSTATUS NTAPI DXGKDDI_NOTIFYCONTEXTPRIORITYCHANGE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_NOTIFYCONTEXTPRIORITYCHANGE pNotifyContextPriorityChange);

typedef DXGKDDI_NOTIFYCONTEXTPRIORITYCHANGE *PDXGKDDI_NOTIFYCONTEXTPRIORITYCHANGE;

#endif

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYDEVICE(
    IN_CONST_HANDLE hDevice);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYCONTEXT(
    IN_CONST_HANDLE hContext);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef NTSTATUS NTAPI DXGKDDI_DESTROYHWCONTEXT(IN_CONST_HANDLE hHwContext);

typedef NTSTATUS NTAPI DXGKDDI_DESTROYHWQUEUE(IN_CONST_HANDLE hHwQueue);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef NTSTATUS NTAPI DXGKDDI_DESTROYPROCESS(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hKmdProcess);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYPROTECTEDSESSION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hProtectedSession);

#endif

typedef DXGKDDI_DESTROYDEVICE *PDXGKDDI_DESTROYDEVICE;

typedef DXGKDDI_DESTROYCONTEXT *PDXGKDDI_DESTROYCONTEXT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef DXGKDDI_DESTROYPROCESS *PDXGKDDI_DESTROYPROCESS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef DXGKDDI_DESTROYHWCONTEXT *PDXGKDDI_DESTROYHWCONTEXT;

typedef DXGKDDI_DESTROYHWQUEUE *PDXGKDDI_DESTROYHWQUEUE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef DXGKDDI_DESTROYPROTECTEDSESSION *PDXGKDDI_DESTROYPROTECTEDSESSION;

#endif

/* ----------------------------------------------------------------------------------------------
 * Allocations
 *
 * Creation, opening per device, description, standard allocations, swizzling ranges.
 */

typedef enum _DXGK_HANDLE_TYPE {
    DXGK_HANDLE_ALLOCATION = 1,
    DXGK_HANDLE_RESOURCE   = 2,
} DXGK_HANDLE_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _DXGKARG_SETALLOCATIONBACKINGSTORE {
    HANDLE hDriverAllocation;
    void   *pBackingStore;
} DXGKARG_SETALLOCATIONBACKINGSTORE;

typedef _In_ const DXGKARG_SETALLOCATIONBACKINGSTORE *IN_CONST_PDXGKARG_SETALLOCATIONBACKINGSTORE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETALLOCATIONBACKINGSTORE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETALLOCATIONBACKINGSTORE pArgs);

typedef DXGKDDI_SETALLOCATIONBACKINGSTORE *PDXGKDDI_SETALLOCATIONBACKINGSTORE;

#endif

typedef struct _DXGK_OPENALLOCATIONINFO {
    D3DKMT_HANDLE hAllocation;
    void          *pPrivateDriverData;
    UINT          PrivateDriverDataSize;
    HANDLE        hDeviceSpecificAllocation;
} DXGK_OPENALLOCATIONINFO;

typedef struct _DXGK_OPENALLOCATIONFLAGS {
    union {
        struct {
            UINT Create : 1;
            UINT ReadOnly : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_OPENALLOCATIONFLAGS;

typedef struct _DXGKARG_OPENALLOCATION {
    UINT                     NumAllocations;
    DXGK_OPENALLOCATIONINFO  *pOpenAllocation;
    void                     *pPrivateDriverData;
    UINT                     PrivateDriverSize;
    DXGK_OPENALLOCATIONFLAGS Flags;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    UINT                     SubresourceIndex;
    SIZE_T                   SubresourceOffset;
    UINT                     Pitch;
#endif
} DXGKARG_OPENALLOCATION;

typedef _In_ const DXGKARG_OPENALLOCATION *IN_CONST_PDXGKARG_OPENALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_OPENALLOCATIONINFO(
    IN_CONST_HANDLE hDevice,
    IN_CONST_PDXGKARG_OPENALLOCATION pOpenAllocation);

typedef DXGKDDI_OPENALLOCATIONINFO *PDXGKDDI_OPENALLOCATIONINFO;

typedef struct _DXGKARG_CLOSEALLOCATION {
    UINT         NumAllocations;
    const HANDLE *pOpenHandleList;
} DXGKARG_CLOSEALLOCATION;

typedef _In_ const DXGKARG_CLOSEALLOCATION *IN_CONST_PDXGKARG_CLOSEALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CLOSEALLOCATION(
    IN_CONST_HANDLE hDevice,
    IN_CONST_PDXGKARG_CLOSEALLOCATION pCloseAllocation);

typedef DXGKDDI_CLOSEALLOCATION *PDXGKDDI_CLOSEALLOCATION;

typedef struct _DXGKCB_GETHANDLEDATAFLAGS {
    union {
        struct {
            UINT DeviceSpecific : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKCB_GETHANDLEDATAFLAGS;

typedef struct _DXGKARGCB_GETHANDLEDATA {
    D3DKMT_HANDLE             hObject;
    DXGK_HANDLE_TYPE          Type;
    DXGKCB_GETHANDLEDATAFLAGS Flags;
} DXGKARGCB_GETHANDLEDATA;

typedef _In_ const DXGKARGCB_GETHANDLEDATA *IN_CONST_PDXGKARGCB_GETHANDLEDATA;

typedef _IRQL_requires_max_(APC_LEVEL) void *(NTAPI *DXGKCB_GETHANDLEDATA)(
    IN_CONST_PDXGKARGCB_GETHANDLEDATA);

typedef void *DXGKARG_RELEASE_HANDLE;

typedef DXGKARG_RELEASE_HANDLE *PDXGKARG_RELEASE_HANDLE;

typedef _IRQL_requires_max_(APC_LEVEL) void *(NTAPI *DXGKCB_ACQUIREHANDLEDATA)(
    IN_CONST_PDXGKARGCB_GETHANDLEDATA,
    PDXGKARG_RELEASE_HANDLE);

typedef struct _DXGKARGCB_RELEASEHANDLEDATA {
    DXGKARG_RELEASE_HANDLE ReleaseHandle;
    DXGK_HANDLE_TYPE       Type;
} DXGKARGCB_RELEASEHANDLEDATA;

typedef _In_ const DXGKARGCB_RELEASEHANDLEDATA IN_CONST_DXGKARGCB_RELEASEHANDLEDATA;

typedef _IRQL_requires_max_(APC_LEVEL) void (NTAPI *DXGKCB_RELEASEHANDLEDATA)(
    IN_CONST_DXGKARGCB_RELEASEHANDLEDATA);

typedef struct _DXGKARGCB_ENUMHANDLECHILDREN {
    D3DKMT_HANDLE hObject;
    UINT          Index;
} DXGKARGCB_ENUMHANDLECHILDREN;

typedef _In_ const DXGKARGCB_ENUMHANDLECHILDREN *IN_CONST_PDXGKARGCB_ENUMHANDLECHILDREN;

typedef _IRQL_requires_(PASSIVE_LEVEL) D3DKMT_HANDLE (NTAPI *DXGKCB_ENUMHANDLECHILDREN)(
    IN_CONST_PDXGKARGCB_ENUMHANDLECHILDREN);

typedef struct _DXGKARGCB_GETCAPTUREADDRESS {
    D3DKMT_HANDLE    hAllocation;
    UINT             SegmentId;
    PHYSICAL_ADDRESS PhysicalAddress;
} DXGKARGCB_GETCAPTUREADDRESS;

typedef _Inout_ DXGKARGCB_GETCAPTUREADDRESS *INOUT_PDXGKARGCB_GETCAPTUREADDRESS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_GETCAPTUREADDRESS)(
    INOUT_PDXGKARGCB_GETCAPTUREADDRESS);

typedef struct _DXGKARG_ACQUIRESWIZZLINGRANGE {
    HANDLE           hAllocation;
    UINT             PrivateDriverData;
    UINT             RangeId;
    UINT             SegmentId;
    SIZE_T           RangeSize;
    PHYSICAL_ADDRESS CPUTranslatedAddress;
} DXGKARG_ACQUIRESWIZZLINGRANGE;

typedef _Inout_ DXGKARG_ACQUIRESWIZZLINGRANGE *INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ACQUIRESWIZZLINGRANGE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_ACQUIRESWIZZLINGRANGE pAcquireSwizzlingRange);

typedef DXGKDDI_ACQUIRESWIZZLINGRANGE *PDXGKDDI_ACQUIRESWIZZLINGRANGE;

typedef struct _DXGKARG_RELEASESWIZZLINGRANGE {
    HANDLE hAllocation;
    UINT   PrivateDriverData;
    UINT   RangeId;
} DXGKARG_RELEASESWIZZLINGRANGE;

typedef _In_ const DXGKARG_RELEASESWIZZLINGRANGE *IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RELEASESWIZZLINGRANGE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_RELEASESWIZZLINGRANGE pReleaseSwizzlingRange);

typedef DXGKDDI_RELEASESWIZZLINGRANGE *PDXGKDDI_RELEASESWIZZLINGRANGE;

typedef struct _DXGK_ALLOCATIONINFOFLAGS {
    union {
        struct {
            UINT CpuVisible : 1;
            UINT PermanentSysMem : 1;
            UINT Cached : 1;
            UINT Protected : 1;
            UINT ExistingSysMem : 1;
            UINT ExistingKernelSysMem : 1;
            UINT FromEndOfSegment : 1;
            UINT Swizzled : 1;
            UINT Overlay : 1;
            UINT Capture : 1;
            UINT UseAlternateVA : 1;
            UINT SynchronousPaging : 1;
            UINT LinkMirrored : 1;
            UINT LinkInstanced : 1;
            UINT HistoryBuffer : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 4;
#else
            UINT AccessedPhysically : 1;
            UINT ExplicitResidencyNotification : 1;
            UINT HardwareProtected : 1;
            UINT CpuVisibleOnDemand : 1;
#endif
            UINT DXGK_ALLOC_RESERVED16 : 1;
            UINT Reserved15 : 1;
            UINT Reserved14 : 1;
            UINT Reserved13 : 1;
            UINT Reserved12 : 1;
            UINT Reserved11 : 1;
            UINT Reserved10 : 1;
            UINT Reserved9 : 1;
            UINT Reserved4 : 1;
            UINT Reserved3 : 1;
            UINT Reserved2 : 1;
            UINT Reserved1 : 1;
            UINT Reserved0 : 1;
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS;

typedef struct _DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 {
    union {
        struct {
            UINT CpuVisible : 1;
            UINT PermanentSysMem : 1;
            UINT Cached : 1;
            UINT Protected : 1;
            UINT ExistingSysMem : 1;
            UINT ExistingKernelSysMem : 1;
            UINT FromEndOfSegment : 1;
            UINT DisableLargePageMapping : 1;
            UINT Overlay : 1;
            UINT Capture : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved00 : 1;
#else
            UINT CreateInVpr : 1;
#endif
            UINT DXGK_ALLOC_RESERVED17 : 1;
            UINT Reserved02 : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved03 : 1;
#else
            UINT MapApertureCpuVisible : 1;
#endif
            UINT HistoryBuffer : 1;
            UINT AccessedPhysically : 1;
            UINT ExplicitResidencyNotification : 1;
            UINT HardwareProtected : 1;
            UINT CpuVisibleOnDemand : 1;
            UINT DXGK_ALLOC_RESERVED16 : 1;
            UINT Reserved15 : 1;
            UINT Reserved14 : 1;
            UINT Reserved13 : 1;
            UINT Reserved12 : 1;
            UINT Reserved11 : 1;
            UINT Reserved10 : 1;
            UINT Reserved9 : 1;
            UINT Reserved4 : 1;
            UINT Reserved3 : 1;
            UINT Reserved2 : 1;
            UINT Reserved1 : 1;
            UINT Reserved0 : 1;
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS_WDDM2_0;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _DXGK_ALLOCATIONINFOFLAGS2 {
    union {
        struct {
            UINT ShareBackingStoreWithKmd : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 31;
#else
            UINT NoImplicitSynchronization : 1;
            UINT DisablePartialResidency : 1;
            UINT RestrictedToSingleSegment : 1;
            UINT NotifyEviction : 1;
            UINT NotifyIoMmuUnmap : 1;
            UINT Reserved : 26;
#endif
        };
        UINT Value;
    };
} DXGK_ALLOCATIONINFOFLAGS2;

#endif

typedef struct _DXGK_ALLOCATIONUSAGEINFO1 {
    union {
        struct {
            UINT PrivateFormat : 1;
            UINT Swizzled : 1;
            UINT MipMap : 1;
            UINT Cube : 1;
            UINT Volume : 1;
            UINT Vertex : 1;
            UINT Index : 1;
            UINT Reserved : 25;
        };
        UINT Value;
    } Flags;
    union {
        D3DDDIFORMAT Format;
        UINT         PrivateFormat;
    };
    UINT SwizzledFormat;
    UINT ByteOffset;
    UINT Width;
    UINT Height;
    UINT Pitch;
    UINT Depth;
    UINT SlicePitch;
} DXGK_ALLOCATIONUSAGEINFO1;

typedef struct _DXGK_ALLOCATIONUSAGEHINT {
    UINT                      Version;
    DXGK_ALLOCATIONUSAGEINFO1 v1;
} DXGK_ALLOCATIONUSAGEHINT;

typedef struct _DXGK_SEGMENTBANKPREFERENCE {
    union {
        struct {
            UINT Bank0 : 7;
            UINT Direction0 : 1;
            UINT Bank1 : 7;
            UINT Direction1 : 1;
            UINT Bank2 : 7;
            UINT Direction2 : 1;
            UINT Bank3 : 7;
            UINT Direction3 : 1;
        };
        UINT Value;
    };
} DXGK_SEGMENTBANKPREFERENCE;

typedef D3DDDI_SEGMENTPREFERENCE DXGK_SEGMENTPREFERENCE;

typedef struct _DXGK_ALLOCATIONINFO {
    void                       *pPrivateDriverData;
    UINT                       PrivateDriverDataSize;
    union {
        UINT Alignment;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        struct {
            UINT16 MinimumPageSize;
            UINT16 RecommendedPageSize;
        };
#endif
    };
    SIZE_T                     Size;
    SIZE_T                     PitchAlignedSize;
    DXGK_SEGMENTBANKPREFERENCE HintedBank;
    DXGK_SEGMENTPREFERENCE     PreferredSegment;
    union {
        UINT SupportedReadSegmentSet;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        UINT MmuSet;
#endif
    };
    UINT                       SupportedWriteSegmentSet;
    UINT                       EvictionSegmentSet;
    union {
        UINT MaximumRenamingListLength;
        UINT PhysicalAdapterIndex;
    };
    HANDLE                     hAllocation;
    union {
        DXGK_ALLOCATIONINFOFLAGS         Flags;
        DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
    };
    DXGK_ALLOCATIONUSAGEHINT   *pAllocationUsageHint;
    UINT                       AllocationPriority;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    DXGK_ALLOCATIONINFOFLAGS2  Flags2;
#endif
} DXGK_ALLOCATIONINFO;

typedef struct _DXGK_ALLOCATIONINFO_TEST {
    UINT                             Alignment;
    SIZE_T                           Size;
    SIZE_T                           PitchAlignedSize;
    DXGK_SEGMENTBANKPREFERENCE       HintedBank;
    DXGK_SEGMENTPREFERENCE           PreferredSegment;
    UINT                             SupportedReadSegmentSet;
    UINT                             SupportedWriteSegmentSet;
    UINT                             EvictionSegmentSet;
    UINT                             PhysicalAdapterIndex;
    DXGK_ALLOCATIONINFOFLAGS_WDDM2_0 FlagsWddm2;
    UINT                             AllocationPriority;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    DXGK_ALLOCATIONINFOFLAGS2        Flags2;
#endif
} DXGK_ALLOCATIONINFO_TEST;

typedef struct _DXGK_CREATEALLOCATIONFLAGS {
    union {
        struct {
            UINT Resource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_CREATEALLOCATIONFLAGS;

typedef struct _DXGKARG_CREATEALLOCATION {
    const void                 *pPrivateDriverData;
    UINT                       PrivateDriverDataSize;
    UINT                       NumAllocations;
    DXGK_ALLOCATIONINFO        *pAllocationInfo;
    HANDLE                     hResource;
    DXGK_CREATEALLOCATIONFLAGS Flags;
} DXGKARG_CREATEALLOCATION;

typedef _In_ DXGKARG_CREATEALLOCATION *IN_PDXGKARG_CREATEALLOCATION;

typedef _Inout_ DXGKARG_CREATEALLOCATION *INOUT_PDXGKARG_CREATEALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEALLOCATION(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATEALLOCATION pCreateAllocation);

typedef DXGKDDI_CREATEALLOCATION *PDXGKDDI_CREATEALLOCATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_CREATECONTEXTALLOCATIONFLAGS {
    union {
        struct {
            UINT SharedAcrossContexts : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 31;
#else
            UINT MapGpuVirtualAddress : 1;
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} DXGK_CREATECONTEXTALLOCATIONFLAGS;

typedef struct _DXGKARGCB_CREATECONTEXTALLOCATION {
    DXGK_CREATECONTEXTALLOCATIONFLAGS ContextAllocationFlags;
    HANDLE                            hAdapter;
    HANDLE                            hDevice;
    HANDLE                            hContext;
    HANDLE                            hDriverAllocation;
    SIZE_T                            Size;
    UINT                              Alignment;
    UINT                              SupportedSegmentSet;
    UINT                              EvictionSegmentSet;
    DXGK_SEGMENTPREFERENCE            PreferredSegment;
    DXGK_SEGMENTBANKPREFERENCE        HintedBank;
    DXGK_ALLOCATIONINFOFLAGS          Flags;
    HANDLE                            hAllocation;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    UINT                              PhysicalAdapterIndex;
#endif
} DXGKARGCB_CREATECONTEXTALLOCATION;

typedef _Inout_ DXGKARGCB_CREATECONTEXTALLOCATION *INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_CREATECONTEXTALLOCATION)(
    INOUT_PDXGKARGCB_CREATECONTEXTALLOCATION);

typedef struct _DXGK_DESCRIBEALLOCATIONFLAGS {
    union {
        struct {
            UINT CheckDisplayMode : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DESCRIBEALLOCATIONFLAGS;

#endif

typedef struct _DXGKARG_DESCRIBEALLOCATION {
    HANDLE                       hAllocation;
    UINT                         Width;
    UINT                         Height;
    D3DDDIFORMAT                 Format;
    D3DDDI_MULTISAMPLINGMETHOD   MultisampleMethod;
    D3DDDI_RATIONAL              RefreshRate;
    UINT                         PrivateDriverFormatAttribute;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    DXGK_DESCRIBEALLOCATIONFLAGS Flags;
    D3DDDI_ROTATION              Rotation;
#endif
} DXGKARG_DESCRIBEALLOCATION;

typedef _Inout_ DXGKARG_DESCRIBEALLOCATION *INOUT_PDXGKARG_DESCRIBEALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESCRIBEALLOCATION(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_DESCRIBEALLOCATION pDescribeAllocation);

typedef DXGKDDI_DESCRIBEALLOCATION *PDXGKDDI_DESCRIBEALLOCATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGKARG_FENCESTORAGEFLAGS {
    UINT Reserved;
} DXGKARG_FENCESTORAGEFLAGS;

typedef struct _D3DKMDT_FENCESTORAGESURFACEDATA {
    UINT                          PhysicalAdapterIndex;
    DXGKARG_FENCESTORAGEVALUETYPE FenceStorageValueType;
    D3DDDI_NATIVEFENCE_TYPE       FenceStorageType;
    UINT                          PrivateDriverDataSize;
    PVOID                         pPrivateDriverData;
    DXGKARG_FENCESTORAGEFLAGS     Flags;
    UINT                          Reserved;
    DXGK_ALLOCATIONINFO           AllocationInfo;
} D3DKMDT_FENCESTORAGESURFACEDATA;

#endif

typedef struct _DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA {
    D3DKMDT_STANDARDALLOCATION_TYPE StandardAllocationType;
    union {
        D3DKMDT_SHAREDPRIMARYSURFACEDATA *pCreateSharedPrimarySurfaceData;
        D3DKMDT_SHADOWSURFACEDATA        *pCreateShadowSurfaceData;
        D3DKMDT_STAGINGSURFACEDATA       *pCreateStagingSurfaceData;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
        D3DKMDT_GDISURFACEDATA           *pCreateGdiSurfaceData;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
        D3DKMDT_VIRTUALGPUSURFACEDATA    *pCreateVirtualGpuSurfaceData;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        D3DKMDT_FENCESTORAGESURFACEDATA  *pCreateFenceStorageData;
#endif
    };
    void                            *pAllocationPrivateDriverData;
    UINT                            AllocationPrivateDriverDataSize;
    void                            *pResourcePrivateDriverData;
    UINT                            ResourcePrivateDriverDataSize;
    UINT                            PhysicalAdapterIndex;
} DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

typedef _Inout_ DXGKARG_GETSTANDARDALLOCATIONDRIVERDATA *INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GETSTANDARDALLOCATIONDRIVERDATA pGetStandardAllocationDriverData);

typedef DXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA *PDXGKDDI_GETSTANDARDALLOCATIONDRIVERDATA;

typedef struct _DXGK_DESTROYALLOCATIONFLAGS {
    union {
        struct {
            UINT DestroyResource : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_DESTROYALLOCATIONFLAGS;

typedef struct _DXGKARG_DESTROYALLOCATION {
    UINT                        NumAllocations;
    const HANDLE                *pAllocationList;
    HANDLE                      hResource;
    DXGK_DESTROYALLOCATIONFLAGS Flags;
} DXGKARG_DESTROYALLOCATION;

typedef _In_ const DXGKARG_DESTROYALLOCATION *IN_CONST_PDXGKARG_DESTROYALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYALLOCATION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_DESTROYALLOCATION pDestroyAllocation);

typedef DXGKDDI_DESTROYALLOCATION *PDXGKDDI_DESTROYALLOCATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _DXGKARG_VALIDATEUPDATEALLOCPROPERTY {
    HANDLE                           hAllocation;
    UINT                             SupportedSegmentSet;
    D3DDDI_SEGMENTPREFERENCE         PreferredSegment;
    D3DDDI_UPDATEALLOCPROPERTY_FLAGS Flags;
    union {
        struct {
            UINT SetAccessedPhysically : 1;
            UINT SetSupportedSegmentSet : 1;
            UINT SetPreferredSegment : 1;
            UINT Reserved : 29;
        };
        UINT PropertyMaskValue;
    };
} DXGKARG_VALIDATEUPDATEALLOCPROPERTY;

typedef _In_ const DXGKARG_VALIDATEUPDATEALLOCPROPERTY *IN_CONST_PDXGKARG_VALIDATEUPDATEALLOCPROPERTY;

typedef NTSTATUS NTAPI DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_VALIDATEUPDATEALLOCPROPERTY pValidateUpdateAllocProperty);

typedef DXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY *PDXGKDDI_VALIDATEUPDATEALLOCATIONPROPERTY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGKARGCB_MAPCONTEXTALLOCATION {
    D3DGPU_VIRTUAL_ADDRESS                  BaseAddress;
    D3DGPU_VIRTUAL_ADDRESS                  MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS                  MaximumAddress;
    HANDLE                                  hAllocation;
    D3DGPU_SIZE_T                           OffsetInPages;
    D3DGPU_SIZE_T                           SizeInPages;
    D3DDDIGPUVIRTUALADDRESS_PROTECTION_TYPE Protection;
    UINT64                                  DriverProtection;
} DXGKARGCB_MAPCONTEXTALLOCATION;

typedef _In_ const DXGKARGCB_MAPCONTEXTALLOCATION *IN_CONST_PDXGKARGCB_MAPCONTEXTALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) D3DGPU_VIRTUAL_ADDRESS (NTAPI *DXGKCB_MAPCONTEXTALLOCATION)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_MAPCONTEXTALLOCATION pArgs);

typedef struct _DXGKARGCB_UPDATECONTEXTALLOCATION {
    HANDLE hAllocation;
    PVOID  pPrivateDriverData;
    UINT   PrivateDriverDataSize;
} DXGKARGCB_UPDATECONTEXTALLOCATION;

typedef _In_ const DXGKARGCB_UPDATECONTEXTALLOCATION *IN_CONST_PDXGKARGCB_UPDATECONTEXTALLOCATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_UPDATECONTEXTALLOCATION)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_UPDATECONTEXTALLOCATION pArgs);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_DESTROYCONTEXTALLOCATION)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hAllocation);

#endif

/* ----------------------------------------------------------------------------------------------
 * What an adapter can do
 *
 * QueryAdapterInfo: one question at a time, each with its own structure.
 */

typedef enum _DXGK_QUERYADAPTERINFOTYPE {
    DXGKQAITYPE_UMDRIVERPRIVATE                = 0,
    DXGKQAITYPE_DRIVERCAPS                     = 1,
    DXGKQAITYPE_QUERYSEGMENT                   = 2,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    DXGKQAITYPE_RESERVED                       = 3,
    DXGKQAITYPE_QUERYSEGMENT2                  = 4,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    DXGKQAITYPE_QUERYSEGMENT3                  = 5,
    DXGKQAITYPE_NUMPOWERCOMPONENTS             = 6,
    DXGKQAITYPE_POWERCOMPONENTINFO             = 7,
    DXGKQAITYPE_PREFERREDGPUNODE               = 8,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGKQAITYPE_POWERCOMPONENTPSTATEINFO       = 9,
    DXGKQAITYPE_HISTORYBUFFERPRECISION         = 10,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGKQAITYPE_QUERYSEGMENT4                  = 11,
    DXGKQAITYPE_SEGMENTMEMORYSTATE             = 12,
    DXGKQAITYPE_GPUMMUCAPS                     = 13,
    DXGKQAITYPE_PAGETABLELEVELDESC             = 14,
    DXGKQAITYPE_PHYSICALADAPTERCAPS            = 15,
    DXGKQAITYPE_DISPLAY_DRIVERCAPS_EXTENSION   = 16,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR  = 17,
    DXGKQAITYPE_UEFIFRAMEBUFFERRANGES          = 18,
    DXGKQAITYPE_QUERYCOLORIMETRYOVERRIDES      = 19,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    DXGKQAITYPE_DISPLAYID_DESCRIPTOR           = 20,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    DXGKQAITYPE_FRAMEBUFFERSAVESIZE            = 21,
    DXGKQAITYPE_HARDWARERESERVEDRANGES         = 22,
    DXGKQAITYPE_INTEGRATED_DISPLAY_DESCRIPTOR2 = 23,
    DXGKQAITYPE_NODEPERFDATA                   = 24,
    DXGKQAITYPE_ADAPTERPERFDATA                = 25,
    DXGKQAITYPE_ADAPTERPERFDATA_CAPS           = 26,
    DXGKQAITYPE_GPUVERSION                     = 27,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    DXGKQAITYPE_DEVICE_TYPE_CAPS               = 28,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
    DXGKQAITYPE_WDDMDEVICECAPS                 = 29,
    DXGKQAITYPE_GPUPCAPS                       = 30,
    DXGKQAITYPE_QUERYTARGETGAMMACAPS           = 31,
    DXGKQAITYPE_SCANOUT_CAPS                   = 33,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    DXGKQAITYPE_PHYSICAL_MEMORY_CAPS           = 34,
    DXGKQAITYPE_IOMMU_CAPS                     = 35,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
    DXGKQAITYPE_HARDWARERESERVEDRANGES2        = 36,
    DXGKQAITYPE_NATIVE_FENCE_CAPS              = 37,
    DXGKQAITYPE_USERMODESUBMISSION_CAPS        = 38,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
    DXGKQAITYPE_DIRTYBITTRACKINGCAPS           = 39,
    DXGKQAITYPE_DIRTYBITTRACKINGSEGMENTCAPS    = 40,
    DXGKQAITYPE_SCATTER_RESERVE                = 41,
    DXGKQAITYPE_QUERYPAGINGBUFFERINFO          = 42,
    DXGKQAITYPE_QUERYSEGMENTCOUNT              = 43,
    DXGKQAITYPE_QUERYSEGMENT5                  = 44,
    DXGKQAITYPE_QUERYMMUCOUNT                  = 45,
    DXGKQAITYPE_QUERYMMUS                      = 46,
    DXGKQAITYPE_64BITONLYCAPS                  = 47,
    DXGKQAITYPE_PAGINGPROCESSGPUVASIZE         = 48,
#endif
} DXGK_QUERYADAPTERINFOTYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef enum _DXGK_WDDMVERSION {
    DXGKDDI_WDDMv1      = 0x1000,
    DXGKDDI_WDDMv1_2    = 0x1200,
    DXGKDDI_WDDMv1_3    = 0x1300,
    DXGKDDI_WDDMv2      = 0x2000,
    DXGKDDI_WDDMv2_1    = 0x2100,
    DXGKDDI_WDDMv2_1_5  = 0x2105,
    DXGKDDI_WDDMv2_1_6  = 0x2106,
    DXGKDDI_WDDMv2_2    = 0x2200,
    DXGKDDI_WDDMv2_3    = 0x2300,
    DXGKDDI_WDDMv2_4    = 0x2400,
    DXGKDDI_WDDMv2_5    = 0x2500,
    DXGKDDI_WDDMv2_6    = 0x2600,
    DXGKDDI_WDDMv2_7    = 0x2700,
    DXGKDDI_WDDMv2_8    = 0x2800,
    DXGKDDI_WDDMv2_9    = 0x2900,
    DXGKDDI_WDDMv3_0    = 0x3000,
    DXGKDDI_WDDMv3_1    = 0x3100,
    DXGKDDI_WDDMv3_2    = 0x3200,
    DXGKDDI_WDDM_LATEST = 0x3200,
} DXGK_WDDMVERSION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef enum _DXGK_GAMMA_DATA_TYPE {
    DXGK_GAMMA_DATA_TYPE_FIXED_POINT = 0,
    DXGK_GAMMA_DATA_TYPE_FLOAT       = 1,
} DXGK_GAMMA_DATA_TYPE;

typedef enum _DXGK_TARGET_GAMMA_CAPS_VERSION {
    DXGK_TARGET_GAMMA_CAPS_VERSION_DEFALUT       = 0,
    DXGK_TARGET_GAMMA_CAPS_VERSION_1             = 1,
    DXGK_TARGET_GAMMA_CAPS_VERSION_NOT_SUPPORTED = 0,
} DXGK_TARGET_GAMMA_CAPS_VERSION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef enum _DXGK_SEGMENTTYPE {
    DXGK_SEGMENTTYPE_SYSMEM = 0,
    DXGK_SEGMENTTYPE_LOCAL  = 1,
} DXGK_SEGMENTTYPE;

#endif

typedef struct _DXGK_GAMMARAMPCAPS {
    union {
        struct {
            UINT Gamma_Rgb256x3x16 : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_GAMMARAMPCAPS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_COLORTRANSFORMCAPS {
    union {
        struct {
            UINT Gamma_Rgb256x3x16 : 1;
            UINT Gamma_Dxgi1 : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT Reserved : 30;
#else
            UINT Transform_3x4Matrix : 1;
            UINT Transform_3x4Matrix_WideColor : 1;
            UINT Transform_3x4Matrix_HighColor : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Transform_Matrix_V2 : 1;
            UINT Reserved : 26;
#endif
        };
        UINT Value;
    };
} DXGK_COLORTRANSFORMCAPS;

#endif

typedef struct _DXGK_PRESENTATIONCAPS {
    union {
        struct {
            UINT NoScreenToScreenBlt : 1;
            UINT NoOverlapScreenBlt : 1;
            UINT SupportKernelModeCommandBuffer : 1;
            UINT NoSameBitmapAlphaBlend : 1;
            UINT NoSameBitmapStretchBlt : 1;
            UINT NoSameBitmapTransparentBlt : 1;
            UINT NoSameBitmapOverlappedAlphaBlend : 1;
            UINT NoSameBitmapOverlappedStretchBlt : 1;
            UINT DriverSupportsCddDwmInterop : 1;
            UINT Reserved0 : 1;
            UINT AlignmentShift : 4;
            UINT MaxTextureWidthShift : 3;
            UINT MaxTextureHeightShift : 3;
            UINT SupportAllBltRops : 1;
            UINT SupportMirrorStretchBlt : 1;
            UINT SupportMonoStretchBltModes : 1;
            UINT StagingRectStartPitchAligned : 1;
            UINT NoSameBitmapBitBlt : 1;
            UINT NoSameBitmapOverlappedBitBlt : 1;
            UINT Reserved1 : 1;
            UINT NoTempSurfaceForClearTypeBlend : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT Reserved : 4;
#else
            UINT SupportSoftwareDeviceBitmaps : 1;
            UINT NoCacheCoherentApertureMemory : 1;
            UINT SupportLinearHeap : 1;
            UINT Reserved : 1;
#endif
        };
        UINT Value;
    };
} DXGK_PRESENTATIONCAPS;

typedef struct _DXGK_FLIPCAPS {
    union {
        struct {
            UINT FlipOnVSyncWithNoWait : 1;
            UINT FlipOnVSyncMmIo : 1;
            UINT FlipInterval : 1;
            UINT FlipImmediateMmIo : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT Reserved : 28;
#else
            UINT FlipIndependent : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT DdiPresentForIFlip : 1;
            UINT FlipImmediateOnHSync : 1;
            UINT Reserved : 25;
#endif
        };
        UINT Value;
    };
} DXGK_FLIPCAPS;

typedef struct _DXGK_VIDSCHCAPS {
    union {
        struct {
            UINT MultiEngineAware : 1;
            UINT VSyncPowerSaveAware : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT Reserved : 30;
#else
            UINT PreemptionAware : 1;
            UINT NoDmaPatching : 1;
            UINT CancelCommandAware : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT No64BitAtomics : 1;
            UINT LowIrqlPreemptCommand : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT Reserved : 25;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
            UINT HwQueuePacketCap : 4;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT NativeGpuFence : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 20;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT OptimizedNativeFenceSignaledInterrupt : 1;
            UINT Reserved : 19;
#endif
        };
        UINT Value;
    };
} DXGK_VIDSCHCAPS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_QUERYGPUMMUCAPSIN {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYGPUMMUCAPSIN;

typedef struct _DXGK_QUERYPAGETABLELEVELDESCIN {
    WORD LevelIndex;
    WORD PhysicalAdapterIndex;
} DXGK_QUERYPAGETABLELEVELDESCIN;

typedef struct _DXGK_QUERYHISTORYBUFFERPRECISIONIN {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYHISTORYBUFFERPRECISIONIN;

typedef struct _DXGK_GPUMMUCAPS {
    union {
        struct {
            UINT ReadOnlyMemorySupported : 1;
            UINT NoExecuteMemorySupported : 1;
            UINT ZeroInPteSupported : 1;
            UINT ExplicitPageTableInvalidation : 1;
            UINT CacheCoherentMemorySupported : 1;
            UINT PageTableUpdateRequireAddressSpaceIdle : 1;
            UINT LargePageSupported : 1;
            UINT DualPteSupported : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved : 24;
#else
            UINT AllowNonAlignedLargePageAddress : 1;
            UINT SysMem64KBPageSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Reserved : 22;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT InvalidTlbEntriesNotCached : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT SysMemLargePageSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT Reserved : 20;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT CachedPageTables : 1;
            UINT Reserved : 19;
#endif
        };
        UINT Value;
    };
    DXGK_PAGETABLEUPDATEMODE PageTableUpdateMode;
    UINT                     VirtualAddressBitCount;
    UINT                     LeafPageTableSizeFor64KPagesInBytes;
    UINT                     PageTableLevelCount;
    struct {
        UINT SourcePageTableVaInTransfer : 1;
        UINT Reserved : 31;
    } LegacyBehaviors;
} DXGK_GPUMMUCAPS;

typedef struct _DXGK_QUERYPHYSICALADAPTERCAPSIN {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYPHYSICALADAPTERCAPSIN;

typedef struct _DXGK_PHYSICALADAPTERFLAGS {
    union {
        struct {
            UINT IoMmuSupported : 1;
            UINT GpuMmuSupported : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved : 30;
#else
            UINT MovePagingSupported : 1;
            UINT VPRPagingContextRequired : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT AllowHardwareProtectedNoVpr : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT VirtualCopyEngineSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 26;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT GpuVaIommuRequired : 1;
            UINT GpuVaIommuGlobalRequired : 1;
            UINT GpuVaIommuCacheCoherent : 1;
            UINT Reserved : 23;
#endif
        };
        UINT Value;
    };
} DXGK_PHYSICALADAPTERFLAGS;

typedef struct _DXGK_PHYSICALADAPTERCAPS {
    WORD                      NumExecutionNodes;
    WORD                      PagingNodeIndex;
    HANDLE                    DxgkPhysicalAdapterHandle;
    DXGK_PHYSICALADAPTERFLAGS Flags;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    UINT                      VPRPagingNode;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
    UINT                      VirtualCopyNodeIndex;
#endif
} DXGK_PHYSICALADAPTERCAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGK_FRAMEBUFFERSAVEAREA {
    SIZE_T MaximumSize;
} DXGK_FRAMEBUFFERSAVEAREA;

typedef struct _DXGK_PHYSICAL_MEMORY_RANGE {
    PHYSICAL_ADDRESS BaseAddress;
    LARGE_INTEGER    NumberOfBytes;
} DXGK_PHYSICAL_MEMORY_RANGE;

typedef struct _DXGK_HARDWARERESERVEDRANGES {
    UINT32                     NumRanges;
    DXGK_PHYSICAL_MEMORY_RANGE *pPhysicalRanges;
} DXGK_HARDWARERESERVEDRANGES;

#endif

typedef struct _DXGK_VIDMMCAPS {
    union {
        struct {
            UINT OutOfOrderLock : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN7)
            UINT Reserved : 31;
#else
            UINT DedicatedPagingEngine : 1;
            UINT PagingEngineCanSwizzle : 1;
            UINT SectionBackedPrimary : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT CrossAdapterResource : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT VirtualAddressingSupported : 1;
            UINT GpuMmuSupported : 1;
            UINT IoMmuSupported : 1;
            UINT ReplicateGdiContent : 1;
            UINT NonCpuVisiblePrimary : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 22;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT ParavirtualizationSupported : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_4)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
            UINT IoMmuSecureModeSupported : 1;
            UINT DisableSelfRefreshVRAMInS3 : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT Reserved : 19;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT IoMmuSecureModeRequired : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved : 18;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT MapAperture2Supported : 1;
            UINT CrossAdapterResourceTexture : 1;
            UINT CrossAdapterResourceScanout : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT Reserved : 15;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)
            UINT AlwaysPoweredVRAM : 1;
            UINT Reserved : 14;
#endif
        };
        UINT Value;
    };
    UINT PagingNode;
} DXGK_VIDMMCAPS;

typedef struct _DXGK_GPUENGINETOPOLOGY {
    UINT NbAsymetricProcessingNodes;
    UINT Reserved[64];
} DXGK_GPUENGINETOPOLOGY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef struct _DXGK_VIRTUALADDRESSCAPS_DEPRECATED {
    union {
        struct {
            UINT PrivilegedMemorySupported : 1;
            UINT ReadOnlyMemorySupported : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
    UINT VirtualAddressBitCount;
    UINT PageTableCoverageBitCount;
    UINT PageDirectoryEntrySize;
    UINT PageDirectorySegment;
    UINT PageTableSegment;
    UINT IdealGPUPageSize;
} DXGK_VIRTUALADDRESSCAPS_DEPRECATED;

typedef struct _DXGK_DMABUFFERCAPS_DEPRECATED {
    struct {
        UINT Size;
        UINT PrivateDriverDataSize;
        UINT SegmentId;
        UINT Reserved1;
        UINT Reserved[16];
    } PresentDmaBuffer;
    struct {
        UINT Size;
        UINT PrivateDriverDataSize;
        UINT SegmentId;
        UINT Reserved1;
        UINT Reserved[16];
    } PagingDmaBuffer;
} DXGK_DMABUFFERCAPS_DEPRECATED;

#endif

typedef struct _DXGK_POINTERFLAGS {
    union {
        struct {
            UINT Monochrome : 1;
            UINT Color : 1;
            UINT MaskedColor : 1;
            UINT Reserved : 29;
        };
        UINT Value;
    };
} DXGK_POINTERFLAGS;

typedef struct _DXGK_DRIVERCAPS {
    PHYSICAL_ADDRESS                   HighestAcceptableAddress;
    UINT                               MaxAllocationListSlotId;
    SIZE_T                             ApertureSegmentCommitLimit;
    UINT                               MaxPointerWidth;
    UINT                               MaxPointerHeight;
    DXGK_POINTERFLAGS                  PointerCaps;
    UINT                               InterruptMessageNumber;
    UINT                               NumberOfSwizzlingRanges;
    UINT                               MaxOverlays;
    union {
        DXGK_GAMMARAMPCAPS      GammaRampCaps;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        DXGK_COLORTRANSFORMCAPS ColorTransformCaps;
#endif
    };
    DXGK_PRESENTATIONCAPS              PresentationCaps;
    UINT                               MaxQueuedFlipOnVSync;
    DXGK_FLIPCAPS                      FlipCaps;
    DXGK_VIDSCHCAPS                    SchedulingCaps;
    DXGK_VIDMMCAPS                     MemoryManagementCaps;
    DXGK_GPUENGINETOPOLOGY             GpuEngineTopology;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)
    DXGK_WDDMVERSION                   WDDMVersion;
    DXGK_VIRTUALADDRESSCAPS_DEPRECATED Reserved;
    DXGK_DMABUFFERCAPS_DEPRECATED      Reserved1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)
    D3DKMDT_PREEMPTION_CAPS            PreemptionCaps;
    BOOLEAN                            SupportNonVGA;
    BOOLEAN                            SupportSmoothRotation;
    BOOLEAN                            SupportPerEngineTDR;
    BOOLEAN                            SupportDirectFlip;
    BOOLEAN                            SupportMultiPlaneOverlay;
    BOOLEAN                            SupportRuntimePowerManagement;
    BOOLEAN                            SupportSurpriseRemovalInHibernation;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    BOOLEAN                            HybridDiscrete;
    UINT                               MaxOverlayPlanes;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    BOOLEAN                            HybridIntegrated;
    D3DGPU_VIRTUAL_ADDRESS             InternalGpuVirtualAddressRangeStart;
    D3DGPU_VIRTUAL_ADDRESS             InternalGpuVirtualAddressRangeEnd;
    BOOLEAN                            SupportSurpriseRemoval;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
    BOOLEAN                            SupportMultiPlaneOverlayImmediateFlip;
    BOOLEAN                            CursorScaledWithMultiPlaneOverlayPlane0;
    BOOLEAN                            HybridAcpiChainingRequired;
    UINT                               MaxQueuedMultiPlaneOverlayFlipVSync;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    union {
        struct {
            UINT SupportContextlessPresent : 1;
            UINT Detachable : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT Reserved : 30;
#else
            UINT VirtualGpuOnly : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Reserved : 29;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT ComputeOnly : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT IndependentVidPnVSyncControl : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_8)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)
            UINT NoHybridDiscreteDListDllSupport : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 26;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT DisplayableSupport : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 25;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT NoHybridDiscreteDListDllMuxSupport : 1;
            UINT CursorDoesNotSupportXorBlendWithMultiPlaneOverlay : 1;
            UINT Reserved : 23;
#endif
        };
        UINT Value;
    } MiscCaps;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    UINT                               MaxHwQueuedFlips;
    DXGK_HWQUEUEDFLIP_CAPS             HwQueuedFlipCaps;
#endif
} DXGK_DRIVERCAPS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _DXGK_WDDMDEVICECAPSIN {
    ULONG DxgkrnlInterfaceVersion;
} DXGK_WDDMDEVICECAPSIN;

typedef struct _DXGK_WDDMDEVICECAPS {
    DXGK_WDDMVERSION WDDMVersion;
} DXGK_WDDMDEVICECAPS;

typedef struct _DXGK_GPUPCAPS {
    union {
        struct {
            UINT VirtualMachineHibernation : 1;
            UINT HotDriverUpdate : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 30;
#else
            UINT LiveMigration : 1;
            UINT ScatterMapReserve : 1;
            UINT Reserved : 28;
#endif
        };
        UINT Value;
    } Caps;
} DXGK_GPUPCAPS;

#endif

typedef struct _DXGK_SEGMENTFLAGS {
    union {
        struct {
            UINT Aperture : 1;
            UINT Agp : 1;
            UINT CpuVisible : 1;
            UINT UseBanking : 1;
            UINT CacheCoherent : 1;
            UINT PitchAlignment : 1;
            UINT PopulatedFromSystemMemory : 1;
            UINT PreservedDuringStandby : 1;
            UINT PreservedDuringHibernate : 1;
            UINT PartiallyPreservedDuringHibernate : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WIN8)
            UINT Reserved : 22;
#else
            UINT DirectFlip : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 21;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Use64KBPages : 1;
            UINT ReservedSysMem : 1;
            UINT SupportsCpuHostAperture : 1;
            UINT SupportsCachedCpuHostAperture : 1;
            UINT ApplicationTarget : 1;
            UINT VprSupported : 1;
            UINT VprPreservedDuringStandby : 1;
            UINT EncryptedPagingSupported : 1;
            UINT LocalBudgetGroup : 1;
            UINT NonLocalBudgetGroup : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved : 11;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT PopulatedByReservedDDRByFirmware : 1;
            UINT Reserved : 10;
#endif
        };
        UINT Value;
    };
} DXGK_SEGMENTFLAGS;

typedef struct _DXGK_SEGMENTDESCRIPTOR {
    PHYSICAL_ADDRESS  BaseAddress;
    PHYSICAL_ADDRESS  CpuTranslatedAddress;
    SIZE_T            Size;
    UINT              NbOfBanks;
    SIZE_T            *pBankRangeTable;
    SIZE_T            CommitLimit;
    DXGK_SEGMENTFLAGS Flags;
} DXGK_SEGMENTDESCRIPTOR;

typedef struct _DXGK_QUERYSEGMENTIN {
    PHYSICAL_ADDRESS  AgpApertureBase;
    LARGE_INTEGER     AgpApertureSize;
    DXGK_SEGMENTFLAGS AgpFlags;
} DXGK_QUERYSEGMENTIN;

typedef struct _DXGK_QUERYSEGMENTOUT {
    UINT                   NbSegment;
    DXGK_SEGMENTDESCRIPTOR *pSegmentDescriptor;
    UINT                   PagingBufferSegmentId;
    UINT                   PagingBufferSize;
    UINT                   PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef struct _DXGK_SEGMENTFLAGS2 {
    union {
        struct {
            UINT Aperture : 1;
            UINT PopulatedFromSystemMemory : 1;
            UINT SystemMemoryReservedByBios : 1;
            UINT CpuVisible : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_SEGMENTFLAGS2;

typedef struct _DXGK_SEGMENTDESCRIPTOR2 {
    DXGK_SEGMENTFLAGS2 Flags;
    SIZE_T             Size;
    PMDL               pMdl;
    PHYSICAL_ADDRESS   BaseAddress;
    PHYSICAL_ADDRESS   CpuTranslatedAddress;
} DXGK_SEGMENTDESCRIPTOR2;

typedef struct _DXGK_QUERYSEGMENTOUT2 {
    UINT                    SegmentCount;
    DXGK_SEGMENTDESCRIPTOR2 *pSegmentDescriptor;
} DXGK_QUERYSEGMENTOUT2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_SEGMENTDESCRIPTOR3 {
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS  BaseAddress;
    PHYSICAL_ADDRESS  CpuTranslatedAddress;
    SIZE_T            Size;
    UINT              NbOfBanks;
    SIZE_T            *pBankRangeTable;
    SIZE_T            CommitLimit;
    SIZE_T            SystemMemoryEndAddress;
    SIZE_T            Reserved;
} DXGK_SEGMENTDESCRIPTOR3;

typedef struct _DXGK_QUERYSEGMENTOUT3 {
    UINT                    NbSegment;
    DXGK_SEGMENTDESCRIPTOR3 *pSegmentDescriptor;
    UINT                    PagingBufferSegmentId;
    UINT                    PagingBufferSize;
    UINT                    PagingBufferPrivateDataSize;
} DXGK_QUERYSEGMENTOUT3;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_QUERYSEGMENTIN4 {
    UINT PhysicalAdapterIndex;
} DXGK_QUERYSEGMENTIN4;

typedef struct _DXGK_CPUHOSTAPERTURE {
    UINT64 PhysicalAddress;
    UINT32 SizeInPages;
} DXGK_CPUHOSTAPERTURE;

typedef struct _DXGK_SEGMENTDESCRIPTOR4 {
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS  BaseAddress;
    SIZE_T            Size;
    SIZE_T            CommitLimit;
    SIZE_T            SystemMemoryEndAddress;
    union {
        PHYSICAL_ADDRESS     CpuTranslatedAddress;
        DXGK_CPUHOSTAPERTURE CpuHostAperture;
    };
    UINT              NumInvalidMemoryRanges;
    SIZE_T            VprRangeStartOffset;
    SIZE_T            VprRangeSize;
    UINT              VprAlignment;
    UINT              NumVprSupported;
    UINT              VprReserveSize;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    UINT              NumUEFIFrameBufferRanges;
#endif
} DXGK_SEGMENTDESCRIPTOR4;

typedef struct _DXGK_QUERYSEGMENTOUT4 {
    UINT   NbSegment;
    BYTE   *pSegmentDescriptor;
    UINT   PagingBufferSegmentId;
    UINT   PagingBufferSize;
    UINT   PagingBufferPrivateDataSize;
    SIZE_T SegmentDescriptorStride;
} DXGK_QUERYSEGMENTOUT4;

typedef struct _DXGK_MEMORYRANGE {
    UINT64 SegmentOffset;
    UINT64 SizeInBytes;
} DXGK_MEMORYRANGE;

typedef struct _DXGK_QUERYSEGMENTMEMORYSTATE {
    WORD             DriverSegmentId;
    WORD             PhysicalAdapterIndex;
    union {
        UINT NumInvalidMemoryRanges;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
        UINT NumUEFIFrameBufferRanges;
#endif
    };
    DXGK_MEMORYRANGE *pMemoryRanges;
} DXGK_QUERYSEGMENTMEMORYSTATE, DXGK_SEGMENTMEMORYSTATE;

typedef _In_ const DXGK_QUERYSEGMENTMEMORYSTATE *IN_CONST_PDXGK_SEGMENTMEMORYSTATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef NTSTATUS (NTAPI *DXGKCB_UNBLOCKUEFIFRAMEBUFFERRANGES)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGK_SEGMENTMEMORYSTATE pSegmentMemoryState);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_DISPLAY_DRIVERCAPS_EXTENSION {
    union {
        struct {
            UINT SecureDisplaySupport : 1;
            UINT VirtualModeSupport : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved : 29;
            UINT NonSpecificPrimarySupport : 1;
#elif (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_5)
            UINT Reserved : 30;
#else
            UINT HdrFP16ScanoutSupport : 1;
            UINT HdrARGB10ScanoutSupport : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT Reserved : 28;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7)
            UINT Hdr10MetadataSupport : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_7) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT Reserved : 27;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
            UINT VirtualRefreshRateSupport : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 26;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT SupportUsb4Targets : 1;
            UINT Reserved : 25;
#endif
        };
        UINT Value;
    };
} DXGK_DISPLAY_DRIVERCAPS_EXTENSION;

#endif

#ifdef __cplusplus
typedef enum _DXGK_DISPLAYPANELORIENTATION : UINT {
    DXGK_DPO_0   = 0,
    DXGK_DPO_90  = 1,
    DXGK_DPO_180 = 2,
    DXGK_DPO_270 = 3,
} DXGK_DISPLAYPANELORIENTATION;
#else
typedef UINT DXGK_DISPLAYPANELORIENTATION;
enum {
    DXGK_DPO_0   = 0,
    DXGK_DPO_90  = 1,
    DXGK_DPO_180 = 2,
    DXGK_DPO_270 = 3,
};
#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef union _DXGK_INTEGRATEDDISPLAYFLAGS {
    struct {
        DXGK_DISPLAYPANELORIENTATION UndockedOrientation : 2;
        DXGK_DISPLAYPANELORIENTATION DockedOrientation : 2;
        UINT                         Reserved : 28;
    };
    UINT Value;
} DXGK_INTEGRATEDDISPLAYFLAGS, *PDXGK_INTEGRATEDDISPLAYFLAGS;

typedef union _DXGK_STANDARD_COLORIMETRY_FLAGS {
    struct {
        UINT BT2020YCC : 1;
        UINT BT2020RGB : 1;
        UINT ST2084 : 1;
        UINT Reserved : 29;
    };
    ULONG Value;
} DXGK_STANDARD_COLORIMETRY_FLAGS, *PDXGK_STANDARD_COLORIMETRY_FLAGS;

typedef struct _DXGK_COLORIMETRY {
    D3DKMDT_2DOFFSET                   RedPoint;
    D3DKMDT_2DOFFSET                   GreenPoint;
    D3DKMDT_2DOFFSET                   BluePoint;
    D3DKMDT_2DOFFSET                   WhitePoint;
    ULONG                              MinLuminance;
    ULONG                              MaxLuminance;
    ULONG                              MaxFullFrameLuminance;
    D3DKMDT_WIRE_FORMAT_AND_PREFERENCE FormatBitDepths;
    DXGK_STANDARD_COLORIMETRY_FLAGS    StandardColorimetryFlags;
} DXGK_COLORIMETRY, *PDXGK_COLORIMETRY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGK_DEVICE_TYPE_CAPS {
    union {
        struct {
            UINT32 Discrete : 1;
            UINT32 Detachable : 1;
            UINT32 Reserved : 30;
        };
        UINT32 Value;
    };
} DXGK_DEVICE_TYPE_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_QUERYINTEGRATEDDISPLAYOUT {
    DXGK_INTEGRATEDDISPLAYFLAGS       Flags;
    D3DKMDT_VIDEO_SIGNAL_INFO         NativeTiming;
    DXGK_MONITORLINKINFO_CAPABILITIES LinkCapabilities;
    DXGK_COLORIMETRY                  Colorimetry;
    DXGK_DISPLAY_TECHNOLOGY           DisplayTechnology;
    DXGK_DISPLAY_USAGE                IntendedUsage;
    BYTE                              Instance;
    DXGK_DISPLAY_DESCRIPTOR_TYPE      DescriptorType;
    BYTE                              Descriptor[1];
} DXGK_QUERYINTEGRATEDDISPLAYOUT, *PDXGK_QUERYINTEGRATEDDISPLAYOUT;

typedef struct _DXGK_QAITARGETIN {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
} DXGK_QAITARGETIN;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _DKGK_GAMMA_DATA_CAP {
    DXGK_GAMMA_DATA_TYPE DataType;
    union {
        struct {
            UINT BitCountOfInteger : 6;
            UINT BitCountOfFraction : 6;
        };
        struct {
            UINT BitCountOfExponent : 6;
            UINT BitCountOfMantissa : 6;
        };
        UINT Value;
    };
    float                NumericRangeMin;
    float                NumericRangeMax;
} DKGK_GAMMA_DATA_CAP;

typedef struct _DXGK_GAMMA_1DLUT_CAP {
    UINT                NumberOfLUTEntries;
    DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_1DLUT_CAP, *PDXGK_GAMMA_1DLUT_CAP;

typedef struct _DXGK_GAMMA_MATRIX_CAP {
    union {
        struct {
            UINT MatrixSizeX : 10;
            UINT MatrixSizeY : 10;
        };
        UINT Value;
    };
    DKGK_GAMMA_DATA_CAP GammaDataCap;
} DXGK_GAMMA_MATRIX_CAP, *PDXGK_GAMMA_MATRIX_CAP;

typedef struct _DXGK_TARGET_GAMMA_CAPS {
    DXGK_TARGET_GAMMA_CAPS_VERSION Version;
    DXGK_GAMMA_1DLUT_CAP           LookupTable1DDegammaCap;
    DXGK_GAMMA_MATRIX_CAP          ColorMatrix3x3Cap;
    DXGK_GAMMA_1DLUT_CAP           LookupTable1DRegammaCap;
} DXGK_TARGET_GAMMA_CAPS, *PDXGK_TARGET_GAMMA_CAPS;

typedef struct _DXGK_QAISOURCEIN {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID Source;
} DXGK_QAISOURCEIN;

typedef struct _DXGK_QUERY_SCANOUT_CAPS_OUT {
    UINT Caps;
} DXGK_QUERY_SCANOUT_CAPS_OUT, *PDXGK_QUERY_SCANOUT_CAPS_OUT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)

typedef struct _DXGK_QUERYDISPLAYIDIN {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
} DXGK_QUERYDISPLAYIDIN;

typedef struct _DXGK_QUERYDISPLAYIDOUT {
    UINT Length;
    BYTE *pDescriptor;
} DXGK_QUERYDISPLAYIDOUT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGK_QUERYINTEGRATEDDISPLAYOUT2 {
    DXGK_INTEGRATEDDISPLAYFLAGS        Flags;
    D3DKMDT_VIDEO_SIGNAL_INFO          NativeTiming;
    DXGK_MONITORLINKINFO_CAPABILITIES  LinkCapabilities;
    DXGK_COLORIMETRY                   Colorimetry;
    DXGK_DISPLAY_TECHNOLOGY            DisplayTechnology;
    DXGK_DISPLAY_USAGE                 IntendedUsage;
    BYTE                               Instance;
    DXGK_DISPLAY_DESCRIPTOR_TYPE       DescriptorType;
    D3DKMDT_WIRE_FORMAT_AND_PREFERENCE DitheringSupport;
} DXGK_QUERYINTEGRATEDDISPLAYOUT2, *PDXGK_QUERYINTEGRATEDDISPLAYOUT2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGK_PHYSICAL_MEMORY_CAPS {
    PHYSICAL_ADDRESS HighestVisibleAddress;
} DXGK_PHYSICAL_MEMORY_CAPS;

typedef struct _DXGK_IOMMU_CAPS {
    union {
        struct {
            UINT32 IommuIsolationSupported : 1;
            UINT32 IommuIsolationRequired : 1;
            UINT32 DmaRemappingSupported : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT   Reserved : 29;
#else
            UINT   GpuVaIommuRequired : 1;
            UINT   GpuVaIommuGlobalRequired : 1;
            UINT   Reserved : 27;
#endif
        };
        UINT32 Value;
    };
} DXGK_IOMMU_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _DXGK_NATIVE_FENCE_CAPS {
    UINT                   MonitoredValueStride;
    BOOLEAN                MapToGpuSystemProcess;
    D3DGPU_VIRTUAL_ADDRESS MinimumAddress;
    D3DGPU_VIRTUAL_ADDRESS MaximumAddress;
    BYTE                   Reserved[28];
} DXGK_NATIVE_FENCE_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_QUERYADAPTERINFOFLAGS {
    union {
        struct {
            UINT VirtualMachineData : 1;
            UINT SecureVirtualMachine : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_QUERYADAPTERINFOFLAGS;

#endif

typedef struct _DXGKARG_QUERYADAPTERINFO {
    DXGK_QUERYADAPTERINFOTYPE  Type;
    void                       *pInputData;
    UINT                       InputDataSize;
    void                       *pOutputData;
    UINT                       OutputDataSize;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGK_QUERYADAPTERINFOFLAGS Flags;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    HANDLE                     hKmdProcessHandle;
#endif
} DXGKARG_QUERYADAPTERINFO;

typedef _In_ const DXGKARG_QUERYADAPTERINFO *IN_CONST_PDXGKARG_QUERYADAPTERINFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERYADAPTERINFO(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_QUERYADAPTERINFO pQueryAdapterInfo);

typedef DXGKDDI_QUERYADAPTERINFO *PDXGKDDI_QUERYADAPTERINFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_MULTIPLANEOVERLAYCAPS {
    union {
        struct {
            UINT Rotation : 1;
            UINT RotationWithoutIndependentFlip : 1;
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT StretchRGB : 1;
            UINT StretchYUV : 1;
            UINT BilinearFilter : 1;
            UINT HighFilter : 1;
            UINT Shared : 1;
            UINT Immediate : 1;
            UINT Plane0ForVirtualModeOnly : 1;
            UINT Reserved : 21;
        };
        UINT Value;
    };
} DXGK_MULTIPLANEOVERLAYCAPS;

typedef struct _DXGKARG_GETMULTIPLANEOVERLAYCAPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    UINT                           MaxPlanes;
    UINT                           MaxRGBPlanes;
    UINT                           MaxYUVPlanes;
    DXGK_MULTIPLANEOVERLAYCAPS     OverlayCaps;
    float                          MaxStretchFactor;
    float                          MaxShrinkFactor;
} DXGKARG_GETMULTIPLANEOVERLAYCAPS;

typedef _Inout_ DXGKARG_GETMULTIPLANEOVERLAYCAPS *IN_OUT_PDXGKARG_GETMULTIPLANEOVERLAYCAPS;

typedef NTSTATUS NTAPI DXGKDDI_GETMULTIPLANEOVERLAYCAPS(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_GETMULTIPLANEOVERLAYCAPS pGetMultiPlaneOverlayCaps);

typedef DXGKDDI_GETMULTIPLANEOVERLAYCAPS *PDXGKDDI_GETMULTIPLANEOVERLAYCAPS;

typedef struct _DXGKARG_GETPOSTCOMPOSITIONCAPS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    float                          MaxStretchFactor;
    float                          MaxShrinkFactor;
} DXGKARG_GETPOSTCOMPOSITIONCAPS;

typedef _Inout_ DXGKARG_GETPOSTCOMPOSITIONCAPS *IN_OUT_PDXGKARG_GETPOSTCOMPOSITIONCAPS;

typedef NTSTATUS NTAPI DXGKDDI_GETPOSTCOMPOSITIONCAPS(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_GETPOSTCOMPOSITIONCAPS pGetPostCompositionCaps);

typedef DXGKDDI_GETPOSTCOMPOSITIONCAPS *PDXGKDDI_GETPOSTCOMPOSITIONCAPS;

#endif

typedef enum _DXGK_RECOMMENDVIDPNTOPOLOGY_REASON {
    DXGK_RVT_UNINITIALIZED              = 0,
    DXGK_RVT_INITIALIZATION_NOLKG       = 1,
    DXGK_RVT_AUGMENTATION_NOLKG         = 2,
    DXGK_RVT_AUGMENTATION_LKGOVERRIDE   = 3,
    DXGK_RVT_INITIALIZATION_LKGOVERRIDE = 4,
} DXGK_RECOMMENDVIDPNTOPOLOGY_REASON;

typedef struct _DXGKARG_RECOMMENDVIDPNTOPOLOGY {
    D3DKMDT_HVIDPN                     hVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID     VidPnSourceId;
    DXGK_RECOMMENDVIDPNTOPOLOGY_REASON RequestReason;
    D3DKMDT_HVIDPNTOPOLOGY             hFallbackTopology;
} DXGKARG_RECOMMENDVIDPNTOPOLOGY;

typedef _In_ const DXGKARG_RECOMMENDVIDPNTOPOLOGY * const IN_CONST_PDXGKARG_RECOMMENDVIDPNTOPOLOGY_CONST;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RECOMMENDVIDPNTOPOLOGY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_RECOMMENDVIDPNTOPOLOGY_CONST pRecommendVidPnTopology);

typedef DXGKDDI_RECOMMENDVIDPNTOPOLOGY *PDXGKDDI_RECOMMENDVIDPNTOPOLOGY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARGCB_MAPMDLTOIOMMU {
    PMDL   pMdl;
    HANDLE hMemoryHandle;
} DXGKARGCB_MAPMDLTOIOMMU;

typedef _Inout_ DXGKARGCB_MAPMDLTOIOMMU *INOUT_PDXGKARGCB_MAPMDLTOIOMMU;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_MAPMDLTOIOMMU)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_MAPMDLTOIOMMU pMapMdlToIoMmu);

typedef struct _DXGKARGCB_UNMAPMDLFROMIOMMU {
    HANDLE hMemoryHandle;
} DXGKARGCB_UNMAPMDLFROMIOMMU;

typedef _In_ const DXGKARGCB_UNMAPMDLFROMIOMMU *IN_CONST_PDXGKARGCB_UNMAPMDLFROMIOMMU;

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_UNMAPMDLFROMIOMMU)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_UNMAPMDLFROMIOMMU pUnmapMdlFromIoMmu);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _DXGK_USERMODESUBMISSION_CAPS {
    union {
        struct {
            UINT SecondaryDoorbellSupported : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
    UINT  DoorbellSizeInBytes;
    UINT  SecondaryDoorbellSizeInBytes;
    UCHAR Reserved[16];
} DXGK_USERMODESUBMISSION_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_DIRTY_BIT_TRACKING_CAPS {
    union {
        struct {
            UINT32 DirtyBitTrackingSupported : 1;
            UINT32 DirtyBitTrackingPerformant : 1;
            UINT32 Reserved : 30;
        };
        UINT32 Value;
    };
} DXGK_DIRTY_BIT_TRACKING_CAPS;

typedef struct _DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS {
    UINT32 PageSize;
} DXGK_DIRTY_BIT_TRACKING_SEGMENT_CAPS;

typedef struct _DXGK_QUERYSCATTERRESERVEIN {
    UINT SegmentId;
} DXGK_QUERYSCATTERRESERVEIN;

typedef struct _DXGK_QUERYSCATTERRESERVEOUT {
    UINT64 SetVGPUResourcesPageSize;
} DXGK_QUERYSCATTERRESERVEOUT;

typedef struct _DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA {
    UINT   vfIndex;
    UINT64 *DataSize;
    BYTE   *Data;
} DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA;

typedef _Inout_ DXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA *INOUT_PDXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA;

typedef NTSTATUS NTAPI DXGKDDI_SAVEIMMUTABLEMIGRATIONDATA(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GPUP_SAVE_IMMUTABLE_MIGRATION_DATA pArgs);

typedef DXGKDDI_SAVEIMMUTABLEMIGRATIONDATA *PDXGKDDI_SAVEIMMUTABLEMIGRATIONDATA;

typedef struct _DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA {
    UINT   vfIndex;
    UINT64 DataSize;
    BYTE   *Data;
} DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA;

typedef _In_ const DXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA *IN_CONST_PDXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA;

typedef NTSTATUS NTAPI DXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_GPUP_RESTORE_IMMUTABLE_MIGRATION_DATA pArgs);

typedef DXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA *PDXGKDDI_RESTOREIMMUTABLEMIGRATIONDATA;

typedef struct _DXGK_QUERYPAGINGBUFFERINFOIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Reserved;
} DXGK_QUERYPAGINGBUFFERINFOIN;

typedef struct _DXGK_QUERYPAGINGBUFFERINFOOUT {
    UINT32 PagingBufferSize;
    UINT32 PagingBufferPrivateDataSize;
} DXGK_QUERYPAGINGBUFFERINFOOUT;

typedef struct _DXGK_QUERYSEGMENTCOUNTIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Padding;
    UINT32 Reserved;
} DXGK_QUERYSEGMENTCOUNTIN;

typedef struct _DXGK_QUERYSEGMENTCOUNTOUT {
    UINT16 SegmentCount;
    UINT16 Padding;
    UINT32 Reserved;
} DXGK_QUERYSEGMENTCOUNTOUT;

typedef enum _DXGK_PAGESIZE {
    DXGK_PAGESIZE_4KB   = 0,
    DXGK_PAGESIZE_8KB   = 1,
    DXGK_PAGESIZE_16KB  = 2,
    DXGK_PAGESIZE_32KB  = 3,
    DXGK_PAGESIZE_64KB  = 4,
    DXGK_PAGESIZE_128KB = 5,
    DXGK_PAGESIZE_256KB = 6,
    DXGK_PAGESIZE_512KB = 7,
    DXGK_PAGESIZE_1MB   = 8,
    DXGK_PAGESIZE_2MB   = 9,
    DXGK_PAGESIZE_4MB   = 10,
    DXGK_PAGESIZE_8MB   = 11,
    DXGK_PAGESIZE_16MB  = 12,
    DXGK_PAGESIZE_32MB  = 13,
    DXGK_PAGESIZE_64MB  = 14,
    DXGK_PAGESIZE_128MB = 15,
} DXGK_PAGESIZE;

typedef struct _DXGK_SEGMENTDESCRIPTOR5 {
    DXGK_SEGMENTTYPE  SegmentType;
    DXGK_SEGMENTFLAGS Flags;
    PHYSICAL_ADDRESS  BaseAddress;
    UINT64            Size;
    SIZE_T            SystemMemoryEndAddress;
    union {
        PHYSICAL_ADDRESS     CpuTranslatedAddress;
        DXGK_CPUHOSTAPERTURE CpuHostAperture;
    };
    SIZE_T            VprRangeStartOffset;
    SIZE_T            VprRangeSize;
    UINT32            VprAlignment;
    UINT32            NumInvalidMemoryRanges;
    UINT32            NumVprSupported;
    UINT32            VprReserveSize;
    UINT32            NumUEFIFrameBufferRanges;
    DXGK_PAGESIZE     SlabSize;
} DXGK_SEGMENTDESCRIPTOR5;

typedef struct _DXGK_QUERYSEGMENTIN5 {
    UINT16 PhysicalAdapterIndex;
    UINT16 Padding;
    UINT32 Reserved;
} DXGK_QUERYSEGMENTIN5;

typedef struct _DXGK_QUERYSEGMENTOUT5 {
    DXGK_SEGMENTDESCRIPTOR5 *SegmentDescriptors;
    UINT32                  Reserved[4];
} DXGK_QUERYSEGMENTOUT5;

typedef struct _DXGK_QUERYMMUCOUNTIN {
    UINT16 PhysicalAdapterIndex;
    UINT16 Padding;
    UINT32 Reserved;
} DXGK_QUERYMMUCOUNTIN;

typedef struct _DXGK_QUERYMMUCOUNTOUT {
    UINT16 MmuCount;
    UINT16 Padding;
    UINT32 Reserved;
} DXGK_QUERYMMUCOUNTOUT;

typedef union _DXGK_MMUFLAGS {
    struct {
        UINT32 Reserved : 32;
    };
    UINT32 Value;
} DXGK_MMUFLAGS;

typedef struct _DXGK_MMUDESCRIPTOR {
    DXGK_MMUFLAGS Flags;
    UINT64        Size;
} DXGK_MMUDESCRIPTOR;

typedef struct _DXGK_QUERYMMUSIN {
    UINT16 PhysicalAdapterIndex;
} DXGK_QUERYMMUSIN;

typedef struct _DXGK_QUERYMMUSOUT {
    DXGK_MMUDESCRIPTOR *MmuDescriptors;
    UINT16             DisplayMmuId;
    UINT16             Reserved0;
    UINT32             Reserved[4];
} DXGK_QUERYMMUSOUT;

typedef struct _DXGK_64_BIT_ONLY_CAPS {
    union {
        struct {
            UINT32 SupportsOnly64Bit : 1;
            UINT32 Reserved : 31;
        };
        UINT32 Value;
    };
} DXGK_64_BIT_ONLY_CAPS;

typedef struct _DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1 {
    UINT SupportOptimizedDefaultFenceType : 1;
    UINT SupportIntraGpuFenceType : 1;
} DXGKARGCB_FEATURE_NATIVEFENCE_CAPS_1;

typedef struct _DXGK_DSI2_CAPS {
    BYTE   DSI2VersionMajor;
    BYTE   DSI2VersionMinor;
    UINT16 TargetMaximumReturnPacketSize;
    BYTE   ResultCodeFlags;
    BYTE   ResultCodeStatus;
    BYTE   Revision;
    BYTE   Level;
    BYTE   DeviceClassHi;
    BYTE   DeviceClassLo;
    BYTE   ManufacturerHi;
    BYTE   ManufacturerLo;
    BYTE   ProductHi;
    BYTE   ProductLo;
    BYTE   LengthHi;
    BYTE   LengthLo;
} DXGK_DSI2_CAPS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef DXGK_QUERYSEGMENTMEMORYSTATE DXGK_SEGMENTMEMORYSTATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef DXGK_QAITARGETIN DXGK_QUERYINTEGRATEDDISPLAYIN;

typedef DXGK_QAITARGETIN DXGK_QUERYCOLORIMETRYOVERRIDESIN;

typedef DXGK_QAITARGETIN DXGK_QUERYTARGETGAMMACAPSIN;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef DXGK_QAISOURCEIN DXGK_QUERY_SCANOUT_CAPS_IN;

#endif

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    OUT_PSIZE_T pNumPaths);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    OUT_PSIZE_T pNumPathsFromSource);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    IN_CONST_D3DKMDT_VIDPN_PRESENT_PATH_INDEX VidPnPresentPathIndex,
    OUT_PD3DDDI_VIDEO_PRESENT_TARGET_ID pVidPnTargetId);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidTopology,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    OUT_PD3DDDI_VIDEO_PRESENT_SOURCE_ID pVidPnSourceId);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_PRESENT_PATH ppVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_PRESENT_PATH ppFirstVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_PD3DKMDT_VIDPN_PRESENT_PATH_CONST pVidPnPresentPathInfo,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_PRESENT_PATH ppNextVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY i_hVidPnTopology,
    IN_CONST_PD3DKMDT_VIDPN_PRESENT_PATH i_pVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_PD3DKMDT_VIDPN_PRESENT_PATH_CONST pVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    DEREF_OUT_PPD3DKMDT_VIDPN_PRESENT_PATH ppNewVidPnPresentPathInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_ADDPATH)(
    IN_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_PD3DKMDT_VIDPN_PRESENT_PATH pVidPnPresentPath);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH)(
    IN_CONST_D3DKMDT_HVIDPNTOPOLOGY hVidPnTopology,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId);

typedef struct _DXGK_VIDPNTOPOLOGY_INTERFACE {
    DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHS            pfnGetNumPaths;
    DXGKDDI_VIDPNTOPOLOGY_GETNUMPATHSFROMSOURCE  pfnGetNumPathsFromSource;
    DXGKDDI_VIDPNTOPOLOGY_ENUMPATHTARGETSFROMSOURCE pfnEnumPathTargetsFromSource;
    DXGKDDI_VIDPNTOPOLOGY_GETPATHSOURCEFROMTARGET pfnGetPathSourceFromTarget;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIREPATHINFO        pfnAcquirePathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIREFIRSTPATHINFO   pfnAcquireFirstPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ACQUIRENEXTPATHINFO    pfnAcquireNextPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_UPDATEPATHSUPPORTINFO  pfnUpdatePathSupportInfo;
    DXGKDDI_VIDPNTOPOLOGY_RELEASEPATHINFO        pfnReleasePathInfo;
    DXGKDDI_VIDPNTOPOLOGY_CREATENEWPATHINFO      pfnCreateNewPathInfo;
    DXGKDDI_VIDPNTOPOLOGY_ADDPATH                pfnAddPath;
    DXGKDDI_VIDPNTOPOLOGY_REMOVEPATH             pfnRemovePath;
} DXGK_VIDPNTOPOLOGY_INTERFACE;

typedef _Outptr_ const DXGK_VIDPNTOPOLOGY_INTERFACE **DEREF_OUT_CONST_PPDXGK_VIDPNTOPOLOGY_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_GETTOPOLOGY)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    OUT_PD3DKMDT_HVIDPNTOPOLOGY phVidPnTopology,
    DEREF_OUT_CONST_PPDXGK_VIDPNTOPOLOGY_INTERFACE ppVidPnTopologyInterface);

/* ----------------------------------------------------------------------------------------------
 * GPU virtual memory
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_PAGE_TABLE_LEVEL_DESC {
    UINT PageTableIndexBitCount;
    UINT PageTableSegmentId;
    UINT PagingProcessPageTableSegmentId;
    UINT PageTableSizeInBytes;
    UINT PageTableAlignmentInBytes;
} DXGK_PAGE_TABLE_LEVEL_DESC;

typedef struct _DXGKARG_SETROOTPAGETABLE {
    HANDLE                  hContext;
    D3DGPU_PHYSICAL_ADDRESS Address;
    UINT                    NumEntries;
} DXGKARG_SETROOTPAGETABLE;

typedef _In_ const DXGKARG_SETROOTPAGETABLE *IN_CONST_PDXGKARG_SETROOTPAGETABLE;

typedef void NTAPI DXGKDDI_SETROOTPAGETABLE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETROOTPAGETABLE pSetPageTable);

typedef DXGKDDI_SETROOTPAGETABLE *PDXGKDDI_SETROOTPAGETABLE;

typedef struct _DXGKARG_GETROOTPAGETABLESIZE {
    UINT NumberOfPte;
    UINT PhysicalAdapterIndex;
} DXGKARG_GETROOTPAGETABLESIZE;

typedef _Inout_ DXGKARG_GETROOTPAGETABLESIZE *INOUT_PDXGKARG_GETROOTPAGETABLESIZE;

typedef SIZE_T NTAPI DXGKDDI_GETROOTPAGETABLESIZE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GETROOTPAGETABLESIZE pArgs);

typedef DXGKDDI_GETROOTPAGETABLESIZE *PDXGKDDI_GETROOTPAGETABLESIZE;

typedef struct _DXGKARG_MAPCPUHOSTAPERTURE {
    HANDLE hAllocation;
    WORD   SegmentId;
    WORD   PhysicalAdapterIndex;
    UINT64 NumberOfPages;
    UINT32 *pCpuHostAperturePages;
    UINT64 *pMemorySegmentPages;
} DXGKARG_MAPCPUHOSTAPERTURE;

typedef _In_ const DXGKARG_MAPCPUHOSTAPERTURE *IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE;

typedef NTSTATUS NTAPI DXGKDDI_MAPCPUHOSTAPERTURE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_MAPCPUHOSTAPERTURE pArgs);

typedef DXGKDDI_MAPCPUHOSTAPERTURE *PDXGKDDI_MAPCPUHOSTAPERTURE;

typedef struct _DXGKARG_UNMAPCPUHOSTAPERTURE {
    UINT64 NumberOfPages;
    UINT32 *pCpuHostAperturePages;
    WORD   SegmentId;
    WORD   PhysicalAdapterIndex;
} DXGKARG_UNMAPCPUHOSTAPERTURE;

typedef _In_ const DXGKARG_UNMAPCPUHOSTAPERTURE *IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE;

typedef NTSTATUS NTAPI DXGKDDI_UNMAPCPUHOSTAPERTURE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_UNMAPCPUHOSTAPERTURE pArgs);

typedef DXGKDDI_UNMAPCPUHOSTAPERTURE *PDXGKDDI_UNMAPCPUHOSTAPERTURE;

typedef struct _DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE {
    HANDLE hDxgkProcess;
    UINT64 SizeInBytes;
    UINT   Alignment;
    UINT64 StartVirtualAddress;
    UINT64 BaseAddress;
    union {
        struct {
            UINT AllowUserModeMapping : 1;
        };
        UINT Flags;
    };
} DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE;

typedef _Inout_ DXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE *INOUT_PDXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_RESERVEGPUVIRTUALADDRESSRANGE)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_RESERVEGPUVIRTUALADDRESSRANGE pArgs);

#endif

/* ----------------------------------------------------------------------------------------------
 * Native fences
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _DXGK_CREATECPUEVENTFLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_CREATECPUEVENTFLAGS;

typedef struct _DXGKARG_CREATECPUEVENT {
    HANDLE                   hKmdDevice;
    HANDLE                   hDxgCpuEvent;
    DXGK_CREATECPUEVENTFLAGS Flags;
    HANDLE                   hKmdCpuEvent;
} DXGKARG_CREATECPUEVENT;

typedef _Inout_ DXGKARG_CREATECPUEVENT *INOUT_PDXGKARG_CREATECPUEVENT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATECPUEVENT(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATECPUEVENT pArgs);

typedef DXGKDDI_CREATECPUEVENT *PDXGKDDI_CREATECPUEVENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _DXGKARG_CREATENATIVEFENCE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_CREATENATIVEFENCE_FLAGS;

typedef struct _DXGK_OPENNATIVEFENCE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_OPENNATIVEFENCE_FLAGS;

typedef struct _DXGK_CLOSENATIVEFENCE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_CLOSENATIVEFENCE_FLAGS;

typedef struct _DXGK_DESTROYNATIVEFENCE_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_DESTROYNATIVEFENCE_FLAGS;

typedef struct _DXGKARG_UPDATEMONITOREDVALUES_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_UPDATEMONITOREDVALUES_FLAGS;

typedef struct _DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS;

typedef struct _DXGKARG_UPDATENATIVEFENCELOGS_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_UPDATENATIVEFENCELOGS_FLAGS;

typedef struct _DXGKARG_CREATENATIVEFENCE {
    HANDLE                          hGlobalNativeFence;
    D3DDDI_NATIVEFENCE_TYPE         Type;
    D3DGPU_VIRTUAL_ADDRESS          CurrentValueSystemProcessGpuVa;
    D3DGPU_VIRTUAL_ADDRESS          MonitoredValueSystemProcessGpuVa;
    BYTE                            pPrivateDriverData[64];
    DXGKARG_CREATENATIVEFENCE_FLAGS Flags;
    BYTE                            Reserved[32];
} DXGKARG_CREATENATIVEFENCE;

typedef _Inout_ DXGKARG_CREATENATIVEFENCE *INOUT_PDXGKARG_CREATENATIVEFENCE;

typedef NTSTATUS NTAPI DXGKDDI_CREATENATIVEFENCE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATENATIVEFENCE pCreateNativeFence);

typedef DXGKDDI_CREATENATIVEFENCE *PDXGKDDI_CREATENATIVEFENCE;

typedef struct _DXGKARG_DESTROYNATIVEFENCE {
    HANDLE                        hGlobalNativeFence;
    DXGK_DESTROYNATIVEFENCE_FLAGS Flags;
    BYTE                          Reserved[32];
} DXGKARG_DESTROYNATIVEFENCE;

typedef _Inout_ DXGKARG_DESTROYNATIVEFENCE *INOUT_PDXGKARG_DESTROYNATIVEFENCE;

typedef NTSTATUS NTAPI DXGKDDI_DESTROYNATIVEFENCE(
    INOUT_PDXGKARG_DESTROYNATIVEFENCE pDestroyNativeFence);

typedef DXGKDDI_DESTROYNATIVEFENCE *PDXGKDDI_DESTROYNATIVEFENCE;

typedef struct _DXGKARG_UPDATEMONITOREDVALUES {
    HANDLE                              *NativeFenceArray;
    UINT64                              *UpdatedValueArray;
    void                                **MonitoredValueKernelCpuVa;
    UINT                                NumFences;
    DXGKARG_UPDATEMONITOREDVALUES_FLAGS Flags;
    BYTE                                Reserved[28];
} DXGKARG_UPDATEMONITOREDVALUES;

typedef _In_ const DXGKARG_UPDATEMONITOREDVALUES *IN_CONST_PDXGKARG_UPDATEMONITOREDVALUES;

typedef NTSTATUS NTAPI DXGKDDI_UPDATEMONITOREDVALUES(
    IN_CONST_PDXGKARG_UPDATEMONITOREDVALUES pUpdateMonitoredValues);

typedef DXGKDDI_UPDATEMONITOREDVALUES *PDXGKDDI_UPDATEMONITOREDVALUES;

typedef struct _DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS {
    union {
        struct {
            UINT AlwaysSignaled : 1;
            UINT NotificationOnly : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS;

typedef struct _DXGKARG_UPDATECURRENTVALUESFROMCPU {
    HANDLE                                *NativeFenceArray;
    UINT64                                *UpdatedValueArray;
    void                                  **CurrentValueKernelCpuVa;
    UINT                                  NumFences;
    DXGK_UPDATECURRENTVALUESFROMCPU_FLAGS Flags;
    BYTE                                  Reserved[28];
} DXGKARG_UPDATECURRENTVALUESFROMCPU;

typedef _In_ const DXGKARG_UPDATECURRENTVALUESFROMCPU *IN_CONST_PDXGKARG_UPDATECURRENTVALUESFROMCPU;

typedef NTSTATUS NTAPI DXGKDDI_UPDATECURRENTVALUESFROMCPU(
    IN_CONST_PDXGKARG_UPDATECURRENTVALUESFROMCPU pUpdateCurrentValuesFromCpu);

typedef DXGKDDI_UPDATECURRENTVALUESFROMCPU *PDXGKDDI_UPDATECURRENTVALUESFROMCPU;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGKARG_OPENNATIVEFENCE {
    HANDLE                     hGlobalNativeFence;
    HANDLE                     hLocalNativeFence;
    HANDLE                     hDevice;
    D3DGPU_VIRTUAL_ADDRESS     CurrentValueGpuVa;
    D3DGPU_VIRTUAL_ADDRESS     MonitoredValueGpuVa;
    DXGK_OPENNATIVEFENCE_FLAGS Flags;
    BYTE                       pPrivateDriverData[64];
    BYTE                       Reserved[32];
} DXGKARG_OPENNATIVEFENCE;

typedef _Inout_ DXGKARG_OPENNATIVEFENCE *INOUT_PDXGKARG_OPENNATIVEFENCE;

typedef NTSTATUS NTAPI DXGKDDI_OPENNATIVEFENCE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_OPENNATIVEFENCE pOpenNativeFence);

typedef DXGKDDI_OPENNATIVEFENCE *PDXGKDDI_OPENNATIVEFENCE;

typedef struct _DXGKARG_CLOSENATIVEFENCE {
    HANDLE                      hLocalNativeFence;
    DXGK_CLOSENATIVEFENCE_FLAGS Flags;
    BYTE                        Reserved[32];
} DXGKARG_CLOSENATIVEFENCE;

typedef _Inout_ DXGKARG_CLOSENATIVEFENCE *INOUT_PDXGKARG_CLOSENATIVEFENCE;

typedef NTSTATUS NTAPI DXGKDDI_CLOSENATIVEFENCE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CLOSENATIVEFENCE pCloseNativeFence);

typedef DXGKDDI_CLOSENATIVEFENCE *PDXGKDDI_CLOSENATIVEFENCE;

typedef struct _DXGKARG_SETNATIVEFENCELOGBUFFER {
    HANDLE                                hHwQueue;
    UINT                                  NumberOfEntries;
    DXGK_NATIVE_FENCE_LOG_BUFFER          *LogBufferCpuVa;
    D3DGPU_VIRTUAL_ADDRESS                LogBufferGpuVa;
    D3DGPU_VIRTUAL_ADDRESS                LogBufferSystemProcessGpuVa;
    DXGKARG_SETNATIVEFENCELOGBUFFER_FLAGS Flags;
    BYTE                                  Reserved[32];
} DXGKARG_SETNATIVEFENCELOGBUFFER;

typedef _In_ const DXGKARG_SETNATIVEFENCELOGBUFFER *IN_CONST_PDXGKARG_SETNATIVEFENCELOGBUFFER;

typedef NTSTATUS NTAPI DXGKDDI_SETNATIVEFENCELOGBUFFER(
    IN_CONST_PDXGKARG_SETNATIVEFENCELOGBUFFER pSetNativeFenceLogBuffer);

typedef DXGKDDI_SETNATIVEFENCELOGBUFFER *PDXGKDDI_SETNATIVEFENCELOGBUFFER;

typedef struct _DXGKARG_UPDATENATIVEFENCELOGS {
    UINT                                NumberOfQueues;
    HANDLE                              *hHWQueue;
    DXGKARG_UPDATENATIVEFENCELOGS_FLAGS Flags;
    BYTE                                Reserved[32];
} DXGKARG_UPDATENATIVEFENCELOGS;

typedef _In_ const DXGKARG_UPDATENATIVEFENCELOGS *IN_CONST_PDXGKARG_UPDATENATIVEFENCELOGS;

typedef NTSTATUS NTAPI DXGKDDI_UPDATENATIVEFENCELOGS(
    IN_CONST_PDXGKARG_UPDATENATIVEFENCELOGS pUpdateNativeFenceLog);

typedef DXGKDDI_UPDATENATIVEFENCELOGS *PDXGKDDI_UPDATENATIVEFENCELOGS;

typedef struct _DXGKCBINT_FEATURE_NATIVEFENCE_1 {
    PVOID GetOSCaps;
} DXGKCBINT_FEATURE_NATIVEFENCE_1;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYCPUEVENT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hKmdCpuEvent);

typedef DXGKDDI_DESTROYCPUEVENT *PDXGKDDI_DESTROYCPUEVENT;

#endif

/* ----------------------------------------------------------------------------------------------
 * Doorbells
 *
 * Submission by the client itself, without a call into the kernel.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_1)

typedef struct _DXGKARG_CREATEDOORBELL_FLAGS {
    union {
        struct {
            UINT ResizeRingBufferOperation : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKARG_CREATEDOORBELL_FLAGS;

typedef struct _DXGKARG_CREATEDOORBELL {
    HANDLE                       hHwQueue;
    HANDLE                       hDoorbell;
    UINT                         PrivateDriverDataSize;
    void                         *PrivateDriverData;
    HANDLE                       hRingBuffer;
    HANDLE                       hRingBufferControl;
    DXGKARG_CREATEDOORBELL_FLAGS Flags;
} DXGKARG_CREATEDOORBELL;

typedef _Inout_ DXGKARG_CREATEDOORBELL *INOUT_PDXGKARG_CREATEDOORBELL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEDOORBELL(
    INOUT_PDXGKARG_CREATEDOORBELL pArgs);

typedef DXGKDDI_CREATEDOORBELL *PDXGKDDI_CREATEDOORBELL;

typedef struct _DXGKARG_CONNECTDOORBELL_FLAGS {
    union {
        struct {
            UINT RequireSecondaryAddress : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGKARG_CONNECTDOORBELL_FLAGS;

typedef struct _DXGKARG_CONNECTDOORBELL {
    HANDLE                        hDoorbell;
    DXGKARG_CONNECTDOORBELL_FLAGS Flags;
    void                          *KernelCpuVirtualAddress;
    void                          *SecondaryKernelCpuVirtualAddress;
    D3DDDI_DOORBELLSTATUS         Status;
} DXGKARG_CONNECTDOORBELL;

typedef _Inout_ DXGKARG_CONNECTDOORBELL *INOUT_PDXGKARG_CONNECTDOORBELL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CONNECTDOORBELL(
    INOUT_PDXGKARG_CONNECTDOORBELL pArgs);

typedef DXGKDDI_CONNECTDOORBELL *PDXGKDDI_CONNECTDOORBELL;

typedef struct _DXGKARG_DISCONNECTDOORBELL_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_DISCONNECTDOORBELL_FLAGS;

typedef struct _DXGKARG_DISCONNECTDOORBELL {
    HANDLE                           hDoorbell;
    DXGKARG_DISCONNECTDOORBELL_FLAGS Flags;
} DXGKARG_DISCONNECTDOORBELL;

typedef _Inout_ DXGKARG_DISCONNECTDOORBELL *INOUT_PDXGKARG_DISCONNECTDOORBELL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DISCONNECTDOORBELL(
    INOUT_PDXGKARG_DISCONNECTDOORBELL pArgs);

typedef DXGKDDI_DISCONNECTDOORBELL *PDXGKDDI_DISCONNECTDOORBELL;

typedef struct _DXGKARG_DESTROYDOORBELL {
    HANDLE hDoorbell;
} DXGKARG_DESTROYDOORBELL;

typedef _Inout_ DXGKARG_DESTROYDOORBELL *INOUT_PDXGKARG_DESTROYDOORBELL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYDOORBELL(
    INOUT_PDXGKARG_DESTROYDOORBELL pArgs);

typedef DXGKDDI_DESTROYDOORBELL *PDXGKDDI_DESTROYDOORBELL;

typedef struct _DXGKARG_NOTIFYWORKSUBMISSION_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARG_NOTIFYWORKSUBMISSION_FLAGS;

typedef struct _DXGKARG_NOTIFYWORKSUBMISSION {
    HANDLE                             hHwQueue;
    DXGKARG_NOTIFYWORKSUBMISSION_FLAGS Flags;
} DXGKARG_NOTIFYWORKSUBMISSION;

typedef _Inout_ DXGKARG_NOTIFYWORKSUBMISSION *INOUT_PDXGKARG_NOTIFYWORKSUBMISSION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_NOTIFYWORKSUBMISSION(
    INOUT_PDXGKARG_NOTIFYWORKSUBMISSION pArgs);

typedef DXGKDDI_NOTIFYWORKSUBMISSION *PDXGKDDI_NOTIFYWORKSUBMISSION;

typedef struct _DXGKARGCB_DISCONNECTDOORBELL_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARGCB_DISCONNECTDOORBELL_FLAGS;

typedef struct _DXGKARGCB_DISCONNECTDOORBELL {
    HANDLE                             hHwQueue;
    HANDLE                             hDoorbell;
    DXGKARGCB_DISCONNECTDOORBELL_FLAGS Flags;
    D3DDDI_DOORBELLSTATUS              DisconnectReason;
} DXGKARGCB_DISCONNECTDOORBELL;

typedef _Inout_ DXGKARGCB_DISCONNECTDOORBELL *INOUT_PDXGKARGCB_DISCONNECTDOORBELL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_DISCONNECTDOORBELL)(
    INOUT_PDXGKARGCB_DISCONNECTDOORBELL pArgs);

#endif

/* ----------------------------------------------------------------------------------------------
 * Pointer, palette, overlays
 */

typedef struct _DXGKARG_SETPOINTERSHAPE {
    DXGK_POINTERFLAGS              Flags;
    UINT                           Width;
    UINT                           Height;
    UINT                           Pitch;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    const void                     *pPixels;
    UINT                           XHot;
    UINT                           YHot;
} DXGKARG_SETPOINTERSHAPE;

typedef _In_ const DXGKARG_SETPOINTERSHAPE *IN_CONST_PDXGKARG_SETPOINTERSHAPE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETPOINTERSHAPE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETPOINTERSHAPE pSetPointerShape);

typedef DXGKDDI_SETPOINTERSHAPE *PDXGKDDI_SETPOINTERSHAPE;

typedef struct _DXGK_SETPOINTERPOSITIONFLAGS {
    union {
        struct {
            UINT Visible : 1;
            UINT Procedural : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_SETPOINTERPOSITIONFLAGS;

typedef struct _DXGKARG_SETPOINTERPOSITION {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    INT                            X;
    INT                            Y;
    DXGK_SETPOINTERPOSITIONFLAGS   Flags;
} DXGKARG_SETPOINTERPOSITION;

typedef _In_ const DXGKARG_SETPOINTERPOSITION *IN_CONST_PDXGKARG_SETPOINTERPOSITION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETPOINTERPOSITION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETPOINTERPOSITION pSetPointerPosition);

typedef DXGKDDI_SETPOINTERPOSITION *PDXGKDDI_SETPOINTERPOSITION;

typedef struct _DXGK_OVERLAYINFO {
    HANDLE           hAllocation;
    PHYSICAL_ADDRESS PhysicalAddress;
    UINT             SegmentId;
    RECT             DstRect;
    RECT             SrcRect;
    void             *pPrivateDriverData;
    UINT             PrivateDriverDataSize;
} DXGK_OVERLAYINFO;

typedef struct _DXGKARG_CREATEOVERLAY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    DXGK_OVERLAYINFO               OverlayInfo;
    HANDLE                         hOverlay;
} DXGKARG_CREATEOVERLAY;

typedef _Inout_ DXGKARG_CREATEOVERLAY *INOUT_PDXGKARG_CREATEOVERLAY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEOVERLAY(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CREATEOVERLAY pCreateOverlay);

typedef DXGKDDI_CREATEOVERLAY *PDXGKDDI_CREATEOVERLAY;

typedef struct _DXGKARG_UPDATEOVERLAY {
    DXGK_OVERLAYINFO OverlayInfo;
} DXGKARG_UPDATEOVERLAY;

typedef _In_ const DXGKARG_UPDATEOVERLAY *IN_CONST_PDXGKARG_UPDATEOVERLAY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_UPDATEOVERLAY(
    IN_CONST_HANDLE hOverlay,
    IN_CONST_PDXGKARG_UPDATEOVERLAY pUpdateOverlay);

typedef DXGKDDI_UPDATEOVERLAY *PDXGKDDI_UPDATEOVERLAY;

typedef struct _DXGKARG_FLIPOVERLAY {
    HANDLE           hSource;
    PHYSICAL_ADDRESS SrcPhysicalAddress;
    UINT             SrcSegmentId;
    void             *pPrivateDriverData;
    UINT             PrivateDriverDataSize;
} DXGKARG_FLIPOVERLAY;

typedef _In_ const DXGKARG_FLIPOVERLAY *IN_CONST_PDXGKARG_FLIPOVERLAY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_FLIPOVERLAY(
    IN_CONST_HANDLE hOverlay,
    IN_CONST_PDXGKARG_FLIPOVERLAY pFlipOverlay);

typedef DXGKDDI_FLIPOVERLAY *PDXGKDDI_FLIPOVERLAY;

typedef struct _DXGK_SETVIDPNSOURCEADDRESS_FLAGS {
    union {
        struct {
            UINT ModeChange : 1;
            UINT FlipImmediate : 1;
            UINT FlipOnNextVSync : 1;
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT SharedPrimaryTransition : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_0)
            UINT Reserved : 25;
#else
            UINT IndependentFlipExclusive : 1;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0) && \
    (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT Reserved : 24;
#elif (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)
            UINT MoveFlip : 1;
            UINT Reserved : 23;
#endif
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_FLAGS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_MULTIPLANE_OVERLAY_PLANE {
    UINT                               LayerIndex;
    BOOL                               Enabled;
    UINT                               AllocationSegment;
    PHYSICAL_ADDRESS                   AllocationAddress;
    HANDLE                             hAllocation;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE;

typedef struct _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY {
    UINT                             ContextCount;
    HANDLE                           Context[65];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID   VidPnSourceId;
    UINT                             PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE    *pPlanes;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT                             Duration;
#endif
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY;

typedef _In_ const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY *IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY;

typedef NTSTATUS NTAPI DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY pSetVidPnSourceAddressWithMultiPlaneOverlay);

typedef DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY *PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARGCB_MAPFRAMEBUFFERPOINTER {
    UINT   PhysicalAdapterIndex;
    SIZE_T Size;
    SIZE_T Offset;
    PVOID  pBaseAddress;
} DXGKARGCB_MAPFRAMEBUFFERPOINTER;

typedef _Inout_ DXGKARGCB_MAPFRAMEBUFFERPOINTER *INOUT_PDXGKARGCB_MAPFRAMEBUFFERPOINTER;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_MAPFRAMEBUFFERPOINTER)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_MAPFRAMEBUFFERPOINTER pMapFrameBufferPointer);

typedef struct _DXGKARGCB_UNMAPFRAMEBUFFERPOINTER {
    UINT  PhysicalAdapterIndex;
    PVOID pBaseAddress;
} DXGKARGCB_UNMAPFRAMEBUFFERPOINTER;

typedef _In_ const DXGKARGCB_UNMAPFRAMEBUFFERPOINTER *IN_CONST_PDXGKARGCB_UNMAPFRAMEBUFFERPOINTER;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_UNMAPFRAMEBUFFERPOINTER)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_UNMAPFRAMEBUFFERPOINTER pUnmapFrameBufferPointer);

#endif

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETPALETTE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETPALETTE pSetPalette);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_DESTROYOVERLAY(
    IN_CONST_HANDLE hOverlay);

typedef DXGKDDI_SETPALETTE *PDXGKDDI_SETPALETTE;

typedef DXGKDDI_DESTROYOVERLAY *PDXGKDDI_DESTROYOVERLAY;

/* ----------------------------------------------------------------------------------------------
 * Scanning out and planes
 *
 * Which allocation a source shows, on which planes, and when the change takes effect.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE {
    HANDLE                             hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID     VidPnSourceId;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES PlaneAttributes;
} DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE;

typedef struct DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO {
    union {
        struct {
            UINT FailingPlane : 4;
            UINT TryAgain : 1;
            UINT Reserved : 27;
        };
        UINT Value;
    };
} DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 {
    DXGK_MULTIPLANE_OVERLAY_FLAGS              Flags;
    RECT                                       SrcRect;
    RECT                                       DstRect;
    RECT                                       ClipRect;
    D3DDDI_ROTATION                            Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND              Blend;
    DXGK_MULTIPLANE_OVERLAY_VIDEO_FRAME_FORMAT VideoFrameFormat;
    D3DDDI_COLOR_SPACE_TYPE                    ColorSpaceType;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FORMAT      StereoFormat;
    BOOL                                       StereoLeftViewFrame0;
    BOOL                                       StereoBaseViewFrame0;
    DXGK_MULTIPLANE_OVERLAY_STEREO_FLIP_MODE   StereoFlipMode;
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY    StretchQuality;
    UINT                                       Reserved1;
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2;

typedef struct _DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE {
    HANDLE                              hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID      VidPnSourceId;
    UINT                                LayerIndex;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE;

typedef struct _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 {
    UINT                                         PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE    *pPlanes;
    BOOL                                         Supported;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2;

typedef _Inout_ DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 *IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT2 pCheckMultiPlaneOverlaySupport);

typedef DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2 *PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT2;

#endif

typedef struct _DXGKARG_GETSCANLINE {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    BOOLEAN                        InVerticalBlank;
    UINT                           ScanLine;
} DXGKARG_GETSCANLINE;

typedef _Out_ DXGKARG_GETSCANLINE *OUT_PDXGKARG_GETSCANLINE;

typedef _Inout_ DXGKARG_GETSCANLINE *INOUT_PDXGKARG_GETSCANLINE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETSCANLINE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GETSCANLINE pGetScanLine);

typedef DXGKDDI_GETSCANLINE *PDXGKDDI_GETSCANLINE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS {
    union {
        struct {
            UINT FlipStereo : 1;
            UINT FlipStereoTemporaryMono : 1;
            UINT FlipStereoPreferRight : 1;
            UINT RetryAtLowerIrql : 1;
            UINT Reserved : 28;
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS;

typedef struct _DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS {
    union {
        struct {
            UINT PrePresentNeeded : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 31;
#else
            UINT HwFlipQueueDrainNeeded : 1;
            UINT HwFlipQueueDrainAllPlanes : 1;
            UINT HwFlipQueueDrainAllSources : 1;
            UINT Reserved : 28;
#endif
        };
        UINT Value;
    };
} DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS;

typedef struct _DXGK_PLANE_SPECIFIC_INPUT_FLAGS {
    union {
        struct {
            UINT Enabled : 1;
            UINT FlipImmediate : 1;
            UINT FlipOnNextVSync : 1;
            UINT SharedPrimaryTransition : 1;
            UINT IndependentFlipExclusive : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_6)
            UINT Reserved : 27;
#else
            UINT FlipImmediateNoTearing : 1;
            UINT Reserved : 26;
#endif
        };
        UINT Value;
    };
} DXGK_PLANE_SPECIFIC_INPUT_FLAGS;

typedef struct _DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS {
    union {
        struct {
            UINT FlipConvertedToImmediate : 1;
            UINT PostPresentNeeded : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_2)
            UINT Reserved : 30;
#else
            UINT HsyncInterruptCompletion : 1;
            UINT Reserved : 29;
#endif
        };
        UINT Value;
    };
} DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS;

typedef struct _DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 {
    DXGK_MULTIPLANE_OVERLAY_FLAGS           Flags;
    RECT                                    SrcRect;
    RECT                                    DstRect;
    RECT                                    ClipRect;
    D3DDDI_ROTATION                         Rotation;
    DXGK_MULTIPLANE_OVERLAY_BLEND           Blend;
    D3DDDI_COLOR_SPACE_TYPE                 ColorSpaceType;
    DXGK_MULTIPLANE_OVERLAY_STRETCH_QUALITY StretchQuality;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_3)
    UINT                                    SDRWhiteLevel;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)
    UINT                                    DirtyRectCnt;
    const RECT                              *pDirtyRects;
#endif
} DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3;

typedef struct _DXGK_HDR_METADATA {
    D3DDDI_HDR_METADATA_TYPE Type;
    UINT                     Size;
    void                     *pMetaData;
} DXGK_HDR_METADATA;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_PRIMARYDATA {
    HANDLE           hAllocation;
    WORD             SegmentId;
    PHYSICAL_ADDRESS SegmentAddress;
} DXGK_PRIMARYDATA;

#endif

typedef struct _DXGKARG_SETVIDPNSOURCEADDRESS {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID   VidPnSourceId;
    UINT                             PrimarySegment;
    PHYSICAL_ADDRESS                 PrimaryAddress;
    HANDLE                           hAllocation;
    UINT                             ContextCount;
    HANDLE                           Context[65];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    UINT                             Duration;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)
    DXGK_PRIMARYDATA                 PrimaryData[64];
    UINT                             DriverPrivateDataSize;
    PVOID                            pDriverPrivateData;
#endif
} DXGKARG_SETVIDPNSOURCEADDRESS;

typedef _In_ const DXGKARG_SETVIDPNSOURCEADDRESS *IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESS;

typedef NTSTATUS NTAPI DXGKDDI_SETVIDPNSOURCEADDRESS(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESS pSetVidPnSourceAddress);

typedef DXGKDDI_SETVIDPNSOURCEADDRESS *PDXGKDDI_SETVIDPNSOURCEADDRESS;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGK_MULTIPLANE_OVERLAY_PLANE2 {
    UINT                                LayerIndex;
    BOOL                                Enabled;
    UINT                                AllocationSegment;
    PHYSICAL_ADDRESS                    AllocationAddress;
    HANDLE                              hAllocation;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES2 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE2;

typedef struct _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 {
    UINT                             ContextCount;
    HANDLE                           Context[65];
    DXGK_SETVIDPNSOURCEADDRESS_FLAGS Flags;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID   VidPnSourceId;
    UINT                             PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE2   *pPlanes;
    UINT                             Duration;
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2;

typedef _In_ const DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 *IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2;

/* Runs at the level of the device's interrupt. */
typedef NTSTATUS NTAPI DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 pSetVidPnSourceAddressWithMultiPlaneOverlay);

typedef DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2 *PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY2;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _DXGK_PRIMARYCONTEXTDATA {
    HANDLE hContext;
    HANDLE hAllocation;
    union {
        WORD   SegmentId;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        UINT16 MmuId;
#endif
    };
    union {
        PHYSICAL_ADDRESS       SegmentAddress;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)
        D3DGPU_VIRTUAL_ADDRESS VirtualAddress;
#endif
    };
} DXGK_PRIMARYCONTEXTDATA;

typedef struct _DXGK_MULTIPLANE_OVERLAY_PLANE3 {
    UINT                                LayerIndex;
    ULONGLONG                           PresentId;
    DXGK_PLANE_SPECIFIC_INPUT_FLAGS     InputFlags;
    DXGK_PLANE_SPECIFIC_OUTPUT_FLAGS    OutputFlags;
    UINT                                MaxImmediateFlipLine;
    UINT                                ContextCount;
    DXGK_PRIMARYCONTEXTDATA             **ppContextData;
    UINT                                DriverPrivateDataSize;
    PVOID                               pDriverPrivateData;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE3;

typedef struct _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS {
    union {
        struct {
            UINT VerticalFlip : 1;
            UINT HorizontalFlip : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS;

typedef struct _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION {
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_FLAGS Flags;
    RECT                                         SrcRect;
    RECT                                         DstRect;
    D3DDDI_ROTATION                              Rotation;
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION;

typedef struct _DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID           VidPnSourceId;
    DXGK_SETVIDPNSOURCEADDRESS_INPUT_FLAGS   InputFlags;
    DXGK_SETVIDPNSOURCEADDRESS_OUTPUT_FLAGS  OutputFlags;
    UINT                                     PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE3           **ppPlanes;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION *pPostComposition;
    UINT                                     Duration;
    DXGK_HDR_METADATA                        *pHDRMetaData;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    UINT64                                   TargetFlipTime;
#endif
} DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3;

typedef _Inout_ DXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 *IN_OUT_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3;

typedef NTSTATUS NTAPI DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 pSetVidPnSourceAddressWithMultiPlaneOverlay);

typedef DXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3 *PDXGKDDI_SETVIDPNSOURCEADDRESSWITHMULTIPLANEOVERLAY3;

typedef struct _DXGKARG_POSTMULTIPLANEOVERLAYPRESENT {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
    UINT                           PhysicalAdapterMask;
    DWORD                          LayerIndex;
    ULONGLONG                      PresentID;
} DXGKARG_POSTMULTIPLANEOVERLAYPRESENT;

typedef _In_ const DXGKARG_POSTMULTIPLANEOVERLAYPRESENT *IN_CONST_PDXGKARG_POSTMULTIPLANEOVERLAYPRESENT;

typedef NTSTATUS NTAPI DXGKDDI_POSTMULTIPLANEOVERLAYPRESENT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_POSTMULTIPLANEOVERLAYPRESENT pPostPresent);

typedef DXGKDDI_POSTMULTIPLANEOVERLAYPRESENT *PDXGKDDI_POSTMULTIPLANEOVERLAYPRESENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGKARG_CREATEPERIODICFRAMENOTIFICATION {
    HANDLE                         hAdapter;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnTargetId;
    UINT64                         Time;
    UINT                           NotificationID;
    HANDLE                         hNotification;
} DXGKARG_CREATEPERIODICFRAMENOTIFICATION;

typedef _Inout_ DXGKARG_CREATEPERIODICFRAMENOTIFICATION *INOUT_PDXGKARG_CREATEPERIODICFRAMENOTIFICATION;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CREATEPERIODICFRAMENOTIFICATION(
    INOUT_PDXGKARG_CREATEPERIODICFRAMENOTIFICATION pCreatePeriodicFrameNotification);

typedef DXGKDDI_CREATEPERIODICFRAMENOTIFICATION *PDXGKDDI_CREATEPERIODICFRAMENOTIFICATION;

typedef struct _DXGKARG_DESTROYPERIODICFRAMENOTIFICATION {
    HANDLE hNotification;
    HANDLE hAdapter;
} DXGKARG_DESTROYPERIODICFRAMENOTIFICATION;

typedef _In_ const DXGKARG_DESTROYPERIODICFRAMENOTIFICATION *IN_CONST_PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION;

typedef NTSTATUS NTAPI DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION(
    IN_CONST_PDXGKARG_DESTROYPERIODICFRAMENOTIFICATION pDestroyPeriodicFrameNotification);

typedef DXGKDDI_DESTROYPERIODICFRAMENOTIFICATION *PDXGKDDI_DESTROYPERIODICFRAMENOTIFICATION;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT {
    UINT                                         PlaneCount;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_PLANE  *pPlanes;
    BOOL                                         Supported;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT;

typedef _Inout_ DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT *IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT pCheckMultiPlaneOverlaySupport);

typedef DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT *PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef struct _DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2 {
    HANDLE                              hAllocation;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID      VidPnSourceId;
    UINT                                LayerIndex;
    DXGK_MULTIPLANE_OVERLAY_ATTRIBUTES3 PlaneAttributes;
} DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2;

typedef struct _DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID           VidPnSourceId;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION PostComposition;
} DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE;

typedef struct _DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 {
    UINT                                         PlaneCount;
    DXGK_MULTIPLANE_OVERLAY_PLANE_WITH_SOURCE2   **ppPlanes;
    UINT                                         PostCompositionCount;
    DXGK_MULTIPLANE_OVERLAY_POST_COMPOSITION_WITH_SOURCE **ppPostComposition;
    BOOL                                         Supported;
    DXGK_CHECK_MULTIPLANE_OVERLAY_SUPPORT_RETURN_INFO ReturnInfo;
} DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3;

typedef _Inout_ DXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 *IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3;

typedef NTSTATUS NTAPI DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_CHECKMULTIPLANEOVERLAYSUPPORT3 pCheckMultiPlaneOverlaySupport);

typedef DXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3 *PDXGKDDI_CHECKMULTIPLANEOVERLAYSUPPORT3;

#endif

typedef struct _DXGKARG_SETVIDPNSOURCEVISIBILITY {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    BOOLEAN                        Visible;
} DXGKARG_SETVIDPNSOURCEVISIBILITY;

typedef _In_ const DXGKARG_SETVIDPNSOURCEVISIBILITY *IN_CONST_PDXGKARG_SETVIDPNSOURCEVISIBILITY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETVIDPNSOURCEVISIBILITY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIDPNSOURCEVISIBILITY pSetVidPnSourceVisibility);

typedef DXGKDDI_SETVIDPNSOURCEVISIBILITY *PDXGKDDI_SETVIDPNSOURCEVISIBILITY;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_MULTIPLANEOVERLAYDISABLED)(
    IN_CONST_HANDLE hAdapter,
    UINT VidPnSourceId);

#endif

/* ----------------------------------------------------------------------------------------------
 * Video present networks
 *
 * Which source drives which target in which mode; the driver restricts, recommends and commits.
 */

typedef enum _DXGK_RECOMMENDFUNCTIONALVIDPN_REASON {
    DXGK_RFVR_UNINITIALIZED = 0,
    DXGK_RFVR_HOTKEY        = 1,
    DXGK_RFVR_USERMODE      = 2,
    DXGK_RFVR_FIRMWARE      = 3,
} DXGK_RECOMMENDFUNCTIONALVIDPN_REASON;

typedef enum _DXGK_VIDPN_INTERFACE_VERSION {
    DXGK_VIDPN_INTERFACE_VERSION_UNINITIALIZED = 0,
    DXGK_VIDPN_INTERFACE_VERSION_V1            = 1,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)
    DXGK_VIDPN_INTERFACE_VERSION_V2            = 2,
#endif
} DXGK_VIDPN_INTERFACE_VERSION;

typedef enum _DXGK_MONITOR_INTERFACE_VERSION {
    DXGK_MONITOR_INTERFACE_VERSION_UNINITIALIZED = 0,
    DXGK_MONITOR_INTERFACE_VERSION_V1            = 1,
    DXGK_MONITOR_INTERFACE_VERSION_V2            = 2,
} DXGK_MONITOR_INTERFACE_VERSION;

typedef enum _DXGK_ACTIVE_VIDPN_INVALIDATION_REASON {
    DXGK_AVIR_UNINITIALIZED = 0,
    DXGK_AVIR_HOTKEY        = 1,
    DXGK_AVIR_USERMODE      = 2,
} DXGK_ACTIVE_VIDPN_INVALIDATION_REASON;

typedef struct _DXGKARG_ISSUPPORTEDVIDPN {
    D3DKMDT_HVIDPN hDesiredVidPn;
    BOOLEAN        IsVidPnSupported;
} DXGKARG_ISSUPPORTEDVIDPN;

typedef _Inout_ DXGKARG_ISSUPPORTEDVIDPN *INOUT_PDXGKARG_ISSUPPORTEDVIDPN;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ISSUPPORTEDVIDPN(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_ISSUPPORTEDVIDPN pIsSupportedVidPn);

typedef DXGKDDI_ISSUPPORTEDVIDPN *PDXGKDDI_ISSUPPORTEDVIDPN;

typedef struct _DXGK_ENUM_PIVOT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId;
} DXGK_ENUM_PIVOT;

typedef struct _DXGKARG_ENUMVIDPNCOFUNCMODALITY {
    D3DKMDT_HVIDPN                        hConstrainingVidPn;
    D3DKMDT_ENUMCOFUNCMODALITY_PIVOT_TYPE EnumPivotType;
    DXGK_ENUM_PIVOT                       EnumPivot;
} DXGKARG_ENUMVIDPNCOFUNCMODALITY;

typedef _In_ const DXGKARG_ENUMVIDPNCOFUNCMODALITY *IN_CONST_PDXGKARG_ENUMVIDPNCOFUNCMODALITY;

typedef _In_ const DXGKARG_ENUMVIDPNCOFUNCMODALITY * const IN_CONST_PDXGKARG_ENUMVIDPNCOFUNCMODALITY_CONST;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ENUMVIDPNCOFUNCMODALITY(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_ENUMVIDPNCOFUNCMODALITY_CONST pEnumCofuncModality);

typedef DXGKDDI_ENUMVIDPNCOFUNCMODALITY *PDXGKDDI_ENUMVIDPNCOFUNCMODALITY;

typedef struct _DXGKARG_RECOMMENDFUNCTIONALVIDPN {
    UINT                                 NumberOfVidPnTargets;
    const D3DDDI_VIDEO_PRESENT_TARGET_ID *pVidPnTargetPrioritizationVector;
    D3DKMDT_HVIDPN                       hRecommendedFunctionalVidPn;
    DXGK_RECOMMENDFUNCTIONALVIDPN_REASON RequestReason;
    void                                 *pPrivateDriverData;
    UINT                                 PrivateDriverDataSize;
} DXGKARG_RECOMMENDFUNCTIONALVIDPN;

typedef _In_ const DXGKARG_RECOMMENDFUNCTIONALVIDPN *IN_CONST_PDXGKARG_RECOMMENDFUNCTIONALVIDPN;

typedef _In_ const DXGKARG_RECOMMENDFUNCTIONALVIDPN * const IN_CONST_PDXGKARG_RECOMMENDFUNCTIONALVIDPN_CONST;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RECOMMENDFUNCTIONALVIDPN(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_RECOMMENDFUNCTIONALVIDPN_CONST pRecommendFunctionalVidPn);

typedef DXGKDDI_RECOMMENDFUNCTIONALVIDPN *PDXGKDDI_RECOMMENDFUNCTIONALVIDPN;

typedef struct _DXGKARG_COMMITVIDPN_FLAGS {
    UINT PathPowerTransition : 1;
    UINT PathPoweredOff : 1;
    UINT Reserved : 30;
} DXGKARG_COMMITVIDPN_FLAGS;

typedef struct _DXGKARG_COMMITVIDPN {
    D3DKMDT_HVIDPN                      hFunctionalVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID      AffectedVidPnSourceId;
    D3DKMDT_MONITOR_CONNECTIVITY_CHECKS MonitorConnectivityChecks;
    HANDLE                              hPrimaryAllocation;
    DXGKARG_COMMITVIDPN_FLAGS           Flags;
} DXGKARG_COMMITVIDPN;

typedef _In_ const DXGKARG_COMMITVIDPN *IN_CONST_PDXGKARG_COMMITVIDPN;

typedef _In_ const DXGKARG_COMMITVIDPN * const IN_CONST_PDXGKARG_COMMITVIDPN_CONST;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_COMMITVIDPN(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_COMMITVIDPN_CONST pCommitVidPn);

typedef DXGKDDI_COMMITVIDPN *PDXGKDDI_COMMITVIDPN;

typedef struct _DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH {
    D3DKMDT_VIDPN_PRESENT_PATH VidPnPresentPathInfo;
} DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH;

typedef _In_ const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH *IN_CONST_PDXGKARG_UPDATEACTIVEVIDPNPRESENTPATH;

typedef _In_ const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH * const IN_CONST_PDXGKARG_UPDATEACTIVEVIDPNPRESENTPATH_CONST;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_UPDATEACTIVEVIDPNPRESENTPATH_CONST pUpdateActiveVidPnPresentPath);

typedef DXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH *PDXGKDDI_UPDATEACTIVEVIDPNPRESENTPATH;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    OUT_PSIZE_T_CONST pNumSourceModes);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_SOURCE_MODE ppFirstVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    IN_CONST_PD3DKMDT_VIDPN_SOURCE_MODE_CONST pVidPnSourceModeInfo,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_SOURCE_MODE ppNextVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_SOURCE_MODE ppPinnedVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    IN_CONST_PD3DKMDT_VIDPN_SOURCE_MODE_CONST pVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    DEREF_OUT_PPD3DKMDT_VIDPN_SOURCE_MODE ppNewVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_ADDMODE)(
    IN_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    IN_PD3DKMDT_VIDPN_SOURCE_MODE_CONST pVidPnSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNSOURCEMODESET_PINMODE)(
    IN_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet,
    IN_CONST_D3DKMDT_VIDEO_PRESENT_SOURCE_MODE_ID VidPnSourceModeId);

typedef struct _DXGK_VIDPNSOURCEMODESET_INTERFACE {
    DXGKDDI_VIDPNSOURCEMODESET_GETNUMMODES       pfnGetNumModes;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_RELEASEMODEINFO   pfnReleaseModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_VIDPNSOURCEMODESET_ADDMODE           pfnAddMode;
    DXGKDDI_VIDPNSOURCEMODESET_PINMODE           pfnPinMode;
} DXGK_VIDPNSOURCEMODESET_INTERFACE;

typedef _Outptr_ const DXGK_VIDPNSOURCEMODESET_INTERFACE **DEREF_OUT_CONST_PPDXGK_VIDPNSOURCEMODESET_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_ACQUIRESOURCEMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    OUT_PD3DKMDT_HVIDPNSOURCEMODESET phVidPnSourceModeSet,
    DEREF_OUT_CONST_PPDXGK_VIDPNSOURCEMODESET_INTERFACE ppVidPnSourceModeSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_CREATENEWSOURCEMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    OUT_PD3DKMDT_HVIDPNSOURCEMODESET phNewVidPnSourceModeSet,
    DEREF_OUT_CONST_PPDXGK_VIDPNSOURCEMODESET_INTERFACE ppVidPnSourceModeSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    OUT_PSIZE_T_CONST pNumTargetModes);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_TARGET_MODE ppFirstVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    IN_CONST_PD3DKMDT_VIDPN_TARGET_MODE_CONST pVidPnTargetModeInfo,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_TARGET_MODE ppNextVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_VIDPN_TARGET_MODE ppPinnedVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    IN_CONST_PD3DKMDT_VIDPN_TARGET_MODE_CONST pVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO)(
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    DEREF_OUT_PPD3DKMDT_VIDPN_TARGET_MODE ppNewVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_ADDMODE)(
    IN_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    IN_PD3DKMDT_VIDPN_TARGET_MODE_CONST pVidPnTargetModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPNTARGETMODESET_PINMODE)(
    IN_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet,
    IN_CONST_D3DKMDT_VIDEO_PRESENT_TARGET_MODE_ID VidPnTargetModeId);

typedef struct _DXGK_VIDPNTARGETMODESET_INTERFACE {
    DXGKDDI_VIDPNTARGETMODESET_GETNUMMODES       pfnGetNumModes;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ACQUIREPINNEDMODEINFO pfnAcquirePinnedModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_RELEASEMODEINFO   pfnReleaseModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_VIDPNTARGETMODESET_ADDMODE           pfnAddMode;
    DXGKDDI_VIDPNTARGETMODESET_PINMODE           pfnPinMode;
} DXGK_VIDPNTARGETMODESET_INTERFACE;

typedef _Outptr_ const DXGK_VIDPNTARGETMODESET_INTERFACE **DEREF_OUT_CONST_PPDXGK_VIDPNTARGETMODESET_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_ACQUIRETARGETMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    OUT_PD3DKMDT_HVIDPNTARGETMODESET phVidPnTargetModeSet,
    DEREF_OUT_CONST_PPDXGK_VIDPNTARGETMODESET_INTERFACE ppVidPnTargetModeSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_CREATENEWTARGETMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    OUT_PD3DKMDT_HVIDPNTARGETMODESET phNewVidPnTargetModeSet,
    DEREF_OUT_CONST_PPDXGK_VIDPNTARGETMODESET_INTERFACE ppVidPnTargetModeSetInterace);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_RELEASESOURCEMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_ASSIGNSOURCEMODESET)(
    IN_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    IN_CONST_D3DKMDT_HVIDPNSOURCEMODESET hVidPnSourceModeSet);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET)(
    IN_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId,
    IN_CONST_SIZE_T NumMethods,
    const D3DDDI_MULTISAMPLINGMETHOD *pSupportedMethodSet);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_RELEASETARGETMODESET)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_VIDPN_ASSIGNTARGETMODESET)(
    IN_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VidPnTargetId,
    IN_CONST_D3DKMDT_HVIDPNTARGETMODESET hVidPnTargetModeSet);

typedef struct _DXGK_VIDPN_INTERFACE {
    DXGK_VIDPN_INTERFACE_VERSION               Version;
    DXGKDDI_VIDPN_GETTOPOLOGY                  pfnGetTopology;
    DXGKDDI_VIDPN_ACQUIRESOURCEMODESET         pfnAcquireSourceModeSet;
    DXGKDDI_VIDPN_RELEASESOURCEMODESET         pfnReleaseSourceModeSet;
    DXGKDDI_VIDPN_CREATENEWSOURCEMODESET       pfnCreateNewSourceModeSet;
    DXGKDDI_VIDPN_ASSIGNSOURCEMODESET          pfnAssignSourceModeSet;
    DXGKDDI_VIDPN_ASSIGNMULTISAMPLINGMETHODSET pfnAssignMultisamplingMethodSet;
    DXGKDDI_VIDPN_ACQUIRETARGETMODESET         pfnAcquireTargetModeSet;
    DXGKDDI_VIDPN_RELEASETARGETMODESET         pfnReleaseTargetModeSet;
    DXGKDDI_VIDPN_CREATENEWTARGETMODESET       pfnCreateNewTargetModeSet;
    DXGKDDI_VIDPN_ASSIGNTARGETMODESET          pfnAssignTargetModeSet;
} DXGK_VIDPN_INTERFACE;

typedef _In_ const DXGK_VIDPN_INTERFACE_VERSION IN_CONST_DXGK_VIDPN_INTERFACE_VERSION;

typedef _Outptr_ const DXGK_VIDPN_INTERFACE **DEREF_OUT_CONST_PPDXGK_VIDPN_INTERFACE;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS (NTAPI *DXGKCB_QUERYVIDPNINTERFACE)(
    IN_CONST_D3DKMDT_HVIDPN hVidPn,
    IN_CONST_DXGK_VIDPN_INTERFACE_VERSION VidPnInterfaceVersion,
    DEREF_OUT_CONST_PPDXGK_VIDPN_INTERFACE ppVidPnInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_GETNUMMODES)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    OUT_PSIZE_T_CONST pNumMonitorSourceModes);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_ACQUIREPREFERREDMODEINFO)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_SOURCE_MODE ppFirstMonitorSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_ACQUIREFIRSTMODEINFO)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_SOURCE_MODE ppFirstMonitorSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_ACQUIRENEXTMODEINFO)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    IN_CONST_PD3DKMDT_MONITOR_SOURCE_MODE_CONST pMonitorSourceModeInfo,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_SOURCE_MODE ppNextMonitorSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_CREATENEWMODEINFO)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    DEREF_OUT_PPD3DKMDT_MONITOR_SOURCE_MODE ppNewMonitorSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_ADDMODE)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    IN_PD3DKMDT_MONITOR_SOURCE_MODE_CONST pMonitorSourceModeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORSOURCEMODESET_RELEASEMODEINFO)(
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet,
    IN_CONST_PD3DKMDT_MONITOR_SOURCE_MODE_CONST pMonitorSourceModeInfo);

typedef struct _DXGK_MONITORSOURCEMODESET_INTERFACE {
    DXGKDDI_MONITORSOURCEMODESET_GETNUMMODES     pfnGetNumModes;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIREPREFERREDMODEINFO pfnAcquirePreferredModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIREFIRSTMODEINFO pfnAcquireFirstModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ACQUIRENEXTMODEINFO pfnAcquireNextModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_CREATENEWMODEINFO pfnCreateNewModeInfo;
    DXGKDDI_MONITORSOURCEMODESET_ADDMODE         pfnAddMode;
    DXGKDDI_MONITORSOURCEMODESET_RELEASEMODEINFO pfnReleaseModeInfo;
} DXGK_MONITORSOURCEMODESET_INTERFACE;

typedef _Outptr_ const DXGK_MONITORSOURCEMODESET_INTERFACE **DEREF_OUT_CONST_PPDXGK_MONITORSOURCEMODESET_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    OUT_PD3DKMDT_HMONITORSOURCEMODESET phMonitorSourceModeSet,
    DEREF_OUT_CONST_PPDXGK_MONITORSOURCEMODESET_INTERFACE ppMonitorSourceModeSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORFREQUENCYRANGESET_GETNUMFREQUENCYRANGES)(
    IN_CONST_D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    OUT_PSIZE_T_CONST pNumMonitorFrequencyRanges);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIREFIRSTFREQUENCYRANGEINFO)(
    IN_CONST_D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_FREQUENCY_RANGE ppFirstMonitorFrequencyRangeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIRENEXTFREQUENCYRANGEINFO)(
    IN_CONST_D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    IN_CONST_PD3DKMDT_MONITOR_FREQUENCY_RANGE_CONST pMonitorFrequencyRangeInfo,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_FREQUENCY_RANGE ppNextMonitorFrequencyRangeInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORFREQUENCYRANGESET_RELEASEFREQUENCYRANGEINFO)(
    IN_CONST_D3DKMDT_HMONITORFREQUENCYRANGESET hMonitorFrequencyRangeSet,
    IN_CONST_PD3DKMDT_MONITOR_FREQUENCY_RANGE_CONST pMonitorFrequencyRangeInfo);

typedef struct _DXGK_MONITORFREQUENCYRANGESET_INTERFACE {
    DXGKDDI_MONITORFREQUENCYRANGESET_GETNUMFREQUENCYRANGES pfnGetNumFrequencyRanges;
    DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIREFIRSTFREQUENCYRANGEINFO pfnAcquireFirstFrequencyRangeInfo;
    DXGKDDI_MONITORFREQUENCYRANGESET_ACQUIRENEXTFREQUENCYRANGEINFO pfnAcquireNextFrequencyRangeInfo;
    DXGKDDI_MONITORFREQUENCYRANGESET_RELEASEFREQUENCYRANGEINFO pfnReleaseFrequencyRangeInfo;
} DXGK_MONITORFREQUENCYRANGESET_INTERFACE;

typedef _Outptr_ const DXGK_MONITORFREQUENCYRANGESET_INTERFACE **DEREF_OUT_CONST_PPDXGK_MONITORFREQUENCYRANGESET_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    OUT_PD3DKMDT_HMONITORFREQUENCYRANGESET phMonitorFrequencyRangeSet,
    DEREF_OUT_CONST_PPDXGK_MONITORFREQUENCYRANGESET_INTERFACE ppMonitorFrequencyRangeSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORDESCRIPTORSET_GETNUMDESCRIPTORS)(
    IN_CONST_D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    OUT_PSIZE_T_CONST pNumMonitorDescriptors);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORDESCRIPTORSET_ACQUIREFIRSTDESCRIPTORINFO)(
    IN_CONST_D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_DESCRIPTOR ppFirstMonitorDescriptorInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORDESCRIPTORSET_ACQUIRENEXTDESCRIPTORINFO)(
    IN_CONST_D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    IN_CONST_PD3DKMDT_MONITOR_DESCRIPTOR_CONST pMonitorDescriptorInfo,
    DEREF_OUT_CONST_PPD3DKMDT_MONITOR_DESCRIPTOR ppNextMonitorDescriptorInfo);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITORDESCRIPTORSET_RELEASEDESCRIPTORINFO)(
    IN_CONST_D3DKMDT_HMONITORDESCRIPTORSET hMonitorDescriptorSet,
    IN_CONST_PD3DKMDT_MONITOR_DESCRIPTOR_CONST pMonitorDescriptorInfo);

typedef struct _DXGK_MONITORDESCRIPTORSET_INTERFACE {
    DXGKDDI_MONITORDESCRIPTORSET_GETNUMDESCRIPTORS pfnGetNumDescriptors;
    DXGKDDI_MONITORDESCRIPTORSET_ACQUIREFIRSTDESCRIPTORINFO pfnAcquireFirstDescriptorInfo;
    DXGKDDI_MONITORDESCRIPTORSET_ACQUIRENEXTDESCRIPTORINFO pfnAcquireNextDescriptorInfo;
    DXGKDDI_MONITORDESCRIPTORSET_RELEASEDESCRIPTORINFO pfnReleaseDescriptorInfo;
} DXGK_MONITORDESCRIPTORSET_INTERFACE;

typedef _Outptr_ const DXGK_MONITORDESCRIPTORSET_INTERFACE **DEREF_OUT_CONST_PPDXGK_MONITORDESCRIPTORSET_INTERFACE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    OUT_PD3DKMDT_HMONITORDESCRIPTORSET phMonitorDescriptorSet,
    DEREF_OUT_CONST_PPDXGK_MONITORDESCRIPTORSET_INTERFACE ppMonitorDescriptorSetInterface);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DKMDT_HMONITORSOURCEMODESET hMonitorSourceModeSet);

typedef struct _DXGK_MONITOR_INTERFACE {
    DXGK_MONITOR_INTERFACE_VERSION              Version;
    DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET pfnAcquireMonitorSourceModeSet;
    DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET pfnReleaseMonitorSourceModeSet;
    DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET pfnGetMonitorFrequencyRangeSet;
    DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET     pfnGetMonitorDescriptorSet;
} DXGK_MONITOR_INTERFACE;

typedef _In_ const DXGK_MONITOR_INTERFACE_VERSION IN_CONST_DXGK_MONITOR_INTERFACE_VERSION;

typedef _Outptr_ const DXGK_MONITOR_INTERFACE **DEREF_OUT_CONST_PPDXGK_MONITOR_INTERFACE;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS (NTAPI *DXGKCB_QUERYMONITORINTERFACE)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_DXGK_MONITOR_INTERFACE_VERSION MonitorInterfaceVersion,
    DEREF_OUT_CONST_PPDXGK_MONITOR_INTERFACE ppMonitorInterface);

typedef DXGK_TARGETMODE_DETAIL_TIMING **DEREF_ECOUNT_PPDXGK_TARGETMODE_DETAIL_TIMING;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_GETADDITIONALMONITORMODESET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    OUT_PUINT pNumberModes,
    DEREF_ECOUNT_PPDXGK_TARGETMODE_DETAIL_TIMING ppAdditionalModesSet);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKDDI_MONITOR_RELEASEADDITIONALMONITORMODESET)(
    IN_CONST_D3DKMDT_ADAPTER hAdapter,
    IN_CONST_D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId,
    IN_CONST_PDXGK_TARGETMODE_DETAIL_TIMING pAdditionalModesSet);

typedef struct _DXGK_MONITOR_INTERFACE_V2 {
    DXGK_MONITOR_INTERFACE_VERSION               Version;
    DXGKDDI_MONITOR_ACQUIREMONITORSOURCEMODESET  pfnAcquireMonitorSourceModeSet;
    DXGKDDI_MONITOR_RELEASEMONITORSOURCEMODESET  pfnReleaseMonitorSourceModeSet;
    DXGKDDI_MONITOR_GETMONITORFREQUENCYRANGESET  pfnGetMonitorFrequencyRangeSet;
    DXGKDDI_MONITOR_GETMONITORDESCRIPTORSET      pfnGetMonitorDescriptorSet;
    DXGKDDI_MONITOR_GETADDITIONALMONITORMODESET  pfnGetAdditionalMonitorModeSet;
    DXGKDDI_MONITOR_RELEASEADDITIONALMONITORMODESET pfnReleaseAdditionalMonitorModeSet;
} DXGK_MONITOR_INTERFACE_V2;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN7)

typedef struct _DXGKARG_QUERYVIDPNHWCAPABILITY {
    D3DKMDT_HVIDPN                 hFunctionalVidPn;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID SourceId;
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    D3DKMDT_VIDPN_HW_CAPABILITY    VidPnHWCaps;
} DXGKARG_QUERYVIDPNHWCAPABILITY;

typedef _Inout_ DXGKARG_QUERYVIDPNHWCAPABILITY *INOUT_PDXGKARG_QUERYVIDPNHWCAPABILITY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERYVIDPNHWCAPABILITY(
    IN_CONST_HANDLE i_hAdapter,
    INOUT_PDXGKARG_QUERYVIDPNHWCAPABILITY io_pVidPnHWCaps);

typedef DXGKDDI_QUERYVIDPNHWCAPABILITY *PDXGKDDI_QUERYVIDPNHWCAPABILITY;

#endif

typedef struct _DXGKARG_RECOMMENDMONITORMODES {
    D3DDDI_VIDEO_PRESENT_TARGET_ID            VideoPresentTargetId;
    D3DKMDT_HMONITORSOURCEMODESET             hMonitorSourceModeSet;
    const DXGK_MONITORSOURCEMODESET_INTERFACE *pMonitorSourceModeSetInterface;
} DXGKARG_RECOMMENDMONITORMODES;

typedef _Inout_ DXGKARG_RECOMMENDMONITORMODES *INOUT_PDXGKARG_RECOMMENDMONITORMODES;

typedef _In_ const DXGKARG_RECOMMENDMONITORMODES *IN_CONST_PDXGKARG_RECOMMENDMONITORMODES;

typedef _In_ const DXGKARG_RECOMMENDMONITORMODES * const IN_CONST_PDXGKARG_RECOMMENDMONITORMODES_CONST;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS NTAPI DXGKDDI_RECOMMENDMONITORMODES(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_RECOMMENDMONITORMODES_CONST pRecommendMonitorModes);

typedef DXGKDDI_RECOMMENDMONITORMODES *PDXGKDDI_RECOMMENDMONITORMODES;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef union _DXGK_MODE_BEHAVIOR_FLAGS {
    struct {
        UINT PrioritizeHDR : 1;
        UINT ColorimetricControl : 1;
        UINT Reserved : 30;
    };
    UINT Value;
} DXGK_MODE_BEHAVIOR_FLAGS;

typedef struct _DXGKARG_CONTROLMODEBEHAVIOR {
    DXGK_MODE_BEHAVIOR_FLAGS Request;
    DXGK_MODE_BEHAVIOR_FLAGS Satisfied;
    DXGK_MODE_BEHAVIOR_FLAGS NotSatisfied;
} DXGKARG_CONTROLMODEBEHAVIOR;

typedef _Inout_ DXGKARG_CONTROLMODEBEHAVIOR *INOUT_PDXGKARG_CONTROLMODEBEHAVIOR;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_CONTROLMODEBEHAVIOR(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_CONTROLMODEBEHAVIOR pControlModeBehaviorArg);

typedef DXGKDDI_CONTROLMODEBEHAVIOR *PDXGKDDI_CONTROLMODEBEHAVIOR;

typedef struct _DXGK_MONITORLINKINFO {
    DXGK_MONITORLINKINFO_USAGEHINTS    UsageHints;
    DXGK_MONITORLINKINFO_CAPABILITIES  Capabilities;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
    D3DKMDT_WIRE_FORMAT_AND_PREFERENCE DitheringSupport;
#endif
} DXGK_MONITORLINKINFO;

typedef struct _DXGKARG_UPDATEMONITORLINKINFO {
    D3DDDI_VIDEO_PRESENT_TARGET_ID VideoPresentTargetId;
    DXGK_MONITORLINKINFO           MonitorLinkInfo;
} DXGKARG_UPDATEMONITORLINKINFO;

typedef _Inout_ DXGKARG_UPDATEMONITORLINKINFO *INOUT_PDXGKARG_UPDATEMONITORLINKINFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_UPDATEMONITORLINKINFO(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_UPDATEMONITORLINKINFO pUpdateMonitorLinkInfoArg);

typedef DXGKDDI_UPDATEMONITORLINKINFO *PDXGKDDI_UPDATEMONITORLINKINFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _DXGK_CONNECTION_MONITOR_CONNECT_FLAGS {
    union {
        struct {
            UINT Usb4DisplayPortMonitor : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_2)
            UINT Reserved : 31;
#else
            UINT DisplayMuxConnectionChange : 1;
            UINT Reserved : 30;
#endif
        };
        UINT Value;
    };
} DXGK_CONNECTION_MONITOR_CONNECT_FLAGS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_SET_TIMING_FLAGS {
    union {
        struct {
            UINT Reserved;
        };
        UINT Value;
    };
} DXGK_SET_TIMING_FLAGS;

typedef struct _DXGK_SET_TIMING_RESULTS {
    union {
        struct {
            UINT ConnectionStatusChanges : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_SET_TIMING_RESULTS, *PDXGK_SET_TIMING_RESULTS;

#endif

#ifdef __cplusplus
typedef enum _DXGK_PATH_UPDATE : UINT {
    DXGK_PATH_UPDATE_UNMODIFIED = 0,
    DXGK_PATH_UPDATE_ADDED      = 1,
    DXGK_PATH_UPDATE_MODIFIED   = 2,
    DXGK_PATH_UPDATE_REMOVED    = 3,
} DXGK_PATH_UPDATE;
#else
typedef UINT DXGK_PATH_UPDATE;
enum {
    DXGK_PATH_UPDATE_UNMODIFIED = 0,
    DXGK_PATH_UPDATE_ADDED      = 1,
    DXGK_PATH_UPDATE_MODIFIED   = 2,
    DXGK_PATH_UPDATE_REMOVED    = 3,
};
#endif

#ifdef __cplusplus
typedef enum _DXGK_SYNC_LOCK_STYLE : UINT {
    DXGK_SYNC_LOCK_STYLE_NONE      = 0,
    DXGK_SYNC_LOCK_STYLE_IDENTICAL = 1,
} DXGK_SYNC_LOCK_STYLE;
#else
typedef UINT DXGK_SYNC_LOCK_STYLE;
enum {
    DXGK_SYNC_LOCK_STYLE_NONE      = 0,
    DXGK_SYNC_LOCK_STYLE_IDENTICAL = 1,
};
#endif

#ifdef __cplusplus
typedef enum _DXGK_CONNECTION_STATUS : UINT {
    ConnectionStatusUninitialized = 0,
    TargetStatusDisconnected      = 4,
    TargetStatusConnected         = 5,
    TargetStatusJoined            = 6,
    MonitorStatusDisconnected     = 8,
    MonitorStatusUnknown          = 9,
    MonitorStatusConnected        = 10,
    LinkConfigurationStarted      = 12,
    LinkConfigurationFailed       = 13,
    LinkConfigurationSucceeded    = 14,
} DXGK_CONNECTION_STATUS;
#else
typedef UINT DXGK_CONNECTION_STATUS;
enum {
    ConnectionStatusUninitialized = 0,
    TargetStatusDisconnected      = 4,
    TargetStatusConnected         = 5,
    TargetStatusJoined            = 6,
    MonitorStatusDisconnected     = 8,
    MonitorStatusUnknown          = 9,
    MonitorStatusConnected        = 10,
    LinkConfigurationStarted      = 12,
    LinkConfigurationFailed       = 13,
    LinkConfigurationSucceeded    = 14,
};
#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_CONNECTION_CHANGE {
    ULONGLONG                      ConnectionChangeId;
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId : 24;
    DXGK_CONNECTION_STATUS         ConnectionStatus : 4;
    UINT                           Reserved : 4;
    union {
        struct {
            D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY       LinkTargetType;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            DXGK_CONNECTION_MONITOR_CONNECT_FLAGS MonitorConnectFlags;
#endif
        } MonitorConnect;
        struct {
            D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY BaseTargetType;
            D3DDDI_VIDEO_PRESENT_TARGET_ID  NewTargetId;
        } TargetConnect;
        struct {
            D3DKMDT_VIDEO_OUTPUT_TECHNOLOGY BaseTargetType;
            D3DDDI_VIDEO_PRESENT_TARGET_ID  NewTargetId;
        } TargetJoin;
    };
} DXGK_CONNECTION_CHANGE, *PDXGK_CONNECTION_CHANGE;

#endif

#ifdef __cplusplus
typedef enum _DXGK_GLITCH_CAUSE : UINT8 {
    DXGK_GLITCH_CAUSE_DRIVER_ERROR        = 0,
    DXGK_GLITCH_CAUSE_TIMING_CHANGE       = 1,
    DXGK_GLITCH_CAUSE_PIPELINE_CHANGE     = 2,
    DXGK_GLITCH_CAUSE_MEMORY_TIMING       = 3,
    DXGK_GLITCH_CAUSE_ENCODER_RECONFIG    = 4,
    DXGK_GLITCH_CAUSE_MODIFIED_WIRE_USAGE = 5,
    DXGK_GLITCH_CAUSE_METADATA_CHANGE     = 6,
    DXGK_GLITCH_CAUSE_NONE                = 255,
} DXGK_GLITCH_CAUSE;
#else
typedef UINT8 DXGK_GLITCH_CAUSE;
enum {
    DXGK_GLITCH_CAUSE_DRIVER_ERROR        = 0,
    DXGK_GLITCH_CAUSE_TIMING_CHANGE       = 1,
    DXGK_GLITCH_CAUSE_PIPELINE_CHANGE     = 2,
    DXGK_GLITCH_CAUSE_MEMORY_TIMING       = 3,
    DXGK_GLITCH_CAUSE_ENCODER_RECONFIG    = 4,
    DXGK_GLITCH_CAUSE_MODIFIED_WIRE_USAGE = 5,
    DXGK_GLITCH_CAUSE_METADATA_CHANGE     = 6,
    DXGK_GLITCH_CAUSE_NONE                = 255,
};
#endif

#ifdef __cplusplus
typedef enum _DXGK_GLITCH_EFFECT : UINT8 {
    DXGK_GLITCH_EFFECT_SYNC_LOSS        = 0,
    DXGK_GLITCH_EFFECT_GARBAGE_CONTENT  = 1,
    DXGK_GLITCH_EFFECT_STALE_CONTENT    = 2,
    DXGK_GLITCH_EFFECT_BLACK_CONTENT    = 3,
    DXGK_GLITCH_EFFECT_DEGRADED_CONTENT = 4,
    DXGK_GLITCH_EFFECT_SEAMLESS         = 255,
} DXGK_GLITCH_EFFECT;
#else
typedef UINT8 DXGK_GLITCH_EFFECT;
enum {
    DXGK_GLITCH_EFFECT_SYNC_LOSS        = 0,
    DXGK_GLITCH_EFFECT_GARBAGE_CONTENT  = 1,
    DXGK_GLITCH_EFFECT_STALE_CONTENT    = 2,
    DXGK_GLITCH_EFFECT_BLACK_CONTENT    = 3,
    DXGK_GLITCH_EFFECT_DEGRADED_CONTENT = 4,
    DXGK_GLITCH_EFFECT_SEAMLESS         = 255,
};
#endif

#ifdef __cplusplus
typedef enum _DXGK_GLITCH_DURATION : UINT8 {
    DXGK_GLITCH_DURATION_INDEFINITE   = 0,
    DXGK_GLITCH_DURATION_MULTI_FRAME  = 1,
    DXGK_GLITCH_DURATION_SINGLE_FRAME = 2,
    DXGK_GLITCH_DURATION_MULTI_LINE   = 3,
    DXGK_GLITCH_DURATION_SINGLE_LINE  = 4,
    DXGK_GLITCH_DURATION_NONE         = 255,
} DXGK_GLITCH_DURATION;
#else
typedef UINT8 DXGK_GLITCH_DURATION;
enum {
    DXGK_GLITCH_DURATION_INDEFINITE   = 0,
    DXGK_GLITCH_DURATION_MULTI_FRAME  = 1,
    DXGK_GLITCH_DURATION_SINGLE_FRAME = 2,
    DXGK_GLITCH_DURATION_MULTI_LINE   = 3,
    DXGK_GLITCH_DURATION_SINGLE_LINE  = 4,
    DXGK_GLITCH_DURATION_NONE         = 255,
};
#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGK_SET_TIMING_PATH_INFO {
    D3DDDI_VIDEO_PRESENT_TARGET_ID     VidPnTargetId;
    union {
        D3DDDI_COLOR_SPACE_TYPE             OutputColorSpace;
        D3DDDI_OUTPUT_WIRE_COLOR_SPACE_TYPE OutputWireColorSpace;
    };
    D3DKMDT_WIRE_FORMAT_AND_PREFERENCE SelectedWireFormat;
    union {
        struct {
            DXGK_PATH_UPDATE     VidPnPathUpdates : 2;
            UINT                 Active : 1;
            UINT                 IgnoreConnectivity : 1;
            UINT                 PreserveInherited : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM2_4)
            UINT                 Reserved : 27;
#else
            UINT                 SyncLockGroup : 3;
            DXGK_SYNC_LOCK_STYLE SyncLockStyle : 4;
            UINT                 Reserved : 20;
#endif
        } Input;
        UINT InputFlags;
    };
    union {
        struct {
            UINT RecheckMPO : 1;
            UINT Reserved : 31;
        } Output;
        UINT OutputFlags;
    };
    DXGK_CONNECTION_CHANGE             TargetState;
    union {
        struct {
            DXGK_GLITCH_CAUSE    GlitchCause;
            DXGK_GLITCH_EFFECT   GlitchEffect;
            DXGK_GLITCH_DURATION GlitchDuration;
            UINT8                Reserved;
        };
        UINT DiagnosticInfo;
    };
} DXGK_SET_TIMING_PATH_INFO;

typedef struct _DXGKARG_SETTIMINGSFROMVIDPN {
    D3DKMDT_HVIDPN            hFunctionalVidPn;
    DXGK_SET_TIMING_FLAGS     SetFlags;
    PDXGK_SET_TIMING_RESULTS  pResultsFlags;
    UINT                      PathCount;
    DXGK_SET_TIMING_PATH_INFO *pSetTimingPathInfo;
} DXGKARG_SETTIMINGSFROMVIDPN;

typedef _Inout_ DXGKARG_SETTIMINGSFROMVIDPN *IN_OUT_PDXGKARG_SETTIMINGSFROMVIDPN;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETTIMINGSFROMVIDPN(
    IN_CONST_HANDLE hAdapter,
    IN_OUT_PDXGKARG_SETTIMINGSFROMVIDPN pSetTimings);

typedef DXGKDDI_SETTIMINGSFROMVIDPN *PDXGKDDI_SETTIMINGSFROMVIDPN;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_POWER_COMPONENT_MONITOR_DESC {
    UINT VidPnTargetID;
} DXGK_POWER_COMPONENT_MONITOR_DESC;

typedef struct _DXGK_POWER_COMPONENT_MONITOR_REFRESH_DESC {
    UINT VidPnSourceID;
} DXGK_POWER_COMPONENT_MONITOR_REFRESH_DESC;

#endif

/* ----------------------------------------------------------------------------------------------
 * Targets and connections
 */

#ifdef __cplusplus
typedef enum _DXGK_DISPLAYDETECTCONTROLTYPE : UINT {
    DXGK_DDCT_UNINITIALIZED = 0,
    DXGK_DDCT_POLLONE       = 1,
    DXGK_DDCT_POLLALL       = 2,
    DXGK_DDCT_ENABLEHPD     = 3,
    DXGK_DDCT_DISABLEHPD    = 4,
} DXGK_DISPLAYDETECTCONTROLTYPE;
#else
typedef UINT DXGK_DISPLAYDETECTCONTROLTYPE;
enum {
    DXGK_DDCT_UNINITIALIZED = 0,
    DXGK_DDCT_POLLONE       = 1,
    DXGK_DDCT_POLLALL       = 2,
    DXGK_DDCT_ENABLEHPD     = 3,
    DXGK_DDCT_DISABLEHPD    = 4,
};
#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef struct _DXGK_CONNECTION_USB4_INFO {
    UINT Dpcd_DP_IN_Adapter_Number;
    UINT Dpcd_USB4_Driver_ID;
    BYTE Dpcd_USB4_ROUTER_TOPOLOGY_ID[5];
} DXGK_CONNECTION_USB4_INFO, *PDXGK_CONNECTION_USB4_INFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGKARG_SETTARGETGAMMA {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId;
    D3DKMDT_GAMMA_RAMP             GammaRamp;
} DXGKARG_SETTARGETGAMMA;

typedef _In_ const DXGKARG_SETTARGETGAMMA *IN_CONST_PDXGKARG_SETTARGETGAMMA;

typedef NTSTATUS NTAPI DXGKDDI_SETTARGETGAMMA(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETTARGETGAMMA pSetTargetGammaArg);

typedef DXGKDDI_SETTARGETGAMMA *PDXGKDDI_SETTARGETGAMMA;

typedef struct _DXGKARG_SETTARGETCONTENTTYPE {
    D3DDDI_VIDEO_PRESENT_TARGET_ID     TargetId;
    D3DKMDT_VIDPN_PRESENT_PATH_CONTENT ContentType;
} DXGKARG_SETTARGETCONTENTTYPE;

typedef _In_ const DXGKARG_SETTARGETCONTENTTYPE *IN_CONST_PDXGKARG_SETTARGETCONTENTTYPE;

typedef NTSTATUS NTAPI DXGKDDI_SETTARGETCONTENTTYPE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETTARGETCONTENTTYPE pSetTargetContentTypeArg);

typedef DXGKDDI_SETTARGETCONTENTTYPE *PDXGKDDI_SETTARGETCONTENTTYPE;

typedef struct _DXGKARG_SETTARGETANALOGCOPYPROTECTION {
    D3DDDI_VIDEO_PRESENT_TARGET_ID               TargetId;
    D3DKMDT_VIDPN_PRESENT_PATH_COPYPROTECTION_TYPE CopyProtectionType;
    UINT                                         APSTriggerBits;
    D3DKMDT_VIDPN_PRESENT_PATH_COPYPROTECTION_SUPPORT CopyProtectionSupport;
} DXGKARG_SETTARGETANALOGCOPYPROTECTION;

typedef _In_ const DXGKARG_SETTARGETANALOGCOPYPROTECTION *IN_CONST_PDXGKARG_SETTARGETANALOGCOPYPROTECTION;

typedef NTSTATUS NTAPI DXGKDDI_SETTARGETANALOGCOPYPROTECTION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETTARGETANALOGCOPYPROTECTION pSetTargetAnalogCopyProtectionArg);

typedef DXGKDDI_SETTARGETANALOGCOPYPROTECTION *PDXGKDDI_SETTARGETANALOGCOPYPROTECTION;

typedef struct _DXGKARG_DISPLAYDETECTCONTROL {
    D3DDDI_VIDEO_PRESENT_TARGET_ID TargetId : 24;
    DXGK_DISPLAYDETECTCONTROLTYPE  Type : 4;
    UINT                           NonDestructiveOnly : 1;
    UINT                           Reserved : 3;
} DXGKARG_DISPLAYDETECTCONTROL;

typedef _In_ const DXGKARG_DISPLAYDETECTCONTROL *IN_CONST_PDXGKARG_DISPLAYDETECTCONTROL;

typedef NTSTATUS NTAPI DXGKDDI_DISPLAYDETECTCONTROL(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_DISPLAYDETECTCONTROL pDisplayDetectControl);

typedef DXGKDDI_DISPLAYDETECTCONTROL *PDXGKDDI_DISPLAYDETECTCONTROL;

typedef struct _DXGKARG_QUERYCONNECTIONCHANGE {
    DXGK_CONNECTION_CHANGE    ConnectionChange;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)
    DXGK_CONNECTION_USB4_INFO Usb4MonitorInfo;
#endif
} DXGKARG_QUERYCONNECTIONCHANGE;

typedef _In_ DXGKARG_QUERYCONNECTIONCHANGE *IN_PDXGKARG_QUERYCONNECTIONCHANGE;

typedef NTSTATUS NTAPI DXGKDDI_QUERYCONNECTIONCHANGE(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_QUERYCONNECTIONCHANGE pQueryConnectionChange);

typedef DXGKDDI_QUERYCONNECTIONCHANGE *PDXGKDDI_QUERYCONNECTIONCHANGE;

typedef struct _DXGK_INHERITED_TIMING_INFO {
    union {
        D3DDDI_COLOR_SPACE_TYPE             OutputColorSpace;
        D3DDDI_OUTPUT_WIRE_COLOR_SPACE_TYPE OutputWireColorSpace;
    };
    D3DKMDT_WIRE_FORMAT_AND_PREFERENCE SelectedWireFormat;
    union {
        struct {
            DXGK_GLITCH_CAUSE    GlitchCause;
            DXGK_GLITCH_EFFECT   GlitchEffect;
            DXGK_GLITCH_DURATION GlitchDuration;
            UINT8                Reserved;
        };
        UINT DiagnosticInfo;
    };
} DXGK_INHERITED_TIMING_INFO, *PDXGK_INHERITED_TIMING_INFO;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_DSI2_PACKET {
    union {
        UINT DataId : 8;
        struct {
            UINT DataType : 6;
            UINT VirtualChannel : 2;
        };
    };
    union {
        struct {
            UINT Data0 : 8;
            UINT Data1 : 8;
        };
        UINT LongWriteWordCount : 16;
    };
    UINT EccFiller : 8;
    BYTE Payload[8];
} DXGK_DSI2_PACKET;

typedef struct _DXGK_DSI2_TRANSMISSION {
    UINT             TotalBufferSize;
    struct {
        UINT PacketCount : 8;
        UINT FailedPacket : 8;
        UINT TransmissionMode : 2;
        UINT ReportMipiErrors : 1;
        UINT ClearMipiErrors : 1;
        UINT SecondaryPort : 1;
        UINT Reserved : 11;
    };
    WORD             ReadWordCount;
    WORD             FinalCommandExtraPayload;
    WORD             MipiErrors;
    WORD             HostErrors;
    DXGK_DSI2_PACKET Packets[1];
} DXGK_DSI2_TRANSMISSION;

#endif

/* ----------------------------------------------------------------------------------------------
 * Time-outs, reset, debugging
 *
 * What happens when the hardware does not answer.
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef enum _DXGK_TDR_TYPE {
    DXGK_TDR_TYPE_UNKNOWN                 = 0,
    DXGK_TDR_TYPE_FORCED                  = 1,
    DXGK_TDR_TYPE_PREEMPT_TIMEOUT         = 2,
    DXGK_TDR_TYPE_VSYNC_TIMEOUT           = 3,
    DXGK_TDR_TYPE_DOD_PRESENT_FORCED      = 4,
    DXGK_TDR_TYPE_DOD_PRESENT_TIMEOUT     = 5,
    DXGK_TDR_TYPE_ENGINE_TIMEOUT          = 6,
    DXGK_TDR_TYPE_DOD_VSYNC_FORCED        = 7,
    DXGK_TDR_TYPE_DOD_VSYNC_TIMEOUT       = 8,
    DXGK_TDR_TYPE_ENGINE_TIMEOUT_PROMOTED = 9,
    DXGK_TDR_TYPE_PAGE_FAULT              = 10,
    DXGK_TDR_TYPE_INVALID_FENCE           = 11,
    DXGK_TDR_TYPE_ENGINE_PAGE_FAULT       = 12,
    DXGK_TDR_TYPE_DISPLAY_ENGINE_FAULT    = 13,
} DXGK_TDR_TYPE;

#endif

typedef struct _DXGKARG_ESCAPE {
    HANDLE             hDevice;
    D3DDDI_ESCAPEFLAGS Flags;
    void               *pPrivateDriverData;
    UINT               PrivateDriverDataSize;
    HANDLE             hContext;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    HANDLE             hKmdProcessHandle;
#endif
} DXGKARG_ESCAPE;

typedef _In_ const DXGKARG_ESCAPE *IN_CONST_PDXGKARG_ESCAPE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ESCAPE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_ESCAPE pEscape);

typedef DXGKDDI_ESCAPE *PDXGKDDI_ESCAPE;

typedef struct _DXGKARG_COLLECTDBGINFO_EXT {
    UINT BucketingKey;
    UINT CurrentDmaBufferOffset;
    UINT Reserved2;
    UINT Reserved3;
    UINT Reserved4;
    UINT Reserved5;
    UINT Reserved6;
    UINT Reserved7;
} DXGKARG_COLLECTDBGINFO_EXT;

typedef struct _DXGKARG_COLLECTDBGINFO {
    UINT                       Reason;
    void                       *pBuffer;
    SIZE_T                     BufferSize;
    DXGKARG_COLLECTDBGINFO_EXT *pExtension;
} DXGKARG_COLLECTDBGINFO;

typedef _In_ const DXGKARG_COLLECTDBGINFO *IN_CONST_PDXGKARG_COLLECTDBGINFO;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_COLLECTDBGINFO(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_COLLECTDBGINFO pCollectDbgInfo);

typedef DXGKDDI_COLLECTDBGINFO *PDXGKDDI_COLLECTDBGINFO;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef struct _DXGKARG_QUERYDEPENDENTENGINEGROUP {
    UINT      NodeOrdinal;
    UINT      EngineOrdinal;
    ULONGLONG DependentNodeOrdinalMask;
} DXGKARG_QUERYDEPENDENTENGINEGROUP;

typedef _Inout_ DXGKARG_QUERYDEPENDENTENGINEGROUP *INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERYDEPENDENTENGINEGROUP(
    IN_CONST_HANDLE hAdapter,
    INOUT_DXGKARG_QUERYDEPENDENTENGINEGROUP pQueryDependentEngineGroup);

typedef DXGKDDI_QUERYDEPENDENTENGINEGROUP *PDXGKDDI_QUERYDEPENDENTENGINEGROUP;

typedef struct _DXGK_ENGINESTATUS {
    union {
        struct {
            UINT Responsive : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_ENGINESTATUS;

typedef struct _DXGKARG_QUERYENGINESTATUS {
    UINT              NodeOrdinal;
    UINT              EngineOrdinal;
    DXGK_ENGINESTATUS EngineStatus;
} DXGKARG_QUERYENGINESTATUS;

typedef _Inout_ DXGKARG_QUERYENGINESTATUS *INOUT_PDXGKARG_QUERYENGINESTATUS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_QUERYENGINESTATUS(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_QUERYENGINESTATUS pQueryEngineStatus);

typedef DXGKDDI_QUERYENGINESTATUS *PDXGKDDI_QUERYENGINESTATUS;

typedef struct _DXGKARG_RESETENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
    UINT LastAbortedFenceId;
} DXGKARG_RESETENGINE;

typedef _Inout_ DXGKARG_RESETENGINE *INOUT_PDXGKARG_RESETENGINE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RESETENGINE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_RESETENGINE pResetEngine);

typedef DXGKDDI_RESETENGINE *PDXGKDDI_RESETENGINE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef struct _DXGKARG_RESETHWENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_RESETHWENGINE;

typedef _Inout_ DXGKARG_RESETHWENGINE *INOUT_PDXGKARG_RESETHWENGINE;

typedef NTSTATUS NTAPI DXGKDDI_RESETHWENGINE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_RESETHWENGINE pResetHwEngine);

typedef DXGKDDI_RESETHWENGINE *PDXGKDDI_RESETHWENGINE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARG_RESUMEHWENGINE {
    UINT NodeOrdinal;
    UINT EngineOrdinal;
} DXGKARG_RESUMEHWENGINE;

typedef _Inout_ DXGKARG_RESUMEHWENGINE *INOUT_PDXGKARG_RESUMEHWENGINE;

typedef NTSTATUS NTAPI DXGKDDI_RESUMEHWENGINE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_RESUMEHWENGINE pResumeHwEngine);

typedef DXGKDDI_RESUMEHWENGINE *PDXGKDDI_RESUMEHWENGINE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_TDR_PAYLOAD_ENGINE_TIMEOUT {
    UINT      NodeOrdinal;
    UINT      EngineOrdinal;
    ULONGLONG LastHwCompletedFenceId;
    ULONGLONG LastHwSubmittedFenceId;
    ULONG     NumberOfPendingSuspendRequests;
    ULONG     NumberOfReadyInteractiveHwQueues;
    HANDLE    hContext;
} DXGK_TDR_PAYLOAD_ENGINE_TIMEOUT;

typedef struct _DXGKARG_COLLECTDBGINFO2 {
    UINT                       Reason;
    void                       *pBuffer;
    SIZE_T                     BufferSize;
    DXGKARG_COLLECTDBGINFO_EXT *pExtension;
    DXGK_TDR_TYPE              TdrType;
    UINT                       TdrPayloadSize;
    void                       *TdrPayload;
} DXGKARG_COLLECTDBGINFO2;

typedef _Inout_ DXGKARG_COLLECTDBGINFO2 *INOUT_PDXGKARG_COLLECTDBGINFO2;

typedef NTSTATUS NTAPI DXGKDDI_COLLECTDBGINFO2(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_COLLECTDBGINFO2 pCollectDbgInfo2);

typedef DXGKDDI_COLLECTDBGINFO2 *PDXGKDDI_COLLECTDBGINFO2;

typedef struct _DXGKARG_RESETDISPLAYENGINE {
    UINT64 InputFlags;
    UINT64 OutputFlags;
} DXGKARG_RESETDISPLAYENGINE;

typedef _Inout_ DXGKARG_RESETDISPLAYENGINE *INOUT_PDXGKARG_RESETDISPLAYENGINE;

typedef NTSTATUS NTAPI DXGKDDI_RESETDISPLAYENGINE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_RESETDISPLAYENGINE pResetDisplayEngine);

typedef DXGKDDI_RESETDISPLAYENGINE *PDXGKDDI_RESETDISPLAYENGINE;

typedef struct _DXGKARG_BUILDTESTCOMMANDBUFFER {
    HANDLE                             hContext;
    D3DDDI_TESTCOMMANDBUFFER           Command;
    PVOID                              pDmaBuffer;
    PVOID                              pDmaBufferPrivateData;
    UINT                               DmaBufferSize;
    UINT                               DmaBufferPrivateDataSize;
    D3DDDI_BUILDTESTCOMMANDBUFFERFLAGS Flags;
} DXGKARG_BUILDTESTCOMMANDBUFFER;

typedef struct _DXGKDDI_KERNELMODETESTINGINTERFACE {
    PVOID pfnBuildTestCommandBuffer;
} DXGKDDI_KERNELMODETESTINGINTERFACE;

#endif

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RESETFROMTIMEOUT(
    IN_CONST_HANDLE hAdapter);

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_RESTARTFROMTIMEOUT(
    IN_CONST_HANDLE hAdapter);

typedef DXGKDDI_RESETFROMTIMEOUT *PDXGKDDI_RESETFROMTIMEOUT;

typedef DXGKDDI_RESTARTFROMTIMEOUT *PDXGKDDI_RESTARTFROMTIMEOUT;

/* ----------------------------------------------------------------------------------------------
 * Power
 *
 * Components with idle states (F) and performance states (P).
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef enum _DXGK_POWER_COMPONENT_TYPE {
    DXGK_POWER_COMPONENT_ENGINE          = 0,
    DXGK_POWER_COMPONENT_MONITOR         = 1,
    DXGK_POWER_COMPONENT_MONITOR_REFRESH = 2,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGK_POWER_COMPONENT_MEMORY          = 3,
    DXGK_POWER_COMPONENT_MEMORY_REFRESH  = 4,
#endif
    DXGK_POWER_COMPONENT_OTHER           = 5,
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
    DXGK_POWER_COMPONENT_D3_TRANSITION   = 6,
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)
    DXGK_POWER_COMPONENT_SHARED          = 7,
#endif
    DXGK_POWER_COMPONENT_MAX             = 8,
} DXGK_POWER_COMPONENT_TYPE;

typedef struct _DXGK_POWER_RUNTIME_STATE {
    ULONGLONG TransitionLatency;
    ULONGLONG ResidencyRequirement;
    ULONG     NominalPower;
} DXGK_POWER_RUNTIME_STATE;

typedef struct _DXGK_POWER_COMPONENT_MAPPING {
    DXGK_POWER_COMPONENT_TYPE ComponentType;
    union {
        struct {
            UINT NodeIndex;
        } EngineDesc;
        struct {
            UINT VidPnSourceID;
        } MonitorRefreshDesc;
        struct {
            UINT VidPnTargetID;
        } MonitorDesc;
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)
        struct {
            UINT SegmentID;
        } MemoryDesc;
#endif
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)
        struct {
            union {
                struct {
                    WORD SharedTypeFlag;
                    WORD DriverCustomValueSet;
                };
                UINT SharedType;
            };
        } SharedDesc;
#endif
    };
} DXGK_POWER_COMPONENT_MAPPING;

typedef struct _DXGK_POWER_COMPONENT_INDEX {
    union {
        struct {
            WORD PhysicalAdapterComponentIndex;
            WORD PhysicalAdapterIndex;
        };
        UINT Value;
    };
} DXGK_POWER_COMPONENT_INDEX;

typedef struct _DXGK_POWER_COMPONENT_FLAGS {
    union {
        struct {
            UINT Reserved0 : 1;
            UINT DriverCompletesFStateTransition : 1;
            UINT TransitionTo_F0_OnDx : 1;
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM1_3)
            UINT Reserved : 29;
#else
            UINT NoDebounce : 1;
            UINT ActiveInD3 : 1;
            UINT Reserved : 27;
#endif
        };
        UINT Value;
    };
} DXGK_POWER_COMPONENT_FLAGS;

typedef struct _DXGK_POWER_RUNTIME_COMPONENT {
    ULONG                        StateCount;
    DXGK_POWER_RUNTIME_STATE     States[8];
    DXGK_POWER_COMPONENT_MAPPING ComponentMapping;
    DXGK_POWER_COMPONENT_FLAGS   Flags;
    GUID                         ComponentGuid;
    UCHAR                        ComponentName[40];
    ULONG                        ProviderCount;
    ULONG                        Providers[16];
} DXGK_POWER_RUNTIME_COMPONENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _DXGK_POWER_P_STATE {
    ULONG OperatingFrequency;
} DXGK_POWER_P_STATE;

typedef struct _DXGK_POWER_COMPONENT_P_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGK_POWER_COMPONENT_P_FLAGS;

typedef struct _DXGK_POWER_P_COMPONENT {
    ULONG                        StateCount;
    DXGK_POWER_P_STATE           States[32];
    DXGK_POWER_COMPONENT_P_FLAGS Flags;
} DXGK_POWER_P_COMPONENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct DXGKARG_SETSTABLEPOWERSTATE {
    BOOL Enabled;
} DXGKARG_SETSTABLEPOWERSTATE;

typedef _In_ const DXGKARG_SETSTABLEPOWERSTATE *IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE;

typedef void NTAPI DXGKDDI_SETSTABLEPOWERSTATE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETSTABLEPOWERSTATE pArgs);

typedef DXGKDDI_SETSTABLEPOWERSTATE *PDXGKDDI_SETSTABLEPOWERSTATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGK_TRACKEDWORKLOAD_STATE_FLAGS {
    union {
        struct {
            UINT Saturated : 1;
            UINT OptimalLevel : 1;
            UINT Reserved : 30;
        };
        UINT Value;
    };
} DXGK_TRACKEDWORKLOAD_STATE_FLAGS;

typedef struct _DXGKARG_SETTRACKEDWORKLOADPOWERLEVEL {
    UINT                             PowerLevel;
    UINT                             EffectivePowerLevel;
    DXGK_TRACKEDWORKLOAD_STATE_FLAGS Flags;
} DXGKARG_SETTRACKEDWORKLOADPOWERLEVEL;

typedef _Inout_ DXGKARG_SETTRACKEDWORKLOADPOWERLEVEL *INOUT_PDXGKARG_SETTRACKEDWORKLOADPOWERLEVEL;

typedef NTSTATUS NTAPI DXGKDDI_SETTRACKEDWORKLOADPOWERLEVEL(
    IN_CONST_HANDLE hContext,
    INOUT_PDXGKARG_SETTRACKEDWORKLOADPOWERLEVEL pTrackedWorkloadPowerLevel);

typedef DXGKDDI_SETTRACKEDWORKLOADPOWERLEVEL *PDXGKDDI_SETTRACKEDWORKLOADPOWERLEVEL;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGK_POWER_COMPONENT_ENGINE_DESC {
    UINT NodeIndex;
} DXGK_POWER_COMPONENT_ENGINE_DESC;

typedef struct _DXGK_POWER_COMPONENT_MEMORY_DESC {
    UINT SegmentID;
} DXGK_POWER_COMPONENT_MEMORY_DESC;

typedef struct _DXGK_POWER_COMPONENT_SHARED_DESC {
    union {
        struct {
            UINT16 SharedTypeFlag;
            UINT16 DriverCustomValueSet;
        };
        UINT SharedType;
    };
} DXGK_POWER_COMPONENT_SHARED_DESC;

#endif

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDISETPOWERCOMPONENTFSTATE(
    IN_CONST_HANDLE DriverContext,
    UINT ComponentIndex,
    UINT FState);

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef NTSTATUS NTAPI DXGKDDISETPOWERPSTATE(
    IN_CONST_HANDLE DriverContext,
    UINT ComponentIndex,
    UINT RequestedComponentPState);

#endif

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDIPOWERRUNTIMECONTROLREQUEST(
    IN_CONST_HANDLE DriverContext,
    LPCGUID PowerControlCode,
    PVOID InBuffer,
    SIZE_T InBufferSize,
    PVOID OutBuffer,
    SIZE_T OutBufferSize,
    PSIZE_T BytesReturned);

typedef NTSTATUS NTAPI DXGKDDI_POWERRUNTIMESETDEVICEHANDLE(
    IN_CONST_HANDLE DriverContext,
    HANDLE PoDeviceHandle);

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_SETPOWERCOMPONENTACTIVE)(
    IN_CONST_HANDLE hAdapter,
    UINT ComponentIndex);

typedef DXGKCB_SETPOWERCOMPONENTACTIVE *PDXGKCB_SETPOWERCOMPONENTACTIVE;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS (NTAPI *DXGKCB_POWERRUNTIMECONTROLREQUEST)(
    IN_CONST_HANDLE hAdapter,
    LPCGUID PowerControlCode,
    PVOID InBuffer,
    SIZE_T InBufferSize,
    PVOID OutBuffer,
    SIZE_T OutBufferSize,
    PSIZE_T BytesReturned);

typedef DXGKCB_POWERRUNTIMECONTROLREQUEST *PDXGKCB_POWERRUNTIMECONTROLREQUEST;

typedef void (NTAPI *DXGKCB_SETPOWERCOMPONENTIDLE)(IN_CONST_HANDLE hAdapter, UINT ComponentIndex);

typedef DXGKCB_SETPOWERCOMPONENTIDLE *PDXGKCB_SETPOWERCOMPONENTIDLE;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) void (NTAPI *DXGKCB_SETPOWERCOMPONENTLATENCY)(
    IN_CONST_HANDLE hAdapter,
    UINT ComponentIndex,
    ULONGLONG Latency);

typedef DXGKCB_SETPOWERCOMPONENTLATENCY *PDXGKCB_SETPOWERCOMPONENTLATENCY;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) void (NTAPI *DXGKCB_SETPOWERCOMPONENTRESIDENCY)(
    IN_CONST_HANDLE hAdapter,
    UINT ComponentIndex,
    ULONGLONG Residency);

typedef DXGKCB_SETPOWERCOMPONENTRESIDENCY *PDXGKCB_SETPOWERCOMPONENTRESIDENCY;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) void (NTAPI *DXGKCB_COMPLETEFSTATETRANSITION)(
    IN_CONST_HANDLE hAdapter,
    UINT ComponentIndex);

typedef DXGKCB_COMPLETEFSTATETRANSITION *PDXGKCB_COMPLETEFSTATETRANSITION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WIN8)

typedef DXGKDDISETPOWERCOMPONENTFSTATE *PDXGKDDISETPOWERCOMPONENTFSTATE;

typedef DXGKDDIPOWERRUNTIMECONTROLREQUEST *PDXGKDDIPOWERRUNTIMECONTROLREQUEST;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef DXGKDDISETPOWERPSTATE *PDXGKDDISETPOWERPSTATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef DXGKDDI_POWERRUNTIMESETDEVICEHANDLE *PDXGKDDI_POWERRUNTIMESETDEVICEHANDLE;

#endif

/* ----------------------------------------------------------------------------------------------
 * Physical memory and the IOMMU
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef enum _DXGK_MEMORY_CACHING_TYPE {
    DXGK_MEMORY_CACHING_TYPE_NON_CACHED     = 0,
    DXGK_MEMORY_CACHING_TYPE_CACHED         = 1,
    DXGK_MEMORY_CACHING_TYPE_WRITE_COMBINED = 2,
} DXGK_MEMORY_CACHING_TYPE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef enum _DXGK_PHYSICAL_MEMORY_TYPE {
    DXGK_PHYSICAL_MEMORY_TYPE_MDL               = 0,
    DXGK_PHYSICAL_MEMORY_TYPE_CONTIGUOUS_MEMORY = 1,
    DXGK_PHYSICAL_MEMORY_TYPE_SECTION           = 2,
    DXGK_PHYSICAL_MEMORY_TYPE_IO_SPACE          = 3,
} DXGK_PHYSICAL_MEMORY_TYPE;

typedef enum _DXGK_ACCESS_MODE {
    DXGK_ACCESS_MODE_KERNEL_MODE = 0,
    DXGK_ACCESS_MODE_USER_MODE   = 1,
} DXGK_ACCESS_MODE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARGCB_ALLOCATECONTIGUOUSMEMORY {
    SIZE_T                   NumberOfBytes;
    PHYSICAL_ADDRESS         LowestAcceptableAddress;
    PHYSICAL_ADDRESS         HighestAcceptableAddress;
    PHYSICAL_ADDRESS         BoundaryAddressMultiple;
    DXGK_MEMORY_CACHING_TYPE CacheType;
    HANDLE                   hMemoryHandle;
    PVOID                    pMemory;
} DXGKARGCB_ALLOCATECONTIGUOUSMEMORY;

typedef _Inout_ DXGKARGCB_ALLOCATECONTIGUOUSMEMORY *INOUT_PDXGKARGCB_ALLOCATECONTIGUOUSMEMORY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_ALLOCATECONTIGUOUSMEMORY)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_ALLOCATECONTIGUOUSMEMORY pAllocateContiguousMemory);

typedef struct _DXGKARGCB_FREECONTIGUOUSMEMORY {
    HANDLE hMemoryHandle;
} DXGKARGCB_FREECONTIGUOUSMEMORY;

typedef _In_ const DXGKARGCB_FREECONTIGUOUSMEMORY *IN_CONST_PDXGKARGCB_FREECONTIGUOUSMEMORY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_FREECONTIGUOUSMEMORY)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_FREECONTIGUOUSMEMORY pFreeContiguousMemory);

typedef struct _DXGKARGCB_ALLOCATEPAGESFORMDL {
    PHYSICAL_ADDRESS         LowAddress;
    PHYSICAL_ADDRESS         HighAddress;
    PHYSICAL_ADDRESS         SkipBytes;
    SIZE_T                   TotalBytes;
    DXGK_MEMORY_CACHING_TYPE CacheType;
    ULONG                    Flags;
    HANDLE                   hMemoryHandle;
    PMDL                     pMdl;
} DXGKARGCB_ALLOCATEPAGESFORMDL;

typedef _Inout_ DXGKARGCB_ALLOCATEPAGESFORMDL *INOUT_PDXGKARGCB_ALLOCATEPAGESFORMDL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_ALLOCATEPAGESFORMDL)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_ALLOCATEPAGESFORMDL pAllocatePagesForMdl);

typedef struct _DXGKARGCB_FREEPAGESFROMMDL {
    HANDLE hMemoryHandle;
} DXGKARGCB_FREEPAGESFROMMDL;

typedef _In_ const DXGKARGCB_FREEPAGESFROMMDL *IN_CONST_PDXGKARGCB_FREEPAGESFROMMDL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_FREEPAGESFROMMDL)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_FREEPAGESFROMMDL pFreePagesFromMdl);

typedef struct _DXGKARGCB_PINFRAMEBUFFERFORSAVE {
    UINT   PhysicalAdapterIndex;
    SIZE_T CommitSize;
    PMDL   pMdl;
} DXGKARGCB_PINFRAMEBUFFERFORSAVE;

typedef _Inout_ DXGKARGCB_PINFRAMEBUFFERFORSAVE *INOUT_PDXGKARGCB_PINFRAMEBUFFERFORSAVE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_PINFRAMEBUFFERFORSAVE)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_PINFRAMEBUFFERFORSAVE pPinFrameBufferForSave);

typedef struct _DXGKARGCB_UNPINFRAMEBUFFERFORSAVE {
    UINT PhysicalAdapterIndex;
} DXGKARGCB_UNPINFRAMEBUFFERFORSAVE;

typedef _In_ const DXGKARGCB_UNPINFRAMEBUFFERFORSAVE *IN_CONST_PDXGKARGCB_UNPINFRAMEBUFFERFORSAVE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_UNPINFRAMEBUFFERFORSAVE)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_UNPINFRAMEBUFFERFORSAVE pUnpinFrameBufferForSave);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _DXGK_KSR_MEMORY_RANGE {
    ULONGLONG MemoryRangeDesc;
} DXGK_KSR_MEMORY_RANGE, *PDXGK_KSR_MEMORY_RANGE;

typedef struct _DXGKARGCB_SAVEMEMORYFORHOTUPDATE {
    UINT                  NumDataMemoryRanges;
    DXGK_KSR_MEMORY_RANGE *pDataMemoryRanges;
    PMDL                  pDataMdl;
    UINT                  DataSize;
    PVOID                 pData;
    UINT                  MetaDataSize;
    BYTE                  *pMetaData;
} DXGKARGCB_SAVEMEMORYFORHOTUPDATE;

typedef _In_ const DXGKARGCB_SAVEMEMORYFORHOTUPDATE *IN_CONST_PDXGKARGCB_SAVEMEMORYFORHOTUPDATE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_SAVEMEMORYFORHOTUPDATE)(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARGCB_SAVEMEMORYFORHOTUPDATE pArgs);

typedef struct _DXGK_SAVEMEMORYFORHOTUPDATEFLAGS {
    union {
        struct {
            UINT CancelHotUpdate : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_SAVEMEMORYFORHOTUPDATEFLAGS;

typedef struct _DXGKARG_SAVEMEMORYFORHOTUPDATE {
    DXGK_SAVEMEMORYFORHOTUPDATEFLAGS Flags;
} DXGKARG_SAVEMEMORYFORHOTUPDATE;

typedef _In_ const DXGKARG_SAVEMEMORYFORHOTUPDATE *IN_CONST_PDXGKARG_SAVEMEMORYFORHOTUPDATE;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS NTAPI DXGKDDI_SAVEMEMORYFORHOTUPDATE(
    IN_CONST_HANDLE hContext,
    IN_CONST_PDXGKARG_SAVEMEMORYFORHOTUPDATE pArgs);

typedef DXGKDDI_SAVEMEMORYFORHOTUPDATE *PDXGKDDI_SAVEMEMORYFORHOTUPDATE;

typedef struct _DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS {
    union {
        struct {
            UINT RestoreComplete : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    };
} DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS;

typedef struct _DXGKARG_RESTOREMEMORYFORHOTUPDATE {
    DXGK_RESTOREMEMORYFORHOTUPDATEFLAGS Flags;
    PMDL                                pDataMdl;
    UINT                                MetaDataSize;
    PVOID                               pMetaData;
} DXGKARG_RESTOREMEMORYFORHOTUPDATE;

typedef _In_ const DXGKARG_RESTOREMEMORYFORHOTUPDATE *IN_CONST_PDXGKARG_RESTOREMEMORYFORHOTUPDATE;

typedef _IRQL_requires_max_(APC_LEVEL) NTSTATUS NTAPI DXGKDDI_RESTOREMEMORYFORHOTUPDATE(
    IN_CONST_HANDLE hContext,
    IN_CONST_PDXGKARG_RESTOREMEMORYFORHOTUPDATE pArgs);

typedef DXGKDDI_RESTOREMEMORYFORHOTUPDATE *PDXGKDDI_RESTOREMEMORYFORHOTUPDATE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT {
    HANDLE                    hAdapter;
    SIZE_T                    Size;
    ULONG_PTR                 Context;
    DXGK_PHYSICAL_MEMORY_TYPE Type;
    DXGK_MEMORY_CACHING_TYPE  CacheType;
    union {
        struct {
            PHYSICAL_ADDRESS LowAddress;
            PHYSICAL_ADDRESS HighAddress;
            PHYSICAL_ADDRESS SkipBytes;
            UINT             Flags;
        } Mdl;
        struct {
            PHYSICAL_ADDRESS LowestAcceptableAddress;
            PHYSICAL_ADDRESS HighestAcceptableAddress;
            PHYSICAL_ADDRESS BoundaryAddressMultiple;
        } ContiguousMemory;
        struct {
            ACCESS_MASK        DesiredAccess;
            POBJECT_ATTRIBUTES ObjectAttributes;
            ULONG              PageProtection;
            ULONG              AllocationAttributes;
        } Section;
        struct {
            PHYSICAL_ADDRESS BaseAddress;
        } IOSpace;
    };
    HANDLE                    hPhysicalMemoryObject;
    HANDLE                    hAdapterMemoryObject;
} DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

typedef _Inout_ DXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT *IN_OUT_PDXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_CREATEPHYSICALMEMORYOBJECT)(
    IN_OUT_PDXGKARGCB_CREATE_PHYSICAL_MEMORY_OBJECT pArgs);

typedef struct _DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT {
    HANDLE hPhysicalMemoryObject;
    HANDLE hAdapterMemoryObject;
} DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT;

typedef _In_ const DXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT *IN_CONST_PDXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT;

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_DESTROYPHYSICALMEMORYOBJECT)(
    IN_CONST_PDXGKARGCB_DESTROY_PHYSICAL_MEMORY_OBJECT pArgs);

typedef struct _DXGKARGCB_MAP_PHYSICAL_MEMORY {
    HANDLE           hPhysicalMemoryObject;
    DXGK_ACCESS_MODE AccessMode;
    SIZE_T           Offset;
    SIZE_T           Size;
    void             *pMappedAddress;
} DXGKARGCB_MAP_PHYSICAL_MEMORY;

typedef _Inout_ DXGKARGCB_MAP_PHYSICAL_MEMORY *IN_OUT_PDXGKARGCB_MAP_PHYSICAL_MEMORY;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_MAPPHYSICALMEMORY)(
    IN_OUT_PDXGKARGCB_MAP_PHYSICAL_MEMORY pArgs);

typedef struct _DXGKARGCB_UNMAP_PHYSICAL_MEMORY {
    HANDLE hPhysicalMemoryObject;
    void   *pBaseAddress;
    SIZE_T Size;
} DXGKARGCB_UNMAP_PHYSICAL_MEMORY;

typedef _In_ const DXGKARGCB_UNMAP_PHYSICAL_MEMORY *IN_CONST_PDXGKARGCB_UNMAP_PHYSICAL_MEMORY;

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_UNMAPPHYSICALMEMORY)(
    IN_CONST_PDXGKARGCB_UNMAP_PHYSICAL_MEMORY pArgs);

typedef struct _DXGKARGCB_ALLOCATE_ADL {
    HANDLE   hAdapterMemoryObject;
    SIZE_T   Offset;
    SIZE_T   Size;
    union {
        struct {
            UINT32 RequireContiguous : 1;
            UINT32 PreferContiguous : 1;
            UINT32 Reserved : 30;
        };
        UINT32 Value;
    } Flags;
    DXGK_ADL *pAdl;
} DXGKARGCB_ALLOCATE_ADL;

typedef _Inout_ DXGKARGCB_ALLOCATE_ADL *IN_OUT_PDXGKARGCB_ALLOCATE_ADL;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_ALLOCATEADL)(
    IN_OUT_PDXGKARGCB_ALLOCATE_ADL pArgs);

typedef struct _DXGKARGCB_FREE_ADL {
    HANDLE   hAdapterMemoryObject;
    DXGK_ADL *pAdl;
} DXGKARGCB_FREE_ADL;

typedef _In_ const DXGKARGCB_FREE_ADL *IN_CONST_PDXGKARGCB_FREE_ADL;

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_FREEADL)(
    IN_CONST_PDXGKARGCB_FREE_ADL pArgs);

typedef struct _DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT {
    HANDLE hPhysicalMemoryObject;
    HANDLE hAdapter;
    HANDLE hAdapterMemoryObject;
} DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT;

typedef _Inout_ DXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT *IN_OUT_PDXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_OPENPHYSICALMEMORYOBJECT)(
    IN_OUT_PDXGKARGCB_OPEN_PHYSICAL_MEMORY_OBJECT pArgs);

typedef struct _DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT {
    HANDLE hAdapterMemoryObject;
} DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT;

typedef _In_ const DXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT *IN_CONST_PDXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT;

typedef _IRQL_requires_(PASSIVE_LEVEL) void (NTAPI *DXGKCB_CLOSEPHYSICALMEMORYOBJECT)(
    IN_CONST_PDXGKARGCB_CLOSE_PHYSICAL_MEMORY_OBJECT pArgs);

typedef struct _DXGKARGCB_PINFRAMEBUFFERFORSAVE2 {
    UINT     PhysicalAdapterIndex;
    SIZE_T   CommitSize;
    union {
        struct {
            UINT PreferContiguous : 1;
            UINT Reserved : 31;
        };
        UINT Value;
    } Flags;
    DXGK_ADL *pAdl;
} DXGKARGCB_PINFRAMEBUFFERFORSAVE2;

typedef _Inout_ DXGKARGCB_PINFRAMEBUFFERFORSAVE2 *INOUT_PDXGKARGCB_PINFRAMEBUFFERFORSAVE2;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_PINFRAMEBUFFERFORSAVE2)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_PINFRAMEBUFFERFORSAVE2 pPinFrameBufferForSave2);

#endif

/* ----------------------------------------------------------------------------------------------
 * History buffers, clocks
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef struct _DXGKARG_HISTORYBUFFERPRECISION {
    UINT32 PrecisionBits;
} DXGKARG_HISTORYBUFFERPRECISION;

typedef struct _DXGK_HISTORY_BUFFER_HEADER {
    UINT32 RenderCbSequence;
    UINT32 NumTimestamps;
    UINT32 PrivateDataSize;
    UINT32 Reserved;
} DXGK_HISTORY_BUFFER_HEADER;

typedef struct _DXGK_HISTORY_BUFFER {
    DXGK_HISTORY_BUFFER_HEADER Header;
    UINT8                      DriverPrivateData[1];
} DXGK_HISTORY_BUFFER;

typedef struct _DXGKARG_FORMATHISTORYBUFFER {
    DXGK_HISTORY_BUFFER            *pHistoryBuffer;
    UINT32                         HistoryBufferSize;
    PVOID                          pFormattedBuffer;
    UINT32                         FormattedBufferSize;
    UINT32                         NumTimestamps;
    DXGKARG_HISTORYBUFFERPRECISION Precision;
    UINT32                         Offset;
} DXGKARG_FORMATHISTORYBUFFER;

typedef _IRQL_requires_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDI_FORMATHISTORYBUFFER(
    IN_CONST_HANDLE hContext,
    DXGKARG_FORMATHISTORYBUFFER *pFormatData);

typedef DXGKDDI_FORMATHISTORYBUFFER *PDXGKDDI_FORMATHISTORYBUFFER;

typedef _IRQL_requires_(DISPATCH_LEVEL) NTSTATUS NTAPI DXGKDDI_CALIBRATEGPUCLOCK(
    IN_CONST_HANDLE hAdapter,
    UINT32 NodeOrdinal,
    UINT32 EngineOrdinal,
    OUT_PDXGKARG_CALIBRATEGPUCLOCK pClockCalibration);

typedef DXGKDDI_CALIBRATEGPUCLOCK *PDXGKDDI_CALIBRATEGPUCLOCK;

#endif

/* ----------------------------------------------------------------------------------------------
 * Virtual functions and migration
 */

typedef enum _DXGIDDI_PARTITIONING_EVENT_TYPE {
    DXGK_PARTITION_EVENT_FUNCTION_LEVEL_RESET   = 0,
    DXGK_PARTITION_EVENT_FUNDAMENTAL_WARM_RESET = 1,
    DXGK_PARTITION_EVENT_DRIVER_INTERNAL        = 2,
} DXGIDDI_PARTITIONING_EVENT_TYPE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef enum _DXGKARG_QUERYDIRTYBITDATAFLAGS {
    DXGKARG_QUERYDIRTYBITDATAFLAGS_CLEARDATA = 1,
} DXGKARG_QUERYDIRTYBITDATAFLAGS;

typedef enum _DXGK_GPUP_MIGRATIONTYPE {
    DXGK_GPUP_MIGRATIONTYPE_SOURCE = 0,
    DXGK_GPUP_MIGRATIONTYPE_TARGET = 1,
} DXGK_GPUP_MIGRATIONTYPE;

#endif

typedef struct _DXGKDDICB_PARTITIONING_EVENT_NOTIFICATION {
    HANDLE                          hAdapter;
    DXGIDDI_PARTITIONING_EVENT_TYPE EventType;
    ULONG                           PartitionId;
    WCHAR                           EventDescription[255];
    UINT64                          EventData1;
    UINT64                          EventData2;
    UINT64                          EventData3;
    UINT64                          EventData4;
    UINT64                          EventData5;
} DXGKDDICB_PARTITIONING_EVENT_NOTIFICATION, *PDXGKDDICB_PARTITIONING_EVENT_NOTIFICATION;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGKARG_CREATEMEMORYBASIS {
    UINT             SegmentId;
    UINT64           RangeCount;
    DXGK_MEMORYRANGE Ranges[1];
} DXGKARG_CREATEMEMORYBASIS;

typedef _In_ const DXGKARG_CREATEMEMORYBASIS *IN_CONST_PDXGKARG_CREATEMEMORYBASIS;

typedef HANDLE NTAPI DXGKDDI_CREATEMEMORYBASIS(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_CREATEMEMORYBASIS pArgs);

typedef DXGKDDI_CREATEMEMORYBASIS *PDXGKDDI_CREATEMEMORYBASIS;

typedef struct _DXGKARG_QUERYDIRTYBITDATA {
    HANDLE MemoryBasis;
    UINT64 SubrangeIndex;
    UINT64 SubrangeOffset;
    UINT64 SubrangeSize;
    PVOID  Buffer;
    SIZE_T BufferSize;
    UINT   Flags;
} DXGKARG_QUERYDIRTYBITDATA;

typedef _Inout_ DXGKARG_QUERYDIRTYBITDATA *INOUT_PDXGKARG_QUERYDIRTYBITDATA;

typedef NTSTATUS NTAPI DXGKDDI_QUERYDIRTYBITDATA(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_QUERYDIRTYBITDATA pArgs);

typedef DXGKDDI_QUERYDIRTYBITDATA *PDXGKDDI_QUERYDIRTYBITDATA;

typedef struct _DXGKARG_GPUP_PREPARE_LIVE_MIGRATION {
    UINT                    vfIndex;
    DXGK_GPUP_MIGRATIONTYPE MigrationType;
} DXGKARG_GPUP_PREPARE_LIVE_MIGRATION;

typedef _In_ const DXGKARG_GPUP_PREPARE_LIVE_MIGRATION *IN_CONST_PDXGKARG_GPUP_PREPARE_LIVE_MIGRATION;

typedef NTSTATUS NTAPI DXGKDDI_PREPARELIVEMIGRATION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_GPUP_PREPARE_LIVE_MIGRATION pArgs);

typedef DXGKDDI_PREPARELIVEMIGRATION *PDXGKDDI_PREPARELIVEMIGRATION;

typedef struct _DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA {
    UINT   vfIndex;
    UINT64 *DataSize;
    BYTE   *Data;
} DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA;

typedef _Inout_ DXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA *INOUT_PDXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA;

typedef NTSTATUS NTAPI DXGKDDI_SAVEMUTABLEMIGRATIONDATA(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_GPUP_SAVE_MUTABLE_MIGRATION_DATA pArgs);

typedef DXGKDDI_SAVEMUTABLEMIGRATIONDATA *PDXGKDDI_SAVEMUTABLEMIGRATIONDATA;

typedef struct _DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA {
    UINT   vfIndex;
    UINT64 DataSize;
    BYTE   *Data;
} DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA;

typedef _In_ const DXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA *IN_CONST_PDXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA;

typedef NTSTATUS NTAPI DXGKDDI_RESTOREMUTABLEMIGRATIONDATA(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_GPUP_RESTORE_MUTABLE_MIGRATION_DATA pArgs);

typedef DXGKDDI_RESTOREMUTABLEMIGRATIONDATA *PDXGKDDI_RESTOREMUTABLEMIGRATIONDATA;

typedef struct _DXGK_INTERRUPT_TABLE_ENTRY {
    UINT64 MessageAddress;
    UINT32 MessageData;
    UINT32 VectorControl;
} DXGK_INTERRUPT_TABLE_ENTRY;

typedef struct _DXGKARG_GPUP_WRITE_VIRTUALIZED_MSIX {
    UINT                       vfIndex;
    INT16                      InterruptTableIndex;
    DXGK_INTERRUPT_TABLE_ENTRY WriteValue;
} DXGKARG_GPUP_WRITE_VIRTUALIZED_MSIX;

typedef _In_ const DXGKARG_GPUP_WRITE_VIRTUALIZED_MSIX *IN_CONST_PDXGKARG_GPUP_WRITE_VIRTUALIZED_MSIX;

typedef NTSTATUS NTAPI DXGKDDI_WRITEVIRTUALIZEDINTERRUPT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_GPUP_WRITE_VIRTUALIZED_MSIX pArgs);

typedef DXGKDDI_WRITEVIRTUALIZEDINTERRUPT *PDXGKDDI_WRITEVIRTUALIZEDINTERRUPT;

typedef struct _DXGK_GPU_PHYSICAL_RESERVE_DESCRIPTOR {
    HANDLE DriverAllocationHandle;
    HANDLE MemoryBasis;
} DXGK_GPU_PHYSICAL_RESERVE_DESCRIPTOR;

typedef struct _DXGKARG_SETVIRTUALGPURESOURCES2 {
    ULONG                                vfIndex;
    ULONG                                SegmentCount;
    DXGK_GPU_PHYSICAL_RESERVE_DESCRIPTOR SegmentDescriptors[1];
} DXGKARG_SETVIRTUALGPURESOURCES2;

typedef _In_ const DXGKARG_SETVIRTUALGPURESOURCES2 *IN_CONST_PDXGKARG_SETVIRTUALGPURESOURCES2;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALGPURESOURCES2(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIRTUALGPURESOURCES2 pArgs);

typedef DXGKDDI_SETVIRTUALGPURESOURCES2 *PDXGKDDI_SETVIRTUALGPURESOURCES2;

typedef struct _DXGKARG_SETVIRTUALFUNCTIONPAUSESTATE {
    ULONG   vfIndex;
    BOOLEAN bPause;
} DXGKARG_SETVIRTUALFUNCTIONPAUSESTATE;

typedef _In_ const DXGKARG_SETVIRTUALFUNCTIONPAUSESTATE *IN_CONST_PDXGKARG_SETVIRTUALFUNCTIONPAUSESTATE;

typedef NTSTATUS NTAPI DXGKDDI_SETVIRTUALFUNCTIONPAUSESTATE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIRTUALFUNCTIONPAUSESTATE pArgs);

typedef DXGKDDI_SETVIRTUALFUNCTIONPAUSESTATE *PDXGKDDI_SETVIRTUALFUNCTIONPAUSESTATE;

typedef NTSTATUS NTAPI DXGKDDI_DESTROYMEMORYBASIS(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hMemoryBasis);

typedef NTSTATUS NTAPI DXGKDDI_ENDLIVEMIGRATION(IN_CONST_HANDLE hAdapter, UINT vfIndex);

typedef DXGKDDI_DESTROYMEMORYBASIS *PDXGKDDI_DESTROYMEMORYBASIS;

typedef DXGKDDI_ENDLIVEMIGRATION *PDXGKDDI_ENDLIVEMIGRATION;

#endif

/* ----------------------------------------------------------------------------------------------
 * Features
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_6)

typedef struct _DXGKARGCB_ISFEATUREENABLED {
    HANDLE          DeviceHandle;
    DXGK_FEATURE_ID FeatureId;
    BOOLEAN         Enabled;
} DXGKARGCB_ISFEATUREENABLED;

typedef _Inout_ DXGKARGCB_ISFEATUREENABLED *INOUT_PDXGKARGCB_ISFEATUREENABLED;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_ISFEATUREENABLED)(
    INOUT_PDXGKARGCB_ISFEATUREENABLED);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_9)

typedef struct _DXGKARGCB_QUERYFEATURESUPPORT {
    HANDLE          DeviceHandle;
    DXGK_FEATURE_ID FeatureId;
    UINT            DriverSupportState;
    BOOLEAN         Enabled;
} DXGKARGCB_QUERYFEATURESUPPORT;

typedef _Inout_ DXGKARGCB_QUERYFEATURESUPPORT *INOUT_PDXGKARGCB_QUERYFEATURESUPPORT;

typedef NTSTATUS (NTAPI *DXGKCB_QUERYFEATURESUPPORT)(INOUT_PDXGKARGCB_QUERYFEATURESUPPORT);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef struct _DXGKARGCB_ISFEATUREENABLED2_FLAGS {
    union {
        struct {
            UINT Reserved : 32;
        };
        UINT Value;
    };
} DXGKARGCB_ISFEATUREENABLED2_FLAGS;

typedef struct _DXGKARGCB_ISFEATUREENABLED2 {
    DXGK_FEATURE_ID                   FeatureId;
    DXGKARGCB_ISFEATUREENABLED2_FLAGS Flags;
    DXGK_ISFEATUREENABLED_RESULT      Result;
} DXGKARGCB_ISFEATUREENABLED2;

typedef _Inout_ DXGKARGCB_ISFEATUREENABLED2 *INOUT_PDXGKARGCB_ISFEATUREENABLED2;

typedef NTSTATUS (NTAPI *DXGKCB_ISFEATUREENABLED2)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_ISFEATUREENABLED2 pArgs);

typedef struct _DXGKISFEATUREENABLED2IOCTL {
    PVOID DriverObject;
    PVOID pArgs;
} DXGKISFEATUREENABLED2IOCTL;

typedef struct _DXGKARG_QUERYFEATURESUPPORT {
    DXGK_FEATURE_ID FeatureId;
    UINT16          MinSupportedVersion;
    UINT16          MaxSupportedVersion;
    BOOLEAN         AllowExperimental;
    BOOLEAN         SupportedByDriver;
    BOOLEAN         SupportedOnCurrentConfig;
} DXGKARG_QUERYFEATURESUPPORT;

typedef _Inout_ DXGKARG_QUERYFEATURESUPPORT *INOUT_PDXGKARG_QUERYFEATURESUPPORT;

typedef NTSTATUS NTAPI DXGKDDI_QUERYFEATURESUPPORT(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_QUERYFEATURESUPPORT pArgs);

typedef DXGKDDI_QUERYFEATURESUPPORT *PDXGKDDI_QUERYFEATURESUPPORT;

typedef struct _DXGKARG_QUERYFEATUREINTERFACE {
    DXGK_FEATURE_ID FeatureId;
    UINT16          Version;
    UINT16          InterfaceSize;
    PVOID           Interface;
} DXGKARG_QUERYFEATUREINTERFACE;

typedef _Inout_ DXGKARG_QUERYFEATUREINTERFACE *INOUT_PDXGKARG_QUERYFEATUREINTERFACE;

typedef NTSTATUS NTAPI DXGKDDI_QUERYFEATUREINTERFACE(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARG_QUERYFEATUREINTERFACE pArgs);

typedef DXGKDDI_QUERYFEATUREINTERFACE *PDXGKDDI_QUERYFEATUREINTERFACE;

typedef struct _DXGKARGCB_QUERYFEATUREINTERFACE {
    DXGK_FEATURE_ID FeatureId;
    UINT16          Version;
    UINT16          InterfaceSize;
    PVOID           Interface;
} DXGKARGCB_QUERYFEATUREINTERFACE;

typedef _Inout_ DXGKARGCB_QUERYFEATUREINTERFACE *INOUT_PDXGKARGCB_QUERYFEATUREINTERFACE;

typedef NTSTATUS (NTAPI *DXGKCB_QUERYFEATUREINTERFACE)(
    IN_CONST_HANDLE hAdapter,
    INOUT_PDXGKARGCB_QUERYFEATUREINTERFACE pArgs);

typedef struct _DXGKARG_FEATURE_SAMPLE_ADDVALUE {
    UINT InputValue;
    UINT OutputValue;
} DXGKARG_FEATURE_SAMPLE_ADDVALUE;

typedef struct _DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE {
    UINT InputValue;
    UINT OutputValue;
} DXGKARG_FEATURE_SAMPLE_SUBTRACTVALUE;

typedef struct _DXGKARGCB_FEATURE_SAMPLE_GETVALUE {
    UINT Value;
} DXGKARGCB_FEATURE_SAMPLE_GETVALUE;

typedef struct _DXGKDDIINT_FEATURE_SAMPLE_4 {
    PVOID AddValue;
} DXGKDDIINT_FEATURE_SAMPLE_4;

typedef struct _DXGKDDIINT_FEATURE_SAMPLE_5 {
    PVOID AddValue;
    PVOID SubtractValue;
} DXGKDDIINT_FEATURE_SAMPLE_5;

typedef struct _DXGKCBINT_FEATURE_SAMPLE_4 {
    PVOID GetValue;
} DXGKCBINT_FEATURE_SAMPLE_4;

#endif

/* ----------------------------------------------------------------------------------------------
 * Everything else
 */

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef enum _DXGK_HARDWARE_CONTENT_PROTECTION_TEARDOWN_FLAGS {
    DXGK_HARDWARE_CONTENT_PROTECTION_TEARDOWN_FLAG_PREEMPTIVE = 1,
} DXGK_HARDWARE_CONTENT_PROTECTION_TEARDOWN_FLAGS;

#endif

typedef struct _DXGKARG_STOPCAPTURE {
    HANDLE hAllocation;
} DXGKARG_STOPCAPTURE;

typedef _In_ const DXGKARG_STOPCAPTURE *IN_CONST_PDXGKARG_STOPCAPTURE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_STOPCAPTURE(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_STOPCAPTURE pStopCapture);

typedef DXGKDDI_STOPCAPTURE *PDXGKDDI_STOPCAPTURE;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef struct _DXGKARG_SETVIDEOPROTECTEDREGION {
    UINT   PhysicalAdapterIndex;
    UINT   SegmentIndex;
    UINT   VprIndex;
    SIZE_T CurrentStartOffset;
    SIZE_T CurrentSize;
    SIZE_T NewStartOffset;
    SIZE_T NewSize;
} DXGKARG_SETVIDEOPROTECTEDREGION;

typedef _In_ const DXGKARG_SETVIDEOPROTECTEDREGION *IN_CONST_PDXGKARG_SETVIDEOPROTECTEDREGION;

typedef NTSTATUS NTAPI DXGKDDI_SETVIDEOPROTECTEDREGION(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETVIDEOPROTECTEDREGION pArgs);

typedef DXGKDDI_SETVIDEOPROTECTEDREGION *PDXGKDDI_SETVIDEOPROTECTEDREGION;

#endif

typedef _IRQL_requires_max_(APC_LEVEL) D3DKMT_HANDLE (NTAPI *DXGKCB_GETHANDLEPARENT)(
    IN_D3DKMT_HANDLE hAllocation);

typedef struct _DXGK_INTERFACESPECIFICDATA {
    HANDLE                     hAdapter;
    DXGKCB_GETHANDLEDATA       pfnGetHandleDataCb;
    DXGKCB_GETHANDLEPARENT     pfnGetHandleParentCb;
    DXGKCB_ENUMHANDLECHILDREN  pfnEnumHandleChildrenCb;
    DXGKCB_NOTIFY_INTERRUPT    pfnNotifyInterruptCb;
    DXGKCB_NOTIFY_DPC          pfnNotifyDpcCb;
    DXGKCB_QUERYVIDPNINTERFACE pfnQueryVidPnInterfaceCb;
    DXGKCB_GETCAPTUREADDRESS   pfnGetCaptureAddressCb;
} DXGK_INTERFACESPECIFICDATA;

typedef struct _DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT {
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
    HANDLE                         PrimaryAllocation;
    UINT                           PrivateDriverFormatAttribute;
} DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT;

typedef _In_ DXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT *IN_CONST_PDXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_PDXGKARG_SETDISPLAYPRIVATEDRIVERFORMAT pSetDisplayPrivateDriverFormat);

typedef DXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT *PDXGKDDI_SETDISPLAYPRIVATEDRIVERFORMAT;

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef struct _DXGKARG_BEGINEXCLUSIVEACCESS {
    UINT Reserved;
} DXGKARG_BEGINEXCLUSIVEACCESS;

typedef _In_ DXGKARG_BEGINEXCLUSIVEACCESS *IN_PDXGKARG_BEGINEXCLUSIVEACCESS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_BEGINEXCLUSIVEACCESS(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_BEGINEXCLUSIVEACCESS pBeginExclusiveAccess);

typedef DXGKDDI_BEGINEXCLUSIVEACCESS *PDXGKDDI_BEGINEXCLUSIVEACCESS;

typedef struct _DXGKARG_ENDEXCLUSIVEACCESS {
    UINT Reserved;
} DXGKARG_ENDEXCLUSIVEACCESS;

typedef _In_ DXGKARG_ENDEXCLUSIVEACCESS *IN_PDXGKARG_ENDEXCLUSIVEACCESS;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_ENDEXCLUSIVEACCESS(
    IN_CONST_HANDLE hAdapter,
    IN_PDXGKARG_ENDEXCLUSIVEACCESS pEndExclusiveAccess);

typedef DXGKDDI_ENDEXCLUSIVEACCESS *PDXGKDDI_ENDEXCLUSIVEACCESS;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_5)

typedef struct _DXGKARGCB_SIGNALEVENT {
    HANDLE hDxgkProcess;
    HANDLE hEvent;
    union {
        struct {
#if (DXGKDDI_INTERFACE_VERSION < DXGKDDI_INTERFACE_VERSION_WDDM3_0)
            UINT Reserved : 32;
#else
            UINT CpuEventObject : 1;
            UINT Reserved : 31;
#endif
        };
        UINT Flags;
    };
} DXGKARGCB_SIGNALEVENT;

typedef _In_ const DXGKARGCB_SIGNALEVENT *IN_CONST_PDXGKARGCB_SIGNALEVENT;

typedef _IRQL_requires_max_(DISPATCH_LEVEL) NTSTATUS (NTAPI *DXGKCB_SIGNALEVENT)(
    IN_CONST_PDXGKARGCB_SIGNALEVENT);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_8)

typedef struct _DXGKARGCB_NOTIFYCURSORSUPPORTCHANGE {
    HANDLE                         DeviceHandle;
    D3DDDI_VIDEO_PRESENT_SOURCE_ID VidPnSourceId;
} DXGKARGCB_NOTIFYCURSORSUPPORTCHANGE;

typedef _In_ const DXGKARGCB_NOTIFYCURSORSUPPORTCHANGE *IN_CONST_PDXGKARGCB_NOTIFYCURSORSUPPORTCHANGE;

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS (NTAPI *DXGKCB_NOTIFYCURSORSUPPORTCHANGE)(
    IN_CONST_PDXGKARGCB_NOTIFYCURSORSUPPORTCHANGE pArgs);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_0)

typedef void (NTAPI *PINTERFACE_REFERENCE)(PVOID Context);

typedef void (NTAPI *PINTERFACE_DEREFERENCE)(PVOID Context);

typedef struct _DXGK_WDDM3_ON_VB_INTERFACE {
    USHORT                             Size;
    USHORT                             Version;
    PVOID                              Context;
    PINTERFACE_REFERENCE               InterfaceReference;
    PINTERFACE_DEREFERENCE             InterfaceDereference;
    PDXGKDDI_SETALLOCATIONBACKINGSTORE DxgkDdiSetAllocationBackingStore;
    PDXGKDDI_CREATECPUEVENT            DxgkDdiCreateCpuEvent;
    PDXGKDDI_DESTROYCPUEVENT           DxgkDdiDestroyCpuEvent;
} DXGK_WDDM3_ON_VB_INTERFACE, *PDXGK_WDDM3_ON_VB_INTERFACE;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef NTSTATUS NTAPI DXGKDDI_NOTIFYFOCUSPRESENT(IN_CONST_HANDLE hAdapter);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_2)

typedef _IRQL_requires_(DISPATCH_LEVEL) NTSTATUS (NTAPI *DXGKCB_INDICATE_CONNECTOR_CHANGE)(
    IN_CONST_HANDLE hAdapter);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_0)

typedef _IRQL_requires_max_(DISPATCH_LEVEL) void (NTAPI *DXGKCB_HARDWARECONTENTPROTECTIONTEARDOWN)(
    IN_CONST_HANDLE hAdapter,
    UINT Flags);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_1)

typedef void (NTAPI *DXGKCB_DXGKCB_MITIGATEDRANGEUPDATE)(
    IN_CONST_HANDLE hAdapter,
    ULONG VirtualFunctionIndex);

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3)

typedef _IRQL_requires_(PASSIVE_LEVEL) NTSTATUS NTAPI DXGKDDI_GETNODEMETADATA(
    IN_CONST_HANDLE hAdapter,
    UINT NodeOrdinalAndAdapterIndex,
    OUT_PDXGKARG_GETNODEMETADATA pGetNodeMetadata);

typedef void (NTAPI *DXGKCB_COMPLETEPSTATETRANSITION)(
    IN_CONST_HANDLE hAdapter,
    UINT ComponentIndex,
    UINT CompletedPState);

typedef DXGKCB_COMPLETEPSTATETRANSITION *PDXGKCB_COMPLETEPSTATETRANSITION;

typedef DXGKDDI_GETNODEMETADATA *PDXGKDDI_GETNODEMETADATA;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM2_4)

typedef DXGKDDI_NOTIFYFOCUSPRESENT *PDXGKDDI_NOTIFYFOCUSPRESENT;

#endif

#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM3_2)

typedef NTSTATUS NTAPI DXGKDDI_STARTDIRTYTRACKING(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hMemoryBasis);

typedef NTSTATUS NTAPI DXGKDDI_STOPDIRTYTRACKING(
    IN_CONST_HANDLE hAdapter,
    IN_CONST_HANDLE hMemoryBasis);

typedef DXGKDDI_STARTDIRTYTRACKING *PDXGKDDI_STARTDIRTYTRACKING;

typedef DXGKDDI_STOPDIRTYTRACKING *PDXGKDDI_STOPDIRTYTRACKING;

#endif


#ifdef __cplusplus
}
#endif

#endif /* _D3DKMDDI_H_ */
