class Job:
    def __init__(self):
        self.status = "waiting"

    def start(self):
        self.status = "running"

    def finish(self):
        self.status = "finished"


def stop(job):
    if job.status == "runing":  # expect: unproduced-literal
        job.finish()


def busy(job):
    return job.status in ("running", "waiting")


def colour(theme):
    theme.colour = input()
    theme.colour = "green"
    return theme.colour == "greem"  # expect: unproduced-literal UNCERTAIN


def format_of(name):
    kind = "number"
    return kind == "numbers"  # expect: unproduced-literal DISMISSED
