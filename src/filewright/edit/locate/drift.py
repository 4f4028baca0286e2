"""stub"""
from __future__ import annotations
def find_drifted(source, edit, bases):
    return None
