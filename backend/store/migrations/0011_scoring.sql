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
