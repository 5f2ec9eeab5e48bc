#!/usr/bin/env python3
"""How exact hints are near the end: asks `hint 1` over NBoard in positions whose scores are known.

scripts/endgame_hints.py [--program PATH] [--positions FILE.obf] [--depth N]... ENGINE...

Prints for each depth and engine: answers called exact (`100%`), the mean error of the values in discs, and seconds. One thread.
"""
import argparse
import subprocess
import time


def read(path):
    """Boards with the side to move and the best score, as OBF has them."""
    for line in open(path, encoding="ascii"):
        position, best, *_ = line.split(";")
        board, mover = position.split()
        yield board, mover, int(best.split(":")[1])


class Client:
    def __init__(self, program, engine, depth):
        arguments = [program, "nboard", "--engine", engine, "--threads", "1"]
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
        self.pings = 0
        self.send("nboard 2")
        self.send(f"set depth {depth}")

    def send(self, line):
        print(line, file=self.process.stdin, flush=True)

    def hint(self, board, mover):
        """The last value in discs, whether it is called exact, and the seconds that it took."""
        squares, side = board.replace("X", "*"), mover.replace("X", "*")
        self.send(f"set game (;GM[Othello]PC[NBoard]PB[]PW[]RE[?]TY[8]BO[8 {squares} {side}];)")
        self.pings += 1
        self.send(f"ping {self.pings}")
        while self.process.stdout.readline().strip() != f"pong {self.pings}":
            pass
        began, last = time.time(), None
        self.send("hint 1")
        while (line := self.process.stdout.readline().strip()) != "status":
            if line.startswith("search "):
                last = line.split()
        return float(last[2]), last[4].startswith("100%"), time.time() - began


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/emilia")
    parser.add_argument("--positions", default="tests/data/endgames.obf")
    parser.add_argument("--depth", type=int, action="append")
    parser.add_argument("engine", nargs="+")
    arguments = parser.parse_args()
    positions = list(read(arguments.positions))
    for depth in arguments.depth or [12, 16]:
        for engine in arguments.engine:
            client = Client(arguments.program, engine, depth)
            answers = [(client.hint(board, mover), score) for board, mover, score in positions]
            client.send("quit")
            exact = sum(is_exact for (_, is_exact, _), _ in answers)
            error = sum(abs(value - score) for (value, _, _), score in answers) / len(answers)
            seconds = sum(seconds for (_, _, seconds), _ in answers)
            print(f"depth {depth}, {engine}: exact {exact} of {len(answers)}, mean error {error:.2f} discs, {seconds:.1f} s")


if __name__ == "__main__":
    main()
