"""Which job a run is, by its order: an audit, a review, or a gate."""

from harness.audit.order import Order
from harness.cli.conduct import AUDIT, Job, Shown, present
from harness.cli.verdict import GATE
from harness.review import runner
from harness.schema.run import Report
from harness.state import RunFolder


def _show_review(report: Report, order: Order, folder: RunFolder, shown: Shown) -> int:
    return present(report, order, shown, folder)


REVIEW = Job(runner.run, _show_review)


def job_of(order: Order) -> Job:
    """The job."""
    if order.change is None:
        return AUDIT
    return GATE if order.change.gate else REVIEW
