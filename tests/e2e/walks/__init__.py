"""Walks through a whole morning, or a whole beginning, as a person takes them."""
