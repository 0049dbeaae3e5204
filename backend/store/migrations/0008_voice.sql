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
ALTER TABLE skills ADD COLUMN description TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN version TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN applies_to TEXT NOT NULL DEFAULT '[]';
ALTER TABLE skills ADD COLUMN source TEXT NOT NULL DEFAULT 'user';
ALTER TABLE skills ADD COLUMN source_hash TEXT NOT NULL DEFAULT '';
ALTER TABLE skills ADD COLUMN review_state TEXT NOT NULL DEFAULT 'unreviewed';
ALTER TABLE skills ADD COLUMN removed INTEGER NOT NULL DEFAULT 0;
ALTER TABLE skills ADD COLUMN created_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE skills ADD COLUMN updated_at INTEGER NOT NULL DEFAULT 0;
ALTER TABLE skills ADD COLUMN document TEXT NOT NULL DEFAULT '';
-- What a turn may be told, in the order in which it is told; and what is installed.
CREATE INDEX skills_in_use ON skills(campaign_id, name) WHERE enabled = 1 AND review_state = 'reviewed' AND removed = 0;
CREATE INDEX skills_installed ON skills(campaign_id, name) WHERE removed = 0;
