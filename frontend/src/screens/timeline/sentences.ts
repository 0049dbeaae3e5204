import type { TimelineRow } from "../../wire/generated";

type Told = (row: TimelineRow) => string;

const MOST = 140;
const NEEDS: Record<string, string> = {
  think: "to be thought about",
  look: "a look at the profile",
  invite: "the invitation",
  message: "the message",
  approval: "your approval",
  input: "your answer",
};
const ACTORS: Record<string, string> = {
  user: "You",
  controller: "Controller",
  agent: "Agent",
  verifier: "Verifier",
  recovery: "Recovery",
  auto_approve: "Auto-approval",
};

export const actorName = (actor: string): string => ACTORS[actor] ?? actor;
export const ACTOR_NAMES: readonly [string, string][] = Object.entries(ACTORS);

/** A field of the payload as words; nothing when it is not there. */
function field(row: TimelineRow, name: string): string {
  const value = row.payload?.[name];
  return value === undefined || value === null ? "" : typeof value === "object" ? JSON.stringify(value) : String(value);
}

const words = (code: string): string => code.replaceAll("_", " ");
const cut = (text: string): string => (text.length > MOST ? `${text.slice(0, MOST)}…` : text);
const because = (text: string): string => (text ? `: ${text}` : "");
const capital = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);
const lead = (row: TimelineRow): string => row.subject.lead || field(row, "full_name") || "a lead";
const task = (row: TimelineRow): string => `“${row.subject.task || field(row, "description") || "a task"}”`;
const skill = (row: TimelineRow): string => (row.subject.what ? `Skill “${row.subject.what}”` : "A skill");
/** "Invitation to Ada", "Message to Ada". */
const message = (row: TimelineRow): string => `${capital(row.subject.what || field(row, "kind") || "message")} to ${lead(row)}`;

function advanced(row: TimelineRow): string {
  const who = lead(row);
  const has = (name: string) => row.payload?.[name] !== undefined && row.payload?.[name] !== null;
  if (has("replied_at")) return `${who} has replied`;
  if (has("accepted_at")) return `${who} accepted the invitation`;
  if (has("invited_at") || has("last_sent_at")) return `${who} moved on to the next step`;
  if (has("thread_read_at")) return `Conversation with ${who} read`;
  if (has("visited_at")) return `Profile of ${who} visited`;
  return `${who} moved on`;
}

function taskAdvanced(row: TimelineRow): string {
  const needs = field(row, "needs");
  if (needs) return `${task(row)} now needs ${NEEDS[needs] ?? words(needs)}`;
  const strikes = Number(field(row, "strikes"));
  return strikes > 0 ? `${task(row)}: ${strikes} proposals in a row were refused` : `${task(row)} goes on`;
}

function turnEnded(row: TimelineRow): string {
  const verdict = field(row, "verdict") || "accepted";
  const about = row.subject.lead || row.subject.task;
  const proposal = field(row, "proposal");
  const refused = verdict === "accepted" ? "" : because(field(row, "error"));
  return `Turn ${row.entity_id}: ${proposal || "no proposal"} ${words(verdict)}${about ? ` for ${about}` : ""}${refused}`;
}

function runtime(row: TimelineRow): string {
  const state = field(row, "state");
  if (state) return `The loop is ${state.toLowerCase()}`;
  return field(row, "loop_enabled") === "1" ? "The loop was switched on" : "The loop was switched off";
}

function imported(row: TimelineRow): string {
  const counts = ["accepted", "merged", "unchanged", "rejected"].filter((name) => Number(field(row, name)) > 0);
  return `Import of ${row.subject.what || "a file"} finished: ${counts.map((name) => `${field(row, name)} ${name}`).join(", ") || "no rows"}`;
}

function prioritised(row: TimelineRow): string {
  const priority = field(row, "priority_override");
  return priority ? `Priority of ${lead(row)} set to ${priority}` : `Priority of ${lead(row)} is by score again`;
}

/** What happened, by the kind of the event. */
const EVENTS: Record<string, Told> = {
  CampaignCreated: (row) => `Campaign “${field(row, "name") || row.subject.what}” created`,
  CampaignActivated: () => "Campaign activated",
  CampaignPaused: (row) => `Campaign paused${because(field(row, "status_reason"))}`,
  CampaignContinued: () => "Campaign continued",
  CampaignCompleted: () => "Campaign completed",
  CampaignFailed: (row) => `Campaign stopped with an error${because(field(row, "status_reason"))}`,
  CampaignRecovered: (row) => `Campaign taken out of its error${because(field(row, "status_reason"))}`,
  CampaignEdited: (row) => `Campaign changed: ${Object.keys(row.payload ?? {}).map(words).join(", ") || "its settings"}`,
  TaskCreated: (row) => `Task created: ${task(row)}`,
  TaskStarted: (row) => `Started on ${task(row)}`,
  TaskAdvanced: taskAdvanced,
  TaskDeferred: (row) => `${task(row)} put off`,
  TaskClaimed: (row) => `${task(row)} claimed to be done, to be verified`,
  TaskCompleted: (row) => `${task(row)} is done and verified`,
  TaskReturned: (row) => `${task(row)} goes back to work: not verified`,
  TaskBlocked: (row) => `${task(row)} blocked${because(field(row, "reason"))}`,
  TaskUnblocked: (row) => `${task(row)} unblocked`,
  CommitmentMade: (row) => `${task(row)} is done when it is verified: ${words(committed(row))}`,
  CommitmentChecked: (row) => `${field(row, "status") === "passed" ? "Verified" : "Not verified"} for ${task(row)}${because(field(row, "detail"))}`,
  ImportStarted: (row) => `Import of ${row.subject.what || field(row, "file")} started`,
  ImportFinished: imported,
  LeadImported: (row) => `${lead(row)} imported`,
  LeadMerged: (row) => `${lead(row)} updated from a file`,
  RowRejected: (row) => `Row ${field(row, "line")} of a file rejected${because(field(row, "reason"))}`,
  LeadScored: (row) => `${lead(row)} scored ${field(row, "weight_score")}`,
  LeadPlanned: (row) => `Outreach to ${lead(row)} planned`,
  LeadAdvanced: advanced,
  LeadFinished: (row) => `Sequence for ${lead(row)} ended${because(words(field(row, "finished")))}`,
  LeadBlocked: (row) => `${lead(row)} blocked${because(words(field(row, "blocked")))}`,
  LeadUnblocked: (row) => `${lead(row)} unblocked`,
  LeadPrioritised: prioritised,
  LeadNoted: (row) => `Note on ${lead(row)}`,
  LeadTagged: (row) => `Tags of ${lead(row)} changed`,
  MessageDrafted: (row) => `Draft written for ${lead(row)} (${row.subject.what || field(row, "kind")})`,
  MessageEdited: (row) => `${message(row)} edited`,
  MessageApproved: (row) => `${message(row)} approved`,
  MessageWithdrawn: (row) => `${message(row)} is a draft again`,
  MessageRestored: (row) => `${message(row)} waits in Review again`,
  MessageCancelled: (row) => `${message(row)} cancelled${because(field(row, "reason"))}`,
  MessageSending: (row) => `${message(row)} is being sent`,
  MessageSent: (row) => `${message(row)} sent`,
  MessageNotSent: (row) => `${message(row)} did not go out${because(field(row, "reason"))}`,
  MessageOutcomeUnknown: (row) => `${message(row)}: nobody saw whether it went out`,
  MessageFailed: (row) => `${message(row)} failed${because(field(row, "reason"))}`,
  ReplyReceived: (row) => `${lead(row)} replied${because(field(row, "text") ? `“${field(row, "text")}”` : "")}`,
  ApprovalGiven: (row) => `Approval given: ${message(row)}`,
  ApprovalUsed: (row) => `Approval used: ${message(row)}`,
  ApprovalReopened: (row) => `Approval open again: ${message(row)}`,
  ApprovalExpired: (row) => `Approval expired: ${message(row)}`,
  ApprovalRevoked: (row) => `Approval revoked: ${message(row)}`,
  ActionIntended: (row) => `About to act: ${field(row, "family") || words(row.subject.what)} for ${lead(row)}`,
  ActionSettled: (row) => `Outcome ${words(field(row, "status")) || "known"} for ${lead(row)}${because(field(row, "said"))}`,
  IncidentOpened: (row) => `Incident, everything stops${because(field(row, "said"))}`,
  IncidentCleared: (row) => `Incident cleared${because(field(row, "reason"))}`,
  ArtifactPersisted: (row) => `Artifact saved: ${words(row.subject.what)}${field(row, "version") ? `, version ${field(row, "version")}` : ""}`,
  ScoringStarted: (row) => `All leads are scored anew by version ${field(row, "blueprint")} of the blueprint`,
  ScoringAdvanced: (row) => `${field(row, "done")} leads scored anew, ${field(row, "changed")} changed`,
  ScoringEnded: (row) => (field(row, "status") === "done" ? "All leads are scored" : "Scoring ended: another blueprint came into force"),
  InputRequested: (row) => `Question: ${field(row, "question") || row.subject.what}`,
  InputAnswered: (row) => `Question answered${because(field(row, "answer"))}`,
  RequestAsked: (row) => `The assistant asks: ${field(row, "question") || row.subject.what}`,
  RequestEnded: (row) => `Request ended: ${task(row)}${because(field(row, "reason"))}`,
  ConversationSaid: (row) => `${{ user: "You said", model: "The model said" }[field(row, "role")] ?? "The assistant said"}${because(field(row, "content"))}`,
  ConversationDeleted: () => "Conversation deleted: hidden, and nothing else",
  ConversationRestored: () => "Conversation shown again",
  AttachmentGiven: (row) => `Given with a request: ${field(row, "name")}`,
  TurnCompleted: turnEnded,
  TurnFaulted: (row) => `Turn ${row.entity_id} failed${because(field(row, "error"))}`,
  ReplyBilled: (row) => `A reply that became no turn was paid for${because(field(row, "model"))}`,
  RuntimeChanged: runtime,
  DoNotContactAdded: (row) => `${row.subject.what || "Somebody"} is not to be contacted${because(field(row, "reason"))}`,
  DoNotContactRemoved: (row) => `${row.subject.what || "Somebody"} may be contacted again`,
  ConfigSet: (row) => `Setting ${words(row.entity_id)} made`,
  SoulChanged: (row) => `Voice is now version ${field(row, "version")}${field(row, "restores") ? `, the same as ${field(row, "restores")}` : ""}`,
  SkillInstalled: (row) => `${skill(row)} installed`,
  SkillUpdated: (row) => `${skill(row)} has another text, version ${field(row, "version")}`,
  SkillReviewed: (row) => `${skill(row)} was read and approved`,
  SkillEnabled: (row) => `${skill(row)} was switched on`,
  SkillDisabled: (row) => `${skill(row)} was switched off`,
  SkillRemoved: (row) => `${skill(row)} was removed`,
  SkillRestored: (row) => `${skill(row)} is back in the list`,
  SecretKept: (row) => `Key ${words(row.entity_id)} was kept, sealed`,
  SecretChanged: (row) => `Key ${words(row.entity_id)} was sealed anew`,
  SecretForgotten: (row) => `Key ${words(row.entity_id)} was forgotten`,
  DeviceJoined: (row) => `Device ${field(row, "name") || row.entity_id} was added`,
  DeviceRevoked: () => "A device's access was taken away",
  ConfigChanged: (row) => `Setting ${words(row.entity_id)} changed`,
};

/** What was recorded, by the audit entry's action. */
const AUDITS: Record<string, Told> = {
  proposal: (row) => `Reply of the model as received: ${proposed(field(row, "raw"))}`,
  verification: verified,
  turn_failed: (row) => `Turn failed${because(field(row, "said"))}`,
  overtaken_decision: (row) =>
    field(row, "choice") === "mine" ? "Decided again what another device had overtaken" : "Left what another device had decided",
  invariant_broken: (row) => `An invariant does not hold${because(field(row, "what"))}`,
  "browser.check_selectors": (row) => `Looked whether the site is as expected${outcome(row)}`,
  "browser.open_profile": (row) => `Opened the profile of ${lead(row)}${outcome(row)}`,
  "browser.read_profile": (row) => `Read the profile of ${lead(row)}${outcome(row)}`,
  "browser.read_thread": (row) => `Read the conversation with ${lead(row)}${outcome(row)}`,
  "browser.send_invitation": (row) => `Sent an invitation to ${lead(row)}${outcome(row)}`,
  "browser.send_message": (row) => `Sent a message to ${lead(row)}${outcome(row)}`,
};

function committed(row: TimelineRow): string {
  const params: unknown = row.payload?.params;
  return typeof params === "object" && params !== null && "type" in params ? String(params.type) : "a commitment";
}

function verified(row: TimelineRow): string {
  const checks: unknown = row.payload?.checks;
  const passed = (one: unknown) => typeof one === "object" && one !== null && "passed" in one && one.passed === true;
  const count = Array.isArray(checks) ? ` (${checks.filter(passed).length} of ${checks.length} passed)` : "";
  return `${field(row, "done") === "true" ? "Verified" : "Not verified"}: ${task(row)}${count}`;
}

function outcome(row: TimelineRow): string {
  const said = field(row, "outcome");
  return said === "ok" ? "" : because(said);
}

/** The type of a proposal as it came; it may be anything at all. */
function proposed(raw: string): string {
  try {
    const reply: unknown = JSON.parse(raw);
    if (typeof reply === "object" && reply !== null && "type" in reply && typeof reply.type === "string") return reply.type;
  } catch {
    return raw ? "no JSON" : "it was not kept";
  }
  return "no proposal";
}

/** "LeadSnoozed" as "Lead snoozed: Ada", for a kind that this page does not know yet. */
function humanised(row: TimelineRow): string {
  const kind = row.kind.replace(/(?<=[a-z])(?=[A-Z])/g, " ").replaceAll("_", " ").toLowerCase();
  return `${capital(kind)}${because(row.subject.lead || row.subject.task || row.subject.what)}`;
}

/** What an entry says, in plain words. */
export function sentence(row: TimelineRow): string {
  if (row.erased && row.kind === "ReplyReceived") return `${lead(row)} replied`;
  const table = row.entity === "" ? AUDITS : EVENTS;
  return cut((table[row.kind] ?? humanised)(row).replace(/\s+/g, " "));
}

/** The name of a lead or task, from the entries that are about it. */
export function nameOf(id: string, rows: readonly TimelineRow[]): string {
  const row = rows.find(({ subject }) => id !== "" && (subject.lead_id === id || subject.task_id === id));
  return row === undefined ? "" : row.subject.lead_id === id ? row.subject.lead : row.subject.task;
}

const BAD = /Failed|Faulted|Blocked|Rejected|Incident(?!Cleared)|OutcomeUnknown|NotSent|TaskReturned|^turn_failed|^invariant_broken/;
const GOOD = /^(MessageSent|ReplyReceived|TaskCompleted|CampaignCompleted)$/;

/** Whether an entry is worth a second look. */
export function weight(row: TimelineRow): "bad" | "good" | "plain" {
  return BAD.test(row.kind) ? "bad" : GOOD.test(row.kind) ? "good" : "plain";
}
