"""Where the window goes: where it was, if a screen still shows that."""

from pathlib import Path

import pytest

from backend.api.server.page_files import Preferences
from bridge.window_geometry import (
    FILE,
    LOOK_FILE,
    SMALLEST,
    ScreenArea,
    WindowGeometry,
    fit_to_screens,
    load_geometry,
    load_look,
    save_geometry,
    save_look,
    side_by_side,
)

LEFT, RIGHT = ScreenArea(0, 30, 1920, 1050), ScreenArea(1920, 0, 1280, 1024)


@pytest.mark.parametrize(
    ("geometry", "areas", "expected"),
    [
        ((100, 100, 1280, 860), [LEFT], (100, 100, 1280, 860)),
        ((2000, 50, 1000, 800), [LEFT, RIGHT], (2000, 50, 1000, 800)),
        ((2000, 50, 1000, 800), [LEFT], (460, 155, 1000, 800)),  # its screen is gone: the middle of the first
        ((1800, 100, 1280, 860), [LEFT, RIGHT], (1920, 100, 1280, 860)),  # on two screens: wholly on one
        ((-500, -500, 1280, 860), [LEFT], (0, 30, 1280, 860)),
        ((0, 0, 9000, 9000), [LEFT], (0, 30, 1920, 1050)),
        ((0, 0, 10, 10), [LEFT], (600, 315, *SMALLEST)),
        ((1900, 1070, 1280, 860), [LEFT], (320, 125, 1280, 860)),  # only a corner of it is seen
        ((100, 100, 1280, 860), [ScreenArea(0, 0, 640, 400)], (0, 0, 640, 400)),
        ((100, 100, 1280, 860), [], (100, 100, 1280, 860)),
    ],
)
def test_it_is_fitted_to_the_screens_there_are(
    geometry: tuple[int, int, int, int], areas: list[ScreenArea], expected: tuple[int, int, int, int]
) -> None:
    x, y, width, height = geometry
    now = fit_to_screens(WindowGeometry(x=x, y=y, width=width, height=height, maximized=True), areas)
    assert (now.x, now.y, now.width, now.height) == expected
    assert now.maximized


@pytest.mark.parametrize(
    "text", ["", "{", "[]", '{"x":1}', '{"x":"1","y":1,"width":1,"height":1}', '{"x":1e999,"y":1,"width":1,"height":1}']
)
def test_a_file_that_is_not_what_it_was_is_no_place(tmp_path: Path, text: str) -> None:
    (tmp_path / FILE).write_text(text)
    assert load_geometry(tmp_path) is None


def test_a_place_is_remembered_for_its_owner_only(tmp_path: Path) -> None:
    assert load_geometry(tmp_path) is None
    for x in (1, 2):
        save_geometry(tmp_path, WindowGeometry(x=x, y=-3, width=1000, height=700))
        assert load_geometry(tmp_path) == WindowGeometry(x=x, y=-3, width=1000, height=700)
    assert [path.name for path in tmp_path.iterdir()] == [FILE]
    assert (tmp_path / FILE).stat().st_mode & 0o077 == 0


def test_a_folder_that_cannot_be_written_is_no_reason_not_to_close(tmp_path: Path) -> None:
    save_geometry(tmp_path / "gone", WindowGeometry(x=1, y=1, width=1000, height=700))


def test_the_look_is_kept_for_the_next_first_paint(tmp_path: Path) -> None:
    assert load_look(tmp_path) == Preferences()
    save_look(tmp_path, Preferences(theme="dark", zoom=120))
    assert load_look(tmp_path) == Preferences(theme="dark", zoom=120)
    (tmp_path / LOOK_FILE).write_text('{"theme": "\\"><script>"}')
    assert load_look(tmp_path) == Preferences()


def test_two_windows_stand_side_by_side_only_where_both_have_room() -> None:
    both = side_by_side(ScreenArea(10, 20, 1920, 1080))
    assert both == (ScreenArea(10, 20, 1056, 1080), ScreenArea(1066, 20, 864, 1080))
    assert side_by_side(ScreenArea(0, 0, 1280, 800)) == (ScreenArea(0, 0, 720, 800), ScreenArea(720, 0, 560, 800))
    assert side_by_side(ScreenArea(0, 0, 1200, 800)) is None
    assert side_by_side(ScreenArea(0, 0, 1920, 400)) is None
