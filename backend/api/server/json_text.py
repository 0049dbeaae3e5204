"""What the page is answered, as JSON, whatever names the system has for its files."""

import json

from pydantic_core import PydanticSerializationError, to_json, to_jsonable_python


def json_text(answer: object) -> str:
    """A shape, or a domain value, as JSON.

    A file's name may have bytes that are no letters (`os.fsdecode` makes half a surrogate pair of each), which UTF-8 cannot
    say; they are escaped, and the page shows a replacement character.
    """
    try:
        return to_json(answer, inf_nan_mode="null").decode()
    except PydanticSerializationError:
        return json.dumps(to_jsonable_python(answer, inf_nan_mode="null"), separators=(",", ":"))
