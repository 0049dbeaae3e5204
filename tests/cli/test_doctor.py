"""`doctor` finds what is wrong and says how to mend it."""

from tests.cli.outrider import Outrider


def findings(outrider: Outrider) -> tuple[int, dict[str, dict[str, str]]]:
    ended = outrider("doctor", "--json")
    return ended.status, {check["code"]: check for check in ended.told["checks"]}


def test_a_machine_on_which_the_tests_run_is_well(outrider: Outrider) -> None:
    status, found = findings(outrider)
    assert status == 0, found
    assert list(found)[:4] == ["python", "sqlite", "data_dir", "disk"]
    assert found["practice"]["status"] == found["browser"]["status"] == found["port"]["status"] == "ok"
    assert all(bool(check["remedy"]) == (check["status"] != "ok") for check in found.values())


def test_what_is_wrong_is_named_with_what_to_do(outrider: Outrider) -> None:
    outrider.data_dir.mkdir(mode=0o755)
    (outrider.data_dir / "outrider.db").write_bytes(b"damaged" * 1_000)
    status, found = findings(Outrider(outrider.data_dir, OUTRIDER_BROWSER="/nowhere/browser"))
    assert status == 1
    assert found["database"]["status"] == found["browser"]["status"] == "fail"
    assert "backup" in found["database"]["remedy"]
    assert found["data_dir"]["status"] == "ok", "every start takes the folder back from others"
    assert outrider.data_dir.stat().st_mode & 0o077 == 0
