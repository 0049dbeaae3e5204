"""The live feed: what the runtime tells whoever listens."""
