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
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from operator import index
from pathlib import Path
from typing import Any, Optional, TypedDict, Union

__all__ = ["Answer", "Emilia", "EmiliaError", "Game", "JudgedMove", "Move", "Query", "Turn", "judge", "program"]


class JudgedMove(TypedDict):
    """A move, its value for the side to move in discs, and the expected play that begins with it."""

    move: str
    value: float
    pv: list[str]


class _Move(JudgedMove):
    depth: int
    selectivity: int
    exact: bool


class Move(_Move, total=False):
    """A move of an answer."""

    lower: int
    upper: int
    visits: int


# No class can have a field with the name of a keyword.
_QueryExcept = TypedDict("_QueryExcept", {"except": Union[str, list[str]]}, total=False)
_AnswerExcept = TypedDict("_AnswerExcept", {"except": list[str]}, total=False)


class _Answer(TypedDict):
    turn: int
    board: str
    mover: str
    empties: int
    depth: int
    selectivity: int
    exact: bool
    moves: list[Move]
    weights: str
    nodes: int
    evaluations: int


class Answer(_Answer, _AnswerExcept, total=False):
    """What a position is worth to the side to move, in discs, and its best moves."""

    value: float
    opening: str
    over: bool
    book: dict[str, Any]
    terminated: bool
    warnings: list[str]
    seconds: float


class Query(_QueryExcept, total=False):
    """A question. It needs one of ``board``, ``game`` and ``moves``. The reports of ``report_every`` are dropped."""

    board: str
    game: str
    moves: Union[str, list[str]]
    turns: Sequence[int]
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
    book: bool
    report_every: float
    priority: int


class Turn(TypedDict, total=False):
    """A turn of a judged game: what was played, its value and what it lost, in discs for its player, and the best move."""

    turn: int
    board: str
    mover: str
    choices: int
    move: str
    value: float
    loss: float
    best: JudgedMove
    alternative: JudgedMove
    depth: int
    selectivity: int
    exact: bool


class Game(TypedDict, total=False):
    """A judged game, or with ``error`` one that cannot be read; ``move`` is then the number of the wrong move."""

    number: int
    file: str
    line: int
    black: str
    white: str
    date: str
    opening: str
    opening_turns: int
    score: Optional[int]
    turns: list[Turn]
    turning_point: Optional[dict[str, Any]]
    worst: Optional[int]
    players: dict[str, Any]
    nodes: int
    seconds: float
    error: str
    move: int


class EmiliaError(Exception):
    """A question that makes no sense, or a program that has ended or failed."""


def program() -> str:
    """The path of the program: the one of this package, else the first in the ``PATH``."""
    suffix = ".exe" if os.name == "nt" else ""
    own = Path(__file__).parent / "program" / f"emilia{suffix}"
    found = str(own) if own.is_file() else shutil.which("emilia")
    if found is None:
        raise EmiliaError("the program emilia is neither in this package nor in the PATH")
    return found


_ENDED = "the program has ended"


class Emilia:
    """A running ``emilia analyze``. Arguments are options of the command line: ``Emilia("--threads", "2")``.

    At its end ``with`` waits for all answers. An exception ends the program at once.
    """

    def __init__(self, *options: str) -> None:
        command = [program(), "analyze", *options]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self._asked = 0
        self._ended = False
        self._waiting: dict[int, _Waiting] = {}
        # The reader never waits for the one who writes: the program stops reading while nobody takes its answers.
        self._state = threading.Lock()
        self._writing = threading.Lock()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, query: Optional[Query] = None, /, **fields: Any) -> Answer:
        """Answers a question about one position; waits for it."""
        return self._submit_one({**(query or {}), **fields}).result()[-1]

    def ask_all(self, queries: Iterable[Query]) -> Iterator[Answer]:
        """Answers many questions about one position each, in their order, several at a time."""
        futures: deque[Future[list[Answer]]] = deque()
        for query in queries:
            futures.append(self._submit_one(query))
            if len(futures) >= 1000:
                yield futures.popleft().result()[-1]
        for future in futures:
            yield future.result()[-1]

    def submit(self, query: Optional[Query] = None, /, **fields: Any) -> Future[list[Answer]]:
        """Asks without waiting. The future has an answer for each of ``turns``, in their order; without them, one.

        ``turns`` are numbers, not ``"all"``: no answer says how many there will be. The last turn of a game is that of
        ``ask(game=game, depth=1)["turn"]``. If the future is cancelled, the program still searches.
        """
        asked = {**(query or {}), **fields}
        asked["turns"] = turns = _numbers(asked.get("turns"))
        waiting = _Waiting(turns)
        with self._writing:
            # Questions are numbered as their lines are.
            line = json.dumps({**asked, "id": self._asked}) + "\n"
            with self._state:
                if self._ended:
                    raise EmiliaError(_ENDED)
                self._waiting[self._asked] = waiting
            self._asked += 1
            try:
                assert self._process.stdin is not None
                self._process.stdin.write(line)
                self._process.stdin.flush()
            except (OSError, ValueError) as error:
                raise EmiliaError(_ENDED) from error
        return waiting.future

    def _submit_one(self, asked: Mapping[str, Any]) -> Future[list[Answer]]:
        turns = _numbers(asked.get("turns"))
        if turns is not None and len(turns) > 1:
            raise EmiliaError("turns: ask and ask_all are for one position; use submit")
        return self.submit(**{**asked, "turns": turns})

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

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is not None:
                self._process.kill()
            self.close()
        except BaseException:
            # Ctrl-C, most likely, while it waits for answers.
            self._process.kill()
            self.close()
            raise

    def _read(self) -> None:
        assert self._process.stdout is not None
        try:
            with self._process.stdout as lines:
                for line in lines:
                    self._take(json.loads(line))
        finally:
            with self._state:
                self._ended = True
                left = list(self._waiting.values())
                self._waiting.clear()
            for waiting in left:
                waiting.take({"error": _ENDED})
                waiting.finish()

    def _take(self, answer: dict[str, Any]) -> None:
        if answer.get("partial"):
            return
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


class _Waiting:
    """A question that is not answered yet."""

    def __init__(self, turns: Optional[list[int]]) -> None:
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
        return len(self._answers) == (1 if self._turns is None else len(set(self._turns)))

    def finish(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return  # It was cancelled: nobody wants the answer.
        if self._error is not None:
            self.future.set_exception(self._error)
        elif self._turns is None:
            self.future.set_result(self._answers)
        else:
            by_turn = {answer["turn"]: answer for answer in self._answers}
            self.future.set_result([by_turn[turn] for turn in self._turns])


def _numbers(turns: Any) -> Optional[list[int]]:
    """The turns of a question, if it has any."""
    try:
        return None if turns is None else [index(turn) for turn in turns]
    except TypeError as error:
        raise EmiliaError(f"turns: expected a sequence of whole numbers, found {turns!r}") from error


def judge(games: Union[str, Path], *options: str) -> Iterator[Game]:
    """Judges every move of games: ``for game in judge("f5d6c3d3c4", "--depth", "10")``.

    Games are a text, or the ``Path`` of a file of any format. A game that cannot be read has an ``error``.
    """
    text, file = (games, "-") if isinstance(games, str) else ("", str(games))
    command = [program(), "analyze", "--json", *options, "--", file]
    done = subprocess.run(command, input=text, capture_output=True, text=True, encoding="utf-8", check=False)
    if done.returncode == 0:
        print(done.stderr, end="", file=sys.stderr)
    # Names may have characters at which splitlines() ends a line.
    for line in done.stdout.split("\n")[:-1]:
        yield json.loads(line)
    if done.returncode != 0:
        raise EmiliaError(done.stderr.strip() or f"emilia ended with code {done.returncode}")


def main() -> None:
    """Runs the program in place of this process, with the same arguments."""
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)
