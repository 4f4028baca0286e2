"""Damage that a whole request carries, taken away from both of its texts."""
