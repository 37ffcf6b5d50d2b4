#!/usr/bin/env python3
"""Makes the contract's C tables.

usage: generate.py ids RULES.json OUT.h
       generate.py table RULES.json TESTED.json OUT.c

`ids` writes enum contract_rule. `table` writes the texts, how a breach is answered, whose duty each rule is, and who was seen to
be named for it by the tests: TESTED.json is what they saw (tools/contract/tested.py), and they fail
when it says anything else. Which rules are judged at all is not in the table: the binary knows, by the
rows and places that are linked into it.
"""
import json
import pathlib
import sys

REACTIONS = {"report": "CONTRACT_REPORT", "note": "CONTRACT_NOTE", "stop": "CONTRACT_STOP", "refuse": "CONTRACT_REFUSE"}
DUTIES = {"driver": "CONTRACT_DRIVER", "kernel": "CONTRACT_KERNEL", "both": "CONTRACT_BOTH"}


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


def seen(tested):
    """The duties that were seen to be named, by rule."""
    by_rule = {}
    for program in tested.values():
        for duty, ids in program.items():
            for rule_id in ids:
                by_rule.setdefault(rule_id, set()).add(DUTIES[duty])
    return by_rule


def quoted(text):
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", " ") + '"'


def write_table(rules, tested, out):
    by_rule = seen(tested)
    unknown = sorted(set(by_rule) - {rule["id"] for rule in rules})
    if unknown:
        sys.exit(f"generate.py: there is no rule {unknown[0]}, which a test is said to have seen")
    lines = ["/* Made by tools/contract/generate.py from contract/rules.json and tested.json. */",
             '#include "contract/contract.h"', "#include \"contract/internal.h\"", "",
             "const struct contract_rule_info contract_rules[CONTRACT_RULE_COUNT] = {"]
    for rule in rules:
        fields = [quoted(str(rule.get(field, ""))) for field in
                  ("id", "ddi", "member", "level", "text", "source", "confidence")]
        fields += [REACTIONS[rule.get("reaction", "report")], DUTIES[rule["duty"]], " | ".join(sorted(by_rule.get(rule["id"], ["0"])))]
        lines.append("    {" + ", ".join(fields) + "},")
    lines += ["};", ""]
    write_if_changed(out, "\n".join(lines))


def main():
    rules = json.loads(pathlib.Path(sys.argv[2]).read_text())
    if sys.argv[1] == "ids":
        write_ids(rules, sys.argv[3])
    else:
        write_table(rules, json.loads(pathlib.Path(sys.argv[3]).read_text()), sys.argv[4])


main()
