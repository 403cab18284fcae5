"""The tools of the exploration: bounded answers, one guard for every path, complaints instead of exceptions."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import JsonValue

from agent.readers.reading import CLIP
from agent.reading import FileReader
from agent.scan import scan
from agent.toolbox import ENTRIES, FINISH, Toolbox


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("tools") / "data"
    (root / "sub").mkdir(parents=True)
    (root / "long.txt").write_text("".join(f"line {n}\n" for n in range(3000)))
    (root / "sub" / "iv.csv").write_text("U (V),I (mA)\n1,2\n2,4\n3,6\n")
    (root / "empty.txt").write_text("")
    (root.parent / "secret.txt").write_text("the secret")
    (root / "out.txt").symlink_to(root.parent / "secret.txt")
    (root / "loop").symlink_to(root / "loop")
    (root / "inside.csv").symlink_to(root / "sub" / "iv.csv")
    return root


@pytest.fixture
def toolbox(folder: Path) -> Toolbox:
    return Toolbox(folder, scan(folder), FileReader(folder, None), None)


def test_a_long_file_is_read_in_pages_that_join_to_the_whole(toolbox: Toolbox, folder: Path) -> None:
    whole = (folder / "long.txt").read_text()
    first = toolbox.read_file({"path": "long.txt"})
    assert f"continue with offset={CLIP}" in first
    second = toolbox.read_file({"path": "./long.txt", "offset": CLIP, "limit": 10**9})
    pages = [page.partition("\n")[2].split("\n[characters")[0] for page in (first, second)]
    assert "".join(pages) == whole[: 2 * CLIP]


@pytest.mark.parametrize(
    "path",
    [
        "../secret.txt",
        "sub/../../secret.txt",
        "/etc/passwd",
        "out.txt",
        "loop",
        "a\0b",
        "",
        None,
        5,
        ["x"],
        "~",
        "\\x2e\\x2e/secret.txt",
    ],
)
def test_an_escape_is_an_error_string(toolbox: Toolbox, path: JsonValue) -> None:
    for call in (toolbox.read_file, toolbox.read_image, toolbox.list_dir):
        said = call({"path": path})
        assert said.startswith("error: ")
        assert "the secret" not in said
    assert toolbox.make_figure({"code": "x", "inputs": [path], "caption": "c"}).startswith("error: ")


def test_a_link_inside_the_folder_is_the_file_it_names(toolbox: Toolbox) -> None:
    assert "1,2" in toolbox.read_file({"path": "inside.csv"})


@given(st.recursive(st.none() | st.booleans() | st.integers() | st.floats() | st.text(), st.lists, max_leaves=5))
def test_no_argument_makes_a_tool_raise(folder: Path, value: JsonValue) -> None:
    toolbox = Toolbox(folder, scan(folder), FileReader(folder, None), None)
    for function in toolbox.functions().values():
        names = function.tool.parameters["properties"]
        assert isinstance(names, dict)
        assert isinstance(function.call(dict.fromkeys(names, value)), str)
        assert isinstance(function.call({"path": "long.txt", "offset": value, "limit": value}), str)


def test_a_folder_is_listed_with_kinds_sizes_and_reasons(toolbox: Toolbox) -> None:
    listed = toolbox.list_dir({})
    assert "sub/" in listed
    assert "empty.txt  document, 0 bytes, empty" in listed
    assert "iv.csv  data, 25 bytes" in toolbox.list_dir({"path": "sub"})


def test_a_large_folder_is_listed_in_parts(tmp_path: Path) -> None:
    for number in range(ENTRIES + 5):
        (tmp_path / f"{number:04}.txt").write_text("x")
    toolbox = Toolbox(tmp_path, scan(tmp_path), FileReader(tmp_path, None), None)
    assert f"[5 more: offset={ENTRIES}]" in toolbox.list_dir({})
    assert len(toolbox.list_dir({"offset": ENTRIES}).splitlines()) == 5


@pytest.mark.parametrize(
    ("left_out", "complaint"),
    [("experiment", "experiment and goal"), ("goal", "goal"), ("key_findings", "key_findings")],
)
def test_an_end_without_what_it_needs_is_refused(toolbox: Toolbox, left_out: str, complaint: str) -> None:
    said: dict[str, JsonValue] = {"experiment": "e", "goal": "g", "key_findings": ["f"]}
    assert complaint in toolbox.finish({**said, left_out: ""})
    assert toolbox.finished is None
    assert toolbox.finish({**said, "reference_report": "../secret.txt"}) == "kept"
    assert toolbox.finished is not None
    assert toolbox.finished.reference_report == ""


@pytest.mark.parametrize("name", [".env", "id_rsa", "server.pem"])
def test_credentials_are_shown_to_no_model(tmp_path: Path, name: str) -> None:
    (tmp_path / name).write_text("U (V),I\n1,2\n2,4\n3,6\nSECRET=abc\n")
    toolbox = Toolbox(tmp_path, scan(tmp_path), FileReader(tmp_path, None), None)
    said = toolbox.read_file({"path": name})
    assert (said.startswith("error: "), "abc" in said) == (True, False)
    assert toolbox.texts == {}


def test_without_a_sandbox_no_figure_is_offered(toolbox: Toolbox) -> None:
    assert set(toolbox.functions()) == {"list_dir", "read_file", "read_image", FINISH}
