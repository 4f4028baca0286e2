"""Real clients as their users install them, driven by scripted models."""
