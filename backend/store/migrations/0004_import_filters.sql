-- How many rows of a lead file were not taken, because of the user's filter.
ALTER TABLE imports ADD COLUMN filtered_out INTEGER NOT NULL DEFAULT 0;
