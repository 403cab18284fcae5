"""A model that says what it is told to: for tests of anything that asks one. Shipped, because plug-ins need it too."""

import threading
from collections.abc import Callable, Iterable, Iterator

from harness.llm.failure import ModelFailure, ProtocolFailure
from harness.llm.messages import Finish, Reply, Request, Usage, estimated_tokens

Script = Callable[[Request], Reply | ModelFailure]


class ScriptedClient:
    """See `harness.llm.client.Client`. Answers by a function of the request, or from a list, one item a call.

    `requests` keeps everything it was asked, so that a test can assert what would have gone over the wire.
    """

    def __init__(
        self,
        script: Script | Iterable[Reply | ModelFailure | str],
        *,
        spec: str = "scripted:test",
        family: str = "scripted",
    ) -> None:
        self.spec = spec
        self.family = family
        self.account = spec
        self.requests: list[Request] = []
        self._lock = threading.Lock()
        self._script = script if callable(script) else None
        self._items: Iterator[Reply | ModelFailure | str] = iter(() if callable(script) else script)

    def close(self) -> None:
        """Nothing is held."""

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """The next answer. Raises it when it is a failure, and ProtocolFailure when the script has ended."""
        del deadline_s
        with self._lock:
            self.requests.append(request)
            item = self._script(request) if self._script else next(self._items, None)
        if item is None:
            raise ProtocolFailure("the script has no more answers")
        if isinstance(item, ModelFailure):
            raise item
        return says(item, request) if isinstance(item, str) else item


def says(text: str, request: Request, *, finish: Finish = Finish.COMPLETE) -> Reply:
    """A reply with plausible usage."""
    usage = Usage(input_tokens=estimated_tokens(request), cached_tokens=0, output_tokens=-(-len(text) // 3))
    return Reply(text=text, finish=finish, usage=usage, model=request.model)
