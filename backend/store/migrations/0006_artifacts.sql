-- An artifact's content may be large and stands in the middle of its row: lists read these indexes and never the rows.
CREATE INDEX artifacts_newest ON artifacts(campaign_id, id, artifact_type, artifact_key, version, source, created_at);
CREATE INDEX artifacts_versions ON artifacts(campaign_id, artifact_type, artifact_key, version, source, created_at);
-- Which event kept an artifact. Partial: no other event adds to it.
CREATE INDEX event_log_artifacts ON event_log(campaign_id, entity_id) WHERE kind = 'ArtifactPersisted';
