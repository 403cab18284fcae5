"""Many threads in one process, with the pool's promises."""

import os
import threading
import time
from pathlib import Path

from pydantic import JsonValue

from harness.crew import Crew
from harness.workers import Task, Work


def sleepy() -> Work:
    def work(payload: JsonValue) -> JsonValue:
        time.sleep(0.3)
        if payload == "bad":
            raise ValueError("no")
        return [payload, threading.current_thread().name != "MainThread"]

    return work


def test_tasks_wait_together() -> None:
    started = time.monotonic()
    with Crew(sleepy, width=20, monotonic=time.monotonic) as crew:
        outcomes = {o.task.id: o for o in crew.run([Task(str(n), n) for n in range(20)] + [Task("bad", "bad")])}
    assert time.monotonic() - started < 3
    assert outcomes["7"].value == [7, True]
    assert outcomes["bad"].error == "no"
    assert len(outcomes) == 21


def test_a_poison_task_is_given_up_after_three_tries_and_the_rest_is_done(tmp_path: Path) -> None:
    def make() -> Work:
        def work(payload: JsonValue) -> JsonValue:
            with (tmp_path / str(payload)).open("a") as log:
                log.write("x")
            if payload == "poison":
                os._exit(9)
            return payload

        return work

    with Crew(make, width=1, monotonic=time.monotonic) as crew:
        outcomes = {o.task.id: o for o in crew.run([Task("a", "a"), Task("poison", "poison"), Task("b", "b")])}
    assert outcomes["poison"].crashed
    assert (outcomes["a"].value, outcomes["b"].value) == ("a", "b")
    assert (tmp_path / "poison").read_text() == "xxx"


def test_a_late_task_fails_and_the_others_finish() -> None:
    def make() -> Work:
        def work(payload: JsonValue) -> JsonValue:
            time.sleep(60 if payload == "late" else 0.05)
            return payload

        return work

    with Crew(make, width=4, monotonic=time.monotonic) as crew:
        tasks = [Task("late", "late", seconds=0.5), *(Task(str(n), n, seconds=30) for n in range(6))]
        outcomes = {o.task.id: o for o in crew.run(tasks)}
    assert outcomes["late"].error == "took more than 0.5 s"
    assert [outcomes[str(n)].value for n in range(6)] == list(range(6))


def test_leaving_the_loop_ends_the_process() -> None:
    with Crew(sleepy, width=2, monotonic=time.monotonic) as crew:
        for _ in crew.run([Task("1", 1), Task("2", 2), Task("3", 3)]):
            pid = crew._process.pid if crew._process else 0
            break
    assert pid
    assert not Path(f"/proc/{pid}").exists()


def test_a_poison_task_does_not_take_its_neighbours_along() -> None:
    def make() -> Work:
        def work(payload: JsonValue) -> JsonValue:
            if payload == "poison":
                os._exit(9)
            time.sleep(0.3)
            return payload

        return work

    with Crew(make, width=8, monotonic=time.monotonic) as crew:
        tasks = [Task("poison", "poison"), *(Task(str(n), n) for n in range(7))]
        outcomes = {o.task.id: o for o in crew.run(tasks)}
    assert outcomes["poison"].crashed
    assert [outcomes[str(n)].value for n in range(7)] == list(range(7))


def test_a_crew_that_cannot_start_says_why() -> None:
    def make() -> Work:
        raise ValueError("no broker")

    with Crew(make, width=2, monotonic=time.monotonic) as crew:
        outcomes = list(crew.run([Task("1", 1), Task("2", 2)]))
    assert [o.error for o in outcomes] == ["no broker", "no broker"]
    assert not any(o.crashed for o in outcomes)
