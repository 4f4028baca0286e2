"""What holds for every test."""

from hypothesis import settings

# A slow machine is not a failure: speed is measured in benchmarks/, never by a test.
settings.register_profile("filewright", deadline=None, print_blob=True)
settings.load_profile("filewright")
