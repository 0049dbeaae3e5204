"""The page's one drawing in the three shapes that desktops want: PNG, Windows' .ico, macOS' .icns.

The same drawing gives the same bytes on every system: resvg brings its own rasteriser, and both containers only hold PNGs.
"""

import struct
from pathlib import Path

import resvg_py

DRAWING = Path(__file__).resolve().parents[1] / "frontend" / "public" / "icon.svg"
WINDOWS_SIZES = (16, 20, 24, 32, 40, 48, 64, 128, 256)
# Apple's four letters for each size in pixels; a size can stand for itself and for half of it on a dense screen.
APPLE_SIZES = {
    "ic11": 32, "ic12": 64, "ic07": 128, "ic13": 256, "ic08": 256, "ic14": 512, "ic09": 512, "ic10": 1024,
}  # fmt: skip


def png(size: int, drawing: Path = DRAWING) -> bytes:
    """The drawing, `size` pixels wide and high."""
    return resvg_py.svg_to_bytes(svg_path=str(drawing), width=size, height=size, skip_system_fonts=True)


def ico(drawing: Path = DRAWING) -> bytes:
    """Windows' container: a table of entries, then the images."""
    images = [(size, png(size, drawing)) for size in WINDOWS_SIZES]
    table = struct.pack("<HHH", 0, 1, len(images))
    offset = len(table) + 16 * len(images)
    for size, image in images:
        side = size % 256  # 0 means 256
        table += struct.pack("<BBBBHHII", side, side, 0, 0, 1, 32, len(image), offset)
        offset += len(image)
    return table + b"".join(image for _, image in images)


def icns(drawing: Path = DRAWING) -> bytes:
    """macOS' container: four letters, a length that counts these eight bytes, and the image, for each."""
    images = ((letters.encode(), png(size, drawing)) for letters, size in APPLE_SIZES.items())
    body = b"".join(letters + struct.pack(">I", 8 + len(image)) + image for letters, image in images)
    return b"icns" + struct.pack(">I", 8 + len(body)) + body
