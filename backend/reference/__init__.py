"""The reference, `docs/reference/`: written from the code by `make wire`, and held to it by `make check`."""
