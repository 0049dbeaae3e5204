"""The engine between the local store and the shared store."""
