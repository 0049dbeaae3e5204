"""Small values and rules about text that know no noun of outreach: shapes, errors, characters, dates, JSON."""
