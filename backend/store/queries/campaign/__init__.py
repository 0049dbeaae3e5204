"""Campaigns, their limits, tasks and questions."""
