import json

import falcon


class Rule:
    def on_post(self, req, resp):
        body = json.loads(req.stream.read())
        resp.media = eval(body["rule"], {})  # expect: code-injection

    def on_get(self, req, resp):
        known = {"a": 1}
        resp.media = known.get(req.get_param("rule"))


app = falcon.App()
app.add_route("/rule", Rule())
