"""The page in a real browser: drop a folder, follow the milestones, read the result; also on a phone and in the dark."""

from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.support.browser import Browser, chromium
from tests.support.report_service import Service, service

pytestmark = pytest.mark.skipif(chromium() is None, reason="no Chromium here")
SHOWN = "!document.querySelector('#result').hidden"
STATUS = "document.querySelector('#status').textContent"


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    root = tmp_path_factory.mktemp("page")
    (root / "温度" / "sub").mkdir(parents=True)
    (root / "温度" / "iv.csv").write_text("U (V),I (mA)\n1,2\n2,4\n3,6\n")
    (root / "温度" / "sub" / "<img src=x onerror=alert(1)>.md").write_text("We measured a current.\n")
    return root


@pytest.fixture(scope="module")
def running(folder: Path) -> Iterator[Service]:
    with service(folder) as found:
        yield found


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    program = chromium()
    assert program is not None
    with Browser(program) as found:
        yield found


@pytest.fixture(scope="module")
def made(running: Service, browser: Browser, folder: Path) -> Service:
    """A report that was made with the page alone."""
    browser.open(running.address)
    browser.wait("document.querySelector('#limits').textContent")
    browser.drop("#drop", folder / "温度")
    browser.wait("document.querySelector('#name').textContent === '温度'")
    assert browser.run("document.querySelector('#sending').textContent") == "2 of 2 files were taken."
    assert browser.run("document.activeElement.id") == "start"
    browser.press("Enter")
    browser.wait(f"{STATUS} === 'complete' && {SHOWN}")
    return running


def test_a_dropped_folder_becomes_a_report_and_nothing_comes_from_elsewhere(made: Service, browser: Browser) -> None:
    marks = browser.run("[...document.querySelectorAll('#milestones li')].map(li => [li.dataset.stage, li.className])")
    assert [stage for stage, _ in marks][:2] == ["scan", "explore"]
    assert {state for _, state in marks} == {"done"}
    assert browser.run("document.querySelector('#bar').value") == 100
    assert browser.run("document.querySelector('iframe').src").startswith(made.origin)
    assert browser.messages() == []
    assert [r for r in browser.requests() if not r.startswith((made.origin, "chrome-extension:", "data:"))] == []


def test_log_and_check_list_are_read_with_the_keyboard(made: Service, browser: Browser) -> None:
    browser.open(made.address)
    browser.wait(SHOWN)
    browser.run("document.querySelector('[role=tab]').focus()")
    browser.press("ArrowRight")
    assert "Check list" in browser.wait("document.querySelector('#panel pre')?.textContent")
    browser.press("ArrowRight")
    assert browser.wait("document.querySelector('#panel pre')?.textContent.includes('XeTeX')")
    assert browser.run("document.activeElement.getAttribute('aria-selected')") == "true"
    unnamed = "[...document.querySelectorAll('button, input, select, a')].filter(e => !e.textContent.trim() && !e.labels?.length)"
    assert browser.run(f"{unnamed}.length") == 0


def test_what_is_hidden_is_hidden(made: Service, browser: Browser) -> None:
    browser.open(made.address)
    browser.wait(SHOWN)
    shown = "id => document.getElementById(id).getClientRects().length > 0"
    assert browser.run(f"['stop', 'model-choice', 'rounds-choice', 'welcome', 'error'].some({shown})") is False


def test_a_page_that_was_away_reads_on_where_it_was(made: Service, browser: Browser) -> None:
    browser.open(made.address)
    browser.wait(SHOWN)
    browser.run("document.querySelector('#start').click()")
    browser.wait("document.querySelectorAll('#milestones .done').length > 0")
    browser.open(made.address)
    browser.wait(f"{STATUS} === 'complete' && {SHOWN}")
    states = browser.run("[...document.querySelectorAll('#milestones li')].map(li => li.className)")
    assert set(states) == {"done"}


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_it_fits_a_phone_and_can_be_read_in_either_light(made: Service, browser: Browser, scheme: str) -> None:
    browser.open(made.address, width=390, height=844, phone=True, scheme=scheme)
    browser.wait(SHOWN)
    assert browser.run("document.documentElement.scrollWidth") <= 390
    assert browser.run("document.querySelector('#panel a').textContent") == "Open the PDF"
    small = (
        "[...document.querySelectorAll('button, .row a')].filter(e => e.getClientRects().length && e.offsetHeight < 40)"
    )
    assert browser.run(f"{small}.length") == 0
    ink = browser.run("getComputedStyle(document.body).color")
    back = browser.run("getComputedStyle(document.body).backgroundColor")
    assert contrast(ink, back) > 7


def contrast(one: str, other: str) -> float:
    """Ratio of luminances, WCAG 2.2."""

    def luminance(color: str) -> float:
        parts = [int(part) / 255 for part in color[color.index("(") + 1 : -1].split(",")[:3]]
        linear = [c / 12.92 if c <= 0.04045 else ((c + 0.055) / 1.055) ** 2.4 for c in parts]
        return 0.2126 * linear[0] + 0.7152 * linear[1] + 0.0722 * linear[2]

    low, high = sorted((luminance(one), luminance(other)))
    return (high + 0.05) / (low + 0.05)
