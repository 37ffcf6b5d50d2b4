"""What the data does not say: the order of the headers, the texts between, and the parts written by hand."""

NOT_OURS = {'UINT', 'DWORD', 'BYTE', '__C_ASSERT__', 'PHYSICAL_ADDRESS', 'OBJECT_ATTRIBUTES', 'POBJECT_ATTRIBUTES',
            'DXGK_MONITOR_DESCRIPTOR'}
NOT_CONSTANTS = {'DXGKDDI_INTERFACE_VERSION', 'D3D_UMD_INTERFACE_VERSION'}
INLINE = {'D3DKMDT_VPPR_GET_OFFSET_ROTATION', 'D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART', 'D3DKMDT_VPPR_GET_CONTENT_ROTATION'}
CONSTANT_TEXT = {}

# Names that drivers use for parameters besides those in the prototypes themselves.
MORE_ALIASES = {
    'IN_PDXGK_CHILD_STATUS': 'DXGK_CHILD_STATUS*',
    'INOUT_PDXGK_CHILD_DESCRIPTOR': 'DXGK_CHILD_DESCRIPTOR*',
    'OUT_PDXGK_DEVICE_INFO': 'DXGK_DEVICE_INFO*',
    'OUT_PDXGK_DISPLAY_INFORMATION': 'DXGK_DISPLAY_INFORMATION*',
    'IN_CONST_PDXGK_CHILD_STATUS': 'const DXGK_CHILD_STATUS*',
    'INOUT_PDXGKARG_RECOMMENDMONITORMODES': 'DXGKARG_RECOMMENDMONITORMODES*',
    'IN_CONST_PDXGKARG_COMMITVIDPN': 'const DXGKARG_COMMITVIDPN*',
    'IN_CONST_PDXGKARG_ENUMVIDPNCOFUNCMODALITY': 'const DXGKARG_ENUMVIDPNCOFUNCMODALITY*',
    'IN_CONST_PDXGKARG_RECOMMENDFUNCTIONALVIDPN': 'const DXGKARG_RECOMMENDFUNCTIONALVIDPN*',
    'IN_CONST_PDXGKARG_UPDATEACTIVEVIDPNPRESENTPATH': 'const DXGKARG_UPDATEACTIVEVIDPNPRESENTPATH*',
    'IN_CONST_PDXGKARG_RECOMMENDMONITORMODES': 'const DXGKARG_RECOMMENDMONITORMODES*',
    'IN_PDXGKARG_CREATEALLOCATION': 'DXGKARG_CREATEALLOCATION*',
    'OUT_PDXGKARG_GETSCANLINE': 'DXGKARG_GETSCANLINE*',
}


# Structures of which every member has a comment in notes/.
COMMENTED = [
    'DXGKARG_SUBMITCOMMAND',
    'DXGK_SUBMITCOMMANDFLAGS',
    'DXGKARG_CANCELCOMMAND',
    'DXGKARG_VALIDATESUBMITCOMMAND',
    'DXGK_VALIDATESUBMITCOMMANDFLAGS',
    'DXGK_ALLOCATIONLIST',
    'DXGKARG_PRESENT',
    'DXGK_PRESENTFLAGS',
    'DXGK_PRESENTALLOCATIONINFO',
    'DXGK_PRESENTMULTIPLANEOVERLAYINFO',
    'DXGKARG_BUILDPAGINGBUFFER',
    'DXGK_TRANSFERFLAGS',
    'DXGK_DISCARDCONTENTFLAGS',
    'DXGK_MAPAPERTUREFLAGS',
    'DXGK_BUILDPAGINGBUFFER_TRANSFERVIRTUAL',
    'DXGK_TRANSFERVIRTUALFLAGS',
    'DXGK_BUILDPAGINGBUFFER_FILLVIRTUAL',
    'DXGK_BUILDPAGINGBUFFER_UPDATEPAGETABLE',
    'DXGK_UPDATEPAGETABLEFLAGS',
    'DXGK_BUILDPAGINGBUFFER_FLUSHTLB',
    'DXGK_BUILDPAGINGBUFFER_COPYPAGETABLEENTRIES',
    'DXGK_BUILDPAGINGBUFFER_COPY_RANGE',
    'DXGK_BUILDPAGINGBUFFER_UPDATECONTEXTALLOCATION',
    'DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY',
    'DXGK_BUILDPAGINGBUFFER_SIGNALMONITOREDFENCE',
    'DXGK_ADL',
    'DXGK_ADL_FLAGS',
    'DXGK_BUILDPAGINGBUFFER_NOTIFY_FENCE_RESIDENCY',
    'DXGK_FENCE_RESIDENCY_INFO',
    'DXGK_BUILDPAGINGBUFFER_MAPMMU',
    'DXGK_BUILDPAGINGBUFFER_UNMAPMMU',
    'DXGK_BUILDPAGINGBUFFER_NOTIFYRESIDENCY2',
    'DXGK_BUILDPAGINGBUFFER_NOTIFYALLOC',
    'DXGK_NOTIFYALLOCFLAGS',
]


# In the structures of these headers a pointer leads into the client's memory.
CLIENT_POINTERS = {'d3dukmdt.h', 'd3dkmthk.h'}


def guid_header(name):
    if name.startswith('DXGKMDT_'):
        return 'd3dkmdt.h'
    if name == 'GUID_DEVINTERFACE_GRAPHICSPOWER':
        return 'd3dkmthk.h'
    if name.startswith('GUID_DXGKDDI_POWER') or 'AZURE' in name or 'WDDM3_ON_VB' in name:
        return 'd3dkmddi.h'
    return 'dispmprt.h'


# Each header: what it is, what it includes, the groups of its constants, the sections of its types. A constant or a type goes
# to the first group whose pattern its name matches.
HEADERS = {
    'd3dukmdt.h': {
        'about': 'd3dukmdt.h: types that user-mode and kernel-mode graphics code share: interface versions, formats, allocations, '
                 'GPU virtual addresses, synchronization objects.',
        'includes': ['ntdef.h', 'windef.h', 'guiddef.h', 'dxgiformat.h'],
        'constants': [
            ('Interface versions', 'A driver is compiled for DXGKDDI_INTERFACE_VERSION, the newest if it says nothing. Structures end '
             'and tables grow with it: whatever stands under a later version does not exist for an earlier driver.',
             r'^DXGKDDI_INTERFACE_VERSION'),
            ('User-mode interface versions', '', r'^D3D_UMD'),
            ('Constants', '', '.'),
        ],
        'after_constants': '''#ifndef DXGKDDI_INTERFACE_VERSION
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WDDM3_2
#endif
#ifndef D3D_UMD_INTERFACE_VERSION
#define D3D_UMD_INTERFACE_VERSION D3D_UMD_INTERFACE_VERSION_WDDM3_2
#endif

/* Stands at every pointer by which a client tells of its own memory. A kernel that serves such clients defines it as an
 * attribute with which its compiler refuses to follow the pointer; to everybody else it is nothing. */
#ifndef D3DKMT_CLIENT
#define D3DKMT_CLIENT
#endif

/* A version between two of the list is a preview that no system accepts. */
@OFFICIAL@

#ifndef MAKEFOURCC
#define MAKEFOURCC(first, second, third, fourth) \\
    ((ULONG)(UCHAR)(first) | (ULONG)(UCHAR)(second) << 8 | (ULONG)(UCHAR)(third) << 16 | \\
     (ULONG)(UCHAR)(fourth) << 24)
#endif
''',
        'sections': [
            ('Virtual GPU escapes', 'Requests of a virtual machine to the host, carried by D3DKMTEscape.', r'VGPU_ESCAPE|GPUP_DRIVER_ESCAPE'),
            ('Numbers and handles', '', r'^(D3DKMT_(SIZE_T|UINT_PTR|ULONG_PTR|PTR_TYPE|HANDLE)|D3DGPU_\w+|D3DDDI_VIDEO_PRESENT_\w+|D3DDDI_RATIONAL|D3DDDIRECT)$'),
            ('Allocations, patch locations, locks', 'What a client hands down with a command buffer: allocations by handle, and where in the '
             'buffer their addresses belong.', r'ALLOCATIONINFO|ALLOCATIONLIST|PATCHLOCATION|LOCK2?FLAGS|DESTROYALLOCATION2|OFFER|SEGMENTPREFERENCE'),
            ('Contexts and escapes', '', r'ESCAPE|CREATECONTEXTFLAGS|CREATEHWCONTEXTFLAGS|CREATEHWQUEUEFLAGS|ENGINE|DRIVERESCAPE'),
            ('Surfaces, formats, resources', '', r'FORMAT|RESOURCE|SURFACE|MULTISAMPL|POOL|KERNELOVERLAY'),
            ('Gamma, colour, HDR', '', r'GAMMA|COLOR|HDR'),
            ('GPU virtual addresses and residency', 'Page-table entries, mappings, and the calls that make allocations resident.',
             r'PTE|GPUVIRTUAL|MAPGPU|RESERVEGPU|MAKERESIDENT|EVICT|TRIM|PAGINGQUEUE|UPDATEALLOC|PAGE'),
            ('Synchronization objects', '', r'SYNCHRONIZATION|FENCE|SIGNAL|WAITFOR|SYNCOBJECT|DOORBELL'),
            ('Features', 'Optional abilities that driver and system agree on by number and version.', r'FEATURE'),
            ('Everything else', '', '.'),
        ],
        'exports': ('Functions', ''),
    },
    'd3dkmdt.h': {
        'about': 'd3dkmdt.h: types of display mode management (VidPN: sources, targets, the paths between), monitors, and content '
                 'protection.',
        'includes': ['d3dukmdt.h'],
        'before': '''#ifndef _WIN32
/* gcc has no other way to accept an enumeration in a field that is too narrow for all of its values. */
#pragma GCC system_header
#endif''',
        'constants': [('Content protection', '', r'OPM|MACROVISION'), ('Constants', '', '.')],
        'sections': [
            ('Handles', 'Opaque; only the functions of the matching interface read them.', r'^D3DKMDT_H|ADAPTER$'),
            ('Signals, modes, regions', '', r'SIGNAL|2DREGION|2DOFFSET|_MODE|FREQUENCY|SCANLINE|PIXEL|GRAPHICS_RENDERING|TEXT_RENDERING|COLOR_BASIS|PREFERENCE|DIMENSION'),
            ('Paths of a VidPN', 'How the content of a source reaches a target: scaling, rotation, copy protection, gamma.', r'VIDPN|PRESENT_PATH|GAMMA|COPY'),
            ('Monitors', '', r'MONITOR|DESCRIPTOR'),
            ('Standard allocations', 'Surfaces that the system itself creates, and asks the driver to describe.', r'STANDARDALLOCATION|SURFACEDATA|SHAREDPRIMARY|SHADOW|STAGING|GDISURFACE'),
            ('Output protection', 'Messages of the output protection manager, signed and versioned.', r'OPM|HDCP|CERTIFICATE|PROTECTION|I2C'),
            ('Everything else', '', '.'),
        ],
        'exports': ('Functions', ''),
        'bottom': '''
#if (DXGKDDI_INTERFACE_VERSION >= DXGKDDI_INTERFACE_VERSION_WDDM1_3_PATH_INDEPENDENT_ROTATION)

/*
 * A path's rotation has two parts, each counted from 1 for 0 degrees to 4 for 270: by how much the content is turned already,
 * and by how much the driver turns it more. Values outside the sixteen combinations are returned as they are.
 */
FORCEINLINE D3DKMDT_VIDPN_PRESENT_PATH_ROTATION
D3DKMDT_VPPR_GET_OFFSET_ROTATION(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION Rotation)
{
    if (Rotation < D3DKMDT_VPPR_IDENTITY || Rotation > D3DKMDT_VPPR_ROTATE270_OFFSET270)
        return Rotation;
    return (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)(((UINT)Rotation + 3) / 4);
}

FORCEINLINE D3DKMDT_VIDPN_PRESENT_PATH_ROTATION
D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION Rotation)
{
    if (Rotation < D3DKMDT_VPPR_IDENTITY || Rotation > D3DKMDT_VPPR_ROTATE270_OFFSET270)
        return Rotation;
    return (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)((((UINT)Rotation + 3) & 3) + 1);
}

/* Both together: what the user sees. */
FORCEINLINE D3DKMDT_VIDPN_PRESENT_PATH_ROTATION
D3DKMDT_VPPR_GET_CONTENT_ROTATION(D3DKMDT_VIDPN_PRESENT_PATH_ROTATION Rotation)
{
    if (Rotation < D3DKMDT_VPPR_IDENTITY || Rotation > D3DKMDT_VPPR_ROTATE270_OFFSET270)
        return Rotation;
    return (D3DKMDT_VIDPN_PRESENT_PATH_ROTATION)(
        (((UINT)D3DKMDT_VPPR_GET_CONTENT_ROTATION_PART(Rotation) + (UINT)D3DKMDT_VPPR_GET_OFFSET_ROTATION(Rotation) + 2) & 3) + 1);
}

#endif
''',
    },
    'd3dkmthk.h': {
        'about': 'd3dkmthk.h: the D3DKMT functions, by which clients reach the graphics kernel, and their arguments. Handles are 32-bit '
                 'numbers of the calling process.',
        'includes': ['d3dkmdt.h', 'wdm/power.h'],
        'constants': [('Constants', '', '.')],
        'sections': [
            ('Adapters', 'Enumeration, opening, and what an adapter says of itself.', r'ADAPTER|ENUM_|KMTQUERY|QUERYADAPTERINFO|UMDFILENAME|OPENGLINFO|SEGMENT(SIZE|GROUP|CAPS)|WDDM_|DRIVERCAPS|DRIVERVERSION|PERFDATA|NODEMETADATA|CPDRIVER|FLIPQUEUEINFO|PANELFITTER'),
            ('Devices and contexts', '', r'DEVICE|CONTEXT|SCHEDULINGPRIORITY|PRIORITYCLASS|CLIENTHINT|HWQUEUE'),
            ('Allocations and sharing', '', r'ALLOCATION|RESOURCE|SHAREOBJECT|STANDARDALLOC|LOCK2?$|UNLOCK|OFFER|RECLAIM|RESIDENCY|RESIDENT|PRIVATEDATA|OPENNTHANDLE'),
            ('GPU virtual addresses and budgets', '', r'GPUVIRTUAL|GPUMMU|VIDEOMEMORY|BUDGET|PAGINGQUEUE|EVICT|TRIM'),
            ('Synchronization', '', r'SYNC|SIGNAL|WAIT|FENCE|KEYEDMUTEX|CPUEVENT|DOORBELL'),
            ('Submission', '', r'SUBMIT|RENDER|^(P?FND3DKMT|D3DKMT)_(FLUSHHEAPTRANSITIONS|MARKDEVICEASERROR)'),
            ('Presenting and its history', '', r'PRESENT|FLIP|REDIRECTED|TOKEN|GDIMODEL|BLTMODEL|BLT|SCATTER|VBLANK|VERTICALBLANK|COMPOSITION|DIRTYREGION'),
            ('Planes and overlays', '', r'OVERLAY|PLANE|COLORIMETRY|HDR'),
            ('Display ownership and modes', '', r'VIDPN|DISPLAY|MODE|GAMMA|SCANLINE|MONITOR|OUTPUTDUPL|SCANOUT|MIRACAST|PROTECTED'),
            ('Escapes', '', r'ESCAPE|VIDMM|VIDSCH|DMM|BRIGHTNESS|WDDMDIAG|VAD|VA_|PTE|SEGMENT'),
            ('Statistics', '', r'STATISTICS|QUERYRESULT|MEMORY_USAGE|NODEPERF|CLOCK'),
            ('Everything else', '', '.'),
        ],
        'exports': ('Functions', 'Clients call these with the calling convention of their platform.'),
    },
    'd3dkmddi.h': {
        'about': 'd3dkmddi.h: what the graphics kernel and a display miniport driver say to each other.\n\n'
                 'DXGKARG_X is the argument of DxgkDdiX, a function of the driver; DXGKARGCB_X that of DxgkCbX, a function of the kernel. '
                 'DXGKDDI_X is the type of the function, PDXGKDDI_X of a pointer to it. Names that begin with IN, OUT, INOUT or DEREF '
                 'are types of parameters. What stands under a version gate exists only for drivers of that version or later.\n\n'
                 'Written by tools/abi/wdkgen.py from abi/; do not edit.',
        'includes': ['wdm.h', 'd3dkmdt.h'],
        'aliases_first': True,
        'constants': [('Constants', '', '.')],
        'after_constants': '#define DXGK_PRIMITIVE_API_SEQUENCE_NUMBER_UNKNOWN 0xFFFFFFFFFFFFFFFFULL',
        'sections': [
            ('Submission', 'A DMA buffer is patched, submitted, perhaps preempted, perhaps cancelled. SubmitCommand, PreemptCommand and '
             'CancelCommand answer for one packet by its fence; the driver reports the end of a packet by interrupt.',
             r'SUBMITCOMMAND|PREEMPTCOMMAND|CANCELCOMMAND|ARG_PATCH|DDI_PATCH|_PATCHFLAGS|QUERYCURRENTFENCE|VALIDATESUBMIT'),
            ('Paging', 'BuildPagingBuffer writes the commands by which the memory manager moves, fills and maps memory.',
             r'BUILDPAGINGBUFFER|_TRANSFERFLAGS|TRANSFERVIRTUALFLAGS|DISCARDCONTENT|MAPAPERTUREFLAGS|NOTIFYALLOCFLAGS|FENCE_RESIDENCY|MEMORY_TRANSFER_DIR|UPDATEPAGETABLEFLAGS|PAGETABLEUPDATEADDRESS'),
            ('Present', 'Copy, fill and flip of what the desktop shows; a present may be translated into a DMA buffer.',
             r'ARG_PRESENT|DDI_PRESENT|_PRESENT(FLAGS|ALLOCATIONINFO|MULTIPLANEOVERLAYINFO|SOURCE|2)|^DXGK_ALLOCATIONLIST$|PRESENT_DISPLAY_?ONLY'),
            ('Rendering', 'A client or the kernel itself (GDI) hands commands down; the driver copies them into a DMA buffer.',
             r'RENDER|GDIROP|GDIARG'),
            ('Interrupts and faults', 'What the driver reports from its interrupt routine, and how reporting is switched on.',
             r'NOTIFY_INTERRUPT|NOTIFYINTERRUPT|_INTERRUPT_(TYPE|STATE)|CRTC_VSYNC|CONTROLINTERRUPT|VSYNC|PAGE_FAULT|FAULT_ERROR|NOTIFY_DPC|NOTIFYDPC|ENGINE_STATE$|MONITORED_FENCE|MONITOREDFENCE'),
            ('Hardware flip queues', '', r'FLIPQUEUE|CANCELFLIPS|CANCELQUEUEDFLIPS|PRESENTID'),
            ('Devices, contexts, processes', 'The driver\'s own objects: it returns handles of its choice and gets them back with each call.',
             r'(CREATE|DESTROY)(DEVICE|CONTEXT|PROCESS)($|FLAGS)|DEVICEINFO|CONTEXTINFO|HWCONTEXT|HWQUEUE|PRIORITYBAND|CONTEXTSCHEDULING|SUSPENDCONTEXT|RESUMECONTEXT|CONTEXTPRIORITY|SCHEDULING_|SCHEDULINGLOG|VIRTUALMACHINEDATA|PROTECTEDSESSION'),
            ('Allocations', 'Creation, opening per device, description, standard allocations, swizzling ranges.',
             r'ALLOCATION|SWIZZLINGRANGE|HANDLEDATA|HANDLECHILDREN|HANDLE_TYPE|GETCAPTUREADDRESS|ALLOCPROPERTY'),
            ('What an adapter can do', 'QueryAdapterInfo: one question at a time, each with its own structure.',
             r'QUERYADAPTERINFO|CAPS|QUERYSEGMENT|SEGMENTDESCRIPTOR|SEGMENTFLAGS|MEMORYRANGE|MEMORYSTATE|WDDMVERSION|^DXGK_QUERY|QAI|SEGMENT|MMU|HARDWARERESERVED|FRAMEBUFFERSAVE|TOPOLOGY$|COLORIMETRY|INTEGRATEDDISPLAY|GAMMA_(1D|MAT|DATA)|DISPLAYID'),
            ('GPU virtual memory', '', r'PAGE_?TABLE|CPUHOSTAPERTURE|GPUVIRTUALADDRESS|ROOTPAGE|PAGESIZE'),
            ('Native fences', '', r'NATIVEFENCE|MONITOREDVALUES|CURRENTVALUES|CPUEVENT|FENCESTORAGE'),
            ('Doorbells', 'Submission by the client itself, without a call into the kernel.', r'DOORBELL|WORKSUBMISSION|USERMODESUBMISSION'),
            ('Pointer, palette, overlays', '', r'POINTER|PALETTE|ARG_\w*OVERLAY$|OVERLAYINFO|DDI_\w*OVERLAY$'),
            ('Scanning out and planes', 'Which allocation a source shows, on which planes, and when the change takes effect.',
             r'SETVIDPNSOURCE|MULTIPLANE|PLANE|POSTCOMPOSITION|SCANLINE|HDR|FRAMENOTIFICATION|PRIMARYDATA|PRIMARYCONTEXT'),
            ('Video present networks', 'Which source drives which target in which mode; the driver restricts, recommends and commits.',
             r'VIDPN|MONITOR|COFUNC|ENUM_PIVOT|MODE_BEHAVIOR|CONTROLMODE'),
            ('Targets and connections', '', r'TARGET|CONNECTION|TIMING|PATH_UPDATE|SYNC_LOCK|GLITCH|PANELORIENTATION|DISPLAYDETECT|DSI2|INVALIDATION_REASON'),
            ('Time-outs, reset, debugging', 'What happens when the hardware does not answer.', r'RESET|ENGINESTATUS|DEPENDENTENGINE|TDR|DBGINFO|RESUMEHWENGINE|TIMEOUT|ESCAPE|TESTING|TESTCOMMAND'),
            ('Power', 'Components with idle states (F) and performance states (P).', r'POWER|FSTATE|TRACKEDWORKLOAD|ACTIVE|IDLE'),
            ('Physical memory and the IOMMU', '', r'PHYSICAL_?MEMORY|ADL|MDL|FRAMEBUFFER|CONTIGUOUS|IOMMU|HOTUPDATE|KSR|MEMORY_CACHING|ACCESS_MODE'),
            ('History buffers, clocks', '', r'HISTORY|CALIBRATE|CLOCK|PRECISION'),
            ('Virtual functions and migration', '', r'GPUP|MIGRATION|VIRTUALGPU|VIRTUALFUNCTION|DIRTYBIT|DIRTY_BIT|MEMORYBASIS|MSIX|PARTITION|INTERRUPT_TABLE|SCATTERRESERVE|RESERVE_DESCRIPTOR'),
            ('Features', '', r'FEATURE'),
            ('Everything else', '', '.'),
        ],
        'exports': ('Functions', ''),
    },
    'dispmprt.h': {
        'about': 'dispmprt.h: the display port: how a miniport driver starts, and what the port offers it.\n\n'
                 'DriverEntry fills a DRIVER_INITIALIZATION_DATA with its functions and calls DxgkInitialize; DxgkDdiStartDevice then '
                 'receives a DXGKRNL_INTERFACE with those of the kernel. Both tables grow at their end with the interface version.\n\n'
                 'Written by tools/abi/wdkgen.py from abi/; do not edit.',
        'includes': ['wdm.h', 'ntddvdeo.h', 'video.h', 'acpiioct.h', 'd3dkmddi.h', 'd3dkmthk.h'],
        'top': '''/* Opaque here: no public description gives its members. */
typedef struct _DXGK_MONITOR_DESCRIPTOR DXGK_MONITOR_DESCRIPTOR, *PDXGK_MONITOR_DESCRIPTOR;''',
        'constants': [('ACPI', 'Events, arguments, and names of methods as four characters.', r'^ACPI|DXGK_ACPI'),
                      ('Interface versions', '', r'INTERFACE_VERSION'), ('Constants', '', '.')],
        'sections': [
            ('Children of an adapter', 'Outputs and other devices that the driver reports to plug and play.',
             r'CHILD|DEVICE_DESCRIPTOR|GENERIC_DESCRIPTOR|VIDEO_OUTPUT_CAP|INTEGRATED_DISPLAY|LINKED_DEVICE|CONTAINER'),
            ('Starting and stopping', '', r'START_INFO|DEVICE_INFO|DDI_(ADD|START|STOP|REMOVE)_|UNLOAD|POWER_STATE|SURPRISE|POST_DISPLAY|DISPLAY_INFORMATION|FRAMEBUFFER_STATE|DOCKING|OWNERSHIP|SYSTEM_DISPLAY'),
            ('Interfaces that a driver offers', 'DxgkDdiQueryInterface hands these out: each is a table of functions.', r'I2C|OPM|BRIGHTNESS|MIRACAST|PANEL_BUFFER|DISPLAYMUX'),
            ('Interfaces that the port offers', 'DxgkCbQueryServices hands these out.', r'AGP|DEBUG_REPORT|TIMED_OPERATION|SPB|FIRMWARE|WAITWAKE|DISPLAY_CORE|FEATURE|SERVICES'),
            ('Diagnostics', '', r'DIAG|DISPLAYSTATE'),
            ('Display links', '', r'DSI|DP|AUX|LINK'),
            ('Virtual GPUs', 'Partitioning of an adapter among virtual machines.', r'VIRTUAL|VGPU|PARTITION|GPUENGINE|SRIOV|MITIGA|FLEXIOV|MMIORANGE|BARS?$|BACKINGRESOURCE|VENDORANDDEVICE|DEVICELOCATION|GPU_PHYSICAL'),
            ('The tables', 'What a driver registers, and what it is given.', r'INITIALIZATION_DATA|DXGKRNL_INTERFACE|DXGKCB|DXGKDDI'),
            ('Everything else', '', '.'),
        ],
        'exports': ('Functions', 'DxgkInitialize and its kin, and the Dl functions of the display library.'),
    },
}
