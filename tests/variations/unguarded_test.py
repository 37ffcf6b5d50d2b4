#!/usr/bin/env python3
"""What a client takes away while Render reads it is missed where a driver guards the beginning alone.

usage: unguarded_test.py DRYDOCK UNGUARDED.sys
"""
import json
import pathlib
import re
import subprocess
import sys
import tempfile

REGISTRY = r"""[\Registry\Machine\System\CurrentControlSet\Services\%s]
"Misbehave"="guards_the_header"
"""


def run(drydock, driver, *options):
    done = subprocess.run([drydock, "run", driver, "--softgpu-commands", "--vary", "bad-commands", "--workload", "render",
                           "--duration", "200ms", "--json", *options], capture_output=True, text=True)
    return done.returncode, json.loads(done.stdout)["contract"]["breaches"]


def main():
    drydock, driver = (pathlib.Path(name).resolve() for name in sys.argv[1:3])
    status, found = run(drydock, driver)
    if status != 0 or found:
        sys.exit("unguarded_test: a good driver has findings: %s" % found)
    with tempfile.TemporaryDirectory() as folder:
        registry = pathlib.Path(folder) / "how.reg"
        registry.write_text(REGISTRY % driver.stem)
        status, found = run(drydock, driver, "--registry", registry)
    said = [breach["actual"] for breach in found if (breach["rule"], breach["ddi"]) == ("FAULT", "DxgkDdiRender")]
    # Offsets count from the commands; behind their header alone nobody guards.
    if status != 1 or not any(re.match(r"a client's command buffer, .* at offset [1-9]\d* outside of any __try", text) for text in said):
        sys.exit("unguarded_test: exit status %d, found %s" % (status, found))


main()
