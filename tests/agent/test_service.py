"""The report service over HTTP: who may come in, what it takes, one run at a time, events that survive a reconnect."""

import io
import zipfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import httpx
import pytest

from tests.support.model_server import Answer, Seen, model_server
from tests.support.report_service import Service, service
from tests.support.report_writer import BIB, FINISH, Writer

FILES = {
    "iv.csv": b"U (V),I (mA)\n1,2\n2,4\n3,6\n",
    "sub/notes.md": b"We measured a current.\n",
    "\u6570\u636e/\u6e29\u5ea6.csv": b"T (K),R\n1,2\n2,3\n3,5\n",
}


@pytest.fixture(scope="module")
def running(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    with service(tmp_path_factory.mktemp("service")) as found:
        yield found


def test_a_folder_becomes_a_report_and_its_events_can_be_read_again(running: Service) -> None:
    id_ = running.new(FILES)
    assert running.start(id_).status_code == 200
    events = running.events(id_)
    kinds = [data["kind"] for _, name, data in events if not name]
    assert (kinds[0], kinds[-1]) == ("planned", "ended")
    told = [data for _, name, data in events if not name]
    assert len({data["total"] for data in told}) == 1
    assert told[-1]["percent"] == 100
    assert all(data["percent"] < 100 for data in told[:-1])
    assert (events[-1][1], events[-1][2]["status"]) == ("rest", "complete")
    middle = len(events) // 2
    assert running.events(id_, events[middle][0]) == events[middle + 1 :]
    assert running.events(id_, "nonsense") == events
    archive = zipfile.ZipFile(io.BytesIO(running.client.get(f"/api/reports/{id_}/files/report.zip").content))
    assert "report.tex" in archive.namelist()
    pdf = running.client.get(f"/api/reports/{id_}/files/report.pdf")
    assert (pdf.headers["content-type"], pdf.content[:4]) == ("application/pdf", b"%PDF")


def test_two_starts_at_once_are_one_run_and_a_conflict(running: Service) -> None:
    id_ = running.new(FILES)
    with ThreadPoolExecutor(8) as pool:
        codes = sorted(pool.map(lambda _: running.start(id_).status_code, range(8)))
    assert codes == [200, *[409] * 7]
    assert running.client.put(f"/api/reports/{id_}/files?path=late.csv", content=b"1").status_code == 409
    running.events(id_)
    assert running.start(id_).status_code == 200
    running.events(id_)


@pytest.mark.parametrize(
    "path",
    ["../x", "/etc/passwd", "a/../../x", "a//b", "", ".", "a\\b", "a\0b", "a\nb", "C:/x", "d/" * 30 + "x", "x" * 300],
)
def test_a_name_that_leads_elsewhere_is_refused(running: Service, path: str) -> None:
    id_ = running.new({})
    answer = running.client.put(f"/api/reports/{id_}/files", params={"path": path}, content=b"x")
    assert (answer.status_code, running.client.get(f"/api/reports/{id_}").json()["uploaded"]) == (400, 0)


def test_a_file_in_the_place_of_a_folder_is_refused_and_nothing_else_changes(running: Service) -> None:
    id_ = running.new({"a": b"1"})
    assert running.client.put(f"/api/reports/{id_}/files?path=a/b", content=b"x").status_code == 400
    assert running.client.get(f"/api/reports/{id_}").json()["uploaded"] == 1


def test_too_many_bytes_are_refused_and_not_kept(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio
    from collections.abc import AsyncIterator

    from agent.service import uploads

    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    monkeypatch.setattr(uploads, "MOST_FILES", 2)

    async def body(*pieces: bytes) -> AsyncIterator[bytes]:
        for piece in pieces:
            yield piece

    (tmp_path / "data").mkdir()
    taken = uploads.Uploads(tmp_path / "data")
    asyncio.run(taken.take("a", body(b"12345")))
    with pytest.raises(uploads.Refused, match="MiB in all"):
        asyncio.run(taken.take("b", body(b"1234", b"56")))
    asyncio.run(taken.take("a", body(b"1234567890")))
    asyncio.run(taken.take("c", body()))
    with pytest.raises(uploads.Refused, match="more than 2 files"):
        asyncio.run(taken.take("d", body()))
    assert sorted(p.name for p in tmp_path.rglob("*") if p.is_file()) == ["a", "c"]
    assert (tmp_path / "data" / "a").read_bytes() == b"1234567890"


def test_files_that_are_sent_at_once_share_one_bound(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    import asyncio
    from collections.abc import AsyncIterator

    from agent.service import uploads

    monkeypatch.setattr(uploads, "MOST_BYTES", 10)
    monkeypatch.setattr(uploads, "MOST_FILES", 3)
    (tmp_path / "data").mkdir()
    taken = uploads.Uploads(tmp_path / "data")

    async def body(size: int) -> AsyncIterator[bytes]:
        for _ in range(size):
            await asyncio.sleep(0)
            yield b"x"

    async def together(*sizes: int) -> list[object]:
        tasks = (taken.take(f"{i}", body(size)) for i, size in enumerate(sizes))
        return await asyncio.gather(*tasks, return_exceptions=True)

    refused = [r for r in asyncio.run(together(6, 6)) if isinstance(r, uploads.Refused)]
    assert len(refused) == 1
    assert sum(p.stat().st_size for p in (tmp_path / "data").iterdir()) == 6
    refused = [r for r in asyncio.run(together(1, 1, 1, 1)) if isinstance(r, uploads.Refused)]
    assert [r.status for r in refused] == [413]
    assert len(list((tmp_path / "data").iterdir())) == 3
    assert sorted(p.name for p in tmp_path.iterdir()) == ["data"]


def test_a_service_that_is_killed_in_mid_report_finds_it_again(tmp_path: Path) -> None:
    with service(tmp_path) as first:
        id_ = first.new(FILES, name="ohm")
        assert first.start(id_).status_code == 200
        assert [data["kind"] for _, _, data in first.events(id_, most=2)] == ["planned", "started"]
        first.process.kill()
        first.process.wait(60)
    with service(tmp_path) as second:
        (listed,) = second.client.get("/api/about").json()["reports"]
        assert (listed["id"], listed["name"], listed["uploaded"]) == (id_, "ohm", 3)
        assert second.start(id_).status_code == (409 if listed["status"] == "running" else 200)
        events = second.events(id_)
        assert (events[0][2]["kind"], events[-1][2]["status"]) == ("planned", "complete")
        assert second.events(id_) == events
        assert second.client.get(f"/api/reports/{id_}/files/report.pdf").content.startswith(b"%PDF")


@pytest.mark.parametrize("method", ["GET", "POST"])
@pytest.mark.parametrize(
    ("headers", "code"),
    [
        ({"host": "evil.example"}, 421),
        ({"host": "127.0.0.1.evil.example"}, 421),
        ({"origin": "http://evil.example"}, 403),
        ({"origin": "null"}, 403),
        ({"sec-fetch-site": "cross-site"}, 403),
        ({"cookie": "harness-report=x"}, 403),
    ],
)
def test_who_is_not_our_page_stays_out(running: Service, method: str, headers: dict[str, str], code: int) -> None:
    answer = running.client.request(method, "/api/reports", headers=headers, json={"name": "x"})
    if method == "GET":
        answer = running.client.get("/api/about", headers=headers)
    assert answer.status_code == code


def test_without_the_token_nobody_comes_in(running: Service) -> None:
    with httpx.Client(base_url=running.origin, trust_env=False) as stranger:
        assert stranger.get("/").status_code == 403
        assert stranger.get("/?token=wrong").status_code == 403
        assert stranger.get("/api/about").status_code == 403


def test_nothing_can_be_loaded_from_elsewhere(running: Service) -> None:
    answer = running.client.get("/")
    policy = answer.headers["content-security-policy"]
    assert "default-src 'none'" in policy
    assert "unsafe" not in policy
    assert answer.headers["x-content-type-options"] == "nosniff"


@pytest.mark.parametrize(
    "wish", [{"template": "../../etc"}, {"rounds": 99}, {"language": "xx"}, {"model": True}, {"output": "/tmp"}]
)
def test_the_page_chooses_among_what_is_offered(running: Service, wish: dict[str, object]) -> None:
    id_ = running.new(FILES)
    assert running.start(id_, **wish).status_code in (400, 422)
    assert running.client.get(f"/api/reports/{id_}").json()["status"] == "new"


@pytest.mark.parametrize("name", ["..%2freport.json", "journal.db", "%2e%2e"])
def test_only_results_can_be_fetched(running: Service, name: str) -> None:
    id_ = running.new(FILES)
    assert running.client.get(f"/api/reports/{id_}/files/{name}").status_code == 404


def test_a_run_that_cannot_begin_says_why(running: Service) -> None:
    id_ = running.new({"nothing.csv": b""})
    assert running.start(id_).status_code == 200
    ((_, name, rest),) = running.events(id_)
    assert (name, rest["status"]) == ("rest", "stopped")
    assert "holds nothing that can be read" in rest["reason"]


def test_an_empty_folder_is_not_started(running: Service) -> None:
    assert running.start(running.new({})).status_code == 400


def test_a_folder_of_this_machine_with_a_model_that_is_stopped_and_goes_on(tmp_path: Path) -> None:
    data = tmp_path / "ohm"
    data.mkdir()
    (data / "iv.csv").write_bytes(FILES["iv.csv"])
    (data / "refs.bib").write_text(BIB)
    writer = Writer(explore=[Answer(tool_calls=[FINISH])])
    slow = [Answer(text="{}", delay_s=30.0)]

    def play(seen: Seen) -> Answer:
        answer = writer(seen)
        return slow[0] if slow and writer.asked[-1] == "gap" else answer

    with (
        model_server(play) as server,
        service(tmp_path, "ohm", "-o", "out", "--model", f"openai:m@{server.url}/v1") as found,
    ):
        assert found.start("local", model=True, rounds=1, compile=False).status_code == 200
        reached = [data["stage"] for _, _, data in found.events("local", most=8)]
        assert "gap" in reached
        stopped = found.client.post("/api/reports/local/stop").json()
        assert stopped["status"] == "incomplete"
        slow.clear()
        assert found.start("local", model=True, rounds=1, compile=False).status_code == 200
        events = found.events("local")
    assert events[-1][2]["status"] == "complete"
    assert writer.count("explore") == 1
    assert (tmp_path / "out" / "report.tex").is_file()
    assert sorted(p.name for p in data.iterdir()) == ["iv.csv", "refs.bib"]
    kept = [p for p in (tmp_path / "state").rglob("*") if p.is_file()] + list((tmp_path / "out").iterdir())
    assert not any(b"sk-canary" in p.read_bytes() for p in kept if p.is_file())
