"""Who may talk to the loopback server (design: security, "Local server"): Host, Origin, Sec-Fetch-Site, token, content type.

Any web page can make a browser send requests to 127.0.0.1, and every user of the machine can connect to it. So nothing is
believed because it came from here: the page must be our own (Host and Origin, which scripts cannot forge), and it must hold
the token of this launch, which it never finds in a URL, a log, a file or a process list.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, Literal

from backend.api.server.launch_token import LaunchToken
from backend.domain.values.errors import OutriderError

if TYPE_CHECKING:  # Flask comes with the backend, and the page is checked before
    from werkzeug.datastructures import Headers

    from backend.api.server.program_keys import ProgramKeys

TOKEN_HEADER = "X-Outrider-Token"  # noqa: S105 - the header's name
MAX_REQUEST_BYTES = 256 * 1024
API = "/api/"
BYTES = "application/octet-stream"
FEED = "/api/feed"
PAIR = "/api/pair"
PAIR_AGAIN = "/api/pair/again"
SHOW_WINDOW = "/api/show-window"
MCP = "/mcp"
"""Connected programs speak here, each with a key of its own that opens nothing else."""
MAILED_LINK = "/sign-in/"
"""Another site leads here, from a mail; see `backend.api.mailed_link`."""
UPLOADS = "/api/server/uploads"
"""The one address that takes a file's bytes, and a body beyond the limit."""
WITHOUT_TOKEN = frozenset({FEED, PAIR, PAIR_AGAIN, SHOW_WINDOW})
"""The socket cannot carry a header from a browser: its token is its first message. Pairing is how one gets the token. A second
start is another process and has a secret of its own."""
_READS = frozenset({"GET", "HEAD"})


Caller = Literal["page", "program", "stranger"]
"""Who asks: our own page, a connected program, or whoever showed no token, which pairing and a second start do not have either."""


def check(
    method: str,
    path: str,
    headers: "Mapping[str, str] | Headers",
    authority: str,
    token: LaunchToken,
    programs: "ProgramKeys | None" = None,
) -> None:
    """Raise the reason for which this request is refused; `authority` is our own "127.0.0.1:port".

    `programs` are the keys of connected programs, good for their one address and nothing else.
    """
    if headers.get("Host") != authority:
        raise OutriderError("origin_refused", what="another host name")
    if "Transfer-Encoding" in headers:  # werkzeug reads beyond a chunk that is cut short: foreign memory, or a crash
        raise OutriderError("bad_request", detail="its length is not stated")
    mailed_link = method == "GET" and path.startswith(MAILED_LINK)
    if headers.get("Sec-Fetch-Site", "none") not in ("same-origin", "none") and not mailed_link:
        raise OutriderError("origin_refused", what="another site")
    origin = headers.get("Origin")
    must_name_origin = (method not in _READS or path == FEED) and path != MCP  # a program is no page
    if (must_name_origin or origin is not None) and origin != f"http://{authority}":
        raise OutriderError("origin_refused", what="another origin")
    shown = headers.get(TOKEN_HEADER, "")
    if path == MCP:
        may_ask = programs is not None and programs.program(shown) is not None
    elif path.startswith(API):
        may_ask = path in WITHOUT_TOKEN or token.matches(shown)
    else:
        return
    if not may_ask:
        raise OutriderError("token_refused")
    # Neither type can be sent by a form or without a preflight from another site.
    if method in _READS:
        return
    content_type = headers.get("Content-Type", "").partition(";")[0].strip().lower()
    if path == UPLOADS and content_type != BYTES:
        raise OutriderError("bytes_required")
    if path != UPLOADS and content_type != "application/json":
        raise OutriderError("json_required")


def security_headers(authority: str) -> dict[str, str]:
    """What every answer carries."""
    policy = (
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; font-src 'self';"
        f" connect-src 'self' ws://{authority}; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
    )
    return {
        "Content-Security-Policy": policy,
        "X-Content-Type-Options": "nosniff",
        "Referrer-Policy": "no-referrer",
        "Cache-Control": "no-store",
        "Cross-Origin-Opener-Policy": "same-origin",
        "Cross-Origin-Resource-Policy": "same-origin",
    }
