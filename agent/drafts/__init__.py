"""The draft that needs no model: what the folder holds, its tables, statistics, plots and fits, in plain words."""
