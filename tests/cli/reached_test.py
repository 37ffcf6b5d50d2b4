#!/usr/bin/env python3
"""Does a default run still come to what default runs came to?

A check that nothing leads to any more fails nowhere: a workload that shows its picture a moment later was enough.
reached.txt has the rules, DDIs and paging operations that default runs of the built-in driver had a situation for with
each of the seeds 1 to 6, so that they do not hang on a seed.

  reached_test.py DRYDOCK            a default run comes to all of them
  reached_test.py DRYDOCK --write    writes the list anew, from these seeds
"""
import json
import pathlib
import subprocess
import sys

LIST = pathlib.Path(__file__).with_name("reached.txt")
KINDS = ("rules", "ddis", "paging_operations")


def reached(drydock, seed):
    done = subprocess.run([drydock, "run", "--seed", str(seed), "--json", "--no-narrow"], capture_output=True, text=True)
    report = json.loads(done.stdout)
    if done.returncode != 0:
        sys.exit(f"a default run with the seed {seed} does not pass: {report['message']}")
    return {name for kind in KINDS for name, count in report["coverage"][kind].items() if count > 0}


def main():
    drydock, write = sys.argv[1], "--write" in sys.argv[2:]
    if write:
        LIST.write_text("".join(f"{name}\n" for name in sorted(set.intersection(*(reached(drydock, s) for s in range(1, 7))))))
        return
    missing = sorted(set(LIST.read_text().split()) - reached(drydock, 1))
    if missing:
        sys.exit("no default run comes to these any more, or their situation is no longer counted: " + ", ".join(missing))


if __name__ == "__main__":
    main()
