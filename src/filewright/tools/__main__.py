"""`python -m filewright.tools`: write the catalogue anew after a tool's words or arguments changed."""

from importlib.resources import as_file, files

from filewright.tools.catalogue import FILE, made

with as_file(files("filewright.tools").joinpath(FILE)) as path:
    path.write_text(made(), encoding="utf-8")
