"""Reports as people and machines read them: one module a format, chosen by name in `harness.render.formats`."""
