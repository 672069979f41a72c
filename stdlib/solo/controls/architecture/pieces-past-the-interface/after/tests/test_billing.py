from shop import billing, orders


def test_bill():
    order = orders.place("Ada", [("pen", 2, 150)])
    assert billing.bill(order) == "Ada owes 3.00 for 2 pieces"


def test_number_of_pieces():
    order = orders.place("Ada", [("pen", 2, 150), ("ink", 1, 400)])
    assert billing.bill(order).endswith("for 3 pieces")
