"""Edit requests made from the history of any git repository."""
