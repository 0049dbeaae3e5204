// Written by `make wire` from the shapes in backend/api/wire. Do not edit.

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
  drafts: Draft[];
  drafts_total: number;
  questions: Question[];
  incidents: Incident[];
  turns: TurnLine[];
  run: RunState;
}

/** The user wants to close the window while a campaign runs: ask them. Sent to the window's own page. */
export interface CloseAsked {
  type: "closing";
}

/** A text for the clipboard. */
export interface Copied {
  text: string;
}

/** Where one export may be written, once. */
export interface Destination {
  ticket: string;
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

/** Another start on the same data folder, with the secret from its file. */
export interface KnockRequest {
  secret: string;
}

/** Whether there is a window; it is in front now. */
export interface Knocked {
  window: boolean;
}

/** Spec 001 Key Entities. */
export type LeadStatus = "pending" | "contacted" | "responded" | "rejected";

/** An address for the user's own browser. */
export interface Link {
  url: string;
}

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input";

/** A command without particulars. */
export type Nothing = Record<string, never>;

/** A notification of the system. */
export interface Notice {
  title: string;
  text: string;
}

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

/** A file that may be read in this launch; `size` in bytes. */
export interface Offered {
  ticket: string;
  name: string;
  size: number;
}

/** Which files the dialog offers: lead files (CSV, zip), or any. */
export interface OpenFile {
  kind: "leads" | "any";
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

/** The name that the dialog suggests. */
export interface SaveFile {
  suggested: string;
}

/** This launch of Outrider. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  run: RunState;
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

/** The window's title. */
export interface Title {
  title: string;
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

/** An export that is complete on disk; `size` in bytes. */
export interface Written {
  name: string;
  size: number;
}

export type FeedMessage = Ready | Events | Reset | StepTicker | RunChanged | CloseAsked;

/** What the window does for its page. */
export interface Native {
  /** The token of this launch. */
  outrider_token(): Promise<string>;
  /** Let the user choose a file to read; null if they do not. */
  open_file(given: OpenFile): Promise<Offered | null>;
  /** Let the user choose where to write; null if they do not. */
  save_file(given: SaveFile): Promise<Destination | null>;
  /** Show a notification of the system, where it can. */
  notify(given: Notice): Promise<null>;
  /** Open an http or https address in the user's own browser. */
  open_link(given: Link): Promise<null>;
  /** Put a text on the clipboard. */
  copy_text(given: Copied): Promise<null>;
  /** Name the window after what it shows. */
  set_title(given: Title): Promise<null>;
  /** Show the window above the others. */
  bring_to_front(): Promise<null>;
  /** Let the current action end, then close. */
  stop_and_close(): Promise<null>;
  /** The user was asked and does not want to close. */
  keep_open(): Promise<null>;
}
