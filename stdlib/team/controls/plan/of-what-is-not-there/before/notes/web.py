"""Answers requests with what the store holds."""

PAGE = 50


def list_notes(store):
    """Return the text of the answer to GET /notes."""
    return "\n".join(store.all()[:PAGE])
