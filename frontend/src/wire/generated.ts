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

/** Import the file, read as it was shown. */
export interface BringIn {
  ticket: string;
  mapping: Record<string, string> | null;
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

/** What that stopped: whether a task was ended, and how many texts were withdrawn. */
export interface ContactRefused {
  lead_id: string;
  task_stopped: boolean;
  texts_withdrawn: number;
}

/** A text for the clipboard. */
export interface Copied {
  text: string;
}

/** Where one export may be written, once. */
export interface Destination {
  ticket: string;
}

/** Never contact this person again, and why. */
export interface DoNotContact {
  reason: string;
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

/** A column of the file, the field it is read as, and a few of its values. */
export interface FileColumn {
  name: string;
  field: string | null;
  samples: string[];
}

/** One gate, open or shut: why, and when that may change (null: only when somebody acts). */
export interface GateLine {
  code: string;
  passes: boolean;
  sentence: string;
  until: number | null;
}

/** Something that happened with this lead; `at` is null when only its order is known. */
export interface Happening {
  at: number | null;
  what: string;
  said: string;
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

/** A lead file that was imported; `finished_at` is null while it runs or when it was cut off. */
export interface ImportLine {
  id: string;
  file: string;
  format: string;
  accepted: number;
  merged: number;
  unchanged: number;
  rejected: number;
  created_at: number;
  finished_at: number | null;
}

/** Imports, the latest first. */
export interface ImportPage {
  rows: ImportLine[];
  next: string | null;
}

/** What would be imported: how the file is read, its first rows, and the first records that cannot be leads. `looked_at` records were read for this; `whole` when that is all of them. Nothing was written. */
export interface ImportPreview {
  file: string;
  format: string;
  encoding: string;
  delimiter: string;
  columns: FileColumn[];
  usable: boolean;
  rows: SampleLead[];
  rejected: RejectedLine[];
  good: number;
  bad: number;
  whole: boolean;
}

/** A lead file is being imported (`done` rows so far), or was: then with the import's id, or with what went wrong. */
export interface ImportProgress {
  type: "import";
  campaign_id: string;
  file: string;
  phase: "running" | "ended";
  done: number;
  import_id: string | null;
  error: ErrorShape | null;
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

/** One lead with all that is known of it. */
export interface LeadDetail {
  line: LeadLine;
  profile_url: string;
  email: string;
  connected_on: string | null;
  headline: string;
  extra: Record<string, string>;
  notes: string;
  origin: string;
  finished: string;
  task_status: string;
  do_not_contact: boolean;
  score: ScorePart[];
  sequence: SequenceLine[];
  waiting: Waiting | null;
  gates: GateLine[];
  history: Happening[];
}

/** What the list can be filtered by: every status with its number, the tags in use, and how many are set by hand. */
export interface LeadFacets {
  statuses: Partial<Record<LeadStatus, number>>;
  tags: string[];
}

/** A lead in the list. Its columns bear the names they have in events, so that the page folds those into it. */
export interface LeadLine {
  id: string;
  full_name: string;
  job_title: string;
  company: string;
  status: LeadStatus;
  weight_score: number | null;
  score_reasons: string[];
  priority_override: number | null;
  tags: string[];
  blocked: string;
  active_at: number | null;
}

/** Spec 001 Key Entities. */
export type LeadStatus = "pending" | "contacted" | "responded" | "rejected";

/** A stretch of the list: the rows after `after` and `skip` more, and where the next stretch begins. */
export interface LeadWindow {
  rows: LeadLine[];
  next: string | null;
  total: number;
  more: boolean;
}

/** An address for the user's own browser. */
export interface Link {
  url: string;
}

/** A file to be looked at before anything is imported; `mapping` names the column of each field. */
export interface LookAtFile {
  ticket: string;
  mapping: Record<string, string> | null;
}

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input";

/** The notes on a lead, the whole text. */
export interface Note {
  text: string;
}

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

/** Between which two leads it was put (null: the end of the list), and whether it came from below. */
export interface Place {
  above: string | null;
  below: string | null;
  upwards: boolean;
}

/** A priority set by hand; null gives the lead back to its score. */
export interface Prioritise {
  priority: number | null;
}

/** The priority as it is now, and as it was before. */
export interface Prioritised {
  lead_id: string;
  priority: number | null;
  before: number | null;
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

/** A record that could not become a lead, kept whole. */
export interface RejectedLine {
  id: string;
  line: number;
  code: string;
  reason: string;
  raw: string;
}

/** An import's rejected records, in the order of the file. */
export interface RejectedPage {
  rows: RejectedLine[];
  next: string | null;
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

/** A row as it will be read. */
export interface SampleLead {
  line: number;
  full_name: string;
  job_title: string;
  company: string;
  email: string;
  profile_url: string;
  connected_on: string;
}

/** The name that the dialog suggests. */
export interface SaveFile {
  suggested: string;
}

/** One criterion of the blueprint, and whether it counted. */
export interface ScorePart {
  field: string;
  reason: string;
  weight: number;
  earned: boolean;
}

/** One step of the sequence, as it stands for this lead. */
export interface SequenceLine {
  key: string;
  kind: string;
  state: "done" | "now" | "ahead" | "left_out";
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

/** All tags of a lead. */
export interface Tags {
  tags: string[];
}

/** The tags as they were kept. */
export interface TagsKept {
  lead_id: string;
  tags: string[];
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

/** Why nothing is sent to this person now, and when that may change (null: only when somebody acts). */
export interface Waiting {
  code: string;
  sentence: string;
  until: number | null;
}

/** An export that is complete on disk; `size` in bytes. */
export interface Written {
  name: string;
  size: number;
}

export type FeedMessage = Ready | Events | Reset | StepTicker | RunChanged | ImportProgress | CloseAsked;

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
