#!/usr/bin/env python3
"""Measures how quickly Emilia answers over NBoard: from start to the first reply, and from `ping` to `pong` while it
thinks about a hint. Checks that nothing of the interrupted hint follows the pong.

usage: scripts/nboard_latency.py [--rounds N] [-- EMILIA ARGS...]
"""

import argparse
import queue
import random
import statistics
import subprocess
import sys
import threading
import time

GAME = (
    "(;GM[Othello]PC[NBoard]DT[2026-01-01 00:00:00 GMT]PB[a]PW[b]RE[?]TI[5:00]TY[8]"
    "BO[8 ---------------------------O*------*O--------------------------- *]%s;)"
)
MOVES = "B[F5]W[D6]B[C3]W[D3]B[C4]W[F4]B[F6]W[F3]B[E6]W[E7]B[D7]W[C5]B[B6]W[D8]B[C6]W[C7]"


class Engine:
    """A running engine whose output lines arrive in a queue with the time at which they came."""

    def __init__(self, command):
        self.started = time.perf_counter()
        self.process = subprocess.Popen(
            command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, bufsize=1
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()

    def _read(self):
        for line in self.process.stdout:
            self.lines.put((time.perf_counter(), line.rstrip("\n")))

    def send(self, line):
        self.process.stdin.write(line + "\n")
        self.process.stdin.flush()

    def wait_for(self, wanted, timeout=5.0):
        """The time at which the line came."""
        deadline = time.perf_counter() + timeout
        while True:
            when, line = self.lines.get(timeout=max(0.0, deadline - time.perf_counter()))
            if line == wanted:
                return when


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=200)
    parser.add_argument("command", nargs="*", default=["target/release/emilia", "nboard"])
    args = parser.parse_args()
    if args.rounds < 1:
        raise SystemExit(f"--rounds: expected at least 1, not {args.rounds}")
    random.seed(1)

    starts = []
    for _ in range(20):
        engine = Engine(args.command)
        engine.send("ping 1")
        starts.append(engine.wait_for("pong 1") - engine.started)
        engine.send("quit")
        engine.process.wait(5)
    print(f"first reply after start: median {statistics.median(starts) * 1e3:.1f} ms, worst {max(starts) * 1e3:.1f} ms")

    engine = Engine(args.command)
    engine.send("nboard 2")
    engine.send("set depth 60")
    delays, stale, hints = [], 0, 0
    for n in range(1, args.rounds + 1):
        engine.send("set game " + GAME % "".join(MOVES.split("]")[i] + "]" for i in range(random.randrange(17))))
        engine.send(f"hint {random.choice([1, 2, 4, 64])}")
        time.sleep(random.uniform(0.005, 0.3))
        sent = time.perf_counter()
        engine.send(f"ping {n}")
        delays.append(engine.wait_for(f"pong {n}") - sent)
        # Whatever still comes before the next request belongs to nothing.
        time.sleep(0.02)
        while not engine.lines.empty():
            _, line = engine.lines.get()
            stale += line.split(" ")[0] in ("search", "book", "===", "nodestats", "analysis")
    engine.send("quit")
    engine.process.wait(5)
    delays.sort()
    print(f"ping to pong, {len(delays)} interrupted hints: median {statistics.median(delays) * 1e3:.2f} ms, "
          f"99th percentile {delays[int(len(delays) * 0.99)] * 1e3:.2f} ms, worst {delays[-1] * 1e3:.2f} ms")
    print(f"lines of an old request after the pong: {stale}")
    return 1 if stale else 0


if __name__ == "__main__":
    sys.exit(main())
