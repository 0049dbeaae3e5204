"""Work beside the campaigns: imports, scores, scripts, agents, daily checks and clean-up."""
