"""Which browser campaigns run in, as Settings shows it."""

from backend.adapters.browser.choice import BrowserChoice
from backend.machine.settings import AppSettings
from backend.runtime.machine_info import BrowserChoices, browser_choices
from backend.terminal.output import TerminalOutput, columns


def print_browsers(output: TerminalOutput, settings: AppSettings, program: str | None) -> None:
    """Choose one first, if one is named (`auto`: whichever is found), then list them; raises `browser_unusable`."""
    if program is not None:
        BrowserChoice(settings.data_dir).choose("" if program == "auto" else program)
    view = browser_choices(settings)
    output.result(_lines(view), view.model_dump(mode="json"))


def _lines(view: BrowserChoices) -> list[str]:
    used = view.used.program if view.used else ""
    listed = list(view.installed)
    if view.used and used not in (browser.program for browser in listed):
        listed.append(view.used)
    rows = [("*" if browser.program == used else " ", browser.version, browser.program) for browser in listed]
    chosen_by = "OUTRIDER_BROWSER" if view.fixed else "your choice" if view.chosen else "chosen automatically"
    problem = [f"{view.problem.sentence} {view.problem.remedy}"] if view.problem else [f"* is used ({chosen_by})"]
    return [*columns(rows), *problem]
