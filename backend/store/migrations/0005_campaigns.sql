-- The list of campaigns is read page by page, newest first; ids are random and say nothing about age.
CREATE INDEX campaigns_by_age ON campaigns(created_at DESC, id DESC);
-- Whether a campaign's last import came to its end.
CREATE INDEX imports_by_campaign ON imports(campaign_id, id);
