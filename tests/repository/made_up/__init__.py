"""Nouns that do not exist, each added as CONTRIBUTING.md says and then used; programs of their own."""
