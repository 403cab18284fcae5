import contextlib
import sqlite3


def note(path, text):
    connection = sqlite3.connect(path)
    try:
        connection.execute("INSERT INTO note VALUES (?)", (text,))  # expect: missing-commit
    finally:
        connection.close()


def note_cursor(path, text):
    connection = sqlite3.connect(path)
    cursor = connection.cursor()
    try:
        cursor.execute("INSERT INTO note VALUES (?)", (text,))  # expect: missing-commit
    finally:
        connection.close()


def note_right(path, text):
    connection = sqlite3.connect(path)
    try:
        connection.execute("INSERT INTO note VALUES (?)", (text,))
        connection.commit()
    finally:
        connection.close()


def note_with(path, text):
    connection = sqlite3.connect(path)
    try:
        with connection:
            connection.execute("INSERT INTO note VALUES (?)", (text,))  # expect: missing-commit DISMISSED
    finally:
        connection.close()


def note_auto(path, text):
    connection = sqlite3.connect(path, isolation_level=None)
    try:
        connection.execute("INSERT INTO note VALUES (?)", (text,))  # expect: missing-commit DISMISSED
    finally:
        connection.close()


def note_open(path, text):
    connection = sqlite3.connect(path)
    connection.execute("INSERT INTO note VALUES (?)", (text,))  # expect: missing-commit UNCERTAIN
    return connection


def rows(path):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute("SELECT * FROM note").fetchall()
