"""How a shop behaves, without HTTP."""
