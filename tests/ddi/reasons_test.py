#!/usr/bin/env python3
"""src/ddi/reasons.def names the DDIs that Drydock calls, and no others.

usage: reasons_test.py SOURCE-ROOT
"""
import pathlib
import re
import sys

# The door itself calls them.
ALWAYS = {"InterruptRoutine", "DpcRoutine", "Unload", "QueryFeatureSupport", "QueryFeatureInterface",
          "FeatureInterfaceDereference", "FeatureSampleValue"}


def main():
    root = pathlib.Path(sys.argv[1])
    header = (root / "src/ddi/ddi.h").read_text()
    calls = "".join((root / "src/ddi" / name).read_text() for name in ("calls.c", "exclusive.c"))
    calls = re.sub(r".*\\\n", "", calls)  # without its macros
    ddis = dict(re.findall(r"\bX\((\w+),[\s\\]+(\w+)", header))
    ddis.update(re.findall(r"^DEFINE_ALONE\((\w+),\s*(\w+)", calls, re.M))  # without the adapter's handle
    for body in re.split(r"\n}\n", calls):
        function = re.search(r"\bddi_(\w+)\(struct ddi_adapter \*adapter", body)
        # Its slot stands in a table of its own, not in that which DDI_CALL reads.
        slot = re.search(r"DDI_CALL\(adapter, (\w+)", body) or re.search(r"NT_CALL_DRIVER\(NULL, adapter->driver->\w+", body) and re.search(r"POINT_(\w+)", body)
        if function and slot:
            ddis.setdefault(function.group(1), slot.group(1))
    others = "".join(path.read_text() for folder in ("dxgk", "d3dkmt", "host") for path in (root / "src" / folder).glob("*.c"))
    called = ALWAYS | {slot for function, slot in ddis.items() if re.search(r"\bddi_%s[(,]" % function, others)}
    rows = (root / "src/ddi/reasons.def").read_text()
    told = set(re.findall(r"^REASON\((\w+),", rows, re.M))
    for slot in sorted(called & set(re.findall(r"^NEVER\((\w+),", rows, re.M))):
        sys.exit("reasons_test: %s is never called, says reasons.def, and is" % slot)
    if len(called) < 30:
        sys.exit("reasons_test: the calls of the door were not found")
    for slot in sorted(called - told):
        print("%s is called, and reasons.def does not say what a run needs for it" % slot)
    for slot in sorted(told - called):
        print("%s is in reasons.def, and nobody calls it" % slot)
    sys.exit(1 if called != told else 0)


main()
