"""Rows: records of a file with named fields, and conditions on them.

In: a `Snapshot`, and the conditions of a caller. Out: the rows that fulfil them, with the
bytes of their fields. Nothing here opens a path.

- `fields`: fields of JSON objects by their paths, and of pairs such as `ms=5` in text
- `conditions`: comparisons of fields with values
- `operand`, `numbers`, `dates`: ordered comparisons, and the forms of numbers and dates
- `row`: a row that fulfils conditions, and the bytes of its fields
- `table`, `table_scan`, `column_condition`: tables of delimited text, and their rows
- `table_syntax`, `table_facts`: the fields of a row, and the delimiter of a table
- `json_document`, `json_members`: the objects of a JSON document, and their values
"""
