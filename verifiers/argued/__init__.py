"""The model falsifier (V4) and its panel (V5): an independent, blind reader that must quote the code that decides."""
