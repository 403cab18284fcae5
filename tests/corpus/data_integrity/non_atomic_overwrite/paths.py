import json
from pathlib import Path

LEDGER = Path("ledger.json")
SETTINGS = Path("settings.ini")


def entries():
    return json.loads(LEDGER.read_text(encoding="utf-8"))
