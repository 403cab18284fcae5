class Third:
    def export(self, rows, path):
        name = self.name_of(path)
        lines = [self.line(row) for row in rows]
        text = self.join(lines)
        self.log(name)
        self.write(name, text, encoding="utf-8")
        self.count = self.count + len(lines)
        return name
