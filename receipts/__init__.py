"""Receipts: the same small job on several engines under eight faults, and a ledger in another process that counts."""
