"""Turns and what they read and make: requests, artifacts, skills, scripts."""
