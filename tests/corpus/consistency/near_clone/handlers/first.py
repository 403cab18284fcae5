class First:
    def stop(self, job):
        entry = self.jobs.get(job.id)
        if entry is None:
            return False
        self.log(job.id)
        entry.signal(job.kind)
        self.count = self.count + 1
        self.last = job.id
        self.save()
        return True

    def export(self, rows, path):
        name = self.name_of(path)
        lines = [self.line(row) for row in rows]
        text = self.join(lines)
        self.log(name)
        self.write(name, text, encoding="utf-8")
        self.count = self.count + len(lines)
        return name
