"""Keeps notes in memory."""


class Store:
    def __init__(self):
        self._notes = []

    def add(self, text):
        """Keep a note and return its number."""
        self._notes.append(text)
        return len(self._notes) - 1

    def all(self):
        """Return all notes, the newest first."""
        return list(reversed(self._notes))
