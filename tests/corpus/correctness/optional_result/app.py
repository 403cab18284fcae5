def find_user(users, key):
    for user in users:
        if user.key == key:
            return user
    return None


def name_of(users, key):
    user = find_user(users, key)
    if user is None:
        return ""
    return user.name


def mail_of(users, key):
    user = find_user(users, key)
    return user.mail if user else ""


def exists(users, key):
    return find_user(users, key) is not None


def known(users, key):
    if user := find_user(users, key):
        return user.name
    return ""


def age_of(users, key):
    return find_user(users, key).age  # expect: unchecked-optional-result


def admin_of(users):
    admin = find_user(users, "admin")
    return admin.name  # expect: unchecked-optional-result UNCERTAIN
