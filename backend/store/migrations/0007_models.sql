-- Which connection proposes; the built-in script unless the user chose another.
ALTER TABLE campaigns ADD COLUMN proposer TEXT NOT NULL DEFAULT 'scripted';
CREATE INDEX campaigns_by_proposer ON campaigns(proposer) WHERE proposer <> 'scripted';

-- What a turn's reply cost: money in millionths of a US dollar. A turn of the script bears none of it.
ALTER TABLE turn_projection ADD COLUMN model TEXT NOT NULL DEFAULT '';
ALTER TABLE turn_projection ADD COLUMN tokens_in INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn_projection ADD COLUMN tokens_out INTEGER NOT NULL DEFAULT 0;
ALTER TABLE turn_projection ADD COLUMN cost_micros INTEGER NOT NULL DEFAULT 0;

-- Replies that were paid for and became no turn, because the user stopped the campaign meanwhile.
CREATE TABLE model_bills (
  id TEXT PRIMARY KEY,
  campaign_id TEXT NOT NULL REFERENCES campaigns(id),
  model TEXT NOT NULL,
  tokens_in INTEGER NOT NULL,
  tokens_out INTEGER NOT NULL,
  cost_micros INTEGER NOT NULL
) WITHOUT ROWID, STRICT;

-- Totals kept by triggers, so that a budget is checked without adding up turns.
CREATE TABLE model_spend (
  campaign_id TEXT NOT NULL, model TEXT NOT NULL, replies INTEGER NOT NULL,
  tokens_in INTEGER NOT NULL, tokens_out INTEGER NOT NULL, cost_micros INTEGER NOT NULL,
  PRIMARY KEY (campaign_id, model)
) WITHOUT ROWID, STRICT;
CREATE TRIGGER turns_paid AFTER INSERT ON turn_projection WHEN NEW.model <> '' BEGIN
  INSERT INTO model_spend VALUES (NEW.campaign_id, NEW.model, 1, NEW.tokens_in, NEW.tokens_out, NEW.cost_micros)
  ON CONFLICT DO UPDATE SET replies = replies + 1, tokens_in = tokens_in + NEW.tokens_in,
    tokens_out = tokens_out + NEW.tokens_out, cost_micros = cost_micros + NEW.cost_micros;
END;
CREATE TRIGGER bills_paid AFTER INSERT ON model_bills BEGIN
  INSERT INTO model_spend VALUES (NEW.campaign_id, NEW.model, 1, NEW.tokens_in, NEW.tokens_out, NEW.cost_micros)
  ON CONFLICT DO UPDATE SET replies = replies + 1, tokens_in = tokens_in + NEW.tokens_in,
    tokens_out = tokens_out + NEW.tokens_out, cost_micros = cost_micros + NEW.cost_micros;
END;
