#!/usr/bin/env python3
"""Write the names of a driver's capabilities as C, so that they can be told by the names of the WDK.

usage: caps.py abi/abi.json OUTPUT.h

    ABI_DRIVER_CAPS(X)    X(name, offset, bytes, first bit, bits) of DXGK_DRIVERCAPS, with the flags in it
    ABI_SEGMENT_FLAGS(X)  X(name, first bit, bits) of DXGK_SEGMENTFLAGS
"""
import json
import sys

# Other names of the same bytes, and what is of no use to anybody.
LEFT_OUT = {'ColorTransformCaps', 'MiscCaps', 'MiscCaps.Value'}
SCALARS = {'UINT', 'SIZE_T', 'BOOLEAN', 'PHYSICAL_ADDRESS', 'D3DGPU_VIRTUAL_ADDRESS', 'DXGK_WDDMVERSION'}


def is_told(name):
    last = name.split('.')[-1]
    return not (last.startswith('Reserved') or last == 'Value' or name in LEFT_OUT)


def rows_of(abi, structure, prefix='', base=0):
    for member in abi['structs'][structure]['members']:
        name, kind = prefix + member['name'], member['type']
        at = base + member['offset']
        if not is_told(name):
            continue
        if 'bit_offset' in member:
            yield name, at, member['size'], member['bit_offset'], member['bit_width']
        elif kind in SCALARS or kind in abi['enums']:
            yield name, at, member['size'], 0, 8 * member['size']
        elif kind in abi['structs']:
            yield from rows_of(abi, kind, name + '.', at)


def macro(name, rows):
    yield '#define %s(X) \\' % name
    yield from ('    %s \\' % row for row in rows)
    yield ''


def main():
    with open(sys.argv[1], encoding='utf-8') as source:
        abi = json.load(source)
    caps = ['X("%s", %u, %u, %u, %u)' % row for row in rows_of(abi, 'DXGK_DRIVERCAPS')]
    flags = ['X("%s", %u, %u)' % (name, first, bits)
             for name, _, _, first, bits in rows_of(abi, 'DXGK_SEGMENTFLAGS')]
    with open(sys.argv[2], 'w', encoding='utf-8') as out:
        out.write('\n'.join(['/* Made by tools/abi/caps.py. */', *macro('ABI_DRIVER_CAPS', caps),
                             *macro('ABI_SEGMENT_FLAGS', flags)]) + '\n')


main()
