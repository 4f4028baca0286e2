"""Damage that a whole request has, taken away from both of its texts.

A repair is a proposal: it counts only where the search text as it was sent does not
occur, and the repaired one does. The search text proves the damage then. A replacement
that has the same damage throughout is repaired with it, and one that has none stays as
it is. Where the replacement has half of the damage its meaning is not certain, and the
repair is dropped. Two repairs that both lead to a match must lead to the same bytes.

- `model`: a repaired request.
- `propose`: all repairs of a request, in order.
- `line_numbers`, `diff_signs`, `line_prefixes`: damage before each line.
- `wrappers`: fences, marks and tags around a text.
- `escapes`: a text that was escaped once too often.
"""
