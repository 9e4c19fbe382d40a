# SPDX-License-Identifier: LGPL-2.1-or-later
"""A Profiler as a sequence."""
from .errors import call, raw


class EventSequence:
    """As a Gio.ListModel a Profiler has items; in Python it is a sequence of its events."""

    def __len__(self):
        return call(raw.Profiler.count_events, self)

    def __bool__(self):
        return True

    def __iter__(self):
        return iter(self.events())

    def __getitem__(self, key):
        return self.events()[key]

    def __contains__(self, event):
        return event in self.events()

    def __reversed__(self):
        return reversed(self.events())

    def __setitem__(self, key, value):
        raise TypeError("a Profiler's events cannot be changed")

    def __delitem__(self, key):
        raise TypeError("a Profiler's events cannot be changed")
