def allowed(user, mode):
    if user.role in ("admin"):  # expect: substring-membership
        return True
    if user.role in ("admin",):
        return True
    if user.role not in ("guest"):  # expect: substring-membership
        return False
    if mode in ("rwx"):  # expect: substring-membership UNCERTAIN
        return True
    if mode in "rwx":
        return True
    return "admin" in ("administrator")  # expect: substring-membership DISMISSED
