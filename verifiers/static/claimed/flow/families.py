"""What each CWE is about: the calls that do it, the calls that might, and the calls that only look like it."""

import re
from typing import NamedTuple

_HTTP = r"(?:requests|httpx|urllib|urllib2|urllib3|aiohttp|pycurl|http\.client)"


class Family(NamedTuple):
    """One kind of operation."""

    sink: str
    """Sink kind by which an arriving value is judged."""
    does: str
    """What the operation does, for people: `runs a command`."""
    calls: str
    """Regular expression of resolved names of the calls that do it; `?.name` for a method of an unknown object."""
    maybe: str
    """Regular expression of last names of calls that may do it, where more is not known."""
    twins: str = r"(?!)"
    """Regular expression of resolved names of calls that `maybe` fits, or that stand beside it, and that do not do it."""

    def is_done_by(self, name: str) -> bool:
        """Whether a call of this resolved name does it."""
        return re.fullmatch(self.calls, name) is not None

    def may_be_done_by(self, name: str) -> bool:
        """Whether a call of this resolved name may do it: asked before anything is said to be absent."""
        last = name.rpartition(".")[2]
        return not self.is_twin(name) and re.fullmatch(self.maybe, last, re.IGNORECASE) is not None

    def is_twin(self, name: str) -> bool:
        """Whether a call of this resolved name only looks like it."""
        return re.fullmatch(self.twins, name) is not None


COMMAND = Family(
    "command", "runs a command",
    r"os\.(?:system|popen|spawn\w+|exec[lv]\w*|posix_spawnp?|startfile)|commands\.\w+|popen2\.\w+|pty\.spawn"
    r"|subprocess\.(?:run|call|Popen|check_call|check_output|getoutput|getstatusoutput)"
    r"|asyncio\.create_subprocess_\w+|\?\.exec_command",
    r"system|popen\w*|\w*spawn\w*|exec[lv]\w*|exec_command|call|check_call|check_output|get(?:status)?output|run\w*|\w*subprocess\w*"
    r"|\w*shell\w*|sudo|local|ba?sh|\w*command\w*|\w*cmd\w*|startfile|process|invoke|eval|exec|loads?|import_module|apply_async",
    twins=r"(?:.*\.)?(?:json|simplejson|ujson|toml|tomllib)\.loads?|platform\.system|asyncio\.run",
)  # fmt: skip
CODE = Family(
    "code", "runs text as code",
    r"(?:builtins\.)?(?:eval|exec|compile)|PIL\.ImageMath\.(?:unsafe_)?eval|(?:pandas|numexpr)\.(?:eval|evaluate)"
    r"|code\.\w+\.(?:runsource|runcode|push)|timeit\.(?:timeit|repeat)",
    r"\w*eval\w*|exec\w*|compile|\w*import\w*|from_string|\w*template\w*|\w*render\w*|run\w*|runpy|\w*load\w*|write\w*|dump\w*|call"
    r"|system|popen\w*|check_output|timeit",
    twins=r"re\.compile|(?:.*\.)?(?:json|simplejson|ujson|toml|tomllib)\.(?:loads?|dumps?)|flask\.render_template"
    r"|django\.shortcuts\.render|(?:.*\.)?\w+Loader",
)  # fmt: skip
TEMPLATE = Family(
    "template", "compiles text as a template",
    r"(?:flask|quart)\.render_template_string|jinja2\.(?:\w+\.)*Template|mako\.template\.Template|django\.template\.Template"
    r"|(?:.*\.)?from_string",
    CODE.maybe, CODE.twins,
)  # fmt: skip
PATH = Family(
    "path", "opens or changes a file",
    r"(?:builtins\.|io\.|codecs\.|aiofiles\.)?open|os\.(?:remove|unlink|rename|replace|mkdir|makedirs|rmdir|removedirs|listdir|scandir|open)"
    r"|shutil\.\w+|(?:aio)?sqlite3?\.connect|(?:tarfile|zipfile|bz2|gzip|lzma)\.\w+(?:\.open)?|(?:.*\.)?(?:send_file|FileResponse|StreamingFileResponse)"
    r"|\?\.(?:read_text|read_bytes|write_text|write_bytes)|pathlib\.\w+\.(?:open|read_\w+|write_\w+|unlink|rmdir|mkdir)",
    r"\w*open\w*|\w*files?|\w*file_\w*|\w*(?:path|dir|folder)\w*|\w*(?:unlink|remove|rename|move|copy|extract|upload|download|storage)\w*"
    r"|rmtree|send\w*|read_\w+|readlink|write_\w+|load\w*|save\w*|\w*render\w*|\w*template\w*|static|FileResponse",
    twins=r"os\.path\.\w+|posixpath\.\w+|ntpath\.\w+|(?:flask|quart)\.render_template|django\.shortcuts\.render"
    r"|(?:.*\.)?json\.loads|(?:flask|quart)\.send_from_directory",
)  # fmt: skip
LOADS = Family(
    "deserialization", "rebuilds objects from bytes or text",
    r"(?:_?c?[pP]ickle|dill|cloudpickle|jsonpickle)\.(?:loads?|Unpickler|decode)|marshal\.loads?|shelve\.\w+|joblib\.load"
    r"|pandas\.read_pickle|yaml\.(?:unsafe_|full_)?load(?:_all)?|torch\.load",
    r"\w*load\w*|\w*unpickl\w*|\w*deserial\w*|\w*unmarshal\w*|restore\w*|\w*pickle\w*|shelve|decode_object|get_decoded",
    twins=r"(?:.*\.)?(?:json|simplejson|ujson|toml|tomllib)\.(?:loads?|dumps?)"
    r"|(?:_?c?[pP]ickle|dill|cloudpickle|marshal|yaml|joblib|jsonpickle)\.(?:dumps?|dump_all|safe_dump|Pickler|encode)"
    r"|yaml\.(?:safe|base)_load(?:_all)?",
)  # fmt: skip
XML = Family(
    "xxe", "parses XML",
    r"lxml\.(?:etree|objectify)\.(?:parse|fromstring|XML|iterparse|fromstringlist)|xml\.sax\.(?:parse|parseString)"
    r"|xml\.dom\.\w+\.(?:parse|parseString)|xml\.etree\.\w+\.(?:parse|fromstring|XML|iterparse|fromstringlist)",
    r"\w*pars\w*|\w*xml\w*|from_?string\w*|sax|\w*soup\w*|\w*xsl\w*|feed|\w*etree\w*|\w*svg\w*|load\w*|read\w*|\w*docx?\w*",
    twins=r"argparse\.\w+|\?\.parse_args|(?:.*\.)?json\.loads?|urllib\.parse\.\w+|datetime\.\w+",
)  # fmt: skip
XPATH = Family(
    "xpath", "looks something up in a document by a path expression",
    r"lxml\.etree\.(?:XPath|ETXPath)|elementpath\.(?:select|iter_select)|\?\.xpath",
    r"\w*xpath\w*|\w*find\w*|select\w*|query\w*|evaluate|search",
)  # fmt: skip
REQUEST = Family(
    "ssrf", "asks another server",
    rf"{_HTTP}\.(?:\w+\.)*(?:get|post|put|patch|delete|head|options|request|stream|urlopen|urlretrieve|Request|HTTPS?Connection)",
    r"\w*request\w*|\w*urlopen\w*|urlretrieve|\w*fetch\w*|\w*download\w*|\w*connect\w*|\w*session\w*|\w*client\w*|\w*http\w*"
    r"|\w*ur[li]\w*|socket\w*|send\w*|\w*proxy\w*|post|put|patch|head|options|run|call|check_output|popen|system|perform|parse|open"
    r"|query|resolve",
    twins=r"(?:builtins\.|io\.|codecs\.)?open|(?:flask|quart)\.(?:url_for|send_file|send_from_directory)|django\.\w+\.\w+"
    r"|urllib\.parse\.\w+",
)  # fmt: skip
PATTERN = Family(
    "pattern", "matches a regular expression",
    r"(?:re|regex)\.(?:match|search|fullmatch|findall|finditer|split|subn?)"
    r"|\?\.(?:match|search|fullmatch|findall|finditer|subn?)",
    r"match\w*|\w*search\w*|fullmatch|findall|finditer|subn?|compile|\w*regex\w*|\w*pattern\w*|\w*valid\w*|\w*filter\w*",
    twins=r"(?:.*\.)?filter(?:_by)?",
)  # fmt: skip

FAMILIES: dict[int, tuple[Family, ...]] = {
    77: (COMMAND,), 78: (COMMAND,), 88: (COMMAND,),
    94: (CODE, TEMPLATE), 95: (CODE,),
    22: (PATH,), 23: (PATH,), 36: (PATH,), 73: (PATH,),
    502: (LOADS,), 611: (XML,), 643: (XPATH,), 91: (XPATH,), 918: (REQUEST,),
    1333: (PATTERN,), 400: (PATTERN,),
}  # fmt: skip
"""By CWE. A template is code (1336 is a child of 94), XPath is a child of XML injection (643, 91), and a pattern that
backtracks is a use of resources without bound (1333, 407, 405, 400)."""
BROAD = frozenset({400, 91})
"""CWEs that hold more than their operations here: that none of these is there says nothing."""
