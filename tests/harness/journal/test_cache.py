import sqlite3
from datetime import timedelta

from harness.clock import FixedClock
from harness.journal.cache import Cache


def test_what_was_put_comes_back_in_another_run(tmp_path):
    cache = Cache(tmp_path / "c.db")
    cache.put([("a", {"x": 1}), ("b", [2])])
    cache.close()
    cache = Cache(tmp_path / "c.db")
    assert cache.get(["a", "b", "c"]) == {"a": {"x": 1}, "b": [2]}
    cache.close()


def test_a_damaged_entry_is_dropped_and_never_used(tmp_path):
    cache = Cache(tmp_path / "c.db")
    cache.put([("a", "CONFIRMED"), ("b", 2)])
    cache.close()
    with sqlite3.connect(tmp_path / "c.db") as connection:
        connection.execute("""UPDATE entries SET body='"DISMISSED"' WHERE key='a'""")
    connection.close()
    cache = Cache(tmp_path / "c.db")
    assert cache.get(["a", "b"]) == {"b": 2}
    assert cache._connection.execute("SELECT key FROM entries").fetchall() == [("b",)]
    cache.close()


def test_it_stays_within_its_bound_and_drops_what_was_used_longest_ago(tmp_path):
    clock = FixedClock()
    cache = Cache(tmp_path / "c.db", bound=250, clock=clock)
    for key in "abcd":
        cache.put([(key, "x" * 98)])
        clock.advance(timedelta(minutes=1).total_seconds())
    cache.get(["a"])
    cache.close()
    cache = Cache(tmp_path / "c.db", bound=250, clock=clock)
    assert sorted(cache.get("abcd")) == ["a", "d"]
    cache.close()


def test_a_cache_that_cannot_be_is_empty_and_says_why(tmp_path):
    (tmp_path / "c.db").mkdir()
    cache = Cache(tmp_path / "c.db")
    assert "unable to open" in cache.trouble
    cache.put([("a", 1)])
    assert cache.get(["a"]) == {}
    cache.close()
