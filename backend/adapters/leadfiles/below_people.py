"""What stands below the people of a file and is nobody: totals, and what the program says that wrote it."""

import re

_TOTALS = frozenset((
    "total", "totals", "grand total", "subtotal", "sub total", "count", "sum", "average", "total general", "total général",
    "total geral", "summe", "gesamt", "gesamtsumme", "zwischensumme", "insgesamt", "anzahl", "durchschnitt", "somme",
    "nombre total", "suma", "soma", "totale", "totaal", "razem", "yhteensä", "summa", "toplam", "celkem", "итого", "всего",
    "σύνολο", "合計", "合计", "总计", "합계",
))  # fmt: skip
_BEHIND_TOTALS = " \t:.,=0123456789()"
_FOOTER = re.compile(
    r"(?:total[:\s]*)?\d[\d.,]* (?:records?|rows?|contacts?|leads?|results?|datensätze|einträge|kontakte|enregistrements"
    r"|registros|righe)\b.*|(?:copyright|©|\(c\)) .*|(?:generated|exported|exportiert|erstellt) (?:by|on|at|from|von|am|aus)\b.*"
    r"|confidential information\b.*|end of (?:report|file|export)",
    re.IGNORECASE,
)


def is_no_person(name: str) -> bool:
    """Whether such words stand where the name should; beside an address they may be somebody's all the same."""
    return name.rstrip(_BEHIND_TOTALS).casefold() in _TOTALS or _FOOTER.fullmatch(name) is not None
