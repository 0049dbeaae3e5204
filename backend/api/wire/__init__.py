"""The shapes on the wire, one noun a file; `python -m backend.api.wire [--check] FILE` writes them as TypeScript."""
