-- What the user writes on a lead.
ALTER TABLE leads ADD COLUMN notes TEXT NOT NULL DEFAULT '';
ALTER TABLE leads ADD COLUMN tags TEXT NOT NULL DEFAULT '[]';

CREATE INDEX imports_by_campaign ON imports(campaign_id, id);
CREATE INDEX rejected_by_import ON rejected_rows(import_id, line, id);

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
  manual INTEGER NOT NULL
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

CREATE TABLE lead_tags (
  campaign_id TEXT NOT NULL, tag TEXT NOT NULL, lead_id TEXT NOT NULL, PRIMARY KEY (campaign_id, tag, lead_id)
) WITHOUT ROWID, STRICT;

-- The campaign's id is a word of each lead, so that a search stays in its campaign. Triggers take out what is not so any
-- more and note what is new, and each commit puts the new in at once (`store/search.py`): within a trigger, every row would
-- be written to the index by itself.
CREATE VIRTUAL TABLE leads_text USING fts5(
  words, content='', detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);
CREATE TABLE leads_unsearched (number INTEGER PRIMARY KEY) STRICT;
ALTER TABLE leads ADD COLUMN words TEXT
  AS (campaign_id || ' ' || full_name || ' ' || job_title || ' ' || company || ' ' || headline || ' ' || notes) VIRTUAL;

-- The keys of every lead as they must be. A trigger for new leads spells them again, which makes an import a good deal faster.
CREATE VIEW lead_keys_now AS SELECT
  id AS lead_id, campaign_id,
  -coalesce(priority_override, weight_score, -1) AS priority_key, -profile_updated_at AS freshness_key, position,
  full_name AS name_key,
  CASE company WHEN '' THEN char(1114111) ELSE company END AS company_key,
  CASE job_title WHEN '' THEN char(1114111) ELSE job_title END AS title_key,
  -- What passed between the two people. Looks at a page do not count, so a turn seldom touches this.
  -max(coalesce(invited_at, 0), coalesce(accepted_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0)) AS activity_key,
  CASE status WHEN 'responded' THEN 0 WHEN 'contacted' THEN 1 WHEN 'pending' THEN 2 ELSE 3 END AS status_key,
  blocked <> '' AS blocked,
  priority_override IS NOT NULL AS manual
FROM leads;

CREATE TRIGGER leads_come AFTER INSERT ON leads BEGIN
  INSERT INTO lead_keys VALUES (
    NULL, NEW.id, NEW.campaign_id, -coalesce(NEW.priority_override, NEW.weight_score, -1), -NEW.profile_updated_at, NEW.position,
    NEW.full_name, CASE NEW.company WHEN '' THEN char(1114111) ELSE NEW.company END,
    CASE NEW.job_title WHEN '' THEN char(1114111) ELSE NEW.job_title END,
    -max(coalesce(NEW.invited_at, 0), coalesce(NEW.accepted_at, 0), coalesce(NEW.last_sent_at, 0), coalesce(NEW.replied_at, 0)),
    CASE NEW.status WHEN 'responded' THEN 0 WHEN 'contacted' THEN 1 WHEN 'pending' THEN 2 ELSE 3 END,
    NEW.blocked <> '', NEW.priority_override IS NOT NULL);
  INSERT INTO leads_unsearched VALUES (last_insert_rowid());
END;
CREATE TRIGGER leads_come_tagged AFTER INSERT ON leads WHEN NEW.tags <> '[]' BEGIN
  INSERT INTO lead_tags SELECT NEW.campaign_id, value, NEW.id FROM json_each(NEW.tags);
END;
CREATE TRIGGER leads_ranked AFTER UPDATE OF weight_score, priority_override, profile_updated_at ON leads BEGIN
  UPDATE lead_keys SET (priority_key, freshness_key) =
    (SELECT priority_key, freshness_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_moved AFTER UPDATE OF status, blocked, priority_override ON leads
WHEN OLD.status <> NEW.status OR OLD.blocked <> NEW.blocked OR (OLD.priority_override IS NULL) <> (NEW.priority_override IS NULL)
BEGIN
  UPDATE lead_keys SET (status_key, blocked, manual) =
    (SELECT status_key, blocked, manual FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_acted AFTER UPDATE OF invited_at, accepted_at, last_sent_at, replied_at ON leads BEGIN
  UPDATE lead_keys SET activity_key = (SELECT activity_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_renamed AFTER UPDATE OF full_name, company, job_title ON leads BEGIN
  UPDATE lead_keys SET (name_key, company_key, title_key) =
    (SELECT name_key, company_key, title_key FROM lead_keys_now WHERE lead_id = NEW.id) WHERE lead_id = NEW.id;
END;
CREATE TRIGGER leads_reworded AFTER UPDATE OF full_name, job_title, company, headline, notes, tags ON leads
WHEN OLD.words <> NEW.words OR OLD.tags <> NEW.tags BEGIN
  INSERT INTO leads_text(leads_text, rowid, words)
  SELECT 'delete', number, OLD.words || ' ' || (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(OLD.tags))
  FROM lead_keys k WHERE lead_id = OLD.id AND NOT EXISTS (SELECT 1 FROM leads_unsearched u WHERE u.number = k.number);
  INSERT OR IGNORE INTO leads_unsearched SELECT number FROM lead_keys WHERE lead_id = OLD.id;
END;
CREATE TRIGGER leads_retagged AFTER UPDATE OF tags ON leads WHEN OLD.tags <> NEW.tags BEGIN
  DELETE FROM lead_tags WHERE campaign_id = OLD.campaign_id AND lead_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.tags));
  INSERT INTO lead_tags SELECT NEW.campaign_id, value, NEW.id FROM json_each(NEW.tags);
END;
CREATE TRIGGER leads_go AFTER DELETE ON leads BEGIN
  INSERT INTO leads_text(leads_text, rowid, words)
  SELECT 'delete', number, OLD.words || ' ' || (SELECT coalesce(group_concat(value, ' '), '') FROM json_each(OLD.tags))
  FROM lead_keys k WHERE lead_id = OLD.id AND NOT EXISTS (SELECT 1 FROM leads_unsearched u WHERE u.number = k.number);
  DELETE FROM leads_unsearched WHERE number = (SELECT number FROM lead_keys WHERE lead_id = OLD.id);
  DELETE FROM lead_keys WHERE lead_id = OLD.id;
  DELETE FROM lead_tags WHERE campaign_id = OLD.campaign_id AND lead_id = OLD.id
    AND tag IN (SELECT value FROM json_each(OLD.tags));
END;

-- The leads that are there already; none has tags yet.
INSERT INTO lead_keys SELECT NULL, * FROM lead_keys_now ORDER BY lead_id;
INSERT INTO leads_text(rowid, words)
SELECT k.number, l.words || ' ' FROM lead_keys k JOIN leads l ON l.id = k.lead_id ORDER BY k.number;
