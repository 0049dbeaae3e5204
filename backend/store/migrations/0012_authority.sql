-- Which project is the authority, if any. One row, of this machine only: no event makes it, and no other device sees it.
CREATE TABLE project (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  url TEXT NOT NULL,
  public_key TEXT NOT NULL,
  user_id TEXT NOT NULL DEFAULT '',
  email TEXT NOT NULL DEFAULT '',
  device_id TEXT NOT NULL,
  device_name TEXT NOT NULL,
  attached_at INTEGER NOT NULL
) STRICT;

-- Up to where the authority has each stream. A row for every stream while a project is attached, none otherwise.
CREATE TABLE acknowledged (
  campaign_id TEXT PRIMARY KEY,
  event_seq INTEGER NOT NULL DEFAULT 0,
  audit_seq INTEGER NOT NULL DEFAULT 0
) WITHOUT ROWID, STRICT;

-- What was decided here and overtaken by another device. A group is what one transaction recorded; nothing of it is lost.
-- `position` is the order in which they follow again, `base` the last event that was known when it was decided.
CREATE TABLE set_aside (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  position INTEGER NOT NULL,
  base INTEGER NOT NULL,
  status TEXT NOT NULL CHECK (status IN ('pending', 'rebased', 'open', 'noted', 'mine', 'theirs')),
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  decided_at INTEGER NOT NULL,
  set_aside_at INTEGER NOT NULL,
  settled_at INTEGER
) WITHOUT ROWID, STRICT;
CREATE INDEX set_aside_open ON set_aside(set_aside_at, id) WHERE status = 'open';
CREATE INDEX set_aside_pending ON set_aside(campaign_id, position) WHERE status = 'pending';

CREATE TABLE set_aside_entries (
  set_aside_id TEXT NOT NULL,
  log TEXT NOT NULL CHECK (log IN ('event', 'audit')),
  campaign_id TEXT NOT NULL,
  seq INTEGER NOT NULL,
  timestamp INTEGER NOT NULL,
  kind TEXT NOT NULL,
  entity_type TEXT NOT NULL DEFAULT '',
  entity_id TEXT NOT NULL DEFAULT '',
  payload TEXT,
  actor TEXT NOT NULL,
  cause TEXT NOT NULL,
  salt BLOB,
  payload_digest BLOB,
  hash BLOB NOT NULL,
  PRIMARY KEY (set_aside_id, log, seq)
) WITHOUT ROWID, STRICT;
CREATE INDEX set_aside_by_hash ON set_aside_entries(hash);

-- The second exception to append-only: what the authority never acknowledged may leave the log once it is kept, whole, beside it.
DROP TRIGGER event_log_keeps;
CREATE TRIGGER event_log_keeps BEFORE DELETE ON event_log
WHEN NOT EXISTS (SELECT 1 FROM acknowledged a WHERE a.campaign_id = OLD.campaign_id AND OLD.seq > a.event_seq)
  OR NOT EXISTS (SELECT 1 FROM set_aside_entries s WHERE s.hash = OLD.hash AND s.log = 'event'
    AND s.campaign_id = OLD.campaign_id AND s.seq = OLD.seq AND s.payload IS OLD.change_payload AND s.salt IS OLD.salt)
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
DROP TRIGGER audit_log_keeps;
CREATE TRIGGER audit_log_keeps BEFORE DELETE ON audit_log
WHEN NOT EXISTS (SELECT 1 FROM acknowledged a WHERE a.campaign_id = OLD.campaign_id AND OLD.seq > a.audit_seq)
  OR NOT EXISTS (SELECT 1 FROM set_aside_entries s WHERE s.hash = OLD.hash AND s.log = 'audit'
    AND s.campaign_id = OLD.campaign_id AND s.seq = OLD.seq AND s.payload IS OLD.payload AND s.salt IS OLD.salt)
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;

-- Counts follow rows that go, too: a row that was overtaken is made again from what is left of the log. A count of nothing has
-- no row, or it would tell of states that are in the log no more.
DELETE FROM lead_counts WHERE n = 0;
DELETE FROM task_counts WHERE n = 0;
CREATE TRIGGER lead_counts_end AFTER UPDATE ON lead_counts WHEN NEW.n = 0 BEGIN
  DELETE FROM lead_counts WHERE campaign_id = NEW.campaign_id AND status = NEW.status;
END;
CREATE TRIGGER task_counts_end AFTER UPDATE ON task_counts WHEN NEW.n = 0 BEGIN
  DELETE FROM task_counts WHERE campaign_id = NEW.campaign_id AND kind = NEW.kind AND status = NEW.status;
END;
CREATE TRIGGER model_spend_ends AFTER UPDATE ON model_spend WHEN NEW.replies = 0 BEGIN
  DELETE FROM model_spend WHERE campaign_id = NEW.campaign_id AND model = NEW.model;
END;
CREATE TRIGGER leads_counted_out AFTER DELETE ON leads BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status;
END;
CREATE TRIGGER tasks_counted_out AFTER DELETE ON tasks BEGIN
  UPDATE task_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND kind = OLD.kind AND status = OLD.status;
END;
CREATE TRIGGER turns_unpaid AFTER DELETE ON turn_projection WHEN OLD.model <> '' BEGIN
  UPDATE model_spend SET replies = replies - 1, tokens_in = tokens_in - OLD.tokens_in,
    tokens_out = tokens_out - OLD.tokens_out, cost_micros = cost_micros - OLD.cost_micros
  WHERE campaign_id = OLD.campaign_id AND model = OLD.model;
END;
CREATE TRIGGER bills_unpaid AFTER DELETE ON model_bills BEGIN
  UPDATE model_spend SET replies = replies - 1, tokens_in = tokens_in - OLD.tokens_in,
    tokens_out = tokens_out - OLD.tokens_out, cost_micros = cost_micros - OLD.cost_micros
  WHERE campaign_id = OLD.campaign_id AND model = OLD.model;
END;

-- When an artifact's newest version goes, the one before it is the newest again.
DROP TRIGGER artifacts_go;
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
  SELECT NULL, campaign_id, artifact_type, artifact_key, id, version, source, created_at, bytes, media_type FROM artifacts
  WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key
  ORDER BY version DESC LIMIT 1;
  INSERT INTO artifacts_text(rowid, words)
  SELECT h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id
  WHERE h.campaign_id = OLD.campaign_id AND h.artifact_type = OLD.artifact_type AND h.artifact_key = OLD.artifact_key;
END;

-- Secrets, sealed: `encrypted_value` is text of nonce and ciphertext, "" once forgotten. Nobody has written any before.
DROP TABLE configuration;
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

ALTER TABLE devices ADD COLUMN revoked_at INTEGER;

-- What left this machine: one row a day, host and purpose. Of this machine only.
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
