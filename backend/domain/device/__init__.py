"""This device and what it is connected to: keys, models, programs, scripts, other devices."""
