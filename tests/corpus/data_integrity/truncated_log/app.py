import json
from pathlib import Path

JOURNAL = Path("journal.jsonl")
AUDIT_LOG = "audit.log"
REPORT = "report.txt"


def record(event):
    with open(JOURNAL, "w", encoding="utf-8") as stream:  # expect: truncated-log
        stream.write(json.dumps(event))


def record_right(event):
    with open(AUDIT_LOG, "a", encoding="utf-8") as stream:
        stream.write(json.dumps(event))


def add_note(event):
    with open(AUDIT_LOG, "w", encoding="utf-8") as stream:  # expect: truncated-log
        stream.write(json.dumps(event))


def rotate():
    with open(AUDIT_LOG, "w", encoding="utf-8"):  # expect: truncated-log DISMISSED
        pass


def summary(event):
    with open(AUDIT_LOG, "w", encoding="utf-8") as stream:  # expect: truncated-log UNCERTAIN
        stream.write(json.dumps(event))


def report(text):
    with open(REPORT, "w", encoding="utf-8") as stream:
        stream.write(text)
