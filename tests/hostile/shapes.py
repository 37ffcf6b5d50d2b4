#!/usr/bin/env python3
"""Writes a table of what clients can call, and of which members each structure of arguments has.

    shapes.py HEADER... > shapes.inc

For wild.c: CALL(function, type, constant) FIELDS( ... ) of all that take one structure. A member is
a handle, a pointer, or a number; what is inside structures inside is numbers."""
import re, sys

HANDLES = {"D3DKMT_HANDLE"}
SKIPPED = {"DrvConfirm"}


def bodies(text):
    """Of each structure by name: its members, outermost alone, as (type, name)."""
    for match in re.finditer(r"(?:typedef )?struct (\w+) \{\n(.*?)\n\}", text, re.S):
        name, body = match.group(1).lstrip("_"), match.group(2)
        yield name, members(body)


def members(body):
    """What lies in a named structure inside is left out."""
    inner = re.compile(r"(?:struct|union)(?: \w+)? \{[^{}]*\} *(\w*)(\[\w+\])?;", re.S)
    while inner.search(body):
        body = inner.sub(lambda m: "" if m.group(1) else m.group(0)[m.group(0).index("{") + 1:
                                                                  m.group(0).rindex("}")], body)
    found = []
    for line in body.split("\n"):
        line = re.sub(r"/\*.*?\*/|/\*.*", "", line).strip()
        match = re.fullmatch(r"((?:const |enum |struct )*\w+(?: CLIENT| D3DKMT_CLIENT)*)\s*(\**)\s*(\w+)"
                             r"(?:\[\w+\])?;", line)
        if match and ":" not in line:
            found.append((match.group(1), match.group(2), match.group(3)))
    return found


def kind(type_, stars):
    if stars or type_.split()[-1] in ("HANDLE", "PVOID", "POBJECT_ATTRIBUTES", "PCWSTR"):
        return "POINTER"
    return "A_HANDLE" if type_ in HANDLES else "NUMBER"


def main():
    texts = [open(path).read() for path in sys.argv[1:]]
    shapes = {name: found for text in texts for name, found in bodies(text)}
    calls = re.findall(r"NTSTATUS (?:APIENTRY )?(D3DKMT\w+|drydock_\w+)\(\s*(const )?((?:struct )?\w+) \*(?:\w+)?\)",
                       "\n".join(texts))
    for function, constant, type_ in calls:
        name = type_.removeprefix("struct ")
        if name not in shapes or function in SKIPPED:
            continue
        print(f"CALL({function}, {type_}, {1 if constant else 0})")
        for member_type, stars, member in shapes[name]:
            print(f"    FIELD({type_}, {member}, {kind(member_type, stars)})")
        print("END_CALL")


main()
