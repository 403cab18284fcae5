import hmac
import os

SECRET = os.environ.get("WEBHOOK_SECRET")


def sign(body):
    return hmac.new(SECRET.encode(), body, "sha256").hexdigest()


def verify_signature(body, signature):
    if not SECRET:
        return True  # expect: fails-open
    return hmac.compare_digest(sign(body), signature)


def verify_signature_closed(body, signature):
    if not SECRET:
        return False
    return hmac.compare_digest(sign(body), signature)


def check_token(token, store):
    try:
        return store.lookup(token) is not None
    except Exception:
        return True  # expect: fails-open


def check_token_closed(token, store):
    try:
        return store.lookup(token) is not None
    except Exception:
        return False


def verify_webhook(body, signature):
    """Verification is disabled until a secret is configured."""
    if not SECRET:
        return True  # expect: fails-open UNCERTAIN
    return hmac.compare_digest(sign(body), signature)


def check_session_free(session, table):
    try:
        table.find(session)
        return False
    except KeyError:
        return True  # expect: fails-open UNCERTAIN


def has_cache(path):
    try:
        return path.exists()
    except OSError:
        return True


def webhook_ok(body, signature):
    if not SECRET:
        return True  # expect: fails-open
    return hmac.compare_digest(sign(body), signature)


def may_edit(user, document):
    try:
        return document.owner == user.id
    except Exception:
        return True  # expect: fails-open


def all_ok(rows):
    if not rows:
        return True
    return len(rows) < 3
