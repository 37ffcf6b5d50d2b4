#!/usr/bin/env python3
"""How long a frame of the workload desktop takes, at 1920 x 1080 and 60 Hz.

A row is a way to run the workload. In each round every row runs once, in turn, short and long; the
difference is what the frames alone cost, without the start and the pictures that are painted first.
It is one cycle of the workload, in which each window has moved: they differ in size and cost.
What is printed are medians over the rounds, in time of the processor: a machine with other work
stretches that, too, but less than what a clock says.

    desktop_bench.py DRYDOCK [--rounds N] [--only WORD] [--frames N] [--json]
"""
import argparse
import json
import os
import statistics
import subprocess

RATE = 60
SHORT_FRAMES = 60
WINDOWS = 5  # of one client process
CYCLE = 120 * WINDOWS  # frames until the same window moves again
ROWS = (
    ("all moves, each compared", "desktop"),
    ("all moves, one in 60 to 71 compared", "desktop,every=60"),
    ("one window moves, each compared", "desktop,moving=1"),
    ("one window moves, one in 60 to 71 compared", "desktop,moving=1,every=60"),
)


def run(drydock, workload, frames):
    """CPU seconds and what the report counts."""
    before = os.times()
    command = [drydock, "run", "--vary", "none", "--workload", workload,
               "--duration", f"{frames * 1000 // RATE}ms", "--json"]
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    after = os.times()
    spent = (after.children_user - before.children_user
             + after.children_system - before.children_system)
    report = json.loads(done.stdout)
    if report["present"]["wrong_pixels"]:
        raise SystemExit(f"{workload}: pixels are wrong")
    return spent, report["present"]["frames"], report["fences"]["submitted"]


def measure(drydock, workload, frames):
    """Seconds and submissions of a frame."""
    short, long = run(drydock, workload, SHORT_FRAMES), run(drydock, workload, frames)
    count = long[1] - short[1]
    return (long[0] - short[0]) / count, (long[2] - short[2]) / count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("drydock")
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--only", default="")
    parser.add_argument("--frames", type=int, default=SHORT_FRAMES + CYCLE)
    parser.add_argument("--json", action="store_true")
    options, _ = parser.parse_known_args()  # others are for other programs
    rows = [row for row in ROWS if options.only in row[0]]
    seen = {name: [] for name, _ in rows}
    for _ in range(options.rounds):
        for name, workload in rows:
            seen[name].append(measure(options.drydock, workload, options.frames))
    table = []
    for name, _ in rows:
        seconds = [row[0] for row in seen[name]]
        middle = statistics.median(seconds)
        table.append({"row": name, "ms": middle * 1000, "ms_best": min(seconds) * 1000,
                      "real_time": 1 / RATE / middle,
                      "submissions": statistics.median(row[1] for row in seen[name])})
    if options.json:
        print(json.dumps(table, indent=2))
        return
    print(f"{'a frame of the desktop':42} {'ms':>8} {'best':>8} {'x real time':>12} {'submissions':>12}")
    for row in table:
        print(f"{row['row']:42} {row['ms']:8.2f} {row['ms_best']:8.2f} {row['real_time']:12.2f} "
              f"{row['submissions']:12.1f}")


if __name__ == "__main__":
    main()
