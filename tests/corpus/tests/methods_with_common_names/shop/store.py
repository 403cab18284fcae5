class Store:
    def append(self, record):  # expect: unmentioned-public-function
        if record is None:
            return
        for part in record:
            if part.open:
                part.close()


class Shelf:
    def insert(self, record):  # expect: unmentioned-public-function UNCERTAIN
        if record is None:
            return
        for part in record:
            if part.open:
                part.close()


class Box:
    def extend(self, record):  # expect: unmentioned-public-function DISMISSED
        if record is None:
            return
        for part in record:
            if part.open:
                part.close()


class Crate(Box):
    def extend_twice(self, record):
        self.discard(record)

    def discard(self, record):  # expect: unmentioned-public-function UNCERTAIN
        if record is None:
            return
        for part in record:
            if part.open:
                part.close()


class Pile:
    def pop(self, record):  # expect: unmentioned-public-function DISMISSED
        if record is None:
            return
        for part in record:
            if part.open:
                part.close()

    def lift(self, record):
        self.pop(record)
