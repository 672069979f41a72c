"""Orders of the shop.

Which of these names other packages may use is said in decision 7 of the shop's
architecture records."""


class Order:
    """What one customer wants."""

    def __init__(self, customer, lines):
        self.customer = customer
        self.rows = list(lines)


def place(customer, lines):
    """Return a new order of (article, count, price) lines."""
    return Order(customer, lines)


def total(order):
    """Return what an order costs, in cents."""
    return sum(count * price for _, count, price in order.rows)
