#!/usr/bin/env python3
"""Counts test cases in meson's log and prints "N passed, N failed" as the last line.

Usage: tools/test_summary.py testlog.json. A test of cmocka or bats counts as many as it has cases,
any other as one. Before it stands how many rules of the contract the tests broke and saw named: what the
programs of tests/contract/ that passed left in the build folder. Exits 1 if anything failed or nothing ran."""
import json
import pathlib
import re
import sys

CASES = [  # a passed case, a failed case with its name
    (re.compile(r"^\[ +OK \]", re.M), re.compile(r"^\[ +(?:FAILED|ERROR) +\] (?!\d+ test)(\S+)", re.M)),
    (re.compile(r"^ok \d+(?!.*# skip)", re.M), re.compile(r"^not ok (\d+)", re.M)),
]


def count(entry):
    """(passed, failed) of one test."""
    fine = entry["result"] in ("OK", "EXPECTEDFAIL")
    if entry["result"] == "SKIP":
        return 0, 0
    output = entry.get("stdout", "") + "\n" + entry.get("stderr", "")
    for passed_case, failed_case in CASES:
        passed = len(passed_case.findall(output))
        failed = len(set(failed_case.findall(output)))  # cmocka names them twice
        if passed or failed:
            # A program that crashed has a failed case more than it named.
            return passed, failed if fine or failed else 1
    return (1, 0) if fine else (0, 1)


def rules_seen(build, programs):
    """{duty: rules} of the programs, from PROGRAM.seen.json."""
    seen = {}
    for path in sorted((build / "tests" / "contract").glob("*.seen.json")):
        if path.name.removesuffix(".seen.json") in programs:
            for part in json.loads(path.read_text()).values():
                for duty, ids in part.items():
                    seen.setdefault(duty, set()).update(ids)
    return seen


def main():
    passed = failed = 0
    fine = set()
    with open(sys.argv[1], encoding="utf-8", errors="replace") as log:
        for line in log:
            entry = json.loads(line)
            good, bad = count(entry)
            passed += good
            failed += bad
            if good and not bad:
                fine.add(entry["name"].split(" / ")[-1])
            if bad:
                print(f"failed: {entry['name']} ({entry['result']})")
    seen = rules_seen(pathlib.Path(sys.argv[1]).resolve().parents[1], fine)
    if seen:
        print("rules broken and named: " +
              ", ".join(f"{len(ids)} by the {duty}" for duty, ids in sorted(seen.items())))
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed > 0 or passed == 0)


main()
