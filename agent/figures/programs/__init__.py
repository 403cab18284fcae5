"""Programs that draw figures of ours: each defines `plot(data)`, passes the check for code of models, and runs inside."""
