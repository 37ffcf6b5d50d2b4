#!/usr/bin/env python3
"""Write the facts that the kernel's side needs at run time as C: versions, sizes by version, tables of functions.

usage: tables.py abi/abi.json abi/versions.json OUTPUT.h

The output is rows for macros (X macros), so that C decides what becomes of them:

    ABI_VERSIONS(X)          X(name, interface version, WDDM version), oldest first
    ABI_STRUCTURES(X)        X(name, size at each version ...), 0 where a version lacks it
    ABI_DDI_SLOTS(X)         X(name without DxgkDdi, first version) of DRIVER_INITIALIZATION_DATA
    ABI_DISPLAY_ONLY_SLOTS(X)  the same of KMDDOD_INITIALIZATION_DATA, but for
    ABI_DISPLAY_ONLY_OWN_SLOTS(X)  those that only it has
    ABI_CALLBACK_SLOTS(X)    X(name without DxgkCb, first version) of DXGKRNL_INTERFACE
    ABI_INTERRUPTS(X)        X(enumerator, first version) of DXGK_INTERRUPT_TYPE
    ABI_PAGING_OPERATIONS(X) the same of DXGK_BUILDPAGINGBUFFER_OPERATION
"""
import json
import re
import sys

# What a driver is handed or hands over, or what stands in it.
STRUCTURE = re.compile(r'DXGK|D3DKMDT|KMDDOD|DRIVER_INITIALIZATION_DATA')
OLD_MODELS = {'VISTA': 0x1000, 'VISTA_SP1': 0x1000, 'WIN7': 0x1100, 'WIN8': 0x1200}


def model_of(name):
    """The WDDM version that an interface version belongs to, as DXGK_WDDMVERSION counts."""
    if name in OLD_MODELS:
        return OLD_MODELS[name]
    major, minor, rest = re.match(r'WDDM(\d)_(\d)(?:_(\d))?', name).groups()
    return int(major) << 12 | int(minor) << 8 | int(rest or 0)


def rows(name, lines):
    return ['#define %s(X)%s' % (name, ' \\' if lines else '')] + \
        ['    %s%s' % (line, ' \\' if i + 1 < len(lines) else '') for i, line in enumerate(lines)] + ['']


def slots(table, prefix):
    return ['X(%s, %s)' % (s['name'][len(prefix):], s['since']) for s in table if s['name'].startswith(prefix)]


def enumerators(abi, versions, name):
    first = versions['enumerator_first_version'].get(name, {})
    start = versions['enum_first_version'][name]
    return ['X(%s, %s)' % (k, first.get(k, start)) for k in abi['enums'][name]['values']]


def main():
    abi, versions = (json.load(open(path, encoding='utf-8')) for path in sys.argv[1:3])
    names = list(versions['interface_versions'])
    sizes = {k: [v.get(n, 0) for n in names] for k, v in versions['struct_sizes'].items() if STRUCTURE.match(k)}
    out = ['/* Made by tools/abi/tables.py from abi/. */', '']
    out += rows('ABI_VERSIONS', ['X(%s, %s, 0x%04X)' % (n, v, model_of(n)) for n, v in versions['interface_versions'].items()])
    out += rows('ABI_STRUCTURES', ['X(%s, %s)' % (k, ', '.join(map(str, v))) for k, v in sizes.items()])
    out += rows('ABI_DDI_SLOTS', slots(versions['driver_initialization_data_slots'], 'DxgkDdi'))
    full = {s['name'] for s in versions['driver_initialization_data_slots']}
    for name, own in (('ABI_DISPLAY_ONLY_SLOTS', False), ('ABI_DISPLAY_ONLY_OWN_SLOTS', True)):
        table = [s for s in versions['kmddod_initialization_data_slots'] if (s['name'] not in full) == own]
        out += rows(name, slots(table, 'DxgkDdi'))
    out += rows('ABI_CALLBACK_SLOTS', slots(versions['dxgkrnl_interface_slots'], 'DxgkCb'))
    out += rows('ABI_INTERRUPTS', enumerators(abi, versions, 'DXGK_INTERRUPT_TYPE'))
    out += rows('ABI_PAGING_OPERATIONS', enumerators(abi, versions, 'DXGK_BUILDPAGINGBUFFER_OPERATION'))
    open(sys.argv[3], 'w', encoding='utf-8').write('\n'.join(out))


main()
