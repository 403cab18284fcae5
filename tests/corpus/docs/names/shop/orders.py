class Order:
    """An order."""

    def pay(self):
        self.paid = True


def cancel(order, reason, *, notify=True):  # expect: docstring-parameter
    """Cancel an order.

    Args:
        order: The order.
        why: What the customer said.
        notify: Whether to send a mail.
    """
    return order, reason, notify


def ship(order, carrier):
    """Ship an order.

    :param order: the order
    :param str carrier: who brings it
    """
    return order, carrier


def track(**query):
    """Track orders.

    Args:
        number: The number.
    """
    return query


def merge(first, second):  # expect: docstring-parameter
    """Merge two orders.

    Parameters
    ----------
    first : Order
        Stays.
    other : Order
        Goes.

    Returns
    -------
    order : Order
    """
    return first, second


def note(text):  # expect: docstring-parameter UNCERTAIN
    """Write a note.

    Args:
        level: Something about the log.
    """
    return text


def combine(*others, style=None):  # expect: docstring-parameter DISMISSED
    """Combine docstrings.

    :param style: how to write them.

    >>> print(combine(one, two))
    Both.
    <BLANKLINE>
    :param left: one
    """
    return others, style


def label(node, text):  # expect: docstring-parameter DISMISSED
    """Label a node.

    :param node: where.
    :param text str: what to write.
    """
    return node, text
