#!/usr/bin/env python3
"""Write the five big WDK headers from the facts in abi/.

usage: wdkgen.py [--abi DIR] [--out DIR] [--check]

Input:  abi/abi.json (layout at the newest interface version), abi/versions.json (what each version has),
        abi/irql.json, and beside this file sections.py (order, section texts, hand-written parts) and notes/ (comments).
Output: d3dukmdt.h d3dkmdt.h d3dkmthk.h d3dkmddi.h dispmprt.h, which are committed; --check fails when they differ.

A declaration is one *entity*: a structure, an enumeration, a function type, an alias or a scalar type. Each belongs to one
section of one header. Inside a section the order of the data is kept, except that what a declaration needs comes first;
where two structures point at each other the second is announced by a forward declaration.
"""
import argparse
import json
import os
import re
import sys

sys.dont_write_bytecode = True

from layout import Layouts
from emit import Emitter
import sections

HERE = os.path.dirname(os.path.abspath(__file__))
HEADERS = ['d3dukmdt.h', 'd3dkmdt.h', 'd3dkmthk.h', 'd3dkmddi.h', 'dispmprt.h']


def load_notes(folder):
    """notes/*.txt -> {structure: (text, {member: text})}. A line '[NAME]' opens a structure, '.member' a member."""
    notes = {}
    if not os.path.isdir(folder):
        return notes
    for name in sorted(os.listdir(folder)):
        if not name.endswith('.txt'):
            continue
        struct = member = None
        for line in open(os.path.join(folder, name), encoding='utf-8'):
            line = line.rstrip()
            if line.startswith('#'):
                continue
            head = re.fullmatch(r'\[(\w+)\]', line)
            if head:
                struct, member = notes.setdefault(head.group(1), [[], {}]), None
                continue
            item = re.match(r'\.([\w.]+): *(.*)', line)
            if item:
                member = struct[1].setdefault(item.group(1), [])
                line = item.group(2)
            if struct is not None:
                (struct[0] if member is None else member).append(line.strip())
    def join(lines):  # a line that begins with '|' starts a new line in the comment
        return re.sub(r' *\|', '\n', ' '.join(filter(None, lines)))

    return {k: (join(text), {m: join(t) for m, t in members.items()}) for k, (text, members) in notes.items()}


def main():
    ap = argparse.ArgumentParser()
    ap.add_argument('--abi', default=os.path.join(HERE, '..', '..', 'abi'))
    ap.add_argument('--out', default=os.path.join(HERE, '..', '..', 'include', 'wdk'))
    ap.add_argument('--check', action='store_true', help='compare with the committed headers instead of writing')
    args = ap.parse_args()
    read = lambda n: json.load(open(os.path.join(args.abi, n), encoding='utf-8'))
    layouts = Layouts(read('abi.json'), read('versions.json'))
    emitter = Emitter(layouts, read('irql.json')['irql'], sections, load_notes(os.path.join(HERE, 'notes')))
    stale = []
    for header in HEADERS:
        text = emitter.header(header)
        path = os.path.join(args.out, header)
        if args.check:
            if not os.path.exists(path) or open(path, encoding='utf-8').read() != text:
                stale.append(header)
        else:
            with open(path, 'w', encoding='utf-8') as f:
                f.write(text)
    emitter.check_notes()
    for line in emitter.complaints:
        print(line, file=sys.stderr)
    if emitter.complaints:
        return 1
    if stale:
        print('differs from what tools/abi writes: ' + ' '.join(stale))
        return 1
    return 0


if __name__ == '__main__':
    sys.exit(main())
