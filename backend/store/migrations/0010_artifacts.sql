-- What a version holds: its SHA-256, its size, what kind of data, and whether it is in a file of its own, named by the digest; then
-- `content` has the beginning of what is text. Earlier versions are text in the row, and have neither digest nor size here.
ALTER TABLE artifacts ADD COLUMN sha256 TEXT NOT NULL DEFAULT '';
ALTER TABLE artifacts ADD COLUMN bytes INTEGER NOT NULL DEFAULT 0;
ALTER TABLE artifacts ADD COLUMN media_type TEXT NOT NULL DEFAULT 'text/plain';
ALTER TABLE artifacts ADD COLUMN in_file INTEGER NOT NULL DEFAULT 0;
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
  source TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  bytes INTEGER NOT NULL,
  media_type TEXT NOT NULL
) STRICT;
CREATE UNIQUE INDEX artifact_heads_by_key ON artifact_heads(campaign_id, artifact_type, artifact_key);
CREATE INDEX artifact_heads_latest ON artifact_heads(campaign_id, number, created_at);
CREATE INDEX artifact_heads_of_type ON artifact_heads(campaign_id, artifact_type, number, created_at);
CREATE INDEX artifact_heads_by_time ON artifact_heads(campaign_id, created_at, number);
DROP INDEX artifacts_newest;

-- Words of the campaign, and of its type within it, keep a search in its campaign and type; then type, key and the beginning.
CREATE VIRTUAL TABLE artifacts_text USING fts5(
  words, content='', detail=none, columnsize=0, prefix='1 2', tokenize="unicode61 remove_diacritics 2"
);
ALTER TABLE artifacts ADD COLUMN words TEXT AS (
  replace(campaign_id, '-', '') || ' ' || replace(campaign_id, '-', '') || replace(artifact_type, '_', '') || ' ' || artifact_type || ' ' || artifact_key || ' '
  || substr(content, 1, 20000)
) VIRTUAL;

CREATE TRIGGER artifacts_come AFTER INSERT ON artifacts BEGIN
  INSERT INTO artifacts_text(artifacts_text, rowid, words)
  SELECT 'delete', h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id
  WHERE h.campaign_id = NEW.campaign_id AND h.artifact_type = NEW.artifact_type AND h.artifact_key = NEW.artifact_key;
  DELETE FROM artifact_heads
  WHERE campaign_id = NEW.campaign_id AND artifact_type = NEW.artifact_type AND artifact_key = NEW.artifact_key;
  INSERT INTO artifact_heads VALUES (
    NULL, NEW.campaign_id, NEW.artifact_type, NEW.artifact_key, NEW.id, NEW.version, NEW.source, NEW.created_at, NEW.bytes,
    NEW.media_type);
  INSERT INTO artifacts_text(rowid, words) VALUES (last_insert_rowid(), NEW.words);
END;
CREATE TRIGGER artifacts_go AFTER DELETE ON artifacts BEGIN
  INSERT INTO artifacts_text(artifacts_text, rowid, words)
  SELECT 'delete', number, OLD.words FROM artifact_heads WHERE campaign_id = OLD.campaign_id
    AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key AND artifact_id = OLD.id;
  DELETE FROM artifact_heads WHERE campaign_id = OLD.campaign_id
    AND artifact_type = OLD.artifact_type AND artifact_key = OLD.artifact_key AND artifact_id = OLD.id;
END;

-- The artifacts that are there already.
INSERT INTO artifact_heads
SELECT NULL, campaign_id, artifact_type, artifact_key, id, version, source, created_at, bytes, media_type FROM artifacts a
WHERE NOT EXISTS (SELECT 1 FROM artifacts n WHERE n.campaign_id = a.campaign_id AND n.artifact_type = a.artifact_type
                  AND n.artifact_key = a.artifact_key AND n.version > a.version) ORDER BY id;
INSERT INTO artifacts_text(rowid, words)
SELECT h.number, a.words FROM artifact_heads h JOIN artifacts a ON a.id = h.artifact_id ORDER BY h.number;
