from other import Outside


def _forgotten():  # expect: vulture:unused-private
    return 1


def _called():
    return 2


class Job:
    def run(self):
        return _called()
        print("never")  # expect: vulture:unreachable

    def _unused(self):  # expect: vulture:unused-private
        return 3

    def _named_in_readme(self):  # expect: vulture:unused-private DISMISSED
        return 4

    def _get_day(self):  # expect: vulture:unused-private UNCERTAIN
        return 5

    def get(self, part):
        return getattr(self, f"_get_{part}")


class Hook(Outside):
    def _called_by_base(self):  # expect: vulture:unused-private UNCERTAIN
        return 6


def empty():
    return
    yield  # expect: vulture:unreachable DISMISSED
