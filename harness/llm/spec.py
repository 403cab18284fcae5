"""One string selects a backend: `anthropic:NAME`, `openai:NAME`, either with `@URL`, `replay:DIR`, `offline`.

Keys come from the environment, and only when a model was named: ANTHROPIC_API_KEY and OPENAI_API_KEY for the providers
themselves, HARNESS_API_KEY for any other URL, so that no provider's key is ever sent to somebody else's server.
"""

import os
import re
from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple
from urllib.parse import urlsplit

from harness.errors import UsageError
from harness.files import sha256
from harness.llm.client import Client
from harness.llm.replay import ReplayClient

PROVIDERS = ("anthropic", "openai")
_FORMS = "anthropic:NAME, openai:NAME, openai:NAME@URL, replay:DIR or offline"
_FAMILIES = {"chatgpt": "gpt", "o1": "gpt", "o3": "gpt", "o4": "gpt"}


class Spec(NamedTuple):
    """A parsed spec string."""

    backend: str
    """anthropic, openai, replay or offline."""
    name: str
    """Model, or folder of the recording; empty offline."""
    url: str | None = None
    """Base URL other than the provider's own."""

    def __str__(self) -> str:
        return self.backend + (f":{self.name}" if self.name else "") + (f"@{self.url}" if self.url else "")

    @property
    def price_key(self) -> str:
        """Key in the price table; a model at another URL is another product with an unknown price."""
        return str(self)

    @property
    def family(self) -> str:
        """Who trained the model, by its name: `claude`, `gpt`, `deepseek`, `qwen` ..."""
        word = re.match(r"[a-z]+\d?", self.name.rpartition("/")[2].lower())
        if word is None:
            return self.name
        return _FAMILIES.get(word[0], _FAMILIES.get(word[0].rstrip("0123456789"), word[0].rstrip("0123456789")))


def parse(text: str) -> Spec:
    """Raises UsageError with the known forms."""
    if text == "offline":
        return Spec("offline", "")
    backend, _, rest = text.partition(":")
    if backend == "replay" and rest:
        return Spec("replay", rest)
    name, _, url = rest.partition("@")
    if backend not in PROVIDERS or not name:
        raise UsageError(f"model {text!r} is not understood", hint=f"Write {_FORMS}.")
    if not url:
        return Spec(backend, name)
    parts = urlsplit(url)
    if parts.scheme not in {"http", "https"} or not parts.hostname:
        raise UsageError(f"model {text!r}: {url!r} is no http or https URL", hint=f"Write {_FORMS}.")
    if parts.username or parts.password or parts.query:
        raise UsageError(
            f"model {backend}:{name}: the URL must not hold credentials", hint="Put the key into HARNESS_API_KEY."
        )
    return Spec(backend, name, url)


def key_variable(spec: Spec) -> str:
    """The environment variable that holds the key."""
    return "HARNESS_API_KEY" if spec.url else f"{spec.backend.upper()}_API_KEY"


def require_key(spec: Spec, environ: Mapping[str, str], *, offline: str = "harness audit --offline") -> None:
    """Raises UsageError when the provider wants a key and there is none; `offline` is the same work without a model."""
    if spec.backend in PROVIDERS and not spec.url and not environ.get(key_variable(spec)):
        raise UsageError(
            f'model "{spec}" needs {key_variable(spec)}, which is not set.',
            hint=f"Set it, or run without a model: {offline}",
        )


def connect(spec: Spec, environ: Mapping[str, str] = os.environ, *, tier: str = "main") -> Client:
    """The client for a tier. Loads the SDK. Raises UsageError when a key is missing; ValueError for `offline`, which has none."""
    if spec.backend == "offline":
        raise ValueError("offline has no client")
    if spec.backend == "replay":
        return ReplayClient(Path(spec.name), tier)
    require_key(spec, environ)
    key = environ.get(key_variable(spec), "")
    account = sha256(f"{spec.backend}\0{spec.url}\0{key}")[:12]
    if spec.backend == "anthropic":
        from harness.llm.anthropic import AnthropicClient

        return AnthropicClient(
            spec=str(spec), family=spec.family, account=account, key=key or "none", base_url=spec.url
        )
    from harness.llm.openai import OpenAIClient

    return OpenAIClient(spec=str(spec), family=spec.family, account=account, key=key or "none", base_url=spec.url)
