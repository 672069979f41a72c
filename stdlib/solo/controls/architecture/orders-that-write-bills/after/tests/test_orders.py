from shop import orders


def test_confirm():
    order = orders.place("Ada", [("pen", 2, 150)])
    assert orders.confirm(order) == "Confirmed: Ada owes 3.00"
