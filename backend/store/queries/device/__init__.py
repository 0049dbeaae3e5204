"""What belongs to this device: settings, models, agents, other devices, kept files."""
