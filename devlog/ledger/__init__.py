"""The ledger of a project: what its record says, counted, each figure with its accounting basis."""
