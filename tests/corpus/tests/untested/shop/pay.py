class PayError(Exception):
    pass


class QuotaExceeded(PayError):
    pass


class Refused(Exception):
    pass


class Unknown(Exception):
    pass


def settle(account, amount):  # expect: unmentioned-public-function
    if amount <= 0:
        raise Unknown("the amount is not positive at all")  # expect: unasserted-error-path DISMISSED
    for part in account.parts:
        if part.locked:
            raise QuotaExceeded(part)  # expect: unasserted-error-path
    return amount


def close(account):
    if account.open:
        for part in account.parts:
            if part.locked:
                raise Refused(part)
    return checked(account)


def checked(account):  # expect: unmentioned-public-function DISMISSED
    if account is None:
        return None
    for part in account.parts:
        if part.locked and part.open:
            return part
    return account


def visit_account(account):  # expect: unmentioned-public-function UNCERTAIN
    if account is None:
        return None
    for part in account.parts:
        if part.locked and part.open:
            return part
    return account


def simple(account):
    return account.parts
