import os
import sqlite3
import subprocess


def do_system(text):
    os.system("echo " + text)  # expect: command-injection


def do_list(text):
    subprocess.run(["echo", "--", text])


def other(text):
    os.system("echo " + text)


def with_cursor(function):
    function(sqlite3.connect("x.db").cursor())


def do_insert(text):
    statement = "INSERT INTO notes VALUES ('{}')".format(text)

    def insert(cursor):
        cursor.execute(statement)  # expect: sql-injection

    with_cursor(insert)


def do_insert_safe(text):
    def insert(cursor):
        cursor.execute("INSERT INTO notes VALUES (?)", (text,))

    with_cursor(insert)
