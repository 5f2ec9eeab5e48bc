#!/usr/bin/env python3
"""Watches Emilia think over NBoard under a memory cap, in both cap modes: peak resident memory, and whether nodes go on
being searched. Linux only (reads /proc). Exits with 1 if the peak is 2 % more than tree and table may take beyond what the
program takes with 1 MB for each, or if the search comes to a halt. From 16 MB for each on: what the program takes
beside them differs by up to 20 MB between a search with 1 MB and a larger one.

usage: scripts/memory_cap.py [--seconds S] [--memory MB] [--hash MB] [-- EMILIA ARGS...]
"""

import argparse
import re
import subprocess
import sys
import threading
import time


def watch(command, seconds):
    """Runs one hint for `seconds`; the lines with their times, the start, and the peak in MB."""
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    seen = []

    def read():
        for line in engine.stdout:
            if line.startswith(("nodestats ", "status ")):
                seen.append((time.monotonic(), line.strip()))

    threading.Thread(target=read, daemon=True).start()
    started = time.monotonic()
    try:
        engine.stdin.write("nboard 2\nset depth 60\nmove F5\nmove D6\nmove C3\nmove D3\nmove C4\nping 1\nhint 4\n")
        engine.stdin.flush()
    except BrokenPipeError:
        pass  # It has ended, as is said below.
    while True:
        time.sleep(0.5)
        if engine.poll() is not None:
            raise SystemExit(f"{' '.join(command)} has ended with code {engine.returncode}, before {seconds:g} s were over")
        with open(f"/proc/{engine.pid}/status") as status:
            peak = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
        if time.monotonic() - started >= seconds:
            break
    engine.stdin.close()
    engine.wait(5)
    return seen, started, peak / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--memory", type=int, default=64, help="MB for the tree")
    parser.add_argument("--hash", type=int, default=16, help="MB for the table")
    parser.add_argument("command", nargs="*", default=["target/release/emilia", "nboard", "--engine", "best-first"])
    args = parser.parse_args()

    def run(memory, table, mode):
        caps = ["--memory", str(memory), "--hash", str(table), "--on-memory-cap", mode]
        return watch(args.command + caps, args.seconds)

    good = True
    for mode in ("rbfms", "prune"):
        least = run(1, 1, mode)[2]
        seen, started, peak = run(args.memory, args.hash, mode)
        print(f"--on-memory-cap {mode}: peak resident memory {peak:.1f} MB over {args.seconds:.0f} s, "
              f"{peak - least:.1f} more than with 1 MB each")
        statuses = [(when - started, line) for when, line in seen if line.startswith("status ")]
        for when, line in statuses[:2] + statuses[-1:]:
            print(f"{when:6.1f} s  {line}")
        previous, rates = (0, 0.0), []
        for _, line in seen:
            if line.startswith("status"):
                continue
            nodes, seconds = int(line.split()[1]), float(line.split()[2])
            if seconds - previous[1] >= args.seconds / 6:
                rates.append((nodes - previous[0]) / (seconds - previous[1]))
                print(f"{seconds:6.1f} s  {nodes:>12} nodes, {rates[-1] / 1e6:.2f} M a second")
                previous = (nodes, seconds)
        good = good and peak - least <= 1.02 * (args.memory + args.hash) and len(rates) > 1 and min(rates) > 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
