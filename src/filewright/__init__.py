"""filewright: file tools for AI agents that never change a byte nobody asked to change."""

__version__ = "0.1.0"
