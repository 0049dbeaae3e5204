-- What insights count, and no pending lead: small, and touched only by what is counted.
CREATE INDEX leads_contacted ON leads(
  campaign_id, id, status, replied_at, invited_at, last_sent_at, job_title, company, weight_score
) WHERE status <> 'pending';
CREATE INDEX leads_replied ON leads(campaign_id, replied_at) WHERE replied_at IS NOT NULL;
