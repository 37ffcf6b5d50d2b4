#!/usr/bin/env python3
"""Makes the contract's C tables.

usage: generate.py ids RULES.json OUT.h
       generate.py table RULES.json SOURCE_ROOT OUT.c

`ids` writes enum contract_rule. `table` writes the texts, and the state that the sources show: a rule
is *enforced* where code under src/ judges it (RULE_X in an expression, KERNEL_DUTY(X, ...), a row
AFTER(X, ...) and its kind), and
*tested* where, besides, a row or a test under tests/ breaks it and expects it (BREAKS_RULE(X),
TESTS_RULE(X)). Comments do not count.
"""
import json
import pathlib
import re
import sys

COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.S)
ENFORCES = re.compile(
    r"\bRULE_([A-Z0-9]+_\d{3})\b"
    r"|\b(?:KERNEL_DUTY|KERNEL|KERNEL_AFTER|BEFORE|AFTER|BEFORE_STOP|AFTER_STOP)"
    r"\(\s*([A-Z0-9]+_\d{3})\b")
TESTS = re.compile(r"\b(?:BREAKS_RULE|TESTS_RULE)\(\s*([A-Z0-9]+_\d{3})\b")


def name(rule_id):
    return rule_id.replace("-", "_")


def write_if_changed(path, text):
    path = pathlib.Path(path)
    if not path.exists() or path.read_text() != text:
        path.write_text(text)


def write_ids(rules, out):
    lines = ["/* Made by tools/contract/generate.py from contract/rules.json. */",
             "#ifndef CONTRACT_RULE_IDS_H", "#define CONTRACT_RULE_IDS_H", "", "enum contract_rule {"]
    lines += [f"    RULE_{name(rule['id'])}," for rule in rules]
    lines += ["    CONTRACT_RULE_COUNT", "};", "", "#endif", ""]
    write_if_changed(out, "\n".join(lines))


def found(root, folders, pattern):
    ids = set()
    for folder in folders:
        for path in sorted((root / folder).rglob("*.[ch]")):
            code = COMMENT.sub(" ", path.read_text(errors="replace"))
            for match in pattern.finditer(code):
                ids.add(next(group for group in match.groups() if group))
    return ids


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def write_table(rules, root, out):
    root = pathlib.Path(root)
    enforced = found(root, ["src"], ENFORCES)
    tested = found(root, ["tests"], TESTS)
    lines = ["/* Made by tools/contract/generate.py from contract/rules.json and the sources. */",
             '#include "contract/contract.h"', "#include \"contract/internal.h\"", "",
             "const struct contract_rule_info contract_rules[CONTRACT_RULE_COUNT] = {"]
    for rule in rules:
        key = name(rule["id"])
        state = "RULE_NOT_YET"
        if key in enforced:
            state = "RULE_TESTED" if key in tested else "RULE_ENFORCED"
        fields = [quoted(str(rule.get(field, ""))) for field in
                  ("id", "ddi", "member", "level", "text", "duty", "source", "confidence")]
        lines.append("    {" + ", ".join(fields) + f", {state}}},")
    lines += ["};", ""]
    write_if_changed(out, "\n".join(lines))


def main():
    rules = json.loads(pathlib.Path(sys.argv[2]).read_text())
    if sys.argv[1] == "ids":
        write_ids(rules, sys.argv[3])
    else:
        write_table(rules, sys.argv[3], sys.argv[4])


main()
