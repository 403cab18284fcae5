"""What is installed beside the code: records of it, drift since the last one, and disposable environments for experiments."""
