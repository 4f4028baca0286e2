"""The matchers: each finds the candidates of an edit by one comparison.

- `exact`: a text that occurs as it is, line terminators aside
- `lines`: whole lines that may differ in whitespace and typography
- `elision`: a request in which marked lines omit text
- `repaired`: a request that is damaged as a whole
- `invisible`: a request with invisible characters that the file does not have
- `named_lines`: an edit that names its lines by numbers, symbol or version
- `blocks`: blocks of whole lines that occur exactly, for the hunks of patches
"""
