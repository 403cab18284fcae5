import subprocess
import sys


def run(tool):
    subprocess.run([sys.executable, tool], env={"MODE": "fast"}, check=True)  # expect: bare-environment DISMISSED
