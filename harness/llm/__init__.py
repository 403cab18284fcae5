"""Talking to models: what is asked, what comes back or why nothing does, what it cost. Importing this loads no SDK."""
