from shop import billing, orders


def test_bill():
    order = orders.place("Ada", [("pen", 2, 150)])
    assert billing.bill(order) == "Ada owes 3.00"
