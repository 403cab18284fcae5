import flask


class Wrapped:
    def __init__(self, request: flask.Request):
        self.request = request

    def parameter(self, name):
        return self.request.args.get(name)

    def fixed(self, name):
        return "ls"
