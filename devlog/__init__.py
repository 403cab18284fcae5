"""The diary of a project: one entry a conversation, append-only, for people to read and for programs to check."""
