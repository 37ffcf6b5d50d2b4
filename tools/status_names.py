#!/usr/bin/env python3
"""Makes the table of status names from the header that defines the codes.

Usage: tools/status_names.py ntstatus.h output. Writes one initialiser a line, sorted by code.
"""
import re
import sys

DEFINE = re.compile(r"^\s*#\s*define\s+(STATUS_\w+)\s+(.*)$")
VALUE = re.compile(r"0x[0-9A-Fa-f]+|\b\d+\b")


def read_codes(path):
    codes = {}
    with open(path, encoding="utf-8") as header:
        for line in header:
            found = DEFINE.match(line.split("/*")[0].split("//")[0])
            value = found and VALUE.search(found.group(2))
            if value:
                codes.setdefault(int(value.group(0), 0) & 0xFFFFFFFF, found.group(1))
    return codes


def main():
    codes = read_codes(sys.argv[1])
    if not codes:
        sys.exit(f"{sys.argv[1]}: no status codes found")
    with open(sys.argv[2], "w", encoding="utf-8") as output:
        for code, name in sorted(codes.items()):
            output.write(f'{{0x{code:08X}u, "{name}"}},\n')


main()
