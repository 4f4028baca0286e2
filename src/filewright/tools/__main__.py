"""`python -m filewright.tools`: generate the catalogue from the declarations."""

from filewright.tools.catalogue import CATALOGUE_PATH, generate_catalogue

if __name__ == "__main__":
    CATALOGUE_PATH.write_text(generate_catalogue(), encoding="utf-8")
