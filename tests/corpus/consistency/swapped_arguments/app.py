def resize(image, width, height):
    return image, width, height


class Account:
    def __init__(self, owner, currency):
        self.owner = owner
        self.currency = currency

    def transfer(self, source, target, amount):
        return source, target, amount

    def undo_transfer(self, source, target, amount):
        return self.transfer(target, source, amount)  # expect: swapped-arguments DISMISSED

    def refund(self, source, target, amount):
        return self.transfer(target, source, amount)  # expect: swapped-arguments DISMISSED

    def run(self, source, target):
        return self.transfer(target, source, 10)  # expect: swapped-arguments


def thumbnail(image, height, width):
    return resize(image, height, width)  # expect: swapped-arguments


def right(image, width, height):
    return resize(image, width, height)


def make(currency, owner):
    return Account(currency, owner)  # expect: swapped-arguments


def ordered(image, width, height):
    if width < height:
        return resize(image, height, width)  # expect: swapped-arguments UNCERTAIN
    return None


def joined_names(s, t):
    return [a if a == b else None for a, b in zip(s, t, strict=True)]


def joined(s, t):
    return joined_names(t, s)  # expect: swapped-arguments UNCERTAIN
