#!/usr/bin/env python3
"""How far values are from exact scores, and how they change from depth to depth.

scripts/value_errors.py [--program PATH] [--depth N]... [--args "..."] FILE.obf ENGINE...

FILE.obf has positions with the exact scores of their moves, or of the best ones. For each engine and depth it prints: how often the move
is a best one, the mean absolute, mean signed and RMS error of the value in discs, the mean signed change from the depth before, and nodes
and seconds in all. Each position is searched by one thread with an empty memory.
"""
import argparse
import json
import shlex
import subprocess
import time


def read(path):
    """Boards with the exact scores of their moves."""
    for line in open(path, encoding="ascii"):
        board, *moves = [part.strip() for part in line.split(";")]
        pairs = (move.split(":") for move in moves if ":" in move)
        scores = {move.lower(): int(score) for move, score in pairs if move != "--"}
        if scores:
            yield board, scores


def ask(program, engine, depth, arguments, boards):
    """The move and the value of each board, and the nodes that they took."""
    command = [program, "analyze", "--engine", engine, "--threads", "2", "--reproducible", *arguments]
    queries = "".join(json.dumps({"id": i, "board": board, "depth": depth}) + "\n" for i, board in enumerate(boards))
    output = subprocess.run(command, input=queries, capture_output=True, text=True, check=True).stdout
    answers = {answer["id"]: answer for answer in map(json.loads, output.splitlines())}
    found = [(answers[i]["moves"][0]["move"], answers[i]["value"]) for i in range(len(boards))]
    return found, sum(answer["nodes"] for answer in answers.values())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/emilia")
    parser.add_argument("--depth", type=int, action="append")
    parser.add_argument("--args", default="", help="more options of emilia analyze")
    parser.add_argument("--first", type=int, help="only the first N positions")
    parser.add_argument("file")
    parser.add_argument("engine", nargs="+")
    arguments = parser.parse_args()
    positions = list(read(arguments.file))[: arguments.first]
    boards = [board for board, _ in positions]
    for engine in arguments.engine:
        print(f"{engine}, {len(boards)} positions\ndepth   best  mean abs   signed      rms   change      nodes  seconds")
        before = None
        for depth in arguments.depth or [8, 9, 10, 11, 12]:
            began = time.time()
            found, nodes = ask(arguments.program, engine, depth, shlex.split(arguments.args), boards)
            seconds = time.time() - began
            best = sum(scores.get(move) == max(scores.values()) for (move, _), (_, scores) in zip(found, positions))
            errors = [value - max(scores.values()) for (_, value), (_, scores) in zip(found, positions)]
            n = len(errors)
            values = sum(value for _, value in found) / n
            change = "" if before is None else f"{values - before:+.2f}"
            before = values
            mean_abs, signed = sum(map(abs, errors)) / n, sum(errors) / n
            rms = (sum(error * error for error in errors) / n) ** 0.5
            print(f"{depth:5} {100 * best / n:5.1f}% {mean_abs:9.2f} {signed:+8.2f} {rms:8.2f} {change:>8} {nodes:10} {seconds:8.1f}", flush=True)


if __name__ == "__main__":
    main()
