"""The model auditor: cuts the revision into units, has each read with tools, and turns the answers into claims."""
