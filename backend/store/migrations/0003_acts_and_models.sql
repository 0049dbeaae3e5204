-- Where in its stream an act was begun: by the entries around it an act is dated whose time cannot be right.
CREATE INDEX event_log_acts ON event_log(campaign_id, entity_id) WHERE kind = 'ActionIntended';

-- The last test of each connection to a model on this device, and what failed in it, '' if nothing.
CREATE TABLE model_tests (
  connection_id TEXT PRIMARY KEY,
  connection TEXT NOT NULL,
  failure TEXT NOT NULL
) WITHOUT ROWID, STRICT;

-- How many messages of each kind wait is asked in every turn, and answered without reading one of them.
DROP INDEX messages_in_review;
CREATE INDEX messages_in_review ON messages(campaign_id, id, kind, status) WHERE status = 'draft';
DROP INDEX messages_outgoing;
CREATE INDEX messages_outgoing ON messages(campaign_id, id, kind, status) WHERE status IN ('approved', 'outcome_unknown');
