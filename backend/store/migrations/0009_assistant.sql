-- A line of the conversation has its number, for ids of one moment are in no order; `role` is user, model or outrider.
ALTER TABLE conversations ADD COLUMN line INTEGER NOT NULL DEFAULT 0;
ALTER TABLE conversations ADD COLUMN request_id TEXT NOT NULL DEFAULT '';
ALTER TABLE conversations ADD COLUMN turn INTEGER;
ALTER TABLE conversations ADD COLUMN kind TEXT NOT NULL DEFAULT 'said';
ALTER TABLE conversations ADD COLUMN payload TEXT NOT NULL DEFAULT '{}';
ALTER TABLE conversations ADD COLUMN given_key TEXT;
CREATE INDEX conversations_by_line ON conversations(campaign_id, line);
CREATE INDEX conversations_by_request ON conversations(request_id, line);
-- A repeated request is the same one.
CREATE UNIQUE INDEX conversations_given ON conversations(campaign_id, given_key) WHERE given_key IS NOT NULL;

-- What the user gave with a request, character for character.
CREATE TABLE attachments (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  request_id TEXT NOT NULL,
  place INTEGER NOT NULL,
  name TEXT NOT NULL,
  content TEXT NOT NULL
) WITHOUT ROWID, STRICT;
CREATE UNIQUE INDEX attachments_by_request ON attachments(request_id, place);

-- Lines up to this one are hidden: the conversation was deleted; and up to which they were before, to take that back.
ALTER TABLE campaigns ADD COLUMN conversation_from INTEGER NOT NULL DEFAULT 0;
ALTER TABLE campaigns ADD COLUMN conversation_back INTEGER NOT NULL DEFAULT 0;

-- A turn for a request leaves the campaign's own position, and what its next turn is told of the last, as they were.
ALTER TABLE turn_projection ADD COLUMN request_id TEXT;
CREATE INDEX turns_by_request ON turn_projection(request_id, number) WHERE request_id IS NOT NULL;
ALTER TABLE execution_state ADD COLUMN own_turn INTEGER NOT NULL DEFAULT 0;
UPDATE execution_state SET own_turn = (
  SELECT last_turn FROM runtime_snapshot r WHERE r.campaign_id = execution_state.campaign_id
);

-- Requests that turns would run for now, across campaigns: few, and gone when they end.
CREATE INDEX tasks_assist_open ON tasks(created_at, id) WHERE kind = 'assist' AND status IN ('in_progress', 'verifying');
