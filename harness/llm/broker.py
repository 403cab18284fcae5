"""The one process that holds keys and speaks to providers. It never reads the audited repository.

`harness` with a model named becomes the broker and runs the real command as a child, with an environment that has no key
in it and the path of a socket in a private folder. What reads the repository can ask questions and nothing else.
"""

import contextlib
import os
import re
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

from harness.budget import Budget, Caps, Spend
from harness.clock import SystemClock
from harness.errors import HarnessError, UsageError
from harness.llm import wire
from harness.llm.breaker import Breaker
from harness.llm.client import Asker
from harness.llm.gateway import Gateway
from harness.llm.ledger import Ledger
from harness.llm.limits import Limiters, Rate
from harness.llm.pricing import Price, known_prices
from harness.llm.replay import Recorder, Recording, ReplayClient, Tape, keep_manifest
from harness.llm.spec import Spec, connect, parse
from harness.llm.writing import Writing
from harness.places import state_home
from harness.redact import redact
from harness.scratch import scratch

SOCKET_VARIABLE = "HARNESS_BROKER"
IN_FLIGHT = 64
SHORTEST_SECRET = 8
"""Characters; a shorter value of a variable is a word that code may use."""
FREE = Price(input=0.0, output=0.0, as_of="always")
_SECRET = re.compile(r"(?i)key|token|secret|passw|credential")

Opener = Callable[[wire.Opening], Mapping[str, Asker]]


def scrubbed(environ: Mapping[str, str]) -> dict[str, str]:
    """The environment without anything that is named like a secret."""
    return {name: value for name, value in environ.items() if not _SECRET.search(name)}


def secret_values(environ: Mapping[str, str]) -> tuple[str, ...]:
    """The values of variables that are named like a secret: they never leave, whatever text they stand in."""
    return tuple(v for name, v in environ.items() if _SECRET.search(name) and len(v) >= SHORTEST_SECRET)


def run_behind(arguments: Sequence[str], opener: Opener) -> int:
    """Run `harness ARGUMENTS` as a child and answer its questions until it ends. Returns its exit code."""
    with scratch("broker") as folder, socket.socket(socket.AF_UNIX) as listener:
        path = str(folder / "socket")
        listener.bind(path)
        listener.listen()
        threading.Thread(target=_accept, args=(listener, opener), name="broker", daemon=True).start()
        environment = {**scrubbed(os.environ), SOCKET_VARIABLE: path}
        # -P: the current folder is most often the audited one, and no module may come from there.
        child = subprocess.Popen([sys.executable, "-P", "-m", "harness", *arguments], env=environment)

        def forward(number: int, frame: object) -> None:
            del frame
            child.send_signal(number)

        # The child gets the terminal's interrupt too, keeps what was found, and decides the exit code.
        before = {s: signal.signal(s, forward) for s in (signal.SIGTERM, signal.SIGHUP)}
        before[signal.SIGINT] = signal.signal(signal.SIGINT, signal.SIG_IGN)
        try:
            return child.wait()
        finally:
            for number, handler in before.items():
                signal.signal(number, handler)


def _accept(listener: socket.socket, opener: Opener) -> None:
    """One thread a connection: a run has one at a time, and a new one after its process was replaced."""
    while True:
        try:
            connection, _ = listener.accept()
        except OSError:
            return  # the run is over
        threading.Thread(target=serve, args=(connection, opener), name="run", daemon=True).start()


def serve(connection: socket.socket, opener: Opener) -> None:
    """Answer until the other side closes. A question that fails is answered with its failure."""
    writing = threading.Lock()
    askers: Mapping[str, Asker] = {}

    def reply(answer: wire.Answer) -> None:
        with writing, contextlib.suppress(OSError):  # a child that is gone needs no answer
            wire.send(connection, answer)

    def work(question: wire.Question) -> None:
        try:
            asker = askers.get(question.tier)
            if asker is None:
                raise UsageError(f"no model for {question.tier!r}")
            reply(wire.Answer(id=question.id, reply=asker.ask(question.request, question.labels)))
        except HarnessError as error:
            reply(wire.Answer(id=question.id, trouble=wire.trouble_of(error)))
        except Exception as error:  # noqa: BLE001  # the boundary: whoever asked must hear of it
            trouble = wire.Trouble(kind="Rejected", message=redact(f"{type(error).__name__}: {error}"))
            reply(wire.Answer(id=question.id, trouble=trouble))
        finally:
            room.release()

    # Threads that nobody waits for: when the run has ended, a call in flight must not keep this process.
    room = threading.BoundedSemaphore(IN_FLIGHT)
    try:
        while True:
            try:
                message = wire.receive(connection)
            except (OSError, ValueError):
                return
            if not isinstance(message, dict):
                return
            if message.get("op") == "open":
                try:
                    askers = opener(wire.Opening.model_validate(message))
                except HarnessError as error:
                    reply(wire.Answer(id=0, trouble=wire.trouble_of(error)))
                    continue
                families = {tier: asker.family for tier, asker in askers.items()}
                models = {tier: asker.model for tier, asker in askers.items()}
                reply(wire.Answer(id=0, families=families, models=models))
            else:
                question = wire.Question.model_validate(message)
                room.acquire()
                threading.Thread(target=work, args=(question,), name="ask", daemon=True).start()
    finally:
        connection.close()


def opener(allowed: Sequence[str], environ: Mapping[str, str]) -> Opener:
    """Makes gateways for what a run asks, with the keys of `environ`.

    A spec with a URL is accepted only when the user gave it (`allowed`), so that a configuration file of the repository
    cannot send code, or a key, to a server of its choice.
    """

    known: dict[str, tuple[Mapping[str, Asker], Writing]] = {}
    lock = threading.Lock()

    def opened(opening: wire.Opening) -> Mapping[str, Asker]:
        with lock:  # limits, breakers and budget outlive a connection
            key = opening.model_dump_json()
            if key not in known:
                writing = Writing(Path(opening.ledger).with_name("ballast"))
                known[key] = made_for(opening, writing), writing
            askers, writing = known[key]
            writing.take_room()
            return askers

    def made_for(opening: wire.Opening, writing: Writing) -> Mapping[str, Asker]:
        clock = SystemClock()
        caps = Caps(**opening.caps)
        ledger = Ledger(Path(opening.ledger))
        budget = Budget(caps, clock)
        earlier = ledger.entries()
        if earlier:
            spent = [e for e in earlier if e.outcome not in ("sent", "replayed")]
            tokens = sum((e.usage.input_tokens or 0) + (e.usage.output_tokens or 0) for e in spent)
            # A call whose end a crash took away was made all the same; what it cost, nobody knows.
            calls = sum(e.outcome == "sent" for e in earlier)
            budget.charge(Spend(sum(e.cost or 0.0 for e in spent), tokens, calls))
        stages = {
            "discover": budget.child("discover", caps.share(1 - opening.reserve)),
            "verify": budget.child("verify", Caps()),
            **{name: budget.child(name, Caps()) for name in opening.stages},
        }
        rate = Rate(opening.requests_per_minute, opening.tokens_per_minute)
        limiters = Limiters(clock, rate, state_home(environ) / "limits")
        prices = known_prices()
        breakers: dict[str, Breaker] = {}
        secrets = secret_values(environ)
        made: dict[str, Asker] = {}
        for tier, text in opening.tiers.items():
            spec = permitted(text, allowed)
            client = connect(spec, environ, tier=tier)
            name = client.model if isinstance(client, ReplayClient) else spec.name
            if opening.record:
                client = Recorder(client, Path(opening.record))
            made[tier] = Gateway(
                client, model=name, budgets=stages,
                limiter=limiters.of(client.account), breaker=breakers.setdefault(text, Breaker(clock)),
                price=FREE if spec.backend == "replay" else prices.get(spec.price_key), ledger=ledger, run=opening.run,
                clock=clock, seed=opening.seed, tape=Tape(Path(opening.tape)), writing=writing,
                secrets=secrets,
            )  # fmt: skip
        if opening.record:
            families = {tier: asker.family for tier, asker in made.items()}
            models = {tier: asker.model for tier, asker in made.items()}
            keep_manifest(Path(opening.record), Recording(tiers=opening.tiers, families=families, models=models))
        return made

    return opened


def permitted(text: str, allowed: Sequence[str]) -> Spec:
    """The parsed spec. Raises UsageError for one with a URL that is not among those the user gave."""
    spec = parse(text)
    if spec.url and text not in allowed:
        raise UsageError(
            f"model {text!r} comes from a configuration file and names a server",
            hint="Pass it yourself: --model, or HARNESS_MODEL.",
        )
    return spec
