"""Campaigns while they run: starting, stepping, stopping, presence, rehearsals, the session by hand."""
