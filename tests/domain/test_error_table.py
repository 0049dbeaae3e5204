"""The statuses of errors: who has to do something about each."""

import re
from pathlib import Path

from backend.domain.values.error_table import ERRORS

DEPENDED_ON_FAILED = 424
ROOT = Path(__file__).parents[2]


def test_a_5xx_is_a_fault_of_outrider_s_and_only_that_is_to_be_reported() -> None:
    own_faults = {code for code, row in ERRORS.items() if row.status >= 500}
    to_report = {code for code, row in ERRORS.items() if re.search(r"\breport (it|what|the details)\b", row.remedy)}
    of_others = {code for code, row in ERRORS.items() if re.search("mistake in the agent|If this persists", row.remedy)}
    assert own_faults == to_report - of_others
    assert own_faults >= {code for code, row in ERRORS.items() if "defect" in row.remedy}


def test_what_another_s_machine_or_this_one_s_parts_fail_in_is_told_apart_from_what_was_asked_wrongly() -> None:
    for prefix in ("proposer_", "agent_", "shared_store_", "keychain_", "browser_", "project_"):
        statuses = {code: ERRORS[code].status for code in ERRORS if code.startswith(prefix)}
        assert DEPENDED_ON_FAILED in statuses.values(), prefix
        assert all(400 <= status < 500 for status in statuses.values()), statuses


def test_every_code_is_raised_somewhere() -> None:
    folders = (ROOT / "backend", ROOT / "bridge", ROOT / "packaging")
    files = [path for folder in folders for kind in ("*.py", "*.sql") for path in folder.rglob(kind)]
    text = "\n".join(path.read_text("utf-8") for path in files if path.name != "error_table.py")
    assert ERRORS.keys() - set(re.findall(r"\b[a-z_0-9]+\b", text)) == set()
