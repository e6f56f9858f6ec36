"""The machine: dispatch, lists, consistency. It knows no entity by name."""
