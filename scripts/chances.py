#!/usr/bin/env python3
"""How often sides win that are said to have some chance: the chances of emilia-analyze, beside the results of games.

scripts/chances.py [--program PATH] [--depth N]... [--fit] [--positions N] [--seed N] [--args "..."] GAMES...

GAMES are games.jsonl of `emilia match`, the same compressed by gzip, or WTHOR files. About N positions are drawn evenly from all games, behind the openings, and each is
searched to the depth. Both sides of a position count, so the table is symmetric and its upper half says all. For each tenth of the
chance it prints: positions, the mean chance, the mean score of the side (a draw is half a point), the error of that (half-width of a 95 %
interval, from the games, which are the independent units), and whether the two differ by more than the error and three points.

The logarithm of the odds is the value in discs times a number that grows with the depth. --fit prints that number for depth 0 and what a ply adds,
with which the results of these games are likeliest: several depths are needed. `src/search/report.rs` has those of the program.
"""
import argparse
import collections
import gzip
import json
import math
import random
import shlex
import subprocess


def games(path):
    """Moves, Black's score and the plies of the opening of each game that was played to its end."""
    if path.endswith(".wtb"):
        data = open(path, "rb").read()
        for at in range(16, len(data) - 67, 68):
            squares = [f"{'abcdefgh'[square % 10 - 1]}{square // 10}" for square in data[at + 8 : at + 68] if square]
            yield "".join(squares), 2 * data[at + 6] - 64, 0
        return
    for number, line in enumerate((gzip.open if path.endswith(".gz") else open)(path, "rt", encoding="utf-8"), 1):
        if not line.strip():
            continue
        try:
            game = json.loads(line)
        except ValueError as error:
            raise SystemExit(f"{path}, line {number}: expected a game in JSON, as games.jsonl of emilia match has it: {error}")
        if game.get("end") == "played":
            yield game["moves"], game["score"], game["opening_moves"]


class Engine:
    """Emilia over GTP."""

    def __init__(self, program, depth, arguments):
        command = [program, "gtp", "--threads", "1", "--depth", str(depth), *arguments]
        self.process = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)

    def ask(self, command):
        self.process.stdin.write(command)
        self.process.stdin.flush()
        lines = []
        while (line := self.process.stdout.readline()) != "\n":
            if not line:
                raise SystemExit("the program has ended")
            lines.append(line.strip())
        return lines

    def value_for_black(self, moves):
        """The chance that is shown last, the value in discs and the plies that were searched, none if the end was seen; none at the end."""
        if self.ask(f"emilia-setboard {moves}\n")[0] != "=":
            return None
        black = self.ask("gogui-rules_side_to_move\n")[0] == "= black"
        words = self.ask("emilia-analyze\n")[-1].split()
        if "chance" not in words:
            return None
        chance, score, reached = (words[words.index(name) + 1] for name in ("chance", "score", "depth"))
        chance, score = float(chance), float(score.lstrip("<>="))
        plies = None if "%" in reached else int(reached)
        return (chance, score, plies) if black else (1 - chance, -score, plies)


def fit(seen):
    """The two factors of the logarithm of the odds, value * (first + second * plies), by Newton's method on the logarithm of the likelihood."""
    first, second = 0.3, 0.0
    for _ in range(20):
        gradient, curvature = [0.0, 0.0], [[0.0, 0.0], [0.0, 0.0]]
        for value, plies, points in seen:
            features = (value, value * plies)
            chance = 1 / (1 + math.exp(-max(-40.0, min(40.0, first * features[0] + second * features[1]))))
            for i in (0, 1):
                gradient[i] += (points - chance) * features[i]
                for j in (0, 1):
                    curvature[i][j] += chance * (1 - chance) * features[i] * features[j]
        (a, b), (_, c) = curvature
        if a * c - b * b <= 1e-9 * a * c:
            raise SystemExit("--fit: expected values of several depths; these are of one, or there are none")
        first += (c * gradient[0] - b * gradient[1]) / (a * c - b * b)
        second += (a * gradient[1] - b * gradient[0]) / (a * c - b * b)
    return first, second


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--program", default="target/release/emilia")
    parser.add_argument("--depth", type=int, action="append", help="may be repeated [default: 8]")
    parser.add_argument("--fit", action="store_true")
    parser.add_argument("--positions", type=int, default=20_000)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--args", default="", help="more options of emilia gtp")
    parser.add_argument("games", nargs="+")
    arguments = parser.parse_args()
    random.seed(arguments.seed)
    played = [game for path in arguments.games for game in games(path)]
    drawn = [(number, ply) for number, (moves, _, opening) in enumerate(played) for ply in range(opening, len(moves) // 2)]
    drawn = sorted(random.sample(drawn, min(arguments.positions, len(drawn))))
    depths = arguments.depth or [8]
    seen = []
    # By tenth and game: positions, the sum of the chances, the sum of the scores.
    sums = [collections.defaultdict(lambda: [0, 0.0, 0.0]) for _ in range(10)]
    for depth in depths:
        # An engine of its own: what a deeper search has left in the table would make its values better.
        engine = Engine(arguments.program, depth, shlex.split(arguments.args))
        for number, ply in drawn:
            moves, score, _ = played[number]
            found = engine.value_for_black(moves[: 2 * ply])
            if found is None:
                continue
            chance, value, plies = found
            points = 0.5 + 0.5 * ((score > 0) - (score < 0))
            if plies is not None:
                seen.append((value, plies, points))
            for chance, points in ((chance, points), (1 - chance, 1 - points)):
                cell = sums[min(int(10 * chance), 9)][number]
                cell[0] += 1
                cell[1] += chance
                cell[2] += points
    if arguments.fit:
        first, second = fit(seen)
        print(f"{first:.4f} and {second:.5f} more for each ply, from {len(seen)} values")
    print(f"{len(drawn)} positions of {len(played)} games, depth {', '.join(map(str, depths))}")
    print("chance %   positions   games   predicted %   scored %   error")
    for tenth in range(5, 10):
        cells = list(sums[tenth].values())
        n = sum(cell[0] for cell in cells)
        if n == 0:
            continue
        predicted, scored = (sum(cell[i] for cell in cells) / n for i in (1, 2))
        # The variance of a ratio of sums over games.
        error = 1.96 * sum((cell[2] - scored * cell[0]) ** 2 for cell in cells) ** 0.5 / n
        verdict = "" if abs(predicted - scored) <= error + 0.03 else "   off"
        interval = f"{10 * tenth}-{10 * tenth + 10}"
        print(f"{interval:9} {n:10} {len(cells):7} {100 * predicted:13.1f} {100 * scored:10.1f} {100 * error:7.1f}{verdict}")


if __name__ == "__main__":
    main()
