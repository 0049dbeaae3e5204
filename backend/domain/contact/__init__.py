"""Sending and what comes back: acts, replies, the session by hand, what is not known to have happened."""
