import os


def client():
    """Return what a call of the billing service needs."""
    return {"url": "https://billing.example.com"}
