"""What the machine gives to every layer: settings, durable files, locks, limits of a process."""
