// Written by `make wire` from the shapes in backend/api/wire. Do not edit.

/** What the current task would do next for its lead, not before `at` (null: not before somebody decides), and its gates. */
export interface Act {
  task_id: string;
  lead_id: string;
  lead_name: string;
  what: string;
  family: Needs;
  at: number | null;
  gates: GateLine[];
}

/** An act with an effect outside: what the site said of it, what was seen, and what that amounts to. */
export interface ActionLine {
  id: string;
  tool: string;
  status: string;
  claim: string;
  said: string;
  text: string;
  intended_at: number;
  settled_at: number | null;
  evidence: EvidencePiece[];
}

/** The user's answer to a question. */
export interface Answer {
  answer: string;
}

/** Approve exactly the text whose digest this is. */
export interface Approve {
  digest: string;
}

/** Nothing is eligible before `until` (null: before somebody does something), and why. */
export interface Asleep {
  until: number | null;
  held: string[];
}

/** A task that must be done before another may begin. */
export interface Before {
  id: string;
  description: string;
  status: TaskStatus;
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

/** What every screen of a campaign shares, as of event `seq`: it is loaded often, so it is small and every list bounded. */
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
  leads: Partial<Record<LeadStatus, number>>;
  task_counts: Partial<Record<TaskStatus, number>>;
  drafts: Draft[];
  drafts_total: number;
  questions: Question[];
  incidents: Incident[];
  run: RunState;
}

/** The command was carried out. */
export interface Done {
  campaign_id: string;
}

/** A text that waits in Review; `digest` binds recipient, exact text and campaign version. */
export interface Draft {
  id: string;
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

/** Something that was seen and kept: the words, or a file named by its SHA-256. */
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

/** A family of acts that no task may do now: the first gate that is shut. */
export interface Held {
  family: Needs;
  gate: GateLine;
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
}

/** Spec 001 Key Entities. */
export type LeadStatus = "pending" | "contacted" | "responded" | "rejected";

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input";

/** A command without particulars. */
export type Nothing = Record<string, never>;

/** Where the loop stands: the turn machine's state and what it was last about. */
export interface Now {
  state: TurnState;
  turn: number;
  task_id: string | null;
  task: string;
  task_status: string;
  lead_name: string;
  lead_headline: string;
  action: string;
  last_error: string;
}

/** The code from the terminal, once, for this launch's token. */
export interface PairRequest {
  code: string;
}

/** The token; it stays in the page's memory. */
export interface Paired {
  token: string;
}

/** One parameter of a proposal; what is no text is shown as JSON. */
export interface Parameter {
  name: string;
  value: string;
}

/** A reply that has the shape of a proposal. Exactly one of `task_id` and `justification` is given. */
export interface Parsed {
  type: string;
  task_id: string;
  justification: string;
  rationale: string;
  params: Parameter[];
}

/** What must be verifiably true before the task is done, whose promise it is, and what the last look found. `checked_at` null: not looked at yet. */
export interface Promise {
  id: string;
  sentence: string;
  source: string;
  status: string;
  detail: string;
  checked_at: number | null;
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

/** The reply as received, or its beginning: `length` characters in all, of which `kept` are on record. */
export interface Reply {
  text: string;
  length: number;
  kept: number;
}

/** The reply of the turn in flight, as far as it has arrived: its end, which begins at `offset` (characters). `whole` once that is the reply as received. Not in any log; the latest replaces those before it. */
export interface ReplyText {
  type: "reply";
  campaign_id: string;
  turn: number;
  offset: number;
  text: string;
  whole: boolean;
}

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

/** What the background runner does; one campaign at a time. `once`: one turn and no more. `halt` says how the last run ended, `until` (ms UTC) up to when it had nothing to do. */
export interface RunState {
  phase: "idle" | "starting" | "running" | "stopping";
  campaign_id: string | null;
  once: boolean;
  asleep: Asleep | null;
  until: number | null;
  halt: string | null;
  because: string[];
  error: ErrorShape | null;
}

/** What is done now, what may be done, what comes next and what was done, as of event `seq`; every list is bounded. */
export interface RunView {
  seq: number;
  act: Act | null;
  families: FamilyGates[];
  next: TaskRow[];
  turns: TurnPage;
  last: TurnDetail | null;
}

/** This launch of Outrider. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  run: RunState;
}

/** A turn's step was closed; `task` once one was selected. Not in any log, and may be left out under load. */
export interface StepTicker {
  type: "step";
  campaign_id: string;
  step: number;
  what: string;
  task: string;
}

/** A task with its texts, newest last; its turns are asked for page by page. */
export interface TaskDetail {
  row: TaskRow;
  justification: string;
  held: Held[];
  messages: TaskMessage[];
}

/** What a task is about. */
export type TaskKind = "score_leads" | "reach_lead" | "custom";

/** A text that was written for the task's lead, or their reply. */
export interface TaskMessage {
  id: string;
  step: string;
  kind: string;
  status: string;
  text: string;
  reason: string;
  created_at: number;
  sent_at: number | null;
}

/** Tasks: what is worked on, what is blocked, what comes next, what is done; `next` is where the next page begins. `unplanned` counts the leads whose task is not made yet. */
export interface TaskPage {
  rows: TaskRow[];
  next: string | null;
  counts: Partial<Record<TaskStatus, number>>;
  unplanned: number;
  held: Held[];
}

/** A task with why it stands where it stands; `ready_at` null: only a person or another task can wake it. */
export interface TaskRow {
  id: string;
  kind: TaskKind;
  description: string;
  status: TaskStatus;
  needs: Needs;
  reason: string;
  ready_at: number | null;
  rank: number;
  strikes: number;
  source: string;
  lead_id: string | null;
  lead_name: string;
  created_at: number;
  before: Before[];
  promises: Promise[];
  questions: Question[];
}

/** Spec 000 §4.2 plus `verifying` (spec 004). */
export type TaskStatus = "pending" | "in_progress" | "verifying" | "done" | "blocked";

/** A tool that ran during the turn; `us` is how long, in microseconds. */
export interface ToolCall {
  tool: string;
  outcome: string;
  us: number;
}

/** A turn with its reply, calls, gates and action. `recorded` false: its entries of the audit log were not found from here. `rejection` is the code of the rule that the reply broke. `gates` as they were answered then, for an act that was asked for. */
export interface TurnDetail {
  line: TurnLine;
  recorded: boolean;
  at: number | null;
  reply: Reply | null;
  parsed: Parsed | null;
  rejection: string;
  family: Needs | null;
  gates: GateLine[];
  calls: ToolCall[];
  actions: ActionLine[];
}

/** A turn that ended; `steps_us` are the durations of its eight steps. */
export interface TurnLine {
  number: number;
  faulted: boolean;
  proposal: string;
  verdict: string;
  said: string;
  task_id: string | null;
  task: string;
  lead_id: string | null;
  lead_name: string;
  steps_us: number[];
}

/** Turns, newest first; `next` is where older ones begin. With a task, those that worked on it, as far as was looked. */
export interface TurnPage {
  rows: TurnLine[];
  next: number | null;
}

/** Where the one turn in flight stands. */
export type TurnState = "Bootstrapping" | "Idle" | "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting" | "Sleeping" | "Faulted";

export type FeedMessage = Ready | Events | Reset | StepTicker | ReplyText | RunChanged;
