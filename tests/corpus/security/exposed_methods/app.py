"""CherryPy hands the fields of a request to an exposed method as arguments."""

import ast

import cherrypy


class Rules:
    def run(self, rule):
        return eval(rule)  # expect: code-injection

    def read(self, rule):
        return ast.literal_eval(rule)


rules = Rules()


class App:
    @cherrypy.expose
    def check(self, rule):
        def inner(text):
            return rules.run(text)

        return str(len(inner(rule)))

    @cherrypy.expose
    def look(self, rule):
        return str(len(rules.read(rule)))

    def internal(self, rule):
        return eval("1 + 1")
