#!/usr/bin/env python3
"""A default run of a driver with one of the bugs names what README.md says that it names.

usage: history_test.py README.md DRYDOCK DRIVER.sys BUG [VALUE]

VALUE, of the driver's key, switches the bug on; "Misbehave"="BUG" does by default.
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

KEY = r"[\Registry\Machine\System\CurrentControlSet\Services\%s]"


def expected(readme, bug):
    """The finding and its DDI, from the bug's row of the table."""
    row = re.search(r"^\| %s \|.*\| `([A-Z0-9-]+)` in ([\w ]+) \|$" % bug, readme, re.M)
    if not row:
        sys.exit("history_test: README.md says of %s nothing that can be looked for" % bug)
    return row.groups()


def findings(drydock, driver, registry, *more):
    """What a default run finds, or the beginning of one."""
    run = subprocess.run([drydock, "run", driver, "--registry", registry, "--softgpu-commands", "--no-narrow", "--json",
                          *more], capture_output=True, text=True, cwd=registry.parent)
    if run.returncode != 1:
        sys.exit("history_test: exit status %d\n%s" % (run.returncode, run.stderr))
    return [(breach["rule"], breach["ddi"]) for breach in json.loads(run.stdout)["contract"]["breaches"]]


def main():
    readme, bug = sys.argv[1], sys.argv[4]
    drydock, driver = (pathlib.Path(name).resolve() for name in sys.argv[2:4])
    sought = expected(pathlib.Path(readme).read_text(), bug)
    with tempfile.TemporaryDirectory() as folder:
        registry = pathlib.Path(folder) / "how.reg"
        value = sys.argv[5] if len(sys.argv) > 5 else '"Misbehave"="%s"' % bug
        registry.write_text("%s\n%s\n" % (KEY % driver.stem, value))
        # The parts up to the first that finds something are the beginning of the whole run.
        found = findings(drydock, driver, registry, "--until-finding")
        if sought not in found:
            found = findings(drydock, driver, registry)
    if sought not in found:
        sys.exit("history_test: %s: no %s in %s, but %s" % ((bug,) + sought + (found,)))


main()
