// Written by `make wire` from the shapes in backend/api/wire. Do not edit.

/** The user's answer to a question. */
export interface Answer {
  answer: string;
}

/** Who said yes to exactly this text, and when. */
export interface ApprovalLine {
  by: string;
  at: number;
  digest: string;
  status: string;
}

/** Approve exactly the text whose digest this is. */
export interface Approve {
  digest: string;
}

/** Approve each of these texts, each bound to the digest of what was shown of it. */
export interface ApproveSeveral {
  drafts: Shown[];
}

/** Nothing is eligible before `until` (null: before somebody does something), and why. */
export interface Asleep {
  until: number | null;
  held: string[];
}

/** One attempt to send: what the site said, what was then seen, and what that amounted to. */
export interface AttemptLine {
  id: string;
  at: number;
  settled_at: number | null;
  status: string;
  claim: string;
  said: string;
  evidence: EvidencePiece[];
}

/** Every campaign, newest first, and what runs. */
export interface CampaignList {
  campaigns: CampaignSummary[];
  run: RunState;
}

/** Spec 001 FR-054. */
export type CampaignStatus = "initializing" | "active" | "paused" | "completed" | "error";

/** A campaign in the list. */
export interface CampaignSummary {
  id: string;
  name: string;
  status: CampaignStatus;
  status_reason: string;
  site: string;
  created_at: number;
  turns: number;
  leads: Partial<Record<LeadStatus, number>>;
  drafts: number;
  questions: number;
}

/** Everything the live page shows, as of event `seq`; every list is bounded. */
export interface CampaignView {
  id: string;
  name: string;
  goal: string;
  status: CampaignStatus;
  status_reason: string;
  site: string;
  seq: number;
  now: number;
  utc_offset_ms: number;
  present: boolean;
  position: Now;
  proposal: Proposal | null;
  leads: Partial<Record<LeadStatus, number>>;
  task_counts: Partial<Record<TaskStatus, number>>;
  tasks: TaskLine[];
  families: FamilyGates[];
  drafts_total: number;
  questions: Question[];
  incidents: Incident[];
  turns: TurnLine[];
  run: RunState;
}

/** What became of one of several: null when it was carried out, else why not. */
export interface Decided {
  id: string;
  error: ErrorShape | null;
}

/** What became of each, in the order in which they were given. */
export interface DecidedList {
  drafts: Decided[];
}

/** The command was carried out. */
export interface Done {
  campaign_id: string;
}

/** A text that waits in Review; `digest` binds recipient, exact text and campaign version. `thread` are the last messages of the conversation, oldest first, as of `read_at`. */
export interface Draft {
  id: string;
  lead_id: string;
  kind: string;
  step: string;
  recipient: string;
  headline: string;
  profile_url: string;
  text: string;
  length: number;
  limit: number;
  digest: string;
  created_at: number;
  gates: GateLine[];
  thread: Said[];
  read_at: number | null;
}

/** Drafts, oldest first; `next` is the cursor of what follows, null at the end. */
export interface DraftPage {
  rows: Draft[];
  next: string | null;
}

/** The draft's new text; it still needs approval. */
export interface Edit {
  text: string;
}

/** What every failed request answers, and what a run that broke leaves behind. */
export interface ErrorShape {
  code: string;
  sentence: string;
  remedy: string;
}

/** Events in order. */
export interface Events {
  type: "events";
  events: FeedEvent[];
}

/** In whose record the file is named: the id of an action, a message or an incident. */
export interface EvidenceAsked {
  of: string;
}

/** Something seen: the words that matter, and the file that shows it ("" when there is none). */
export interface EvidencePiece {
  kind: string;
  file: string;
  sha256: string;
  quote: string;
}

/** The gates of one family of acts, as they stand for the account. */
export interface FamilyGates {
  family: Needs;
  waiting: number;
  gates: GateLine[];
}

/** A recorded fact; `seq` has no gaps within a campaign. `changes` holds the new values of the columns it changed, which the page folds into the rows it shows; null when that is too much to send, or was erased: then the row is asked for. */
export interface FeedEvent {
  campaign_id: string;
  seq: number;
  at: number;
  kind: string;
  entity: string;
  entity_id: string;
  actor: string;
  cause: string;
  changes: Record<string, unknown> | null;
}

/** Which part of a list is asked for: what comes after a row's cursor ("" for the beginning), at most so many rows. */
export interface Following {
  after: string;
  limit: number;
}

/** One gate, open or shut: why, and when that may change (null: only when somebody acts). */
export interface GateLine {
  code: string;
  passes: boolean;
  sentence: string;
  until: number | null;
}

/** The page is visible, and this long ago (ms) somebody used it. */
export interface Heartbeat {
  idle_ms: number;
}

/** The socket's first message: the token, and the last event seen of each campaign. */
export interface Hello {
  token: string;
  after: Record<string, number>;
}

/** The account met something that stops everything until the user clears it with a reason. */
export interface Incident {
  id: string;
  kind: string;
  said: string;
  opened_at: number;
  evidence: string;
}

/** Spec 001 Key Entities. */
export type LeadStatus = "pending" | "contacted" | "responded" | "rejected";

/** A draft's way out; `received` is for what the other side wrote. */
export type MessageStatus = "draft" | "approved" | "sending" | "sent" | "outcome_unknown" | "failed" | "cancelled" | "received";

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input";

/** A command without particulars. */
export type Nothing = Record<string, never>;

/** Where the loop stands: the turn machine's state and what it was last about. */
export interface Now {
  state: TurnState;
  turn: number;
  task: string;
  task_status: string;
  lead_name: string;
  lead_headline: string;
  action: string;
  last_error: string;
}

/** A text that was approved and has not been sent, or of which nobody knows whether it was: why it waits. `ready_at` is when its sequence owes it; `question` is what the user is asked about an unknown outcome. */
export interface Outgoing {
  id: string;
  lead_id: string;
  kind: string;
  step: string;
  recipient: string;
  headline: string;
  profile_url: string;
  text: string;
  status: MessageStatus;
  reason: string;
  approved_by: string;
  approved_at: number | null;
  expires_at: number | null;
  ready_at: number | null;
  gates: GateLine[];
  question: Question | null;
}

/** Approved texts, oldest first; `next` is the cursor of what follows, null at the end. */
export interface OutgoingPage {
  rows: Outgoing[];
  next: string | null;
}

/** The code from the terminal, once, for this launch's token. */
export interface PairRequest {
  code: string;
}

/** The token; it stays in the page's memory. */
export interface Paired {
  token: string;
}

/** The proposer's last reply exactly as received (cut for display); `verdict` is empty while it is carried out. */
export interface Proposal {
  turn: number;
  raw: string;
  cut: boolean;
  type: string;
  verdict: string;
  sentence: string;
}

/** Something a task waits for. */
export interface Question {
  id: string;
  kind: string;
  question: string;
  choices: string[];
  created_at: number;
}

/** The feed is open; where each stream stands. */
export interface Ready {
  type: "ready";
  heads: Record<string, number>;
}

/** Why the user clears an incident or recovers a campaign. */
export interface Reason {
  reason: string;
}

/** How the account stands to a person, as the site shows it. */
export type Relation = "none" | "pending" | "connected";

/** Too much was missed to be sent one by one: load the campaign again, the feed goes on after `seq`. */
export interface Reset {
  type: "reset";
  campaign_id: string;
  seq: number;
}

/** The background runner's state; the latest replaces those before it. */
export interface RunChanged {
  type: "run";
  run: RunState;
}

/** What the background runner does; one campaign at a time. */
export interface RunState {
  phase: "idle" | "starting" | "running" | "stopping";
  campaign_id: string | null;
  asleep: Asleep | null;
  halt: string | null;
  because: string[];
  error: ErrorShape | null;
}

/** One message of a conversation; `text` is cut after a while, `length` is that of the whole (in characters). */
export interface Said {
  author: "us" | "them";
  kind: string;
  text: string;
  length: number;
  at: number;
}

/** This launch of Outrider. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  run: RunState;
}

/** A draft as it was shown. */
export interface Shown {
  id: string;
  digest: string;
}

/** A turn's step was closed. Not in any log, and may be left out under load. */
export interface StepTicker {
  type: "step";
  campaign_id: string;
  step: number;
  what: string;
}

/** A task with why it stands where it stands. */
export interface TaskLine {
  id: string;
  description: string;
  status: TaskStatus;
  needs: Needs;
  reason: string;
  ready_at: number | null;
  lead_name: string;
}

/** Spec 000 §4.2 plus `verifying` (spec 004). */
export type TaskStatus = "pending" | "in_progress" | "verifying" | "done" | "blocked";

/** A message with everything that is recorded of it. */
export interface ThreadEntry {
  author: "us" | "them";
  kind: string;
  text: string;
  length: number;
  at: number;
  id: string;
  step: string;
  status: MessageStatus;
  reason: string;
  approval: ApprovalLine | null;
  attempts: AttemptLine[];
}

/** A conversation in the list; `id` is the lead's. `unknown` means that nobody knows whether the last was sent. */
export interface ThreadLine {
  id: string;
  recipient: string;
  headline: string;
  state: "unknown" | "replied" | "waiting";
  last_at: number;
  last: Said | null;
  read_at: number | null;
  finished: string;
}

/** Conversations, latest activity first; `next` is the cursor of what follows, null at the end. */
export interface ThreadPage {
  rows: ThreadLine[];
  next: string | null;
}

/** A conversation, oldest first; `earlier` is how many older messages are left out. Nothing is sent to somebody whose thread was last read more than `fresh_ms` ago. */
export interface ThreadView {
  id: string;
  recipient: string;
  headline: string;
  profile_url: string;
  state: "unknown" | "replied" | "waiting" | null;
  relation: Relation;
  read_at: number | null;
  fresh_ms: number;
  finished: string;
  blocked: string;
  earlier: number;
  messages: ThreadEntry[];
  questions: Question[];
}

/** Which conversations: of one state, of people whose name contains `name`. */
export interface ThreadsAsked {
  after: string;
  limit: number;
  state: "" | "unknown" | "replied" | "waiting";
  name: string;
}

/** A turn that ended; `steps_us` are the durations of its eight steps. */
export interface TurnLine {
  number: number;
  faulted: boolean;
  proposal: string;
  verdict: string;
  said: string;
  task: string;
  lead_name: string;
  steps_us: number[];
}

/** Where the one turn in flight stands. */
export type TurnState = "Bootstrapping" | "Idle" | "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting" | "Sleeping" | "Faulted";

export type FeedMessage = Ready | Events | Reset | StepTicker | RunChanged;
