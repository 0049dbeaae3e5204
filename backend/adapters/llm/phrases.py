"""What users usually say to the assistant, understood without a model: an ordered table of patterns, the first that fits."""

import re
from collections.abc import Callable, Sequence
from re import Match
from typing import Any, NamedTuple
from unicodedata import normalize

from backend.domain.device.builtin_scripts import BUILTIN_SCRIPTS, builtin_meant
from backend.domain.leads.blueprints import blueprint_for
from backend.domain.model.tools import (
    CampaignFacts,
    ContinueCampaign,
    ExplainLead,
    PauseCampaign,
    ResponseRates,
    RunScript,
    SearchArtifacts,
    ShowArtifact,
    ToolParams,
    Topic,
)
from backend.domain.turn.snapshot import Request

Step = tuple[str, dict[str, Any]]
"""A proposal's type and its params."""

HELP = (
    "Without a model I answer from your campaign's data: “how many leads are there?”, “what is next?”, “what waits for me?”,"
    " “who was invited this week?”, “who was contacted?”, “who accepted?”, “who replied?”, “who has not"
    " replied?”, “why was Anna not contacted?”, “show response rates by industry”, “funnel by"
    " week”, “time to reply”. I also understand “save this job posting as an"
    " artifact” (with the text or a file), “list my saved artifacts”, “show me the job posting from yesterday”, “prioritise"
    " my leads for CTOs in fintech”, “pause” and “continue”."
)
UNKNOWN = (
    "I cannot answer that without a model. Try “what is next?”, “who replied?”, “why was Anna not contacted?” or “show"
    " response rates by company”; “help” lists everything I understand. Connect a model in Settings to ask in any words."
)
NO_SCRIPTS = (
    "Without a model I can only offer the scripts that come with Outrider: "
    + ", ".join(f"“{script.title.lower()}”" for script in BUILTIN_SCRIPTS)
    + ". You can write or paste your own on the Scripts screen."
)
NOTHING_TO_SAVE = "There is nothing to save yet: paste the text below your words, or attach it."
TOO_LONG = "That is too long to save from the message itself: attach it."
WHICH_FIELD = "By which field of your leads? For example: “show response rates by company”."
WHOSE = "About whom? For example: “why was Anna not contacted?”."

_TYPES = (
    (r"job (?:posting|post|ad|advert|description|offer)s?|postings?|vacanc(?:y|ies)", "job_posting"),
    (r"(?:message )?templates?", "message_template"),
    (r"scoring (?:algorithm|blueprint)s?|blueprints?", "scoring_algorithm"),
    (r"scoring config(?:uration)?s?|weights", "lead_scoring_config"),
    (r"(?:python )?scripts?", "python_script"),
    (r"anal[iy]s[ie]s(?: results?)?", "analysis_result"),
    (r"(?:conversation )?contexts?", "context"),
    (r"research(?: findings?)?|findings?", "research"),
    (r"(?:file )?summar(?:y|ies)", "file_summary"),
    (r"notes?", "note"),
)
"""The user's words for the types of artifacts."""
_TYPE_WORDS = "|".join(words for words, _ in _TYPES)
_DAYS = (
    (r"\byesterday(?:'s)?\b", "yesterday"),
    (r"\btoday(?:'s)?\b", "today"),
    (r"\bthis week(?:'s)?\b", "this_week"),
    (r"\blast week(?:'s)?\b", "last_week"),
    (r"\bthis month(?:'s)?\b", "this_month"),
)
_CALLED = re.compile(r"\b(?:called|named|titled)\s+[\"'“]?([\w][\w .-]*)", re.IGNORECASE)
_QUOTED = re.compile(r"[\"“]([^\"”\n]{1,80})[\"”]")
LONGEST_HEAD = 200
"""Characters of a message that may be an instruction; what follows its first colon or line is what it is about."""
MOST_INLINE = 40_000
"""Bytes of a text that a proposal repeats; what is attached is named instead."""
_SLUG = re.compile(r"[^a-z0-9]+")


class _Asked(NamedTuple):
    """A request taken apart: the instruction, and the text that came below or after it."""

    head: str
    body: str
    request: Request
    fields: Sequence[str] = ()


def next_step(request: Request, fields: Sequence[str] = ()) -> Step:
    """What to propose for this request now: what its words ask for, and nothing more once something came of it."""
    asked = _Asked(*_apart(request.text), request, fields)
    fits = ((match, step) for pattern, step in _PHRASES if (match := pattern.search(asked.head)))
    match, step = next(fits, (None, None))
    if request.results and not (step is _save and len(request.results) < len(request.attached)):
        return "no_op", {}
    return step(match, asked) if match and step else ("no_op", {"say": UNKNOWN})


def _apart(text: str) -> tuple[str, str]:
    """(instruction, what it is about): at the first line's end, or at its first colon."""
    line, _, below = text.lstrip().partition("\n")
    line = line.replace("’", "'")  # noqa: RUF001 - as keyboards and phones write it
    head, colon, after = line.partition(":")
    if below and not after.strip():
        return head.strip()[:LONGEST_HEAD], below
    if colon and after.strip():
        return head.strip()[:LONGEST_HEAD], (after.lstrip(" ") + ("\n" + below if below else ""))
    return line.strip()[:LONGEST_HEAD], below


_Phrase = tuple[re.Pattern[str], Callable[[Match[str], _Asked], Step]]


def _say(text: str) -> Callable[[Match[str], _Asked], Step]:
    return lambda *_: ("no_op", {"say": text})


def _tool(tool: type[ToolParams], **params: Any) -> Step:
    return "execute_tool", {"tool": tool.tool_name(), **{key: value for key, value in params.items() if value}}


def _selectors(head: str) -> dict[str, str]:
    """The type, the day and the name that the words hold."""
    called = _CALLED.search(head) or _QUOTED.search(head)
    name = called.group(1) if called else ""
    for pattern, _ in _DAYS:
        name = re.split(rf"\s*(?:from|of)?\s*{pattern}", name, flags=re.IGNORECASE)[0]
    rest = head.replace(name, " ") if name else head
    return {
        "artifact_type": next((type_ for words, type_ in _TYPES if re.search(rf"\b(?:{words})\b", rest, re.I)), ""),
        "day": _day(rest),
        "words": name.strip()[:200],
    }


def _day(words: str) -> str:
    return next((day for pattern, day in _DAYS if re.search(pattern, words, re.IGNORECASE)), "")


def _list(_: Match[str], asked: _Asked) -> Step:
    return _tool(SearchArtifacts, **_selectors(asked.head))


def _show(_: Match[str], asked: _Asked) -> Step:
    return _tool(ShowArtifact, **_selectors(asked.head))


def _save(_: Match[str], asked: _Asked) -> Step:
    attachments, number = asked.request.attached, len(asked.request.results) + 1
    selectors = _selectors(asked.head)
    params: dict[str, Any] = {"artifact_type": selectors["artifact_type"] or "note"}
    if attachments:
        name, text = attachments[number - 1]
        params |= {
            "artifact_key": _key(selectors["words"] if number == 1 else "", _stem(name), text),
            "attachment": number,
        }
    elif len(asked.body.encode("utf-8", "surrogatepass")) > MOST_INLINE:
        return "no_op", {"say": TOO_LONG}
    elif asked.body.strip():
        params |= {"artifact_key": _key(selectors["words"], "", asked.body), "content": asked.body}
    else:
        return "no_op", {"say": NOTHING_TO_SAVE}
    return "persist_artifact", params


def _stem(name: str) -> str:
    stem = name.rpartition(".")[0] or name
    return "" if re.fullmatch(r"(?i)\W*pasted(?: text)?\W*\d*", stem) else stem


def _key(called: str, name: str, text: str) -> str:
    """What it is called, else its file's name, else the first words of its text."""
    for words in (called, name, " ".join(text[:300].split()[:6])):
        ascii_words = normalize("NFKD", words).encode("ascii", "ignore").decode().lower()
        if key := _SLUG.sub("-", ascii_words).strip("-")[:64].strip("-"):
            return key
    return "unnamed"


def _rates(match: Match[str], _: _Asked) -> Step:
    field = re.sub(
        r"^(?:the|their|each|my|lead)\s+", "", match.group("field").strip(" ,;.?!\"'“”"), flags=re.IGNORECASE
    )
    return _tool(ResponseRates, field=field[:80]) if field else ("no_op", {"say": WHICH_FIELD})


def _script(_: Match[str], asked: _Asked) -> Step:
    script = builtin_meant(asked.head)
    return ("no_op", {"say": NO_SCRIPTS}) if script is None else _tool(RunScript, builtin=script.key)


def _why(match: Match[str], _: _Asked) -> Step:
    who = re.sub(r"(?i)[\s,]+(?:again|yet|any ?more|so far|at all|lately|recently)\W*$", "", match.group("who"))
    words = " ".join(who.strip(" ,;.?!\"'“”").split())[:200]
    names_nobody = re.fullmatch(r"(?i)(?:he|she|they|it|nobody|no one|this|that|anyone|anybody)?", words)
    return ("no_op", {"say": WHOSE}) if names_nobody else _tool(ExplainLead, words=words)


def _facts(topic: Topic) -> Callable[[Match[str], _Asked], Step]:
    return lambda _, asked: _tool(CampaignFacts, topic=topic, day=_day(asked.head))


def _pause(*_: object) -> Step:
    return _tool(PauseCampaign)


def _continue(*_: object) -> Step:
    return _tool(ContinueCampaign)


def _prioritise(_: Match[str], asked: _Asked) -> Step:
    return "analyze_leads", {"blueprint": blueprint_for(asked.head, asked.fields).model_dump(mode="json")}


def _phrase(pattern: str, step: Callable[[Match[str], _Asked], Step]) -> _Phrase:
    return re.compile(pattern, re.IGNORECASE), step


_POLITE = r"^\W*(?:please|can you|could you|would you|i want to|i'd like to|hey|ok|now|just)?\W*(?:please|you)?\W*"
_RATES = r"\b(?:response|reply|answer|acceptance)[ -]rates?\b"
_NOT_DONE = (
    r"(?:not |never )?(?:yet )?(?:been |being )?(?:contacted|invited|written to|messaged|reached(?: out to)?|answered)"
)
_DO = r"(?:contact(?:ed|ing)?|invit(?:ed?|ing)|writ(?:e|ten|ing) to|messag(?:ed?|ing)|reach(?:ed|ing)?(?: out to)?)"
_WAS, _DID = r"(?:was|is|were|has|have|had)(?:n't)?", r"(?:did|do|have|has|are|were)(?:n't)?"
_RUN = r"\b(?:campaign|outreach|everything|it|sending|run(?:ning)?)\b"

_ANALYSES = (
    rf"{_POLITE}analy[sz]e\b|^(?!\W*(?:save|keep|store|list|why)\b).*"
    r"(?:\bfunnel\b|\btime to (?:reply|answer|respond)|\bhow (?:long|fast|quick\w*)\b.*\b(?:repl|answer|respon)"
    r"|\b(?:best|which) (?:variant|text|message|wording))"
)
"""What a script that comes with Outrider answers, in plain words."""

_ASKS_WHO = rf"{_POLITE}(?:who|whom|which|how many|how much|did|do|have|has|any|list|show|what|name)\b.*"
_PEOPLE = r"(?:people|leads?|contacts?|persons?|invitations?|of them|anyone|anybody|everyone)"

_NOT_NEGATED = r"(?!.*(?:\b(?:not|never|nobody)\b|n't\b))"

_QUESTIONS = (
    _phrase(
        rf"{_ASKS_WHO}(?:\b(?:not|never|without|no)|n't)\b.*\b(?:repl|answer|respon|react)"
        r"|\bsilent\b|\bwho (?:still )?owes\b",
        _facts("silent"),
    ),
    _phrase(
        r"\b(?:what|who|when)(?:'s| is| are| will| comes?| happens?| goes?)?\b.*\b(?:next|later|upcoming|planned|scheduled)\b"
        r"|^\W*(?:and )?(?:next|what now|now what)\b",
        _facts("next"),
    ),
    _phrase(
        r"\b(?:waits?|waiting|left|open|to do|todo|need(?:s|ed)?)\b.*\b(?:me|my|i|you)\b|\bwhat (?:should|must|do) i\b.*\bdo\b",
        _facts("waiting"),
    ),
    _phrase(rf"{_ASKS_WHO}\b(?:accept(?:ed|ances?)?|connected)\b", _facts("accepted")),
    _phrase(
        rf"{_ASKS_WHO}\b(?:repl(?:y|ied|ies)|answer(?:ed|s)?|respon(?:d(?:ed)?|ses?)|w(?:rote|ritten) back)\b",
        _facts("replied"),
    ),
    _phrase(
        rf"^{_NOT_NEGATED}\W*(?:who|whom|which {_PEOPLE}|how many|list|show)\b"
        r".*(?:\binvited\b|\binvitations?\b.*\b(?:sent|went|go|did)\b)",
        _facts("invited"),
    ),
    _phrase(
        rf"^{_NOT_NEGATED}\W*(?:who|whom|which {_PEOPLE}|how many|list|show)\b.*"
        r"\b(?:contacted|invited|reached|messaged|writ\w*|wrote|sent)\b",
        _facts("contacted"),
    ),
    _phrase(
        r"^\W*how many\b|\b(?:counts?|numbers?|stages?|statistics|stats|progress|overview)\b"
        r"|\bhow (?:far|is it going|are we doing|does it go)\b|\b(?:status|state) of (?:the|my|this) (?:campaign|outreach|leads)\b",
        _facts("counts"),
    ),
)
"""What is answered from the campaign's data."""

_PHRASES: tuple[_Phrase, ...] = (
    _phrase(rf"{_POLITE}(?:help\b|what can (?:you|i)\b)", _say(HELP)),
    _phrase(rf"{_POLITE}(?:save|keep|store|remember|persist)\b", _save),
    _phrase(
        r"\b(?:write|generate|create|make|run|build|code)\b.*\b(?:scripts?|python|code|charts?|plots?|programs?)\b",
        _script,
    ),
    _phrase(_ANALYSES, _script),
    _phrase(rf"{_RATES}.*?\b(?:by|per|for each|for every)\b(?P<field>.*)$", _rates),
    _phrase(_RATES, _say(WHICH_FIELD)),
    _phrase(rf"^\W*(?:why|how come)\b\W+{_WAS}\s+(?!(?:you|we|it|i)\b)(?P<who>.+?)\s+{_NOT_DONE}", _why),
    _phrase(
        rf"^\W*(?:why|how come)\b\W+{_DID}\s+(?:you|we|it|i)\s+(?:not |never )?(?:yet )?{_DO}\s+(?P<who>.+)$", _why
    ),
    _phrase(rf"^\W*why not (?:yet )?(?:{_DO} )?(?P<who>.+)$", _why),
    _phrase(
        rf"^\W*(?:why|how come)\b\W+(?:{_WAS}|(?:did|does|do)(?:n't)?)\s+(?!(?:you|we|it|i)\b)(?P<who>.+?)\s+"
        r"(?:(?:not|never|still|yet|been)\s+)*(?:ge?t(?:s|ting)?|got(?:ten)?|receiv\w+|hear\w*|waiting|held|skipped|blocked|next)\b",
        _why,
    ),
    *_QUESTIONS,
    _phrase(
        r"^\W*(?:what about|how about|what happened (?:to|with)|(?:who|where)(?:'s| is| are)(?! interested\b)"
        r"|what is (?:the )?(?:status|state) of|explain)\s+(?:the )?(?:lead\s+)?(?P<who>.+)$",
        _why,
    ),
    _phrase(r"\b(?:prioriti[sz]e|rank|re-?rank|score|sort|order)\b.*\b(?:leads?|people|contacts?|list)\b", _prioritise),
    _phrase(rf"{_POLITE}(?:list|what|which|show|search|find)\b.*\bartifacts\b", _list),
    _phrase(rf"{_POLITE}(?:list|what|which|search)\b.*\b(?:artifact|{_TYPE_WORDS})\b", _list),
    _phrase(
        rf"{_POLITE}(?:show|open|display|give|get|find|let me see|view|read)\b.*\b(?:artifact|{_TYPE_WORDS})\b", _show
    ),
    _phrase(rf"{_POLITE}(?:pause|stop|halt|hold)\b.*{_RUN}", _pause),
    _phrase(rf"{_POLITE}(?:continue|resume|go on|start|carry on)\b.*{_RUN}", _continue),
)
