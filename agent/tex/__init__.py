"""LaTeX as text: escaped, compiled, diagnosed, repaired, cut into sections, compared. No model is asked anything here."""
