for _name in ("alpha", "beta"):
    globals()[_name] = _name.upper()


def uses():
    return alpha  # expect: ruff:F821 UNCERTAIN
