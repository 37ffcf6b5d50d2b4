#!/usr/bin/env python3
"""Finds the places in C sources where a tired author slips, and makes one slip at a time.

Usage: tools/mutate.py FILE... [--seed N] [--count N] [--kind KIND]...

Prints a pseudo-random choice of the single mutants of the files, each as a patch of a few lines with a line in front
that says what was done to which function. The same files, seed and count give the same choice. `script/deletions`
builds and runs them. What is read is code as clang-format leaves it: a statement of its own begins a line, functions
end with a brace in the first column.
"""
import argparse
import difflib
import pathlib
import random
import re
from typing import NamedTuple

# In how many of a hundred mutants each kind is wanted.
WEIGHTS = {"left-out": 28, "no-early-end": 11, "turned": 8, "half-condition": 14, "bound": 6, "off-by-one": 7,
           "neighbour": 9, "no-break": 2, "no-cleanup": 5, "flag": 8, "not-locked": 2}
KEYWORDS = ("return", "break", "continue", "goto", "case", "default", "if", "else", "for", "while", "do", "switch",
            "PAGED_CODE", "UNREFERENCED_PARAMETER", "ASSERT")
CLEANUP = re.compile(r"\b\w*(free|release|dereference|destroy|unmap|close|delete|put|undo|unlock)\w*\(", re.I)
DECLARATION = re.compile(r"(const |static |volatile )*(struct |union |enum )?\w+ \**\w+( =|;|,|\[|\()")


class Slip(NamedTuple):
    kind: str
    path: pathlib.Path
    function: str
    line: int  # the first that changes, from 1
    begin: int
    end: int
    instead: str

    def title(self):
        return f"{self.kind} in {self.function}, {self.path.name}:{self.line}"

    def changed(self, text):
        return text[:self.begin] + self.instead + text[self.end:]

    def diff(self, text, name):
        old, new = text.splitlines(True), self.changed(text).splitlines(True)
        return "".join(difflib.unified_diff(old, new, f"a/{name}", f"b/{name}"))


def masked(text):
    """The text with comments and literals blanked, at the same places."""
    def blank(match):
        return re.sub(r"[^\n]", " ", match.group())
    return re.sub(r"/\*.*?\*/|//[^\n]*|\"(?:\\.|[^\"\\\n])*\"|'(?:\\.|[^'\\\n])+'", blank, text, flags=re.S)


def closing(code, place):
    """Behind the bracket that closes the one at place."""
    depth = 0
    for at in range(place, len(code)):
        depth += (code[at] in "([{") - (code[at] in ")]}")
        if depth == 0:
            return at + 1
    return len(code)


def functions(code):
    """(name, begin, end) of each body."""
    for match in re.finditer(r"^\{\n", code, re.M):
        head = code[:match.start()].rstrip()
        opening = head.rfind("\n\n") + 1
        name = re.search(r"(\w+)\s*\(", head[max(opening, 0):])
        end = code.find("\n}", match.start())
        if name and head.endswith(")") and end > 0:
            yield name.group(1), match.end(), end + 1


def statements(code, begin, end):
    """(begin, end) of each line that begins a statement, with what belongs to it up to `;`, `{` or `:`."""
    at = begin
    while at < end:
        if code[at] in " \n\t}":
            at += 1
            continue
        stop, depth = at, 0
        while stop < end:
            listed = code[stop] == "{" and code[begin:stop].rstrip()[-1:] in ("=", "{", ",")  # of values
            if listed:
                stop = closing(code, stop)
                continue
            depth += (code[stop] in "([") - (code[stop] in ")]")
            stop += 1
            if depth == 0 and (code[stop - 1] in ";{" or code[stop - 1:stop + 1] == ":\n"):
                break
            if depth == 0 and code[stop - 1] == "}":
                break
        yield at, stop
        at = stop


def top_level(code, begin, end, operators):
    """Where these operators stand in [begin, end) outside of brackets."""
    depth, at = 0, begin
    while at < end:
        depth += (code[at] in "([{") - (code[at] in ")]}")
        found = next((o for o in operators if code.startswith(o, at)), None)
        if depth == 0 and found:
            yield at, found
            at += len(found)
        else:
            at += 1


def whole_lines(code, begin, end):
    begin = code.rfind("\n", 0, begin) + 1
    after = code.find("\n", end)
    return begin, after + 1


def groups(code, begin, end):
    """Each expression in brackets, and what follows return or `=`."""
    for match in re.finditer(r"\(", code[begin:end]):
        at = begin + match.start()
        yield at + 1, closing(code, at) - 1
    match = re.match(r"return |[^=;(]*[^=!<>]= ", code[begin:end])
    if match and code[begin:end].endswith(";"):
        yield begin + match.end(), end - 1


class File:
    def __init__(self, path, members):
        self.path = path
        self.text = path.read_text()
        self.code = masked(self.text)
        self.members = members
        self.slips = []

    def add(self, kind, begin, end, instead=""):
        line = self.code.count("\n", 0, begin) + 1
        self.slips.append(Slip(kind, self.path, self.function, line, begin, end, instead))

    def find(self):
        for self.function, begin, end in functions(self.code):
            for first, last in statements(self.code, begin, end):
                self.statement(first, last)
        return self.slips

    def statement(self, begin, end):
        code = self.code
        words = code[begin:end]
        word = re.match(r"\w*", words).group()
        plain = words.endswith(";") and word not in KEYWORDS and not DECLARATION.match(words)
        if plain:
            in_error = re.match(r"\s*(\w+\([^;]*;\s*)*(return|goto)\b", code[end:])
            kind = "no-cleanup" if in_error and CLEANUP.search(words) else "left-out"
            self.add(kind, *whole_lines(code, begin, end))
        if word == "if" and words.endswith("{"):
            self.condition(begin, end)
        if word == "break":
            after = re.match(r"\s*(case|default)\b", code[end:])
            if after:
                self.add("no-break", *whole_lines(code, begin, end))
        self.expressions(begin, end)
        if word == "for":
            start = re.search(r"= 0;", words)
            bound = re.search(r"<=? ([^;]*);", words)
            if start:
                self.add("off-by-one", begin + start.start(), begin + start.end(), "= 1;")
            if bound:
                self.add("off-by-one", begin + bound.end(1), begin + bound.end(1), " - 1")
        call = re.match(r"\w*synchronize\((\w+), (\w+), ([^;]*)\);", words)
        if call:
            self.add("not-locked", begin, end, f"(void){call.group(2)}({call.group(3)});")
        exchange = re.match(r"(?:\(void\))?Interlocked(?:Exchange\w*)\(&([^,]*), (.*)\);", words, re.S)
        if exchange:
            self.add("not-locked", begin, end, f"{exchange.group(1)} = {exchange.group(2)};")

    def condition(self, begin, end):
        code = self.code
        opening = code.index("(", begin)
        inner = opening + 1, closing(code, opening) - 1
        text = self.text[slice(*inner)]
        body_end = closing(code, end - 1)
        body = code[end:body_end - 1].strip()
        last = re.search(r"(?:^|\n)\s*(return\b[^;]*|goto \w+|continue|break);$", "\n" + body)
        follows_else = code[:begin].rstrip().endswith("else") or code[body_end:].lstrip().startswith("else")
        if last and body.count(";") <= 3 and not follows_else:
            self.add("no-early-end", *whole_lines(code, begin, body_end))
        if re.fullmatch(r"!\w[\w>.\[\]()-]*", text):
            self.add("turned", *inner, text[1:])
        elif not list(top_level(code, *inner, ("&&", "||"))) and len(re.findall(" [!=]= ", text)) == 1:
            self.add("turned", *inner, re.sub(" [!=]= ", lambda m: " == " if "!" in m.group() else " != ", text))
        else:
            self.add("turned", *inner, f"!({text})")

    def expressions(self, begin, end):
        code = self.code
        for first, last in sorted(set(groups(code, begin, end))):
            for operators, kind in ((("&&",), "half-condition"), (("||",), "half-condition"), ((" | ",), "flag"),
                                    ((" & ",), "flag")):
                self.halves(first, last, operators, kind)
            for at, found in top_level(code, first, last, (" <= ", " >= ", " < ", " > ")):
                turned = {" <= ": " < ", " >= ": " > ", " < ": " <= ", " > ": " >= "}[found]
                self.add("bound", at, at + len(found), turned)
        for match in re.finditer(r" [+-] 1u?\b", code[begin:end]):
            self.add("off-by-one", begin + match.start(), begin + match.end())
        for match in re.finditer(r" &= [^;]*;", code[begin:end]):
            if "~" not in match.group():
                self.add("flag", begin + match.start(), begin + match.end(), ";")
        for match in re.finditer(r"(?:->|\.)(\w+)\b(?!\()", code[begin:end]):
            for other in self.members.get(match.group(1), ()):
                self.add("neighbour", begin + match.start(1), begin + match.end(1), other)

    def halves(self, first, last, operators, kind):
        places = [at for at, _ in top_level(self.code, first, last, operators)]
        other = ("||",) if operators == ("&&",) else ("&&",)
        if not places or list(top_level(self.code, first, last, (*other, " ? ", ", ", ";"))):
            return
        length = len(operators[0])
        if kind == "flag" and operators[0] == " & ":  # the mask, and not what is masked
            if list(top_level(self.code, first, last, (" == ", " != ", " | ", "&&", "||"))):
                return
            self.add(kind, places[-1], last)
            return
        edges = [first, *places]
        for index, at in enumerate(edges):
            until = edges[index + 1] if index + 1 < len(edges) else last
            if index == 0:
                behind = re.match(r"\s*", self.code[until + length:last]).end()
                self.add(kind, first, until + length + behind)
            else:
                self.add(kind, len(self.code[:at].rstrip()), until if until == last else len(self.code[:until].rstrip()))


def neighbours(headers):
    """Of each member, those that are declared next to it with the same type."""
    found = {}
    for header in headers:
        code = masked(header.read_text(errors="replace"))
        for body in re.finditer(r"(?:struct|union)[^;{}()]*\{([^{}]*)\}", code):
            members = []
            for declared in body.group(1).split(";"):
                match = re.match(r"\s*((?:const |volatile |struct )*\w+(?: \*)?)\s*(.*)$", declared.strip(), re.S)
                if match:
                    members += [(match.group(1).strip(), name.strip()) for name in match.group(2).split(",")
                                if re.fullmatch(r"\w+(\s*:\s*\d+)?", name.strip())]
            names = [(kind, re.match(r"\w+", name).group()) for kind, name in members]
            for (kind, name), (next_kind, next_name) in zip(names, names[1:]):
                if kind == next_kind and "eserved" not in name + next_name:
                    found.setdefault(name, set()).add(next_name)
                    found.setdefault(next_name, set()).add(name)
    return {name: sorted(others) for name, others in found.items()}


def slips_of(files, headers):
    members = neighbours(headers)
    return [slip for path in sorted(files) for slip in File(path, members).find()]


def in_random_order(slips, seed, kinds=()):
    """All slips, so that each beginning of the list is a sample in which the kinds come as often as WEIGHTS says."""
    chance = random.Random(seed)
    left = {kind: [s for s in slips if s.kind == kind] for kind in WEIGHTS if not kinds or kind in kinds}
    for of_kind in left.values():
        chance.shuffle(of_kind)
    while any(left.values()):
        names = [kind for kind in left if left[kind]]
        kind = chance.choices(names, [WEIGHTS[k] for k in names])[0]
        yield left[kind].pop()


def main():
    parser = argparse.ArgumentParser(usage=__doc__.split("\n\n")[1])
    parser.add_argument("files", nargs="+", type=pathlib.Path)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--count", type=int, default=10)
    parser.add_argument("--kind", action="append", choices=WEIGHTS, default=[])
    options = parser.parse_args()
    sources = [path for path in options.files if path.suffix != ".h"]
    headers = {h for path in options.files for h in path.parent.glob("*.h")}
    slips = slips_of(sources, sorted(headers))
    for slip, _ in zip(in_random_order(slips, options.seed, options.kind), range(options.count)):
        print(f"{slip.title()}\n{slip.diff(slip.path.read_text(), slip.path)}")


if __name__ == "__main__":
    main()
