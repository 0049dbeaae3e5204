// Written by `make wire` from the shapes in backend/api/wire. Do not edit.

/** What the account did, in all of its campaigns, the last day being today. */
export interface Activity {
  days: ActivityDay[];
  invitations_in_week: number;
  invitations_a_week: number;
}

/** A local day of the campaign's clock, as days since the epoch; what was sent, and what the limits allowed. */
export interface ActivityDay {
  day: number;
  invitations: number;
  invitations_allowed: number;
  messages: number;
  messages_allowed: number;
}

/** The user's answer to a question. */
export interface Answer {
  answer: string;
}

/** Approve exactly the text whose digest this is. */
export interface Approve {
  digest: string;
}

/** An artifact at its newest version; `id` is that version's. */
export interface ArtifactLine {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  source: Source;
  created_at: number;
}

/** Artifacts, the latest kept first; `next` is where the following page begins. */
export interface ArtifactPage {
  rows: ArtifactLine[];
  next: string | null;
}

/** The version that was made. */
export interface ArtifactSaved {
  campaign_id: string;
  version: number;
}

/** The controlled vocabulary. */
export type ArtifactType = "job_posting" | "scoring_algorithm" | "lead_scoring_config" | "python_script" | "analysis_result" | "context" | "research" | "message_template" | "file_summary" | "note";

/** One version with its inferred schema; the content is read by itself, byte for byte. `versions` are the newest. */
export interface ArtifactView {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  source: Source;
  created_at: number;
  origin: Origin | null;
  inferred: Record<string, unknown>;
  latest: number;
  versions: VersionLine[];
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

/** `reached` came at least this far, whatever became of them; `current` stand here now. */
export interface FunnelStage {
  stage: LeadStatus;
  reached: number;
  current: number;
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

/** Everything but the response rates. */
export interface InsightsView {
  funnel: FunnelStage[];
  activity: Activity;
  replies: ReplyTimes;
  fields: LeadField[];
}

/** Something leads can be grouped by. */
export interface LeadField {
  id: string;
  title: string;
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
  task: string;
  task_status: string;
  lead_name: string;
  lead_headline: string;
  action: string;
  last_error: string;
}

/** The event that kept a version, as it stands in the log. */
export interface Origin {
  seq: number;
  actor: string;
  cause: string;
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

/** Leads with the same value; `low` and `high` bound the true rate with 95 % confidence, `few` marks a weak one. */
export interface RateGroup {
  kind: "value" | "empty" | "others";
  value: string;
  contacted: number;
  responded: number;
  low: number;
  high: number;
  few: boolean;
}

/** Response rates by one field over contacted leads: the latest `counted`; `others` sums up `groups_more` groups. */
export interface Rates {
  field: string;
  counted: number;
  complete: boolean;
  groups: RateGroup[];
  groups_more: number;
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

/** Replies within `until_ms` of our text, and after the span before; null: all later ones. */
export interface ReplySpan {
  until_ms: number | null;
  replies: number;
}

/** How long people took; `replies` are the latest ones, all of them unless there are very many. */
export interface ReplyTimes {
  replies: number;
  median_ms: number | null;
  spans: ReplySpan[];
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

/** Keep these bytes after version `follows`, 0 for a new artifact. */
export interface SaveArtifact {
  artifact_type: string;
  artifact_key: string;
  follows: number;
  content_base64: string;
}

/** This launch of Outrider. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  run: RunState;
}

/** Whose words the content is; one by the agent is kept only after the user's yes. */
export type Source = "user" | "agent";

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

/** A version of an artifact. */
export interface VersionLine {
  version: number;
  source: Source;
  created_at: number;
}

export type FeedMessage = Ready | Events | Reset | StepTicker | RunChanged;
