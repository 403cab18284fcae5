"""What every backend promises, whatever speaks behind it."""

from typing import Protocol

from harness.llm.ledger import Labels
from harness.llm.messages import Reply, Request


class Asker(Protocol):
    """Whoever answers a question in the end: a gateway in this process, or one behind a broker."""

    @property
    def family(self) -> str:
        """Model family of the answers."""
        ...

    @property
    def model(self) -> str:
        """The provider's name of the model, for requests."""
        ...

    def ask(self, request: Request, labels: Labels) -> Reply:
        """The reply. Raises ModelFailure, BudgetExhausted. Safe to use from several threads."""
        ...


class Client(Protocol):
    """One provider and one account. Safe to use from several threads."""

    @property
    def spec(self) -> str:
        """The spec string it was made from, without any secret."""
        ...

    @property
    def family(self) -> str:
        """Who trained the model (`claude`, `gpt`, `deepseek`, ...): two families err differently, one family errs alike."""
        ...

    @property
    def account(self) -> str:
        """Identity of provider and key for limits shared by all lanes: never the key itself."""
        ...

    def close(self) -> None:
        """Give back what it holds; it is not used afterwards."""
        ...

    def send(self, request: Request, *, deadline_s: float) -> Reply:
        """One attempt, no retry. Raises ModelFailure; returns only answers with an explicit end."""
        ...
