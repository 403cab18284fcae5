"""The report agent: a folder of unknown data in, a LaTeX report out, every number traceable."""
