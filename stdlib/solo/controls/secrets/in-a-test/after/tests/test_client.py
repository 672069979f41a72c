from bills.client import client

API_KEY = "q7Zt4vXw9Lk2Rb8Nf3Hs6Jd1Gm5Yc0Pa"


def test_key():
    assert client()["key"] == API_KEY
