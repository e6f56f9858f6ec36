"""Changes of the tables, release by release, and the words they are written in."""
