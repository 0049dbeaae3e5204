"""How much a lead file may hold; read as `limits.NAME` so that a test can lower a limit."""

MAX_FILE_BYTES = 200_000_000
MAX_ROWS = 1_000_000
MAX_COLUMNS = 512
MAX_CELL_BYTES = 64 * 1024

# One physical line. Far above any real row, and it keeps memory bounded on a file without line breaks.
MAX_LINE_CHARS = 16 * 1024 * 1024
# How far an open quote may run over line breaks before it counts as one that was never closed.
MAX_QUOTED_CHARS = 1024 * 1024

# The header is looked for among this many records (blank lines do not count) and this many lines.
HEADER_RECORDS = 10
HEADER_LINES = 1_000

MAX_ZIP_MEMBERS = 10_000
MAX_ZIP_DIRECTORY_BYTES = 4 * 1024 * 1024
# Text deflates 3 to 20 times, a bomb about 1,000 times. Small members are harmless whatever their ratio.
MAX_ZIP_RATIO = 100
ZIP_RATIO_FREE_BYTES = 1024 * 1024

# A workbook's parts, unpacked. Shared texts and settings are held in memory; a sheet is not, and may be as large as a file.
MAX_SHARED_TEXT_BYTES = 64 * 1024 * 1024
MAX_WORKBOOK_PART_BYTES = 16 * 1024 * 1024
