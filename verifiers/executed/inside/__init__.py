"""What runs inside the sandbox beside the code under test. Standard library only; imported by nothing outside.

`judge` starts the worker and alone can report; the worker (`taint`, `race`) imports the project, drives it and observes.
"""
