"""Orders of the shop.

Other packages use what __all__ lists, and nothing else."""

__all__ = ["Order", "place", "total"]


class Order:
    """What one customer wants."""

    def __init__(self, customer, lines):
        self.customer = customer
        self._lines = list(lines)


def place(customer, lines):
    """Return a new order of (article, count, price) lines."""
    return Order(customer, lines)


def total(order):
    """Return what an order costs, in cents."""
    return sum(count * price for _, count, price in order._lines)
