-- Where in its stream an act was begun: by the entries around it an act is dated whose time cannot be right.
CREATE INDEX event_log_acts ON event_log(campaign_id, entity_id) WHERE kind = 'ActionIntended';

-- The last test of each connection to a model on this device, and what failed in it, '' if nothing.
CREATE TABLE model_tests (
  connection_id TEXT PRIMARY KEY,
  connection TEXT NOT NULL,
  failure TEXT NOT NULL
) WITHOUT ROWID, STRICT;
