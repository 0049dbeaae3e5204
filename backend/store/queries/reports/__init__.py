"""What screens and reports tell of a campaign over time."""
