"""The parts of the bench: each a source of cases, or a play of its own."""
