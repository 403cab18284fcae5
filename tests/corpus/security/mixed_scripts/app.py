def allowed(user, is_аdmin=False):  # expect: mixed-script-identifier
    is_admin = user.admin
    return is_admin and not is_аdmin


def step(Δx, x):  # expect: mixed-script-identifier UNCERTAIN
    return Δx + x


def имя(текст):
    return текст
