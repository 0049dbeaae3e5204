"""Big files in the format of LinkedIn's Connections.csv, the same for the same seed."""

import csv
import random
from pathlib import Path

NOTES = (
    "Notes:\n"
    '"When exporting your connection data, you may notice that some of the email addresses are missing. You will only '
    "see email addresses for connections who have allowed their connections to see or download their email address "
    "using this setting https://www.linkedin.com/psettings/privacy/email. You can learn more here "
    'https://www.linkedin.com/help/linkedin/answer/261"\n'
    "\n"
)
HEADER = ("First Name", "Last Name", "URL", "Email Address", "Company", "Position", "Connected On")

_FIRST = ("Amara", "Björn", "Chloé", "Darius", "Elif", "Fatou", "Giulia", "Hiroshi", "Ines", "Jürgen", "Kwame", "Łucja")
_LAST = (
    "Adeyemi",
    "Bąk",
    "Çelik",
    "Dubois",
    "Eriksson",
    "Fernández",
    "Gupta",
    "Hoffmann",
    "Ito",
    "Jovanović",
    "O'Shea",
)
_COMPANY = ("Ledgerline", "Northwind Health", "Cargo & Co, Inc.", "Fjord Robotics", 'The "Good" Bank', "Solstice Bio")
_TITLE = ("Founder & CEO", "CTO", "Recruiter, EMEA", "Research Scientist", "Head of Growth\nand Partnerships", "VP Ops")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")
_WITH_EMAIL = 0.15


def write_connections(path: Path, n: int, seed: int = 0) -> None:
    """Writes `n` good rows, each a different person with a URL of their own; some have an e-mail or a line break."""
    chance = random.Random(seed)
    with path.open("w", encoding="utf-8", newline="") as file:
        file.write(NOTES)
        out = csv.writer(file, lineterminator="\n")
        out.writerow(HEADER)
        for i in range(n):
            person = f"person-{seed}-{i}"
            out.writerow(
                (
                    chance.choice(_FIRST),
                    chance.choice(_LAST),
                    f"https://www.linkedin.com/in/{person}",
                    f"{person}@example.com" if chance.random() < _WITH_EMAIL else "",
                    chance.choice(_COMPANY),
                    chance.choice(_TITLE),
                    f"{chance.randint(1, 28):02} {chance.choice(_MONTHS)} {chance.randint(2005, 2025)}",
                )
            )
