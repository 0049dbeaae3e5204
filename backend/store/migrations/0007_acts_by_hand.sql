-- An act that the user carried out is dated by the entries around it, too.
DROP INDEX event_log_acts;
CREATE INDEX event_log_acts ON event_log(campaign_id, entity_id) WHERE kind IN ('ActionIntended', 'ActionHandedOver');
