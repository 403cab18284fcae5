import contextlib
import os
import socket
import sqlite3
import tempfile


def rows(path, query):
    connection = sqlite3.connect(path)  # expect: unclosed-resource
    found = connection.execute(query).fetchall()
    connection.close()
    return found


def ask(host):
    peer = socket.create_connection((host, 80))  # expect: unclosed-resource
    peer.sendall(b"?")
    answer = peer.recv(10)
    peer.close()
    return answer


def scratch(data):
    descriptor, name = tempfile.mkstemp()  # expect: unclosed-resource
    os.write(descriptor, data)
    return name


def write(path, produce):
    stream = open(path, "w")  # expect: unclosed-resource
    stream.write(produce())
    stream.close()


def read(path, parse):
    stream = open(path)  # expect: unclosed-resource UNCERTAIN
    text = parse(stream.read())
    stream.close()
    return text


def right(path, query):
    with contextlib.closing(sqlite3.connect(path)) as connection:
        return connection.execute(query).fetchall()


def by_hand(path, query):
    connection = sqlite3.connect(path)
    try:
        return connection.execute(query).fetchall()
    finally:
        connection.close()


def rescued(path, query):
    connection = sqlite3.connect(path)  # expect: unclosed-resource DISMISSED
    try:
        found = connection.execute(query).fetchall()
    except Exception:
        connection.close()
        raise
    connection.close()
    return found


def handed_on(path):
    connection = sqlite3.connect(path)
    return connection


def quiet(path):
    descriptor = os.open(path, os.O_RDONLY)  # expect: unclosed-resource DISMISSED
    os.close(descriptor)


def closure(path):
    connection = sqlite3.connect(path)  # expect: unclosed-resource DISMISSED

    def query(text):
        return connection.execute(text)

    return query


def lock(path):
    try:
        descriptor = os.open(path, os.O_CREAT | os.O_EXCL)  # expect: unclosed-resource DISMISSED
    except FileExistsError as error:
        raise OSError("taken") from error
    os.close(descriptor)


def lock_with_id(path):
    descriptor = os.open(path, os.O_CREAT)  # expect: unclosed-resource DISMISSED
    name = str(os.getpid()).encode()
    os.close(descriptor)
    return name
