import sqlite3


class Bank:
    def __init__(self, path):
        self.db = sqlite3.connect(path)
        self.auto = sqlite3.connect(path, isolation_level=None)

    def transfer(self, a, b, n):
        self.db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
        self.db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))
        self.db.commit()  # expect: partial-transaction

    def transfer_right(self, a, b, n):
        with self.db:
            self.db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
            self.db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))

    def transfer_back(self, a, b, n):
        try:
            self.db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
            self.db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))
            self.db.commit()
        except sqlite3.Error:
            self.db.rollback()
            raise

    def transfer_auto(self, a, b, n):
        self.auto.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
        self.auto.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))
        self.auto.commit()  # expect: partial-transaction DISMISSED


def once(path, a, b, n):
    db = sqlite3.connect(path)
    try:
        db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
        db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))
        db.commit()  # expect: partial-transaction DISMISSED
    finally:
        db.close()


def given(db, a, b, n):
    db.execute("UPDATE account SET balance = balance - ? WHERE id = ?", (n, a))
    db.execute("UPDATE account SET balance = balance + ? WHERE id = ?", (n, b))
    db.commit()  # expect: partial-transaction UNCERTAIN
