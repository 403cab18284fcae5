import contextlib
import json
import logging
import os
import shutil
import sys

log = logging.getLogger(__name__)


def save(path, record):
    try:
        path.write_text(json.dumps(record), encoding="utf-8")
    except Exception:  # expect: swallowed-write-error
        pass


def store(connection, rows):
    try:
        connection.executemany("INSERT INTO t VALUES (?)", rows)
        connection.commit()
    except Exception:  # expect: swallowed-write-error
        pass


def publish(source, target):
    with contextlib.suppress(OSError):  # expect: swallowed-write-error
        shutil.copyfile(source, target)


def save_logged(path, record):
    try:
        path.write_text(json.dumps(record), encoding="utf-8")
    except OSError:
        log.exception("not saved")


def save_narrow(path, record):
    try:
        path.write_text(json.dumps(record), encoding="utf-8")
    except FileNotFoundError:
        pass


def save_hint(path, record):
    try:
        path.write_text(json.dumps(record), encoding="utf-8")
    except OSError:
        # the hint is rebuilt at the next start
        pass


def say(text):
    try:
        sys.stdout.write(text)
    except OSError:
        pass


def write_cache(path, record):
    try:
        path.write_text(json.dumps(record), encoding="utf-8")
    except OSError:  # expect: swallowed-write-error UNCERTAIN
        pass


def replace(source, target):
    """Put source in place if possible."""
    try:
        os.replace(source, target)
    except OSError:  # expect: swallowed-write-error DISMISSED
        pass
