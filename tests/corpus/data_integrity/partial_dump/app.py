import json
from datetime import datetime, timezone
from pathlib import Path


def save(path, names):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"at": datetime.now(timezone.utc), "names": names}, stream)  # expect: partial-dump


def save_set(path, names):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"names": {name for name in names}}, stream)  # expect: partial-dump


def save_text(path, names):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"at": datetime.now(timezone.utc).isoformat(), "names": sorted(set(names))}, stream)  # expect: partial-dump DISMISSED


def save_default(path, names):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"at": datetime.now(timezone.utc), "home": Path(path)}, stream, default=str)


def save_plain(path, names):
    with open(path, "w", encoding="utf-8") as stream:
        json.dump({"names": names}, stream)
