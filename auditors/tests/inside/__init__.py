"""What runs in the sandbox beside the project's tests. Imported there only, never by us."""
