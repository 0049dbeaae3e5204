"""The practice network: a small fictional professional network, used for rehearsals and, by its ledger, in crash tests."""
