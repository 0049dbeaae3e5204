"""What leaves the log or comes back to it: backups and restores, a person's data, proofs, the past."""
