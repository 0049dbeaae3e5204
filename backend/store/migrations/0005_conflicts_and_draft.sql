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

-- The campaign that is being written on this device; in no log.
CREATE TABLE new_campaign_draft (
  one INTEGER PRIMARY KEY CHECK (one = 1),
  name TEXT NOT NULL,
  form TEXT NOT NULL
) STRICT;
