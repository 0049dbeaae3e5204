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

/** Criteria that are to be in force after version `follows`. */
export interface AdoptBlueprint {
  criteria: Criterion[];
  follows: number;
}

/** Take this entry off the list. */
export interface Allow {
  id: string;
}

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

/** Exactly the content with this hash was read. */
export interface ApproveSkill {
  source_hash: string;
}

/** An artifact at its newest version; `id` is that version's. */
export interface ArtifactLine {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  source: Source;
  created_at: number;
  media_type: string;
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

/** One artifact, to be shown direct from the store. */
export interface ArtifactShown {
  kind: "artifact";
  artifact: FoundArtifact;
  sha256: string;
}

/** The controlled vocabulary. */
export type ArtifactType = "job_posting" | "scoring_algorithm" | "lead_scoring_config" | "python_script" | "analysis_result" | "context" | "research" | "message_template" | "file_summary" | "note";

/** One version with its inferred schema; the content is read by itself, byte for byte. `versions` are the newest. `sha256` (hex) and `size` (bytes) are those of the content as it was kept. */
export interface ArtifactView {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  source: Source;
  created_at: number;
  origin: Origin | null;
  inferred: Record<string, unknown>;
  sha256: string;
  size: number;
  media_type: string;
  latest: number;
  versions: VersionLine[];
}

/** A list; `total` counts all, `found` are the newest. */
export interface ArtifactsFound {
  kind: "artifacts";
  total: number;
  found: FoundArtifact[];
}

/** What the user says. `key` makes a repeated request the same one. */
export interface Ask {
  text: string;
  attached: Attach[];
  key: string;
}

/** A code or link by e-mail instead of a password. */
export interface AskCode {
  url: string;
  public_key: string;
  email: string;
}

/** The request that the message began. */
export interface Asked {
  request_id: string;
}

/** Nothing is eligible before `until` (null: before somebody does something), and why. */
export interface Asleep {
  until: number | null;
  held: string[];
}

/** A typed question; it waits through a restart. `answer` once it was given. */
export interface AssistantQuestion {
  id: string;
  kind: string;
  question: string;
  choices: string[];
  answer: string | null;
}

/** Something given with a message: pasted text, or the ticket of a chosen or uploaded file. */
export interface Attach {
  name: string;
  text: string | null;
  ticket: string | null;
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

/** A task that must be done before another may begin. */
export interface Before {
  id: string;
  description: string;
  status: TaskStatus;
}

/** A number, or a range such as "51-200", within bounds (null: none); a range that only overlaps earns half. */
export interface Between {
  rule: "range";
  field: string;
  low: number | null;
  high: number | null;
}

/** The version that is in force now. */
export interface BlueprintAdopted {
  campaign_id: string;
  version: number;
}

/** The rules by which the leads are scored; recency is counted to `reference_date`. */
export interface BlueprintInForce {
  version: number;
  reference_date: string;
  criteria: CriterionLine[];
}

/** The criteria in words and their effect, or what keeps them from being a blueprint. */
export interface BlueprintPreview {
  criteria: CriterionLine[];
  problem: ErrorShape | null;
  effect: EffectView | null;
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

/** Who proposes in a campaign, what that has cost, and what it may; money in millionths of a US dollar. */
export interface CampaignModel {
  proposer: string;
  title: string;
  known: boolean;
  choices: ModelChoice[];
  spent: ModelSpend[];
  tokens: number;
  micros: number;
  most_tokens: number;
  most_micros: number;
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
  drafts_total: number;
  questions: Question[];
  incidents: Incident[];
  run: RunState;
}

/** One chain; `erased` entries have lost their payload on a person's request and still verify. */
export interface ChainLine {
  stream: "campaign" | "workspace";
  log: "events" | "audit";
  length: number;
  erased: number;
  broken: Flaw | null;
}

/** One thing that was looked at, what was found, and what to do about it ("" when it is well). */
export interface CheckLine {
  name: string;
  ok: boolean;
  said: string;
  remedy: string;
}

/** A text as far as it is typed; nothing of it is kept. */
export interface CheckSoul {
  text: string;
}

/** Decide it again as it was decided here, or leave what holds now. */
export interface Choose {
  choice: "mine" | "theirs";
}

/** Who proposes from the next turn on. */
export interface ChooseModel {
  proposer: string;
}

/** A lead file that was chosen; `mapping` names the column of each field, null: as its format says. */
export interface ChosenLeads {
  ticket: string;
  mapping: Record<string, string> | null;
}

/** The user wants to close the window while a campaign runs: ask them. Sent to the window's own page. */
export interface CloseAsked {
  type: "closing";
}

/** What must be verifiably true before the task is done, whose commitment it is, and what the last look found. `checked_at` null: not looked at yet. */
export interface Commitment {
  id: string;
  sentence: string;
  source: string;
  status: string;
  detail: string;
  checked_at: number | null;
}

/** The share of these fields that are filled. */
export interface Complete {
  rule: "completeness";
  fields: string[];
}

/** Tokens as the provider counts them, times in ms, prices in micros per million tokens; `key` names a key or is empty. `plain_http` is the user's word that unencrypted requests to a machine of their own network are meant. */
export interface Connection {
  id: string;
  name: string;
  provider: Provider;
  base_url: string;
  plain_http: boolean;
  model: string;
  mode: "json_schema" | "json_object" | "text";
  max_output_tokens: number;
  context_tokens: number;
  connect_ms: number;
  first_ms: number;
  between_ms: number;
  whole_ms: number;
  price_in: number;
  price_out: number;
  key: string;
}

/** What that stopped: whether a task was ended, and how many texts were withdrawn. */
export interface ContactRefused {
  lead_id: string;
  task_stopped: boolean;
  texts_withdrawn: number;
}

/** The latest lines, oldest first; `before` asks for earlier ones. `working` is the request that turns run for now. */
export interface Conversation {
  lines: Line[];
  before: string | null;
  working: string | null;
}

/** A text for the clipboard. */
export interface Copied {
  text: string;
}

/** What it is called, how much it weighs, and its rule. */
export interface Criterion {
  name: string;
  weight: number;
  rule: Keywords | Between | Recent | Complete | OneOf;
}

/** A criterion, and what it asks in words. */
export interface CriterionLine {
  criterion: Criterion;
  asks: string;
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

/** What became of one of several: null when it was carried out, else why not. */
export interface Decided {
  id: string;
  error: ErrorShape | null;
}

/** What became of each, in the order in which they were given. */
export interface DecidedList {
  drafts: Decided[];
}

/** Where one export may be written, once. */
export interface Destination {
  ticket: string;
}

/** A device of this user; `here` is this one. */
export interface Device {
  id: string;
  name: string;
  joined_at: number;
  revoked_at: number | null;
  here: boolean;
}

/** Every finding, and the same as a text that can be passed on. */
export interface Diagnosis {
  findings: Finding[];
  report: string;
}

/** Never contact this person again, and why. */
export interface DoNotContact {
  reason: string;
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

/** What another blueprint would do: on all `of` leads, or on `leads` of them, evenly spread. The spreads are numbers of leads with scores of 0 to 9, 10 to 19, … 90 to 100. */
export interface EffectView {
  leads: number;
  of: number;
  rising: number;
  falling: number;
  spread_before: number[];
  spread_after: number[];
  top_before: PlaceLine[];
  top_after: PlaceLine[];
  risers: PlaceLine[];
  fallers: PlaceLine[];
}

/** The code that came, or the link beside it, copied: a project whose mails nobody changed sends links only. */
export interface EnterCode {
  url: string;
  public_key: string;
  email: string;
  code: string;
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

/** A column of the file, the field it is read as, and a few of its values. */
export interface FileColumn {
  name: string;
  field: string | null;
  samples: string[];
}

/** Rows of a lead file in whose name all words begin some word. */
export interface FindInFile {
  ticket: string;
  mapping: Record<string, string> | null;
  words: string;
}

/** One check: what was found, and what to do about it (empty when it is well). */
export interface Finding {
  code: string;
  status: "ok" | "warn" | "fail";
  said: string;
  remedy: string;
}

/** The first entry that does not fit, and how. */
export interface Flaw {
  seq: number;
  detail: string;
}

/** Which part of a list is asked for: what comes after a row's cursor ("" for the beginning), at most so many rows. */
export interface Following {
  after: string;
  limit: number;
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

/** An artifact's newest version that fits a search. */
export interface FoundArtifact {
  artifact_type: string;
  key: string;
  version: number;
  source: string;
  bytes: number;
  created_at: number;
}

/** The first rows that fit. */
export interface FoundInFile {
  rows: SampleLead[];
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

/** Something that happened with this lead; `at` is null when only its order is known. */
export interface Happening {
  at: number | null;
  what: string;
  said: string;
}

/** A page of this launch: whether it is visible, and how long ago (ms) somebody used it. */
export interface Heartbeat {
  page: string;
  visible: boolean;
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
  variables: string[];
  lacking: Record<string, number>;
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
  evidence: string;
}

/** Everything but the response rates. */
export interface InsightsView {
  funnel: FunnelStage[];
  activity: Activity;
  replies: ReplyTimes;
  fields: LeadField[];
}

/** Install what lies behind this ticket: a folder, a zip, or a SKILL.md. */
export interface InstallSkill {
  ticket: string;
}

/** A key's new value; a name that is not there yet begins one. */
export interface KeepKey {
  kind: "api_key" | "llm_provider" | "database";
  secret: string;
}

/** A key by its name: where it is, when it was set, and what uses it. Never the key. `given` by the environment, `keychain` of an earlier version, `sealed` in the vault. */
export interface KeyLine {
  name: string;
  kind: "api_key" | "llm_provider" | "database";
  state: "sealed" | "given" | "keychain" | "missing" | "locked";
  where: string;
  updated_at: number | null;
  used_by: string[];
}

/** The vault, and every key that is kept or that something names. */
export interface KeysView {
  vault: Vault;
  keys: KeyLine[];
}

/** Whole words or phrases, whatever their case: any of them (or all), in any of the fields; others earn `part` percent. */
export interface Keywords {
  rule: "keywords";
  fields: string[];
  match: "any" | "all";
  words: string[];
  partly: string[];
  part: number;
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
  score_stale: boolean;
  sequence: SequenceLine[];
  waiting: Waiting | null;
  gates: GateLine[];
  history: Happening[];
}

/** How a lead stands and why nothing more was done: sentences, and the gates when something is owed. */
export interface LeadExplained {
  kind: "lead";
  lead_id: string;
  name: string;
  status: string;
  sentences: string[];
  gates: GateLine[];
}

/** What the list can be filtered by: every status with its number, the tags in use, and how many are set by hand. */
export interface LeadFacets {
  statuses: Partial<Record<LeadStatus, number>>;
  tags: string[];
}

/** Something leads can be grouped by. */
export interface LeadField {
  id: string;
  title: string;
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

/** What a campaign may do and spend, conservative by default (design: compliance 6). Times are minutes after local midnight; a model may cost so many US cents and thousands of tokens in all. */
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
  model_cents: number;
  model_kilotokens: number;
}

/** One line of the conversation. `user`: what they said, with the names of what they attached. `model`: its own words, byte for byte. `outrider`: what the controller did with a turn (`result`), or asks (`question`). */
export interface Line {
  id: string;
  request_id: string;
  at: number;
  author: "user" | "model" | "outrider";
  turn: number | null;
  text: string;
  attached: string[];
  result: ArtifactsFound | ArtifactShown | RatesShown | LeadExplained | Told | null;
  question: AssistantQuestion | null;
}

/** An address for the user's own browser. */
export interface Link {
  url: string;
}

/** The passphrase by which other devices will open the vault; a new kit makes the earlier one worthless. */
export interface MakeKit {
  passphrase: string;
}

/** A draft's way out; `received` is for what the other side wrote. */
export type MessageStatus = "draft" | "approved" | "sending" | "sent" | "outcome_unknown" | "failed" | "cancelled" | "received";

/** Something that can propose. */
export interface ModelChoice {
  id: string;
  title: string;
}

/** A connection, who serves it, and how many campaigns use it. */
export interface ModelConnection {
  connection: Connection;
  provider: string;
  host: string;
  campaigns: number;
}

/** Whether there is a key, and where it is or would be; `problem` is the keychain's, in words. Never the key. */
export interface ModelKey {
  name: string;
  state: "none" | "kept" | "given" | "missing" | "unknown";
  where: string;
  problem: string;
}

/** What is usual for a provider, to begin with; `hosted` ones cost money. */
export interface ModelPreset {
  provider: Provider;
  title: string;
  about: string;
  base_url: string;
  model: string;
  mode: "json_schema" | "json_object" | "text";
  key: string;
  hosted: boolean;
}

/** What one model has cost a campaign. */
export interface ModelSpend {
  model: string;
  replies: number;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

/** What one tiny call showed; `code` is empty when there was a reply. */
export interface ModelTrial {
  code: string;
  sentence: string;
  remedy: string;
  first_ms: number;
  whole_ms: number;
  structured: boolean;
  said: string;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

/** Connections by name, and what a new one can begin with; a new one has the id `fresh`. */
export interface ModelsView {
  connections: ModelConnection[];
  presets: ModelPreset[];
  fresh: string;
}

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. */
export type Needs = "think" | "look" | "invite" | "message" | "approval" | "input" | "assist";

/** The whole campaign. The same `key` twice is the same campaign: a repeated request makes no second one. */
export interface NewCampaign {
  key: string;
  name: string;
  goal: string;
  site: string;
  model: string;
  steps: NewStep[];
  file: ChosenLeads | null;
}

/** What a new campaign can be made of. */
export interface NewCampaignChoices {
  sites: Option[];
  models: Option[];
  presets: StepPreset[];
  variables: string[];
  most_steps: number;
  scoring: string[];
  limits: Limits;
}

/** One thing to be written; `after_days` counts from the acceptance or from the message before it. */
export interface NewStep {
  kind: "invitation" | "message";
  after_days: number;
  template: string;
}

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
  task_id: string | null;
  task: string;
  task_status: string;
  lead_name: string;
  lead_headline: string;
  action: string;
  last_error: string;
}

/** What a turn may be about, as far as skills apply to it. */
export type Occasion = "invitation" | "message" | "reply" | "scoring" | "assistant" | "review";

/** A file that may be read in this launch; `size` in bytes. */
export interface Offered {
  ticket: string;
  name: string;
  size: number;
}

/** The whole value is one of these, whatever its case. */
export interface OneOf {
  rule: "one_of";
  field: string;
  values: string[];
}

/** Which files the dialog offers: lead files (CSV, zip), skills (zip, SKILL.md), or any. */
export interface OpenFile {
  kind: "leads" | "skill" | "any";
}

/** Something to choose; `why_not` says why it cannot be chosen in this version, and is empty when it can. */
export interface Option {
  id: string;
  title: string;
  about: string;
  why_not: string;
}

/** The event that kept a version, as it stands in the log. */
export interface Origin {
  seq: number;
  actor: string;
  cause: string;
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

/** A host that may be called for a purpose; the figures are of the last thirty days, `last_at` None: never called. */
export interface OutgoingHost {
  host: string;
  why: string;
  sends: string;
  allowed: boolean;
  calls: number;
  failures: number;
  bytes_out: number;
  bytes_in: number;
  last_at: number | null;
}

/** Approved texts, oldest first; `next` is the cursor of what follows, null at the end. */
export interface OutgoingPage {
  rows: Outgoing[];
  next: string | null;
}

/** The list, busiest first; `browser` says in words what the controlled browser visits, which is no call of ours. `refused` are of this launch, the latest first. `proxy` says by which proxy of the user's all of it goes, "" if by none. */
export interface OutgoingView {
  hosts: OutgoingHost[];
  refused: RefusedCall[];
  proxy: string;
  browser: string;
  never: string[];
}

/** The code from the terminal, once, for this launch's token. */
export interface PairRequest {
  code: string;
}

/** The token; it stays in the page's memory. */
export interface Paired {
  token: string;
}

/** The campaign's files for people were written again, and where. */
export interface PapersWritten {
  folder: string;
  files: string[];
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

/** A passage that whoever reviews should look at twice, and why; its line from 1. */
export interface Passage {
  line: number;
  quote: string;
  why: string;
}

/** A lead as it was; `step` counts from 0. */
export interface PastLead {
  id: string;
  full_name: string;
  job_title: string;
  company: string;
  status: LeadStatus;
  score: number | null;
  step: number | null;
  finished: string;
  blocked: string;
}

/** Leads as they were, in the order of import. */
export interface PastLeads {
  rows: PastLead[];
  next: string | null;
}

/** The campaign as it was after `event`: `view` and the first drafts that waited, or how far it is on the way there. `turn_before` and `turn_after` are the events with which the neighbouring turns ended. */
export interface PastMoment {
  event: TimelineRow;
  head: number;
  turn_before: number | null;
  turn_after: number | null;
  progress: PastProgress | null;
  view: CampaignView | null;
  drafts: Draft[];
}

/** How much of the log is folded; `left_ms` is null while nobody can tell. */
export interface PastProgress {
  folded: number;
  of: number;
  left_ms: number | null;
}

/** A page of a list as it was; `after` is the cursor of the page before. */
export interface PastQuery {
  after: string;
  status: string;
}

/** A task as it was. */
export interface PastTask {
  id: string;
  description: string;
  status: TaskStatus;
  needs: Needs;
  reason: string;
  lead_name: string;
}

/** Tasks as they were, in the order in which they were made. */
export interface PastTasks {
  rows: PastTask[];
  next: string | null;
}

/** Between which two leads it was put (null: the end of the list), and whether it came from below. */
export interface Place {
  above: string | null;
  below: string | null;
  upwards: boolean;
}

/** A lead's score and rank (from 1) by the blueprint in force and by the other one; `manual`: by the user's hand. */
export interface PlaceLine {
  lead_id: string;
  name: string;
  manual: boolean;
  score_before: number;
  score_after: number;
  rank_before: number;
  rank_after: number;
}

/** `zoom` is the size of text in percent, `assistant` whether its panel is open. */
export interface Preferences {
  theme: "system" | "light" | "dark";
  zoom: number;
  motion: "system" | "reduced";
  assistant: "closed" | "open";
}

/** Criteria that are being written. */
export interface PreviewBlueprint {
  criteria: Criterion[];
}

/** Texts to be looked at, for one person; `columns` are the further variables of the lead file. */
export interface PreviewSteps {
  goal: string;
  steps: NewStep[];
  reader: Reader;
  columns: string[];
}

/** A text as it would be proposed; lengths as a site counts them. `problem` is empty when it could be sent; `missing` are the variables that are not known of this person, for which the user would be asked, and `uses` those that the text cannot do without. */
export interface PreviewedStep {
  text: string;
  length: number;
  limit: number;
  problem: string;
  missing: string[];
  uses: string[];
}

/** Each step's text, and what is wrong with the steps as a whole. */
export interface PreviewedSteps {
  steps: PreviewedStep[];
  problem: string;
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

/** Where a project is, and its public (“anon” or “publishable”) key. */
export interface ProjectAddress {
  url: string;
  public_key: string;
}

/** What a look at a project found. */
export interface ProjectCheck {
  ok: boolean;
  lines: CheckLine[];
}

/** What is attached; empty texts without a project. `session` says where the sign-in is kept, for people. `public_key` lets somebody who signed out sign in again without looking it up. */
export interface ProjectView {
  attached: boolean;
  url: string;
  public_key: string;
  email: string;
  device_name: string;
  devices: Device[];
  session: string;
  sync: SyncState;
}

/** A walk over the logs: how far it is (`done` of `of` entries in `stage`), and what it found so far. */
export interface Proof {
  running: boolean;
  stage: string;
  done: number;
  of: number;
  chains: ChainLine[];
  replay: ReplayLine | null;
  error: string;
}

/** What an agent proposes to keep and the user is asked about: exactly this, as the version after `latest`. */
export interface ProposedArtifact {
  artifact_type: ArtifactType;
  artifact_key: string;
  content: string;
  sha256: string;
  size: number;
  latest: number;
}

/** A blueprint that takes effect by the user's yes to this question. */
export interface ProposedBlueprint {
  question: Question;
  criteria: CriterionLine[];
}

/** Who serves the model. */
export type Provider = "openai" | "anthropic" | "openrouter" | "ollama" | "lm_studio" | "llama_cpp" | "vllm" | "other";

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

/** How many of a group were contacted and how many answered. */
export interface RateLine {
  value: string;
  contacted: number;
  responded: number;
}

/** Response rates by one field over contacted leads: the latest `counted`; `others` sums up `groups_more` groups. */
export interface Rates {
  field: string;
  counted: number;
  complete: boolean;
  groups: RateGroup[];
  groups_more: number;
}

/** Response rates by a field of the leads. */
export interface RatesShown {
  kind: "rates";
  field: string;
  rows: RateLine[];
}

/** Whom texts are shown for: a row of a lead file, as far as templates may say it. */
export interface Reader {
  full_name: string;
  company: string;
  job_title: string;
  email: string;
  more: Record<string, string>;
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

/** A date: everything on the blueprint's reference date or later, half after each half-life before it. */
export interface Recent {
  rule: "recency";
  field: string;
  half_life_days: number;
}

/** Shown once, and nowhere kept. */
export interface RecoveryKit {
  code: string;
  email: string;
  url: string;
}

/** A call that was refused, because its host is not on the list. */
export interface RefusedCall {
  host: string;
  at: number;
  times: number;
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

/** How the account stands to a person, as the site shows it. */
export type Relation = "none" | "pending" | "connected";

/** Whether every row of every table is what the event log says; `first` names the first that is not. */
export interface ReplayLine {
  equal: boolean;
  differences: number;
  first: string;
}

/** The reply as received, or its beginning: `length` characters in all, of which `kept` are on record. */
export interface Reply {
  text: string;
  length: number;
  kept: number;
}

/** Replies within `until_ms` of our text, and after the span before; null: all later ones. */
export interface ReplySpan {
  until_ms: number | null;
  replies: number;
}

/** The reply of the turn in flight, as far as it has arrived: its end, which begins at `offset` (characters). `whole` once that is the reply as received; `request_id` when the turn is for what the user asked the assistant. Not in any log; the latest replaces those before it. */
export interface ReplyText {
  type: "reply";
  campaign_id: string;
  turn: number;
  offset: number;
  text: string;
  whole: boolean;
  request_id: string | null;
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

/** Make the text of this version the one after `follows`. */
export interface RestoreSoul {
  version: number;
  follows: number;
}

/** Whether a person has read exactly this content. */
export type ReviewState = "unreviewed" | "reviewed";

/** Take a device's access away: a new data key, everything sealed anew, and a new kit. */
export interface Revoke {
  device_id: string;
  passphrase: string;
}

/** Which device may not come back. */
export interface RevokeDevice {
  device_id: string;
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
  name: string;
  away_since: number | null;
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

/** One message of a conversation; `text` is cut after a while, `length` is that of the whole (in characters). */
export interface Said {
  author: "us" | "them";
  kind: string;
  text: string;
  length: number;
  at: number;
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
  more: Record<string, string>;
}

/** Keep these bytes after version `follows`, 0 for a new artifact. */
export interface SaveArtifact {
  artifact_type: string;
  artifact_key: string;
  follows: number;
  content_base64: string;
}

/** Keep what is in the file behind the ticket after version `follows`, 0 for a new artifact. */
export interface SaveArtifactFile {
  artifact_type: string;
  artifact_key: string;
  follows: number;
  ticket: string;
}

/** The name that the dialog suggests. */
export interface SaveFile {
  suggested: string;
}

/** A connection as it shall be. */
export interface SaveModel {
  connection: Connection;
}

/** Make this text the version after `follows`. */
export interface SaveSoul {
  text: string;
  follows: number;
}

/** What one criterion of the blueprint gave: `points` of its `weight`, and why. */
export interface ScorePart {
  name: string;
  asks: string;
  weight: number;
  points: number;
  why: string;
}

/** All leads scored by a blueprint: `done` of `leads` so far, `changed` scores among them. */
export interface ScoringRun {
  id: string;
  blueprint: number;
  status: "running" | "done" | "superseded";
  leads: number;
  done: number;
  changed: number;
  finished_at: number | null;
}

/** What the leads are scored by, and all that is needed to change it. `fields` may be asked for; `suggested` is what the campaign's goal amounts to; `run` is the latest; `unscored` says whether a lead has no score yet. */
export interface ScoringView {
  blueprint: BlueprintInForce;
  versions: VersionLine[];
  fields: string[];
  presets: Criterion[];
  suggested: Criterion[];
  proposed: ProposedBlueprint[];
  run: ScoringRun | null;
  leads: number;
  unscored: boolean;
}

/** One step of the sequence, as it stands for this lead. */
export interface SequenceLine {
  key: string;
  kind: string;
  state: "done" | "now" | "ahead" | "left_out";
}

/** This launch of Outrider; a page of another `build` is stale. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  build: string;
  run: RunState;
}

/** A decision that another device overtook: what was decided here, and what holds now. `again` when it can be decided again with one click; `place` is the page's route to what it is about, "" if there is none. */
export interface SetAside {
  id: string;
  campaign_id: string;
  campaign: string;
  decided_at: number;
  set_aside_at: number;
  what: string;
  mine: string;
  theirs: string;
  again: boolean;
  place: string;
}

/** Decisions that wait for a choice, oldest first, and how many turns of the agent were overtaken (nothing to choose). */
export interface SetAsideList {
  open: SetAside[];
  noted: number;
}

/** A key, to be kept under the name that the connection gives. */
export interface SetModelKey {
  secret: string;
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

/** A draft as it was shown. */
export interface Shown {
  id: string;
  digest: string;
}

/** With a password; `fresh` makes the account first. */
export interface SignIn {
  url: string;
  public_key: string;
  email: string;
  password: string;
  fresh: boolean;
}

/** What came of it: attached, or a mail that has to be answered first. */
export interface SignedIn {
  outcome: "attached" | "confirm_mail";
  project: ProjectView;
}

/** A site that campaigns are on. */
export interface SiteUse {
  site: string;
  campaigns: number;
}

/** The skill that was installed or updated; it waits for a review. */
export interface SkillInstalled {
  id: string;
}

/** A skill in the store; used while it is reviewed and enabled. */
export interface SkillLine {
  id: string;
  name: string;
  description: string;
  version: string;
  applies_to: Occasion[];
  source: SkillSource;
  review_state: ReviewState;
  enabled: boolean;
  updated_at: number;
}

/** All that are installed, by name. */
export interface SkillList {
  rows: SkillLine[];
}

/** Who brought it. */
export type SkillSource = "builtin" | "user";

/** A skill with SKILL.md as it is kept. `others` are files of its folder that are never used. */
export interface SkillView {
  skill: SkillLine;
  document: string;
  source_hash: string;
  others: string[];
  passages: Passage[];
}

/** Everything that is wrong with a text, in its order. */
export interface SoulCheck {
  problems: TextProblem[];
}

/** Versions, the newest first; `next` is where the following page begins. */
export interface SoulHistory {
  rows: SoulLine[];
  next: string | null;
}

/** A version; `restores` is the earlier one with the same text. Version 0 was never made, so it has no time. */
export interface SoulLine {
  id: string;
  version: number;
  who: string;
  restores: number | null;
  created_at: number | null;
  characters: number;
}

/** The version that holds now. */
export interface SoulSaved {
  version: number;
}

/** The text of one version. */
export interface SoulText {
  version: number;
  text: string;
}

/** The soul that holds now; version 0 comes with Outrider. `limit` in characters. */
export interface SoulView {
  version: number;
  text: string;
  limit: number;
}

/** Whose words the content is; one by the agent is kept only after the user's yes. */
export type Source = "user" | "agent";

/** A sequence to begin with. */
export interface StepPreset {
  id: string;
  title: string;
  about: string;
  why_not: string;
  steps: NewStep[];
}

/** A turn's step was closed; `task` once one was selected, `request_id` when the turn is for what the user asked. Not in any log, and may be left out under load. */
export interface StepTicker {
  type: "step";
  campaign_id: string;
  step: number;
  what: string;
  task: string;
  request_id: string | null;
}

/** What an entry is about, by the names it has today; empty where it is about nothing of that kind. */
export interface Subject {
  lead_id: string;
  lead: string;
  task_id: string;
  task: string;
  message_id: string;
  what: string;
}

/** The latest replaces those before it. */
export interface SyncChanged {
  type: "sync";
  sync: SyncState;
}

/** How this machine and the project stand; always shown. `waiting` events are not acknowledged yet. `since`: when it began to be out of reach. `acting` says which device may act, `asked` that it was asked to hand over, `until` when it loses that at the latest. `set_aside` decisions wait for a choice. */
export interface SyncState {
  phase: "local" | "in_step" | "pushing" | "pulling" | "offline" | "signed_out" | "refused";
  waiting: number;
  since: number | null;
  set_aside: number;
  acting: "nobody" | "here" | "elsewhere";
  acting_name: string;
  asked: boolean;
  until: number | null;
  problem: ErrorShape | null;
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

/** A task with its texts, newest last; its turns are asked for page by page. */
export interface TaskDetail {
  row: TaskRow;
  justification: string;
  held: Held[];
  messages: TaskMessage[];
}

/** What a task is about. */
export type TaskKind = "score_leads" | "reach_lead" | "custom" | "assist";

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
  commitments: Commitment[];
  questions: Question[];
}

/** Spec 000 §4.2 plus `verifying` (spec 004). */
export type TaskStatus = "pending" | "in_progress" | "verifying" | "done" | "blocked";

/** What keeps a text from being the soul, and where it stands: its line from 1, its place in UTF-16 units. */
export interface TextProblem {
  code: string;
  sentence: string;
  remedy: string;
  line: number;
  start: number;
  end: number;
}

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

/** One entry whole: `text` is its payload as it was hashed (cut for display), null when it was erased. */
export interface TimelineEntry {
  row: TimelineRow;
  text: string | null;
  cut: boolean;
  size: number;
  hash: string;
  previous_hash: string;
  payload_digest: string;
}

/** Entries, newest first; the next page begins before `next` (null: there is nothing older). A page without entries may have a `next`: only so much of the log is looked through at a time. It was looked through back to entry `searched`, of the time `searched_at`. */
export interface TimelinePage {
  rows: TimelineRow[];
  next: number | null;
  searched: number;
  searched_at: number | null;
  head: number;
}

/** What is looked for. `before` and `after` are numbers of entries (not included); an empty word looks for everything. `about` is the id of an entity: everything that names it, or names what belongs to it. */
export interface TimelineQuery {
  log: "events" | "audit" | "workspace";
  before: number | null;
  after: number | null;
  group: string;
  actor: string;
  about: string;
  turn: number | null;
  text: string;
}

/** One entry. `kind` is the event's kind or the audit entry's action. `payload` is null when it was `erased`, and when it is `large`: then the entry is asked for by itself. */
export interface TimelineRow {
  seq: number;
  at: number;
  kind: string;
  entity: string;
  entity_id: string;
  actor: string;
  cause: string;
  payload: Record<string, unknown> | null;
  erased: boolean;
  large: boolean;
  subject: Subject;
}

/** The window's title. */
export interface Title {
  title: string;
}

/** Something was done, or could not be: one sentence; `code` when it was refused. */
export interface Told {
  kind: "told";
  sentence: string;
  code: string;
}

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

/** A turn that ended; `steps_us` are the durations of its eight steps. `model` is empty where none was paid. */
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
  model: string;
  tokens_in: number;
  tokens_out: number;
  cost_micros: number;
}

/** Turns, newest first; `next` is where older ones begin. With a task, those that worked on it, as far as was looked. */
export interface TurnPage {
  rows: TurnLine[];
  next: number | null;
}

/** Where the one turn in flight stands. */
export type TurnState = "Bootstrapping" | "Idle" | "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting" | "Sleeping" | "Faulted";

/** The passphrase, and on a device that never opened it the recovery code. */
export interface Unlock {
  passphrase: string;
  code: string | null;
}

/** `none`: nothing was sealed yet. `locked`: ask for the passphrase (`needs` says what else). `where` the key to it is kept. `kit`: other devices can open it, with the passphrase and the recovery code. */
export interface Vault {
  state: "none" | "open" | "locked";
  needs: "nothing" | "passphrase" | "passphrase_and_code";
  where: string;
  kit: boolean;
  version: number;
  problem: string;
}

/** Something installed. */
export interface Version {
  name: string;
  version: string;
}

/** A version of an artifact. */
export interface VersionLine {
  version: number;
  source: Source;
  created_at: number;
}

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

export type FeedMessage = Ready | Events | Reset | StepTicker | ReplyText | RunChanged | ImportProgress | CloseAsked | SyncChanged;

/** What the window does for its page. */
export interface Native {
  /** The token of this launch. */
  outrider_token(): Promise<string>;
  /** Let the user choose a file to read; null if they do not. */
  open_file(given: OpenFile): Promise<Offered | null>;
  /** Let the user choose a folder to read; null if they do not. */
  open_folder(): Promise<Offered | null>;
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
