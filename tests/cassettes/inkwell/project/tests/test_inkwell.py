import pytest
from inkwell import api, digest
from inkwell.counter import Counter
from inkwell.store import Store


@pytest.fixture
def store(tmp_path):
    return Store(tmp_path)


def note(n, body="text"):
    return {"id": f"n{n}", "title": f"Note {n}", "body": body}


def test_create_and_view(store):
    api.create(store, "ann", note(1))
    assert "Note 1" in api.view(store, "ann", "n1")


def test_delete_needs_the_owner(store):
    api.create(store, "ann", note(2))
    with pytest.raises(api.Denied):
        api.delete(store, "bob", "n2")


def test_pages(store):
    for n in range(40):
        api.create(store, "ann", note(n + 100))
    assert api.page(store, "ann", 1)["pages"] == 2


def test_counter():
    counter = Counter()
    counter.read("a")
    counter.read_all(["a", "b"])
    assert counter.top(1) == ["a"]


def test_digest_reports_failures(store):
    def send(user, text):
        raise OSError

    assert digest.send_all(store, ["ann"], send, set()) == ["ann"]
