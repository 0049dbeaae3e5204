"""How long a test waits for what is sure to come: long, because a machine may be busy, and nobody waits it out who passes."""

PATIENCE = 120.0
"""Seconds."""

A_WHOLE_CAMPAIGN = 600.0
"""Seconds: the same for some hundred pages in a real browser, about half a second each on an idle machine."""

SOON = 120_000
"""The same for Playwright, which counts milliseconds."""
