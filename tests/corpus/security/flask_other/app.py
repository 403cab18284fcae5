import base64
import json
import pickle
import xml.dom.minidom
import xml.sax
import xml.sax.handler

import elementpath
import ldap3
import lxml.etree
import yaml
from flask import Flask, request
from ldap3.utils.conv import escape_filter_chars

app = Flask(__name__)


@app.route("/load", methods=["POST"])
def load():
    pickle.loads(base64.b64decode(request.form["state"]))  # expect: unsafe-deserialization
    return "done"


@app.route("/load-json", methods=["POST"])
def load_json():
    json.loads(request.form["state"])
    return "done"


@app.route("/yaml", methods=["POST"])
def load_yaml():
    yaml.load(request.data, Loader=yaml.Loader)  # expect: unsafe-deserialization
    return "done"


@app.route("/yaml-safe", methods=["POST"])
def load_yaml_safe():
    yaml.load(request.data, Loader=yaml.SafeLoader)  # expect: unsafe-deserialization DISMISSED
    return "done"


@app.route("/xpath")
def xpath():
    root = lxml.etree.parse("users.xml")
    root.xpath("//user[@id='" + request.args["id"] + "']")  # expect: xpath-injection
    return "done"


@app.route("/xpath-variable")
def xpath_variable():
    root = lxml.etree.parse("users.xml")
    root.xpath("//user[@id=$id]", id=request.args["id"])
    return "done"


@app.route("/xpath-quote")
def xpath_quote():
    root = lxml.etree.parse("users.xml")
    wanted = request.args["id"]
    if "'" in wanted:
        return "no", 400
    elementpath.select(root, f"//user[@id='{wanted}']")  # expect: xpath-injection DISMISSED
    return "done"


@app.route("/ldap")
def ldap():
    connection = ldap3.Connection("server")
    connection.search("ou=users", f"(uid={request.args['uid']})")  # expect: ldap-injection
    return "done"


@app.route("/ldap-escaped")
def ldap_escaped():
    connection = ldap3.Connection("server")
    connection.search("ou=users", f"(uid={escape_filter_chars(request.args['uid'])})")
    return "done"


@app.route("/xml", methods=["POST"])
def entities():
    parser = xml.sax.make_parser()
    parser.setFeature(xml.sax.handler.feature_external_ges, True)
    xml.dom.minidom.parseString(request.data, parser)  # expect: xml-external-entity
    return "done"


@app.route("/xml-plain", methods=["POST"])
def no_entities():
    xml.dom.minidom.parseString(request.data)  # expect: xml-external-entity DISMISSED
    return "done"


@app.route("/whole-body", methods=["POST"])
def whole_body():
    pickle.loads(request.get_data())  # expect: unsafe-deserialization
    return "done"


@app.route("/json-field", methods=["POST"])
def json_field():
    state = request.get_json()["state"]
    pickle.loads(base64.b64decode(state))  # expect: unsafe-deserialization
    return "done"
