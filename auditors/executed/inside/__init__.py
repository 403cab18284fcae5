"""What runs in the sandbox beside code of the project: standard library only, for Python 3.8 and newer."""
