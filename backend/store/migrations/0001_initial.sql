-- The whole schema, a noun after the other. After the first release, later changes are numbered files of their own.

-- ── The two logs ──
-- Append-only, by trigger.

-- Some ids become names of files (`domain/values/shapes.py`). Comparing characters with bytes refuses what a zero byte would hide.
-- An entry's id is the beginning of its hash: content names it. Its predecessor's hash is not stored a second time.
CREATE TABLE event_log (
  campaign_id TEXT NOT NULL CHECK (campaign_id GLOB '[A-Za-z0-9]*' AND campaign_id NOT GLOB '*[^A-Za-z0-9_-]*'
    AND length(campaign_id) <= 64 AND length(campaign_id) = length(CAST(campaign_id AS BLOB))),
  seq INTEGER NOT NULL,
  id TEXT GENERATED ALWAYS AS (lower(hex(substr(hash, 1, 16)))) VIRTUAL,
  timestamp INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT NOT NULL CHECK (entity_id GLOB '[A-Za-z0-9]*' AND entity_id NOT GLOB '*[^A-Za-z0-9_:.@-]*'
    AND length(entity_id) <= 128 AND length(entity_id) = length(CAST(entity_id AS BLOB))),
  change_payload TEXT NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (campaign_id, seq)
) WITHOUT ROWID, STRICT;

CREATE TABLE audit_log (
  campaign_id TEXT NOT NULL CHECK (campaign_id GLOB '[A-Za-z0-9]*' AND campaign_id NOT GLOB '*[^A-Za-z0-9_-]*'
    AND length(campaign_id) <= 64 AND length(campaign_id) = length(CAST(campaign_id AS BLOB))),
  seq INTEGER NOT NULL,
  id TEXT GENERATED ALWAYS AS (lower(hex(substr(hash, 1, 16)))) VIRTUAL,
  timestamp INTEGER NOT NULL,
  action_type TEXT NOT NULL,
  payload TEXT NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (campaign_id, seq)
) WITHOUT ROWID, STRICT;
-- The settings that held when.
CREATE INDEX event_log_settings ON event_log(campaign_id, seq) WHERE kind IN ('CampaignCreated', 'CampaignEdited');
-- Where in its stream an act was begun: by the entries around it an act is dated whose time cannot be right.
CREATE INDEX event_log_acts ON event_log(campaign_id, entity_id) WHERE kind IN ('ActionIntended', 'ActionHandedOver');
-- Where a campaign's clock was found to be set back: few. By them recorded times count that lie ahead.
CREATE INDEX event_log_clocks ON event_log(campaign_id, seq) WHERE kind = 'ClockSetBack';
-- Which event kept an artifact. Partial: no other event adds to it.
CREATE INDEX event_log_artifacts ON event_log(campaign_id, entity_id) WHERE kind = 'ArtifactPersisted';
-- What programs proposed, and the runs of scripts. Partial: no other entry adds to it.
CREATE INDEX audit_log_proposals ON audit_log(campaign_id, timestamp) WHERE action_type = 'mcp.proposal';
CREATE INDEX audit_log_scripts ON audit_log(campaign_id, seq) WHERE action_type = 'script.ended';
-- Which entries are erased, in few streams any. Partial: what is only added does not touch them.
CREATE INDEX event_log_erased ON event_log(campaign_id, seq) WHERE payload_digest IS NOT NULL;
CREATE INDEX audit_log_erased ON audit_log(campaign_id, seq) WHERE payload_digest IS NOT NULL;

-- INSERT OR REPLACE fires no delete trigger.
CREATE TRIGGER event_log_adds BEFORE INSERT ON event_log
WHEN EXISTS (SELECT 1 FROM event_log WHERE campaign_id = NEW.campaign_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER audit_log_adds BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE campaign_id = NEW.campaign_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;

-- Two exceptions. Erasure (below) puts what is left of a payload without its words in its place, removes the salt and leaves
-- the digest of both. And what the shared store never acknowledged may leave the log once it is kept, whole, beside it.
CREATE TRIGGER event_log_keeps BEFORE DELETE ON event_log
WHEN NOT EXISTS (SELECT 1 FROM acknowledged a WHERE a.campaign_id = OLD.campaign_id AND OLD.seq > a.event_seq)
  OR NOT EXISTS (SELECT 1 FROM rebase_queue_entries s WHERE s.hash = OLD.hash AND s.log = 'event'
    AND s.campaign_id = OLD.campaign_id AND s.seq = OLD.seq AND s.payload IS OLD.change_payload AND s.salt IS OLD.salt)
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER audit_log_keeps BEFORE DELETE ON audit_log
WHEN NOT EXISTS (SELECT 1 FROM acknowledged a WHERE a.campaign_id = OLD.campaign_id AND OLD.seq > a.audit_seq)
  OR NOT EXISTS (SELECT 1 FROM rebase_queue_entries s WHERE s.hash = OLD.hash AND s.log = 'audit'
    AND s.campaign_id = OLD.campaign_id AND s.seq = OLD.seq AND s.payload IS OLD.payload AND s.salt IS OLD.salt)
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;

-- What erasures leave of an entry may be reduced again, never restored: `leaves_no_more` is domain/erasure/remains.py, which every
-- connection of ours knows. A text that lost a mention has no digest; its size is that of what is left.
CREATE TRIGGER event_log_stays BEFORE UPDATE ON event_log
WHEN NOT (NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND (OLD.salt IS NOT NULL
    OR (NEW.payload_digest = OLD.payload_digest AND leaves_no_more(NEW.change_payload, OLD.change_payload)))
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.kind, NEW.entity_type, NEW.entity_id, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.kind, OLD.entity_type, OLD.entity_id, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log
WHEN NOT (NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND (OLD.salt IS NOT NULL OR (NEW.payload_digest = OLD.payload_digest AND leaves_no_more(NEW.payload, OLD.payload)))
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.action_type, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.action_type, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;

-- Where each chain ends, so that entries cut off the end are noticed and no append has to look for its predecessor.
CREATE TABLE log_heads (
  campaign_id TEXT PRIMARY KEY CHECK (campaign_id GLOB '[A-Za-z0-9]*' AND campaign_id NOT GLOB '*[^A-Za-z0-9_-]*'
    AND length(campaign_id) <= 64 AND length(campaign_id) = length(CAST(campaign_id AS BLOB))),
  event_seq INTEGER NOT NULL DEFAULT 0,
  event_hash BLOB NOT NULL,
  audit_seq INTEGER NOT NULL DEFAULT 0,
  audit_hash BLOB NOT NULL
) WITHOUT ROWID, STRICT;

-- ── Projections ──
-- All tables up to "This device" follow from event_log and can be dropped and rebuilt from it (`outrider replay`).

-- ── Campaigns ──

-- `proposer` is the connection that proposes; the built-in script unless the user chose another. Lines of the conversation up to
-- `conversation_from` are hidden: it was deleted; `conversation_back` is up to which they were before, to take that back.
-- `sequence_back` is the sequence before its last change; empty before the first. Of a campaign that was deleted (`deleted_at`) the
-- rows keep their place without their words, so that what it did still counts against the account's limits.
CREATE TABLE campaigns (
  id TEXT PRIMARY KEY CHECK (id GLOB '[A-Za-z0-9]*' AND id NOT GLOB '*[^A-Za-z0-9_-]*'
    AND length(id) <= 64 AND length(id) = length(CAST(id AS BLOB))),
  name TEXT NOT NULL,
  goal TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL DEFAULT '',
  site TEXT NOT NULL,
  account TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  proposer TEXT NOT NULL DEFAULT 'scripted',
  conversation_from INTEGER NOT NULL DEFAULT 0,
  conversation_back INTEGER NOT NULL DEFAULT 0,
  sequence_back TEXT NOT NULL DEFAULT '',
  archived_at INTEGER,
  deleted_at INTEGER
) WITHOUT ROWID, STRICT;
-- The list of campaigns is read page by page, newest first; ids are random and say nothing about age.
CREATE INDEX campaigns_by_age ON campaigns(created_at DESC, id DESC);
CREATE INDEX campaigns_by_proposer ON campaigns(proposer) WHERE proposer <> 'scripted';

CREATE TABLE runtime_snapshot (
  campaign_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  turn_lock INTEGER NOT NULL,
  loop_enabled INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  last_error TEXT NOT NULL,
  clock_was INTEGER
) WITHOUT ROWID, STRICT;

CREATE TABLE execution_state (
  campaign_id TEXT PRIMARY KEY,
  current_task_id TEXT,
  current_lead_id TEXT,
  current_action_id TEXT,
  last_action_timestamp INTEGER NOT NULL,
  own_turn INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID, STRICT;

-- ── Tasks ──

CREATE TABLE tasks (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  kind TEXT NOT NULL,
  description TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  needs TEXT NOT NULL,
  ready_at INTEGER NOT NULL DEFAULT 0,
  rank INTEGER NOT NULL DEFAULT 0,
  strikes INTEGER NOT NULL DEFAULT 0,
  source TEXT NOT NULL DEFAULT 'campaign',
  lead_id TEXT,
  preconditions TEXT NOT NULL DEFAULT '[]',
  metadata TEXT NOT NULL DEFAULT '{}',
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX tasks_by_readiness ON tasks(campaign_id, status, needs, ready_at, rank);
CREATE INDEX tasks_custom ON tasks(campaign_id, description) WHERE kind = 'custom';
CREATE INDEX tasks_by_lead ON tasks(lead_id) WHERE lead_id IS NOT NULL;
-- Requests that turns would run for now, across campaigns: few, and gone when they end.
CREATE INDEX tasks_assist_open ON tasks(created_at, id) WHERE kind = 'assist' AND status IN ('in_progress', 'verifying');

CREATE TABLE commitments (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  task_id TEXT NOT NULL,
  params TEXT NOT NULL,
  source TEXT NOT NULL,
  status TEXT NOT NULL DEFAULT 'open',
  detail TEXT NOT NULL DEFAULT '',
  checked_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX commitments_by_task ON commitments(task_id);

-- ── Leads ──

-- `notes` and `tags` are what the user writes on a lead; of the profile's address the last part is searched.
-- `known_since` is set where a lead was copied or moved from another campaign: when the user first imported the person.
-- `claimed_at` is when the campaign began to be in touch with this person: at the first approval or intent. `contact_anyway` is the
-- reason for which the user lets it write although another campaign is in touch with them; empty for nobody. `withdrawn_at` is when
-- the invitation was taken back. `greeting_name` is what the user says they are called in a greeting; empty where their name decides.
-- Lists and counts leave out who went back with an import (`is_counted`), went to another campaign, or was erased.
CREATE TABLE leads (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  full_name TEXT NOT NULL,
  profile_url TEXT NOT NULL,
  member_key TEXT NOT NULL,
  job_title TEXT NOT NULL DEFAULT '',
  company TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  connected_on TEXT,
  extra TEXT NOT NULL DEFAULT '{}',
  position INTEGER NOT NULL DEFAULT 0,
  import_id TEXT,
  known_since INTEGER,
  status TEXT NOT NULL DEFAULT 'pending',
  weight_score INTEGER,
  score_reasons TEXT NOT NULL DEFAULT '[]',
  priority_override INTEGER,
  profile_updated_at INTEGER NOT NULL DEFAULT 0,
  headline TEXT NOT NULL DEFAULT '',
  sequence_step INTEGER,
  relation TEXT NOT NULL DEFAULT 'none',
  visited_at INTEGER,
  invited_at INTEGER,
  accepted_at INTEGER,
  last_sent_at INTEGER,
  thread_read_at INTEGER,
  replied_at INTEGER,
  paused_until INTEGER,
  finished TEXT NOT NULL DEFAULT '',
  blocked TEXT NOT NULL DEFAULT '',
  label TEXT NOT NULL DEFAULT '',
  answers TEXT NOT NULL DEFAULT '[]',
  labelled_at INTEGER,
  snoozed_until INTEGER,
  snoozed_at INTEGER,
  replies_read_at INTEGER,
  notes TEXT NOT NULL DEFAULT '',
  tags TEXT NOT NULL DEFAULT '[]',
  claimed_at INTEGER,
  contact_anyway TEXT NOT NULL DEFAULT '',
  withdrawn_at INTEGER,
  greeting_name TEXT NOT NULL DEFAULT '',
  is_counted INTEGER AS (blocked NOT IN ('import_undone', 'moved') AND full_name <> '(erased)') VIRTUAL,
  words TEXT AS (campaign_id || ' ' || full_name || ' ' || job_title || ' ' || company || ' ' || headline || ' ' || notes || ' ' || email || ' ' ||
    replace(profile_url, rtrim(profile_url, replace(profile_url, '/', '')), '')) VIRTUAL
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX leads_by_member ON leads(campaign_id, member_key);
CREATE INDEX leads_pending ON leads(campaign_id, invited_at) WHERE relation = 'pending';
CREATE INDEX leads_by_email ON leads(lower(email), campaign_id) WHERE email <> '';
CREATE INDEX leads_unscored ON leads(campaign_id, position) WHERE weight_score IS NULL;
-- The next to be planned: highest priority first, ties by the most recently updated profile (spec 001, edge cases).
CREATE INDEX leads_unplanned ON leads(
  campaign_id, coalesce(priority_override, weight_score) DESC, profile_updated_at DESC, position
) WHERE sequence_step IS NULL AND blocked = '';
-- Conversations, latest activity first: leads to whom something was sent, or who may have got something.
-- Unknown outcomes, replies and those that wait each have their own stretch of the index.
CREATE INDEX leads_in_touch ON leads(
  campaign_id,
  CASE WHEN blocked = 'outcome_unknown' THEN 'unknown' WHEN replied_at IS NOT NULL THEN 'replied' ELSE 'waiting' END,
  max(coalesce(invited_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0)),
  id
) WHERE invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL OR blocked = 'outcome_unknown';
-- What insights count, and no pending lead: small, and touched only by what is counted.
CREATE INDEX leads_contacted ON leads(
  campaign_id, id, status, replied_at, invited_at, last_sent_at, accepted_at, job_title, company, weight_score
) WHERE status <> 'pending';
CREATE INDEX leads_replied ON leads(campaign_id, replied_at) WHERE replied_at IS NOT NULL;
-- Replies that nobody has opened.
CREATE INDEX leads_unread ON leads(campaign_id, replied_at)
WHERE replied_at IS NOT NULL AND (replies_read_at IS NULL OR replies_read_at < replied_at);
CREATE INDEX leads_labelled ON leads(campaign_id, label, labelled_at, status, replied_at) WHERE label <> '';
CREATE INDEX leads_snoozed ON leads(campaign_id, snoozed_until) WHERE snoozed_until IS NOT NULL;
CREATE INDEX leads_forbidden ON leads(id) WHERE blocked = 'do_not_contact';
CREATE INDEX leads_uncounted ON leads(campaign_id) WHERE NOT is_counted;
CREATE INDEX leads_claimed ON leads(id)
  WHERE claimed_at IS NOT NULL OR invited_at IS NOT NULL OR last_sent_at IS NOT NULL;
CREATE INDEX leads_held ON leads(campaign_id, id) WHERE blocked IN ('in_doubt', 'in_touch_elsewhere');

-- `filtered_out` counts rows that were not taken because of the user's filter.
CREATE TABLE imports (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  file TEXT NOT NULL,
  format TEXT NOT NULL,
  accepted INTEGER NOT NULL DEFAULT 0,
  merged INTEGER NOT NULL DEFAULT 0,
  unchanged INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  preamble TEXT NOT NULL DEFAULT '',
  header TEXT NOT NULL DEFAULT '[]',
  mapping TEXT NOT NULL DEFAULT '{}',
  taken_back INTEGER NOT NULL DEFAULT 0,
  kept INTEGER NOT NULL DEFAULT 0,
  restored INTEGER NOT NULL DEFAULT 0,
  undone_at INTEGER,
  unlisted INTEGER NOT NULL DEFAULT 0,
  filtered_out INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID, STRICT;
CREATE INDEX imports_by_campaign ON imports(campaign_id, id);
-- How a table of the same columns was read before.
CREATE INDEX imports_by_header ON imports(header, id) WHERE mapping <> '{}';

CREATE TABLE rejected_rows (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  import_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  raw TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX rejected_by_import ON rejected_rows(import_id, line, id);

-- Rows that said something else of a lead that was known: how they were matched, and the fields before and after.
CREATE TABLE merged_rows (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  import_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  lead_id TEXT NOT NULL,
  matched TEXT NOT NULL,
  earlier TEXT NOT NULL,
  later TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX merged_by_import ON merged_rows(import_id, line, id);
CREATE INDEX merged_by_lead ON merged_rows(lead_id, id);

-- All leads scored anew: how far that has come, so that it goes on where a crash left it. `through` is the last lead.
CREATE TABLE scorings (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  blueprint INTEGER NOT NULL,
  status TEXT NOT NULL DEFAULT 'running',
  through TEXT NOT NULL DEFAULT '',
  leads INTEGER NOT NULL,
  done INTEGER NOT NULL DEFAULT 0,
  changed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  finished_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX scorings_by_campaign ON scorings(campaign_id, id);
CREATE INDEX scorings_running ON scorings(campaign_id) WHERE status = 'running';

-- Rounds of leads that the user put in order; `lead_ids` has the first one first.
CREATE TABLE rankings (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  number INTEGER NOT NULL,
  lead_ids TEXT NOT NULL,
  counts INTEGER NOT NULL DEFAULT 1,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX rankings_by_campaign ON rankings(campaign_id, number);

CREATE TABLE do_not_contact (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  member_key TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  import_id TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID, STRICT;
CREATE INDEX do_not_contact_by_member ON do_not_contact(member_key) WHERE status = 'active';
CREATE INDEX do_not_contact_by_import ON do_not_contact(import_id, member_key) WHERE import_id <> '';

-- The do-not-contact list as a file: which import brought an entry, and what became of each file's rows.
CREATE TABLE do_not_contact_imports (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  file TEXT NOT NULL,
  people INTEGER NOT NULL DEFAULT 0,
  companies INTEGER NOT NULL DEFAULT 0,
  domains INTEGER NOT NULL DEFAULT 0,
  already INTEGER NOT NULL DEFAULT 0,
  rejected INTEGER NOT NULL DEFAULT 0,
  leads_stopped INTEGER NOT NULL DEFAULT 0,
  messages_withdrawn INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL,
  finished_at INTEGER,
  entries_removed INTEGER NOT NULL DEFAULT 0,
  leads_released INTEGER NOT NULL DEFAULT 0,
  undone_at INTEGER
) WITHOUT ROWID, STRICT;

-- Whom an account contacted whose data is gone since, by a keyed hash: several rows if they were contacted in several campaigns.
CREATE TABLE remembered_contacts (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  contact_key TEXT NOT NULL,
  account TEXT NOT NULL,
  contacted_at INTEGER,
  refused INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX remembered_contacts_by_key ON remembered_contacts(contact_key, account, contacted_at, refused);

-- What was shown and what was typed, word for word; withdrawn ones stay.
CREATE TABLE consents (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  account TEXT NOT NULL,
  text TEXT NOT NULL,
  typed TEXT NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- ── Lists of leads, and the search in them ──

-- How the list of leads is sorted, filtered and searched without reading `leads`. None of this is state: triggers make it
-- follow the rows. All keys ascend, so that a window of the list can begin behind a row value; who has no value comes last.
CREATE TABLE lead_keys (
  number INTEGER PRIMARY KEY,
  lead_id TEXT NOT NULL UNIQUE,
  campaign_id TEXT NOT NULL,
  priority_key INTEGER NOT NULL,
  freshness_key INTEGER NOT NULL,
  position INTEGER NOT NULL,
  name_key TEXT NOT NULL COLLATE NOCASE,
  company_key TEXT NOT NULL COLLATE NOCASE,
  title_key TEXT NOT NULL COLLATE NOCASE,
  activity_key INTEGER NOT NULL,
  status_key INTEGER NOT NULL,
  blocked INTEGER NOT NULL,
  manual INTEGER NOT NULL,
  step_key INTEGER NOT NULL,
  next_key INTEGER NOT NULL,
  tag_key TEXT NOT NULL COLLATE NOCASE
) STRICT;
-- Each ends with what the list can be filtered by, so that going over many rows reads nothing but the index.
CREATE INDEX lead_keys_by_priority ON lead_keys(
  campaign_id, priority_key, freshness_key, position, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_name ON lead_keys(campaign_id, name_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_company ON lead_keys(campaign_id, company_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_title ON lead_keys(campaign_id, title_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_status ON lead_keys(
  campaign_id, status_key, priority_key, freshness_key, position, number, blocked, manual);
CREATE INDEX lead_keys_by_activity ON lead_keys(campaign_id, activity_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_position ON lead_keys(campaign_id, position, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_step ON lead_keys(campaign_id, step_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_next ON lead_keys(campaign_id, next_key, number, status_key, blocked, manual);
CREATE INDEX lead_keys_by_tag ON lead_keys(campaign_id, tag_key, number, status_key, blocked, manual);

CREATE TABLE lead_tags (
  campaign_id TEXT NOT NULL, tag TEXT NOT NULL, lead_id TEXT NOT NULL, PRIMARY KEY (campaign_id, tag, lead_id)
) WITHOUT ROWID, STRICT;

-- The campaign's id is a word of each lead, so that a search stays in its campaign. Triggers take out what is not so any
-- more and note what is new, and each commit puts the new in at once (`store/queries/leads/lead_index.py`).
CREATE VIRTUAL TABLE leads_text USING fts5(
  words, content='', detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);

-- What each commit puts into the lists and the search at once, and empties: leads that came, and numbers of those whose words
-- are new. A trigger that did it itself would open every index again for each row: half of what an import costs.
CREATE TABLE leads_new (lead_id TEXT PRIMARY KEY) WITHOUT ROWID, STRICT;
CREATE TABLE leads_unsearched (number INTEGER PRIMARY KEY) STRICT;

-- The keys of every lead as they must be.
CREATE VIEW lead_keys_now AS SELECT
  id AS lead_id, campaign_id,
  -coalesce(priority_override, weight_score, -1) AS priority_key, -profile_updated_at AS freshness_key, position,
  full_name AS name_key,
  CASE company WHEN '' THEN char(1114111) ELSE company END AS company_key,
  CASE job_title WHEN '' THEN char(1114111) ELSE job_title END AS title_key,
  -- What passed between the two people. Looks at a page do not count, so a turn seldom touches this.
  -max(coalesce(invited_at, 0), coalesce(accepted_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0)) AS activity_key,
  CASE status WHEN 'responded' THEN 0 WHEN 'contacted' THEN 1 WHEN 'pending' THEN 2 ELSE 3 END AS status_key,
  CASE WHEN NOT is_counted THEN 2 WHEN blocked = '' THEN 0 ELSE 1 END AS blocked,
  priority_override IS NOT NULL AS manual,
  coalesce(sequence_step, 9223372036854775807) AS step_key,
  -- When the task that reaches out to them is due; nobody's is due whose task is over, or not made yet.
  coalesce((SELECT min(t.ready_at) FROM tasks t WHERE t.lead_id = leads.id AND t.kind = 'reach_lead'
    AND t.status IN ('pending', 'in_progress', 'verifying')), 9223372036854775807) AS next_key,
  coalesce(tags ->> '$[0]', char(1114111)) AS tag_key
FROM leads;

-- New leads are counted together with the rest of their commit (`store/queries/leads/lead_index.py`): a row that counts itself costs
-- an import a tenth. Until then they are in `leads_new`, and in no count.
CREATE TRIGGER leads_come AFTER INSERT ON leads BEGIN
  INSERT INTO leads_new VALUES (NEW.id);
END;
CREATE TRIGGER leads_ranked AFTER UPDATE OF weight_score, priority_override, profile_updated_at ON leads BEGIN
  UPDATE lead_keys SET (priority_key, freshness_key) =
    (SELECT priority_key, freshness_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_moved AFTER UPDATE OF status, blocked, full_name, priority_override ON leads
WHEN OLD.status <> NEW.status OR OLD.blocked <> NEW.blocked OR OLD.is_counted <> NEW.is_counted
  OR (OLD.priority_override IS NULL) <> (NEW.priority_override IS NULL)
BEGIN
  UPDATE lead_keys SET (status_key, blocked, manual) =
    (SELECT status_key, blocked, manual FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_acted AFTER UPDATE OF invited_at, accepted_at, last_sent_at, replied_at ON leads BEGIN
  UPDATE lead_keys SET activity_key = (SELECT activity_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_stepped AFTER UPDATE OF sequence_step ON leads WHEN OLD.sequence_step IS NOT NEW.sequence_step BEGIN
  UPDATE lead_keys SET step_key = coalesce(NEW.sequence_step, 9223372036854775807) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_due AFTER INSERT ON tasks WHEN NEW.kind = 'reach_lead' BEGIN
  UPDATE lead_keys SET next_key = (SELECT next_key FROM lead_keys_now WHERE lead_id = NEW.lead_id) WHERE lead_id = NEW.lead_id;
END;
CREATE TRIGGER leads_due_later AFTER UPDATE OF status, ready_at ON tasks
WHEN NEW.kind = 'reach_lead' AND (OLD.ready_at <> NEW.ready_at OR OLD.status <> NEW.status) BEGIN
  UPDATE lead_keys SET next_key = (SELECT next_key FROM lead_keys_now WHERE lead_id = NEW.lead_id) WHERE lead_id = NEW.lead_id;
END;
CREATE TRIGGER leads_renamed AFTER UPDATE OF full_name, company, job_title ON leads BEGIN
  UPDATE lead_keys SET (name_key, company_key, title_key) =
    (SELECT name_key, company_key, title_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_reworded AFTER UPDATE OF full_name, job_title, company, headline, notes, tags, email, profile_url ON leads
WHEN OLD.words <> NEW.words OR OLD.tags <> NEW.tags BEGIN
  INSERT INTO leads_text(leads_text, rowid, words)
  SELECT 'delete', number, OLD.words || ' ' || (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(OLD.tags))
  FROM lead_keys k WHERE lead_id = OLD.id AND NOT EXISTS (SELECT 1 FROM leads_unsearched u WHERE u.number = k.number);
  INSERT OR IGNORE INTO leads_unsearched SELECT number FROM lead_keys WHERE lead_id = OLD.id;
END;
CREATE TRIGGER leads_retagged AFTER UPDATE OF tags ON leads WHEN OLD.tags <> NEW.tags BEGIN
  DELETE FROM lead_tags WHERE campaign_id = OLD.campaign_id AND lead_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.tags));
  INSERT OR IGNORE INTO lead_tags SELECT NEW.campaign_id, value, NEW.id FROM json_each(NEW.tags);
  UPDATE lead_keys SET tag_key = coalesce(NEW.tags ->> '$[0]', char(1114111)) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_go AFTER DELETE ON leads BEGIN
  DELETE FROM leads_new WHERE lead_id = OLD.id;
  INSERT INTO leads_text(leads_text, rowid, words)
  SELECT 'delete', number, OLD.words || ' ' || (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(OLD.tags))
  FROM lead_keys k WHERE lead_id = OLD.id AND NOT EXISTS (SELECT 1 FROM leads_unsearched u WHERE u.number = k.number);
  DELETE FROM leads_unsearched WHERE number = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
  DELETE FROM lead_keys WHERE lead_id = OLD.id;
  DELETE FROM lead_tags WHERE campaign_id = OLD.campaign_id AND lead_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

-- Letters that the search's tokenizer leaves as they are (ł, ß, ø, đ, æ …) are found by what people type for them: leads whose
-- words are not plain ASCII are searched a second time as they are typed (`as_typed` is domain/values/latin.py).
CREATE VIRTUAL TABLE leads_text_typed USING fts5(
  words, detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);
CREATE TRIGGER leads_typed_anew AFTER UPDATE OF full_name, job_title, company, headline, notes, tags, email, profile_url ON leads
WHEN OLD.words <> NEW.words OR OLD.tags <> NEW.tags BEGIN
  DELETE FROM leads_text_typed WHERE rowid = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
END;
CREATE TRIGGER leads_typed_go BEFORE DELETE ON leads BEGIN  -- before `leads_go` takes its number
  DELETE FROM leads_text_typed WHERE rowid = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
END;

-- ── People ──

-- What the user answered: whether the leads with these identities are one person.
CREATE TABLE identity_answers (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  member_keys TEXT NOT NULL,
  same INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- The rest follows from leads and answers whatever the order in which they came, so each device makes it for itself
-- (`store/queries/people/person_index.py`): by what leads are compared; the leads of each person who has several; and what is asked.
CREATE TABLE person_keys (
  key TEXT NOT NULL,
  lead_id TEXT NOT NULL,
  PRIMARY KEY (key, lead_id)
) WITHOUT ROWID, STRICT;

CREATE TABLE people (
  lead_id TEXT PRIMARY KEY,
  person_id TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX people_by_person ON people(person_id);

CREATE TABLE identity_doubts (
  lead_id TEXT NOT NULL,
  key TEXT NOT NULL,
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  PRIMARY KEY (lead_id, key)
) WITHOUT ROWID, STRICT;
CREATE INDEX identity_doubts_by_key ON identity_doubts(key, account);

-- Leads of which one of these changed since people were last told apart, with what they had then; new leads are in `leads_new`.
-- What reached a person, or what they said, is known of them although the import that brought the lead was undone.
CREATE TABLE leads_reidentified (
  lead_id TEXT PRIMARY KEY,
  member_key TEXT,
  full_name TEXT,
  profile_url TEXT,
  email TEXT,
  company TEXT,
  extra TEXT,
  taken_back INTEGER
) WITHOUT ROWID, STRICT;
CREATE TRIGGER leads_reidentified AFTER UPDATE OF member_key, full_name, profile_url, email, company, extra, blocked, status
ON leads WHEN OLD.member_key <> NEW.member_key OR OLD.full_name <> NEW.full_name OR OLD.profile_url <> NEW.profile_url
  OR OLD.email <> NEW.email OR OLD.company <> NEW.company OR OLD.extra <> NEW.extra
  OR (OLD.blocked = 'import_undone' AND OLD.status = 'pending')
    <> (NEW.blocked = 'import_undone' AND NEW.status = 'pending') BEGIN
  INSERT OR IGNORE INTO leads_reidentified VALUES (
    OLD.id, OLD.member_key, OLD.full_name, OLD.profile_url, OLD.email, OLD.company, OLD.extra,
    OLD.blocked = 'import_undone' AND OLD.status = 'pending');
END;
CREATE TRIGGER leads_unidentified AFTER DELETE ON leads BEGIN
  INSERT OR IGNORE INTO leads_reidentified VALUES (
    OLD.id, OLD.member_key, OLD.full_name, OLD.profile_url, OLD.email, OLD.company, OLD.extra,
    OLD.blocked = 'import_undone' AND OLD.status = 'pending');
END;
CREATE TRIGGER leads_of_another_account AFTER UPDATE OF account ON campaigns WHEN OLD.account <> NEW.account BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT id, member_key, full_name, profile_url, email, company, extra, blocked = 'import_undone' AND status = 'pending'
  FROM leads WHERE campaign_id = NEW.id;
END;
CREATE VIEW leads_answered AS
  SELECT a.id AS answer_id, l.id AS lead_id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra,
    l.blocked = 'import_undone' AND l.status = 'pending' AS taken_back
  FROM identity_answers a CROSS JOIN json_each(iif(json_valid(a.member_keys), a.member_keys, '[]')) k CROSS JOIN campaigns c
  CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key IN (k.value, substr(k.value, 1, instr(k.value, '#') - 1));
CREATE TRIGGER identity_answered AFTER INSERT ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT lead_id, member_key, full_name, profile_url, email, company, extra, taken_back
  FROM leads_answered WHERE answer_id = NEW.id;
END;
CREATE TRIGGER identity_answer_changed AFTER UPDATE ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT lead_id, member_key, full_name, profile_url, email, company, extra, taken_back
  FROM leads_answered WHERE answer_id = NEW.id;
END;
CREATE TRIGGER identity_answer_goes BEFORE DELETE ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT lead_id, member_key, full_name, profile_url, email, company, extra, taken_back
  FROM leads_answered WHERE answer_id = OLD.id;
END;
-- By what leads are compared with people on the do-not-contact list: the address of each, and the name (`listed_name_key` is
-- domain/people/identity.py), by which somebody may be meant who has another address.
CREATE TABLE listed_keys (
  key TEXT NOT NULL,
  entry_id TEXT NOT NULL,
  PRIMARY KEY (key, entry_id)
) WITHOUT ROWID, STRICT;
CREATE INDEX listed_keys_of_entry ON listed_keys(entry_id, key);
CREATE VIEW listed_keys_now AS
  SELECT 'address:' || member_key AS key, id AS entry_id FROM do_not_contact WHERE status = 'active'
  UNION ALL SELECT 'email:' || member_key, id FROM do_not_contact WHERE status = 'active'
  UNION ALL SELECT listed_name_key(member_key, CAST(name AS BLOB)), id FROM do_not_contact
    WHERE status = 'active' AND listed_name_key(member_key, CAST(name AS BLOB)) <> '';
CREATE TRIGGER listed_keys_come AFTER INSERT ON listed_keys BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra,
    l.blocked = 'import_undone' AND l.status = 'pending'
  FROM person_keys k CROSS JOIN leads l ON l.id = k.lead_id WHERE k.key = NEW.key;
END;
CREATE TRIGGER listed_keys_go AFTER DELETE ON listed_keys BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra,
    l.blocked = 'import_undone' AND l.status = 'pending'
  FROM person_keys k CROSS JOIN leads l ON l.id = k.lead_id WHERE k.key = OLD.key;
END;
CREATE TRIGGER entry_listed AFTER INSERT ON do_not_contact BEGIN
  INSERT INTO listed_keys SELECT key, entry_id FROM listed_keys_now WHERE entry_id = NEW.id;
END;
CREATE TRIGGER entry_changed AFTER UPDATE OF status, name, member_key ON do_not_contact BEGIN
  DELETE FROM listed_keys WHERE entry_id = OLD.id;
  INSERT INTO listed_keys SELECT key, entry_id FROM listed_keys_now WHERE entry_id = NEW.id;
END;
CREATE TRIGGER entry_gone AFTER DELETE ON do_not_contact BEGIN
  DELETE FROM listed_keys WHERE entry_id = OLD.id;
END;

-- ── Messages ──

-- `source` is how a message came to be on record that Outrider did not send; `rejection_reason` why the user rejected a draft, in
-- their words.
CREATE TABLE messages (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  lead_id TEXT NOT NULL,
  task_id TEXT,
  step TEXT NOT NULL DEFAULT '',
  kind TEXT NOT NULL,
  text TEXT NOT NULL,
  status TEXT NOT NULL,
  attempts INTEGER NOT NULL DEFAULT 0,
  reason TEXT NOT NULL DEFAULT '',
  from_template INTEGER NOT NULL DEFAULT 0,
  variant TEXT NOT NULL DEFAULT '',
  reply_kind TEXT NOT NULL DEFAULT '',
  reply_rule TEXT NOT NULL DEFAULT '',
  sent_at INTEGER,
  evidence TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL,
  source TEXT NOT NULL DEFAULT '',
  rejection_reason TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID, STRICT;
CREATE INDEX messages_by_lead ON messages(lead_id, step);
-- What conversations consist of, by which a reply is attributed to a step: ours, whole, and what they wrote.
CREATE INDEX messages_ours ON messages(lead_id, sent_at, step, kind, variant, status) WHERE status IN ('sent', 'found');
CREATE INDEX messages_theirs ON messages(lead_id, sent_at) WHERE kind = 'reply';
-- How many messages of each kind wait is asked in every turn, and answered without reading one of them.
CREATE INDEX messages_in_review ON messages(campaign_id, id, kind, status) WHERE status = 'draft';
-- What was approved and has not been sent, and what nobody knows of whether it was.
CREATE INDEX messages_outgoing ON messages(campaign_id, id, kind, status) WHERE status IN ('approved', 'outcome_unknown');

CREATE TABLE approvals (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  message_id TEXT NOT NULL,
  digest TEXT NOT NULL,
  status TEXT NOT NULL,
  given_by TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX approvals_by_message ON approvals(message_id);

-- ── Outside effects ──

-- An intent is written before its effect and settled after it; one still `intended` at start is recovery's work.
CREATE TABLE actions (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  turn INTEGER NOT NULL,
  task_id TEXT,
  lead_id TEXT,
  message_id TEXT,
  approval_id TEXT,
  account TEXT NOT NULL,
  family TEXT NOT NULL,
  tool TEXT NOT NULL,
  params TEXT NOT NULL,
  seen_before INTEGER NOT NULL DEFAULT 0,
  status TEXT NOT NULL,
  claim TEXT NOT NULL DEFAULT '',
  said TEXT NOT NULL DEFAULT '',
  evidence TEXT NOT NULL DEFAULT '[]',
  intended_at INTEGER NOT NULL,
  settled_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX actions_by_message ON actions(message_id);
CREATE INDEX actions_open ON actions(campaign_id) WHERE status IN ('intended', 'outcome_unknown');
-- Limits are counted from here: what may have reached the site counts; spacing is kept after a failed attempt, too.
CREATE INDEX actions_by_account ON actions(account, family, intended_at, status);
CREATE INDEX actions_withdrawals ON actions(lead_id) WHERE family = 'withdraw';
-- What a campaign sent lately.
CREATE INDEX actions_by_campaign ON actions(campaign_id, intended_at, status);

-- `evidence` is the picture of what stopped the account: a file of the evidence store; `lead_id` tells whose page was open.
CREATE TABLE incidents (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  said TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  opened_at INTEGER NOT NULL,
  cleared_at INTEGER,
  evidence TEXT NOT NULL DEFAULT '',
  lead_id TEXT
) WITHOUT ROWID, STRICT;
CREATE INDEX incidents_by_lead ON incidents(lead_id) WHERE lead_id IS NOT NULL;
CREATE INDEX incidents_open ON incidents(account) WHERE status = 'open';

-- ── Artifacts ──

-- What a version holds: its SHA-256, its size, what kind of data, and whether it is in a file of its own, named by the digest; then
-- `content` has the beginning of what is text.
CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  artifact_type TEXT NOT NULL,
  artifact_key TEXT NOT NULL,
  made_by TEXT NOT NULL CHECK (made_by IN ('user', 'model', 'program', 'controller') OR made_by GLOB 'program ?*'
    OR made_by GLOB 'script ?*'),
  content TEXT NOT NULL,
  schema TEXT NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  sha256 TEXT NOT NULL DEFAULT '',
  bytes INTEGER NOT NULL DEFAULT 0,
  media_type TEXT NOT NULL DEFAULT 'text/plain',
  in_file INTEGER NOT NULL DEFAULT 0,
  source TEXT AS (iif(made_by = 'user', 'user', 'agent')) VIRTUAL,
  words TEXT AS (
    replace(campaign_id, '-', '') || ' ' || replace(campaign_id, '-', '') || replace(artifact_type, '_', '') || ' '
    || artifact_type || ' ' || artifact_key || ' ' || substr(content, 1, 20000)
  ) VIRTUAL
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX artifacts_by_key ON artifacts(campaign_id, artifact_type, artifact_key, version);
-- An artifact's content may be large and stands in the middle of its row: lists read these indexes and never the rows.
CREATE INDEX artifacts_versions ON artifacts(campaign_id, artifact_type, artifact_key, version, made_by, created_at);
CREATE INDEX artifacts_in_files ON artifacts(sha256) WHERE in_file;

-- The newest version of each artifact, numbered in the order in which they were kept: what lists, searches and prompts read.
-- None of this is state: triggers make it follow the rows.
CREATE TABLE artifact_heads (
  number INTEGER PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  artifact_type TEXT NOT NULL,
  artifact_key TEXT NOT NULL,
  artifact_id TEXT NOT NULL,
  version INTEGER NOT NULL,
  made_by TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifact_heads_by_key ON artifact_heads(campaign_id, artifact_type, artifact_key);
CREATE INDEX artifact_heads_latest ON artifact_heads(campaign_id, number, created_at);
CREATE INDEX artifact_heads_of_type ON artifact_heads(campaign_id, artifact_type, number, created_at);
CREATE INDEX artifact_heads_by_time ON artifact_heads(campaign_id, created_at, number);

-- Words of the campaign, and of its type within it, keep a search in its campaign and type; then type, key and the beginning.
CREATE VIRTUAL TABLE artifacts_text USING fts5(
  words, content='', detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);
CREATE TRIGGER artifacts_come AFTER INSERT ON artifacts BEGIN
  INSERT INTO artifacts_text(artifacts_text, rowid, words)
  SELECT 'delete', h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id
  WHERE h.campaign_id = NEW.campaign_id AND h.artifact_type = NEW.artifact_type AND h.artifact_key = NEW.artifact_key;
  DELETE FROM artifact_heads
  WHERE campaign_id = NEW.campaign_id AND artifact_type = NEW.artifact_type AND artifact_key = NEW.artifact_key;
  INSERT INTO artifact_heads VALUES (
    NULL, NEW.campaign_id, NEW.artifact_type, NEW.artifact_key, NEW.id, NEW.version, NEW.made_by, NEW.created_at,
    iif(NEW.sha256 = '', length(CAST(NEW.content AS BLOB)), NEW.bytes), NEW.media_type);
  INSERT INTO artifacts_text(rowid, words) VALUES (last_insert_rowid(), NEW.words);
END;
-- When an artifact's newest version goes, the one before it is the newest again.
CREATE TRIGGER artifacts_go AFTER DELETE ON artifacts
WHEN EXISTS (SELECT 1 FROM artifact_heads WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type
  AND artifact_key = OLD.artifact_key AND artifact_id = OLD.id)
BEGIN
  INSERT INTO artifacts_text(artifacts_text, rowid, words)
  SELECT 'delete', number, OLD.words FROM artifact_heads
  WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key;
  DELETE FROM artifact_heads
  WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key;
  INSERT INTO artifact_heads
  SELECT NULL, campaign_id, artifact_type, artifact_key, id, version, made_by, created_at,
    iif(sha256 = '', length(CAST(content AS BLOB)), bytes), media_type FROM artifacts
  WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key
  ORDER BY version DESC LIMIT 1;
  INSERT INTO artifacts_text(rowid, words)
  SELECT h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id
  WHERE h.campaign_id = OLD.campaign_id AND h.artifact_type = OLD.artifact_type AND h.artifact_key = OLD.artifact_key;
END;

-- ── Requests and the conversation ──

CREATE TABLE input_requests (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  task_id TEXT,
  kind TEXT NOT NULL,
  question TEXT NOT NULL,
  choices TEXT NOT NULL DEFAULT '[]',
  payload TEXT NOT NULL DEFAULT '{}',
  status TEXT NOT NULL,
  answer TEXT NOT NULL DEFAULT '',
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX input_requests_by_task ON input_requests(task_id);
CREATE INDEX input_requests_scripts ON input_requests(created_at, id) WHERE kind = 'approve_script' AND answer = 'yes';
CREATE INDEX input_requests_open ON input_requests(campaign_id) WHERE status = 'open';

-- A line of the conversation has its number, for ids of one moment are in no order; `role` is user, model or outrider.
CREATE TABLE conversations (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  role TEXT NOT NULL,
  content TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  line INTEGER NOT NULL DEFAULT 0,
  request_id TEXT NOT NULL DEFAULT '',
  turn INTEGER,
  kind TEXT NOT NULL DEFAULT 'said',
  payload TEXT NOT NULL DEFAULT '{}',
  given_key TEXT
) WITHOUT ROWID, STRICT;
CREATE INDEX conversations_by_line ON conversations(campaign_id, line);
CREATE INDEX conversations_by_request ON conversations(request_id, line);
-- A repeated request is the same one.
CREATE UNIQUE INDEX conversations_given ON conversations(campaign_id, given_key) WHERE given_key IS NOT NULL;

-- What the user gave with a request, character for character.
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  request_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX attachments_by_request ON attachments(request_id, place);

-- ── Turns, and what models cost ──

-- What a turn's reply cost is in millionths of a US dollar; a turn of the script bears none of it. A turn for a request
-- (`request_id`) leaves the campaign's own position, and what its next turn is told of the last, as they were.
CREATE TABLE turn_projection (
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  number INTEGER NOT NULL,
  history TEXT NOT NULL,
  steps TEXT NOT NULL,
  proposal TEXT NOT NULL DEFAULT '',
  verdict TEXT NOT NULL DEFAULT 'accepted',
  faulted INTEGER NOT NULL DEFAULT 0,
  task_id TEXT,
  lead_id TEXT,
  error TEXT NOT NULL DEFAULT '',
  model TEXT NOT NULL DEFAULT '',
  tokens_in INTEGER NOT NULL DEFAULT 0,
  tokens_out INTEGER NOT NULL DEFAULT 0,
  cost_micros INTEGER NOT NULL DEFAULT 0,
  request_id TEXT,
  PRIMARY KEY (campaign_id, number)
) WITHOUT ROWID, STRICT;
CREATE INDEX turns_by_request ON turn_projection(request_id, number) WHERE request_id IS NOT NULL;

-- Replies that were paid for and became no turn, because the user stopped the campaign meanwhile.
CREATE TABLE model_bills (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  model TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- Totals kept by triggers, so that a budget is checked without adding up turns.
CREATE TABLE model_spend (
  campaign_id TEXT NOT NULL, model TEXT NOT NULL, replies INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_micros INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, model)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER turns_paid AFTER INSERT ON turn_projection WHEN NEW.model <> '' BEGIN
  INSERT INTO model_spend VALUES (NEW.campaign_id, NEW.model, 1, NEW.tokens_in, NEW.tokens_out, NEW.cost_micros)
  ON CONFLICT DO UPDATE SET replies = replies + 1, tokens_in = tokens_in + NEW.tokens_in,
    tokens_out = tokens_out + NEW.tokens_out, cost_micros = cost_micros + NEW.cost_micros;
END;
CREATE TRIGGER turns_unpaid AFTER DELETE ON turn_projection WHEN OLD.model <> '' BEGIN
  UPDATE model_spend SET replies = replies - 1, tokens_in = tokens_in - OLD.tokens_in,
    tokens_out = tokens_out - OLD.tokens_out, cost_micros = cost_micros - OLD.cost_micros
  WHERE campaign_id = OLD.campaign_id AND model = OLD.model;
END;
CREATE TRIGGER bills_paid AFTER INSERT ON model_bills BEGIN
  INSERT INTO model_spend VALUES (NEW.campaign_id, NEW.model, 1, NEW.tokens_in, NEW.tokens_out, NEW.cost_micros)
  ON CONFLICT DO UPDATE SET replies = replies + 1, tokens_in = tokens_in + NEW.tokens_in,
    tokens_out = tokens_out + NEW.tokens_out, cost_micros = cost_micros + NEW.cost_micros;
END;
CREATE TRIGGER bills_unpaid AFTER DELETE ON model_bills BEGIN
  UPDATE model_spend SET replies = replies - 1, tokens_in = tokens_in - OLD.tokens_in,
    tokens_out = tokens_out - OLD.tokens_out, cost_micros = cost_micros - OLD.cost_micros
  WHERE campaign_id = OLD.campaign_id AND model = OLD.model;
END;
CREATE TRIGGER model_spend_ends AFTER UPDATE ON model_spend WHEN NEW.replies = 0 BEGIN
  DELETE FROM model_spend WHERE campaign_id = NEW.campaign_id AND model = NEW.model;
END;

-- ── Counts ──

-- Kept by triggers, so that no turn ever counts leads or tasks. A count of nothing has no row, or it would tell of states that
-- are in the log no more.
CREATE TABLE lead_counts (
  campaign_id TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (campaign_id, status)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER leads_counted_over AFTER UPDATE OF status, blocked, full_name ON leads
WHEN (OLD.status <> NEW.status OR OLD.is_counted <> NEW.is_counted)
  AND NOT EXISTS (SELECT 1 FROM leads_new WHERE lead_id = NEW.id) BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status AND OLD.is_counted;
  INSERT INTO lead_counts SELECT NEW.campaign_id, NEW.status, 1 WHERE NEW.is_counted
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER leads_counted_out BEFORE DELETE ON leads  -- before `leads_go` takes it out of `leads_new`
WHEN OLD.is_counted AND NOT EXISTS (SELECT 1 FROM leads_new WHERE lead_id = OLD.id) BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status;
END;
CREATE TRIGGER lead_counts_end AFTER UPDATE ON lead_counts WHEN NEW.n = 0 BEGIN
  DELETE FROM lead_counts WHERE campaign_id = NEW.campaign_id AND status = NEW.status;
END;

CREATE TABLE task_counts (
  campaign_id TEXT NOT NULL, kind TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, kind, status)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER tasks_counted_in AFTER INSERT ON tasks BEGIN
  INSERT INTO task_counts VALUES (NEW.campaign_id, NEW.kind, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER tasks_counted_over AFTER UPDATE OF status ON tasks WHEN OLD.status <> NEW.status BEGIN
  UPDATE task_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND kind = OLD.kind AND status = OLD.status;
  INSERT INTO task_counts VALUES (NEW.campaign_id, NEW.kind, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER tasks_counted_out AFTER DELETE ON tasks BEGIN
  UPDATE task_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND kind = OLD.kind AND status = OLD.status;
END;
CREATE TRIGGER task_counts_end AFTER UPDATE ON task_counts WHEN NEW.n = 0 BEGIN
  DELETE FROM task_counts WHERE campaign_id = NEW.campaign_id AND kind = NEW.kind AND status = NEW.status;
END;

-- ── The workspace ──

CREATE TABLE config_kv (
  campaign_id TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (campaign_id, id)
) WITHOUT ROWID, STRICT;

-- Secrets, sealed: `encrypted_value` is text of nonce and ciphertext, "" once forgotten.
CREATE TABLE configuration (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  user_id TEXT NOT NULL DEFAULT '',
  key_name TEXT NOT NULL,
  encrypted_value TEXT NOT NULL,
  key_version INTEGER NOT NULL,
  config_type TEXT NOT NULL CHECK (config_type IN ('api_key', 'llm_provider', 'database')),
  updated_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- The soul: every version of the text. The highest is the one that holds; before the first, the text that comes with Outrider.
CREATE TABLE souls (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  version INTEGER NOT NULL,
  who TEXT NOT NULL,
  restores INTEGER,
  created_at INTEGER NOT NULL,
  text TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX souls_by_version ON souls(campaign_id, version);

-- Skills: `document` is SKILL.md whole, `instructions` what the agent is told of it; `metadata` names the folder's other files.
CREATE TABLE skills (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  name TEXT NOT NULL,
  enabled INTEGER NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}',
  instructions TEXT NOT NULL,
  description TEXT NOT NULL DEFAULT '',
  version TEXT NOT NULL DEFAULT '',
  applies_to TEXT NOT NULL DEFAULT '[]',
  source TEXT NOT NULL DEFAULT 'user',
  source_hash TEXT NOT NULL DEFAULT '',
  review_state TEXT NOT NULL DEFAULT 'unreviewed',
  removed INTEGER NOT NULL DEFAULT 0,
  created_at INTEGER NOT NULL DEFAULT 0,
  updated_at INTEGER NOT NULL DEFAULT 0,
  document TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID, STRICT;
-- What a turn may be told, in the order in which it is told; and what is installed.
CREATE INDEX skills_in_use ON skills(campaign_id, name) WHERE enabled = 1 AND review_state = 'reviewed' AND removed = 0;
CREATE INDEX skills_installed ON skills(campaign_id, name) WHERE removed = 0;

CREATE TABLE devices (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  name TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  revoked_at INTEGER
) WITHOUT ROWID, STRICT;

-- Keys that devices sign the logs by. `device_id` is empty for a folder without a project; bytes in hexadecimal.
CREATE TABLE signing_keys (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  device_id TEXT NOT NULL,
  public_key TEXT NOT NULL,
  previous TEXT NOT NULL,
  endorsement TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX signing_keys_by_device ON signing_keys(device_id);

-- What was erased: by the digest of each payload that is gone, what is left of it.
CREATE TABLE erasures (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  entries TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX erasures_by_stream ON erasures(campaign_id);

-- Decisions that wait on some device for the user's choice, so that every device knows of them and leaves these people alone.
CREATE TABLE conflicts (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  device_id TEXT NOT NULL,
  kind TEXT NOT NULL,
  lead_ids TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  status TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX conflicts_open ON conflicts(campaign_id) WHERE status = 'open';

-- ── This device ──
-- No event makes these rows, and no other device sees them.

-- Where the logs ended when a device signed them, its own signatures and those of others. What a device signs beyond what the
-- shared store has goes with the entries if these leave the log.
CREATE TABLE log_signatures (
  campaign_id TEXT NOT NULL,
  event_seq INTEGER NOT NULL,
  event_hash BLOB NOT NULL,
  audit_seq INTEGER NOT NULL,
  audit_hash BLOB NOT NULL,
  key_id TEXT NOT NULL,
  signed_at INTEGER NOT NULL,
  signature BLOB NOT NULL,
  PRIMARY KEY (campaign_id, event_seq, audit_seq, key_id)
) WITHOUT ROWID, STRICT;

-- Which project is attached, if any: one row.
CREATE TABLE project (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  url TEXT NOT NULL,
  public_key TEXT NOT NULL,
  user_id TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  device_id TEXT NOT NULL,
  device_name TEXT NOT NULL,
  attached_at INTEGER NOT NULL,
  machine TEXT NOT NULL DEFAULT ''
) STRICT;

-- The last test of each connection to a model on this device, and what failed in it, '' if nothing.
CREATE TABLE model_tests (
  connection_id TEXT PRIMARY KEY,
  connection TEXT NOT NULL,
  failure TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- The campaign that is being written on this device; in no log.
CREATE TABLE new_campaign_draft (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL,
  form TEXT NOT NULL
) STRICT;

-- Where the user said on this device that a key may be shown. Keys in the vault have their list sealed with them, too.
CREATE TABLE key_origins (
  key_name TEXT NOT NULL,
  origin TEXT NOT NULL,
  PRIMARY KEY (key_name, origin)
) WITHOUT ROWID, STRICT;

-- Commands, as JSON lists, that the user approved on this device; what comes from the shared store starts no program.
CREATE TABLE approved_commands (argv TEXT PRIMARY KEY, approved_at INTEGER NOT NULL) WITHOUT ROWID, STRICT;

-- Scripts, by the SHA-256 of their text, that the user approved for a campaign on this device; no other script runs here.
CREATE TABLE approved_scripts (
  campaign_id TEXT NOT NULL,
  sha256 TEXT NOT NULL,
  approved_at INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, sha256)
) WITHOUT ROWID, STRICT;

-- Files of evidence that erased entries named, and that are still to be removed from this device.
CREATE TABLE erased_evidence (file TEXT PRIMARY KEY) WITHOUT ROWID, STRICT;

-- When somebody wanted a campaign woken, and what came of it. Armed ones are timers, of this device alone.
CREATE TABLE wake_requests (
  id INTEGER PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  reason TEXT NOT NULL CHECK (reason IN ('manual', 'timer')),
  input TEXT NOT NULL,
  asked_at INTEGER NOT NULL,
  due_at INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('armed', 'woken', 'cancelled', 'refused')),
  settled_at INTEGER,
  said TEXT NOT NULL DEFAULT ''
) STRICT;
CREATE INDEX wake_requests_by_campaign ON wake_requests(campaign_id, id);
CREATE INDEX wake_requests_armed ON wake_requests(due_at, id) WHERE status = 'armed';

-- Programs that were connected by MCP, by the names they give themselves.
CREATE TABLE mcp_clients (
  name TEXT NOT NULL,
  transport TEXT NOT NULL,
  version TEXT NOT NULL,
  first_at INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (name, transport)
) WITHOUT ROWID, STRICT;

-- Runs of passive agents, with what they found; `states` and `calls` in JSON.
CREATE TABLE agent_runs (
  id INTEGER PRIMARY KEY,
  agent TEXT NOT NULL,
  inputs TEXT NOT NULL,
  state TEXT NOT NULL,
  states TEXT NOT NULL,
  calls TEXT NOT NULL,
  found TEXT NOT NULL DEFAULT '',
  code TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  started_at INTEGER NOT NULL,
  ended_at INTEGER,
  kept_in TEXT
) STRICT;

-- When every table was last made again from the event log, and from how many events.
CREATE TABLE projection_rebuild (
  only INTEGER PRIMARY KEY CHECK (only = 1),
  rebuilt_at INTEGER NOT NULL,
  events INTEGER NOT NULL
) STRICT;

-- Up to where the shared store has each stream. A row for every stream while a project is attached, none otherwise.
CREATE TABLE acknowledged (
  campaign_id TEXT PRIMARY KEY,
  event_seq INTEGER NOT NULL DEFAULT 0,
  audit_seq INTEGER NOT NULL DEFAULT 0,
  alone_until INTEGER NOT NULL DEFAULT 0 -- up to this event nobody asked a project before an act
) WITHOUT ROWID, STRICT;

-- What was decided here after another device decided first: taken off the log, to be reapplied behind it. A row is what one
-- transaction recorded; nothing of it is lost. `position` is the order in which they are reapplied, `base` the last event that was
-- known when it was decided. A `conflict` waits for the user, who keeps `mine` or `theirs`; what was `dropped` is no one's decision.
CREATE TABLE rebase_queue (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  base INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'rebased', 'conflict', 'dropped', 'mine', 'theirs')),
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  queued_at INTEGER NOT NULL,
  settled_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX rebase_queue_conflicts ON rebase_queue(queued_at, position, id) WHERE status = 'conflict';
CREATE INDEX rebase_queue_conflicts_of ON rebase_queue(campaign_id) WHERE status = 'conflict';
CREATE INDEX rebase_queue_pending ON rebase_queue(campaign_id, position) WHERE status = 'pending';

CREATE TABLE rebase_queue_entries (
  group_id TEXT NOT NULL,
  log TEXT NOT NULL CHECK (log IN ('event', 'audit')),
  campaign_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entity_type TEXT NOT NULL DEFAULT '',
  entity_id TEXT NOT NULL DEFAULT '',
  payload TEXT NOT NULL,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (group_id, log, seq)
) WITHOUT ROWID, STRICT;
CREATE INDEX rebase_queue_by_hash ON rebase_queue_entries(hash);

-- What left this machine: one row a day, host and purpose.
CREATE TABLE outgoing_calls (
  day INTEGER NOT NULL,
  host TEXT NOT NULL,
  purpose TEXT NOT NULL,
  calls INTEGER NOT NULL,
  failures INTEGER NOT NULL,
  bytes_out INTEGER NOT NULL,
  bytes_in INTEGER NOT NULL,
  last_at INTEGER NOT NULL,
  PRIMARY KEY (day, host, purpose)
) WITHOUT ROWID, STRICT;
