def _find_compiler(name: str) -> str: ...  # expect: vulture:unused-private DISMISSED
