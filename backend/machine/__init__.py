"""What the machine gives to every layer: durable files, locks, limits of a process."""
