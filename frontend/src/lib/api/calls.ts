// Written by `make wire` from backend/api. Do not edit.
import { at, call, withQuery } from "./client";
import type { Query } from "./client";
import type {
  AddCommitment,
  AdoptBlueprint,
  After,
  AgentAssigned,
  AgentRunRow,
  AgentsView,
  Allow,
  Answer,
  AnswerMail,
  AnswersGiven,
  Approve,
  ApproveCommand,
  ApproveScript,
  ApproveSeveral,
  ApproveSkill,
  ApprovedMessage,
  ArtifactLine,
  ArtifactSaved,
  ArtifactView,
  ArtifactsQuery,
  Ask,
  AskMail,
  AskNames,
  Asked,
  AssignAgent,
  BackupFound,
  BlueprintPreview,
  BrowserChoices,
  CampaignContents,
  CampaignFilesWritten,
  CampaignList,
  CampaignModel,
  CampaignPreview,
  CampaignSettings,
  CampaignView,
  CampaignsQuery,
  CheckSoul,
  CheckTemplates,
  CheckedTemplates,
  Choose,
  ChooseModel,
  ChosenBackup,
  ChosenBrowser,
  ChosenExport,
  ChosenLeads,
  ChosenList,
  ComeBack,
  ConflictList,
  ConnectView,
  ConnectionTest,
  ConsentView,
  ContactAnyway,
  ContactRefused,
  Conversation,
  ConversationQuery,
  CountRanking,
  DecidedList,
  DeletedCampaign,
  Diagnosis,
  DifferenceView,
  DoNotContact,
  DoNotContactImportRow,
  DoNotContactPreview,
  Done,
  Draft,
  DryRunView,
  DryRunWanted,
  DuplicateCampaign,
  Edit,
  EditCampaign,
  Erased,
  EvidenceQuery,
  FaultReset,
  FileScores,
  FindInFile,
  FindQuery,
  Forbid,
  ForbidSeveral,
  ForbiddenPerson,
  FoundInFile,
  FoundKept,
  FoundPeople,
  GiveAnswers,
  GiveConsent,
  GivenAnswer,
  GivenAnswerLine,
  GivenLabel,
  Greeting,
  GreetingKept,
  GroupDecided,
  GroupInDifference,
  HandOver,
  HandedOver,
  Heartbeat,
  ImportPreview,
  ImportRow,
  ImportedPeople,
  ImportsQuery,
  InsightsView,
  InstallSkill,
  KeepFound,
  KeepKey,
  KeptCampaignDraft,
  KeysView,
  LeadDetail,
  LeadExplained,
  LeadFacets,
  LeadQuery,
  LeadTable,
  LeadTableView,
  LeadWindow,
  MakeKit,
  MatchingLeads,
  MergedRecord,
  ModelConnection,
  ModelKey,
  ModelsView,
  MoveSeveral,
  NameDevice,
  NewCampaign,
  NewCampaignChoices,
  Note,
  OfferedModels,
  OutgoingView,
  OwnWords,
  Page,
  PageQuery,
  PairRequest,
  Paired,
  PastLead,
  PastMoment,
  PastQuery,
  PastTask,
  PausedAll,
  PeopleInSequence,
  PersonErased,
  PersonalData,
  Place,
  Preferences,
  PreviewBlueprint,
  PreviewLeads,
  PreviewSteps,
  PreviewedSteps,
  Prioritise,
  PrioritiseSeveral,
  Prioritised,
  ProgramName,
  ProjectAddress,
  ProjectCheck,
  ProjectSchema,
  ProjectView,
  Proof,
  ProposedArtifact,
  ProposedScriptView,
  QueueQuery,
  RankingSaved,
  RankingsView,
  Rates,
  RatesQuery,
  Reason,
  Reconciliation,
  RecordLossState,
  RecoveryKit,
  Reject,
  RejectedRecord,
  Removed,
  RenameCampaign,
  Reply,
  ReplyClass,
  ReportQuery,
  RestoreSoul,
  RestoreState,
  ResultView,
  RetentionPolicy,
  Revoke,
  RunAgent,
  RunId,
  RunScript,
  RunView,
  RuntimeView,
  SamePersonQuestions,
  SaveArtifact,
  SaveArtifactFile,
  SaveModel,
  SaveRanking,
  SaveSoul,
  SavedReplies,
  ScoreFile,
  ScoringView,
  ScriptReview,
  ScriptSource,
  ScriptState,
  ScriptText,
  ScriptsView,
  SendQueueView,
  SequenceApplied,
  SequenceView,
  SessionView,
  SetModelKey,
  SettingsView,
  ShowWindowRequest,
  ShownConfig,
  ShownSequence,
  SignIn,
  SignedIn,
  SkillInstalled,
  SkillList,
  SkillView,
  SkipSeveral,
  Snooze,
  Soul,
  SoulCheck,
  SoulLine,
  SoulSaved,
  SoulView,
  StartAnew,
  StartedBrowser,
  SyncState,
  TagSeveral,
  Tags,
  TagsKept,
  TakeAnswersBack,
  TakenBack,
  TaskDetail,
  TaskPage,
  TasksQuery,
  ThreadLine,
  ThreadView,
  ThreadsQuery,
  TimelineEntry,
  TimelinePage,
  TimelineQuery,
  Timer,
  TimerArmed,
  TodayQuery,
  TodayView,
  TurnDetail,
  TurnLine,
  TurnsQuery,
  UndoSequence,
  UndoneDoNotContactImport,
  UndoneImport,
  Unlock,
  UploadQuery,
  Wake,
  WhatWasProven,
  WindowQuery,
  WindowShown,
} from "./generated";

/** This launch, and what runs. GET /api/session */
export async function sessionView(): Promise<SessionView> {
  return call("GET", "/session");
}

/** Spend the code; raises `pairing_expired` and `pairing_refused`. POST /api/pair */
export async function sessionPair(body: PairRequest): Promise<Paired> {
  return call("POST", "/pair", { body });
}

/** Spend the ticket; raises `pairing_refused`. POST /api/pair/again */
export async function sessionPairAgain(body: ComeBack): Promise<Paired> {
  return call("POST", "/pair/again", { body });
}

/** Show the window, or say by which code a page is opened; raises `show_window_refused`. POST /api/show-window */
export async function sessionShowWindow(body: ShowWindowRequest): Promise<WindowShown> {
  return call("POST", "/show-window", { body });
}

/** A page says whether it is seen and used. POST /api/presence */
export async function sessionPresence(body: Heartbeat): Promise<void> {
  return call("POST", "/presence", { body });
}

/** The user is back and wants to go on. POST /api/presence/return */
export async function sessionReturned(): Promise<void> {
  return call("POST", "/presence/return");
}

/** A page of the campaigns, newest first. GET /api/campaigns */
export async function campaignsList(query: Query<CampaignsQuery> = {}): Promise<CampaignList> {
  return call("GET", "/campaigns", { query });
}

/** One campaign as every screen of it shows it; raises `campaign_unknown`. GET /api/campaigns/{campaign_id} */
export async function campaignsView(campaignId: string): Promise<CampaignView> {
  return call("GET", `/campaigns/${at(campaignId)}`);
}

/** Clear the open incident of the campaign's account. POST /api/campaigns/{campaign_id}/incidents/clear */
export async function campaignsClearIncident(campaignId: string, body: Reason): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/incidents/clear`, { body });
}

/** Pause a campaign that is in error, so that it can be continued. POST /api/campaigns/{campaign_id}/recover */
export async function campaignsRecover(campaignId: string, body: Reason): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/recover`, { body });
}

/** Give the campaign another name; no approval rests on it. POST /api/campaigns/{campaign_id}/rename */
export async function campaignsRename(campaignId: string, body: RenameCampaign): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/rename`, { body });
}

/** How much the campaign holds of what, before it is duplicated or deleted; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/contents */
export async function campaignsContents(campaignId: string): Promise<CampaignContents> {
  return call("GET", `/campaigns/${at(campaignId)}/contents`);
}

/** Another campaign like it; people who got nothing yet are imported into it in the background. Raises `campaign_unknown`, `import_running`. POST /api/campaigns/{campaign_id}/duplicate */
export async function campaignsDuplicate(campaignId: string, body: DuplicateCampaign): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/duplicate`, { body });
}

/** Take the campaign out of the lists; a run of it ends after its current action. Raises `campaign_acts`. POST /api/campaigns/{campaign_id}/archive */
export async function campaignsArchive(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/archive`);
}

/** Bring the campaign back; nothing runs before the user starts it. POST /api/campaigns/{campaign_id}/unarchive */
export async function campaignsUnarchive(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/unarchive`);
}

/** Delete the campaign with the personal data in it, for good. Raises `campaign_active`, `campaign_acts`. DELETE /api/campaigns/{campaign_id} */
export async function campaignsDelete(campaignId: string): Promise<DeletedCampaign> {
  return call("DELETE", `/campaigns/${at(campaignId)}`);
}

/** What the campaign is about and may do; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/settings */
export async function campaignSettingsView(campaignId: string): Promise<CampaignSettings> {
  return call("GET", `/campaigns/${at(campaignId)}/settings`);
}

/** Change what the campaign is about and may do. POST /api/campaigns/{campaign_id}/settings */
export async function campaignSettingsEdit(campaignId: string, body: EditCampaign): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/settings`, { body });
}

/** What a new campaign can be made of. GET /api/campaigns/new */
export async function newCampaignChoices(): Promise<NewCampaignChoices> {
  return call("GET", "/campaigns/new");
}

/** What was typed of a campaign that is not made yet. GET /api/campaigns/new/draft */
export async function newCampaignDraft(): Promise<KeptCampaignDraft> {
  return call("GET", "/campaigns/new/draft");
}

/** Keep what was typed, in the place of what was kept before; an empty text is to be kept no more. POST /api/campaigns/new/draft */
export async function newCampaignKeepDraft(body: KeptCampaignDraft): Promise<KeptCampaignDraft> {
  return call("POST", "/campaigns/new/draft", { body });
}

/** The texts as they would be proposed for those people, and what the ramp would allow. POST /api/campaigns/new/preview */
export async function newCampaignPreview(body: PreviewSteps): Promise<CampaignPreview> {
  return call("POST", "/campaigns/new/preview", { body });
}

/** The scores that the file's people would have once they are imported; raises `file_ticket_unknown` and `lead_file_…`. POST /api/campaigns/new/scores */
export async function newCampaignScores(body: ScoreFile): Promise<FileScores> {
  return call("POST", "/campaigns/new/scores", { body });
}

/** Create the campaign, and begin to import its file. POST /api/campaigns */
export async function newCampaignCreate(body: NewCampaign): Promise<Done> {
  return call("POST", "/campaigns", { body });
}

/** Answer a question; raises `question_unknown`, and what its answer is refused for. POST /api/campaigns/{campaign_id}/questions/{question_id}/answer */
export async function questionsAnswer(campaignId: string, questionId: string, body: Answer): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/questions/${at(questionId)}/answer`, { body });
}

/** Begin a rehearsal on the practice network. POST /api/rehearsals */
export async function runsRehearse(): Promise<Done> {
  return call("POST", "/rehearsals");
}

/** What a rehearsal has proven so far, counted afresh; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/rehearsal */
export async function runsProven(campaignId: string): Promise<WhatWasProven> {
  return call("GET", `/campaigns/${at(campaignId)}/rehearsal`);
}

/** What the Run screen shows, as of one moment; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/run */
export async function runsView(campaignId: string): Promise<RunView> {
  return call("GET", `/campaigns/${at(campaignId)}/run`);
}

/** Let the campaign run until it has nothing to do. POST /api/campaigns/{campaign_id}/start */
export async function runsStart(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/start`);
}

/** Let the campaign take one turn. POST /api/campaigns/{campaign_id}/step */
export async function runsStep(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/step`);
}

/** Let a rehearsal's clock go on, which waits because replies are to be read. POST /api/campaigns/{campaign_id}/go-on */
export async function runsGoOn(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/go-on`);
}

/** Stop the campaign after the current atomic action. POST /api/campaigns/{campaign_id}/stop */
export async function runsStop(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/stop`);
}

/** Pause every campaign of every device, after its current atomic action. POST /api/pause */
export async function runsPause(): Promise<PausedAll> {
  return call("POST", "/pause");
}

/** Where the turns of this campaign stand; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/runtime */
export async function runtimeView(campaignId: string): Promise<RuntimeView> {
  return call("GET", `/campaigns/${at(campaignId)}/runtime`);
}

/** One turn now, or the words of the input to the assistant. POST /api/campaigns/{campaign_id}/runtime/wake */
export async function runtimeWake(campaignId: string, body: Wake): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/runtime/wake`, { body });
}

/** Start the campaign at that time, or give the assistant the words; it waits until the user is here. POST /api/campaigns/{campaign_id}/runtime/timers */
export async function runtimeArm(campaignId: string, body: Timer): Promise<TimerArmed> {
  return call("POST", `/campaigns/${at(campaignId)}/runtime/timers`, { body });
}

/** Cancel an armed timer; raises `wake_unknown`. DELETE /api/campaigns/{campaign_id}/runtime/timers/{number} */
export async function runtimeCancel(campaignId: string, number: number): Promise<void> {
  return call("DELETE", `/campaigns/${at(campaignId)}/runtime/timers/${number}`);
}

/** Bring a faulted turn machine back to rest; raises `fault_none`. POST /api/campaigns/{campaign_id}/runtime/reset */
export async function runtimeReset(campaignId: string, body: FaultReset): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/runtime/reset`, { body });
}

/** What is asked about the campaign's leads. GET /api/campaigns/{campaign_id}/same-person */
export async function samePersonView(campaignId: string): Promise<SamePersonQuestions> {
  return call("GET", `/campaigns/${at(campaignId)}/same-person`);
}

/** Say who is the same person; approved messages of theirs wait in Review again. Raises `identity_not_asked` if somebody else is in the question by now, `identity_answered`, and `person_under_way`. POST /api/same-person/answer */
export async function samePersonAnswer(body: GiveAnswers): Promise<AnswersGiven> {
  return call("POST", "/same-person/answer", { body });
}

/** The answers count no more, the last one first; raises `identity_answer_unknown`, `person_under_way`. POST /api/same-person/take-back */
export async function samePersonTakeBack(body: TakeAnswersBack): Promise<AnswersGiven> {
  return call("POST", "/same-person/take-back", { body });
}

/** The answers that hold, in all campaigns, the latest first. GET /api/same-person/answers */
export async function samePersonAnswers(query: Query<After> = {}): Promise<Page<GivenAnswerLine>> {
  return call("GET", "/same-person/answers", { query });
}

/** Turns, newest first; with a task, those that worked on it, as far as was looked. GET /api/campaigns/{campaign_id}/turns */
export async function turnsList(campaignId: string, query: Query<TurnsQuery> = {}): Promise<Page<TurnLine>> {
  return call("GET", `/campaigns/${at(campaignId)}/turns`, { query });
}

/** One turn with its reply, calls, gates and action; raises `turn_unknown`. GET /api/campaigns/{campaign_id}/turns/{turn} */
export async function turnsView(campaignId: string, turn: number): Promise<TurnDetail> {
  return call("GET", `/campaigns/${at(campaignId)}/turns/${turn}`);
}

/** All that is kept of a turn's reply; raises `turn_unknown`. GET /api/campaigns/{campaign_id}/turns/{turn}/reply */
export async function turnsReply(campaignId: string, turn: number): Promise<Reply> {
  return call("GET", `/campaigns/${at(campaignId)}/turns/${turn}/reply`);
}

/** A page of the tasks; raises `campaign_unknown`, `bad_request` for a wrong `after`. GET /api/campaigns/{campaign_id}/tasks */
export async function tasksList(campaignId: string, query: Query<TasksQuery> = {}): Promise<TaskPage> {
  return call("GET", `/campaigns/${at(campaignId)}/tasks`, { query });
}

/** One task with its texts, newest last; raises `task_unknown`. GET /api/campaigns/{campaign_id}/tasks/{task_id} */
export async function tasksView(campaignId: string, taskId: string): Promise<TaskDetail> {
  return call("GET", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}`);
}

/** A blocked task is not to be done. POST /api/campaigns/{campaign_id}/tasks/{task_id}/drop */
export async function tasksDrop(campaignId: string, taskId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}/drop`);
}

/** A blocked or dropped task is tried again. POST /api/campaigns/{campaign_id}/tasks/{task_id}/mend */
export async function tasksMend(campaignId: string, taskId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}/mend`);
}

/** Add a condition; raises `task_unknown`, `task_settled`, `condition_impossible`, `command_not_approved`. POST /api/campaigns/{campaign_id}/tasks/{task_id}/commitments */
export async function tasksAddCommitment(campaignId: string, taskId: string, body: AddCommitment): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}/commitments`, { body });
}

/** Remove a condition that the user added; raises `task_unknown`, `task_settled`, `commitment_unknown`. POST /api/campaigns/{campaign_id}/tasks/{task_id}/commitments/{commitment_id}/remove */
export async function tasksRemoveCommitment(campaignId: string, taskId: string, commitmentId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}/commitments/${at(commitmentId)}/remove`);
}

/** Let this device start the command; raises `commitment_unknown`, `command_not_approved`. POST /api/campaigns/{campaign_id}/tasks/{task_id}/commitments/{commitment_id}/approve */
export async function tasksApproveCommand(campaignId: string, taskId: string, commitmentId: string, body: ApproveCommand): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/tasks/${at(taskId)}/commitments/${at(commitmentId)}/approve`, { body });
}

/** A stretch of the list; raises `lead_list_changed` for a cursor of another sort. GET /api/campaigns/{campaign_id}/leads */
export async function leadsList(campaignId: string, query: Query<WindowQuery> = {}): Promise<LeadWindow> {
  return call("GET", `/campaigns/${at(campaignId)}/leads`, { query });
}

/** What can be filtered by. GET /api/campaigns/{campaign_id}/leads/facets */
export async function leadsFacets(campaignId: string): Promise<LeadFacets> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/facets`);
}

/** Everybody whom the filter finds, to decide about all of them. GET /api/campaigns/{campaign_id}/leads/matching */
export async function leadsMatching(campaignId: string, query: Query<LeadQuery> = {}): Promise<MatchingLeads> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/matching`, { query });
}

/** How the list is shown: what the user chose, or the usual columns. GET /api/campaigns/{campaign_id}/leads/table */
export async function leadsTable(campaignId: string): Promise<LeadTableView> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/table`);
}

/** Show the list like this from now on. POST /api/campaigns/{campaign_id}/leads/table */
export async function leadsArrange(campaignId: string, body: LeadTable): Promise<LeadTable> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/table`, { body });
}

/** Give several leads a tag, or take it from them; raises `tags_not_usable`. POST /api/campaigns/{campaign_id}/leads/several/tags */
export async function leadsTagSeveral(campaignId: string, body: TagSeveral): Promise<GroupDecided> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/several/tags`, { body });
}

/** Set the priority of several leads by hand, or give them back to their scores. POST /api/campaigns/{campaign_id}/leads/several/priority */
export async function leadsPrioritiseSeveral(campaignId: string, body: PrioritiseSeveral): Promise<GroupDecided> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/several/priority`, { body });
}

/** Leave several leads out of the campaign, or take them up again. POST /api/campaigns/{campaign_id}/leads/several/skip */
export async function leadsSkipSeveral(campaignId: string, body: SkipSeveral): Promise<GroupDecided> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/several/skip`, { body });
}

/** Never contact several people, or take them off the list again. POST /api/campaigns/{campaign_id}/leads/several/do-not-contact */
export async function leadsForbidSeveral(campaignId: string, body: ForbidSeveral): Promise<GroupDecided> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/several/do-not-contact`, { body });
}

/** Move several leads to another campaign, as far as nothing was sent to them. POST /api/campaigns/{campaign_id}/leads/several/move */
export async function leadsMoveSeveral(campaignId: string, body: MoveSeveral): Promise<GroupDecided> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/several/move`, { body });
}

/** The wanted leads in their order, as a spreadsheet. GET /api/campaigns/{campaign_id}/leads/export */
export function leadsExportPath(campaignId: string, query: Query<LeadQuery> = {}): string {
  return withQuery(`/campaigns/${at(campaignId)}/leads/export`, query);
}

/** The wanted leads with what was sent, what they replied, and when, in columns that other tools know. GET /api/campaigns/{campaign_id}/leads/export/exchange */
export function leadsExportExchangePath(campaignId: string, query: Query<LeadQuery> = {}): string {
  return withQuery(`/campaigns/${at(campaignId)}/leads/export/exchange`, query);
}

/** Set a priority by hand, or give the lead back to its score. POST /api/campaigns/{campaign_id}/leads/{lead_id}/priority */
export async function leadsPrioritise(campaignId: string, leadId: string, body: Prioritise): Promise<Prioritised> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/priority`, { body });
}

/** Put a lead between two others. POST /api/campaigns/{campaign_id}/leads/{lead_id}/place */
export async function leadsPlace(campaignId: string, leadId: string, body: Place): Promise<Prioritised> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/place`, { body });
}

/** Keep the notes on a lead. POST /api/campaigns/{campaign_id}/leads/{lead_id}/note */
export async function leadsNote(campaignId: string, leadId: string, body: Note): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/note`, { body });
}

/** Say what to call somebody in a greeting; who was asked for it goes on. POST /api/campaigns/{campaign_id}/leads/{lead_id}/greeting */
export async function leadsChooseGreeting(campaignId: string, leadId: string, body: Greeting): Promise<GreetingKept> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/greeting`, { body });
}

/** The invitation was taken back on the site; raises `lead_unknown`, `nothing_pending`. POST /api/campaigns/{campaign_id}/leads/{lead_id}/invitation-withdrawn */
export async function leadsInvitationWithdrawn(campaignId: string, leadId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/invitation-withdrawn`);
}

/** Keep the tags of a lead. POST /api/campaigns/{campaign_id}/leads/{lead_id}/tags */
export async function leadsTag(campaignId: string, leadId: string, body: Tags): Promise<TagsKept> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/tags`, { body });
}

/** Never contact this person again. POST /api/campaigns/{campaign_id}/leads/{lead_id}/do-not-contact */
export async function leadsForbid(campaignId: string, leadId: string, body: DoNotContact): Promise<ContactRefused> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/do-not-contact`, { body });
}

/** Let this person be contacted again. POST /api/campaigns/{campaign_id}/leads/{lead_id}/contact */
export async function leadsAllow(campaignId: string, leadId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/contact`);
}

/** People whose name, company, addresses, notes or tags have these words, in every campaign. GET /api/find/people */
export async function findPeople(query: Query<FindQuery> = {}): Promise<FoundPeople> {
  return call("GET", "/find/people", { query });
}

/** Everything about one lead; raises `campaign_unknown` and `lead_unknown`. GET /api/campaigns/{campaign_id}/leads/{lead_id} */
export async function leadDetailsView(campaignId: string, leadId: string): Promise<LeadDetail> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/${at(leadId)}`);
}

/** Every gate's answer for what is owed next; raises `campaign_unknown` and `lead_unknown`. GET /api/campaigns/{campaign_id}/leads/{lead_id}/why */
export async function leadDetailsWhy(campaignId: string, leadId: string): Promise<LeadExplained> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/why`);
}

/** The texts of the campaign's own sequence for one of its leads; raises `campaign_unknown`, `lead_unknown`. GET /api/campaigns/{campaign_id}/leads/{lead_id}/texts */
export async function leadDetailsTexts(campaignId: string, leadId: string): Promise<PreviewedSteps> {
  return call("GET", `/campaigns/${at(campaignId)}/leads/${at(leadId)}/texts`);
}

/** Begin to import a file; raises `file_ticket_unknown`, `lead_file_…`, `import_running`. POST /api/campaigns/{campaign_id}/imports */
export async function importsStart(campaignId: string, body: ChosenLeads): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/imports`, { body });
}

/** Stop the import between two batches; what is there stays, and importing the file again goes on. Nothing if none runs. POST /api/campaigns/{campaign_id}/imports/cancel */
export async function importsCancel(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/imports/cancel`);
}

/** The campaign's imports, the latest first; `finished_at` is null while one runs or when it was cut off. GET /api/campaigns/{campaign_id}/imports */
export async function importsList(campaignId: string, query: Query<ImportsQuery> = {}): Promise<Page<ImportRow>> {
  return call("GET", `/campaigns/${at(campaignId)}/imports`, { query });
}

/** What undoing the import would do; raises `import_unknown` and `import_already_undone`. GET /api/campaigns/{campaign_id}/imports/{import_id}/undo */
export async function importsUndoForecast(campaignId: string, importId: string): Promise<UndoneImport> {
  return call("GET", `/campaigns/${at(campaignId)}/imports/${at(importId)}/undo`);
}

/** Take back whom the import brought, unless something was sent to them, and what it changed of others. Raises `import_unknown`, `import_already_undone` and `import_running`. POST /api/campaigns/{campaign_id}/imports/{import_id}/undo */
export async function importsUndo(campaignId: string, importId: string): Promise<UndoneImport> {
  return call("POST", `/campaigns/${at(campaignId)}/imports/${at(importId)}/undo`);
}

/** Whom it brought: who is with another campaign, was in touch before, or is asked about; raises `import_unknown`. GET /api/campaigns/{campaign_id}/imports/{import_id}/people */
export async function importsBrought(campaignId: string, importId: string): Promise<ImportedPeople> {
  return call("GET", `/campaigns/${at(campaignId)}/imports/${at(importId)}/people`);
}

/** Rows that said something else of a known lead, in the order of the file; raises `import_unknown`. GET /api/campaigns/{campaign_id}/imports/{import_id}/merged */
export async function importsMerged(campaignId: string, importId: string, query: Query<After> = {}): Promise<Page<MergedRecord>> {
  return call("GET", `/campaigns/${at(campaignId)}/imports/${at(importId)}/merged`, { query });
}

/** The records of an import that could not become leads, in the order of the file; raises `import_unknown`. GET /api/campaigns/{campaign_id}/imports/{import_id}/rejected */
export async function importsRejected(campaignId: string, importId: string, query: Query<After> = {}): Promise<Page<RejectedRecord>> {
  return call("GET", `/campaigns/${at(campaignId)}/imports/${at(importId)}/rejected`, { query });
}

/** The same as a spreadsheet; raises `import_unknown`. GET /api/campaigns/{campaign_id}/imports/{import_id}/rejected/export */
export function importsRejectedExportPath(campaignId: string, importId: string): string {
  return `/campaigns/${at(campaignId)}/imports/${at(importId)}/rejected/export`;
}

/** The same below the file's own header, to be mended and imported; raises `import_unknown` and `import_header_unknown`. GET /api/campaigns/{campaign_id}/imports/{import_id}/rejected/rows */
export function importsRejectedRowsPath(campaignId: string, importId: string): string {
  return `/campaigns/${at(campaignId)}/imports/${at(importId)}/rejected/rows`;
}

/** A page of the conversations of the newest campaigns, latest activity first; raises `bad_request` for a wrong cursor. GET /api/inbox */
export async function inboxList(query: Query<ThreadsQuery> = {}): Promise<Page<ThreadLine>> {
  return call("GET", "/inbox", { query });
}

/** The texts that the user keeps; none where there are none, or such as only a later version understands. GET /api/inbox/saved-replies */
export async function inboxSavedReplies(): Promise<SavedReplies> {
  return call("GET", "/inbox/saved-replies");
}

/** Keep exactly these. POST /api/inbox/saved-replies */
export async function inboxSaveReplies(body: SavedReplies): Promise<SavedReplies> {
  return call("POST", "/inbox/saved-replies", { body });
}

/** What would be imported; raises `file_ticket_unknown` and `lead_file_…`. POST /api/lead-files/preview */
export async function leadFilesPreview(body: PreviewLeads): Promise<ImportPreview> {
  return call("POST", "/lead-files/preview", { body });
}

/** The first rows in whose name all words begin some word. POST /api/lead-files/find */
export async function leadFilesFind(body: FindInFile): Promise<FoundInFile> {
  return call("POST", "/lead-files/find", { body });
}

/** All about the campaign's scoring; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/scoring */
export async function scoringView(campaignId: string): Promise<ScoringView> {
  return call("GET", `/campaigns/${at(campaignId)}/scoring`);
}

/** What these criteria would do now; raises `campaign_unknown`. POST /api/campaigns/{campaign_id}/scoring/preview */
export async function scoringPreview(campaignId: string, body: PreviewBlueprint): Promise<BlueprintPreview> {
  return call("POST", `/campaigns/${at(campaignId)}/scoring/preview`, { body });
}

/** What the blueprint of that open question would do; raises `question_unknown`. GET /api/campaigns/{campaign_id}/scoring/proposed/{question_id} */
export async function scoringProposed(campaignId: string, questionId: string): Promise<BlueprintPreview> {
  return call("GET", `/campaigns/${at(campaignId)}/scoring/proposed/${at(questionId)}`);
}

/** Put these criteria in force: they are a version of an artifact. POST /api/campaigns/{campaign_id}/scoring/blueprint */
export async function scoringAdopt(campaignId: string, body: AdoptBlueprint): Promise<ArtifactSaved> {
  return call("POST", `/campaigns/${at(campaignId)}/scoring/blueprint`, { body });
}

/** Score every lead anew. POST /api/campaigns/{campaign_id}/scoring/again */
export async function scoringStart(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/scoring/again`);
}

/** The next ten, and all that the rounds so far amount to; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/rankings */
export async function rankingsView(campaignId: string): Promise<RankingsView> {
  return call("GET", `/campaigns/${at(campaignId)}/rankings`);
}

/** Keep an order. POST /api/campaigns/{campaign_id}/rankings */
export async function rankingsSave(campaignId: string, body: SaveRanking): Promise<RankingSaved> {
  return call("POST", `/campaigns/${at(campaignId)}/rankings`, { body });
}

/** Take a round back, or let it count again. POST /api/campaigns/{campaign_id}/rankings/{ranking_id} */
export async function rankingsCount(campaignId: string, rankingId: string, body: CountRanking): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/rankings/${at(rankingId)}`, { body });
}

/** What waits in Review; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/drafts */
export async function draftsList(campaignId: string, query: Query<PageQuery> = {}): Promise<Page<Draft>> {
  return call("GET", `/campaigns/${at(campaignId)}/drafts`, { query });
}

/** What was approved and has not been sent; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/outgoing */
export async function draftsApproved(campaignId: string, query: Query<PageQuery> = {}): Promise<Page<ApprovedMessage>> {
  return call("GET", `/campaigns/${at(campaignId)}/outgoing`, { query });
}

/** Approve each by itself: one text that changed meanwhile, or hides something, does not keep the others back. Nor does one that has no room yet (`approval_too_early`). POST /api/campaigns/{campaign_id}/drafts/approve */
export async function draftsApproveSeveral(campaignId: string, body: ApproveSeveral): Promise<DecidedList> {
  return call("POST", `/campaigns/${at(campaignId)}/drafts/approve`, { body });
}

/** Approve exactly the text that was shown; raises `approval_text_changed`. POST /api/campaigns/{campaign_id}/drafts/{message_id}/approve */
export async function draftsApprove(campaignId: string, messageId: string, body: Approve): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/drafts/${at(messageId)}/approve`, { body });
}

/** Change the text; it still needs approval. POST /api/campaigns/{campaign_id}/drafts/{message_id}/edit */
export async function draftsEdit(campaignId: string, messageId: string, body: Edit): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/drafts/${at(messageId)}/edit`, { body });
}

/** Do not send this text. POST /api/campaigns/{campaign_id}/drafts/{message_id}/reject */
export async function draftsReject(campaignId: string, messageId: string, body: Reject): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/drafts/${at(messageId)}/reject`, { body });
}

/** Take a rejection back. POST /api/campaigns/{campaign_id}/drafts/{message_id}/restore */
export async function draftsRestore(campaignId: string, messageId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/drafts/${at(messageId)}/restore`);
}

/** Take an approval back, as long as the text was not sent. POST /api/campaigns/{campaign_id}/outgoing/{message_id}/withdraw */
export async function draftsWithdraw(campaignId: string, messageId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/outgoing/${at(messageId)}/withdraw`);
}

/** Who waits for the user's hand now; raises `campaign_unknown` and `not_sent_by_hand` for the one that was asked for. GET /api/send */
export async function sendQueueView(query: Query<QueueQuery> = {}): Promise<SendQueueView> {
  return call("GET", "/send", { query });
}

/** Hand a text over, its intent first; called again it hands over the same text, and intends nothing new. POST /api/campaigns/{campaign_id}/send-session/hand-over */
export async function sendSessionHandOver(campaignId: string, body: HandOver): Promise<HandedOver> {
  return call("POST", `/campaigns/${at(campaignId)}/send-session/hand-over`, { body });
}

/** Say what happened; the word before it takes effect. Raises `person_not_waiting` if something else is asked by now, such as in another window. POST /api/campaigns/{campaign_id}/send-session/answer */
export async function sendSessionAnswer(campaignId: string, body: GivenAnswer): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/send-session/answer`, { body });
}

/** Take the last word back. POST /api/campaigns/{campaign_id}/send-session/take-back */
export async function sendSessionTakeBack(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/send-session/take-back`);
}

/** The last word takes effect. POST /api/campaigns/{campaign_id}/send-session/leave */
export async function sendSessionLeave(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/send-session/leave`);
}

/** The sequence in force; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/sequence */
export async function sequenceView(campaignId: string): Promise<SequenceView> {
  return call("GET", `/campaigns/${at(campaignId)}/sequence`);
}

/** What a change would mean for whom; nothing is changed. Raises `sequence_invalid`. POST /api/campaigns/{campaign_id}/sequence/difference */
export async function sequencePreview(campaignId: string, body: ShownSequence): Promise<DifferenceView> {
  return call("POST", `/campaigns/${at(campaignId)}/sequence/difference`, { body });
}

/** Put these steps in force; raises `sequence_invalid`, `settings_changed`. POST /api/campaigns/{campaign_id}/sequence */
export async function sequenceChange(campaignId: string, body: ShownSequence): Promise<SequenceApplied> {
  return call("POST", `/campaigns/${at(campaignId)}/sequence`, { body });
}

/** Put in force what was before the last change; raises `sequence_unchanged`, `settings_changed`. POST /api/campaigns/{campaign_id}/sequence/undo */
export async function sequenceUndo(campaignId: string, body: UndoSequence): Promise<SequenceApplied> {
  return call("POST", `/campaigns/${at(campaignId)}/sequence/undo`, { body });
}

/** What these templates become over all leads of the campaign. POST /api/campaigns/{campaign_id}/sequence/check */
export async function sequenceCheck(campaignId: string, body: CheckTemplates): Promise<CheckedTemplates> {
  return call("POST", `/campaigns/${at(campaignId)}/sequence/check`, { body });
}

/** Who is in that group, the first of them; raises `sequence_invalid`. POST /api/campaigns/{campaign_id}/sequence/difference/people */
export async function sequenceGroupPeople(campaignId: string, body: GroupInDifference): Promise<PeopleInSequence> {
  return call("POST", `/campaigns/${at(campaignId)}/sequence/difference/people`, { body });
}

/** A page of conversations, latest activity first; raises `campaign_unknown`, `bad_request` for a wrong cursor. GET /api/campaigns/{campaign_id}/threads */
export async function threadsList(campaignId: string, query: Query<ThreadsQuery> = {}): Promise<Page<ThreadLine>> {
  return call("GET", `/campaigns/${at(campaignId)}/threads`, { query });
}

/** One conversation; raises `campaign_unknown`, `lead_unknown`. GET /api/campaigns/{campaign_id}/threads/{lead_id} */
export async function threadsView(campaignId: string, leadId: string): Promise<ThreadView> {
  return call("GET", `/campaigns/${at(campaignId)}/threads/${at(leadId)}`);
}

/** The user has opened the conversation. POST /api/campaigns/{campaign_id}/threads/{lead_id}/read */
export async function threadsRead(campaignId: string, leadId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/${at(leadId)}/read`);
}

/** Send the user's own words; that is the approval of exactly these. POST /api/campaigns/{campaign_id}/threads/{lead_id}/answer */
export async function threadsAnswer(campaignId: string, leadId: string, body: OwnWords): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/${at(leadId)}/answer`, { body });
}

/** The answer that waits is not sent; raises `answer_not_waiting` once it is being sent. POST /api/campaigns/{campaign_id}/threads/{lead_id}/take-back */
export async function threadsTakeBack(campaignId: string, leadId: string): Promise<TakenBack> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/${at(leadId)}/take-back`);
}

/** Say what came of the conversation; raises `date_has_passed`. POST /api/campaigns/{campaign_id}/threads/{lead_id}/label */
export async function threadsLabel(campaignId: string, leadId: string, body: GivenLabel): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/${at(leadId)}/label`, { body });
}

/** Put the conversation out of the way, or bring it back; raises `date_has_passed`. POST /api/campaigns/{campaign_id}/threads/{lead_id}/snooze */
export async function threadsSnooze(campaignId: string, leadId: string, body: Snooze): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/${at(leadId)}/snooze`, { body });
}

/** Say what a reply is; raises `reply_unknown`. POST /api/campaigns/{campaign_id}/threads/replies/{message_id} */
export async function threadsClassify(campaignId: string, messageId: string, body: ReplyClass): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/threads/replies/${at(messageId)}`, { body });
}

/** A file of the evidence store; raises `evidence_unknown`, `evidence_damaged`. GET /api/campaigns/{campaign_id}/evidence/{file} */
export function evidenceFilePath(campaignId: string, file: string, query: Query<EvidenceQuery> = {}): string {
  return withQuery(`/campaigns/${at(campaignId)}/evidence/${file.split("/").map(at).join("/")}`, query);
}

/** Artifacts, the latest kept first; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/artifacts */
export async function artifactsList(campaignId: string, query: Query<ArtifactsQuery> = {}): Promise<Page<ArtifactLine>> {
  return call("GET", `/campaigns/${at(campaignId)}/artifacts`, { query });
}

/** One version and the list of all; raises `artifact_unknown`. GET /api/campaigns/{campaign_id}/artifacts/{artifact_type}/{key}/{version} */
export async function artifactsView(campaignId: string, artifactType: string, key: string, version: number): Promise<ArtifactView> {
  return call("GET", `/campaigns/${at(campaignId)}/artifacts/${at(artifactType)}/${at(key)}/${version}`);
}

/** The content of one version, byte for byte, with its digest (RFC 9530); raises `artifact_unknown`, `artifact_damaged`. GET /api/campaigns/{campaign_id}/artifacts/{artifact_type}/{key}/{version}/content */
export function artifactsContentPath(campaignId: string, artifactType: string, key: string, version: number): string {
  return `/campaigns/${at(campaignId)}/artifacts/${at(artifactType)}/${at(key)}/${version}/content`;
}

/** Write the campaign's files for people again; raises `campaign_unknown`, `export_failed`. POST /api/campaigns/{campaign_id}/artifacts/campaign-files */
export async function artifactsWriteCampaignFiles(campaignId: string): Promise<CampaignFilesWritten> {
  return call("POST", `/campaigns/${at(campaignId)}/artifacts/campaign-files`);
}

/** What the open question is about; raises `question_unknown`, and `approval_text_changed` for bytes of another digest. GET /api/campaigns/{campaign_id}/artifacts/proposed/{question_id} */
export async function artifactsProposed(campaignId: string, questionId: string): Promise<ProposedArtifact> {
  return call("GET", `/campaigns/${at(campaignId)}/artifacts/proposed/${at(questionId)}`);
}

/** Keep these bytes as a new version. POST /api/campaigns/{campaign_id}/artifacts */
export async function artifactsSave(campaignId: string, body: SaveArtifact): Promise<ArtifactSaved> {
  return call("POST", `/campaigns/${at(campaignId)}/artifacts`, { body });
}

/** Keep a file as a new version; raises `upload_failed`. POST /api/campaigns/{campaign_id}/artifacts/from-file */
export async function artifactsSaveFile(campaignId: string, body: SaveArtifactFile): Promise<ArtifactSaved> {
  return call("POST", `/campaigns/${at(campaignId)}/artifacts/from-file`, { body });
}

/** A page of the conversation, the latest lines first asked for; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/assistant */
export async function assistantConversation(campaignId: string, query: Query<ConversationQuery> = {}): Promise<Conversation> {
  return call("GET", `/campaigns/${at(campaignId)}/assistant`, { query });
}

/** Begin a request, or carry out the plain command that was shown; raises `command_not_shown`. POST /api/campaigns/{campaign_id}/assistant/messages */
export async function assistantAsk(campaignId: string, body: Ask): Promise<Asked> {
  return call("POST", `/campaigns/${at(campaignId)}/assistant/messages`, { body });
}

/** Stop working on the request. POST /api/campaigns/{campaign_id}/assistant/stop */
export async function assistantStop(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/assistant/stop`);
}

/** Take the conversation away. DELETE /api/campaigns/{campaign_id}/assistant */
export async function assistantHide(campaignId: string): Promise<Done> {
  return call("DELETE", `/campaigns/${at(campaignId)}/assistant`);
}

/** Erase the conversation's words for good, from the logs too; raises `assistant_works`. POST /api/campaigns/{campaign_id}/assistant/erase */
export async function assistantErase(campaignId: string): Promise<Erased> {
  return call("POST", `/campaigns/${at(campaignId)}/assistant/erase`);
}

/** Bring the conversation back. POST /api/campaigns/{campaign_id}/assistant/restore */
export async function assistantRestore(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/assistant/restore`);
}

/** The entries that are asked for, as far as one answer goes; raises `campaign_unknown`, `bad_request`. GET /api/campaigns/{campaign_id}/timeline */
export async function timelineList(campaignId: string, query: Query<TimelineQuery> = {}): Promise<TimelinePage> {
  return call("GET", `/campaigns/${at(campaignId)}/timeline`, { query });
}

/** One entry with everything that ties it to its predecessor; raises `campaign_unknown`, `entry_unknown`. GET /api/campaigns/{campaign_id}/timeline/{log}/{seq} */
export async function timelineView(campaignId: string, log: string, seq: number): Promise<TimelineEntry> {
  return call("GET", `/campaigns/${at(campaignId)}/timeline/${at(log)}/${seq}`);
}

/** Both logs, so that somebody else can verify them; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/timeline/export */
export function timelineExportPath(campaignId: string): string {
  return `/campaigns/${at(campaignId)}/timeline/export`;
}

/** The campaign as it was after that event, or how far it is on the way there; raises `entry_unknown`. GET /api/campaigns/{campaign_id}/past/{seq} */
export async function pastView(campaignId: string, seq: number): Promise<PastMoment> {
  return call("GET", `/campaigns/${at(campaignId)}/past/${seq}`);
}

/** Tasks as they were, in the order in which they were made; raises `past_on_its_way`. GET /api/campaigns/{campaign_id}/past/{seq}/tasks */
export async function pastTasks(campaignId: string, seq: number, query: Query<PastQuery> = {}): Promise<Page<PastTask>> {
  return call("GET", `/campaigns/${at(campaignId)}/past/${seq}/tasks`, { query });
}

/** Leads as they were, in the order of import; raises `past_on_its_way`. GET /api/campaigns/{campaign_id}/past/{seq}/leads */
export async function pastLeads(campaignId: string, seq: number, query: Query<PastQuery> = {}): Promise<Page<PastLead>> {
  return call("GET", `/campaigns/${at(campaignId)}/past/${seq}/leads`, { query });
}

/** What is stored about that lead's person; raises `lead_unknown`. GET /api/campaigns/{campaign_id}/people/{lead_id} */
export async function peopleView(campaignId: string, leadId: string): Promise<PersonalData> {
  return call("GET", `/campaigns/${at(campaignId)}/people/${at(leadId)}`);
}

/** All of it as one JSON file; raises `lead_unknown`. GET /api/campaigns/{campaign_id}/people/{lead_id}/export */
export function peopleExportPath(campaignId: string, leadId: string): string {
  return `/campaigns/${at(campaignId)}/people/${at(leadId)}/export`;
}

/** Erase it for good, in every campaign; raises `lead_unknown`, `person_under_way`. POST /api/campaigns/{campaign_id}/people/{lead_id}/erase */
export async function peopleErase(campaignId: string, leadId: string): Promise<PersonErased> {
  return call("POST", `/campaigns/${at(campaignId)}/people/${at(leadId)}/erase`);
}

/** Let this campaign write to somebody who is with another one, or was in touch before. Raises `lead_unknown`, `contact_reason_missing`, `person_not_elsewhere`. POST /api/campaigns/{campaign_id}/people/{lead_id}/contact-anyway */
export async function peopleContactAnyway(campaignId: string, leadId: string, body: ContactAnyway): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/people/${at(leadId)}/contact-anyway`, { body });
}

/** Leave them to the other campaign after all; raises `lead_unknown`, `person_under_way`. POST /api/campaigns/{campaign_id}/people/{lead_id}/leave */
export async function peopleLeave(campaignId: string, leadId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/people/${at(leadId)}/leave`);
}

/** Take them over from the campaign that they are with; raises `lead_unknown`, `person_not_elsewhere`, `person_under_way`. POST /api/campaigns/{campaign_id}/people/{lead_id}/move-here */
export async function peopleMoveHere(campaignId: string, leadId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/people/${at(leadId)}/move-here`);
}

/** The last proof; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/proof */
export async function proofView(campaignId: string): Promise<Proof> {
  return call("GET", `/campaigns/${at(campaignId)}/proof`);
}

/** Begin a new one; raises `campaign_unknown`. POST /api/campaigns/{campaign_id}/proof */
export async function proofStart(campaignId: string): Promise<Proof> {
  return call("POST", `/campaigns/${at(campaignId)}/proof`);
}

/** The proof as one HTML file that checks itself; raises `campaign_unknown`, `signer_unavailable`. GET /api/campaigns/{campaign_id}/proof/export */
export function proofExportPath(campaignId: string): string {
  return `/campaigns/${at(campaignId)}/proof/export`;
}

/** The pictures that need no choice; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/insights */
export async function insightsView(campaignId: string): Promise<InsightsView> {
  return call("GET", `/campaigns/${at(campaignId)}/insights`);
}

/** Response rates by a field's values, most contacted first, scores in their order; raises `field_unknown`. GET /api/campaigns/{campaign_id}/insights/rates */
export async function insightsRates(campaignId: string, query: Query<RatesQuery> = {}): Promise<Rates> {
  return call("GET", `/campaigns/${at(campaignId)}/insights/rates`, { query });
}

/** The report as a page or a spreadsheet; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/report/export */
export function reportExportPath(campaignId: string, query: Query<ReportQuery> = {}): string {
  return withQuery(`/campaigns/${at(campaignId)}/report/export`, query);
}

/** What there is; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/scripts */
export async function scriptsView(campaignId: string): Promise<ScriptsView> {
  return call("GET", `/campaigns/${at(campaignId)}/scripts`);
}

/** A kept script's text; raises `script_unknown`. GET /api/campaigns/{campaign_id}/scripts/source/{sha256} */
export async function scriptsSource(campaignId: string, sha256: string): Promise<ScriptSource> {
  return call("GET", `/campaigns/${at(campaignId)}/scripts/source/${at(sha256)}`);
}

/** Whether it may be approved; nothing of it runs. Raises `campaign_unknown`, `script_runtime_missing`. POST /api/campaigns/{campaign_id}/scripts/review */
export async function scriptsReview(campaignId: string, body: ScriptText): Promise<ScriptReview> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/review`, { body });
}

/** Record the user's approval of exactly this text, keep the script, and run it. Raises `script_changed` if the text is not the one with that digest, `text_hides` for a hidden character that was not shown, `script_…` for one that may not run, and `script_running`. POST /api/campaigns/{campaign_id}/scripts/approve */
export async function scriptsApprove(campaignId: string, body: ApproveScript): Promise<ScriptState> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/approve`, { body });
}

/** Run it again, on the data as it is now. Raises `script_unknown`, `script_not_approved`, `script_running`. POST /api/campaigns/{campaign_id}/scripts/run */
export async function scriptsRun(campaignId: string, body: RunScript): Promise<ScriptState> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/run`, { body });
}

/** How the run goes; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/scripts/run */
export async function scriptsState(campaignId: string): Promise<ScriptState> {
  return call("GET", `/campaigns/${at(campaignId)}/scripts/run`);
}

/** The script that an open question is about; raises `question_unknown`, `approval_text_changed`. GET /api/campaigns/{campaign_id}/scripts/proposed/{question_id} */
export async function scriptsProposed(campaignId: string, questionId: string): Promise<ProposedScriptView> {
  return call("GET", `/campaigns/${at(campaignId)}/scripts/proposed/${at(questionId)}`);
}

/** End the run that is under way; nothing of it is kept. Nothing if none is. POST /api/campaigns/{campaign_id}/scripts/cancel */
export async function scriptsCancel(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/cancel`);
}

/** Keep the last run's answer as an artifact; raises `script_no_result`. POST /api/campaigns/{campaign_id}/scripts/save */
export async function scriptsSave(campaignId: string, body: RunId): Promise<ScriptState> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/save`, { body });
}

/** A saved answer; raises `script_result_unreadable` and `script_result_erased`. GET /api/campaigns/{campaign_id}/scripts/results/{result_id} */
export async function scriptsResult(campaignId: string, resultId: string): Promise<ResultView> {
  return call("GET", `/campaigns/${at(campaignId)}/scripts/results/${at(resultId)}`);
}

/** Run a saved answer's script again on the data as it was. Raises `script_result_…`, `script_running`. POST /api/campaigns/{campaign_id}/scripts/results/{result_id}/verify */
export async function scriptsVerify(campaignId: string, resultId: string): Promise<ScriptState> {
  return call("POST", `/campaigns/${at(campaignId)}/scripts/results/${at(resultId)}/verify`);
}

/** Keep a file of this launch behind a ticket; raises `upload_failed`. POST /api/server/uploads */
export function uploadsKeepPath(query: Query<UploadQuery> = {}): string {
  return withQuery("/server/uploads", query);
}

/** This machine. GET /api/settings */
export async function settingsView(): Promise<SettingsView> {
  return call("GET", "/settings");
}

/** Keep files for so long, and remove at once what is older. POST /api/settings/retention */
export async function settingsKeepFor(body: RetentionPolicy): Promise<Removed> {
  return call("POST", "/settings/retention", { body });
}

/** Remove every database that a restore replaced. POST /api/settings/replaced/remove */
export async function settingsRemoveReplaced(): Promise<Removed> {
  return call("POST", "/settings/replaced/remove");
}

/** Write the database anew without what erasing has emptied; raises `database_full`. POST /api/settings/compact */
export async function settingsCompact(): Promise<void> {
  return call("POST", "/settings/compact");
}

/** Which browser campaigns run in, and which others there are. GET /api/settings/browsers */
export async function settingsBrowsers(): Promise<BrowserChoices> {
  return call("GET", "/settings/browsers");
}

/** Use this browser on this device from its next start; raises `browser_unusable`. POST /api/settings/browser */
export async function settingsChooseBrowser(body: ChosenBrowser): Promise<BrowserChoices> {
  return call("POST", "/settings/browser", { body });
}

/** Start the browser in use out of sight, as a campaign would; raises `browser_*`. POST /api/settings/browser/try */
export async function settingsTryBrowser(): Promise<StartedBrowser> {
  return call("POST", "/settings/browser/try");
}

/** Remove the browser's profile; raises `profile_in_use`, `profile_kept`. POST /api/settings/profile/clear */
export async function settingsClearProfile(): Promise<void> {
  return call("POST", "/settings/profile/clear");
}

/** The user's choice; the defaults where there is none, or one that only a later version understands. GET /api/preferences */
export async function preferencesView(): Promise<Preferences> {
  return call("GET", "/preferences");
}

/** Keep the user's choice. POST /api/preferences */
export async function preferencesSave(body: Preferences): Promise<Preferences> {
  return call("POST", "/preferences", { body });
}

/** A page of the list, newest first. GET /api/do-not-contact */
export async function doNotContactList(query: Query<After> = {}): Promise<Page<ForbiddenPerson>> {
  return call("GET", "/do-not-contact", { query });
}

/** Put an entry on the list; raises `person_unclear`, `company_unclear` and `domain_unclear`. POST /api/do-not-contact */
export async function doNotContactAdd(body: Forbid): Promise<Done> {
  return call("POST", "/do-not-contact", { body });
}

/** Take a person off the list. POST /api/do-not-contact/remove */
export async function doNotContactRemove(body: Allow): Promise<Done> {
  return call("POST", "/do-not-contact/remove", { body });
}

/** What importing a file would do; raises `file_ticket_unknown`, `lead_file_…` and `do_not_contact_file_unknown`. POST /api/do-not-contact/preview */
export async function doNotContactPreview(body: ChosenList): Promise<DoNotContactPreview> {
  return call("POST", "/do-not-contact/preview", { body });
}

/** Begin to put the rows of a file on the list; raises as the preview does, and `do_not_contact_import_running`. POST /api/do-not-contact/imports */
export async function doNotContactImport(body: ChosenList): Promise<Done> {
  return call("POST", "/do-not-contact/imports", { body });
}

/** The files that were imported, the latest first; `finished_at` is null while one runs or when it was cut off. GET /api/do-not-contact/imports */
export async function doNotContactImports(query: Query<After> = {}): Promise<Page<DoNotContactImportRow>> {
  return call("GET", "/do-not-contact/imports", { query });
}

/** What undoing would do; raises `do_not_contact_import_unknown` and `do_not_contact_import_already_undone`. GET /api/do-not-contact/imports/{import_id}/undo */
export async function doNotContactUndoForecast(importId: string): Promise<UndoneDoNotContactImport> {
  return call("GET", `/do-not-contact/imports/${at(importId)}/undo`);
}

/** Take exactly the entries of this import off the list; raises as its forecast, and `do_not_contact_import_running`. POST /api/do-not-contact/imports/{import_id}/undo */
export async function doNotContactUndo(importId: string): Promise<UndoneDoNotContactImport> {
  return call("POST", `/do-not-contact/imports/${at(importId)}/undo`);
}

/** The whole list as a CSV file, which can be imported again. GET /api/do-not-contact/export */
export function doNotContactExportPath(): string {
  return "/do-not-contact/export";
}

/** The rows of a file that put nobody on the list, with their reasons; raises as the preview does. GET /api/do-not-contact/rejected */
export function doNotContactRejectedExportPath(query: Query<ChosenList> = {}): string {
  return withQuery("/do-not-contact/rejected", query);
}

/** The text, and whether there is consent to it. GET /api/consents/linkedin */
export async function consentsView(): Promise<ConsentView> {
  return call("GET", "/consents/linkedin");
}

/** Consent. Raises `consent_not_typed`. POST /api/consents/linkedin */
export async function consentsGive(body: GiveConsent): Promise<ConsentView> {
  return call("POST", "/consents/linkedin", { body });
}

/** Withdraw the consent. POST /api/consents/linkedin/withdraw */
export async function consentsWithdraw(): Promise<ConsentView> {
  return call("POST", "/consents/linkedin/withdraw");
}

/** Every connection, and the presets. GET /api/models */
export async function modelsView(): Promise<ModelsView> {
  return call("GET", "/models");
}

/** Keep a connection; its key may go to its host from now on. POST /api/models */
export async function modelsSave(body: SaveModel): Promise<ModelConnection> {
  return call("POST", "/models", { body });
}

/** Ask a server at the user's word which models it offers; an error is an answer, too. POST /api/models/names */
export async function modelsNames(body: AskNames): Promise<OfferedModels> {
  return call("POST", "/models/names", { body });
}

/** Remove a connection that no campaign uses. POST /api/models/{connection_id}/delete */
export async function modelsRemove(connectionId: string): Promise<Done> {
  return call("POST", `/models/${at(connectionId)}/delete`);
}

/** Try a connection with one tiny call. POST /api/models/{connection_id}/test */
export async function modelsTest(connectionId: string): Promise<ConnectionTest> {
  return call("POST", `/models/${at(connectionId)}/test`);
}

/** Whether there is a key, and where. GET /api/models/{connection_id}/key */
export async function modelsKey(connectionId: string): Promise<ModelKey> {
  return call("GET", `/models/${at(connectionId)}/key`);
}

/** Keep a key under the name that the connection gives. POST /api/models/{connection_id}/key */
export async function modelsSetKey(connectionId: string, body: SetModelKey): Promise<ModelKey> {
  return call("POST", `/models/${at(connectionId)}/key`, { body });
}

/** Forget the key of a connection. POST /api/models/{connection_id}/key/forget */
export async function modelsForgetKey(connectionId: string): Promise<ModelKey> {
  return call("POST", `/models/${at(connectionId)}/key/forget`);
}

/** Who proposes in the campaign, and its costs; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/model */
export async function modelsOfCampaign(campaignId: string): Promise<CampaignModel> {
  return call("GET", `/campaigns/${at(campaignId)}/model`);
}

/** Choose who proposes from the next turn on. POST /api/campaigns/{campaign_id}/model */
export async function modelsChoose(campaignId: string, body: ChooseModel): Promise<CampaignModel> {
  return call("POST", `/campaigns/${at(campaignId)}/model`, { body });
}

/** The vault, and every key that is kept or that a connection names; no value is in it. GET /api/keys */
export async function keysView(): Promise<KeysView> {
  return call("GET", "/keys");
}

/** Seal a key. POST /api/keys/{name} */
export async function keysKeep(name: string, body: KeepKey): Promise<KeysView> {
  return call("POST", `/keys/${at(name)}`, { body });
}

/** Forget a key. POST /api/keys/{name}/forget */
export async function keysForget(name: string): Promise<KeysView> {
  return call("POST", `/keys/${at(name)}/forget`);
}

/** Open the vault. POST /api/vault/unlock */
export async function keysUnlock(body: Unlock): Promise<KeysView> {
  return call("POST", "/vault/unlock", { body });
}

/** Forget every key of a vault that nobody can open, and begin a new one; raises `vault_open`. POST /api/vault/anew */
export async function keysStartAnew(body: StartAnew): Promise<KeysView> {
  return call("POST", "/vault/anew", { body });
}

/** Make a recovery kit; it is shown once. POST /api/vault/kit */
export async function keysMakeKit(body: MakeKit): Promise<RecoveryKit> {
  return call("POST", "/vault/kit", { body });
}

/** Take a device's access away; the new recovery kit is shown once. POST /api/vault/revoke */
export async function keysRevoke(body: Revoke): Promise<RecoveryKit> {
  return call("POST", "/vault/revoke", { body });
}

/** The soul that holds. GET /api/soul */
export async function soulView(): Promise<SoulView> {
  return call("GET", "/soul");
}

/** A page of versions, the newest first; the one that comes with Outrider is the last of all. GET /api/soul/versions */
export async function soulHistory(query: Query<After> = {}): Promise<Page<SoulLine>> {
  return call("GET", "/soul/versions", { query });
}

/** The text of one version; raises `soul_version_unknown`. GET /api/soul/versions/{version} */
export async function soulVersion(version: number): Promise<Soul> {
  return call("GET", `/soul/versions/${version}`);
}

/** Everything that keeps this text from being the soul. POST /api/soul/check */
export async function soulCheck(body: CheckSoul): Promise<SoulCheck> {
  return call("POST", "/soul/check", { body });
}

/** Make this text the next version. POST /api/soul */
export async function soulSave(body: SaveSoul): Promise<SoulSaved> {
  return call("POST", "/soul", { body });
}

/** Make an earlier text the next version. POST /api/soul/restore */
export async function soulRestore(body: RestoreSoul): Promise<SoulSaved> {
  return call("POST", "/soul/restore", { body });
}

/** Every skill that was not removed, by name; no text is read. GET /api/skills */
export async function skillsList(): Promise<SkillList> {
  return call("GET", "/skills");
}

/** Install or update a skill; raises `skill_source_…`. POST /api/skills */
export async function skillsInstall(body: InstallSkill): Promise<SkillInstalled> {
  return call("POST", "/skills", { body });
}

/** One skill with its exact text; raises `skill_unknown`. GET /api/skills/{skill_id} */
export async function skillsView(skillId: string): Promise<SkillView> {
  return call("GET", `/skills/${at(skillId)}`);
}

/** Say that exactly this content was read. POST /api/skills/{skill_id}/approve */
export async function skillsApprove(skillId: string, body: ApproveSkill): Promise<void> {
  return call("POST", `/skills/${at(skillId)}/approve`, { body });
}

/** Use the skill from now on. POST /api/skills/{skill_id}/enable */
export async function skillsEnable(skillId: string): Promise<void> {
  return call("POST", `/skills/${at(skillId)}/enable`);
}

/** Do not use the skill. POST /api/skills/{skill_id}/disable */
export async function skillsDisable(skillId: string): Promise<void> {
  return call("POST", `/skills/${at(skillId)}/disable`);
}

/** Take the skill away. POST /api/skills/{skill_id}/remove */
export async function skillsRemove(skillId: string): Promise<void> {
  return call("POST", `/skills/${at(skillId)}/remove`);
}

/** Bring a removed skill back. POST /api/skills/{skill_id}/restore */
export async function skillsRestore(skillId: string): Promise<void> {
  return call("POST", `/skills/${at(skillId)}/restore`);
}

/** Every host that may be called or was. GET /api/outgoing */
export async function egressView(): Promise<OutgoingView> {
  return call("GET", "/outgoing");
}

/** The attached project, who is signed in, and how far both are in sync. GET /api/sync */
export async function syncView(): Promise<ProjectView> {
  return call("GET", "/sync");
}

/** The SQL that prepares a project. GET /api/sync/schema */
export async function syncSchema(): Promise<ProjectSchema> {
  return call("GET", "/sync/schema");
}

/** Look at a project before it is attached. POST /api/sync/check */
export async function syncCheck(body: ProjectAddress): Promise<ProjectCheck> {
  return call("POST", "/sync/check", { body });
}

/** Sign in with a password, and attach the project. POST /api/sync/sign-in */
export async function syncSignIn(body: SignIn): Promise<SignedIn> {
  return call("POST", "/sync/sign-in", { body });
}

/** Ask for a mail to sign in with. POST /api/sync/ask-mail */
export async function syncAskMail(body: AskMail): Promise<SignedIn> {
  return call("POST", "/sync/ask-mail", { body });
}

/** Sign in with the mail's link or code, and attach the project. POST /api/sync/answer-mail */
export async function syncAnswerMail(body: AnswerMail): Promise<SignedIn> {
  return call("POST", "/sync/answer-mail", { body });
}

/** Call a device otherwise. POST /api/sync/devices/{device_id}/name */
export async function syncNameDevice(deviceId: string, body: NameDevice): Promise<ProjectView> {
  return call("POST", `/sync/devices/${at(deviceId)}/name`, { body });
}

/** Sign out; the project stays attached. POST /api/sync/sign-out */
export async function syncSignOut(): Promise<ProjectView> {
  return call("POST", "/sync/sign-out");
}

/** Detach the project. POST /api/sync/detach */
export async function syncDetach(): Promise<ProjectView> {
  return call("POST", "/sync/detach");
}

/** Ask the device that acts to hand over to this one. POST /api/sync/take-over */
export async function syncTakeOver(): Promise<SyncState> {
  return call("POST", "/sync/take-over");
}

/** Bring both stores in sync now. POST /api/sync/now */
export async function syncNow(): Promise<SyncState> {
  return call("POST", "/sync/now");
}

/** Decisions that wait for a choice. GET /api/sync/conflicts */
export async function conflictsList(): Promise<ConflictList> {
  return call("GET", "/sync/conflicts");
}

/** Decide it again (only on the device on which it was decided), or leave what holds now; raises `conflict_unknown`. POST /api/sync/conflicts/{conflict_id} */
export async function conflictsChoose(conflictId: string, body: Choose): Promise<ConflictList> {
  return call("POST", `/sync/conflicts/${at(conflictId)}`, { body });
}

/** Examine this machine; it starts a browser, so it takes a while. POST /api/diagnostics */
export async function diagnosticsRun(): Promise<Diagnosis> {
  return call("POST", "/diagnostics");
}

/** What is missing. GET /api/record-loss */
export async function recordLossView(): Promise<RecordLossState> {
  return call("GET", "/record-loss");
}

/** Go on without what is missing. POST /api/record-loss/accept */
export async function recordLossAccept(): Promise<RecordLossState> {
  return call("POST", "/record-loss/accept");
}

/** A copy of the database; it is proven before its first byte is handed on. GET /api/backup/export */
export function backupExportPath(): string {
  return "/backup/export";
}

/** The backup that the next start puts back, and what this start put back. GET /api/backup */
export async function backupView(): Promise<RestoreState> {
  return call("GET", "/backup");
}

/** Read a backup whole, and say what is missing in it; raises `backup_*`. POST /api/backup/check */
export async function backupCheck(body: ChosenBackup): Promise<BackupFound> {
  return call("POST", "/backup/check", { body });
}

/** Have the backup that was checked last put back at the next start; nothing acts until then. POST /api/backup/restore */
export async function backupRestore(body: ChosenBackup): Promise<RestoreState> {
  return call("POST", "/backup/restore", { body });
}

/** Put nothing back at the next start. POST /api/backup/cancel */
export async function backupCancel(): Promise<RestoreState> {
  return call("POST", "/backup/cancel");
}

/** The user has read what this start put back. POST /api/backup/dismiss */
export async function backupDismiss(): Promise<RestoreState> {
  return call("POST", "/backup/dismiss");
}

/** Record what the export shows of people on record; raises `file_ticket_unknown`, `export_…` and `lead_file_…`. POST /api/reconciliation */
export async function reconciliationCompare(body: ChosenExport): Promise<Reconciliation> {
  return call("POST", "/reconciliation", { body });
}

/** What waits, what comes next and what is wrong; raises `campaign_unknown`. GET /api/today */
export async function todayView(query: Query<TodayQuery> = {}): Promise<TodayView> {
  return call("GET", "/today", { query });
}

/** What there is to run, and what was run. GET /api/agents */
export async function agentsView(): Promise<AgentsView> {
  return call("GET", "/agents");
}

/** Run one in the background; raises `agent_…` for what cannot be run. POST /api/agents/runs */
export async function agentsRun(body: RunAgent): Promise<AgentRunRow> {
  return call("POST", "/agents/runs", { body });
}

/** Have one run as a task of a campaign, done when what it found is kept; raises `agent_…` for what cannot be run. POST /api/agents/tasks */
export async function agentsAssign(body: AssignAgent): Promise<AgentAssigned> {
  return call("POST", "/agents/tasks", { body });
}

/** End the run that is under way. POST /api/agents/cancel */
export async function agentsCancel(): Promise<void> {
  return call("POST", "/agents/cancel");
}

/** Keep what it found with a campaign, as an artifact. POST /api/agents/runs/{number}/keep */
export async function agentsKeep(number: number, body: KeepFound): Promise<FoundKept> {
  return call("POST", `/agents/runs/${number}/keep`, { body });
}

/** What is connected, and what waits. GET /api/connect */
export async function connectView(): Promise<ConnectView> {
  return call("GET", "/connect");
}

/** Make a key for a program; it ends with this launch. Raises `program_name_invalid` and `program_key_taken`. POST /api/connect/programs/add */
export async function connectAddProgram(body: ProgramName): Promise<void> {
  return call("POST", "/connect/programs/add", { body });
}

/** Give a program another key; the earlier one opens nothing any more. Raises `program_key_unknown`. POST /api/connect/programs/renew */
export async function connectRenewProgram(body: ProgramName): Promise<void> {
  return call("POST", "/connect/programs/renew", { body });
}

/** From now on the program is refused. Raises `program_key_unknown`. POST /api/connect/programs/revoke */
export async function connectRevokeProgram(body: ProgramName): Promise<void> {
  return call("POST", "/connect/programs/revoke", { body });
}

/** Write a program's configuration exactly as it was shown, with a copy of what was there; raises `host_…`. POST /api/connect/hosts/{host}/write */
export async function connectWrite(host: string, body: ShownConfig): Promise<void> {
  return call("POST", `/connect/hosts/${at(host)}/write`, { body });
}

/** Put back what was there before; raises `host_config_edited` when somebody changed it since. POST /api/connect/hosts/{host}/undo */
export async function connectUndo(host: string): Promise<void> {
  return call("POST", `/connect/hosts/${at(host)}/undo`);
}

/** End a servitor; raises `servitor_unknown`. POST /api/connect/campaigns/{campaign_id}/servitors/{servitor_id}/dismiss */
export async function connectDismiss(campaignId: string, servitorId: string): Promise<void> {
  return call("POST", `/connect/campaigns/${at(campaignId)}/servitors/${at(servitorId)}/dismiss`);
}

/** Begin one; the one before is broken off. Raises `campaign_unknown`. POST /api/campaigns/{campaign_id}/dry-run */
export async function dryRunsStart(campaignId: string, body: DryRunWanted): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/dry-run`, { body });
}

/** Break it off. POST /api/campaigns/{campaign_id}/dry-run/cancel */
export async function dryRunsCancel(campaignId: string): Promise<Done> {
  return call("POST", `/campaigns/${at(campaignId)}/dry-run/cancel`);
}

/** How far it is, or what came of it; raises `campaign_unknown`. GET /api/campaigns/{campaign_id}/dry-run */
export async function dryRunsView(campaignId: string): Promise<DryRunView> {
  return call("GET", `/campaigns/${at(campaignId)}/dry-run`);
}
