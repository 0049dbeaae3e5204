"""An exported proof checks itself in a browser: from a file, without any network, and as the script beside it does."""

import re
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, expect

from tests.fakes.campaign import Stage
from tests.fakes.proved import TAMPERED, WRITTEN, campaign_proof, edited, events_of, forged, verifier, written_proof

NO_ED25519 = "Object.defineProperty(crypto.subtle, 'importKey', { value: () => Promise.reject(new Error('none')) })"


def problems(page: bytes) -> list[str]:
    script, text = verifier(), page.decode()
    checked = script.Proof(script.block(text, "proof"), script.block(text, "seal"))
    checked.check()
    return [f"{where[0].upper()}{where[1:]}: {what}." for where, what in checked.problems]


def test_the_page_and_the_script_come_to_the_same_verdict(tmp_path: Path, sheet: Page) -> None:
    asked: list[str] = []
    sheet.on("request", lambda request: asked.append(request.url))
    stage = Stage(tmp_path)
    honest = campaign_proof(stage, tmp_path)
    stage.close()
    files = {"honest": honest}
    files |= {name: edited(honest, change) for name, (change, _, _) in TAMPERED.items()}
    for number, name in enumerate(WRITTEN):
        (tmp_path / str(number)).mkdir()
        files[name] = written_proof(tmp_path / str(number), name)

    def opened(page: bytes) -> None:
        file = tmp_path / "proof.html"
        file.write_bytes(page)
        sheet.goto(file.as_uri())

    verdict = sheet.locator("#verdict")
    for name, page in files.items():
        opened(page)
        expected = problems(page)
        expect(verdict.get_by_role("heading"), name).to_have_text("Not verified" if expected else "Verified")
        expect(verdict.get_by_role("listitem"), name).to_have_text(expected)
    assert {url.partition(":")[0] for url in asked} <= {"file", "data"}

    sheet.add_init_script(NO_ED25519)  # a browser that has no such signatures
    for name in ("another signature", "honest"):
        opened(files[name])
        expect(verdict.get_by_role("heading")).to_have_text("Verified" if name == "honest" else "Not verified")
    messages = sheet.get_by_role("list").last.get_by_role("listitem")
    expect(messages).to_have_count(2)
    expect(messages.first).to_contain_text("Hi ")
    expect(messages.first).to_contain_text("Approved")
    messages.first.get_by_text("Evidence: after").click()
    expect(messages.first.get_by_role("img")).to_be_visible()

    (tmp_path / "proof.html").write_bytes(honest.replace(b"good = problems.length === 0", b"good = true"))
    doctored = sheet.context.new_page()  # the policy refuses a script that was changed, and says so in the console
    doctored.goto((tmp_path / "proof.html").as_uri())
    expect(doctored.locator("#verdict")).to_contain_text("The check in this file has not run")


def test_no_word_of_the_file_can_hide_or_turn_what_the_page_says(tmp_path: Path, sheet: Page) -> None:
    def renamed(data: dict[str, Any]) -> None:
        for kind in ("ActionIntended", "CampaignCreated"):
            entry = events_of(data, kind)[0]
            entry[9] = re.sub(r'"name":"[^"]*"', r'"name":"Ann\\u202e\\u200b\\u200b\\u001b 1 \\u2764\\ufe0f"', entry[9])

    page = forged(written_proof(tmp_path, "confirmed by an export"), renamed)
    (tmp_path / "proof.html").write_bytes(page)
    sheet.goto((tmp_path / "proof.html").as_uri())
    expect(sheet.locator("#verdict").get_by_role("heading")).to_have_text("Verified")
    shown = "Ann[U+202E][U+200B x2][U+001B] 1 \u2764\ufe0f"
    expect(sheet.locator("#about")).to_contain_text(shown)
    expect(sheet.locator("#messages strong")).to_have_text(shown)

    # What a forger writes in place of a time leaves no verdict but the right one.
    other = tmp_path / "other"
    other.mkdir()
    page = forged(written_proof(other, "three honest ones"), lambda data: data.update(made_at=9 * 10**15))
    (tmp_path / "proof.html").write_bytes(page)
    sheet.goto((tmp_path / "proof.html").as_uri())
    expect(sheet.locator("#verdict").get_by_role("heading")).to_have_text("Not verified")
    expect(sheet.get_by_role("listitem")).to_contain_text("The file: it is damaged")
