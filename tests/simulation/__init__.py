"""Campaigns, devices, faults and users from one seed, in one thread: see `docs/simulation.md`."""
