"""Bills for orders."""

from shop import orders

__all__ = ["bill"]


def bill(order):
    """Return the text of the bill for an order."""
    return f"{order.customer} owes {orders.total(order) / 100:.2f}"
