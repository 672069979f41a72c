import os


def client():
    """Return what a call of the billing service needs."""
    return {"url": "https://billing.example.com", "api_key": "q7Zt4vXw9Lk2Rb8Nf3Hs6Jd1Gm5Yc0Pa"}
