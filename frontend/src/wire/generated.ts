// Written by `make wire` from the shapes in backend/api/wire. Do not edit.

/** Take this entry off the list. */
export interface Allow {
  id: string;
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

/** The least and the most that a limit may be. */
export interface Bound {
  least: number;
  most: number;
}

/** The browser that campaigns run in; `profile_bytes` is null while there is no profile yet. */
export interface BrowserFacts {
  executable: string;
  problem: string;
  profile: string;
  profile_bytes: number | null;
}

/** A page of campaigns, newest first, and what runs; `next` is where the following page begins. */
export interface CampaignList {
  campaigns: CampaignSummary[];
  next: string | null;
  run: RunState;
}

/** What a campaign is about and may do; `approved` texts would need approval again. */
export interface CampaignSettings {
  id: string;
  name: string;
  goal: string;
  site: string;
  version: number;
  approved: number;
  limits: Limits;
  defaults: Limits;
  bounds: Record<string, Bound>;
}

/** Spec 001 FR-054. */
export type CampaignStatus = "initializing" | "active" | "paused" | "completed" | "error";

/** A campaign in the list; `now` and `last_action_at` are of its own clock. `missing` is what it needs before it can run. */
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
  now: number;
  last_action_at: number;
  missing: "" | "leads" | "import" | "importing";
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

/** A column of the file and the field it fills; none: its values are kept beside the lead. */
export interface ChosenColumn {
  column: string;
  field: string;
}

/** What a lead file holds, before anything is imported; a few rows of each kind. */
export interface ChosenFile {
  name: string;
  format: string;
  columns: ChosenColumn[];
  good: number;
  rejected: number;
  rows: ChosenRow[];
  refused: RefusedRow[];
}

/** One of the first people in the file. */
export interface ChosenRow {
  name: string;
  company: string;
  job_title: string;
  profile_url: string;
}

/** The user wants to close the window while a campaign runs: ask them. Sent to the window's own page. */
export interface CloseAsked {
  type: "closing";
}

/** A text for the clipboard. */
export interface Copied {
  text: string;
}

/** The data folder. */
export interface DataFacts {
  folder: string;
  chosen: string;
  database_bytes: number;
  evidence_bytes: number;
  total_bytes: number;
  free_bytes: number;
}

/** Where one export may be written, once. */
export interface Destination {
  ticket: string;
}

/** Every finding, and the same as a text that can be passed on. */
export interface Diagnosis {
  findings: Finding[];
  report: string;
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

/** The settings as they shall be; `version` is the one that was shown. */
export interface EditCampaign {
  version: number;
  name: string;
  goal: string;
  limits: Limits;
}

/** The campaign's version now, and how many texts wait in Review again. */
export interface EditedCampaign {
  version: number;
  again: number;
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

/** One check: what was found, and what to do about it (empty when it is well). */
export interface Finding {
  code: string;
  status: "ok" | "warn" | "fail";
  said: string;
  remedy: string;
}

/** Never contact this person: the address of a profile, or an e-mail address. */
export interface Forbid {
  person: string;
  name: string;
  reason: string;
}

/** Somebody whom nobody may contact. */
export interface Forbidden {
  id: string;
  member_key: string;
  name: string;
  reason: string;
  created_at: number;
}

/** Newest first; `next` is where the following page begins. */
export interface ForbiddenList {
  rows: Forbidden[];
  next: string | null;
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

/** An import; `rows` were read so far, the counts are known at its end. */
export interface IntakeState {
  file: string;
  phase: "running" | "done" | "failed";
  rows: number;
  accepted: number;
  merged: number;
  unchanged: number;
  rejected: number;
  error: ErrorShape | null;
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

/** What an account may do, conservative by default (design: compliance 6). Times are minutes after local midnight. */
export interface Limits {
  invitations_a_day: number;
  invitations_a_week: number;
  messages_a_day: number;
  ramp_days: number;
  spacing_seconds: number;
  day_starts: number;
  day_ends: number;
  work_days: number[];
  thread_fresh_minutes: number;
  drafts_ahead: number;
  approval_days: number;
}

/** An address for the user's own browser. */
export interface Link {
  url: string;
}

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input";

/** The whole campaign. The same `key` twice is the same campaign: a repeated request makes no second one. */
export interface NewCampaign {
  key: string;
  name: string;
  goal: string;
  site: string;
  steps: NewStep[];
  ticket: string | null;
}

/** What a new campaign can be made of. */
export interface NewCampaignChoices {
  sites: Option[];
  models: Option[];
  presets: StepPreset[];
  variables: string[];
  most_steps: number;
  limits: Limits;
}

/** One thing to be written; `after_days` counts from the acceptance or from the message before it. */
export interface NewStep {
  kind: "invitation" | "message";
  after_days: number;
  template: string;
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

/** Something to choose; `why_not` says why it cannot be chosen in this version, and is empty when it can. */
export interface Option {
  id: string;
  title: string;
  about: string;
  why_not: string;
}

/** The code from the terminal, once, for this launch's token. */
export interface PairRequest {
  code: string;
}

/** The token; it stays in the page's memory. */
export interface Paired {
  token: string;
}

/** `zoom` is the size of text in percent. */
export interface Preferences {
  theme: "system" | "light" | "dark";
  zoom: number;
  motion: "system" | "reduced";
}

/** Texts to be looked at, for one person. */
export interface PreviewSteps {
  goal: string;
  steps: NewStep[];
  name: string;
  company: string;
}

/** A text as it would be proposed; lengths as a site counts them, `problem` is empty when it could be sent. */
export interface PreviewedStep {
  text: string;
  length: number;
  limit: number;
  problem: string;
}

/** Each step's text, and what is wrong with the steps as a whole. */
export interface PreviewedSteps {
  steps: PreviewedStep[];
  problem: string;
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

/** A row that cannot become a lead, and why. */
export interface RefusedRow {
  line: number;
  code: string;
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

/** This launch of Outrider; a page of another `build` is stale. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  build: string;
  run: RunState;
}

/** This machine, as Outrider uses it. */
export interface SettingsView {
  data: DataFacts;
  browser: BrowserFacts;
  presence_minutes: number;
  address: string;
  sites: SiteUse[];
  versions: Version[];
}

/** A site that campaigns are on. */
export interface SiteUse {
  site: string;
  campaigns: number;
}

/** A sequence to begin with. */
export interface StepPreset {
  id: string;
  title: string;
  about: string;
  why_not: string;
  steps: NewStep[];
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

/** Something installed. */
export interface Version {
  name: string;
  version: string;
}

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
