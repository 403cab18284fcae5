"""Data flow from untrusted input to dangerous calls, across functions and modules.

`flow` reads one function and writes down, without its tree, what goes where; `summaries` joins these notes over the
project; `check` turns source-to-sink chains into claims. `sources` and `sinks` are the tables. It raises broadly.
"""
