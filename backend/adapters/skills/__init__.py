"""Skills in: built-in ones, and those in a folder or a zip that the user chose; read as bytes, never run."""
