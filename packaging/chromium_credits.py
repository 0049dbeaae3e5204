"""Makes `licences/chromium.txt.xz` from Chromium's own page of credits: `python packaging/chromium_credits.py PAGE.html`.

The page is `chrome://credits`, saved as HTML. Each licence is written once, under the names of all that come with it.
"""

import html
import lzma
import re
import sys
from pathlib import Path

CREDITS = Path(__file__).parent / "licences" / "chromium.txt.xz"
PRODUCT = re.compile(r'class="title">(?P<name>.*?)</span>.*?<pre>(?P<text>.*?)</pre>', re.DOTALL)
RULE = "\n\n" + "-" * 100 + "\n\n"


def credits_text(page: str) -> str:
    """The credits as plain text; ValueError for a page without any."""
    names_by_words: dict[str, list[str]] = {}
    texts: dict[str, str] = {}
    for product in PRODUCT.finditer(page):
        text = html.unescape(product["text"]).strip()
        words = " ".join(text.split())
        texts.setdefault(words, text)
        names_by_words.setdefault(words, []).append(html.unescape(product["name"]))
    if not texts:
        raise ValueError("this is not Chromium's page of credits")
    return RULE.join("\n".join(names_by_words[words]) + "\n\n" + text for words, text in texts.items()) + "\n"


if __name__ == "__main__":
    CREDITS.write_bytes(lzma.compress(credits_text(Path(sys.argv[1]).read_text(encoding="utf-8")).encode()))
