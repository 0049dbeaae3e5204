"""Leads in bulk: filters, edits, merges, scores, rankings."""
