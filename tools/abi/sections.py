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


def guid_header(name):
    if name.startswith('DXGKMDT_'):
        return 'd3dkmdt.h'
    if name == 'GUID_DEVINTERFACE_GRAPHICSPOWER':
        return 'd3dkmthk.h'
    if name.startswith('GUID_DXGKDDI_POWER') or 'AZURE' in name or 'WDDM3_ON_VB' in name:
        return 'd3dkmddi.h'
    return 'dispmprt.h'


HEADERS = {
    'd3dukmdt.h': {
        'about': 'd3dukmdt.h: types that user-mode and kernel-mode graphics code share.',
        'includes': ['ntdef.h', 'windef.h', 'guiddef.h', 'dxgiformat.h'],
        'constants': [('Interface versions', 'DXGKDDI_INTERFACE_VERSION says which version a driver is compiled for.', r'^DXGKDDI_INTERFACE_VERSION'),
                      ('User-mode interface versions', '', r'^D3D_UMD'), ('Constants', '', '.')],
        'after_constants': '''#ifndef DXGKDDI_INTERFACE_VERSION
#define DXGKDDI_INTERFACE_VERSION DXGKDDI_INTERFACE_VERSION_WDDM3_2
#endif
#ifndef D3D_UMD_INTERFACE_VERSION
#define D3D_UMD_INTERFACE_VERSION D3D_UMD_INTERFACE_VERSION_WDDM3_2
#endif''',
        'sections': [('Types', '', '.')],
        'exports': ('Functions', ''),
    },
    'd3dkmdt.h': {
        'about': 'd3dkmdt.h: types of display mode management and content protection.',
        'includes': ['d3dukmdt.h'],
        'before': '''#ifndef _WIN32
/* gcc has no other way to accept an enumeration in a field that is too narrow for all of its values. */
#pragma GCC system_header
#endif''',
        'constants': [('Constants', '', '.')],
        'sections': [('Types', '', '.')],
        'exports': ('Functions', ''),
    },
    'd3dkmthk.h': {
        'about': 'd3dkmthk.h: the D3DKMT functions, by which clients reach the graphics kernel.',
        'includes': ['d3dkmdt.h'],
        'constants': [('Constants', '', '.')],
        'sections': [('Types', '', '.')],
        'exports': ('Functions', 'Clients call these with the calling convention of their platform.'),
    },
    'd3dkmddi.h': {
        'about': 'd3dkmddi.h: what the graphics kernel and a display miniport driver say to each other.',
        'includes': ['wdm.h', 'd3dkmdt.h'],
        'constants': [('Constants', '', '.')],
        'sections': [('Types', '', '.')],
        'exports': ('Functions', ''),
    },
    'dispmprt.h': {
        'about': 'dispmprt.h: the display port: how a miniport driver starts, and what the port offers it.',
        'includes': ['wdm.h', 'ntddvdeo.h', 'video.h', 'acpiioct.h', 'd3dkmddi.h', 'd3dkmthk.h'],
        'top': '''/* Opaque here: no public description gives its members. */
typedef struct _DXGK_MONITOR_DESCRIPTOR DXGK_MONITOR_DESCRIPTOR, *PDXGK_MONITOR_DESCRIPTOR;''',
        'constants': [('Constants', '', '.')],
        'sections': [('Types', '', '.')],
        'exports': ('Functions', ''),
    },
}
