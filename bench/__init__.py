"""Measures the server against two other lines, as ratios in one run."""
