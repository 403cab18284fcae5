"""The static falsifier (V2): decides by reading code, with a witness, or says that it cannot tell."""
