-- People: which leads are one person, what is asked about that, and which campaign a person is with.

-- `claimed_at` is when the campaign began to be in touch with this person: at the first approval or intent. `contact_anyway` is the
-- reason for which the user lets it write although another campaign is in touch with them; empty for nobody.
ALTER TABLE leads ADD COLUMN claimed_at INTEGER;
ALTER TABLE leads ADD COLUMN contact_anyway TEXT NOT NULL DEFAULT '';

-- When the invitation was taken back, and how a message came to be on record that Outrider did not send.
ALTER TABLE leads ADD COLUMN withdrawn_at INTEGER;
ALTER TABLE messages ADD COLUMN source TEXT NOT NULL DEFAULT '';

-- Why the user rejected a draft, in their words.
ALTER TABLE messages ADD COLUMN rejection_reason TEXT NOT NULL DEFAULT '';

-- Whether a lead is in lists and counts: not if it went back with its import or to another campaign, or its person was erased.
ALTER TABLE leads ADD COLUMN is_counted INTEGER
  AS (blocked NOT IN ('import_undone', 'moved') AND full_name <> '(erased)') VIRTUAL;
DROP INDEX leads_taken_back;
CREATE INDEX leads_uncounted ON leads(campaign_id) WHERE NOT is_counted;

CREATE INDEX leads_claimed ON leads(id)
  WHERE claimed_at IS NOT NULL OR invited_at IS NOT NULL OR last_sent_at IS NOT NULL;
CREATE INDEX leads_held ON leads(campaign_id, id) WHERE blocked IN ('in_doubt', 'in_touch_elsewhere');

-- What conversations consist of, by which a reply is attributed to a step: ours, whole, and what they wrote.
DROP INDEX leads_labelled;
CREATE INDEX leads_labelled ON leads(campaign_id, label, labelled_at, status, replied_at) WHERE label <> '';
DROP INDEX messages_sent;
CREATE INDEX messages_ours ON messages(lead_id, sent_at, step, kind, variant, status) WHERE status IN ('sent', 'found');
CREATE INDEX messages_theirs ON messages(lead_id, sent_at) WHERE kind = 'reply';
DROP INDEX messages_variants;

-- What the user answered: whether the leads with these identities are one person.
CREATE TABLE identity_answers (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL,
  member_keys TEXT NOT NULL,
  same INTEGER NOT NULL,
  status TEXT NOT NULL,
  created_at INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- The do-not-contact list as a file: which import brought an entry, and what became of each file's rows.
ALTER TABLE do_not_contact ADD COLUMN import_id TEXT NOT NULL DEFAULT '';
CREATE INDEX do_not_contact_by_import ON do_not_contact(import_id, member_key) WHERE import_id <> '';
ALTER TABLE imports ADD COLUMN unlisted INTEGER NOT NULL DEFAULT 0;
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

-- What erasures leave of an entry may be reduced again, never restored: `leaves_no_more` is domain/remains.py, which every
-- connection of ours knows. A text that lost a mention has no digest; its size is that of what is left.
DROP TRIGGER event_log_stays;
CREATE TRIGGER event_log_stays BEFORE UPDATE ON event_log
WHEN NOT (NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND (OLD.salt IS NOT NULL
    OR (NEW.payload_digest = OLD.payload_digest AND leaves_no_more(NEW.change_payload, OLD.change_payload)))
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.kind, NEW.entity_type, NEW.entity_id, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.kind, OLD.entity_type, OLD.entity_id, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'event_log is append-only'); END;
DROP TRIGGER audit_log_stays;
CREATE TRIGGER audit_log_stays BEFORE UPDATE ON audit_log
WHEN NOT (NEW.salt IS NULL AND NEW.payload_digest IS NOT NULL
  AND (OLD.salt IS NOT NULL OR (NEW.payload_digest = OLD.payload_digest AND leaves_no_more(NEW.payload, OLD.payload)))
  AND (NEW.campaign_id, NEW.seq, NEW.timestamp, NEW.action_type, NEW.actor, NEW.cause, NEW.hash)
    = (OLD.campaign_id, OLD.seq, OLD.timestamp, OLD.action_type, OLD.actor, OLD.cause, OLD.hash))
BEGIN SELECT RAISE(ABORT, 'audit_log is append-only'); END;
DROP TRIGGER artifacts_come;
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
  SELECT NULL, campaign_id, artifact_type, artifact_key, id, version, made_by, created_at,
    iif(sha256 = '', length(CAST(content AS BLOB)), bytes), media_type FROM artifacts
  WHERE campaign_id = OLD.campaign_id AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key
  ORDER BY version DESC LIMIT 1;
  INSERT INTO artifacts_text(rowid, words)
  SELECT h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id
  WHERE h.campaign_id = OLD.campaign_id AND h.artifact_type = OLD.artifact_type AND h.artifact_key = OLD.artifact_key;
END;

-- New leads are counted together with the rest of their commit (`store/queries/lead_index.py`): a row that counts itself costs
-- an import a tenth. Until then they are in `leads_new`, and in no count.
DROP TRIGGER leads_come;
CREATE TRIGGER leads_come AFTER INSERT ON leads BEGIN
  INSERT INTO leads_new VALUES (NEW.id);
END;
DROP TRIGGER leads_counted_over;
CREATE TRIGGER leads_counted_over AFTER UPDATE OF status, blocked, full_name ON leads
WHEN (OLD.status <> NEW.status OR OLD.is_counted <> NEW.is_counted)
  AND NOT EXISTS (SELECT 1 FROM leads_new WHERE lead_id = NEW.id) BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status AND OLD.is_counted;
  INSERT INTO lead_counts SELECT NEW.campaign_id, NEW.status, 1 WHERE NEW.is_counted
  ON CONFLICT DO UPDATE SET n = n + 1;
END;
DROP TRIGGER leads_counted_out;
CREATE TRIGGER leads_counted_out BEFORE DELETE ON leads  -- before `leads_go` takes it out of `leads_new`
WHEN OLD.is_counted AND NOT EXISTS (SELECT 1 FROM leads_new WHERE lead_id = OLD.id) BEGIN
  UPDATE lead_counts SET n = n - 1 WHERE campaign_id = OLD.campaign_id AND status = OLD.status;
END;

DROP VIEW lead_keys_now;
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
DROP TRIGGER leads_moved;
CREATE TRIGGER leads_moved AFTER UPDATE OF status, blocked, full_name, priority_override ON leads
WHEN OLD.status <> NEW.status OR OLD.blocked <> NEW.blocked OR OLD.is_counted <> NEW.is_counted
  OR (OLD.priority_override IS NULL) <> (NEW.priority_override IS NULL)
BEGIN
  UPDATE lead_keys SET (status_key, blocked, manual) =
    (SELECT status_key, blocked, manual FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
DELETE FROM lead_counts;
INSERT INTO lead_counts SELECT campaign_id, status, count(*) FROM leads WHERE is_counted GROUP BY campaign_id, status;
UPDATE lead_keys SET blocked = 2 WHERE lead_id IN (SELECT id FROM leads WHERE NOT is_counted);

-- The rest follows from leads and answers whatever the order in which they came, so each device makes it for itself
-- (`store/queries/person_index.py`): by what leads are compared; the leads of each person who has several; and what is asked.
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
CREATE TABLE leads_reidentified (
  lead_id TEXT PRIMARY KEY,
  member_key TEXT,
  full_name TEXT,
  profile_url TEXT,
  email TEXT,
  company TEXT,
  extra TEXT,
  blocked TEXT
) WITHOUT ROWID, STRICT;
CREATE TRIGGER leads_reidentified AFTER UPDATE OF member_key, full_name, profile_url, email, company, extra, blocked ON leads
WHEN OLD.member_key <> NEW.member_key OR OLD.full_name <> NEW.full_name OR OLD.profile_url <> NEW.profile_url
  OR OLD.email <> NEW.email OR OLD.company <> NEW.company OR OLD.extra <> NEW.extra
  OR (OLD.blocked = 'import_undone') <> (NEW.blocked = 'import_undone') BEGIN
  INSERT OR IGNORE INTO leads_reidentified VALUES (
    OLD.id, OLD.member_key, OLD.full_name, OLD.profile_url, OLD.email, OLD.company, OLD.extra, OLD.blocked);
END;
CREATE TRIGGER leads_unidentified AFTER DELETE ON leads BEGIN
  INSERT OR IGNORE INTO leads_reidentified VALUES (
    OLD.id, OLD.member_key, OLD.full_name, OLD.profile_url, OLD.email, OLD.company, OLD.extra, OLD.blocked);
END;
CREATE TRIGGER leads_of_another_account AFTER UPDATE OF account ON campaigns WHEN OLD.account <> NEW.account BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT id, member_key, full_name, profile_url, email, company, extra, blocked FROM leads WHERE campaign_id = NEW.id;
END;
CREATE TRIGGER identity_answered AFTER INSERT ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra, l.blocked
  FROM json_each(iif(json_valid(NEW.member_keys), NEW.member_keys, '[]')) k CROSS JOIN campaigns c
  CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key IN (k.value, substr(k.value, 1, instr(k.value, '#') - 1));
END;
CREATE TRIGGER identity_answer_changed AFTER UPDATE ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra, l.blocked
  FROM json_each(iif(json_valid(NEW.member_keys), NEW.member_keys, '[]')) k CROSS JOIN campaigns c
  CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key IN (k.value, substr(k.value, 1, instr(k.value, '#') - 1));
END;
CREATE TRIGGER identity_answer_gone AFTER DELETE ON identity_answers BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra, l.blocked
  FROM json_each(iif(json_valid(OLD.member_keys), OLD.member_keys, '[]')) k CROSS JOIN campaigns c
  CROSS JOIN leads l ON l.campaign_id = c.id AND l.member_key IN (k.value, substr(k.value, 1, instr(k.value, '#') - 1));
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
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra, l.blocked
  FROM person_keys k CROSS JOIN leads l ON l.id = k.lead_id WHERE k.key = NEW.key;
END;
CREATE TRIGGER listed_keys_go AFTER DELETE ON listed_keys BEGIN
  INSERT OR IGNORE INTO leads_reidentified
  SELECT l.id, l.member_key, l.full_name, l.profile_url, l.email, l.company, l.extra, l.blocked
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
INSERT INTO listed_keys SELECT key, entry_id FROM listed_keys_now;
INSERT INTO leads_reidentified(lead_id) SELECT id FROM leads WHERE true ON CONFLICT DO NOTHING;

-- Letters that the search's tokenizer leaves as they are (ł, ß, ø, đ, æ …) are found by what people type for them: leads whose
-- words are not plain ASCII are searched a second time as they are typed (`as_typed` is domain/latin.py).
CREATE VIRTUAL TABLE leads_text_typed USING fts5(
  words, detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);
INSERT INTO leads_text_typed(rowid, words)
SELECT number, as_typed(CAST(said AS BLOB)) FROM (
  SELECT k.number, l.words || ' ' || (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(l.tags)) AS said
  FROM lead_keys k JOIN leads l ON l.id = k.lead_id) WHERE said GLOB '*[^ -~]*';
CREATE TRIGGER leads_typed_anew AFTER UPDATE OF full_name, job_title, company, headline, notes, tags, email, profile_url ON leads
WHEN OLD.words <> NEW.words OR OLD.tags <> NEW.tags BEGIN
  DELETE FROM leads_text_typed WHERE rowid = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
END;
CREATE TRIGGER leads_typed_go BEFORE DELETE ON leads BEGIN  -- before `leads_go` takes its number
  DELETE FROM leads_text_typed WHERE rowid = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
END;
