"""The command line: one module a command, loaded only when it is called; the only place that knows exit codes of errors."""
