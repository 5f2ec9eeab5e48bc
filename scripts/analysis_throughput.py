#!/usr/bin/env python3
"""Measures `emilia analyze`: many positions through one pipe.

    emilia match --player name=a --player name=b --depth 1 --openings random:8 --pairs 900 --seed 1 --out games
    scripts/analysis_throughput.py games/games.ggf --positions 100000 --depth 8 --threads 1 2

Each position of the games is a query of its own. Printed for each number of threads: positions a second, the time from the start
of the process to the first answer, processor time, the resident memory over the time, and whether each id was answered exactly once.
"""

import argparse
import json
import os
import re
import subprocess
import sys
import threading
import time


def queries(path, positions, depth):
    """As many queries as there are to be, as lines."""
    lines = []
    with open(path) as games:
        for game in games:
            moves = re.findall(r"[BW]\[([A-Ha-h][1-8])", game.split("BO[", 1)[-1])
            for turn in range(len(moves)):
                query = {"id": len(lines), "moves": "".join(moves[:turn]), "depth": depth}
                lines.append(json.dumps(query) + "\n")
                if len(lines) == positions:
                    return lines
    sys.exit(f"{path} has only {len(lines)} positions")


def resident(process):
    """The resident memory in MB, 0 when the process has ended."""
    try:
        with open(f"/proc/{process}/statm") as statm:
            return int(statm.read().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 2**20
    except (FileNotFoundError, ProcessLookupError):
        return 0


def measure(program, threads, options, lines):
    before = os.times()
    started = time.monotonic()
    engine = subprocess.Popen(
        [program, "analyze", "--threads", str(threads), *options],
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )

    def feed():
        with engine.stdin as pipe:
            for line in lines:
                pipe.write(line.encode())

    memory = []

    def watch():
        while engine.poll() is None:
            memory.append((time.monotonic() - started, resident(engine.pid)))
            time.sleep(1)

    for work in (feed, watch):
        threading.Thread(target=work, daemon=True).start()
    ids, first, errors = [], None, 0
    for line in engine.stdout:
        first = first or time.monotonic() - started
        answer = json.loads(line)
        ids.append(answer["id"])
        errors += "error" in answer
    status = engine.wait()
    seconds = time.monotonic() - started
    after = os.times()
    cpu = after.children_user + after.children_system - before.children_user - before.children_system
    once = sorted(ids) == list(range(len(lines)))
    print(f"{threads} threads: {len(ids)} answers in {seconds:.1f} s, {len(ids) / seconds:.0f} positions/s, "
          f"{cpu:.1f} s of processor time, first answer after {1000 * first:.0f} ms, "
          f"each id once: {once}, errors {errors}, exit code {status}")
    steps = [memory[int(i * (len(memory) - 1) / 9)] for i in range(10)] if memory else []
    print("  resident MB: " + ", ".join(f"{size:.0f} at {at:.0f} s" for at, size in steps))
    return seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("games")
    parser.add_argument("--program", default="target/release/emilia")
    parser.add_argument("--positions", type=int, default=100_000)
    parser.add_argument("--depth", type=int, default=8)
    parser.add_argument("--threads", type=int, nargs="+", default=[1, 2])
    parser.add_argument("--options", default="", help="further options of emilia analyze, in one text")
    arguments = parser.parse_args()
    lines = queries(arguments.games, arguments.positions, arguments.depth)
    times = [measure(arguments.program, n, arguments.options.split(), lines) for n in arguments.threads]
    for threads, seconds in zip(arguments.threads[1:], times[1:]):
        print(f"{threads} threads: {times[0] / seconds:.2f} times as fast as {arguments.threads[0]}")


if __name__ == "__main__":
    main()
