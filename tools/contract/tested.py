#!/usr/bin/env python3
"""Writes contract/tested.json: the rules that the tests broke and saw reported.

usage: tested.py BUILD_FOLDER

Each program of tests/contract/, and tests/variations, leaves what its last full run saw in the build folder, and fails until
contract/tested.json says the same. Run those whose rows you changed (`meson test misbehave`), then this,
then look at the difference: a rule that went is a test that does not see it any more.
"""
import json
import pathlib
import sys


def main():
    root = pathlib.Path(__file__).resolve().parents[2]
    written = root / "contract" / "tested.json"
    tested = json.loads(written.read_text())
    parts = sorted((pathlib.Path(sys.argv[1]) / "tests" / "contract").glob("*.seen.json"))
    if not parts:
        sys.exit(f"tested.py: no run of the contract tests in {sys.argv[1]}")
    for part in parts:
        tested.update(json.loads(part.read_text()))
    written.write_text(json.dumps(tested, indent=1, sort_keys=True) + "\n")


main()
