-- The list of campaigns is read page by page, newest first; ids are random and say nothing about age.
CREATE INDEX campaigns_by_age ON campaigns(created_at DESC, id DESC);
