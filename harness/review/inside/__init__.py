"""What goes into the sandbox beside the project's tests. Imported there only, never by us."""
