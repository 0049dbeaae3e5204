-- Where in its stream an act was begun: by the entries around it an act is dated whose time cannot be right.
CREATE INDEX event_log_acts ON event_log(campaign_id, entity_id) WHERE kind = 'ActionIntended';
