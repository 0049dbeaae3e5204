"""Mutation tests: small wrong versions of the modules that bear rules, each run against the tests that cover its line.

A wrong version that no test notices is a rule that may break with everything green. `make mutants` runs a seeded sample.
"""
