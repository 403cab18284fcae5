from providers.base import Provider


class Second(Provider):
    def complete(self, prompt):
        return self.client.create(prompt=prompt, max_tokens=64000)

    def stream(self, prompt):
        with self.client.stream(prompt=prompt, max_tokens=64000) as events:
            yield from events
