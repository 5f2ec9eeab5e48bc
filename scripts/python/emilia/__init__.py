"""Emilia, an Othello engine: ask what positions and moves are worth.

    >>> from emilia import Emilia
    >>> with Emilia() as emilia:
    ...     answer = emilia.ask(moves="f5d6c3", depth=8, multipv=2)
    ...     print(answer["value"], [move["move"] for move in answer["moves"]])

and what was wrong with the moves of a game:

    >>> from emilia import judge
    >>> for game in judge("f5f4", "--depth", "8"):
    ...     for turn in game["turns"]:
    ...         print(turn["move"], turn["loss"], turn["best"]["move"])

One process answers all questions, several at a time. The fields of questions and answers are those of the page
``docs/analysis.md``.
"""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator
from concurrent.futures import Future
from pathlib import Path
from typing import Any, Optional, TypedDict, Union

__all__ = ["Answer", "Emilia", "EmiliaError", "Game", "Move", "Query", "Turn", "judge", "program"]


class _Move(TypedDict):
    move: str
    value: float
    depth: int
    selectivity: int
    exact: bool
    pv: list[str]


class Move(_Move, total=False):
    """A move, its value for the side to move in discs, and the expected play that begins with it."""

    lower: int
    upper: int
    visits: int


class _Answer(TypedDict):
    turn: int
    board: str
    mover: str
    empties: int
    depth: int
    selectivity: int
    exact: bool
    moves: list[Move]
    nodes: int


class Answer(_Answer, total=False):
    """What a position is worth to the side to move, in discs, and its best moves."""

    value: float
    opening: str
    over: bool
    book: dict[str, Any]
    warnings: list[str]
    evaluations: int
    seconds: float


class Query(TypedDict, total=False):
    """A question. It needs one of ``board``, ``game`` and ``moves``."""

    board: str
    game: str
    moves: Union[str, list[str]]
    turns: Union[list[int], str]
    depth: int
    nodes: int
    time: float
    exact: Union[bool, int]
    wld: bool
    multipv: Union[int, str]
    engine: str
    eval: str
    selectivity: int
    threads: int
    priority: int
    book: bool


class Turn(TypedDict, total=False):
    """A turn of a judged game: what was played, its value and what it lost, in discs for its player, and the best move."""

    turn: int
    board: str
    mover: str
    choices: int
    move: str
    value: float
    loss: float
    best: Move
    alternative: Move
    depth: int
    exact: bool


class Game(TypedDict, total=False):
    """A judged game; ``docs/analysis.md`` describes the fields."""

    number: int
    line: int
    black: str
    white: str
    date: str
    opening: str
    score: Optional[int]
    turns: list[Turn]
    turning_point: Optional[dict[str, Any]]
    worst: Optional[int]
    players: dict[str, Any]
    error: str


class EmiliaError(Exception):
    """A question that makes no sense, or a program that has ended."""


def program() -> str:
    """The path of the program: the one of this package, else the first in the ``PATH``."""
    suffix = ".exe" if os.name == "nt" else ""
    own = Path(__file__).parent / "program" / f"emilia{suffix}"
    found = str(own) if own.is_file() else shutil.which("emilia")
    if found is None:
        raise EmiliaError("the program emilia is neither in this package nor in the PATH")
    return found


class Emilia:
    """A running ``emilia analyze``. Arguments are options of the command line: ``Emilia("--threads", "2")``."""

    def __init__(self, *options: str) -> None:
        command = [program(), "analyze", *options]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self._asked = 0
        self._waiting: dict[int, _Waiting] = {}
        # The reader never waits for the one who writes: the program stops reading while nobody takes its answers.
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, query: Optional[Query] = None, /, **fields: Any) -> Answer:
        """Answers a question about one position; waits for it."""
        return self.submit(query, **fields).result()[-1]

    def ask_all(self, queries: Iterable[Query]) -> Iterator[Answer]:
        """Answers many questions about one position each, in their order, several at a time."""
        futures: deque[Future[list[Answer]]] = deque()
        for query in queries:
            futures.append(self.submit(query))
            if len(futures) >= 1000:
                yield futures.popleft().result()[-1]
        for future in futures:
            yield future.result()[-1]

    def submit(self, query: Optional[Query] = None, /, **fields: Any) -> Future[list[Answer]]:
        """Asks without waiting. The future has an answer for each of ``turns``, a list, in its order; without it, one."""
        asked = {**(query or {}), **fields}
        turns = asked.get("turns", [None])
        if not isinstance(turns, list):
            raise EmiliaError("turns: expected a list of numbers")
        waiting = _Waiting(turns)
        with self._writing:
            # Questions are numbered as their lines are.
            line = json.dumps({**asked, "id": self._asked}) + "\n"
            with self._state:
                self._waiting[self._asked] = waiting
            self._asked += 1
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except (OSError, ValueError) as error:
                raise EmiliaError("the program has ended") from error
        return waiting.future

    def close(self) -> None:
        """Waits for all answers and ends the program."""
        try:
            with self._writing:
                assert self._process.stdin is not None
                self._process.stdin.close()
        except OSError:
            pass  # It has ended by itself.
        self._reader.join()
        self._process.wait()

    def __enter__(self) -> Emilia:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def _read(self) -> None:
        assert self._process.stdout is not None
        for line in self._process.stdout:
            answer = json.loads(line)
            if answer.get("partial"):
                continue
            number = answer.pop("id", None)
            if number is None:
                # The program could not read the question, so it knows it by its line alone.
                number = answer["line"] - 1
            with self._state:
                waiting = self._waiting[number]
                done = waiting.take(answer)
                if done:
                    del self._waiting[number]
            if done:
                waiting.finish()
        with self._state:
            left, self._waiting = list(self._waiting.values()), {}
        for waiting in left:
            waiting.future.set_exception(EmiliaError("the program has ended"))


class _Waiting:
    """A question that is not answered yet."""

    def __init__(self, turns: list[Optional[int]]) -> None:
        self.future: Future[list[Answer]] = Future()
        self._turns = turns
        self._answers: list[Answer] = []
        self._error: Optional[EmiliaError] = None

    def take(self, answer: dict[str, Any]) -> bool:
        """Whether this was the last answer."""
        if "error" in answer:
            field = f"{answer['field']}: " if "field" in answer else ""
            self._error = EmiliaError(field + answer["error"])
            return True
        self._answers.append(answer)  # type: ignore[arg-type]
        return len(self._answers) == len(set(self._turns))

    def finish(self) -> None:
        if self._error is not None:
            self.future.set_exception(self._error)
        elif self._turns == [None]:
            self.future.set_result(self._answers)
        else:
            by_turn = {answer["turn"]: answer for answer in self._answers}
            self.future.set_result([by_turn[turn] for turn in self._turns if turn is not None])


def judge(games: str, *options: str) -> Iterator[Game]:
    """Judges every move of games in any format: ``for game in judge("f5d6c3d3c4", "--depth", "10")``.

    A game that cannot be read has an ``error``.
    """
    command = [program(), "analyze", "-", "--json", *options]
    done = subprocess.run(command, input=games, stdout=subprocess.PIPE, text=True, encoding="utf-8", check=False)
    # Names may have characters at which splitlines() ends a line.
    for line in done.stdout.split("\n")[:-1]:
        yield json.loads(line)
    if done.returncode != 0:
        raise EmiliaError(f"emilia ended with code {done.returncode}")


def main() -> None:
    """Runs the program in place of this process, with the same arguments."""
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)
