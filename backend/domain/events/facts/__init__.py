"""Every fact that can be recorded: one type for each kind of event, with its columns and the statuses it moves between."""

from backend.domain.events.facts import campaign, lead, message, task, turn, workspace
from backend.domain.events.facts.fact import EVENT_KINDS, FACTS, statuses_before

MODULES = (campaign, task, lead, message, turn, workspace)
"""Importing them fills the tables."""

__all__ = ["EVENT_KINDS", "FACTS", "MODULES", "statuses_before"]
