"""Numbers for sample data are no secrets, and a digest that a standard asks for is no choice."""

import hashlib
import random


def samples(session, Record, releases):
    for n in range(3):
        session.add(
            Record(
                aliases=[f"CVE-2024-{random.randint(1000, 9999)}"],  # expect: weak-randomness UNCERTAIN
                fixed=[f"{random.randint(1, 9)}.0"],  # expect: weak-randomness UNCERTAIN
            )
        )


def totp(secret):
    """One-time passwords as RFC 6238 wants them, with SHA-1."""
    return hashlib.sha1(secret).hexdigest()  # expect: weak-hash UNCERTAIN
