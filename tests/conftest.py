"""What all tests share."""

from hypothesis import settings

# A busy machine must not make a slow example look like a wrong one.
settings.register_profile("outrider", deadline=None)
settings.load_profile("outrider")
