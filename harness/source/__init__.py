"""Source code as checks and verifiers see it: parsed modules, names resolved, an index of the project. Nothing is executed."""
