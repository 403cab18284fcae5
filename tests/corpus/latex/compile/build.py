import subprocess
from pathlib import Path


def build(title, folder):
    (folder / "report.tex").write_text("\\title{" + title + "}\\begin{document}\\maketitle See \\cite{knuth}.\\end{document}")
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-shell-escape", "report.tex"], cwd=folder, timeout=60)  # expect: tex-shell-escape
    return folder / "report.pdf"


def build_fixed(folder):
    # The document is our own, and minted needs it.
    subprocess.run(["pdflatex", "-interaction=nonstopmode", "-shell-escape", "manual.tex"], cwd=folder, timeout=60)  # expect: tex-shell-escape DISMISSED


def by_default(folder):
    subprocess.run(["xelatex", "-interaction=batchmode", "report.tex"], cwd=folder, timeout=60)  # expect: tex-shell-escape UNCERTAIN


def forbidden(folder):
    subprocess.run(["xelatex", "-interaction=batchmode", "-no-shell-escape", "report.tex"], cwd=folder, timeout=60)


def waits(folder):
    return subprocess.run(["pdflatex", "-no-shell-escape", "report.tex"], cwd=folder, capture_output=True)  # expect: tex-unbounded


def at_a_terminal(folder):
    subprocess.run(["pdflatex", "-no-shell-escape", "report.tex"], cwd=folder)  # expect: tex-unbounded DISMISSED


def loops(text, folder):
    (folder / "report.tex").write_text(text)
    command = ["lualatex", "-no-shell-escape", "-interaction=nonstopmode", "report.tex"]
    subprocess.run(command, cwd=folder, capture_output=True)  # expect: tex-unbounded


def own_document(folder):
    command = ["lualatex", "-no-shell-escape", "-interaction=nonstopmode", "manual.tex"]
    subprocess.run(command, cwd=folder, capture_output=True)  # expect: tex-unbounded UNCERTAIN


def judged(folder):
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "report.tex"]
    done = subprocess.run(command, cwd=folder, timeout=60)  # expect: tex-return-code
    if done.returncode != 0:
        raise RuntimeError("it does not compile")
    return folder / "report.pdf"


def judged_by_the_log(folder):
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "report.tex"]
    done = subprocess.run(command, cwd=folder, timeout=60)
    log = (folder / "report.log").read_text()
    return done.returncode == 0 and "undefined" not in log


def read_elsewhere(folder):
    command = ["xelatex", "-no-shell-escape", "-interaction=nonstopmode", "report.tex"]
    subprocess.run(command, cwd=folder, timeout=60, check=True)  # expect: tex-return-code DISMISSED
    return troubles(folder)


def troubles(folder):
    return [line for line in Path(folder, "report.log").read_text().splitlines() if line.startswith("!")]
