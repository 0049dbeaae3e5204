-- Conversations, latest activity first: leads to whom something was sent, or who may have got something.
-- Unknown outcomes, replies and those that wait each have their own stretch of the index.
CREATE INDEX leads_in_touch ON leads(
  campaign_id,
  CASE WHEN blocked = 'outcome_unknown' THEN 'unknown' WHEN replied_at IS NOT NULL THEN 'replied' ELSE 'waiting' END,
  max(coalesce(invited_at, 0), coalesce(last_sent_at, 0), coalesce(replied_at, 0)),
  id
) WHERE invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL OR blocked = 'outcome_unknown';

-- What was approved and has not been sent, and what nobody knows of whether it was.
CREATE INDEX messages_outgoing ON messages(campaign_id, id) WHERE status IN ('approved', 'outcome_unknown');

-- The picture of what stopped the account: a file of the evidence store.
ALTER TABLE incidents ADD COLUMN evidence TEXT NOT NULL DEFAULT '';
