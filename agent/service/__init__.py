"""The report agent as a page on this machine: drop a folder, follow the milestones, read the PDF."""
