class Second:
    def stop(self, job):
        entry = self.jobs.get(job.id)
        self.log(job.id)  # expect: near-clone-divergence
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
        self.write(name, text)  # expect: near-clone-divergence
        self.count = self.count + len(lines)
        return name
