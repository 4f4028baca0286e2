"""Our dialects beside the published servers whose tools they offer."""
