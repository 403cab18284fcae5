"""Reviews a change: audits both sides of it, keeps what the change causes, and lets the project's own tests speak."""
