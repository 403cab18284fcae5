"""Numbers that several modules agree on."""

MAX_NOTE_CHARACTERS = 64_000
SESSION_HOURS = 12
PAGE_SIZE = 20
