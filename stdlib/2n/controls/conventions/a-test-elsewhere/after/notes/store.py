"""Keeps notes in memory."""

import logging

log = logging.getLogger(__name__)


class NotFound(Exception):
    """Raised where there is no such note."""


class Store:
    """Notes by number."""

    def __init__(self):
        self._notes = []

    def add_note(self, text):
        """Keep a note and return its number."""
        self._notes.append(text)
        log.info("a note was kept")
        return len(self._notes) - 1

    def get_note(self, number):
        """Return a note."""
        if number >= len(self._notes):
            raise NotFound(number)
        return self._notes[number]

    def change_note(self, number, text):
        """Put a text in the place of a note."""
        if number >= len(self._notes):
            raise NotFound(number)
        self._notes[number] = text
        log.info("a note was changed")
