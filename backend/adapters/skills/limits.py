"""How much a skill's folder may hold; read as `limits.NAME` so that a test can lower a limit."""

MAX_FILES = 40
MAX_FILE_BYTES = 128 * 1024
MAX_BYTES = 512 * 1024
MAX_DEPTH = 6
MAX_PATH = 200
"""Characters."""

MAX_ARCHIVE_BYTES = 2 * 1024 * 1024
# Text deflates 3 to 20 times, a bomb about 1,000 times. Small members are harmless whatever their ratio.
MAX_RATIO = 100
RATIO_FREE_BYTES = 64 * 1024
