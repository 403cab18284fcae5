"""The side of a run: askers whose questions go to the broker. Threads share one connection."""

import contextlib
import itertools
import os
import queue
import socket
import threading
from collections.abc import Mapping

from harness.errors import Bug, UsageError
from harness.llm import wire
from harness.llm.broker import SOCKET_VARIABLE
from harness.llm.failure import Unreachable
from harness.llm.ledger import Labels
from harness.llm.messages import Reply, Request


class Link:
    """One connection to the broker. Open it in the process that asks, and fork no more from there."""

    def __init__(self, connection: socket.socket) -> None:
        self._connection = connection
        self._writing = threading.Lock()
        self._numbers = itertools.count(1)
        self._waiting: dict[int, queue.SimpleQueue[wire.Answer | None]] = {}
        self._gone = False

    def open(self, opening: wire.Opening) -> dict[str, "LinkedAsker"]:
        """Tell the broker what is wanted. Raises UsageError when it cannot be had."""
        wire.send(self._connection, opening)
        message = wire.receive(self._connection)
        answer = wire.Answer.model_validate(message) if message is not None else None
        if answer is None:
            raise Bug("the broker has gone")
        if answer.trouble:
            raise UsageError(answer.trouble.message, hint=answer.trouble.hint)
        threading.Thread(target=self._read, name="broker", daemon=True).start()
        return {tier: LinkedAsker(self, tier, family, answer.models[tier]) for tier, family in answer.families.items()}

    def ask(self, tier: str, request: Request, labels: Labels) -> Reply:
        """See `harness.llm.client.Asker`."""
        number = next(self._numbers)
        box: queue.SimpleQueue[wire.Answer | None] = queue.SimpleQueue()
        with self._writing:
            if self._gone:
                raise Unreachable("the broker has gone")
            self._waiting[number] = box
            try:
                wire.send(self._connection, wire.Question(id=number, tier=tier, request=request, labels=labels))
            except OSError as error:
                raise Unreachable("the broker has gone") from error
        answer = box.get()
        if answer is None:
            raise Unreachable("the broker has gone")
        if answer.trouble:
            raise wire.error_of(answer.trouble)
        if answer.reply is None:
            raise Bug("an answer without a reply")
        return answer.reply

    def close(self) -> None:
        """End the connection; waiting questions fail with Unreachable."""
        with contextlib.suppress(OSError):
            self._connection.shutdown(socket.SHUT_RDWR)
        self._connection.close()

    def _read(self) -> None:
        while True:
            try:
                message = wire.receive(self._connection)
            except (OSError, ValueError):
                message = None
            if message is None:
                with self._writing:
                    self._gone = True
                    left = list(self._waiting.values())
                    self._waiting.clear()
                for box in left:
                    box.put(None)
                return
            answer = wire.Answer.model_validate(message)
            with self._writing:
                waiting = self._waiting.pop(answer.id, None)
            if waiting is not None:
                waiting.put(answer)


class LinkedAsker:
    """An `Asker` behind the broker."""

    def __init__(self, link: Link, tier: str, family: str, model: str) -> None:
        self.family = family
        self.model = model
        self._link = link
        self._tier = tier

    def ask(self, request: Request, labels: Labels) -> Reply:
        """Raises ModelFailure, BudgetExhausted."""
        return self._link.ask(self._tier, request, labels)


def inherited(environ: Mapping[str, str] = os.environ) -> Link | None:
    """A connection to the broker that started this process, None when there is none. Raises UsageError."""
    path = environ.get(SOCKET_VARIABLE)
    if not path:
        return None
    connection = socket.socket(socket.AF_UNIX)
    try:
        connection.connect(path)
    except OSError as error:
        connection.close()
        raise UsageError(f"the broker at {path} does not answer: {error}", hint=f"Unset {SOCKET_VARIABLE}.") from error
    return Link(connection)
