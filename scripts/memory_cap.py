#!/usr/bin/env python3
"""Watches Emilia think over NBoard under a memory cap, in both cap modes: peak resident memory, and whether nodes go on
being searched. Linux only (reads /proc). Exits with 1 if the peak exceeds the limit or the search comes to a halt.

usage: scripts/memory_cap.py [--seconds S] [--limit MB] [-- EMILIA ARGS...]
"""

import argparse
import re
import subprocess
import sys
import threading
import time


def watch(command, seconds):
    """Runs one hint for so many seconds; the lines with their times, the start, and the peak in MB."""
    engine = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    seen = []

    def read():
        for line in engine.stdout:
            if line.startswith(("nodestats ", "status ")):
                seen.append((time.monotonic(), line.strip()))

    threading.Thread(target=read, daemon=True).start()
    started = time.monotonic()
    engine.stdin.write("nboard 2\nset depth 60\nmove F5\nmove D6\nmove C3\nmove D3\nmove C4\nping 1\nhint 4\n")
    engine.stdin.flush()
    while time.monotonic() - started < seconds:
        time.sleep(0.5)
        with open(f"/proc/{engine.pid}/status") as status:
            peak = int(re.search(r"VmHWM:\s+(\d+)", status.read()).group(1))
    engine.stdin.close()
    engine.wait(5)
    return seen, started, peak / 1024


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("--limit", type=float, default=120, help="MB of resident memory")
    parser.add_argument("command", nargs="*", default=[
        "target/release/emilia", "nboard", "--engine", "best-first", "--memory", "64", "--hash", "16"])
    args = parser.parse_args()

    good = True
    for mode in ("rbfms", "prune"):
        seen, started, peak = watch(args.command + ["--on-memory-cap", mode], args.seconds)
        print(f"--on-memory-cap {mode}: peak resident memory {peak:.1f} MB over {args.seconds:.0f} s")
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
        good = good and peak <= args.limit and len(rates) > 1 and min(rates) > 0
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
