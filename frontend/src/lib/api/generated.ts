// Written by `make wire` from backend/api. Do not edit.

/** A part of a list; `next` is the cursor of what follows, null at the end. */
export interface Page<Row> {
  rows: Row[];
  next: string | null;
}

/** What the current task would do next for its lead, not before `at` (null: not before somebody decides), and its gates. */
export interface Act {
  task_id: string;
  lead_id: string;
  lead_name: string;
  what: string;
  family: ActionFamily;
  at: number | null;
  gates: GateLine[];
}

/** What a task waits for or would do next, so that tasks whose family of acts is held back are not even offered. In the order in which a campaign takes them up: sends first, because they are what waits longest. */
export type ActionFamily = "answer" | "message" | "invite" | "think" | "look" | "withdraw" | "approval" | "input" | "assist";

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
  evidence: Evidence[];
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

/** What else must be so before the task is done; `approved_argv` is the command exactly as the user approved it. */
export interface AddCommitment {
  promise: LeadsScored | ArtifactExists | SqlHolds | FileExists | FileContains | CommandSucceeds;
  approved_argv: string[] | null;
}

/** Criteria that are to be in force after version `follows`. */
export interface AdoptBlueprint {
  criteria: Criterion[];
  follows: number;
}

/** What speaks against sending it now; `asks`: it is sent only if the user says that they want to go beyond it. */
export interface Advice {
  code: string;
  sentence: string;
  asks: boolean;
  until: number | null;
}

/** Which part of a list is asked for: what comes after this cursor ("" for the beginning). */
export interface After {
  after: string;
}

/** The task. */
export interface AgentAssigned {
  task_id: string;
}

/** An agent: what it does in a sentence, the inputs that it needs, and its states. */
export interface AgentLine {
  name: string;
  does: string;
  inputs: string[];
  states: string[];
}

/** A run; `states` in the order in which it went through them, `code` and `reason` why it failed, times in ms UTC. `kept_in` is the campaign that keeps what it found. */
export interface AgentRunRow {
  id: number;
  agent: string;
  inputs: string;
  state: string;
  states: string[];
  calls: AgentToolCall[];
  found: string;
  code: string;
  reason: string;
  started_at: number;
  ended_at: number | null;
  kept_in: string | null;
}

/** A tool that ran for an agent: its parameters in words, and what came of it. */
export interface AgentToolCall {
  tool: string;
  params: string;
  outcome: string;
}

/** The agents, and the latest runs, the newest first; one without an end is under way. */
export interface AgentsView {
  agents: AgentLine[];
  runs: AgentRunRow[];
}

/** Pairs in the user's order, in the other order, and of the same score. `share` is that of the ordered pairs, `low` and `high` bound it with 95 % confidence, `tau` is Kendall's; null without pairs. */
export interface AgreementView {
  agree: number;
  disagree: number;
  same: number;
  share: number | null;
  low: number;
  high: number;
  tau: number | null;
}

/** Take this entry off the list. */
export interface Allow {
  id: string;
}

/** How much of a family was used today, and how much may be. */
export interface Allowance {
  family: ActionFamily;
  used: number;
  limit: number;
}

/** The user's answer to a question; `hidden` are the code points of hidden characters that were shown with it. */
export interface Answer {
  answer: string;
  hidden: string[];
}

/** The mail's link, copied, or the address that it led to; or its code, if the project's owner put one into its mails. */
export interface AnswerMail {
  url: string;
  public_key: string;
  email: string;
  code: string;
}

/** What is on record now, to be taken back as a whole; `messages_waiting` approved messages wait in Review again. `forbidden`: leads, with their campaigns, whose people are on the do-not-contact list now. `error`: why one of several answers could not be given. */
export interface AnswersGiven {
  answers: string[];
  messages_waiting: number;
  forbidden: Record<string, string>;
  error: ErrorShape | null;
}

/** Who approved a text, and when (ms UTC). */
export interface ApprovalRecord {
  by: string;
  at: number;
  digest: string;
  status: string;
}

/** Approve exactly the text whose digest this is. `hidden` are the code points of its hidden characters, `placeholders` what may be one, that were shown. */
export interface Approve {
  digest: string;
  hidden: string[];
  placeholders: string[];
}

/** A command exactly as it was shown. */
export interface ApproveCommand {
  approved_argv: string[];
}

/** Approve exactly the text with this digest, and run it; `hidden` are the hidden characters that were shown with it. */
export interface ApproveScript {
  key: string;
  source: string;
  sha256: string;
  hidden: string[];
}

/** Approve each of these texts, each bound to the digest of what was shown of it. None that has hidden characters, or what may be a placeholder. */
export interface ApproveSeveral {
  drafts: Shown[];
}

/** Exactly the content with this hash was read. */
export interface ApproveSkill {
  source_hash: string;
}

/** A text that was approved and has not been sent, or of which nobody knows whether it was: why it waits. `ready_at` is when its sequence owes it, within working hours; `question` is what the user is asked about an unknown outcome. */
export interface ApprovedMessage {
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
  note: PersonNote;
}

/** The campaign has such an artifact. */
export interface ArtifactExists {
  type: "artifact_exists";
  artifact_type: string;
  artifact_key: string;
}

/** An artifact at its newest version; `id` is that version's. */
export interface ArtifactLine {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  made_by: Maker;
  created_at: number;
  media_type: string;
}

/** The event that a version was kept by. */
export interface ArtifactOrigin {
  seq: number;
  actor: string;
  cause: string;
}

/** The version that was made. */
export interface ArtifactSaved {
  campaign_id: string;
  version: number;
}

/** One artifact, to be shown direct from the store; `sha256` of its content's bytes. */
export interface ArtifactShown {
  kind: "artifact";
  artifact: FoundArtifact;
  sha256: string;
}

/** The controlled vocabulary. */
export type ArtifactType = "job_posting" | "scoring_algorithm" | "lead_scoring_config" | "python_script" | "analysis_result" | "context" | "research" | "message_template" | "file_summary" | "note";

/** One version of an artifact in the list of all; `created_at` in ms UTC. */
export interface ArtifactVersion {
  version: number;
  made_by: Maker;
  created_at: number;
}

/** One version with its inferred schema; the content is read by itself, byte for byte. `versions` are the newest. `sha256` (hex) and `size` (bytes) are those of the content as it was kept. */
export interface ArtifactView {
  id: string;
  artifact_type: ArtifactType;
  artifact_key: string;
  version: number;
  made_by: Maker;
  created_at: number;
  origin: ArtifactOrigin | null;
  inferred: Record<string, unknown>;
  sha256: string;
  size: number;
  media_type: string;
  latest: number;
  versions: ArtifactVersion[];
}

/** The newest of those that fit, and how many fit. */
export interface ArtifactsFound {
  kind: "artifacts";
  total: number;
  found: FoundArtifact[];
}

/** Which artifacts: with these words, of this type, kept between these times (ms UTC). */
export interface ArtifactsQuery {
  after: string;
  words: string;
  type: ArtifactType | null;
  since: number | null;
  until: number | null;
}

/** What the user says. `key` makes a repeated request the same one. `command` is what the page showed that the whole message is understood as; nothing is carried out that was not shown. */
export interface Ask {
  text: string;
  attached: Attach[];
  key: string;
  command: "go" | "stop" | null;
}

/** A mail with a link instead of a password. */
export interface AskMail {
  url: string;
  public_key: string;
  email: string;
}

/** A server to be asked which models it offers; `secret` is a key that is not saved yet, "" for the one named `key`. */
export interface AskNames {
  provider: Provider;
  base_url: string;
  plain_http: boolean;
  key: string;
  secret: string;
}

/** The request that the message began. */
export interface Asked {
  request_id: string;
}

/** The same as a task of a campaign. */
export interface AssignAgent {
  agent: string;
  ticket: string | null;
  directory: string;
  days: number;
  campaign_id: string;
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
  evidence: Evidence[];
}

/** A backup that was read whole, every entry of it checked; `missing` is what it lacks, a line each. */
export interface BackupFound {
  name: string;
  bytes: number;
  entries: number;
  missing: string[];
}

/** What became of the backup at this start; `kept` is the database of before ("": there was none), `problem` why not. `erased_again` log entries lost their words for the second time: they had been erased since the backup was made. */
export interface BackupRestored {
  kept: string;
  erased_again: number;
  problem: ErrorShape | null;
}

/** A number, or a range such as "51-200", within bounds (null: none); a range that only overlaps earns half. */
export interface Between {
  rule: "range";
  field: string;
  low: number | null;
  high: number | null;
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

/** The first entry that does not fit, and how. */
export interface BrokenEntry {
  seq: number;
  detail: string;
}

/** Which browser campaigns run in: `chosen` is "" where the first of `installed` is used. `used` is null while none can be, and `problem` says why; `fixed`: OUTRIDER_BROWSER decides. */
export interface BrowserChoices {
  installed: BrowserProgram[];
  chosen: string;
  fixed: boolean;
  used: BrowserProgram | null;
  problem: ErrorShape | null;
}

/** The profile of the browser that campaigns run in; `profile_bytes` is null while there is none yet. */
export interface BrowserFacts {
  profile: string;
  profile_bytes: number | null;
}

/** A browser on this machine, by its program and what it calls itself. */
export interface BrowserProgram {
  program: string;
  version: string;
}

/** A script that comes with Outrider. */
export interface BuiltinLine {
  key: string;
  title: string;
  tells: string;
  source: string;
  sha256: string;
}

/** How much a campaign holds of what; `not_contacted` of its people got nothing yet. */
export interface CampaignContents {
  people: number;
  not_contacted: number;
  texts: number;
  replies: number;
  artifacts: number;
  lines: number;
  entries: number;
}

/** The campaign's files for people were written again, and where. */
export interface CampaignFilesWritten {
  folder: string;
  files: string[];
}

/** A campaign, and how many of its leads stop. */
export interface CampaignHit {
  name: string;
  leads: number;
}

/** A page of campaigns, newest first, and what runs; `next` is where the following page begins. */
export interface CampaignList {
  campaigns: CampaignSummary[];
  next: string | null;
  runs: RunState[];
}

/** Who proposes in a campaign, what that has cost, and what it may; money in millionths of a US dollar. `alone`: the model also takes the steps that take no judgement. `people` were begun with so far. */
export interface CampaignModel {
  proposer: string;
  alone: boolean;
  calls: number;
  people: number;
  title: string;
  known: boolean;
  choices: Choice[];
  spent: ModelSpending[];
  tokens: number;
  micros: number;
  most_tokens: number;
  most_micros: number;
}

/** The steps for each of the people, in their order, and what is wrong with the steps as a whole. `scoring` is what would be preferred for the goal; `ramp` tells how many a day may go out in the weeks to come, a sentence for each family of acts that the steps need. */
export interface CampaignPreview {
  people: PreviewedSteps[];
  problem: string;
  scoring: string[];
  ramp: string[];
}

/** What a campaign is about and may do. */
export interface CampaignSettings {
  id: string;
  name: string;
  goal: string;
  topic: string;
  site: string;
  version: number;
  limits: Limits;
  defaults: Limits;
  bounds: Record<string, Bound>;
  utc_offsets: OffsetSince[];
}

/** What a campaign is doing or waiting for: `detail` says more, `remedy` what the user can do about it; either may be empty. `until` (ms UTC): when it goes on by itself. */
export interface CampaignState {
  name: StateName;
  detail: string;
  remedy: string;
  until: number | null;
}

/** Spec 001 FR-054. */
export type CampaignStatus = "initializing" | "active" | "paused" | "completed" | "error";

/** A campaign in the list; `now` and `last_action_at` are of its own clock. `needs` counts what waits for the user, `missing` is what the campaign needs before it can run. */
export interface CampaignSummary {
  id: string;
  name: string;
  status: CampaignStatus;
  state: CampaignState;
  site: string;
  created_at: number;
  turns: number;
  leads: Partial<Record<LeadStatus, number>>;
  needs: Partial<Record<Need, number>>;
  now: number;
  last_action_at: number;
  missing: "" | "leads" | "import" | "importing";
}

/** One campaign; times on its own clock, days from the oldest to today, counts end at a bound. `limits` are of its account, in all campaigns; all else is the campaign's own. */
export interface CampaignToday {
  id: string;
  name: string;
  status: CampaignStatus;
  status_reason: string;
  site: string;
  account: string;
  now: number;
  utc_offsets: OffsetSince[];
  state: CampaignState;
  needs: Partial<Record<Need, number>>;
  put_off: number;
  put_off_until: number | null;
  latest: LatestReply[];
  next: TaskRow[];
  held: Held[];
  limits: LimitLine[];
  funnel: FunnelStage[];
  sent_by_day: number[];
  replies_by_day: number[];
  problems: Problem[];
  target: Target | null;
  old_invitations: OldInvitation[];
  old_invitation_count: number;
  withdraw_after_days: number;
  withdrawals_a_day: number;
  first_contact_until: number | null;
  ends_at: number | null;
  since: Happened | null;
}

/** What every screen of a campaign shares, as of event `seq`: it is loaded often, so it is small and every list bounded. `needs` counts what waits for the user, as on every other surface. `prepared_until`: messages are drafted for as long as that (ms UTC), and none for anybody new before; null while more come. */
export interface CampaignView {
  id: string;
  name: string;
  goal: string;
  status: CampaignStatus;
  status_reason: string;
  state: CampaignState;
  archived: boolean;
  site: string;
  seq: number;
  now: number;
  utc_offsets: OffsetSince[];
  present: boolean;
  step_titles: Record<string, string>;
  position: Now;
  leads: Partial<Record<LeadStatus, number>>;
  task_counts: Partial<Record<TaskStatus, number>>;
  needs: Partial<Record<Need, number>>;
  prepared_until: number | null;
  questions: Question[];
  incidents: Incident[];
  run: RunState;
}

/** Which campaigns: those whose name contains `search`; those in the archive, or all others. */
export interface CampaignsQuery {
  after: string;
  search: string;
  archived: boolean;
}

/** One chain; `erased` entries have lost their payload on a person's request and still verify. */
export interface ChainLine {
  stream: "campaign" | "workspace";
  log: "events" | "audit";
  length: number;
  erased: number;
  broken: BrokenEntry | null;
}

/** What becomes of a step that is still ahead of somebody. */
export type Change = "added" | "removed" | "text" | "wait" | "condition" | "moved";

/** A way to people; with `needs_consent`, no campaign is made on it before the user consents in writing. `limits` are what a campaign on it begins with; `by_hand`: the user sends, so that the ramp and the hours only advise. */
export interface ChannelOption {
  id: string;
  title: string;
  about: string;
  needs_consent: boolean;
  by_hand: boolean;
  limits: Limits;
}

/** A text as far as it is typed; nothing of it is kept. */
export interface CheckSoul {
  text: string;
}

/** Steps whose texts are to be looked at; a variant is a step of its own here. */
export interface CheckTemplates {
  templates: WantedStep[];
}

/** Each template, in the order given. */
export interface CheckedTemplates {
  templates: TemplateCheck[];
}

/** Something to choose, and what it is called. */
export interface Choice {
  id: string;
  title: string;
}

/** Decide it again as it was decided here, or leave what holds now. */
export interface Choose {
  choice: "mine" | "theirs";
}

/** Who proposes from the next turn on; `alone` also the steps that take no judgement. */
export interface ChooseModel {
  proposer: string;
  alone: boolean;
}

/** A backup, by the ticket of the file that the user chose. */
export interface ChosenBackup {
  ticket: string;
}

/** A browser by the whole path of its program; "" leaves the choice to Outrider. */
export interface ChosenBrowser {
  program: string;
}

/** The export that was chosen: the zip, or one of its tables. */
export interface ChosenExport {
  ticket: string;
}

/** A lead file that was chosen; `mapping` names the column of each field, null: as its format says. `encoding` is what the user named, null: guessed; `sheet` too, of a workbook, empty: the first with people. */
export interface ChosenLeads {
  ticket: string;
  mapping: Record<string, string> | null;
  encoding: string | null;
  sheet: string;
  filter: LeadFilter;
  write_again: boolean;
}

/** A do-not-contact file that was chosen; `encoding` is what the user named, null: guessed; `sheet` as of a lead file. */
export interface ChosenList {
  ticket: string;
  encoding: string | null;
  sheet: string;
}

/** The user wants to close the window while a campaign runs: ask them. Sent to the window's own page. */
export interface CloseAsked {
  type: "closing";
}

/** The ticket of a page that was loaded again, once, for this launch's token. */
export interface ComeBack {
  ticket: string;
}

/** A program, started in the campaign's folder without a shell, ends in time with that status. */
export interface CommandSucceeds {
  type: "command";
  argv: string[];
  exit_code: number;
  timeout_s: number;
}

/** What must be verifiably true before the task is done, whose commitment it is, and what the last look found. `checked_at` null: not looked at yet. `unapproved`: a command, argument by argument, that is not started on this device because the user has not approved it here. `added`: what the user added and may remove, as they gave it. */
export interface Commitment {
  id: string;
  sentence: string;
  source: string;
  status: string;
  detail: string;
  checked_at: number | null;
  unapproved: string[] | null;
  added: LeadsScored | ArtifactExists | SqlHolds | FileExists | FileContains | CommandSucceeds | null;
}

/** The share of these fields that are filled. */
export interface Complete {
  rule: "completeness";
  fields: string[];
}

/** One question about a person; `negated` turns it round. `accepted` waits for `days` after the invitation; `connected` is a first-degree contact; `field` compares a column of the lead file without regard to case. `unknown` says what is done when it is not known whether they are connected. */
export interface Condition {
  what: "accepted" | "connected" | "tag" | "field";
  days: number;
  name: string;
  compare: "is" | "contains" | "empty";
  value: string;
  negated: boolean;
  unknown: "find_out" | "skip";
}

/** For how many, of those who still have the step before them, it is as things stand now; of `later` that is not known yet. */
export interface ConditionShare {
  step: string;
  yes: number;
  no: number;
  later: number;
}

/** Decisions that wait for a choice, oldest first, and how many turns of the agent were dropped (nothing to choose). */
export interface ConflictList {
  open: ConflictView[];
  dropped_turns: number;
}

/** A decision in conflict with another device's: the command that was given here, and what holds now. `command` is its name ("" if none is known), `arguments` the short ones. `kind` is the event that says what was decided, `entity_id` and `subject` (a name, or "") what that is about, `sentence` says it in words. `mine` are the columns that it decides, `theirs` the same as they are now. `again` when it would be accepted once more. `device` is the name of the device on which it was decided and waits, "" for this one; of another's nothing else is known. */
export interface ConflictView {
  id: string;
  campaign_id: string;
  campaign: string;
  decided_at: number;
  queued_at: number;
  command: string;
  arguments: Record<string, unknown>;
  kind: string;
  entity_id: string;
  subject: string;
  sentence: string;
  mine: Record<string, unknown>;
  theirs: Record<string, unknown>;
  again: boolean;
  device: string;
}

/** All of it; nothing is written before its button is pressed. */
export interface ConnectView {
  hosts: HostConfig[];
  http: HttpAccess;
  clients: McpClient[];
  servitors: ServitorLine[];
  proposals: WaitingProposal[];
}

/** Tokens as the provider counts them, times in ms, prices in micros per million tokens; `key` names a key or is empty. A price that is None is not known: then only the limit of tokens holds. `plain_http` is the user's word that unencrypted requests to a machine of their own network are meant. */
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
  connect_timeout_ms: number;
  first_token_timeout_ms: number;
  idle_timeout_ms: number;
  total_timeout_ms: number;
  price_in: number | null;
  price_out: number | null;
  key: string;
}

/** What one tiny real call showed: time to the first words, time to the last, and whether the form was kept. `code` names what went wrong and is empty when there was a reply; `said` is its beginning. */
export interface ConnectionTest {
  code: string;
  sentence: string;
  remedy: string;
  first_token_ms: number;
  total_ms: number;
  structured: boolean;
  said: string;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

/** A consent that holds: for which account, what was typed, and when (ms UTC). */
export interface Consent {
  id: string;
  account: string;
  typed: string;
  created_at: number;
}

/** What has to be read, the sentence that has to be typed, and the consent that holds; null if there is none. */
export interface ConsentView {
  text: string;
  sentence: string;
  given: Consent | null;
}

/** The furthest that a lead came with a person. */
export type Contact = "nothing" | "planned" | "invited" | "connected" | "written to" | "replied" | "refused";

/** Why somebody who is with another campaign may be contacted by this one, too. */
export interface ContactAnyway {
  reason: string;
}

/** What that stopped: whether a task was ended, and how many texts were withdrawn. */
export interface ContactRefused {
  lead_id: string;
  task_stopped: boolean;
  texts_withdrawn: number;
}

/** The latest lines, oldest first; `before` asks for earlier ones. `working` is the request that turns run for now. `examples` are questions about this campaign, for a conversation that has not begun. */
export interface Conversation {
  lines: Line[];
  before: string | null;
  working: string | null;
  has_model: boolean;
  examples: string[];
}

/** The lines before the one with that id ("": the latest). */
export interface ConversationQuery {
  before: string;
}

/** A text for the clipboard. */
export interface Copied {
  text: string;
}

/** Whether the round counts. */
export interface CountRanking {
  counts: boolean;
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

/** The data folder; its `parts`, the heaviest first, add up to `total_bytes`. `replaced_bytes` is of databases that restores replaced. */
export interface DataFacts {
  folder: string;
  chosen: string;
  parts: DataPart[];
  replaced_bytes: number;
  total_bytes: number;
  free_bytes: number;
}

/** What belongs together in the data folder, in words, and what it weighs. */
export interface DataPart {
  name: string;
  bytes: number;
}

/** Somebody to be put in order, with what is known of them and without their score. */
export interface DealtLead {
  lead_id: string;
  name: string;
  known: KnownField[];
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

/** How many log entries lost their words. */
export interface DeletedCampaign {
  erased: number;
}

/** Where one export may be written, once. */
export interface Destination {
  ticket: string;
}

/** A device of this user; `here` is this one. `fingerprint` is of the key that it signs by, "" if it never signed. */
export interface Device {
  id: string;
  name: string;
  joined_at: number;
  revoked_at: number | null;
  here: boolean;
  fingerprint: string;
}

/** Every finding, and the same as a text that can be passed on. */
export interface Diagnosis {
  findings: HealthCheck[];
  report: string;
}

/** What a change means before it is applied: `steps` after it, whom it concerns, and what becomes of texts. */
export interface DifferenceView {
  version: number;
  steps: WantedSequence;
  unchanged: boolean;
  concerned: number;
  untouched: number;
  texts_again: number;
  approvals_fall: number;
  texts_kept: number;
  restored: number;
  in_flight: number;
  groups: GroupDifference[];
  variants: VariantShare[];
  conditions: ConditionShare[];
}

/** The user put `first` before `second`, and the scoring the other way round; reasons that differ, widest gap first. */
export interface DisagreementView {
  first_id: string;
  first_name: string;
  first_score: number;
  second_id: string;
  second_name: string;
  second_score: number;
  reasons: PairReason[];
}

/** Never contact this person again, and why. */
export interface DoNotContact {
  reason: string;
}

/** An import of a do-not-contact file; times in ms UTC, `finished_at` None if it was cut off, `undone_at` unless undone. `people`, `companies` and `domains` are the rows that it put on the list. Undone, `entries_removed` left the list and `leads_released` may be contacted again. */
export interface DoNotContactImportRow {
  id: string;
  file: string;
  people: number;
  companies: number;
  domains: number;
  already: number;
  rejected: number;
  leads_stopped: number;
  messages_withdrawn: number;
  created_at: number;
  finished_at: number | null;
  entries_removed: number;
  leads_released: number;
  undone_at: number | null;
}

/** What importing the file would do; nothing was written. `people`, `companies` and `domains` are rows that put somebody on the list; with `already` and `rejected` they are all its rows. `erased` of the people are known by a key only. Without `columns` it is a bare list. */
export interface DoNotContactPreview {
  file: string;
  encoding: string;
  sheet: string;
  sheets: Sheet[];
  sheet_sentences: string[];
  columns: ListColumn[];
  people: number;
  companies: number;
  domains: number;
  already: number;
  rejected: number;
  erased: number;
  leads_stopped: number;
  campaigns: CampaignHit[];
  messages_withdrawn: number;
  rejected_rows: RejectedRecord[];
}

/** A do-not-contact file is being imported (`done` of `total` rows at most), or was: then with the import's id, or the error. */
export interface DoNotContactProgress {
  type: "do_not_contact_import";
  file: string;
  phase: "running" | "ended";
  done: number;
  total: number;
  import_id: string | null;
  error: ErrorShape | null;
}

/** The command was carried out. */
export interface Done {
  campaign_id: string;
}

/** Why leads may be one person or several. */
export type DoubtKind = "two_names" | "two_addresses" | "shared_mailbox" | "names_of_email" | "same_name" | "on_list";

/** A text that waits in Review; `digest` binds recipient, exact words, channel and step. `then` are the steps that come after it; `goes_out_at` is about when it would be sent, if it and those before it were approved now: null when that is in the user's hand, at once, or not foreseeable. `parts` are the text as its step's template with what was put in; none when it is worded in another way. `placeholders` are what in it may be one. `thread` are the last messages of the conversation, oldest first, as of `read_at`. `from_template`: the model's texts could not be used, and this is the template's. `has_other_wording`: a model would write another if this one is rejected. `variant`: that of the step's words, by its key; empty if it has none. */
export interface Draft {
  id: string;
  lead_id: string;
  kind: string;
  step: string;
  recipient: string;
  headline: string;
  profile_url: string;
  score: number | null;
  score_reasons: string[];
  text: string;
  parts: TextPart[];
  placeholders: string[];
  length: number;
  limit: number;
  digest: string;
  created_at: number;
  from_template: boolean;
  has_other_wording: boolean;
  variant: string;
  gates: GateLine[];
  thread: Said[];
  read_at: number | null;
  then: StepAhead[];
  goes_out_at: number | null;
  note: PersonNote;
}

/** The latest dry run: `done` of its days are worked out, then its forecast, or why there is none. */
export interface DryRunView {
  phase: "none" | "running" | "ended";
  wanted: DryRunWanted | null;
  done: number;
  forecast: ForecastView | null;
  error: ErrorShape | null;
}

/** How many days ahead, which part of the invited accepts and of those written to replies, and a seed that decides who. */
export interface DryRunWanted {
  days: number;
  accept: number;
  reply: number;
  seed: string;
}

/** The same `key` twice is the same campaign; `people`: with those who got nothing yet. */
export interface DuplicateCampaign {
  key: string;
  name: string;
  people: boolean;
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
  topic: string;
  limits: Limits;
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

/** How many log entries lost their words. */
export interface Erased {
  entries: number;
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

/** Something seen, kept: a file under the evidence folder named by its SHA-256, and the words that matter. */
export interface Evidence {
  kind: string;
  sha256: string;
  file: string;
  quote: string;
}

/** In whose record the file is named: the id of an action, a message or an incident. */
export interface EvidenceQuery {
  of: string;
}

/** One line of an answer; `lead_id` when it is about a person, `at` when it came about (ms UTC). `earliest` is of what is still to come: nothing is done sooner (ms UTC), and whoever else is due then may be first. */
export interface FactRow {
  label: string;
  value: string;
  lead_id: string;
  at: number | null;
  earliest: number | null;
}

/** An answer from the campaign's data: one sentence, and the people or numbers behind it. */
export interface FactsShown {
  kind: "facts";
  sentence: string;
  rows: FactRow[];
}

/** The gates of one family of acts, as they stand for the account. */
export interface FamilyGates {
  family: ActionFamily;
  waiting: number;
  gates: GateLine[];
}

/** Why it is safe to continue. */
export interface FaultReset {
  reason: string;
}

/** A recorded fact; `seq` has no gaps within a campaign. `changes` holds the new values of the columns it changed, which the page folds into the rows it shows; null when that is too much to send, or was erased: then the row is asked for. */
export interface FeedEvent {
  campaign_id: string;
  seq: number;
  at: number;
  kind: EventKind;
  entity: string;
  entity_id: string;
  actor: string;
  cause: string;
  changes: Record<string, unknown> | null;
}

/** A field of a lead before and after a row of a file; empty: there was nothing. */
export interface FieldChange {
  field: string;
  earlier: string;
  later: string;
}

/** A column of the file, the field it is read as, and a few of its values. `understood_as` says what it tells of how the user and a person were in touch before; empty if nothing. */
export interface FileColumn {
  name: string;
  field: string | null;
  samples: string[];
  understood_as: string;
}

/** A file in the campaign's folder that holds a text. */
export interface FileContains {
  type: "file_contains";
  path: string;
  text: string;
}

/** A file in the campaign's folder, by its path there; with `sha256` exactly that file. */
export interface FileExists {
  type: "file_exists";
  path: string;
  sha256: string | null;
}

/** How many people of the file's first rows would have each score, from 0 to 100; `whole`: there are no other rows. */
export interface FileScores {
  counts: number[];
  whole: boolean;
}

/** Rows of a lead file, of those that its filter takes, in whose name all words begin some word. */
export interface FindInFile {
  ticket: string;
  mapping: Record<string, string> | null;
  encoding: string | null;
  sheet: string;
  filter: LeadFilter;
  write_again: boolean;
  words: string;
}

/** The words to look for; `near` is the campaign whose people come first. */
export interface FindQuery {
  words: string;
  near: string;
}

/** Never contact this person (the address of a profile, or an e-mail address), or anybody of a company or a domain. */
export interface Forbid {
  person: string;
  kind: "person" | "company" | "domain";
  name: string;
  reason: string;
}

/** Never contact these people; `allow` takes them off the list again. */
export interface ForbidSeveral {
  leads: string[];
  reason: string;
  allow: boolean;
}

/** An entry of the workspace's list: `kind` is `person`, `company` or `domain`; `created_at` in ms UTC. */
export interface ForbiddenPerson {
  id: string;
  member_key: string;
  name: string;
  reason: string;
  created_at: number;
  kind: "person" | "company" | "domain";
}

/** How many people, and what about them. */
export interface ForecastCount {
  what: string;
  people: number;
}

/** What would go out on a day (YYYY-MM-DD, local). */
export interface ForecastDay {
  day: string;
  invitations: number;
  messages: number;
  withdrawals: number;
}

/** What would be done, day by day without a gap, and the first acts by name; `ends_at` (ms UTC) is null if it goes on. `total` counts all acts, `withdrawals` those that take an invitation back. `finished`: whose sequence would have ended, by the reason; `waiting`: others, by what they would wait for; `left_out`: who gets nothing, by what is in the way; `answered`: which ways people would take. */
export interface ForecastView {
  days: ForecastDay[];
  acts: SentAct[];
  total: number;
  withdrawals: number;
  ends_at: number | null;
  finished: ForecastCount[];
  waiting: ForecastCount[];
  left_out: ForecastCount[];
  answered: ForecastCount[];
  not_begun: number;
  held: string[];
}

/** One version of an artifact, without its content. */
export interface FoundArtifact {
  artifact_type: string;
  key: string;
  version: number;
  made_by: Maker;
  bytes: number;
  created_at: number;
}

/** The first rows that fit. */
export interface FoundInFile {
  rows: SampleLead[];
}

/** The version of the artifact. */
export interface FoundKept {
  version: number;
}

/** The likeliest first; there may be more. */
export interface FoundPeople {
  people: FoundPerson[];
}

/** A lead found in whichever campaign. */
export interface FoundPerson {
  id: string;
  campaign_id: string;
  campaign: string;
  name: string;
  company: string;
}

/** `reached` came at least this far, whatever became of them; `current` stand here now. */
export interface FunnelStage {
  stage: FunnelStep;
  reached: number;
  current: number;
}

/** How far a lead came; `interested` by the user's label. */
export type FunnelStep = "pending" | "contacted" | "responded" | "interested" | "rejected";

/** One gate, open or shut: why, and when that may change (ms UTC; null: only when somebody acts). */
export interface GateLine {
  code: string;
  passes: boolean;
  sentence: string;
  until: number | null;
}

/** The answers to several questions. */
export interface GiveAnswers {
  answers: SamePersonAnswer[];
}

/** The sentence, as it was typed. */
export interface GiveConsent {
  typed: string;
}

/** What the user says of a person, who was shown with this question about this act; `reply` is what they wrote, word by word. */
export interface GivenAnswer {
  lead_id: string;
  ask: SessionAsk;
  action_id: string;
  word: Word;
  reply: string;
}

/** An answer that holds: whether these are the same person; `at` in ms UTC. */
export interface GivenAnswerLine {
  id: string;
  same: boolean;
  at: number;
  people: KnownPerson[];
}

/** What came of a conversation (null: nothing any more); `until` (ms UTC) is when "later" is. */
export interface GivenLabel {
  label: Label | null;
  until: number | null;
}

/** What to call them in a greeting; empty leaves it to their name. */
export interface Greeting {
  name: string;
}

/** The greeting name as it is now, and as it was before. */
export interface GreetingKept {
  lead_id: string;
  name: string;
  before: string;
}

/** What became of several leads: those that changed, how many stay as they are, and how many texts were withdrawn. */
export interface GroupDecided {
  changed: LeadChange[];
  unchanged: number;
  texts_withdrawn: number;
}

/** People who stand alike: what comes next for them now and after the change ("" is the end), and all that differs. */
export interface GroupDifference {
  standing: Standing;
  next: string;
  next_after: string;
  people: number;
  changes: StepChange[];
  texts_again: number;
  approvals_fall: number;
  waits_change: boolean;
  concerned: boolean;
}

/** One of the groups of a difference, by what was shown of it. */
export interface GroupInDifference {
  wanted: WantedSequence;
  group: GroupDifference;
}

/** Take the text that was shown; `no_reply`: the conversation was looked at, and nothing new stands there. `despite` are the codes of the advice that was shown, and that the user goes beyond. */
export interface HandOver {
  lead_id: string;
  digest: string;
  no_reply: boolean;
  despite: string[];
}

/** The exact text, for the clipboard; its intent is on disk. */
export interface HandedOver {
  text: string;
  profile_url: string;
  kind: string;
}

/** How many texts were sent, who accepted and who replied, and what went wrong, behind an event of the log. */
export interface Happened {
  sent: number;
  accepted: number;
  replied: number;
  problems: number;
}

/** Something that happened with this lead; `at` is null when only its order is known. */
export interface Happening {
  at: number | null;
  what: string;
  said: string;
}

/** A stable code, a status, what was found, and what to do about it (empty when ok). */
export interface HealthCheck {
  code: string;
  status: "ok" | "warn" | "fail" | "not checked";
  said: string;
  remedy: string;
}

/** A page of this launch: whether it is visible, and how long ago (ms) somebody used it. */
export interface Heartbeat {
  page: string;
  visible: boolean;
  idle_ms: number;
}

/** A family of acts that no task may do now: the first gate that is shut. */
export interface Held {
  family: ActionFamily;
  gate: GateLine;
}

/** The socket's first message: the token, and the last event seen of each campaign. */
export interface Hello {
  token: string;
  after: Record<string, number>;
}

/** A program's file: what is added, what the whole file would be, and whether our last change can be taken back. `problem` says why it cannot be written; then `after` is empty. */
export interface HostConfig {
  id: string;
  title: string;
  path: string;
  exists: boolean;
  connected: boolean;
  can_undo: boolean;
  snippet: string;
  after: string;
  problem: string;
}

/** Where programs of this machine speak MCP over HTTP in this launch, and in which header each shows its key. A key opens nothing else. */
export interface HttpAccess {
  url: string;
  header: string;
  programs: ProgramAccess[];
}

/** What would become of the rows that were looked at, each counted once, by the first that holds. `duplicates` come a second time in the file, `known` are in the campaign, `forbidden` are on the do-not-contact list or go there because the file says so, `in_touch` by the file itself in touch before, `without_profile` cannot be found, `elsewhere` are in another campaign, and `ready` none of it. */
export interface ImportForecast {
  ready: number;
  duplicates: number;
  known: number;
  forbidden: number;
  in_touch: number;
  without_profile: number;
  elsewhere: number;
}

/** What would be imported: how the file is read, its first rows, and the first records that cannot be leads. `looked_at` records were read for this; `whole` when that is all of them. Nothing was written. */
export interface ImportPreview {
  file: string;
  format: string;
  encoding: string;
  delimiter: string;
  has_headings: boolean;
  sheet: string;
  sheets: Sheet[];
  sheet_sentences: string[];
  columns: FileColumn[];
  usable: boolean;
  rows: SampleLead[];
  unsure: SampleLead[];
  readers: SampleLead[];
  readers_to_invite: SampleLead[];
  rejected: RejectedRecord[];
  preset: string;
  contacts: number;
  good: number;
  bad: number;
  filtered_out: number;
  tags: string[];
  whole: boolean;
  variables: string[];
  lacking: Record<string, number>;
  forecast: ImportForecast;
  past: PastContactCounts;
  past_sentences: string[];
  people: ImportedPeople;
  remembered: string;
}

/** A lead file is being imported (`done` rows so far), or was: then with the import's id, or with what went wrong. `total` rows at most are in the file (0: nobody knows). `cancelled`: the user stopped it. `reconciled`: what the file, if it is LinkedIn's export, changed about people on record. */
export interface ImportProgress {
  type: "import";
  campaign_id: string;
  file: string;
  phase: "running" | "ended";
  done: number;
  total: number;
  rows_a_second: number;
  seconds_left: number | null;
  cancelled: boolean;
  import_id: string | null;
  reconciled: Reconciliation | null;
  error: ErrorShape | null;
}

/** An import of a lead file; times in ms UTC, `finished_at` None when it was cut off, `undone_at` unless it was undone. `filtered_out` counts the rows that its filter did not take. Cut off, it counts what it had brought by then. Undone, it took `taken_back` leads away, left `kept`, put the fields of `restored` others back, and took `unlisted` entries off the do-not-contact list. */
export interface ImportRow {
  id: string;
  file: string;
  format: string;
  accepted: number;
  merged: number;
  unchanged: number;
  rejected: number;
  filtered_out: number;
  created_at: number;
  finished_at: number | null;
  taken_back: number;
  kept: number;
  restored: number;
  unlisted: number;
  undone_at: number | null;
}

/** How many of a file's people are with another campaign (by its name), were in touch before, or are asked about. */
export interface ImportedPeople {
  with_campaigns: Record<string, number>;
  in_touch: number;
  asked: number;
}

/** The imports before that one ("": the latest). */
export interface ImportsQuery {
  before: string;
}

/** The account met something that stops everything until the user clears it with a reason. */
export interface Incident {
  id: string;
  kind: string;
  said: string;
  opened_at: number;
  evidence: string;
}

/** Everything but the response rates; a step that was sent to nobody is not among `steps`, a target may not be set. */
export interface InsightsView {
  target: Target | null;
  funnel: FunnelStage[];
  trend: Trend;
  steps: StepLine[];
  activity: Activity;
  replies: ReplyTimes;
  fields: Choice[];
  variants: VariantRates[];
}

/** Install what lies behind this ticket: a folder, a zip, or a SKILL.md. */
export interface InstallSkill {
  ticket: string;
}

/** In which campaign. */
export interface KeepFound {
  campaign_id: string;
}

/** A key's new value; a name that is not there yet begins one. */
export interface KeepKey {
  kind: "api_key" | "llm_provider" | "database";
  secret: string;
}

/** What was typed so far: `name` is what it is called until it is made, `form` the page's own JSON; empty is no draft. */
export interface KeptCampaignDraft {
  name: string;
  form: string;
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

/** The vault, and every key that is kept or that something names. `kit`: other devices can open the vault, with the passphrase and the recovery code. `version` is the data key's. */
export interface KeysView {
  vault: VaultStatus;
  kit: boolean;
  version: number;
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

/** A campaign by its name, state and counts; `leads` by their status, `needs` what waits for the user. */
export interface KnownCampaign {
  id: string;
  name: string;
  status: string;
  state: string;
  site: string;
  leads: Record<string, number>;
  needs: Record<string, number>;
}

/** A field of a lead as people read it. */
export interface KnownField {
  field: string;
  value: string;
}

/** One lead of somebody, with what tells namesakes apart and how far its campaign came with them. */
export interface KnownLead {
  lead_id: string;
  campaign_id: string;
  campaign_name: string;
  full_name: string;
  profile_url: string;
  email: string;
  company: string;
  job_title: string;
  contact: Contact;
}

/** Leads that are one person, the first few of them; `more` are not listed. `decides`: what is known of them that whoever is the same has in common with them, such as a no. */
export interface KnownPerson {
  leads: KnownLead[];
  more: number;
  decides: string[];
}

/** What came of a conversation, in the user's words. */
export type Label = "interested" | "later" | "no" | "wrong_person";

/** The newest campaigns that are not in the archive, newest first. */
export interface LastKnown {
  campaigns: KnownCampaign[];
}

/** What was said last, which can still be taken back. */
export interface LastWord {
  campaign_id: string;
  lead_id: string;
  name: string;
  word: Word;
}

/** Somebody who replied, when they wrote (ms UTC; when it was noticed, if nobody knows), and how their reply begins. */
export interface LatestReply {
  lead_id: string;
  name: string;
  at: number;
  text: string;
}

/** A lead that a decision changed; `before` is the priority that it had, `moved_to` its id in the other campaign. */
export interface LeadChange {
  lead_id: string;
  before: number | null;
  moved_to: string;
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
  erased: boolean;
  in_touch_before: boolean;
  other_leads: KnownLead[];
  with_lead: KnownLead | null;
  moved_from: KnownLead | null;
  moved_to: KnownLead | null;
  same_person: SamePersonQuestion[];
  score: ScorePart[];
  score_stale: boolean;
  sequence: SequenceLine[];
  waiting: WaitReason | null;
  gates: GateLine[];
  history: Happening[];
}

/** How a lead stands and why nothing more was done. */
export interface LeadExplained {
  kind: "lead";
  lead_id: string;
  name: string;
  status: LeadStatus;
  sentences: string[];
  gates: GateLine[];
}

/** What the list can be filtered by: every status with its number, the tags in use, and who is somebody else's or in doubt. */
export interface LeadFacets {
  statuses: Partial<Record<LeadStatus, number>>;
  tags: string[];
  elsewhere: number;
  in_doubt: number;
}

/** All that is said of a person must hold; what is empty is not asked. Case and accents do not count. Of whom the file says that they refused is taken in any case, to stand on the do-not-contact list. */
export interface LeadFilter {
  title: string;
  company: string;
  tag: string;
  not_in_touch: boolean;
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
  greeting_name: string;
  greeted: string;
  tags: string[];
  blocked: string;
  below_least_score: boolean;
  active_at: number | null;
  step: string;
  step_number: number;
  steps: number;
  finished: string;
  task_status: TaskStatus | null;
  needs: ActionFamily | null;
  ready_at: number | null;
  note: PersonNote;
  cells: Record<string, string>;
}

/** Which leads, in which order. */
export interface LeadQuery {
  status: LeadStatus | null;
  manual: boolean;
  blocked: boolean;
  person: "" | "elsewhere" | "in_doubt";
  unsure: boolean;
  company: string;
  tag: string;
  text: string;
  sort: "priority" | "name" | "company" | "title" | "status" | "activity" | "position" | "step" | "next" | "tag";
  backwards: boolean;
}

/** Spec 001 Key Entities. */
export type LeadStatus = "pending" | "contacted" | "responded" | "rejected";

/** The columns from left to right, the order, and the saved views. */
export interface LeadTable {
  columns: string[];
  sort: "priority" | "name" | "company" | "title" | "status" | "activity" | "position" | "step" | "next" | "tag";
  backwards: boolean;
  views: LeadView[];
}

/** How the list is shown, and which custom fields could be columns of it. */
export interface LeadTableView {
  table: LeadTable;
  fields: string[];
}

/** A filter and an order that the user saved by name. */
export interface LeadView {
  status: LeadStatus | null;
  manual: boolean;
  blocked: boolean;
  person: "" | "elsewhere" | "in_doubt";
  unsure: boolean;
  company: string;
  tag: string;
  text: string;
  name: string;
  sort: "priority" | "name" | "company" | "title" | "status" | "activity" | "position" | "step" | "next" | "tag";
  backwards: boolean;
}

/** A stretch of the list: the rows after `after` and `skip` more, and where the next stretch begins. */
export interface LeadWindow {
  rows: LeadLine[];
  next: string | null;
  total: number;
  more: boolean;
}

/** Every lead of the campaign has a score. */
export interface LeadsScored {
  type: "leads_scored";
}

/** How much of a family was used today, in seven days and, of invitations with a note, in 30 days, and how much may be. Null: no limit for the week, or none for notes that is reached before the daily one. */
export interface LimitLine {
  family: ActionFamily;
  used: number;
  limit: number;
  week_used: number;
  week_limit: number | null;
  notes_used: number;
  notes_limit: number | null;
}

/** What a campaign may do and spend, conservative by default (design: compliance 6). Times are minutes after local midnight; `notes_a_month` counts invitations with a note in any 30 days. An invitation that nobody accepted is to be withdrawn after `withdraw_after_days`: so many a day by Outrider itself, and with none a day, as by default, the user is reminded. Messages are drafted for the next `prepared_days` working days, and an approval lasts `approval_working_days` after the day for which its message is planned. For `claim_days` after the last message no other campaign writes to a person. A model may cost so many US cents and thousands of tokens in all. From `first_contact_until` on (ms UTC) nobody is written to for the first time, from `ends_at` on every sequence is over; None is no such day. Whoever has a lower score than `least_score`, or a lower priority by hand, is not begun with; 0 takes everybody. `target_a_month` limits nothing: with so many people the user wants to come into conversation in a calendar month; 0 is no target. */
export interface Limits {
  invitations_a_day: number;
  invitations_a_week: number;
  notes_a_month: number;
  messages_a_day: number;
  ramp_days: number;
  spacing_seconds: number;
  day_starts: number;
  day_ends: number;
  work_days: number[];
  withdraw_after_days: number;
  withdrawals_a_day: number;
  thread_fresh_minutes: number;
  prepared_days: number;
  approval_working_days: number;
  claim_days: number;
  first_contact_until: number | null;
  ends_at: number | null;
  least_score: number;
  target_a_month: number;
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
  result: ArtifactsFound | ArtifactShown | RatesShown | LeadExplained | FactsShown | ScriptAnswered | StatusLine | null;
  question: AssistantQuestion | null;
}

/** An address for the user's own browser. */
export interface Link {
  url: string;
}

/** A column of the file, and what its cells are taken for; null if nothing is read from it. */
export interface ListColumn {
  name: string;
  role: "kind" | "value" | "email" | "profile" | "domain" | "company" | "name" | "first_name" | "last_name" | "reason" | "added_on" | "flag" | null;
}

/** The passphrase by which other devices will open the vault; a new kit makes the earlier one worthless. */
export interface MakeKit {
  passphrase: string;
}

/** Who made a version: `name` is what the user called a program, an agent's own, or the SHA-256 of a script; else empty. What a model or a connected program proposes is kept only after the user's yes. */
export interface Maker {
  kind: MakerKind;
  name: string;
}

/** Who can make a version of an artifact (spec 001 FR-022); all but the user are "agent" in the column `source`. */
export type MakerKind = "user" | "model" | "program" | "script" | "controller";

/** The ids of all leads that match, in their order; `more`: there are more than are decided about at once. */
export interface MatchingLeads {
  ids: string[];
  more: boolean;
}

/** A program, and when it was first and last heard of (ms UTC, to the minute). */
export interface McpClient {
  name: string;
  version: string;
  transport: string;
  first_at: number;
  last_at: number;
}

/** A row that said something else of a known lead, and by what the two were found to be one person. */
export interface MergedRecord {
  id: string;
  line: number;
  lead_id: string;
  full_name: string;
  matched: string;
  changes: FieldChange[];
}

/** How a message came to be on record. */
export type MessageSource = "seen" | "reported" | "export" | "confirmed" | "unsettled" | "unknown";

/** A draft's way out; `received` is what the other side wrote, `found` what is ours and was not on record. */
export type MessageStatus = "draft" | "approved" | "sending" | "sent" | "outcome_unknown" | "failed" | "cancelled" | "received" | "found";

/** A connection, who serves it, how many campaigns use it, and why it counts as not tested, "" if it works. */
export interface ModelConnection {
  connection: Connection;
  provider: string;
  host: string;
  campaigns: number;
  untested: string;
}

/** Whether there is a key, and where it is or would be; `problem` is the keychain's, in words. Never the key. */
export interface ModelKey {
  name: string;
  state: "none" | "kept" | "given" | "missing" | "unknown";
  where: string;
  problem: string;
}

/** What is usual for a provider, to begin with; `hosted` ones may cost money. */
export interface ModelPreset {
  provider: Provider;
  title: string;
  about: string;
  base_url: string;
  model: string;
  mode: "json_schema" | "json_object" | "text";
  key: string;
  key_page: string;
  model_hint: string;
  hosted: boolean;
}

/** US dollars per million tokens of one family: its name, alone or with a day or `latest` after it. */
export interface ModelPrice {
  provider: Provider;
  family: string;
  price_in: number;
  price_out: number;
}

/** What one model has cost a campaign. */
export interface ModelSpending {
  model: string;
  replies: number;
  tokens_in: number;
  tokens_out: number;
  micros: number;
}

/** Connections by name, and what a new one can begin with; a new one has the id `fresh`. `prices` are proposed, in US dollars per million tokens as on the day `priced_on` (YYYY-MM-DD). */
export interface ModelsView {
  connections: ModelConnection[];
  presets: ModelPreset[];
  prices: ModelPrice[];
  priced_on: string;
  fresh: string;
}

/** Move these leads to another campaign. */
export interface MoveSeveral {
  leads: string[];
  target: string;
}

/** What a device is to be called on all of the user's devices. */
export interface NameDevice {
  name: string;
}

/** A person or campaign, by its id and by what people call it. */
export interface Named {
  id: string;
  name: string;
}

/** A task that another waits for. */
export interface NamedTask {
  id: string;
  description: string;
  status: TaskStatus;
}

/** What only the user can do. */
export type Need = "approve" | "send" | "read" | "answer" | "tell_apart" | "add_leads" | "import_again";

/** The whole campaign. The same `key` twice is the same campaign: a repeated request makes no second one. */
export interface NewCampaign {
  key: string;
  name: string;
  goal: string;
  topic: string;
  site: string;
  model: string;
  steps: WantedStep[];
  limits: Limits | null;
  file: ChosenLeads | null;
}

/** What a new campaign can be made of. */
export interface NewCampaignChoices {
  sites: ChannelOption[];
  models: Option[];
  presets: StepPreset[];
  variables: string[];
  fields: string[];
  most_steps: number;
  scoring: string[];
  bounds: Record<string, Bound>;
  utc_offsets: OffsetSince[];
}

/** The notes on a lead, the whole text. */
export interface Note {
  text: string;
}

/** No turn was begun, because nothing is eligible before `until` (ms UTC; None: before somebody does something). `model_silent_since` (ms UTC): the model has failed since then, and is asked again at `until`. `for_user`: people wait for the user's hand, which `held_reasons` say, too. `new_replies`: so many are there to be read before a rehearsal's clock skips on. */
export interface NothingEligible {
  until: number | null;
  held_reasons: string[];
  model_silent_since: number | null;
  for_user: boolean;
  new_replies: number;
}

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

/** A file that may be read in this launch, behind its ticket; `size` in bytes. */
export interface Offered {
  ticket: string;
  name: string;
  size: number;
}

/** The names of what a server offers, and how many `more` are left out; or what kept it from saying so. */
export interface OfferedModels {
  names: string[];
  more: number;
  problem: ErrorShape | null;
}

/** Local time minus UTC (ms) from a moment on (ms UTC). */
export interface OffsetSince {
  since: number;
  ms: number;
}

/** An invitation that has waited long; `invited_at` is ms UTC. */
export interface OldInvitation {
  lead_id: string;
  name: string;
  profile_url: string;
  invited_at: number;
}

/** The whole value is one of these, whatever its case. */
export interface OneOf {
  rule: "one_of";
  field: string;
  values: string[];
}

/** Which files the dialog offers: lead files (CSV, zip), skills (zip, SKILL.md), backups (db), or any. */
export interface OpenFile {
  kind: "leads" | "skill" | "backup" | "any";
}

/** Something to choose. */
export interface Option {
  id: string;
  title: string;
  about: string;
}

/** Another campaign that is in touch with the person, as which lead, and how far it came. */
export interface OtherCampaign {
  campaign_id: string;
  campaign: string;
  lead_id: string;
  contact: Contact;
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

/** The list, busiest first; `browser` says in words what the controlled browser visits, which is no call of ours. `refused` are of this launch, the latest first. `proxy` says by which proxy of the user's all of it goes, "" if by none. */
export interface OutgoingView {
  hosts: OutgoingHost[];
  refused: RefusedHost[];
  proxy: string;
  browser: string;
  never: string[];
}

/** The user's own words; `hidden` are the code points of their hidden characters that were shown. */
export interface OwnWords {
  text: string;
  hidden: string[];
}

/** At most so many rows of a list, after this cursor. */
export interface PageQuery {
  after: string;
  limit: number;
}

/** What a criterion gave both people of a pair, and why. */
export interface PairReason {
  name: string;
  weight: number;
  first_points: number;
  first_why: string;
  second_points: number;
  second_why: string;
}

/** The code from the terminal, once, for this launch's token. */
export interface PairRequest {
  code: string;
}

/** The token, which stays in the page's memory, and the ticket by which the page comes back after it was loaded again. */
export interface Paired {
  token: string;
  ticket: string;
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

/** How many people of a lead file were in touch before, each person once and by the weightiest. `connected` are those of the others who are connections already; `more_unclear` values are not listed in `unclear`. */
export interface PastContactCounts {
  refused: number;
  answered: number;
  written_to: number;
  invited: number;
  connected: number;
  unclear: UnclearValue[];
  more_unclear: number;
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

/** Not there yet: how many events are folded of how many, and how long the rest takes (ms), as far as one can tell. */
export interface PastProgress {
  folded: number;
  of: number;
  left_ms: number | null;
}

/** Which rows of a list as it was: of one status, or all. */
export interface PastQuery {
  after: string;
  status: string;
}

/** A task as it was. */
export interface PastTask {
  id: string;
  description: string;
  status: TaskStatus;
  needs: ActionFamily;
  reason: string;
  lead_name: string;
}

/** What was paused. `out_of_reach`: other devices do not hear of it yet, such as `acting_name`, which acts. */
export interface PausedAll {
  campaigns: PausedCampaign[];
  out_of_reach: boolean;
  acting_name: string;
}

/** A campaign that was paused with all others; `ran_here`, or was it on elsewhere. */
export interface PausedCampaign {
  id: string;
  name: string;
  ran_here: boolean;
}

/** A paused campaign, and how many approved messages wait in it. */
export interface PausedWork {
  id: string;
  name: string;
  approved: number;
}

/** At most 200 of them. */
export interface PeopleInSequence {
  people: Named[];
}

/** How many leads and log entries lost their words, and how many pictures show the person, here or on another device. */
export interface PersonErased {
  leads: number;
  entries: number;
  pictures: number;
}

/** What is to be known of a person before this campaign writes to them; a text is empty where there is nothing. `elsewhere` says which campaign they are with, since when, and how far it came, `here` if it is this very one, by another lead; `before`: they are with none, but the user was in touch with them earlier, by a file or through a campaign that is gone. `anyway` is the user's reason to write all the same. `doubt` says why they may be the same person as another lead. `held`: nothing goes out because of it. */
export interface PersonNote {
  elsewhere: string;
  anyway: string;
  doubt: string;
  here: boolean;
  before: boolean;
  held: boolean;
}

/** How much is stored about a person, in how many campaigns, and the files and times (ms UTC) that it came from. */
export interface PersonalData {
  campaigns: string[];
  messages: number;
  entries: number;
  pictures: number;
  came_from: string[];
  do_not_contact: boolean;
}

/** Between which two leads it was put (null: the end of the list), and whether it came from below. */
export interface Place {
  above: string | null;
  below: string | null;
  upwards: boolean;
}

/** Where the user is: the list of campaigns or a campaign's screen, as the address's fragment. `above` is how much room (in pixels) what waits in all campaigns takes above the list, when that was shown last. */
export interface PlaceInPage {
  address: string;
  above: number;
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

/** `zoom` is the size of text in percent, `assistant` whether its panel is open. `keys`: whether a letter by itself is a shortcut, or only combinations and named keys are (WCAG 2.1.4). `notices`: how the user is told when something needs them, by a number in the title (`badge`), or by the system's notifications as well (`desktop`); `notice_names`: whether these name people. */
export interface Preferences {
  theme: "system" | "light" | "dark";
  zoom: number;
  motion: "system" | "reduced";
  assistant: "closed" | "open";
  keys: "letters" | "combinations";
  notices: "off" | "badge" | "desktop";
  notice_names: "shown" | "hidden";
}

/** Criteria that are being written. */
export interface PreviewBlueprint {
  criteria: Criterion[];
}

/** A lead file to look at, for a campaign that is there already or one that is to be made (""). */
export interface PreviewLeads {
  ticket: string;
  mapping: Record<string, string> | null;
  encoding: string | null;
  sheet: string;
  filter: LeadFilter;
  write_again: boolean;
  campaign_id: string;
}

/** Texts to be looked at, for a few people; `columns` are the further variables of the lead file. `fields` are what its other columns are read as; null without a file. By `site` and `limits` it is also told what the ramp allows. */
export interface PreviewSteps {
  goal: string;
  topic: string;
  steps: WantedStep[];
  readers: Reader[];
  columns: string[];
  fields: string[] | null;
  site: string;
  limits: Limits;
}

/** A text as it would be proposed; lengths as a site counts them. `problem` is empty when it could be sent; `missing` are the variables that are not known of this person, for which the user would be asked, and `uses` those that the text cannot do without. `doubtful` is what may be a placeholder in every message. */
export interface PreviewedStep {
  text: string;
  length: number;
  limit: number;
  problem: string;
  missing: string[];
  uses: string[];
  doubtful: string[];
}

/** Each step's text for one person. */
export interface PreviewedSteps {
  steps: PreviewedStep[];
}

/** A priority set by hand; null gives the lead back to its score. */
export interface Prioritise {
  priority: number | null;
}

/** A priority for these leads; null gives them back to their scores. */
export interface PrioritiseSeveral {
  leads: string[];
  priority: number | null;
}

/** The priority as it is now, and as it was before. */
export interface Prioritised {
  lead_id: string;
  priority: number | null;
  before: number | null;
}

/** Something that keeps the campaign from going on, or that somebody should look at; `said` in its own words. Of `unreachable` it is what blocks most of the campaign's people, `count` of them, all of whom are blocked. */
export interface Problem {
  kind: "incident" | "error" | "blocked" | "unknown" | "import" | "leads" | "unreachable";
  count: number;
  said: string;
}

/** The key of one program, by the name that the user gave it. */
export interface ProgramAccess {
  name: string;
  key: string;
}

/** A program, as the user calls it. */
export interface ProgramName {
  name: string;
}

/** Where a project is, and its public (“anon” or “publishable”) key. */
export interface ProjectAddress {
  url: string;
  public_key: string;
}

/** What a look at a project found. */
export interface ProjectCheck {
  ok: boolean;
  lines: HealthCheck[];
}

/** The SQL that prepares a project. */
export interface ProjectSchema {
  sql: string;
}

/** What is attached; empty texts without a project. `session` says where the sign-in is kept, for people. `public_key` lets somebody who signed out sign in again without looking it up. `moved_from` is the device that this data folder was before it came to this machine, if that was noticed in this launch. */
export interface ProjectView {
  attached: boolean;
  url: string;
  public_key: string;
  email: string;
  device_name: string;
  moved_from: string;
  devices: Device[];
  session: string;
  sync: SyncState;
}

/** How far `turn_projection` is: its last turn, the log's, and the log's length. `lag` counts turns of the log that are not in it; `rebuilt_at` (ms UTC) is when all projections were last made again. */
export interface ProjectionStatus {
  position: number;
  log_turn: number;
  log_events: number;
  lag: number;
  rebuilt_at: number | null;
  rebuilt_from: number | null;
}

/** A walk over the logs: how far it is (`done` of `of` entries in `stage`), and what it found so far. */
export interface Proof {
  running: boolean;
  stage: string;
  done: number;
  of: number;
  chains: ChainLine[];
  signatures: SignatureLine[];
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

/** What the user is asked about: exactly this script, checked before it was asked. */
export interface ProposedScriptView {
  key: string;
  source: string;
  sha256: string;
}

/** A key of the configuration that only a command of its own changes, and where that is. */
export interface ProtectedKey {
  key: string;
  changed_in: string;
}

/** Who serves the model. */
export type Provider = "openai" | "anthropic" | "azure" | "gemini" | "mistral" | "openrouter" | "ollama" | "lm_studio" | "llama_cpp" | "vllm" | "other";

/** Something a task waits for. */
export interface Question {
  id: string;
  kind: string;
  question: string;
  choices: string[];
  created_at: number;
}

/** Where somebody stands in the queue of the user's hand, in this order. */
export type QueueGroup = "reports" | "answers" | "messages" | "invitations" | "checks";

/** The queue of one campaign, or of all. */
export interface QueueQuery {
  campaign: string | null;
}

/** The round that was kept. */
export interface RankingSaved {
  campaign_id: string;
  ranking_id: string;
}

/** The next round and what came of the earlier ones; `deal` is empty when there are too few leads. `version` is the blueprint's in force, `goal` the share of pairs that should agree. */
export interface RankingsView {
  number: number;
  deal: DealtLead[];
  fewest: number;
  goal: number;
  version: number;
  rounds: RoundView[];
  agreement: AgreementView;
  disagreements: DisagreementView[];
  suggestion: SuggestedWeights;
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

/** By which field of the leads. */
export interface RatesQuery {
  field: string;
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

/** Somebody about whom the export changed something. */
export interface ReconciledPerson {
  campaign_id: string;
  lead_id: string;
  name: string;
  change: "contradictions" | "replies" | "accepted" | "settled" | "confirmed";
}

/** What became of comparing an export, and whom it is about, the most pressing first. */
export interface Reconciliation {
  counts: ReconciliationCounts;
  people: ReconciledPerson[];
  left_out: string;
}

/** What became of comparing an export: how many of each, and how many people it knows of those on record. */
export interface ReconciliationCounts {
  people: number;
  replies: number;
  confirmed: number;
  settled: number;
  accepted: number;
  contradictions: number;
}

/** What is missing, a line each; `unreadable` says why nobody can tell. Both empty: nothing is known to be missing. */
export interface RecordLossState {
  missing: string[];
  unreadable: string;
}

/** Shown once, and nowhere kept. */
export interface RecoveryKit {
  code: string;
  email: string;
  url: string;
}

/** A host that something wanted to reach in this launch: when last (ms UTC), and how often. */
export interface RefusedHost {
  host: string;
  at: number;
  times: number;
}

/** Do not send this text; a model that writes another is told the reason. Empty for none. */
export interface Reject {
  reason: string;
}

/** A record of a lead file that could not become a lead. */
export interface RejectedRecord {
  id: string;
  line: number;
  code: string;
  reason: string;
  raw: string;
}

/** How the account stands to a person, as the site shows it. */
export type Relation = "none" | "pending" | "connected";

/** How many files went, and their size. */
export interface Removed {
  files: number;
  bytes: number;
}

/** What it shall be called. */
export interface RenameCampaign {
  name: string;
}

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

/** What the user says that a reply is. */
export interface ReplyClass {
  kind: ReplyKind;
}

/** What a reply is. */
export type ReplyKind = "human" | "no" | "gone" | "automatic";

/** What a reply is, and by which rule (empty: no rule fitted, so that a person wrote it). */
export interface ReplyLabel {
  kind: ReplyKind;
  why: string;
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

/** How long people took for their first reply to a step. `replies` of those among the latest contacted leads; of `undated` ones nobody knows when they were written, `unprompted` ones came to no step. */
export interface ReplyTimes {
  replies: number;
  median_ms: number | null;
  spans: ReplySpan[];
  undated: number;
  unprompted: number;
}

/** As what kind of file. */
export interface ReportQuery {
  format: "html" | "csv";
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

/** The backup that the next start puts back, and what this start put back. */
export interface RestoreState {
  scheduled: BackupFound | null;
  restored: BackupRestored | null;
}

/** As what an answer is shown. */
export type ResultShape = "number" | "text" | "table" | "chart" | "nothing";

/** A saved answer with all that it takes to find it again. */
export interface ResultView {
  id: string;
  key: string;
  sha256: string;
  log_position: number;
  now: number;
  result_sha256: string;
  reproducible: boolean;
  answer: ScriptAnswer;
}

/** For how many days each kind of file is kept; null keeps it for good. */
export interface RetentionPolicy {
  evidence_days: number | null;
  rehearsal_days: number | null;
  replaced_database_days: number | null;
}

/** Whether a person has read exactly this content. */
export type ReviewState = "unreviewed" | "reviewed";

/** Take a device's access away: a new data key, everything sealed anew, and a new kit. */
export interface Revoke {
  device_id: string;
  passphrase: string;
}

/** A round that the user put in order; one that was taken back does not count. */
export interface RoundView {
  id: string;
  number: number;
  created_at: number;
  counts: boolean;
  people: number;
  agreement: AgreementView;
}

/** The folder by the ticket of the window's dialog, or by its path as the user typed it. */
export interface RunAgent {
  agent: string;
  ticket: string | null;
  directory: string;
  days: number;
}

/** What runs of a campaign; the latest replaces those of the same campaign before it. */
export interface RunChanged {
  type: "run";
  run: RunState;
}

/** A run of this launch. */
export interface RunId {
  run_id: string;
}

/** A run that has ended, as the audit log tells it: which script, on which data, and how it went. `reproducible` is null without an answer. */
export interface RunLine {
  seq: number;
  at: number;
  key: string;
  sha256: string;
  log_position: number;
  status: string;
  code: string;
  message: string;
  ms: number;
  result_sha256: string;
  reproducible: boolean | null;
}

/** Run a script that was approved before, on the data as it is now. */
export interface RunScript {
  sha256: string;
}

/** What the background runner does for a campaign. `once`: one turn and no more. `halt` says how the last run ended, `until` (ms UTC) up to when it had nothing to do. */
export interface RunState {
  phase: "idle" | "starting" | "running" | "stopping";
  campaign_id: string;
  once: boolean;
  nothing_eligible: NothingEligible | null;
  until: number | null;
  halt: string | null;
  because: string[];
  error: ErrorShape | null;
  name: string;
  checks: HealthCheck[];
  away_since: number | null;
  told: string[];
}

/** What is done now, what may be done, what comes next and what was done, as of event `seq`; every list is bounded. */
export interface RunView {
  seq: number;
  act: Act | null;
  families: FamilyGates[];
  next: TaskRow[];
  turns: Page<TurnLine>;
  last: TurnDetail | null;
}

/** Where the turn machine stands, as it survives a restart. */
export interface RuntimeSnapshot {
  state: TurnState;
  turn_lock: boolean;
  loop_enabled: boolean;
  last_turn: number;
  last_error: string;
}

/** The turn machine as stored, how far its projection is, and the latest wake requests; times in ms UTC. */
export interface RuntimeView {
  snapshot: RuntimeSnapshot;
  projection: ProjectionStatus;
  wakes: WakeRequest[];
  protected: ProtectedKey[];
}

/** One message of a conversation, and through which campaign and by what it is known. `text` is cut after a while, `length` is that of the whole (in characters). */
export interface Said {
  author: "us" | "them";
  kind: string;
  text: string;
  length: number;
  at: number;
  campaign_id: string;
  campaign: string;
  lead_id: string;
  source: MessageSource;
}

/** The answer to one question, about exactly those who were shown. `same`: all are one person (true), or all are different people (false); null: each list of leads in `together` is one person, and everybody else is a person of their own. */
export interface SamePersonAnswer {
  account: string;
  key: string;
  shown: string;
  same: boolean | null;
  together: string[][];
}

/** People of whom it is asked whether they are the same; `more` of them are not listed. `account` and `key` name the question, `shown` who was in it when it was read: an answer is bound to exactly these. With addresses in `on_list` it is asked whether this person is who is on the do-not-contact list by them. */
export interface SamePersonQuestion {
  account: string;
  key: string;
  shown: string;
  kind: DoubtKind;
  reason: string;
  people: KnownPerson[];
  more: number;
  on_list: string[];
}

/** What is asked about a campaign's leads; `held` of them wait for an answer. `more`: there are further questions. */
export interface SamePersonQuestions {
  questions: SamePersonQuestion[];
  more: boolean;
  held: number;
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
  greeted: string;
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

/** The leads of round `number`, the first one first. */
export interface SaveRanking {
  number: number;
  lead_ids: string[];
}

/** Make this text the version after `follows`. */
export interface SaveSoul {
  text: string;
  follows: number;
}

/** An answer among the artifacts, without its content. */
export interface SavedAnswer {
  id: string;
  key: string;
  version: number;
  created_at: number;
}

/** In their order: the first is inserted by the key 1. */
export interface SavedReplies {
  replies: SavedReply[];
}

/** A text of the user's own, and what they call it. */
export interface SavedReply {
  name: string;
  words: string;
}

/** A goal, and the lead file whose people are scored by it. */
export interface ScoreFile {
  goal: string;
  file: ChosenLeads;
}

/** What one criterion of the blueprint gave: `points` of its `weight`, and why. */
export interface ScorePart {
  name: string;
  asks: string;
  weight: number;
  points: number;
  why: string;
}

/** All leads scored by a version of the blueprint: `done` of `leads` so far, `changed` scores among them. `finished_at` in ms UTC, None while it runs. */
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
  versions: ArtifactVersion[];
  fields: string[];
  presets: Criterion[];
  suggested: Criterion[];
  proposed: ProposedBlueprint[];
  run: ScoringRun | null;
  leads: number;
  unscored: boolean;
}

/** What a script answered, and as what it is shown; `result` is plain data. */
export interface ScriptAnswer {
  shape: ResultShape;
  result: unknown;
  output: string;
}

/** What a script answered that the user had approved: kept as the artifact `result_id`; `told` is its beginning in JSON. */
export interface ScriptAnswered {
  kind: "script";
  key: string;
  script_sha256: string;
  result_id: string;
  result_sha256: string;
  told: string;
}

/** A script of that campaign waits for its turn, runs for the first or the second time, or has ended. */
export interface ScriptProgress {
  type: "script";
  campaign_id: string;
  run_id: string;
  phase: "waiting" | "first" | "second" | "ended";
}

/** What was found out about a script before anything of it ran; `refused` is empty for one that may be approved. `line` is the script's own; `approved` says whether exactly this text was approved here before. */
export interface ScriptReview {
  sha256: string;
  refused: string;
  message: string;
  line: number | null;
  approved: boolean;
}

/** The run that is under way, or how the last one ended. `status` is empty while it is under way; `line` and `message` are those of its failure. `same` is the answer of a check of the saved result `verifies`. `saved` is the result's id once it was saved. */
export interface ScriptRunView {
  id: string;
  key: string;
  sha256: string;
  began: number;
  phase: "waiting" | "first" | "second" | "ended";
  verifies: string;
  status: ScriptStatus | null;
  code: string;
  message: string;
  line: number | null;
  ms: number;
  layers: string[];
  output: string;
  answer: ScriptAnswer | null;
  log_position: number;
  result_sha256: string;
  reproducible: boolean;
  saved: string;
  same: boolean | null;
  error: ErrorShape | null;
}

/** A kept script. */
export interface ScriptSource {
  source: string;
}

/** The campaign's last run in this launch, null if there was none. */
export interface ScriptState {
  run: ScriptRunView | null;
}

/** How a run ended. */
export type ScriptStatus = "ok" | "denied" | "killed" | "failed";

/** A script that was written or pasted. */
export interface ScriptText {
  source: string;
}

/** A script as it is kept; `approved_at` (ms UTC) is None unless exactly this text was approved on this device. */
export interface ScriptVersion {
  key: string;
  version: number;
  sha256: string;
  made_by: Maker;
  created_at: number;
  approved_at: number | null;
}

/** A campaign's scripts, the latest kept first, its runs and its saved answers; `tables` is what a script may read. */
export interface ScriptsView {
  scripts: ScriptVersion[];
  builtins: BuiltinLine[];
  runs: RunLine[];
  results: SavedAnswer[];
  tables: Record<string, string[]>;
  seconds: number;
}

/** Whom the user writes to now, in their order; who better waits; why others must wait; and the counters of the account. `campaigns` are all that feed the queue, whichever was asked for. */
export interface SendQueueView {
  now: number;
  utc_offsets: OffsetSince[];
  campaigns: Named[];
  people: SessionPerson[];
  later: SessionPerson[];
  held: string[];
  paused: PausedWork[];
  used: Allowance[];
  last: LastWord | null;
}

/** Something that was sent, or an invitation that was withdrawn: when (ms UTC), what, and to whom. */
export interface SentAct {
  at: number;
  kind: string;
  step: string;
  lead_id: string;
  name: string;
}

/** The version in force now, and how many texts are made again, approvals fell, and texts came back to Review. */
export interface SequenceApplied {
  version: number;
  texts_again: number;
  approvals_fell: number;
  restored: number;
}

/** One step of the sequence, as it stands for this lead; `because` is on what it depends, or why it was skipped. */
export interface SequenceLine {
  key: string;
  kind: string;
  state: "done" | "now" | "ahead" | "left_out" | "skipped";
  because: string;
}

/** A step in force: whom it comes next for, what of it waits or went out, and how many answered after it. */
export interface SequenceStep {
  key: string;
  kind: string;
  after_days: number;
  template: string;
  here: number;
  held: number;
  drafts: number;
  approved: number;
  sent: number;
  replied: number;
  limit: number;
  skipped: number;
}

/** The sequence in force. `waiting` people have not begun, `ending` wait for a last answer, `over` are through. `previous` is what was in force before the last change, null before the first. */
export interface SequenceView {
  version: number;
  steps: SequenceStep[];
  accept_within_days: number;
  final_wait_days: number;
  user_reads: boolean;
  people: number;
  waiting: number;
  ending: number;
  over: number;
  variables: string[];
  fields: string[];
  tags: string[];
  wanted: WantedSequence;
  previous: WantedSequence | null;
}

/** A servitor: Working, Verifying or Done, what it promised, and what the last verification found. */
export interface ServitorLine {
  servitor: ServitorRow;
  campaign: string;
  state: string;
  commitments: Commitment[];
}

/** A servitor as it is stored; `status` is its task's, `reason` why it is not done. */
export interface ServitorRow {
  id: string;
  campaign_id: string;
  name: string;
  assignment: string;
  status: string;
  reason: string;
  created_at: number;
}

/** What the user is asked about a person. */
export type SessionAsk = "accepted" | "connected" | "replied" | "invite" | "write" | "withdraw" | "outcome";

/** Somebody who waits for the user's hand: what is asked, and what may be said. `text` is what would be sent, bound by `digest`; empty where nothing is. `action_id` is the act whose text they have, or "". `thread` are the last messages on record. `look_first`: entries of the log are missing, and nobody has looked at this person since, so that the text may be there already. `skipped_until` is when they come back if they are skipped now (ms UTC). */
export interface SessionPerson {
  campaign_id: string;
  campaign: string;
  group: QueueGroup;
  lead_id: string;
  action_id: string;
  name: string;
  occupation: string;
  profile_url: string;
  score: number | null;
  ask: SessionAsk;
  kind: string;
  step: string;
  text: string;
  digest: string;
  words: Word[];
  thread: Said[];
  look_first: boolean;
  skipped_until: number;
  note: PersonNote;
  advice: Advice[];
}

/** This launch of Outrider; a page of another `build` is stale. */
export interface SessionView {
  version: string;
  presence_minutes: number;
  hidden_browser: boolean;
  build: string;
  runs: RunState[];
}

/** A key, to be kept under the name that the connection gives. */
export interface SetModelKey {
  secret: string;
}

/** This machine, as Outrider uses it. */
export interface SettingsView {
  data: DataFacts;
  free_in_database: number;
  retention: RetentionPolicy;
  browser: BrowserFacts;
  presence_minutes: number;
  address: string;
  sites: SiteUsage[];
  versions: Version[];
}

/** How many of those whom a step reached, and between which bounds the true share lies with 95 % confidence. */
export interface Share {
  count: number;
  low: number;
  high: number;
}

/** A sheet of a workbook; a spreadsheet program does not show one that is `hidden`. */
export interface Sheet {
  name: string;
  hidden: boolean;
}

/** Another start on the same data folder, which proves to know the secret from the folder's file. */
export interface ShowWindowRequest {
  nonce: string;
  proof: string;
}

/** A draft as it was shown. */
export interface Shown {
  id: string;
  digest: string;
}

/** The file's whole text as the user saw it. */
export interface ShownConfig {
  shown: string;
}

/** The sequence as it shall be; `version` is the one that was shown. */
export interface ShownSequence {
  version: number;
  wanted: WantedSequence;
}

/** With a password; `fresh` makes the account first. */
export interface SignIn {
  url: string;
  public_key: string;
  email: string;
  password: string;
  fresh: boolean;
}

/** A stream's signatures: up to which entries they hold, by which key the last one is (for people to compare), and what is wrong with the first that does not hold, or is missing. */
export interface SignatureLine {
  stream: "campaign" | "workspace";
  held: number;
  events: number;
  audits: number;
  fingerprint: string;
  problem: string;
}

/** What came of it: attached, or a mail that has to be answered first. */
export interface SignedIn {
  outcome: "attached" | "confirm_mail";
  project: ProjectView;
}

/** A site, and how many campaigns are on it. */
export interface SiteUsage {
  site: string;
  campaigns: number;
}

/** The skill that was installed or updated; it waits for a review. */
export interface SkillInstalled {
  id: string;
}

/** A skill as the list shows it; used while it is reviewed and enabled. `updated_at` in ms UTC. */
export interface SkillLine {
  id: string;
  name: string;
  description: string;
  version: string;
  applies_to: Occasion[];
  source: SkillOrigin;
  review_state: ReviewState;
  enabled: boolean;
  updated_at: number;
}

/** All that are installed, by name. */
export interface SkillList {
  rows: SkillLine[];
}

/** Who brought it. */
export type SkillOrigin = "builtin" | "user";

/** A skill with SKILL.md as it is kept. `others` are files of its folder that are never used. */
export interface SkillView {
  skill: SkillLine;
  document: string;
  source_hash: string;
  others: string[];
  passages: Passage[];
}

/** Skip these leads, or take them up again. */
export interface SkipSeveral {
  leads: string[];
  skip: boolean;
}

/** Until when the conversation is out of the way (ms UTC); null brings it back. */
export interface Snooze {
  until: number | null;
}

/** A version of the text; `SHIPPED` is the one that comes with Outrider. */
export interface Soul {
  version: number;
  text: string;
}

/** Everything that is wrong with a text, in its order. */
export interface SoulCheck {
  problems: TextProblem[];
}

/** A version of the soul without its text; `restores` is the earlier one with the same text. `created_at` in ms UTC; None for the version that comes with Outrider, which was never made. */
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

/** The soul that holds now; version 0 comes with Outrider. `limit` in characters. */
export interface SoulView {
  version: number;
  text: string;
  limit: number;
}

/** The first value that a read-only query of the database gives; `:campaign` in it is the task's campaign. */
export interface SqlHolds {
  type: "sql";
  select: string;
  expected: string | number | null;
}

/** Whether a change of the sequence means anything for a lead. */
export type Standing = "unplanned" | "running" | "held" | "over";

/** The passphrase of a new vault, in place of one that nobody can open. */
export interface StartAnew {
  passphrase: string;
}

/** The browser that was started, by what it calls itself. */
export interface StartedBrowser {
  version: string;
}

/** What a campaign is said to be. */
export type StateName = "Not started" | "On" | "Waiting for you" | "Waiting" | "Paused" | "Stopped" | "Done" | "Archived";

/** One sentence; `code` when something was refused or ended early. */
export interface StatusLine {
  kind: "status";
  sentence: string;
  code: string;
}

/** A step that comes later: so many days after the one before, and only if that was accepted or not answered. `conditions`: it has conditions of its own. */
export interface StepAhead {
  key: string;
  kind: string;
  after_days: number;
  condition: "" | "accepted" | "no_reply" | "conditions";
}

/** A step still ahead that is another one after the change; days are how long is waited before it. */
export interface StepChange {
  key: string;
  kind: string;
  change: Change;
  days: number;
  days_before: number;
}

/** What came of a step; `accepted` is null for what cannot be accepted, `few` marks shares that say little. */
export interface StepLine {
  step: string;
  kind: string;
  sent: number;
  accepted: Share | null;
  replied: Share;
  few: boolean;
}

/** A sequence to begin with. */
export interface StepPreset {
  id: string;
  title: string;
  about: string;
  steps: WantedStep[];
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

/** Whether other weights would agree better; `before` and `after` are of pairs that had no part in finding them. */
export interface SuggestedWeights {
  status: "few" | "one_criterion" | "no_better" | "better";
  pairs: number;
  fewest_pairs: number;
  fewest_rounds: number;
  names: string[];
  weights_now: number[];
  criteria: Criterion[];
  before: AgreementView;
  after: AgreementView;
}

/** What is suggested next for a conversation. */
export type Suggestion = "do_not_contact" | "answer" | "label" | "wait_to_be_sent" | "wait_for_them" | "wait_until" | "nothing";

/** The latest replaces those before it. */
export interface SyncChanged {
  type: "sync";
  sync: SyncState;
}

/** How this machine and the project stand; always shown. `waiting` events are not acknowledged yet. `since`: when it began to be out of reach. `acting` says which device may act, `asked` that it was asked to hand over, `until` when it loses that at the latest. `conflicts` decisions wait for a choice. While it is pulling, `pulled` of `to_pull` entries are here. */
export interface SyncState {
  phase: "local" | "in_sync" | "pushing" | "pulling" | "offline" | "locked" | "signed_out" | "refused";
  waiting: number;
  since: number | null;
  conflicts: number;
  acting: "nobody" | "here" | "elsewhere";
  acting_name: string;
  asked: boolean;
  until: number | null;
  problem: ErrorShape | null;
  pulled: number;
  to_pull: number;
  pull_seconds_left: number | null;
}

/** Give these leads a tag, or take it from them. */
export interface TagSeveral {
  leads: string[];
  tag: string;
  remove: boolean;
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

/** Answers to be taken back. */
export interface TakeAnswersBack {
  answers: string[];
}

/** The text that is not sent. */
export interface TakenBack {
  text: string;
}

/** With how many people the user wants to come into conversation this month, and how many first replied in it so far. */
export interface Target {
  wanted: number;
  so_far: number;
}

/** A task with its texts, newest last; its turns are asked for page by page. */
export interface TaskDetail {
  row: TaskRow;
  justification: string;
  held: Held[];
  messages: TaskText[];
}

/** What a task is about. */
export type TaskKind = "score_leads" | "reach_lead" | "custom" | "answer" | "withdraw" | "assist";

/** Tasks: what is worked on, what is blocked, what comes next, what is done. `unplanned` counts the leads whose task is not made yet. */
export interface TaskPage {
  rows: TaskRow[];
  next: string | null;
  counts: Partial<Record<TaskStatus, number>>;
  unplanned: number;
  held: Held[];
}

/** A task with why it stands where it stands; `ready_at` (in working hours) null: only a person or another task can wake it. */
export interface TaskRow {
  id: string;
  kind: TaskKind;
  description: string;
  status: TaskStatus;
  needs: ActionFamily;
  reason: string;
  ready_at: number | null;
  rank: number;
  strikes: number;
  source: string;
  lead_id: string | null;
  lead_name: string;
  created_at: number;
  before: NamedTask[];
  commitments: Commitment[];
  questions: Question[];
}

/** Spec 000 §4.2, plus `verifying` (spec 004) and `dropped`: the user decided that it is not to be done. */
export type TaskStatus = "pending" | "in_progress" | "verifying" | "done" | "blocked" | "dropped";

/** A text that was written for a task's lead, or their reply; times in ms UTC. */
export interface TaskText {
  id: string;
  step: string;
  kind: string;
  status: string;
  text: string;
  reason: string;
  created_at: number;
  sent_at: number | null;
}

/** Which tasks: those of one status, or all. */
export interface TasksQuery {
  after: string;
  limit: number;
  status: TaskStatus | null;
}

/** What a step's template becomes over all leads; lengths as a site counts. `unfilled` lack at least one variable that has no other words: each is asked for. `missing` says how many lack which, `otherwise` how many get the other words, by the variable; `doubtful` is what may be a placeholder in every message. */
export interface TemplateCheck {
  limit: number;
  people: number;
  longest: number;
  too_long: number;
  unfilled: number;
  missing: Record<string, number>;
  otherwise: Record<string, number>;
  doubtful: string[];
  problem: string;
}

/** A piece of a text; `variable` names what it stands for, "" for the template's own words. `fallback`: nothing was known of this person, so the template's words for that case stand here. */
export interface TextPart {
  text: string;
  variable: string;
  fallback: boolean;
}

/** What keeps a text from being the soul, and where it stands: its line from 1, its place in UTF-16 units. */
export interface TextProblem {
  code: string;
  sentence: string;
  remedy: string;
  line: number;
  start: number;
  end: number;
}

/** A message with everything that is recorded of it; `reply` is null for one of ours. */
export interface ThreadEntry {
  author: "us" | "them";
  kind: string;
  text: string;
  length: number;
  at: number;
  campaign_id: string;
  campaign: string;
  lead_id: string;
  source: MessageSource;
  id: string;
  step: string;
  status: MessageStatus;
  reason: string;
  approval: ApprovalRecord | null;
  attempts: AttemptLine[];
  reply: ReplyLabel | null;
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
  campaign_id: string;
  campaign: string;
  label: Label | "";
  snoozed_until: number | null;
  unread: boolean;
  now: number;
  utc_offsets: OffsetSince[];
}

/** All that passed with a person, oldest first, as one of their leads; `earlier` is how many older messages are left out. Nothing of the sequence is sent to somebody whose thread was last read more than `fresh_ms` ago. `answers`: they wrote, so that they can be answered, in at most `limit` characters; `by_hand`: what is sent is sent by the user, in a send session. */
export interface ThreadView {
  id: string;
  campaign_id: string;
  campaign: string;
  campaign_runs: boolean;
  now: number;
  utc_offsets: OffsetSince[];
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
  label: Label | "";
  snoozed_until: number | null;
  notes: string;
  suggestion: Suggestion;
  answers: boolean;
  by_hand: boolean;
  limit: number;
  waiting: WaitingAnswer | null;
  unsent: UnsentAnswer | null;
  do_not_contact: boolean;
  elsewhere: OtherCampaign[];
}

/** Which conversations: of one state or one label, of people whose name contains `name`. */
export interface ThreadsQuery {
  after: string;
  limit: number;
  state: "" | "unknown" | "replied" | "waiting" | "snoozed";
  label: Label | "";
  name: string;
}

/** One entry whole: `text` is its payload as it was hashed, or what is left of it once erased (cut for display). */
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

/** One entry. `kind` is the event's kind or the audit entry's action, `sentence` what it says, `tone` whether that is news. `payload` is null when it was `erased`, and when it is `large`: then the entry is asked for by itself. */
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
  sentence: string;
  tone: "good" | "bad" | "plain";
}

/** When (ms UTC). */
export interface Timer {
  input: string;
  due_at: number;
}

/** Its id. */
export interface TimerArmed {
  id: number;
}

/** The window's title. */
export interface Title {
  title: string;
}

/** Of which campaign; "" for the newest ones. */
export interface TodayQuery {
  campaign: string;
}

/** One campaign, or the newest ones. */
export interface TodayView {
  campaigns: CampaignToday[];
  same_person: number;
  last_here: number | null;
}

/** A tool that ran during the turn; `us` is how long, in microseconds. */
export interface ToolCall {
  tool: string;
  outcome: string;
  us: number;
}

/** Stretches of `days` days each, by the days on which they begin (since the epoch), the last one ending with today. They begin with the first text; `begun` is false before it. */
export interface Trend {
  days: number;
  starts: number[];
  stages: TrendStage[];
  steps: TrendStep[];
  begun: boolean;
}

/** How many came to a stage in each stretch of time. */
export interface TrendStage {
  stage: FunnelStep;
  counts: number[];
}

/** To how many a step was sent in each stretch of time, and how many of exactly these have answered since. */
export interface TrendStep {
  step: string;
  sent: number[];
  replied: number[];
}

/** A turn with its reply, calls, gates and action. `recorded` false: its entries of the audit log were not found from here. `rejection` is the code of the rule that the reply broke. `gates` as they were answered then, for an act that was asked for. */
export interface TurnDetail {
  line: TurnLine;
  recorded: boolean;
  at: number | null;
  reply: Reply | null;
  parsed: Parsed | null;
  rejection: string;
  family: ActionFamily | null;
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

/** Where the one turn in flight stands. */
export type TurnState = "Bootstrapping" | "Idle" | "LoadingContext" | "Inferring" | "ExecutingActions" | "Persisting" | "Sleeping" | "Faulted";

/** Which turns: those that worked on `task`, by its id; all if it is empty. */
export interface TurnsQuery {
  after: string;
  limit: number;
  task: string;
}

/** A value in a column of past contact that nobody understands, and how many people have it. */
export interface UnclearValue {
  column: string;
  value: string;
  people: number;
}

/** The version that was shown, which is taken back. */
export interface UndoSequence {
  version: number;
}

/** How many entries leave the list, how many leads may be contacted again, and how many stay held by other entries. What does not come back: messages that were `sent` to those leads before stay sent, `withdrawn` texts have to be written again, and tasks that `ended` stay ended. */
export interface UndoneDoNotContactImport {
  entries: number;
  released: number;
  still_held: number;
  sent: number;
  withdrawn: number;
  ended: number;
}

/** How many leads go, how many stay because something was sent to them or the user put them on the do-not-contact list, and of how many others the fields go back. `unlisted` entries leave the do-not-contact list, because nobody but the file had put them there. */
export interface UndoneImport {
  taken_back: number;
  kept: number;
  restored: number;
  unlisted: number;
}

/** The passphrase, and on a device that never opened it the recovery code. */
export interface Unlock {
  passphrase: string;
  code: string | null;
}

/** An answer that was not sent after all, and why. */
export interface UnsentAnswer {
  text: string;
  why: string;
}

/** What the file's owner calls it. */
export interface UploadQuery {
  name: string;
}

/** How a variant of a step's text fares. `good` counts acceptances of an invitation, else answers to a message. `low` and `high` bound the true share with 95 % confidence, `few` marks a weak one. */
export interface VariantRates {
  step: string;
  kind: string;
  variant: string;
  sent: number;
  accepted: number;
  replied: number;
  good: number;
  low: number;
  high: number;
  few: boolean;
}

/** How many people, of those who still have the step before them, get a variant; `others` of them got other words before. */
export interface VariantShare {
  step: string;
  variant: string;
  people: number;
  others: number;
}

/** `none`: nothing was sealed yet. `locked`: ask for the passphrase (`needs` says what else). `where` the key to the data key is kept, and `problem`, are for people. */
export interface VaultStatus {
  state: "none" | "open" | "locked";
  needs: "nothing" | "passphrase" | "passphrase_and_code";
  where: string;
  problem: string;
}

/** Something installed. */
export interface Version {
  name: string;
  version: string;
}

/** Why nothing is done for this person now, and when that may change (ms UTC; None: only when somebody acts). */
export interface WaitReason {
  code: string;
  sentence: string;
  until: number | null;
}

/** An answer that is not sent yet: its text, whether it can be taken back, and why it waits. */
export interface WaitingAnswer {
  text: string;
  can_be_taken_back: boolean;
  gates: GateLine[];
}

/** What a connected program proposes and the user decides. */
export interface WaitingProposal {
  campaign_id: string;
  campaign: string;
  question: Question;
}

/** With words for the assistant, if there are any. */
export interface Wake {
  input: string;
}

/** Somebody wanted the campaign woken at `due_at` (ms UTC); `said` is why it was refused. */
export interface WakeRequest {
  id: number;
  campaign_id: string;
  reason: "manual" | "timer";
  input: string;
  asked_at: number;
  due_at: number;
  status: "armed" | "woken" | "cancelled" | "refused";
  settled_at: number | null;
  said: string;
}

/** The steps that shall be in force, in order, and what ends the waits between them. */
export interface WantedSequence {
  steps: WantedStep[];
  accept_within_days: number;
  final_wait_days: number;
}

/** A step as the user wants it; without a `key` it is a new one. */
export interface WantedStep {
  key: string;
  kind: "visit" | "invitation" | "message" | "wait" | "end";
  after_days: number;
  template: string;
  variants: WantedVariant[];
  only_if: Condition[];
}

/** Other words for a step, as the user wants them; without a `key` they are new. */
export interface WantedVariant {
  key: string;
  template: string;
}

/** What a rehearsal proves, counted by the practice network's own ledger and by the logs. `delivered` texts reached it, `duplicates` a second time; `missing` are on record as sent and not there. `unapproved` went out without an approval, `after_reply` are texts of the sequence to somebody who had replied. The `entries` of both logs chain, unless `broken` says where not. Not `counted`: the ledger is no longer kept, so nothing is known of what reached the network. */
export interface WhatWasProven {
  counted: boolean;
  delivered: number;
  duplicates: number;
  missing: number;
  unapproved: number;
  replied: number;
  after_reply: number;
  entries: number;
  broken: string;
}

/** Which stretch of the list: `limit` rows behind `skip` rows behind the cursor `after`. */
export interface WindowQuery {
  status: LeadStatus | null;
  manual: boolean;
  blocked: boolean;
  person: "" | "elsewhere" | "in_doubt";
  unsure: boolean;
  company: string;
  tag: string;
  text: string;
  sort: "priority" | "name" | "company" | "title" | "status" | "activity" | "position" | "step" | "next" | "tag";
  backwards: boolean;
  after: string;
  skip: number;
  limit: number;
}

/** Whether there is a window, which is in front now, else a code for the page; proved to be by the launch that was meant. */
export interface WindowShown {
  window: boolean;
  code: string;
  proof: string;
}

/** What the user says. */
export type Word = "sent" | "not_sent" | "no_reply" | "replied" | "already_sent" | "connected" | "not_connected" | "wrong_person" | "withdrawn" | "skip";

/** An export that is complete on disk; `size` in bytes. */
export interface Written {
  name: string;
  size: number;
}

export type FeedMessage = Ready | Events | Reset | StepTicker | ReplyText | RunChanged | ImportProgress | DoNotContactProgress | ScriptProgress | CloseAsked | SyncChanged;

/** Every kind of event. */
export type EventKind =
  | "CampaignCreated"
  | "CampaignActivated"
  | "CampaignPaused"
  | "CampaignHeld"
  | "CampaignContinued"
  | "CampaignReopened"
  | "CampaignCompleted"
  | "CampaignFailed"
  | "CampaignRecovered"
  | "CampaignEdited"
  | "SequenceChanged"
  | "CampaignArchived"
  | "CampaignUnarchived"
  | "CampaignDeleted"
  | "ConversationDeleted"
  | "ConversationRestored"
  | "RuntimeChanged"
  | "ScoringStarted"
  | "LeadsRanked"
  | "RankingTakenBack"
  | "RankingPutBack"
  | "ScoringAdvanced"
  | "ScoringEnded"
  | "ConflictOpened"
  | "ConflictSettled"
  | "EntriesErased"
  | "ImportStarted"
  | "ImportFinished"
  | "ImportUndone"
  | "RowRejected"
  | "LeadImported"
  | "LeadMerged"
  | "RowMerged"
  | "MergeUndone"
  | "LeadScored"
  | "LeadPlanned"
  | "LeadAdvanced"
  | "ConditionAnswered"
  | "InvitationWithdrawn"
  | "LeadClaimed"
  | "LeadContactAllowed"
  | "LeadFinished"
  | "LeadResumed"
  | "LeadBlocked"
  | "LeadUnblocked"
  | "LeadPrioritised"
  | "LeadLabelled"
  | "LeadSnoozed"
  | "RepliesRead"
  | "LeadNoted"
  | "GreetingChosen"
  | "LeadTagged"
  | "MessageDrafted"
  | "MessageEdited"
  | "MessageApproved"
  | "MessageWithdrawn"
  | "MessageCancelled"
  | "MessageRestored"
  | "MessageSending"
  | "MessageSent"
  | "MessageNotSent"
  | "MessageOutcomeUnknown"
  | "MessageFailed"
  | "ReplyReceived"
  | "ReplyClassified"
  | "OwnMessageFound"
  | "ApprovalGiven"
  | "ApprovalUsed"
  | "ApprovalReopened"
  | "ApprovalExpired"
  | "ApprovalRevoked"
  | "ActionIntended"
  | "ActionHandedOver"
  | "ActionSettled"
  | "ActionConfirmed"
  | "IncidentOpened"
  | "IncidentCleared"
  | "TaskCreated"
  | "TaskStarted"
  | "TaskAdvanced"
  | "TaskDeferred"
  | "TaskClaimed"
  | "TaskCompleted"
  | "TaskReopened"
  | "TaskReturned"
  | "TaskBlocked"
  | "TaskDropped"
  | "ServitorDismissed"
  | "TaskUnblocked"
  | "RequestEnded"
  | "CommitmentMade"
  | "CommitmentChecked"
  | "CommitmentWithdrawn"
  | "InputRequested"
  | "RequestAsked"
  | "InputAnswered"
  | "TurnCompleted"
  | "TurnFaulted"
  | "ReplyBilled"
  | "ConversationSaid"
  | "AttachmentGiven"
  | "ArtifactPersisted"
  | "DoNotContactAdded"
  | "DoNotContactRemoved"
  | "IdentityAnswered"
  | "IdentityAnswerTakenBack"
  | "DoNotContactImportStarted"
  | "DoNotContactImportFinished"
  | "DoNotContactImportUndone"
  | "ContactRemembered"
  | "ConsentGiven"
  | "ConsentWithdrawn"
  | "ConfigSet"
  | "ConfigChanged"
  | "SoulChanged"
  | "SkillInstalled"
  | "SkillUpdated"
  | "SkillReviewed"
  | "SkillEnabled"
  | "SkillDisabled"
  | "SkillRemoved"
  | "SkillRestored"
  | "SecretKept"
  | "SecretChanged"
  | "SecretForgotten"
  | "DeviceJoined"
  | "DeviceNamed"
  | "SigningKeyIntroduced"
  | "DeviceRevoked";

/** Finds hidden characters (`backend/domain/values/hidden_characters.py`): only what group 1 holds is hidden. */
export const HIDDEN_CHARACTERS = /\u{1f3f4}(?:\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}|\u{e0067}\u{e0062}\u{e0073}\u{e0063}\u{e0074}|\u{e0067}\u{e0062}\u{e0077}\u{e006c}\u{e0073})\u{e007f}|[\u{a9}\u{ae}\u{203c}\u{2049}\u{2122}\u{2139}\u{2194}-\u{2199}\u{21a9}-\u{21aa}\u{231a}-\u{231b}\u{2328}\u{23cf}\u{23e9}-\u{23f3}\u{23f8}-\u{23fa}\u{24c2}\u{25aa}-\u{25ab}\u{25b6}\u{25c0}\u{25fb}-\u{25fe}\u{2600}-\u{2604}\u{260e}\u{2611}\u{2614}-\u{2615}\u{2618}\u{261d}\u{2620}\u{2622}-\u{2623}\u{2626}\u{262a}\u{262e}-\u{262f}\u{2638}-\u{263a}\u{2640}\u{2642}\u{2648}-\u{2653}\u{265f}-\u{2660}\u{2663}\u{2665}-\u{2666}\u{2668}\u{267b}\u{267e}-\u{267f}\u{2692}-\u{2697}\u{2699}\u{269b}-\u{269c}\u{26a0}-\u{26a1}\u{26a7}\u{26aa}-\u{26ab}\u{26b0}-\u{26b1}\u{26bd}-\u{26be}\u{26c4}-\u{26c5}\u{26c8}\u{26ce}-\u{26cf}\u{26d1}\u{26d3}-\u{26d4}\u{26e9}-\u{26ea}\u{26f0}-\u{26f5}\u{26f7}-\u{26fa}\u{26fd}\u{2702}\u{2705}\u{2708}-\u{270d}\u{270f}\u{2712}\u{2714}\u{2716}\u{271d}\u{2721}\u{2728}\u{2733}-\u{2734}\u{2744}\u{2747}\u{274c}\u{274e}\u{2753}-\u{2755}\u{2757}\u{2763}-\u{2764}\u{2795}-\u{2797}\u{27a1}\u{27b0}\u{27bf}\u{2934}-\u{2935}\u{2b05}-\u{2b07}\u{2b1b}-\u{2b1c}\u{2b50}\u{2b55}\u{3030}\u{303d}\u{3297}\u{3299}\u{1f004}\u{1f0cf}\u{1f170}-\u{1f171}\u{1f17e}-\u{1f17f}\u{1f18e}\u{1f191}-\u{1f19a}\u{1f201}-\u{1f202}\u{1f21a}\u{1f22f}\u{1f232}-\u{1f23a}\u{1f250}-\u{1f251}\u{1f300}-\u{1f321}\u{1f324}-\u{1f393}\u{1f396}-\u{1f397}\u{1f399}-\u{1f39b}\u{1f39e}-\u{1f3f0}\u{1f3f3}-\u{1f3f5}\u{1f3f7}-\u{1f3fa}\u{1f400}-\u{1f4fd}\u{1f4ff}-\u{1f53d}\u{1f549}-\u{1f54e}\u{1f550}-\u{1f567}\u{1f56f}-\u{1f570}\u{1f573}-\u{1f57a}\u{1f587}\u{1f58a}-\u{1f58d}\u{1f590}\u{1f595}-\u{1f596}\u{1f5a4}-\u{1f5a5}\u{1f5a8}\u{1f5b1}-\u{1f5b2}\u{1f5bc}\u{1f5c2}-\u{1f5c4}\u{1f5d1}-\u{1f5d3}\u{1f5dc}-\u{1f5de}\u{1f5e1}\u{1f5e3}\u{1f5e8}\u{1f5ef}\u{1f5f3}\u{1f5fa}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f6cb}-\u{1f6d2}\u{1f6d5}-\u{1f6d8}\u{1f6dc}-\u{1f6e5}\u{1f6e9}\u{1f6eb}-\u{1f6ec}\u{1f6f0}\u{1f6f3}-\u{1f6fc}\u{1f7e0}-\u{1f7eb}\u{1f7f0}\u{1f90c}-\u{1f93a}\u{1f93c}-\u{1f945}\u{1f947}-\u{1f9ff}\u{1fa70}-\u{1fa7c}\u{1fa80}-\u{1fa8a}\u{1fa8e}-\u{1fac6}\u{1fac8}\u{1facd}-\u{1fadc}\u{1fadf}-\u{1faea}\u{1faef}-\u{1faf8}](?:[\u{1f3fb}-\u{1f3ff}]|\u{fe0e}|\u{fe0f})?(?:\u{200d}[\u{a9}\u{ae}\u{203c}\u{2049}\u{2122}\u{2139}\u{2194}-\u{2199}\u{21a9}-\u{21aa}\u{231a}-\u{231b}\u{2328}\u{23cf}\u{23e9}-\u{23f3}\u{23f8}-\u{23fa}\u{24c2}\u{25aa}-\u{25ab}\u{25b6}\u{25c0}\u{25fb}-\u{25fe}\u{2600}-\u{2604}\u{260e}\u{2611}\u{2614}-\u{2615}\u{2618}\u{261d}\u{2620}\u{2622}-\u{2623}\u{2626}\u{262a}\u{262e}-\u{262f}\u{2638}-\u{263a}\u{2640}\u{2642}\u{2648}-\u{2653}\u{265f}-\u{2660}\u{2663}\u{2665}-\u{2666}\u{2668}\u{267b}\u{267e}-\u{267f}\u{2692}-\u{2697}\u{2699}\u{269b}-\u{269c}\u{26a0}-\u{26a1}\u{26a7}\u{26aa}-\u{26ab}\u{26b0}-\u{26b1}\u{26bd}-\u{26be}\u{26c4}-\u{26c5}\u{26c8}\u{26ce}-\u{26cf}\u{26d1}\u{26d3}-\u{26d4}\u{26e9}-\u{26ea}\u{26f0}-\u{26f5}\u{26f7}-\u{26fa}\u{26fd}\u{2702}\u{2705}\u{2708}-\u{270d}\u{270f}\u{2712}\u{2714}\u{2716}\u{271d}\u{2721}\u{2728}\u{2733}-\u{2734}\u{2744}\u{2747}\u{274c}\u{274e}\u{2753}-\u{2755}\u{2757}\u{2763}-\u{2764}\u{2795}-\u{2797}\u{27a1}\u{27b0}\u{27bf}\u{2934}-\u{2935}\u{2b05}-\u{2b07}\u{2b1b}-\u{2b1c}\u{2b50}\u{2b55}\u{3030}\u{303d}\u{3297}\u{3299}\u{1f004}\u{1f0cf}\u{1f170}-\u{1f171}\u{1f17e}-\u{1f17f}\u{1f18e}\u{1f191}-\u{1f19a}\u{1f201}-\u{1f202}\u{1f21a}\u{1f22f}\u{1f232}-\u{1f23a}\u{1f250}-\u{1f251}\u{1f300}-\u{1f321}\u{1f324}-\u{1f393}\u{1f396}-\u{1f397}\u{1f399}-\u{1f39b}\u{1f39e}-\u{1f3f0}\u{1f3f3}-\u{1f3f5}\u{1f3f7}-\u{1f3fa}\u{1f400}-\u{1f4fd}\u{1f4ff}-\u{1f53d}\u{1f549}-\u{1f54e}\u{1f550}-\u{1f567}\u{1f56f}-\u{1f570}\u{1f573}-\u{1f57a}\u{1f587}\u{1f58a}-\u{1f58d}\u{1f590}\u{1f595}-\u{1f596}\u{1f5a4}-\u{1f5a5}\u{1f5a8}\u{1f5b1}-\u{1f5b2}\u{1f5bc}\u{1f5c2}-\u{1f5c4}\u{1f5d1}-\u{1f5d3}\u{1f5dc}-\u{1f5de}\u{1f5e1}\u{1f5e3}\u{1f5e8}\u{1f5ef}\u{1f5f3}\u{1f5fa}-\u{1f64f}\u{1f680}-\u{1f6c5}\u{1f6cb}-\u{1f6d2}\u{1f6d5}-\u{1f6d8}\u{1f6dc}-\u{1f6e5}\u{1f6e9}\u{1f6eb}-\u{1f6ec}\u{1f6f0}\u{1f6f3}-\u{1f6fc}\u{1f7e0}-\u{1f7eb}\u{1f7f0}\u{1f90c}-\u{1f93a}\u{1f93c}-\u{1f945}\u{1f947}-\u{1f9ff}\u{1fa70}-\u{1fa7c}\u{1fa80}-\u{1fa8a}\u{1fa8e}-\u{1fac6}\u{1fac8}\u{1facd}-\u{1fadc}\u{1fadf}-\u{1faea}\u{1faef}-\u{1faf8}](?:[\u{1f3fb}-\u{1f3ff}]|\u{fe0e}|\u{fe0f})?)*|[0-9#*]\u{fe0f}\u{20e3}|(?<=[\u{620}-\u{6dc}\u{6de}-\u{70e}\u{710}-\u{88f}\u{898}-\u{8e1}\u{8e3}-\u{dff}\u{f00}-\u{109f}\u{1780}-\u{17b3}\u{17b6}-\u{17dd}\u{1820}-\u{18aa}\u{1a20}-\u{1aad}\u{1b00}-\u{1bff}\u{1cd0}-\u{1cfa}\u{a800}-\u{a82c}\u{a840}-\u{a877}\u{a880}-\u{a8ff}\u{a980}-\u{a9df}\u{aa60}-\u{aa7f}\u{aae0}-\u{aaf6}\u{abc0}-\u{abff}\u{fb50}-\u{fdcf}\u{fdf0}-\u{fdff}\u{fe70}-\u{fefc}])[\u{200c}\u{200d}](?=[\u{620}-\u{6dc}\u{6de}-\u{70e}\u{710}-\u{88f}\u{898}-\u{8e1}\u{8e3}-\u{dff}\u{f00}-\u{109f}\u{1780}-\u{17b3}\u{17b6}-\u{17dd}\u{1820}-\u{18aa}\u{1a20}-\u{1aad}\u{1b00}-\u{1bff}\u{1cd0}-\u{1cfa}\u{a800}-\u{a82c}\u{a840}-\u{a877}\u{a880}-\u{a8ff}\u{a980}-\u{a9df}\u{aa60}-\u{aa7f}\u{aae0}-\u{aaf6}\u{abc0}-\u{abff}\u{fb50}-\u{fdcf}\u{fdf0}-\u{fdff}\u{fe70}-\u{fefc}])|(?<=[\u{1820}-\u{18aa}])[\u{180b}-\u{180d}\u{180f}]|(?<=[\u{1820}-\u{18aa}])\u{180e}(?=[\u{1820}\u{1821}])|([\u{0}-\u{8}\u{b}-\u{1f}\u{7f}-\u{9f}\u{a0}\u{ad}\u{ad}\u{34f}\u{378}-\u{379}\u{380}-\u{383}\u{38b}\u{38d}\u{3a2}\u{530}\u{557}-\u{558}\u{58b}-\u{58c}\u{590}\u{5c8}-\u{5cf}\u{5eb}-\u{5ee}\u{5f5}-\u{5ff}\u{600}-\u{605}\u{61c}\u{61c}\u{6dd}\u{70e}\u{70f}\u{74b}-\u{74c}\u{7b2}-\u{7bf}\u{7fb}-\u{7fc}\u{82e}-\u{82f}\u{83f}\u{85c}-\u{85d}\u{85f}\u{86b}-\u{86f}\u{890}-\u{891}\u{892}-\u{896}\u{8e2}\u{984}\u{98d}-\u{98e}\u{991}-\u{992}\u{9a9}\u{9b1}\u{9b3}-\u{9b5}\u{9ba}-\u{9bb}\u{9c5}-\u{9c6}\u{9c9}-\u{9ca}\u{9cf}-\u{9d6}\u{9d8}-\u{9db}\u{9de}\u{9e4}-\u{9e5}\u{9ff}-\u{a00}\u{a04}\u{a0b}-\u{a0e}\u{a11}-\u{a12}\u{a29}\u{a31}\u{a34}\u{a37}\u{a3a}-\u{a3b}\u{a3d}\u{a43}-\u{a46}\u{a49}-\u{a4a}\u{a4e}-\u{a50}\u{a52}-\u{a58}\u{a5d}\u{a5f}-\u{a65}\u{a77}-\u{a80}\u{a84}\u{a8e}\u{a92}\u{aa9}\u{ab1}\u{ab4}\u{aba}-\u{abb}\u{ac6}\u{aca}\u{ace}-\u{acf}\u{ad1}-\u{adf}\u{ae4}-\u{ae5}\u{af2}-\u{af8}\u{b00}\u{b04}\u{b0d}-\u{b0e}\u{b11}-\u{b12}\u{b29}\u{b31}\u{b34}\u{b3a}-\u{b3b}\u{b45}-\u{b46}\u{b49}-\u{b4a}\u{b4e}-\u{b54}\u{b58}-\u{b5b}\u{b5e}\u{b64}-\u{b65}\u{b78}-\u{b81}\u{b84}\u{b8b}-\u{b8d}\u{b91}\u{b96}-\u{b98}\u{b9b}\u{b9d}\u{ba0}-\u{ba2}\u{ba5}-\u{ba7}\u{bab}-\u{bad}\u{bba}-\u{bbd}\u{bc3}-\u{bc5}\u{bc9}\u{bce}-\u{bcf}\u{bd1}-\u{bd6}\u{bd8}-\u{be5}\u{bfb}-\u{bff}\u{c0d}\u{c11}\u{c29}\u{c3a}-\u{c3b}\u{c45}\u{c49}\u{c4e}-\u{c54}\u{c57}\u{c5b}\u{c5e}-\u{c5f}\u{c64}-\u{c65}\u{c70}-\u{c76}\u{c8d}\u{c91}\u{ca9}\u{cb4}\u{cba}-\u{cbb}\u{cc5}\u{cc9}\u{cce}-\u{cd4}\u{cd7}-\u{cdb}\u{cdf}\u{ce4}-\u{ce5}\u{cf0}\u{cf4}-\u{cff}\u{d0d}\u{d11}\u{d45}\u{d49}\u{d50}-\u{d53}\u{d64}-\u{d65}\u{d80}\u{d84}\u{d97}-\u{d99}\u{db2}\u{dbc}\u{dbe}-\u{dbf}\u{dc7}-\u{dc9}\u{dcb}-\u{dce}\u{dd5}\u{dd7}\u{de0}-\u{de5}\u{df0}-\u{df1}\u{df5}-\u{e00}\u{e3b}-\u{e3e}\u{e5c}-\u{e80}\u{e83}\u{e85}\u{e8b}\u{ea4}\u{ea6}\u{ebe}-\u{ebf}\u{ec5}\u{ec7}\u{ecf}\u{eda}-\u{edb}\u{ee0}-\u{eff}\u{f48}\u{f6d}-\u{f70}\u{f98}\u{fbd}\u{fcd}\u{fdb}-\u{fff}\u{10c6}\u{10c8}-\u{10cc}\u{10ce}-\u{10cf}\u{115f}-\u{1160}\u{1249}\u{124e}-\u{124f}\u{1257}\u{1259}\u{125e}-\u{125f}\u{1289}\u{128e}-\u{128f}\u{12b1}\u{12b6}-\u{12b7}\u{12bf}\u{12c1}\u{12c6}-\u{12c7}\u{12d7}\u{1311}\u{1316}-\u{1317}\u{135b}-\u{135c}\u{137d}-\u{137f}\u{139a}-\u{139f}\u{13f6}-\u{13f7}\u{13fe}-\u{13ff}\u{1680}\u{169d}-\u{169f}\u{16f9}-\u{16ff}\u{1716}-\u{171e}\u{1737}-\u{173f}\u{1754}-\u{175f}\u{176d}\u{1771}\u{1774}-\u{177f}\u{17b4}-\u{17b5}\u{17de}-\u{17df}\u{17ea}-\u{17ef}\u{17fa}-\u{17ff}\u{180b}-\u{180f}\u{180e}\u{181a}-\u{181f}\u{1879}-\u{187f}\u{18ab}-\u{18af}\u{18f6}-\u{18ff}\u{191f}\u{192c}-\u{192f}\u{193c}-\u{193f}\u{1941}-\u{1943}\u{196e}-\u{196f}\u{1975}-\u{197f}\u{19ac}-\u{19af}\u{19ca}-\u{19cf}\u{19db}-\u{19dd}\u{1a1c}-\u{1a1d}\u{1a5f}\u{1a7d}-\u{1a7e}\u{1a8a}-\u{1a8f}\u{1a9a}-\u{1a9f}\u{1aae}-\u{1aaf}\u{1ade}-\u{1adf}\u{1aec}-\u{1aff}\u{1b4d}\u{1bf4}-\u{1bfb}\u{1c38}-\u{1c3a}\u{1c4a}-\u{1c4c}\u{1c8b}-\u{1c8f}\u{1cbb}-\u{1cbc}\u{1cc8}-\u{1ccf}\u{1cfb}-\u{1cff}\u{1f16}-\u{1f17}\u{1f1e}-\u{1f1f}\u{1f46}-\u{1f47}\u{1f4e}-\u{1f4f}\u{1f58}\u{1f5a}\u{1f5c}\u{1f5e}\u{1f7e}-\u{1f7f}\u{1fb5}\u{1fc5}\u{1fd4}-\u{1fd5}\u{1fdc}\u{1ff0}-\u{1ff1}\u{1ff5}\u{1fff}\u{2000}-\u{200a}\u{200b}-\u{200f}\u{200b}-\u{200f}\u{2028}-\u{202e}\u{202a}-\u{202e}\u{202a}-\u{202e}\u{202f}\u{205f}\u{2060}-\u{2064}\u{2060}-\u{206f}\u{2065}\u{2066}-\u{206f}\u{2066}-\u{206f}\u{2072}-\u{2073}\u{208f}\u{209d}-\u{209f}\u{20c2}-\u{20cf}\u{20f1}-\u{20ff}\u{218c}-\u{218f}\u{242a}-\u{243f}\u{244b}-\u{245f}\u{2800}\u{2b74}-\u{2b75}\u{2cf4}-\u{2cf8}\u{2d26}\u{2d28}-\u{2d2c}\u{2d2e}-\u{2d2f}\u{2d68}-\u{2d6e}\u{2d71}-\u{2d7e}\u{2d97}-\u{2d9f}\u{2da7}\u{2daf}\u{2db7}\u{2dbf}\u{2dc7}\u{2dcf}\u{2dd7}\u{2ddf}\u{2e5e}-\u{2e7f}\u{2e9a}\u{2ef4}-\u{2eff}\u{2fd6}-\u{2fef}\u{3000}\u{3040}\u{3097}-\u{3098}\u{3100}-\u{3104}\u{3130}\u{3164}\u{318f}\u{31e6}-\u{31ee}\u{321f}\u{a48d}-\u{a48f}\u{a4c7}-\u{a4cf}\u{a62c}-\u{a63f}\u{a6f8}-\u{a6ff}\u{a7dd}-\u{a7f0}\u{a82d}-\u{a82f}\u{a83a}-\u{a83f}\u{a878}-\u{a87f}\u{a8c6}-\u{a8cd}\u{a8da}-\u{a8df}\u{a954}-\u{a95e}\u{a97d}-\u{a97f}\u{a9ce}\u{a9da}-\u{a9dd}\u{a9ff}\u{aa37}-\u{aa3f}\u{aa4e}-\u{aa4f}\u{aa5a}-\u{aa5b}\u{aac3}-\u{aada}\u{aaf7}-\u{ab00}\u{ab07}-\u{ab08}\u{ab0f}-\u{ab10}\u{ab17}-\u{ab1f}\u{ab27}\u{ab2f}\u{ab6c}-\u{ab6f}\u{abee}-\u{abef}\u{abfa}-\u{abff}\u{d7a4}-\u{d7af}\u{d7c7}-\u{d7ca}\u{d7fc}-\u{d7ff}\u{d800}-\u{dfff}\u{e000}-\u{f8ff}\u{fa6e}-\u{fa6f}\u{fada}-\u{faff}\u{fb07}-\u{fb12}\u{fb18}-\u{fb1c}\u{fb37}\u{fb3d}\u{fb3f}\u{fb42}\u{fb45}\u{fdd0}-\u{fdef}\u{fdd0}-\u{fdef}\u{fe00}-\u{fe0f}\u{fe1a}-\u{fe1f}\u{fe53}\u{fe67}\u{fe6c}-\u{fe6f}\u{fe75}\u{fefd}-\u{fefe}\u{feff}\u{feff}\u{feff}\u{ff00}\u{ffa0}\u{ffbf}-\u{ffc1}\u{ffc8}-\u{ffc9}\u{ffd0}-\u{ffd1}\u{ffd8}-\u{ffd9}\u{ffdd}-\u{ffdf}\u{ffe7}\u{ffef}-\u{fff8}\u{fff0}-\u{fff8}\u{fff9}-\u{fffb}\u{fff9}-\u{fffb}\u{fffc}\u{fffe}-\u{ffff}\u{fffe}-\u{ffff}]|(?=[\u{10000}-\u{10ffff}])[\u{1000c}\u{10027}\u{1003b}\u{1003e}\u{1004e}-\u{1004f}\u{1005e}-\u{1007f}\u{100fb}-\u{100ff}\u{10103}-\u{10106}\u{10134}-\u{10136}\u{1018f}\u{1019d}-\u{1019f}\u{101a1}-\u{101cf}\u{101fe}-\u{1027f}\u{1029d}-\u{1029f}\u{102d1}-\u{102df}\u{102fc}-\u{102ff}\u{10324}-\u{1032c}\u{1034b}-\u{1034f}\u{1037b}-\u{1037f}\u{1039e}\u{103c4}-\u{103c7}\u{103d6}-\u{103ff}\u{1049e}-\u{1049f}\u{104aa}-\u{104af}\u{104d4}-\u{104d7}\u{104fc}-\u{104ff}\u{10528}-\u{1052f}\u{10564}-\u{1056e}\u{1057b}\u{1058b}\u{10593}\u{10596}\u{105a2}\u{105b2}\u{105ba}\u{105bd}-\u{105bf}\u{105f4}-\u{105ff}\u{10737}-\u{1073f}\u{10756}-\u{1075f}\u{10768}-\u{1077f}\u{10786}\u{107b1}\u{107bb}-\u{107ff}\u{10806}-\u{10807}\u{10809}\u{10836}\u{10839}-\u{1083b}\u{1083d}-\u{1083e}\u{10856}\u{1089f}-\u{108a6}\u{108b0}-\u{108df}\u{108f3}\u{108f6}-\u{108fa}\u{1091c}-\u{1091e}\u{1093a}-\u{1093e}\u{1095a}-\u{1097f}\u{109b8}-\u{109bb}\u{109d0}-\u{109d1}\u{10a04}\u{10a07}-\u{10a0b}\u{10a14}\u{10a18}\u{10a36}-\u{10a37}\u{10a3b}-\u{10a3e}\u{10a49}-\u{10a4f}\u{10a59}-\u{10a5f}\u{10aa0}-\u{10abf}\u{10ae7}-\u{10aea}\u{10af7}-\u{10aff}\u{10b36}-\u{10b38}\u{10b56}-\u{10b57}\u{10b73}-\u{10b77}\u{10b92}-\u{10b98}\u{10b9d}-\u{10ba8}\u{10bb0}-\u{10bff}\u{10c49}-\u{10c7f}\u{10cb3}-\u{10cbf}\u{10cf3}-\u{10cf9}\u{10d28}-\u{10d2f}\u{10d3a}-\u{10d3f}\u{10d66}-\u{10d68}\u{10d86}-\u{10d8d}\u{10d90}-\u{10e5f}\u{10e7f}\u{10eaa}\u{10eae}-\u{10eaf}\u{10eb2}-\u{10ec1}\u{10ec8}-\u{10ecf}\u{10ed9}-\u{10ef9}\u{10f28}-\u{10f2f}\u{10f5a}-\u{10f6f}\u{10f8a}-\u{10faf}\u{10fcc}-\u{10fdf}\u{10ff7}-\u{10fff}\u{1104e}-\u{11051}\u{11076}-\u{1107e}\u{110bd}\u{110c3}-\u{110cc}\u{110cd}\u{110ce}-\u{110cf}\u{110e9}-\u{110ef}\u{110fa}-\u{110ff}\u{11135}\u{11148}-\u{1114f}\u{11177}-\u{1117f}\u{111e0}\u{111f5}-\u{111ff}\u{11212}\u{11242}-\u{1127f}\u{11287}\u{11289}\u{1128e}\u{1129e}\u{112aa}-\u{112af}\u{112eb}-\u{112ef}\u{112fa}-\u{112ff}\u{11304}\u{1130d}-\u{1130e}\u{11311}-\u{11312}\u{11329}\u{11331}\u{11334}\u{1133a}\u{11345}-\u{11346}\u{11349}-\u{1134a}\u{1134e}-\u{1134f}\u{11351}-\u{11356}\u{11358}-\u{1135c}\u{11364}-\u{11365}\u{1136d}-\u{1136f}\u{11375}-\u{1137f}\u{1138a}\u{1138c}-\u{1138d}\u{1138f}\u{113b6}\u{113c1}\u{113c3}-\u{113c4}\u{113c6}\u{113cb}\u{113d6}\u{113d9}-\u{113e0}\u{113e3}-\u{113ff}\u{1145c}\u{11462}-\u{1147f}\u{114c8}-\u{114cf}\u{114da}-\u{1157f}\u{115b6}-\u{115b7}\u{115de}-\u{115ff}\u{11645}-\u{1164f}\u{1165a}-\u{1165f}\u{1166d}-\u{1167f}\u{116ba}-\u{116bf}\u{116ca}-\u{116cf}\u{116e4}-\u{116ff}\u{1171b}-\u{1171c}\u{1172c}-\u{1172f}\u{11747}-\u{117ff}\u{1183c}-\u{1189f}\u{118f3}-\u{118fe}\u{11907}-\u{11908}\u{1190a}-\u{1190b}\u{11914}\u{11917}\u{11936}\u{11939}-\u{1193a}\u{11947}-\u{1194f}\u{1195a}-\u{1199f}\u{119a8}-\u{119a9}\u{119d8}-\u{119d9}\u{119e5}-\u{119ff}\u{11a48}-\u{11a4f}\u{11aa3}-\u{11aaf}\u{11af9}-\u{11aff}\u{11b0a}-\u{11b5f}\u{11b68}-\u{11bbf}\u{11be2}-\u{11bef}\u{11bfa}-\u{11bff}\u{11c09}\u{11c37}\u{11c46}-\u{11c4f}\u{11c6d}-\u{11c6f}\u{11c90}-\u{11c91}\u{11ca8}\u{11cb7}-\u{11cff}\u{11d07}\u{11d0a}\u{11d37}-\u{11d39}\u{11d3b}\u{11d3e}\u{11d48}-\u{11d4f}\u{11d5a}-\u{11d5f}\u{11d66}\u{11d69}\u{11d8f}\u{11d92}\u{11d99}-\u{11d9f}\u{11daa}-\u{11daf}\u{11ddc}-\u{11ddf}\u{11dea}-\u{11edf}\u{11ef9}-\u{11eff}\u{11f11}\u{11f3b}-\u{11f3d}\u{11f5b}-\u{11faf}\u{11fb1}-\u{11fbf}\u{11ff2}-\u{11ffe}\u{1239a}-\u{123ff}\u{1246f}\u{12475}-\u{1247f}\u{12544}-\u{12f8f}\u{12ff3}-\u{12fff}\u{13430}-\u{1343f}\u{13456}-\u{1345f}\u{143fb}-\u{143ff}\u{14647}-\u{160ff}\u{1613a}-\u{167ff}\u{16a39}-\u{16a3f}\u{16a5f}\u{16a6a}-\u{16a6d}\u{16abf}\u{16aca}-\u{16acf}\u{16aee}-\u{16aef}\u{16af6}-\u{16aff}\u{16b46}-\u{16b4f}\u{16b5a}\u{16b62}\u{16b78}-\u{16b7c}\u{16b90}-\u{16d3f}\u{16d7a}-\u{16e3f}\u{16e9b}-\u{16e9f}\u{16eb9}-\u{16eba}\u{16ed4}-\u{16eff}\u{16f4b}-\u{16f4e}\u{16f88}-\u{16f8e}\u{16fa0}-\u{16fdf}\u{16fe4}\u{16fe5}-\u{16fef}\u{16ff7}-\u{16fff}\u{18cd6}-\u{18cfe}\u{18d1f}-\u{18d7f}\u{18df3}-\u{1afef}\u{1aff4}\u{1affc}\u{1afff}\u{1b123}-\u{1b131}\u{1b133}-\u{1b14f}\u{1b153}-\u{1b154}\u{1b156}-\u{1b163}\u{1b168}-\u{1b16f}\u{1b2fc}-\u{1bbff}\u{1bc6b}-\u{1bc6f}\u{1bc7d}-\u{1bc7f}\u{1bc89}-\u{1bc8f}\u{1bc9a}-\u{1bc9b}\u{1bca0}-\u{1bca3}\u{1bca0}-\u{1bca3}\u{1bca4}-\u{1cbff}\u{1ccfd}-\u{1ccff}\u{1ceb4}-\u{1ceb9}\u{1ced1}-\u{1cedf}\u{1cef1}-\u{1ceff}\u{1cf2e}-\u{1cf2f}\u{1cf47}-\u{1cf4f}\u{1cfc4}-\u{1cfff}\u{1d0f6}-\u{1d0ff}\u{1d127}-\u{1d128}\u{1d159}\u{1d173}-\u{1d17a}\u{1d173}-\u{1d17a}\u{1d1eb}-\u{1d1ff}\u{1d246}-\u{1d2bf}\u{1d2d4}-\u{1d2df}\u{1d2f4}-\u{1d2ff}\u{1d357}-\u{1d35f}\u{1d379}-\u{1d3ff}\u{1d455}\u{1d49d}\u{1d4a0}-\u{1d4a1}\u{1d4a3}-\u{1d4a4}\u{1d4a7}-\u{1d4a8}\u{1d4ad}\u{1d4ba}\u{1d4bc}\u{1d4c4}\u{1d506}\u{1d50b}-\u{1d50c}\u{1d515}\u{1d51d}\u{1d53a}\u{1d53f}\u{1d545}\u{1d547}-\u{1d549}\u{1d551}\u{1d6a6}-\u{1d6a7}\u{1d7cc}-\u{1d7cd}\u{1da8c}-\u{1da9a}\u{1daa0}\u{1dab0}-\u{1deff}\u{1df1f}-\u{1df24}\u{1df2b}-\u{1dfff}\u{1e007}\u{1e019}-\u{1e01a}\u{1e022}\u{1e025}\u{1e02b}-\u{1e02f}\u{1e06e}-\u{1e08e}\u{1e090}-\u{1e0ff}\u{1e12d}-\u{1e12f}\u{1e13e}-\u{1e13f}\u{1e14a}-\u{1e14d}\u{1e150}-\u{1e28f}\u{1e2af}-\u{1e2bf}\u{1e2fa}-\u{1e2fe}\u{1e300}-\u{1e4cf}\u{1e4fa}-\u{1e5cf}\u{1e5fb}-\u{1e5fe}\u{1e600}-\u{1e6bf}\u{1e6df}\u{1e6f6}-\u{1e6fd}\u{1e700}-\u{1e7df}\u{1e7e7}\u{1e7ec}\u{1e7ef}\u{1e7ff}\u{1e8c5}-\u{1e8c6}\u{1e8d7}-\u{1e8ff}\u{1e94c}-\u{1e94f}\u{1e95a}-\u{1e95d}\u{1e960}-\u{1ec70}\u{1ecb5}-\u{1ed00}\u{1ed3e}-\u{1edff}\u{1ee04}\u{1ee20}\u{1ee23}\u{1ee25}-\u{1ee26}\u{1ee28}\u{1ee33}\u{1ee38}\u{1ee3a}\u{1ee3c}-\u{1ee41}\u{1ee43}-\u{1ee46}\u{1ee48}\u{1ee4a}\u{1ee4c}\u{1ee50}\u{1ee53}\u{1ee55}-\u{1ee56}\u{1ee58}\u{1ee5a}\u{1ee5c}\u{1ee5e}\u{1ee60}\u{1ee63}\u{1ee65}-\u{1ee66}\u{1ee6b}\u{1ee73}\u{1ee78}\u{1ee7d}\u{1ee7f}\u{1ee8a}\u{1ee9c}-\u{1eea0}\u{1eea4}\u{1eeaa}\u{1eebc}-\u{1eeef}\u{1eef2}-\u{1efff}\u{1f02c}-\u{1f02f}\u{1f094}-\u{1f09f}\u{1f0af}-\u{1f0b0}\u{1f0c0}\u{1f0d0}\u{1f0f6}-\u{1f0ff}\u{1f1ae}-\u{1f1e5}\u{1f203}-\u{1f20f}\u{1f23c}-\u{1f23f}\u{1f249}-\u{1f24f}\u{1f252}-\u{1f25f}\u{1f266}-\u{1f2ff}\u{1f6d9}-\u{1f6db}\u{1f6ed}-\u{1f6ef}\u{1f6fd}-\u{1f6ff}\u{1f7da}-\u{1f7df}\u{1f7ec}-\u{1f7ef}\u{1f7f1}-\u{1f7ff}\u{1f80c}-\u{1f80f}\u{1f848}-\u{1f84f}\u{1f85a}-\u{1f85f}\u{1f888}-\u{1f88f}\u{1f8ae}-\u{1f8af}\u{1f8bc}-\u{1f8bf}\u{1f8c2}-\u{1f8cf}\u{1f8d9}-\u{1f8ff}\u{1fa58}-\u{1fa5f}\u{1fa6e}-\u{1fa6f}\u{1fa7d}-\u{1fa7f}\u{1fa8b}-\u{1fa8d}\u{1fac7}\u{1fac9}-\u{1facc}\u{1fadd}-\u{1fade}\u{1faeb}-\u{1faee}\u{1faf9}-\u{1faff}\u{1fb93}\u{1fbfb}-\u{1ffff}\u{1fffe}-\u{1ffff}\u{2a6e0}-\u{2a6ff}\u{2b81e}-\u{2b81f}\u{2ceae}-\u{2ceaf}\u{2ebe1}-\u{2ebef}\u{2ee5e}-\u{2f7ff}\u{2fa1e}-\u{2ffff}\u{2fffe}-\u{2ffff}\u{3134b}-\u{3134f}\u{3347a}-\u{e0000}\u{3fffe}-\u{3ffff}\u{4fffe}-\u{4ffff}\u{5fffe}-\u{5ffff}\u{6fffe}-\u{6ffff}\u{7fffe}-\u{7ffff}\u{8fffe}-\u{8ffff}\u{9fffe}-\u{9ffff}\u{afffe}-\u{affff}\u{bfffe}-\u{bffff}\u{cfffe}-\u{cffff}\u{dfffe}-\u{dffff}\u{e0000}-\u{e007f}\u{e0000}-\u{e0fff}\u{e0001}\u{e0002}-\u{e001f}\u{e0020}-\u{e007f}\u{e0080}-\u{e00ff}\u{e01f0}-\u{effff}\u{efffe}-\u{effff}\u{f0000}-\u{ffffd}\u{ffffe}-\u{fffff}\u{ffffe}-\u{fffff}\u{100000}-\u{10fffd}\u{10fffe}-\u{10ffff}\u{10fffe}-\u{10ffff}])\1*/gu;

export type PlainCommand = "go" | "stop";
/** Whole messages that are the user's own act, and what each is shown as (`backend/domain/turn/request.py`). */
export const PLAIN_COMMANDS: Record<string, PlainCommand> = {"continue": "go", "go on": "go", "goon": "go", "resume": "go", "go": "go", "start": "go", "carry on": "go", "proceed": "go", "pause": "stop", "stop": "stop", "halt": "stop", "wait": "stop"};
export const UNDERSTOOD_AS: Record<PlainCommand, string> = {"go": "Continue the campaign", "stop": "Pause the campaign"};

/** How what came of a lead is called (`backend/domain/model/lead.py`). */
export const LEAD_WORDS: Record<LeadStatus, string> = {"pending": "not contacted", "contacted": "contacted", "responded": "replied", "rejected": "declined"};
/** What a campaign of a recorded status is called (`backend/domain/reports/campaign_state.py`). */
export const STATE_OF_STATUS: Record<CampaignStatus, string> = {"initializing": "Not started", "active": "On", "paused": "Paused", "completed": "Done", "error": "Stopped"};
/** How people are told how a message is known (`backend/domain/contact/conversation.py`). */
export const SOURCE_WORDS: Record<MessageSource, string> = {"seen": "seen by Outrider", "reported": "reported by you", "export": "seen in your LinkedIn export", "confirmed": "reported by you, confirmed by your LinkedIn export", "unsettled": "not known yet whether it was sent", "unknown": ""};
/** How each family of acts is called (`backend/domain/model/act_words.py`). */
export const ACT_WORDS: Record<ActionFamily, Record<"title" | "does" | "about" | "doing", string>> = {"think": {"title": "Decisions", "does": "decide", "about": "Next step for", "doing": "deciding"}, "look": {"title": "Profiles", "does": "view profile", "about": "View the profile of", "doing": "viewing the profile"}, "invite": {"title": "Invitations", "does": "send invitation", "about": "Invitation to", "doing": "sending the invitation"}, "message": {"title": "Messages", "does": "send message", "about": "Message to", "doing": "sending the message"}, "answer": {"title": "Answers", "does": "send your answer", "about": "Your answer to", "doing": "sending your answer"}, "withdraw": {"title": "Withdrawals", "does": "withdraw the invitation", "about": "Withdraw the invitation to", "doing": "withdrawing the invitation"}, "assist": {"title": "Your questions", "does": "answer you", "about": "", "doing": "answering you"}, "approval": {"title": "Approvals", "does": "your approval", "about": "", "doing": "waits for your approval"}, "input": {"title": "Questions", "does": "your answer", "about": "", "doing": "waits for your answer"}};
/** What each gate checks, in words (`backend/domain/gates/gates.py`). */
export const GATE_WORDS: Record<string, string> = {"campaign_active": "the campaign is on", "no_incident": "no incident", "consent_given": "your consent", "user_present": "you are here", "in_sync": "devices in sync", "within_working_hours": "working hours", "not_ended": "the last day", "first_contact_allowed": "the last day for a first contact", "not_on_do_not_contact": "do-not-contact list", "not_replied": "no reply yet", "not_in_touch_elsewhere": "no other campaign", "same_person_settled": "who this person is", "no_open_conflict": "no conflict between devices", "may_be_invited_again": "no invitation withdrawn lately", "withdrawal_due": "age of the invitation", "thread_fresh": "conversation read lately", "approved": "your approval", "daily_limit": "daily limit", "weekly_limit": "weekly limit", "note_quota": "note allowance", "ramp": "ramp-up", "minimum_spacing": "pause between actions", "lead_not_blocked": "nobody has blocked this person"};
/** What a spreadsheet may take for the beginning of a formula (`backend/domain/values/csv_cell.py`). */
export const CSV_CELL = {"signs": "=+-@\uff1d\ufe66\u207c\u208c\uff0b\ufe62\u207a\u208a\ufb29\uff0d\ufe63\uff20\ufe6b", "separators": ";,\t|\r\n\u000b\f\u0085\u2028\u2029", "marks": "\";,|"};
/** The types that only Outrider makes (`backend/domain/model/artifact.py`). */
export const PROTECTED_TYPES: readonly ArtifactType[] = ["scoring_algorithm", "lead_scoring_config", "analysis_result"];

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
  /** Come back there at the next start. */
  keep_place(given: PlaceInPage): Promise<null>;
  /** Show the data folder in the system's file manager. */
  open_data_folder(): Promise<null>;
  /** Try once more after a start that failed, and wait for what comes of it; nothing where none failed. */
  start_again(): Promise<null>;
  /** Show the window above the others. */
  bring_to_front(): Promise<null>;
  /** Let the current action end, then close. */
  stop_and_close(): Promise<null>;
  /** The user was asked and does not want to close. */
  keep_open(): Promise<null>;
}
