"""What happened, in plain words: one table for the timeline, a lead's history, the terminal and conflicts.

A sentence names what the entry is about as it is called today, and says nothing that an erased entry does not hold any more.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping
from typing import Literal, NamedTuple

from backend.domain.events.facts.workspace import DoNotContactCounts
from backend.domain.model.condition import told_recorded
from backend.domain.model.send_word import LAST_WORD, GivenWord
from backend.domain.model.task import ActionFamily
from backend.domain.model.tools import TOOLS, WithdrawInvitation
from backend.domain.model.variables import in_words
from backend.domain.values.canonical_json import Json

MOST = 140
"""Characters of a sentence; longer ones are cut."""

Tone = Literal["good", "bad", "plain"]

_NEEDS: dict[str, str] = {
    ActionFamily.THINK: "a decision",
    ActionFamily.LOOK: "a look at the profile",
    ActionFamily.INVITE: "the invitation",
    ActionFamily.MESSAGE: "the message",
    ActionFamily.ANSWER: "your answer to be sent",
    ActionFamily.WITHDRAW: "the invitation to be withdrawn",
    ActionFamily.APPROVAL: "your approval",
    ActionFamily.INPUT: "your answer",
}
_SPEAKERS = {"user": "You said", "model": "The model said"}
_DO_NOT_CONTACT_COUNTS = tuple(DoNotContactCounts.__annotations__)
_IMPORT_COUNTS = ("accepted", "merged", "unchanged", "rejected", "filtered_out")
_LEAD_NEWS = (
    ("replied_at", "{} has replied"),
    ("paused_until", "{} is left in peace for a time"),
    ("accepted_at", "{} accepted the invitation"),
    ("invited_at", "{} moved on to the next step"),
    ("last_sent_at", "{} moved on to the next step"),
    ("thread_read_at", "Conversation with {} read"),
    ("visited_at", "Profile of {} visited"),
)
"""What `LeadAdvanced` says, by the most telling of the columns that it changes."""


class LogEntry(NamedTuple):
    """An entry of a log: `lead`, `task` and `what` are the names of what it is about, "" where that is nothing."""

    kind: str
    entity_id: str
    payload: Mapping[str, Json] | None
    lead: str = ""
    task: str = ""
    what: str = ""

    def value(self, name: str) -> str:
        """A value of the payload as words; "" if it is not there."""
        value = (self.payload or {}).get(name)
        if value is None:
            return ""
        if isinstance(value, bool):
            return "true" if value else "false"
        return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False)

    @property
    def lead_name(self) -> str:
        """Whom it is about."""
        return self.lead or self.value("full_name") or "a lead"

    @property
    def task_name(self) -> str:
        """The task in quotation marks."""
        return f"“{self.task or self.value('description') or 'a task'}”"

    @property
    def message_name(self) -> str:
        """For example "Invitation to Ada"."""
        return f"{_capital(self.what or self.value('kind') or 'message')} to {self.lead_name}"

    @property
    def skill_name(self) -> str:
        """The skill in quotation marks."""
        return f"Skill “{self.what}”" if self.what else "A skill"


Sentence = str | Callable[[LogEntry], str]
"""A text with places for an entry's names and values, as `_filled` fills them, or a function."""


def _capital(text: str) -> str:
    return text[:1].upper() + text[1:]


def _words(code: str) -> str:
    return code.replace("_", " ")


_BLOCKED = {
    "in_touch_elsewhere": "with another campaign",
    "in_doubt": "may be the same person as somebody else",
    "taken_over": "moved to another campaign",
    "no_profile_url": "no usable profile address",
    "labelled": "labelled before the first contact",
    "outcome_unknown": "nobody knows yet whether a message arrived",
    "written_to_before": "written to before",
    "invited_before": "invited before",
}
"""Why nothing goes to a lead, where its code would not be understood."""


def blocked_words(code: str) -> str:
    """Why nothing goes to a lead, in words, by its code."""
    return _BLOCKED.get(code, _words(code))


def _because(text: str) -> str:
    return f": {text}" if text else ""


def _lead_advanced(entry: LogEntry) -> str:
    for column, news in _LEAD_NEWS:
        if entry.value(column):
            return news.format(entry.lead_name)
    return f"{entry.lead_name} moved on"


def _answered(entry: LogEntry) -> str:
    answers = (entry.payload or {}).get("answers") or ()
    return (
        f"{entry.lead_name}: {told_recorded(answers[-1])}" if answers else f"A condition answered for {entry.lead_name}"
    )


def _task_advanced(entry: LogEntry) -> str:
    if needs := entry.value("needs"):
        return f"{entry.task_name} now needs {_NEEDS.get(needs, _words(needs))}"
    strikes = entry.value("strikes")
    if strikes not in ("", "0"):
        return f"{entry.task_name}: {strikes} proposals in a row were refused"
    return f"{entry.task_name} goes on"


def _turn_completed(entry: LogEntry) -> str:
    verdict = entry.value("verdict") or "accepted"
    subject = entry.lead or entry.task
    refused = "" if verdict == "accepted" else _because(entry.value("error"))
    proposal = entry.value("proposal") or "no proposal"
    return f"Turn {entry.entity_id}: {proposal} {_words(verdict)}{f' for {subject}' if subject else ''}{refused}"


_STATES = {
    "Sleeping": "Waiting for the next step",
    "Idle": "Ready for the next step",
    "LoadingContext": "Looking at where things stand",
    "Inferring": "Deciding on the next step",
    "ExecutingActions": "Carrying out the next step",
    "Persisting": "Saving what was done",
    "Faulted": "Stopped with an error",
}


def _runtime_changed(entry: LogEntry) -> str:
    if state := entry.value("state"):
        return _STATES.get(state, "Starting")
    return f"Automatic steps switched {'on' if entry.value('loop_enabled') == '1' else 'off'}"


def _setting(entry: LogEntry) -> str:
    name = entry.entity_id.partition(":")[0]
    if name == "rehearsal_ahead":
        return "Practice clock set" if entry.kind == "ConfigSet" else "Practice clock moved forward"
    if name == "replies_read":
        return "Replies read"
    if name == LAST_WORD:
        last_word = GivenWord.read(entry.value("value"))
        return (
            said_of(entry.lead or entry.what, last_word.word)
            if last_word
            else "What you said last took effect or was taken back"
        )
    return f"Setting {entry.entity_id} {'made' if entry.kind == 'ConfigSet' else 'changed'}"


def said_of(name: str, statement: str) -> str:
    """What the user said of somebody in a send session; `name` may be ""."""
    return f"You said{f' of {name}' if name else ''}: {_words(statement)}"


def _counts(entry: LogEntry, names: Iterable[str]) -> str:
    counts = [f"{entry.value(name)} {_words(name)}" for name in names if entry.value(name) not in ("", "0")]
    return ", ".join(counts) or "no rows"


def _import_finished(entry: LogEntry) -> str:
    return f"Import of {entry.what or 'a file'} finished: {_counts(entry, _IMPORT_COUNTS)}"


def _do_not_contact_finished(entry: LogEntry) -> str:
    return f"Do-not-contact file {entry.what} imported: {_counts(entry, _DO_NOT_CONTACT_COUNTS)}".replace("  ", " ")


def _labelled(entry: LogEntry) -> str:
    label = str(entry.value("label") or "").replace("_", " ")
    return f"{entry.lead_name} marked “{label}”" if label else f"Mark of {entry.lead_name} removed"


def _prioritised(entry: LogEntry) -> str:
    priority = entry.value("priority_override")
    return f"Priority of {entry.lead_name} " + (f"set to {priority}" if priority else "is by score again")


def _campaign_edited(entry: LogEntry) -> str:
    changed = [_words(name) for name in entry.payload or () if name != "version"]
    return f"Campaign changed: {', '.join(changed) or 'its settings'}"


def _commitment(entry: LogEntry) -> str:
    params = (entry.payload or {}).get("params")
    promise = params.get("type") if isinstance(params, Mapping) else None
    return f"{entry.task_name} is done when it is verified: {_words(str(promise or 'a commitment'))}"


def _checked(entry: LogEntry) -> str:
    passed = "Verified" if entry.value("status") == "passed" else "Not verified"
    return f"{passed} for {entry.task_name}{_because(entry.value('detail'))}"


def _reply(entry: LogEntry) -> str:
    text = entry.value("text")
    return f"{entry.lead_name} replied{_because(f'“{text}”' if text else '')}"


def _cancelled(entry: LogEntry) -> str:
    rejection_reason = entry.value("rejection_reason")
    quoted_reason = f"“{rejection_reason}”" if rejection_reason else ""
    return f"{entry.message_name} cancelled{_because(entry.value('reason'))}{_because(quoted_reason)}"


def _found(entry: LogEntry) -> str:
    text = entry.value("text")
    return f"A message to {entry.lead_name} that was not on record{_because(f'“{text}”' if text else '')}"


def _leads_ranked(entry: LogEntry) -> str:
    dealt = (entry.payload or {}).get("lead_ids", ())
    return f"You put {len(dealt)} people in order (round {entry.value('number')})"


def _entries_erased(entry: LogEntry) -> str:
    entries = (entry.payload or {}).get("entries")
    number = len(entries) if isinstance(entries, Mapping) else 0
    return "1 log entry was erased" if number == 1 else f"{number} log entries were erased"


def _scoring_ended(entry: LogEntry) -> str:
    done = entry.value("status") == "done"
    return "All leads are scored" if done else "Scoring ended: another blueprint came into force"


def _said(entry: LogEntry) -> str:
    return _SPEAKERS.get(entry.value("role"), "The assistant said") + _because(entry.value("content"))


def _voice(entry: LogEntry) -> str:
    restores = entry.value("restores")
    return f"Voice is now version {entry.value('version')}" + (f", the same as {restores}" if restores else "")


def _artifact(entry: LogEntry) -> str:
    version = entry.value("version")
    return f"Artifact saved: {_words(entry.what)}" + (f", version {version}" if version else "")


def _settled(entry: LogEntry) -> str:
    status = _words(entry.value("status")) or "known"
    if entry.what == WithdrawInvitation.tool_name():
        status = {"sent": "withdrawn", "not sent": "not withdrawn"}.get(status, status)
    return f"Outcome {status} for {entry.lead_name}{_because(entry.value('said'))}"


def _intended(entry: LogEntry) -> str:
    return f"About to act: {entry.value('family') or _words(entry.what)} for {entry.lead_name}"


SENTENCES: dict[str, Sentence] = {
    "CampaignCreated": lambda e: f"Campaign “{e.value('name') or e.what}” created",
    "CampaignActivated": "Campaign activated",
    "CampaignPaused": "Campaign paused{:status_reason}",
    "CampaignHeld": "Campaign held{:status_reason}",
    "CampaignContinued": "Campaign continued",
    "CampaignCompleted": "Campaign completed",
    "ConflictOpened": "A decision is in conflict with another device's",
    "ConflictSettled": "A conflict between two devices was settled",
    "CampaignReopened": "Campaign reopened{:status_reason}",
    "CampaignFailed": "Campaign stopped with an error{:status_reason}",
    "CampaignRecovered": "Campaign taken out of its error{:status_reason}",
    "CampaignEdited": _campaign_edited,
    "SequenceChanged": "Sequence changed",
    "CampaignArchived": "Campaign archived",
    "CampaignUnarchived": "Campaign brought back from the archive",
    "CampaignDeleted": "Campaign deleted with the personal data in it",
    "TaskCreated": "Task created: {task}",
    "TaskStarted": "Started on {task}",
    "TaskAdvanced": _task_advanced,
    "TaskDeferred": "{task} put off",
    "TaskClaimed": "{task} claimed to be done, to be verified",
    "TaskCompleted": "{task} is done and verified",
    "TaskReopened": "{task} goes on",
    "TaskReturned": "{task} goes back to work: not verified",
    "TaskBlocked": "{task} blocked{:reason}",
    "TaskCancelled": "{task} cancelled",
    "ServitorDismissed": "{task} dismissed",
    "TaskUnblocked": "{task} unblocked",
    "CommitmentMade": _commitment,
    "CommitmentChecked": _checked,
    "CommitmentWithdrawn": "A condition of {task} was removed",
    "ImportStarted": lambda e: f"Import of {e.what or e.value('file')} started",
    "ImportFinished": _import_finished,
    "LeadImported": "{lead} imported",
    "LeadMerged": "{lead} updated from a file",
    "RowMerged": "Row {line} of a file merged by {matched}",
    "MergeUndone": "{lead} as it was before a file",
    "ImportUndone": "Import undone: {taken_back} taken back, {kept} kept",
    "RowRejected": "Row {line} of a file rejected{:reason}",
    "LeadScored": "{lead} scored {weight_score}",
    "LeadPlanned": "Outreach to {lead} planned",
    "LeadAdvanced": _lead_advanced,
    "ConditionAnswered": _answered,
    "InvitationWithdrawn": "Invitation to {lead} withdrawn",
    "LeadClaimed": "{lead} is with this campaign from now on",
    "LeadContactAllowed": lambda e: (
        f"{e.lead_name} may be contacted here, too{_because(e.value('contact_anyway'))}"
        if e.value("contact_anyway")
        else f"{e.lead_name} is left to the other campaign"
    ),
    "LeadFinished": "Sequence for {lead} ended{:finished}",
    "LeadResumed": "Sequence for {lead} goes on",
    "LeadBlocked": lambda e: f"{e.lead_name} is left out{_because(blocked_words(str(e.value('blocked') or '')))}",
    "LeadUnblocked": "{lead} is no longer left out",
    "LeadPrioritised": _prioritised,
    "LeadLabelled": _labelled,
    "LeadSnoozed": lambda e: f"Conversation with {e.lead_name} {'snoozed' if e.value('snoozed_until') else 'is back'}",
    "RepliesRead": "Conversation with {lead} opened",
    "LeadNoted": "Note on {lead}",
    "GreetingChosen": "Greeting name of {lead} changed",
    "LeadTagged": "Tags of {lead} changed",
    "MessageDrafted": lambda e: f"Draft written for {e.lead_name} ({e.what or e.value('kind')})",
    "MessageEdited": "{message} edited",
    "MessageApproved": "{message} approved",
    "MessageWithdrawn": "{message} is a draft again",
    "MessageRestored": "{message} waits in Review again",
    "MessageCancelled": _cancelled,
    "MessageSending": "{message} is being sent",
    "MessageSent": "{message} sent",
    "MessageNotSent": "{message} did not go out{:reason}",
    "MessageOutcomeUnknown": "{message}: delivery not confirmed",
    "MessageFailed": "{message} failed{:reason}",
    "ReplyReceived": _reply,
    "ReplyClassified": "You say what a reply is: {reply_kind}",
    "OwnMessageFound": _found,
    "ApprovalGiven": "Approval given: {message}",
    "ApprovalUsed": "Approval used: {message}",
    "ApprovalReopened": "Approval open again: {message}",
    "ApprovalExpired": "Approval expired: {message}",
    "ApprovalRevoked": "Approval revoked: {message}",
    "ActionIntended": _intended,
    "ActionHandedOver": lambda e: f"Handed to you to send: {e.value('family') or _words(e.what)} for {e.lead_name}",
    "ActionSettled": _settled,
    "ActionConfirmed": lambda e: f"Confirmed by LinkedIn's export: it was sent to {e.lead_name}",
    "IncidentOpened": "Incident, everything stops{:said}",
    "IncidentCleared": "Incident cleared{:reason}",
    "ArtifactPersisted": _artifact,
    "ScoringStarted": "Rescoring all leads with version {blueprint} of the blueprint",
    "ScoringAdvanced": "{done} leads rescored, {changed} changed",
    "ScoringEnded": _scoring_ended,
    "LeadsRanked": _leads_ranked,
    "RankingTakenBack": "A round of your ranking no longer counts",
    "RankingPutBack": "A round of your ranking counts again",
    "InputRequested": lambda e: f"Question: {in_words(e.value('question') or e.what)}",
    "InputAnswered": "Question answered{:answer}",
    "RequestAsked": lambda e: f"The assistant asks: {e.value('question') or e.what}",
    "RequestEnded": "Request ended: {task}{:reason}",
    "ConversationSaid": _said,
    "ConversationDeleted": "Conversation deleted (hidden only)",
    "ConversationRestored": "Conversation shown again",
    "EntriesErased": _entries_erased,
    "AttachmentGiven": "Given with a request: {name}",
    "TurnCompleted": _turn_completed,
    "TurnFaulted": "Turn {id} failed{:error}",
    "ReplyBilled": "A reply that led to no turn was charged{:model}",
    "RuntimeChanged": _runtime_changed,
    "ClockSetBack": lambda e: (
        "This computer's clock " + ("was set back" if e.value("clock_was") != "0" else "caught up")
    ),
    "DoNotContactAdded": lambda e: f"{e.what or 'Somebody'} is not to be contacted{_because(e.value('reason'))}",
    "IdentityAnswered": lambda e: "Said to be " + ("one person" if e.value("same") else "different people"),
    "IdentityAnswerTakenBack": "Whether they are one person is open again",
    "DoNotContactRemoved": lambda e: f"{e.what or 'Somebody'} may be contacted again",
    "DoNotContactImportStarted": lambda e: f"Do-not-contact file {e.value('file') or e.what} is imported",
    "DoNotContactImportFinished": _do_not_contact_finished,
    "DoNotContactImportUndone": lambda e: f"Import of do-not-contact file {e.what or ''} undone".replace("  ", " "),
    "ContactRemembered": "That somebody was contacted whose data is gone is remembered without their name",
    "ConsentGiven": "You consented in writing to Outrider reading and clicking on LinkedIn",
    "ConsentWithdrawn": "You withdrew your consent: Outrider no longer reads or clicks on LinkedIn",
    "ConfigSet": _setting,
    "ConfigChanged": _setting,
    "SoulChanged": _voice,
    "SkillInstalled": "{skill} installed",
    "SkillUpdated": "{skill} has another text, version {version}",
    "SkillReviewed": "{skill} was read and approved",
    "SkillEnabled": "{skill} was switched on",
    "SkillDisabled": "{skill} was switched off",
    "SkillRemoved": "{skill} was removed",
    "SkillRestored": "{skill} is back in the list",
    "SecretKept": "Key {id} was kept, sealed",
    "SecretChanged": "Key {id} was encrypted again",
    "SecretForgotten": "Key {id} was forgotten",
    "DeviceJoined": lambda e: f"Device {e.value('name') or e.entity_id} was added",
    "SigningKeyIntroduced": "The logs are now signed with a new key of this device",
    "DeviceNamed": lambda e: f"A device is called {e.value('name')} now",
    "DeviceRevoked": "A device's access was taken away",
}
"""What happened, by the kind of the event. `{lead}` is whom it is about, `{reason}` a value, `{:reason}` ": why", if known."""


PROPOSAL_WORDS: dict[str, str] = {
    "create_task": "a new task",
    "select_next_task": "which task comes next",
    "execute_tool": "the next act of a task",
    "generate_message": "a message",
    "analyze_leads": "rules for scoring",
    "request_user_input": "a question for you",
    "persist_artifact": "something to keep",
    "no_op": "to do nothing now",
}
"""What each type of proposal is called on people's screens."""


def _proposed(entry: LogEntry) -> str:
    raw = entry.value("raw")
    try:
        reply = json.loads(raw)
    except (ValueError, RecursionError):  # it may be anything at all
        proposal = "no JSON" if raw else "it was not kept"
    else:
        named = reply.get("type") if isinstance(reply, dict) else None
        proposal = named if isinstance(named, str) else "no proposal"
    if proposal in PROPOSAL_WORDS:
        return f"The agent proposed {PROPOSAL_WORDS[proposal]}"
    return f"Reply of the model as received: {proposal}"


def _verified(entry: LogEntry) -> str:
    checks = (entry.payload or {}).get("checks")
    count = ""
    if isinstance(checks, list):
        passed = sum(isinstance(check, Mapping) and check.get("passed") is True for check in checks)
        count = f" ({passed} of {len(checks)} passed)"
    done = "Verified" if entry.value("done") == "true" else "Not verified"
    return f"{done}: {entry.task_name}{count}"


def _resolved(entry: LogEntry) -> str:
    if entry.value("choice") == "mine":
        return "Repeated a decision that was in conflict with another device's"
    return "Kept what another device had decided"


def _started(entry: LogEntry) -> str:
    tool = TOOLS.get(entry.value("tool"))
    sends = "an invitation" if tool is not None and tool.sends == "invitation" else "a message"
    return f"Began to send {sends} to {entry.lead_name}"


def _parameters(entry: LogEntry) -> Mapping[str, Json]:
    parameters = (entry.payload or {}).get("parameters")
    return parameters if isinstance(parameters, Mapping) else {}


def _with_outcome(sentence: Sentence) -> Sentence:
    """Followed by what came of it, unless it went well."""

    def say(entry: LogEntry) -> str:
        outcome = entry.value("outcome")
        text = _filled(sentence, entry) if isinstance(sentence, str) else sentence(entry)
        return text + ("" if outcome in _AS_IT_SHOULD else _because(outcome))

    return say


def _file(verb: str) -> Sentence:
    def say(entry: LogEntry) -> str:
        recorded = _parameters(entry).get("files") or _parameters(entry).get("file")
        names = recorded if isinstance(recorded, list) else [recorded] if recorded else []
        is_name = len(names) == 1 and isinstance(names[0], str) and not _HASH.fullmatch(names[0])
        what = f"“{names[0]}”" if is_name else "a file" if len(names) == 1 else f"{len(names) or 'some'} files"
        return f"{verb} {what}"

    return _with_outcome(say)


def _changed_setting(entry: LogEntry) -> str:
    recorded = {name: value if isinstance(value, str) else "" for name, value in _parameters(entry).items()}
    return event_sentence(LogEntry(recorded.get("change", ""), recorded.get("id", ""), {})) or "A setting was changed"


_AS_IT_SHOULD = frozenset({"ok", "begun", "armed"})
_HASH = re.compile(r"[0-9a-f]{64}")

AUDIT_SENTENCES: dict[str, Sentence] = {
    "activation": "Checked what a start needs",
    "browser.open": _with_outcome("Opened the site in the browser"),
    "browser.close": "Closed the browser",
    "file.read": _file("Read"),
    "file.write": _file("Wrote"),
    "file.remove": "Removed files that were due",
    "mcp.proposal": _with_outcome("A connected program proposed something"),
    "script.approved": "A script was approved",
    "script.started": "A script was started",
    "script.ended": _with_outcome("A script ended"),
    "script.verified": "A script's result was calculated again",
    "setting.changed": _changed_setting,
    "wake.asked": _with_outcome("An early turn was asked for"),
    "wake.settled": _with_outcome("An early turn was settled"),
    "turn.fault_reset": "A turn's fault was cleared",
    "verification.started": "Began to verify {task}",
    "proposal": _proposed,
    "verification": _verified,
    "turn_failed": "Turn failed{:said}",
    "conflict_resolved": _resolved,
    "search_index_rebuilt": "A damaged search index was made anew",
    "invariant_broken": "An invariant does not hold{:what}",
    "unexpected_failure": "Something unexpected happened{:what}",
    "action.started": _started,
}
"""What was recorded, by the audit entry's action; that a tool was used is said by its row (`ToolSpec.done`)."""

_NAMES: dict[str, Callable[[LogEntry], str]] = {
    "lead": lambda entry: entry.lead_name,
    "task": lambda entry: entry.task_name,
    "message": lambda entry: entry.message_name,
    "skill": lambda entry: entry.skill_name,
    "id": lambda entry: _words(entry.entity_id),
}
_CODES = frozenset({"finished", "blocked"})
"""Values that are codes, to be read as words."""
_PLACE = re.compile(r"\{(:?)(\w+)\}")

_BAD = re.compile(
    r"Failed|Faulted|Blocked|Rejected|IncidentOpened|OutcomeUnknown|NotSent|TaskReturned"
    r"|^turn_failed|^invariant_broken|^unexpected_failure"
)
_GOOD = frozenset({"MessageSent", "ReplyReceived", "TaskCompleted", "CampaignCompleted"})

HIGHLIGHTS = frozenset({
    "CampaignCreated", "CampaignActivated", "CampaignPaused", "CampaignHeld", "CampaignContinued", "CampaignCompleted",
    "CampaignReopened", "CampaignFailed", "CampaignRecovered", "CampaignEdited", "SequenceChanged",
    "CampaignArchived", "CampaignUnarchived", "ImportFinished", "ImportUndone", "ScoringEnded",
    "LeadFinished", "LeadResumed", "LeadBlocked", "LeadUnblocked", "LeadLabelled", "LeadNoted", "InvitationWithdrawn",
    "MessageDrafted", "MessageEdited", "MessageApproved", "MessageCancelled", "MessageSent", "MessageNotSent",
    "MessageOutcomeUnknown", "MessageFailed", "ReplyReceived", "ReplyClassified", "OwnMessageFound", "ActionConfirmed",
    "IncidentOpened", "IncidentCleared", "InputRequested", "InputAnswered", "RequestAsked",
    "TaskBlocked", "TurnFaulted", "EntriesErased",
})  # fmt: skip
"""The events that the user or a lead would notice; the others are bookkeeping."""
LEAD_HIGHLIGHTS = ("accepted_at", "visited_at")
"""Columns with which `LeadAdvanced` is one of them: its other changes follow from what was sent or received."""


def event_sentence(entry: LogEntry) -> str:
    """What an event says happened."""
    return _cut(SENTENCES.get(entry.kind, _humanised), entry)


def audit_sentence(entry: LogEntry) -> str:
    """What an entry of the audit log says was done."""
    if (tool := TOOLS.get(entry.kind)) is not None and tool.done:
        outcome = entry.value("outcome")
        return _cut(lambda _: _filled(tool.done, entry) + ("" if outcome == "ok" else _because(outcome)), entry)
    return _cut(AUDIT_SENTENCES.get(entry.kind, _humanised), entry)


def tone(kind: str) -> Tone:
    """Whether an entry is worth a second look."""
    if _BAD.search(kind):
        return "bad"
    return "good" if kind in _GOOD else "plain"


def _cut(sentence: Sentence, entry: LogEntry) -> str:
    filled_sentence = _filled(sentence, entry) if isinstance(sentence, str) else sentence(entry)
    text = _capital(" ".join(filled_sentence.split()))
    return text if len(text) <= MOST else f"{text[:MOST]}…"


def _filled(sentence: str, entry: LogEntry) -> str:
    def value(match: re.Match[str]) -> str:
        reason, name = match.groups()
        if not reason and name in _NAMES:
            return _NAMES[name](entry)
        text = entry.value(name)
        text = _words(text) if name in _CODES else text
        return _because(text) if reason else text

    return _PLACE.sub(value, sentence)


def _humanised(entry: LogEntry) -> str:
    """For example "Lead snoozed: Ada", for a kind that is not known here."""
    kind = _words(re.sub(r"(?<=[a-z])(?=[A-Z])", " ", entry.kind)).lower()
    return f"{_capital(kind)}{_because(entry.lead or entry.task or entry.what)}"
