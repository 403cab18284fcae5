def access(level):
    if level != "user‮ ⁦":  # expect: bandit:B613
        return True
    return False
