"""Settings and logging: what differs between installations."""
