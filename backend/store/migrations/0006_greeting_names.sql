-- What the user says a person is called in a greeting; empty where their name decides.
ALTER TABLE leads ADD COLUMN greeting_name TEXT NOT NULL DEFAULT '';
