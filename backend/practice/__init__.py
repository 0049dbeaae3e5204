"""The practice network: a small fictional professional network, used for rehearsals and as a witness in crash tests."""
