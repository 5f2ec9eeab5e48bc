#!/usr/bin/env python3
"""Watches Emilia think over NBoard under a memory cap: peak resident memory, and whether nodes go on being searched.
Linux only (reads /proc).

usage: scripts/memory_cap.py [--seconds S] [-- EMILIA ARGS...]
"""

import argparse
import re
import subprocess
import sys
import threading
import time


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=60)
    parser.add_argument("command", nargs="*", default=[
        "target/release/emilia", "nboard", "--engine", "best-first", "--memory", "64", "--hash", "16"])
    args = parser.parse_args()

    engine = subprocess.Popen(args.command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, bufsize=1)
    seen = []

    def read():
        for line in engine.stdout:
            if line.startswith(("nodestats ", "status ")):
                seen.append((time.monotonic(), line.strip()))

    threading.Thread(target=read, daemon=True).start()
    started = time.monotonic()
    engine.stdin.write("nboard 2\nset depth 60\nmove F5\nmove D6\nmove C3\nmove D3\nmove C4\nping 1\nhint 4\n")
    engine.stdin.flush()
    while time.monotonic() - started < args.seconds:
        time.sleep(0.5)
        peak = int(re.search(r"VmHWM:\s+(\d+)", open(f"/proc/{engine.pid}/status").read()).group(1))
    engine.stdin.close()
    engine.wait(5)

    previous = (0, 0.0)
    statuses = [(when - started, line) for when, line in seen if line.startswith("status ")]
    for when, line in statuses[:2] + statuses[-1:]:
        print(f"{when:6.1f} s  {line}")
    for _, line in seen:
        if line.startswith("status"):
            continue
        nodes, seconds = int(line.split()[1]), float(line.split()[2])
        if seconds - previous[1] >= args.seconds / 12:
            rate = (nodes - previous[0]) / (seconds - previous[1])
            print(f"{seconds:6.1f} s  {nodes:>12} nodes, {rate / 1e6:.2f} M a second")
            previous = (nodes, seconds)
    print(f"peak resident memory {peak / 1024:.1f} MB over {args.seconds:.0f} s")
    return 0


if __name__ == "__main__":
    sys.exit(main())
