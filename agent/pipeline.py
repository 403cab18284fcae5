"""The stages of a report, in order: scan, explore, figures, gap, draft, reflect, bib, compile. Each is a durable step.

What comes after the draft is named by the text it works on, so that a continued session repeats what has changed and nothing
else. Trouble of a provider before there is a draft stops the run; after that the report is finished with what there is, and
the run is incomplete.
"""

from pathlib import Path
from typing import NamedTuple

from agent.checks import unread
from agent.citations import Cited, closed
from agent.desk import Desk
from agent.draft import Drafted, draft, find_gaps
from agent.drafts.offline import Draft, Drawn, draw_figures, offline_draft
from agent.explore import Explored, explore
from agent.material import Gap, Material
from agent.mend import Mended, Mender
from agent.reading import FileReader, Plotter, Reading, read_folder
from agent.records import Change, Compiled, Figure, Quantity
from agent.reflect import Reflection, Round
from agent.skeleton import skeleton, with_appendix
from agent.tex.compile import compile_report
from agent.tex.repair import mend as mend_by_rules
from agent.tex.sanitise import sanitise
from agent.toolbox import Toolbox
from harness.errors import Bug, IncompleteError
from harness.files import sha256, write_atomic
from harness.llm.fence import nonce_for
from harness.schema.base import Record

MAIN, BIBLIOGRAPHY = "report.tex", "references.bib"


class Made(NamedTuple):
    """A report, as far as it came."""

    tex: str
    """The document."""
    bib: str
    """The bibliography, '' for none."""
    reading: Reading
    """What stands in the folder."""
    explored: Explored
    """What was made of it."""
    gaps: tuple[Gap, ...]
    """What it does not hold."""
    figures: tuple[Figure, ...]
    """What was drawn."""
    quantities: tuple[Quantity, ...]
    """Numbers that the text may print."""
    drafted: Drafted | None
    """The model's draft, or why there is none; None offline."""
    rounds: tuple[Round, ...]
    """Reflection."""
    unknown_keys: tuple[str, ...]
    """Citations that were taken out."""
    changes: tuple[Change, ...]
    """What the sanitiser changed."""
    mended: Mended | None
    """None when nothing was compiled."""
    reasons: tuple[str, ...]
    """Why it is incomplete."""

    @property
    def by_model(self) -> bool:
        """Whether a model wrote the text."""
        return self.drafted is not None and bool(self.drafted.tex)


class _Gaps(Record):
    gaps: tuple[Gap, ...]


class _Figures(Record):
    figures: tuple[Figure, ...]
    refused: dict[str, str]


def counted(count: int, noun: str) -> str:
    """`1 page`, `2 pages`."""
    return f"{count} {noun}{'s' * (count != 1)}"


def make(desk: Desk) -> Made:
    """Every stage. Raises ModelFailure, BudgetExhausted, SandboxUnavailable, JournalFailed, Interrupted."""
    return _Pipeline(desk).make()


class _Pipeline:
    def __init__(self, desk: Desk) -> None:
        self._desk = desk
        self._order = desk.order
        self._settings = desk.order.settings
        self._milestones = desk.milestones
        self._nonce = nonce_for(desk.order.material)
        self._reasons: list[str] = []

    def make(self) -> Made:
        self._scan()
        desk, settings = self._desk, self._settings
        reading = read_folder(desk.data, desk.scan, self._order.bibliography, settings, desk.sandbox)
        explored = self._explore(reading)
        drawn = self._figures(reading, explored)
        figures = (*explored.figures, *drawn.figures)
        ours = offline_draft(desk.scan, reading.readings, drawn, settings, reading.study)
        material = Material(explored.exploration, ours.quantities, figures, reading.sources, ())
        material = material._replace(gaps=self._gaps(material))
        drafted = self._draft(material)
        tex, rounds = self._reflect(drafted, ours, material)
        cited = self._bib(tex, reading)
        tidy = sanitise(cited.tex, desk.work)
        tex, mended = self._compile(tidy.text, by_model=bool(drafted and drafted.tex))
        return Made(
            tex=tex, bib=cited.bib, reading=reading, explored=explored, gaps=material.gaps, figures=figures,
            quantities=ours.quantities, drafted=drafted, rounds=rounds, unknown_keys=cited.unknown,
            changes=(*cited.changes, *tidy.changes),
            mended=mended, reasons=tuple(self._reasons),
        )  # fmt: skip

    def _scan(self) -> None:
        self._milestones.start("scan")
        scan = self._desk.scan
        read = sum(1 for f in scan.files if not f.problem)
        kinds = {kind: sum(1 for f in scan.files if f.kind == kind) for kind in sorted({f.kind for f in scan.files})}
        by_kind = ", ".join(f"{count} {kind}" for kind, count in kinds.items())
        self._milestones.done("scan", f"{counted(len(scan.files), 'file')} ({by_kind}), {read} without a problem")
        if not scan.complete:
            self._milestones.warn("the folder has more files or levels than are read")

    def _explore(self, reading: Reading) -> Explored:
        self._milestones.start("explore")
        askers = self._desk.askers
        if askers is None:
            explored = Explored(exploration=reading.summary, figures=(), requests=0)
        else:
            sandbox = self._desk.sandbox
            reader = FileReader(self._desk.data, sandbox)
            plotter = Plotter(reader, self._desk.work, sandbox) if self._settings.figures and sandbox else None
            toolbox = Toolbox(self._desk.data, self._desk.scan, reader, plotter)
            explored = self._desk.step(
                "explore", Explored,
                lambda: explore(askers.cheap, toolbox, self._desk.scan, self._settings, reading.summary, self._nonce),
            )  # fmt: skip
        if explored.exploration.stopped:
            self._milestones.warn(
                f"the exploration was cut: {explored.exploration.stopped}; drafting from what was read"
            )
        self._milestones.done(
            "explore",
            f"{counted(len(explored.exploration.texts), 'text')}, {counted(len(reading.readings.tables), 'table')}",
        )
        return explored

    def _figures(self, reading: Reading, explored: Explored) -> Drawn:
        """Figures of ours; those a model had drawn are there already."""
        if "figures" not in self._milestones:
            return Drawn((), {})
        self._milestones.start("figures")

        def draw() -> _Figures:
            made = draw_figures(reading.study, reading.readings, self._settings, self._desk.work, self._desk.sandbox)
            return _Figures(figures=made.figures, refused=dict(made.refused))

        own = self._desk.step("figures", _Figures, draw)
        for label, why in own.refused.items():
            self._milestones.warn(f"{label} was not drawn: {why}")
        self._milestones.done("figures", f"{len(own.figures) + len(explored.figures)} drawn")
        return Drawn(own.figures, own.refused)

    def _gaps(self, material: Material) -> tuple[Gap, ...]:
        askers = self._desk.askers
        if askers is None:
            return ()
        self._milestones.start("gap")
        skipped = [path for path, _ in unread(self._desk.scan, [t.path for t in material.exploration.texts])]
        found = self._desk.step(
            "gap", _Gaps,
            lambda: _Gaps(gaps=find_gaps(askers.cheap, material, self._settings, skipped, self._nonce)),
        ).gaps  # fmt: skip
        self._milestones.done("gap", f"{counted(len(found), 'thing')} the material does not hold")
        return found

    def _draft(self, material: Material) -> Drafted | None:
        self._milestones.start("draft")
        askers = self._desk.askers
        if askers is None:
            self._milestones.done("draft", "by rules, without a model")
            return None
        start = skeleton(self._settings, sources=bool(material.sources))
        made = self._desk.step(
            "draft", Drafted, lambda: draft(askers.main, material, self._settings, start, self._nonce)
        )  # fmt: skip
        if made.tex:
            self._milestones.done("draft", f"try {len(made.problems) + 1}")
        else:
            self._reasons.append(f"the model gave no usable draft in {len(made.problems)} tries ({made.problems[-1]})")
            self._milestones.warn(f"{self._reasons[-1]}: the draft is made by rules")
            self._milestones.done("draft", "by rules, because the model gave none")
        return made

    def _reflect(self, drafted: Drafted | None, ours: Draft, material: Material) -> tuple[str, tuple[Round, ...]]:
        """The text to go on with: the model's after reflection, else ours."""
        askers = self._desk.askers
        if askers is None or drafted is None or not drafted.tex:
            self._skip_reflection("nothing was drafted by a model")
            return ours.tex, ()
        tex = drafted.tex
        reflection = Reflection(askers.main, material, self._settings, self._nonce)
        rounds: list[Round] = []
        for number in range(1, self._settings.rounds + 1):
            stage = f"reflect {number}"
            self._milestones.start(stage)
            current = tex
            try:
                done = self._desk.step(
                    stage, Round, lambda: reflection.round(current, number, bib_empty=not material.sources)  # noqa: B023  # called at once
                )  # fmt: skip
            except IncompleteError as error:
                self._reasons.append(f"reflection stopped: {error}")
                self._milestones.warn(self._reasons[-1])
                self._skip_reflection("reflection stopped", since=number)
                break
            rounds.append(done)
            tex = done.tex
            decision = done.decision
            said = f"{decision.decision}: {decision.applied} applied, {len(decision.skipped)} skipped"
            self._milestones.done(stage, "; ".join([said, *decision.reasons]))
            if decision.decision != "accepted":
                self._skip_reflection(f"{decision.decision} in round {number}", since=number + 1)
                break
        if self._settings.appendix:
            tex = with_appendix(tex, ours.quantities, self._settings)
        return tex, tuple(rounds)

    def _skip_reflection(self, why: str, since: int = 1) -> None:
        for number in range(since, self._settings.rounds + 1):
            if (stage := f"reflect {number}") in self._milestones:
                self._milestones.skip(stage, why)

    def _bib(self, tex: str, reading: Reading) -> Cited:
        self._milestones.start("bib")
        for problem in reading.bib_problems:
            self._milestones.warn(f"not all of the bibliography can be used: {problem}")
        cited = closed(tex, reading.sources)
        if cited.unknown:
            self._milestones.warn(f"no source is known for {', '.join(cited.unknown)}: these citations were taken out")
        if cited.bib:
            write_atomic(self._desk.work / BIBLIOGRAPHY, cited.bib)
        self._milestones.done("bib", f"{counted(len(reading.sources), 'source')} may be cited")
        return cited

    def _compile(self, tex: str, *, by_model: bool) -> tuple[str, Mended | None]:
        work, sandbox, askers = self._desk.work, self._desk.sandbox, self._desk.askers
        self._write(tex)
        if "compile" not in self._milestones:
            return tex, None
        if sandbox is None:
            raise Bug("a PDF was planned without a sandbox")
        self._milestones.start("compile")

        def compiled(text: str, wall_s: float) -> Compiled:
            self._write(text)
            return compile_report(work, sandbox=sandbox, clock=self._desk.clock, wall_s=wall_s)

        def by_rules(text: str, wall_s: float) -> tuple[str, tuple[Change, ...]]:
            found = mend_by_rules(text, work, sandbox=sandbox, clock=self._desk.clock, wall_s=wall_s)
            return found.text, found.changes

        def mended(asker_allowed: bool) -> Mended:
            return Mender(
                compiled, by_rules, self._desk.clock, wall_s=self._settings.compile_wall_s,
                asker=askers.main if askers and by_model and asker_allowed else None, settings=self._settings,
                nonce=self._nonce, tell=self._milestones.working,
            ).mend(tex)  # fmt: skip

        step = f"compile {sha256(tex)[:16]}"
        try:
            made = self._desk.step(step, Mended, lambda: mended(True))
        except IncompleteError as error:
            # Nothing is stored, so that a continued session asks for the repair again.
            self._reasons.append(f"repairing stopped: {error}")
            made = mended(False)
        self._write(made.tex)
        if made.compiled.ok:
            self._milestones.done("compile", counted(made.compiled.pages, "page"))
        else:
            self._reasons.append(made.stopped or "it does not compile")
            self._milestones.warn(self._reasons[-1])
            self._milestones.done("compile", "no PDF: the zip has the source, the check list the errors")
        return made.tex, made

    def _write(self, tex: str) -> None:
        write_atomic(Path(self._desk.work) / MAIN, tex)
