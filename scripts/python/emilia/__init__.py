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
import re
import shutil
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Iterable, Iterator, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from operator import index
from pathlib import Path
from queue import SimpleQueue
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
_CLOSING = "the program is being closed"


def _refuse_elsewhere(options: Sequence[str]) -> None:
    """Answers have to come here, and all of them."""
    for option in options:
        if option.split("=")[0] in ("--out", "--shard"):
            raise EmiliaError(f"{option}: expected no option that sends answers elsewhere or leaves some out")


def _answer(line: str) -> dict[str, Any]:
    """The object of a line that the program wrote."""
    try:
        answer = json.loads(line)
    except ValueError:
        answer = None
    if not isinstance(answer, dict):
        raise EmiliaError(f"expected an answer of the program, found {line.rstrip()!r}")
    return answer


class Emilia:
    """A running ``emilia analyze``. Arguments are options of the command line: ``Emilia("--threads", "2")``.

    At its end ``with`` waits for all answers. An exception ends the program at once.
    """

    def __init__(self, *options: str) -> None:
        _refuse_elsewhere(options)
        command = [program(), "analyze", *options]
        pipe = subprocess.PIPE
        self._process = subprocess.Popen(command, stdin=pipe, stdout=pipe, text=True, encoding="utf-8")
        self._lines = 0
        # Why there are no more answers, once there are none.
        self._ended: Optional[str] = None
        self._killed = False
        self._closing = False
        self._waiting: dict[int, _Waiting] = {}
        self._state = threading.Lock()
        # Lines for the program, and None behind the last. They wait here while it does not read, so that nobody else has to.
        self._out: SimpleQueue[Optional[str]] = SimpleQueue()
        threading.Thread(target=self._write, daemon=True).start()
        self._reader = threading.Thread(target=self._read, daemon=True)
        self._reader.start()

    def ask(self, query: Optional[Query] = None, /, **fields: Any) -> Answer:
        """Answers a question about one position; waits for it."""
        self._refuse_to_wait()
        return self._submit_one({**(query or {}), **fields}).result()[-1]

    def ask_all(self, queries: Iterable[Query]) -> Iterator[Answer]:
        """Answers many questions about one position each, in their order, several at a time."""
        self._refuse_to_wait()
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
        ``ask(game=game, depth=1)["turn"]``. If the future is cancelled, its search is ended.
        """
        asked = {**(query or {}), **fields}
        turns = _numbers(asked.pop("turns", None))
        if turns is not None:
            asked["turns"] = turns
        if asked.get("action") == "terminate":
            raise EmiliaError("action: expected a question; cancel its future to end one")
        waiting = _Waiting(turns)
        with self._state:
            if self._ended is not None:
                raise EmiliaError(self._ended)
            if self._closing:
                raise EmiliaError(_CLOSING)
            # Questions are numbered as their lines are.
            number = self._lines
            self._send({**asked, "id": number})
            self._waiting[number] = waiting
        waiting.future.add_done_callback(lambda future: self._terminate(number) if future.cancelled() else None)
        return waiting.future

    def _send(self, asked: Mapping[str, Any]) -> None:
        """Has a line written. The state is locked meanwhile."""
        self._out.put(json.dumps(asked) + "\n")
        self._lines += 1

    def _end_when_answered(self) -> None:
        """Ends the input if nothing is waited for that could be cancelled. The state is locked meanwhile."""
        if self._closing and not self._waiting:
            self._out.put(None)

    def _write(self) -> None:
        assert self._process.stdin is not None
        with suppress(OSError, ValueError):  # It has ended, and the reader finds out why.
            with self._process.stdin as stream:
                for line in iter(self._out.get, None):
                    stream.write(line)
                    stream.flush()

    def _terminate(self, number: int) -> None:
        """Ends the search for an answer that nobody wants any more."""
        with self._state:
            self._send({"action": "terminate", "id": number})

    def _refuse_to_wait(self) -> None:
        if threading.current_thread() is self._reader:
            raise EmiliaError("a callback of a future cannot wait for an answer; use submit")

    def _submit_one(self, asked: Mapping[str, Any]) -> Future[list[Answer]]:
        turns = _numbers(asked.get("turns"))
        if turns is not None and len(turns) > 1:
            raise EmiliaError("turns: ask and ask_all are for one position; use submit")
        return self.submit(**{**asked, "turns": turns})

    def close(self) -> None:
        """Waits for all answers and ends the program. Meanwhile questions can be cancelled, but not asked."""
        with self._state:
            self._closing = True
            self._end_when_answered()
        self._reader.join()
        self._process.wait()

    def __enter__(self) -> Emilia:
        return self

    def __exit__(self, kind: object, *_: object) -> None:
        try:
            if kind is not None:
                self._kill()
            self.close()
        except BaseException:
            # Ctrl-C, most likely, while it waits for answers.
            self._kill()
            self.close()
            raise

    def _kill(self) -> None:
        self._killed = True
        self._process.kill()

    def _read(self) -> None:
        assert self._process.stdout is not None
        why = None
        try:
            with self._process.stdout as lines:
                for line in lines:
                    self._take(_answer(line))
        except (EmiliaError, ValueError) as error:
            why = f"{_ENDED}: {error}"
            self._kill()
        finally:
            try:
                code = self._process.wait(10)
            except subprocess.TimeoutExpired:
                self._kill()
                code = self._process.wait()
            if why is None:
                # Whoever has killed it knows why.
                why = _ENDED if self._killed or code == 0 else f"{_ENDED} with code {code}"
            with self._state:
                self._ended = why
                left = list(self._waiting.values())
                self._waiting.clear()
                self._end_when_answered()
            for waiting in left:
                waiting.take({"error": why})
                waiting.finish()

    def _take(self, answer: dict[str, Any]) -> None:
        if answer.get("partial") or answer.get("action") == "terminate":
            return
        number = answer.get("id")
        if number is None:
            # The program could not read the question, so it knows it by its line alone.
            line = answer.get("line")
            number = line - 1 if isinstance(line, int) else None
        with self._state:
            waiting = self._waiting.get(number) if isinstance(number, int) else None
            if waiting is None:
                raise EmiliaError(f"expected an answer to a question, found {answer}")
            answer.pop("id", None)
            done = waiting.take(answer)
            if done:
                del self._waiting[number]
                self._end_when_answered()
        if done:
            waiting.finish()


class _Waiting:
    """A question that is not answered yet."""

    def __init__(self, turns: Optional[list[int]]) -> None:
        self.future: Future[list[Answer]] = Future()
        self._turns = turns
        # By turn.
        self._answers: dict[Any, Answer] = {}
        self._error: Optional[EmiliaError] = None

    def take(self, answer: dict[str, Any]) -> bool:
        """Whether this was the last answer."""
        if "error" in answer:
            place = answer.get("field", "")
            if "index" in answer:
                place += f"[{answer['index']}]"
            self._error = EmiliaError(f"{place}: {answer['error']}" if place else answer["error"])
            return True
        turn = answer.get("turn")
        if self._turns is not None and turn not in self._turns:
            raise EmiliaError(f"expected an answer about one of the turns {self._turns}, found {answer}")
        self._answers[turn] = answer  # type: ignore[assignment]
        return len(self._answers) == (1 if self._turns is None else len(set(self._turns)))

    def finish(self) -> None:
        if not self.future.set_running_or_notify_cancel():
            return  # It was cancelled: nobody wants the answer.
        if self._error is not None:
            self.future.set_exception(self._error)
        elif self._turns is None:
            self.future.set_result(list(self._answers.values()))
        else:
            self.future.set_result([self._answers[turn] for turn in self._turns])


def _numbers(turns: Any) -> Optional[list[int]]:
    """The turns of a question, if it has any."""
    try:
        return None if turns is None else [index(turn) for turn in turns]
    except TypeError as error:
        raise EmiliaError(f"turns: expected a sequence of whole numbers, found {turns!r}") from error


def judge(games: Union[str, os.PathLike[str]], *options: str) -> Iterator[Game]:
    """Judges every move of games: ``for game in judge("f5d6c3d3c4", "--depth", "10")``.

    Games are a text, or the ``Path`` of a file of any format. A game that cannot be read has an ``error``. The program
    runs when the first game is asked for.
    """
    _refuse_elsewhere(options)
    text, file = b"", "-"
    if isinstance(games, str):
        try:
            text = games.encode()
        except UnicodeEncodeError as error:
            raise EmiliaError(f"games: expected a text of Unicode: {error}") from error
        if re.match(r'\ufeff?\s*\{\s*["}]', games):
            raise EmiliaError("games: expected a text of games, found queries in JSON; Emilia.ask answers one")
    elif isinstance(games, os.PathLike):
        file = os.fsdecode(games)
        if file == "-":
            file = os.path.join(".", file)
    else:
        raise EmiliaError(f"games: expected a text or a path, found {games!r}")
    others = [option for option in options if option != "--json"]
    return _judged([program(), "analyze", "--json", *others, "--", file], text)


def _judged(command: list[str], text: bytes) -> Iterator[Game]:
    """What a command says of the games of a text."""
    done = subprocess.run(command, input=text, capture_output=True, check=False)
    complaint = done.stderr.decode(errors="replace")
    if done.returncode == 0:
        print(complaint, end="", file=sys.stderr)
    try:
        answers = done.stdout.decode()
    except UnicodeDecodeError as error:
        raise EmiliaError(f"expected an answer of the program: {error}") from error
    # Names may have characters at which splitlines() ends a line.
    for line in answers.split("\n")[:-1]:
        yield _answer(line)  # type: ignore[misc]
    if done.returncode != 0:
        raise EmiliaError(complaint.strip() or f"emilia ended with code {done.returncode}")


def main() -> None:
    """Runs the program in place of this process, with the same arguments."""
    command = [program(), *sys.argv[1:]]
    if os.name == "nt":
        sys.exit(subprocess.run(command, check=False).returncode)
    os.execv(command[0], command)
