"""Python modules that tests edit."""

CART = '''\
import math

RATE = 19


class Cart:
    """What is bought."""

    def add(self, line):
        self.lines.append(line)

    # the sum of all lines
    @property
    def total(self):
        return sum(self.lines)

    def clear(self):
        self.lines = []


def empty():
    return Cart()
'''

SHOP = """\
import math


def total(lines):
    return math.fsum(lines)


def rate():
    return 19


def count(lines):
    return len(lines)
"""
