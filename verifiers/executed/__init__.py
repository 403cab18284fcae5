"""The executed falsifier (V3): builds a reproducer, runs it and its negative control in the sandbox.

`verifier` has the table of templates: `taint`, `race`, `command`, `mutant`. `trial` is the boundary, `inside` what runs
beyond it. It confirms with E4 or leaves the claim open; it never dismisses.
"""
