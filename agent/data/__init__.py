"""Numbers with their origin: statistics, series, fits, and the check that nothing else is printed."""
