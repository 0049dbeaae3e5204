-- The logs. Append-only by trigger; the one exception removes a payload and its salt on erasure and leaves its digest.
-- An entry's id is the beginning of its hash: content names it. Its predecessor's hash is not stored a second time.
CREATE TABLE event_log (
  campaign_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT GENERATED ALWAYS AS (lower(hex(substr(hash, 1, 16)))) VIRTUAL,
  timestamp INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entity_type TEXT NOT NULL,
  entity_id TEXT NOT NULL,
  change_payload TEXT,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (campaign_id, seq)
) WITHOUT ROWID, STRICT;

CREATE TABLE audit_log (
  campaign_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  id TEXT GENERATED ALWAYS AS (lower(hex(substr(hash, 1, 16)))) VIRTUAL,
  timestamp INTEGER NOT NULL,
  action_type TEXT NOT NULL,
  payload TEXT,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (campaign_id, seq)
) WITHOUT ROWID, STRICT;

-- INSERT OR REPLACE fires no delete trigger.
CREATE TRIGGER event_log_adds BEFORE INSERT ON event_log
WHEN EXISTS (SELECT 1 FROM event_log WHERE campaign_id = NEW.campaign_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER audit_log_adds BEFORE INSERT ON audit_log
WHEN EXISTS (SELECT 1 FROM audit_log WHERE campaign_id = NEW.campaign_id AND seq = NEW.seq)
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;
CREATE TRIGGER event_log_keeps BEFORE DELETE ON event_log
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER event_log_stays BEFORE UPDATE ON event_log
WHEN NOT (NEW.change_payload IS NULL AND NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND OLD.change_payload IS NOT NULL
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.kind, NEW.entity_type, NEW.entity_id, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.kind, OLD.entity_type, OLD.entity_id, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
CREATE TRIGGER audit_log_keeps BEFORE DELETE ON audit_log
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;
CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log
WHEN NOT (NEW.payload IS NULL AND NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND OLD.payload IS NOT NULL
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.action_type, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.action_type, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;

-- Where each chain ends, so that entries cut off the end are noticed and no append has to look for its predecessor.
CREATE TABLE log_heads (
  campaign_id TEXT PRIMARY KEY,
  event_seq INTEGER NOT NULL DEFAULT 0,
  event_hash BLOB NOT NULL,
  audit_seq INTEGER NOT NULL DEFAULT 0,
  audit_hash BLOB NOT NULL
) WITHOUT ROWID, STRICT;

-- Projections: everything below can be dropped and rebuilt from event_log (`outrider replay`).
CREATE TABLE campaigns (
  id TEXT PRIMARY KEY,
  name TEXT NOT NULL,
  goal TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  status_reason TEXT NOT NULL DEFAULT '',
  site TEXT NOT NULL,
  account TEXT NOT NULL,
  version INTEGER NOT NULL DEFAULT 1,
  settings TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

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
  finished TEXT NOT NULL DEFAULT '',
  blocked TEXT NOT NULL DEFAULT ''
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX leads_by_member ON leads(campaign_id, member_key);
CREATE INDEX leads_unscored ON leads(campaign_id, position) WHERE weight_score IS NULL;
-- The next to be planned: highest priority first, ties by the most recently updated profile (spec 001, edge cases).
CREATE INDEX leads_unplanned ON leads(
  campaign_id, coalesce(priority_override, weight_score) DESC, profile_updated_at DESC, position
) WHERE sequence_step IS NULL AND blocked = '';

-- Counts kept by triggers, so that no turn ever counts leads or tasks.
CREATE TABLE lead_counts (
  campaign_id TEXT NOT NULL, status TEXT NOT NULL, n INTEGER NOT NULL, PRIMARY KEY (campaign_id, status)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER leads_counted_in AFTER INSERT ON leads BEGIN
  INSERT INTO lead_counts VALUES (NEW.campaign_id, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
END;
CREATE TRIGGER leads_counted_over AFTER UPDATE OF status ON leads WHEN OLD.status <> NEW.status BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status;
  INSERT INTO lead_counts VALUES (NEW.campaign_id, NEW.status, 1) ON CONFLICT DO UPDATE SET n = n + 1;
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
  finished_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE TABLE rejected_rows (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  import_id TEXT NOT NULL,
  line INTEGER NOT NULL,
  code TEXT NOT NULL,
  reason TEXT NOT NULL,
  raw TEXT NOT NULL
) WITHOUT ROWID, STRICT;

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
  sent_at INTEGER,
  evidence TEXT NOT NULL DEFAULT '[]',
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX messages_by_lead ON messages(lead_id, step);
CREATE INDEX messages_in_review ON messages(campaign_id, id) WHERE status = 'draft';

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

CREATE TABLE incidents (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  account TEXT NOT NULL,
  kind TEXT NOT NULL,
  said TEXT NOT NULL,
  status TEXT NOT NULL,
  reason TEXT NOT NULL DEFAULT '',
  opened_at INTEGER NOT NULL,
  cleared_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX incidents_open ON incidents(account) WHERE status = 'open';

CREATE TABLE artifacts (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  artifact_type TEXT NOT NULL,
  artifact_key TEXT NOT NULL,
  source TEXT NOT NULL CHECK (source IN ('user', 'agent')),
  content TEXT NOT NULL,
  schema TEXT NOT NULL DEFAULT '{}',
  version INTEGER NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX artifacts_by_key ON artifacts(campaign_id, artifact_type, artifact_key, version);

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
CREATE INDEX input_requests_open ON input_requests(campaign_id) WHERE status = 'open';

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
  PRIMARY KEY (campaign_id, number)
) WITHOUT ROWID, STRICT;

CREATE TABLE runtime_snapshot (
  campaign_id TEXT PRIMARY KEY,
  state TEXT NOT NULL,
  turn_lock INTEGER NOT NULL,
  loop_enabled INTEGER NOT NULL,
  last_turn INTEGER NOT NULL,
  last_error TEXT NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE execution_state (
  campaign_id TEXT PRIMARY KEY,
  current_task_id TEXT,
  current_lead_id TEXT,
  current_action_id TEXT,
  last_action_timestamp INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

CREATE TABLE do_not_contact (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  member_key TEXT NOT NULL,
  name TEXT NOT NULL DEFAULT '',
  reason TEXT NOT NULL DEFAULT '',
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE INDEX do_not_contact_by_member ON do_not_contact(member_key) WHERE status = 'active';

CREATE TABLE config_kv (
  campaign_id TEXT NOT NULL, id TEXT NOT NULL, value TEXT NOT NULL, PRIMARY KEY (campaign_id, id)
) WITHOUT ROWID, STRICT;

-- Named by the specification, filled by later work.
CREATE TABLE configuration (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL DEFAULT 'workspace',
  user_id TEXT NOT NULL,
  key_name TEXT NOT NULL,
  encrypted_value BLOB NOT NULL,
  config_type TEXT NOT NULL CHECK (config_type IN ('api_key', 'llm_provider', 'database'))
) WITHOUT ROWID, STRICT;
CREATE TABLE skills (
  id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL DEFAULT 'workspace', name TEXT NOT NULL, enabled INTEGER NOT NULL,
  metadata TEXT NOT NULL DEFAULT '{}', instructions TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE TABLE servitors (
  id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL, name TEXT NOT NULL, assignment TEXT NOT NULL, status TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE TABLE conversations (
  id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL, role TEXT NOT NULL, content TEXT NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
CREATE TABLE devices (
  id TEXT PRIMARY KEY, campaign_id TEXT NOT NULL DEFAULT 'workspace', name TEXT NOT NULL, created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;
