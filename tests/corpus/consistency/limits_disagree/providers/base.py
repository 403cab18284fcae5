class Provider:
    def complete(self, prompt):
        raise NotImplementedError

    def stream(self, prompt):
        raise NotImplementedError
