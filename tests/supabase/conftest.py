"""Every test here runs on both versions of PostgreSQL."""
