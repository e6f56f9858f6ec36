"""Changes of the tables: a branch of their own, run by `storeapi init`."""
