"""The leads of a campaign: lists, search, imports, scores."""
