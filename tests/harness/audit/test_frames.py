import ast

from harness.audit.frames import AROUND, CLIP, illustrate
from harness.audit.line_hash import line_hashes
from harness.schema.evidence import Evidence, Tier
from harness.schema.location import Location
from tests.harness.audit.test_fingerprint import RULE
from tests.support.corpus import finding_of
from tests.support.trees import project_of

TEXT = "import os\n\n\n\ndef run(name):\n    os.system(name)\n    return 1\n"


def finding_in(project):
    module = project.module("a.py")
    call = module.nodes(ast.Call)[0]
    source = module.related("source", module.tree.body[0])
    return finding_of(module.claim(RULE, call, scenario="s", fix="f", related=(source,)))


def test_carries_the_lines_around_and_the_hash(tmp_path):
    project = project_of(tmp_path, {"a.py": TEXT})
    (found,) = illustrate([finding_in(project)], project)
    own, source = found.frames
    assert own.line == 6 - AROUND
    assert own.text(6) == "    os.system(name)"
    assert own.text(99) is None
    assert source.text(1) == "import os"
    assert found.line_hash == line_hashes(TEXT)[5]


def test_gives_deciding_places_of_evidence_a_line(tmp_path):
    project = project_of(tmp_path, {"a.py": TEXT, "b.py": "guard = 1\n"})
    at = Location(path="b.py", line=1, end_line=1)
    proof = Evidence(tier=Tier.E3, kind="guard", summary="s", locations=(at,))
    (found,) = illustrate([finding_in(project).model_copy(update={"evidence": (proof,)})], project)
    assert found.frames[-1].lines == ("guard = 1",)


def test_clips_long_lines_and_leaves_out_what_is_not_there(tmp_path):
    project = project_of(tmp_path, {"a.py": TEXT.replace("return 1", "return '" + "1" * 5000 + "'")})
    gone = finding_in(project).model_copy(update={"path": "gone.py"})
    whole, missing = illustrate([finding_in(project), gone], project)
    assert max(map(len, whole.frames[0].lines)) == CLIP
    assert [f.path for f in missing.frames] == ["a.py"]
    assert missing.line_hash == ""


def test_shows_nothing_of_a_secret(tmp_path):
    project = project_of(tmp_path, {"a.py": TEXT, "key.pem": "-----BEGIN\nsecret\n-----END\n"})
    masked = {"facts": {"masked": "true"}}
    one = finding_in(project).model_copy(update={**masked, "quote": "os.system("})
    key = one.model_copy(update={"path": "key.pem", "line": 1, "end_line": 3, "quote": "-----BEGIN", "related": ()})
    other = finding_in(project).model_copy(update={"line": 7, "end_line": 7})
    own, block, beside = illustrate([one, key, other], project)
    assert own.frames[0].text(6) == "    os.system( …"
    assert block.frames[0].lines[:2] == ("-----BEGIN", " …")
    assert beside.frames[0].text(6) == "    os.system( …"
