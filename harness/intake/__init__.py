"""Findings made elsewhere: SARIF of any tool, or our own JSON report, become claims about the revision at hand."""
