"""The interface: one module per path name."""
