import time
import requests
from slow import pause, maybe_pause, quick


class Client:
    def load(self):
        return requests.get("https://example.org", timeout=3)

    async def run(self):
        return self.load()  # expect: blocking-call-in-async


async def main():
    pause()  # expect: blocking-call-in-async
    maybe_pause(False)  # expect: blocking-call-in-async UNCERTAIN
    quick()
    time.sleep(0)  # expect: blocking-call-in-async UNCERTAIN


async def replaced(pause):
    pause()  # expect: blocking-call-in-async DISMISSED
