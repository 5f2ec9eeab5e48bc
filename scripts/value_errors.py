#!/usr/bin/env python3
"""How far values are from exact scores, and how they change from depth to depth.

scripts/value_errors.py [--program PATH] [--depth N]... [--args "..."] FILE.obf ENGINE...

FILE.obf has positions, with the exact scores of their moves or of the best ones if they are known. For each engine and depth it prints:
how often the move is a best one, the mean absolute, mean signed and RMS error of the value in discs, the mean signed change from the depth
before with a 95 % interval, and nodes and seconds in all. If no position has a score, it prints no errors. Each position is searched by
one thread with an empty memory.
"""
import argparse
import json
import math
import shlex
import statistics
import subprocess
import time


def read(path):
    """Boards with the exact scores of their moves, as far as the file has them."""
    for line in open(path, encoding="ascii"):
        board, *moves = [part.strip() for part in line.split(";")]
        pairs = (move.split(":") for move in moves if ":" in move)
        scores = {move.lower(): int(score) for move, score in pairs if move != "--"}
        if board:
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
    positions = list(read(arguments.file))
    scored = [position for position in positions if position[1]]
    positions = (scored or positions)[: arguments.first]
    boards = [board for board, _ in positions]
    for engine in arguments.engine:
        print(f"{engine}, {len(boards)} positions\ndepth   best  mean abs   signed      rms         change      nodes  seconds")
        before = None
        for depth in arguments.depth or [8, 9, 10, 11, 12]:
            began = time.time()
            found, nodes = ask(arguments.program, engine, depth, shlex.split(arguments.args), boards)
            seconds = time.time() - began
            values = [value for _, value in found]
            errors = against_scores(found, positions) if scored else " " * 34
            change = mean_change(before, values) if before else ""
            before = values
            print(f"{depth:5} {errors} {change:>14} {nodes:10} {seconds:8.1f}", flush=True)


def against_scores(found, positions):
    """How often the move is a best one, and the errors of the values."""
    best = sum(scores.get(move) == max(scores.values()) for (move, _), (_, scores) in zip(found, positions))
    errors = [value - max(scores.values()) for (_, value), (_, scores) in zip(found, positions)]
    n = len(errors)
    rms = math.sqrt(sum(error * error for error in errors) / n)
    return f"{100 * best / n:5.1f}% {sum(map(abs, errors)) / n:9.2f} {sum(errors) / n:+8.2f} {rms:8.2f}"


def mean_change(before, values):
    """The mean change of the values, and half of its 95 % interval."""
    changes = [value - old for value, old in zip(values, before)]
    error = 1.96 * statistics.stdev(changes) / math.sqrt(len(changes)) if len(changes) > 1 else math.inf
    return f"{statistics.mean(changes):+.2f} ± {error:.2f}"


if __name__ == "__main__":
    main()
