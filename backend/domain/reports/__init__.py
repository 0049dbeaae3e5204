"""What is counted and told of a campaign: its state, insights, the final report."""
