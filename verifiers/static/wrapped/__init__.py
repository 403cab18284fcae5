"""Falsifiers for claims of wrapped analysers: another method for each kind. A kind without one stays UNCERTAIN."""

from verifiers.static.ruling import Falsifier
from verifiers.static.wrapped import compiled, dead, deceptive, errors, formats, in_tests, names, secrets, state
from verifiers.static.wrapped.calls import CALLS
from verifiers.static.wrapped.library import LIBRARY
from verifiers.static.wrapped.meaning import MEANING
from verifiers.static.wrapped.raising import RAISING

_PERCENT = ("F501", "F502", "F503", "F505", "F506", "F507", "F508", "F509", "PLE1300", "PLE1307")
_BRACES = ("F521", "F523", "F524", "F525")
_COMPILER = ("F701", "F702", "F704", "F706", "F707", "PLE0115", "PLE0117", "PLE0118", "PLE1142", "PLE1700")
_RETURNS = ("PLE0303", "PLE0304", "PLE0305", "PLE0307", "PLE0308", "PLE0309")
_SECRETS = (
    "aws-key", "azure-key", "basic-auth", "discord-token", "github-token", "gitlab-token", "jwt", "keyword", "mailchimp-key",
    "npm-token", "openai-token", "private-key", "pypi-token", "sendgrid-key", "slack-token", "stripe-key", "telegram-token",
    "twilio-key",
)  # fmt: skip

FALSIFIERS: dict[str, Falsifier] = {
    **{f"ruff:{code}": formats.percent for code in _PERCENT},
    **{f"ruff:{code}": formats.braces for code in _BRACES},
    **{f"ruff:{code}": compiled.falsify for code in _COMPILER},
    **{f"ruff:{code}": errors.return_type for code in _RETURNS},
    **{f"detect-secrets:{kind}": secrets.known_form for kind in _SECRETS},
    **MEANING,
    **RAISING,
    **LIBRARY,
    **CALLS,
    "bandit:B613": deceptive.reordered,
    "ruff:F811": names.redefined,
    "ruff:F821": names.undefined,
    "ruff:F822": names.unexported,
    "ruff:F823": names.unbound_local,
    "ruff:B006": state.shared_default,
    "ruff:PLE1205": formats.log_call,
    "ruff:PLE1206": formats.log_call,
    "ruff:PLE0302": errors.signature,
    "ruff:PLE1519": errors.dispatch,
    "ruff:PLE1520": errors.dispatch,
    "ruff:LOG014": errors.no_exception,
    "ruff:S110": errors.swallowed,
    "ruff:S105": secrets.in_python,
    "ruff:S106": secrets.in_python,
    "ruff:S107": secrets.in_python,
    "ruff:PLW0129": in_tests.text_asserted,
    "ruff:PT012": in_tests.after_the_raise,
    "ruff:PT014": in_tests.same_case,
    "ruff:PT025": in_tests.mark_on_fixture,
    "vulture:unused-private": dead.unused_private,
    "vulture:unreachable": dead.unreachable,
}
