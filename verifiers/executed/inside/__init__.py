"""What runs inside the sandbox beside the code under test. Standard library only, for Python 3.8 and newer; imported by
nothing outside.

`judge` starts the worker and alone can report; the worker (`taint`, `race`) imports the project, drives it and observes.
"""
