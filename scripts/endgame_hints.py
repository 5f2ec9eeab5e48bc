#!/usr/bin/env python3
"""How exact hints and moves are near the end: asks `hint 1`, or `go`, over NBoard in positions whose scores are known.

scripts/endgame_hints.py [--go] [--program PATH] [--positions FILE.obf] [--depth N]... ENGINE...

Prints for each depth and engine: answers called exact (`100%`), the mean error of the values in discs, and seconds. One thread.
With --go: moves that lose discs, the discs lost in all, moves that lose the win or the draw, and seconds. What each move is worth is solved
by `alpha-beta` first, which takes minutes. An engine with a slash or a blank is the command of another program (`./ntest x`), started in the folder --dir.
"""
import argparse
import shlex
import subprocess
import time


def read(path):
    """Boards with the side to move and the best score, as OBF has them."""
    for line in open(path, encoding="ascii"):
        position, best, *_ = line.split(";")
        board, mover = position.split()
        yield board, mover, int(best.split(":")[1])


class Client:
    def __init__(self, program, engine, depth, folder=None):
        is_own = not set(" /") & set(engine)
        arguments = [program, "nboard", "--engine", engine, "--threads", "1"] if is_own else shlex.split(engine)
        folder = None if is_own else folder
        self.process = subprocess.Popen(arguments, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, cwd=folder)
        self.pings = 0
        self.send("nboard 2")
        self.send(f"set depth {depth}")

    def send(self, line):
        print(line, file=self.process.stdin, flush=True)

    def read(self):
        line = self.process.stdout.readline()
        if not line:
            raise SystemExit("the program has ended")
        return line.strip()

    def set(self, board, mover):
        squares, side = board.replace("X", "*"), mover.replace("X", "*")
        self.send(f"set game (;GM[Othello]PC[NBoard]PB[]PW[]RE[?]TY[8]BO[8 {squares} {side}];)")
        self.pings += 1
        self.send(f"ping {self.pings}")
        while self.read() != f"pong {self.pings}":
            pass

    def hints(self, board, mover, lines):
        """The last line of each move, by the move, and the seconds that it took."""
        self.set(board, mover)
        began, found = time.time(), {}
        self.send(f"hint {lines}")
        while (line := self.read()) != "status":
            if line.startswith("search "):
                words = line.split()
                found[words[1][:2]] = words
                last = words
        return found, last, time.time() - began

    def hint(self, board, mover):
        """The last value in discs, whether it is called exact, and the seconds that it took."""
        _, last, seconds = self.hints(board, mover, 1)
        return float(last[2]), last[4].startswith("100%"), seconds

    def go(self, board, mover):
        """The move that is played, and the seconds that it took."""
        self.set(board, mover)
        began = time.time()
        self.send("go")
        while not (line := self.read()).startswith("==="):
            pass
        return line.removeprefix("===").strip().upper()[:2], time.time() - began


def go(arguments, positions):
    """What the moves lose that are played in the positions."""
    solver = Client(arguments.program, "alpha-beta", 60)
    solved = []
    for board, mover, score in positions:
        lines, _, _ = solver.hints(board, mover, 64)
        values = {move: float(words[2]) for move, words in lines.items()}
        if not all(words[4].startswith("100%") for words in lines.values()):
            raise SystemExit(f"{board} {mover}: not solved within the five minutes of a hint")
        if max(values.values()) != score:
            raise SystemExit(f"{board} {mover}: solved {max(values.values())}, but the file has {score}")
        solved.append(values)
    solver.send("quit")
    for depth in arguments.depth or [12, 16]:
        for engine in arguments.engine:
            client = Client(arguments.program, engine, depth, arguments.dir)
            moves = [client.go(board, mover) for board, mover, _ in positions]
            client.send("quit")
            pairs = [(score, values[move]) for (_, _, score), values, (move, _) in zip(positions, solved, moves)]
            losses = [best - played for best, played in pairs]
            spoilt = sum((best > 0) - (best < 0) != (played > 0) - (played < 0) for best, played in pairs)
            seconds = sum(seconds for _, seconds in moves)
            print(f"depth {depth}, {engine}: {sum(loss > 0 for loss in losses)} of {len(losses)} moves lose {sum(losses):.0f} discs,"
                  f" {spoilt} another result, {seconds:.1f} s", flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/emilia")
    parser.add_argument("--positions", default="tests/data/endgames.obf")
    parser.add_argument("--depth", type=int, action="append")
    parser.add_argument("--go", action="store_true")
    parser.add_argument("--dir")
    parser.add_argument("engine", nargs="+")
    arguments = parser.parse_args()
    positions = list(read(arguments.positions))
    if arguments.go:
        go(arguments, positions)
        return
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
