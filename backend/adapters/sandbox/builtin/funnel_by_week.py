"""People visited, invited, connected, written to and answering, by the week in which it happened.

A week is named by its Monday. Our latest message to a person counts as the time of writing, their first reply as that of
answering.
"""

STEPS = ("visited", "invited", "connected", "written to", "answered")

rows = query(
    """
    WITH happened(step, at) AS (
      SELECT 'visited', visited_at FROM leads WHERE visited_at IS NOT NULL
      UNION ALL SELECT 'invited', invited_at FROM leads WHERE invited_at IS NOT NULL
      UNION ALL SELECT 'connected', accepted_at FROM leads WHERE accepted_at IS NOT NULL
      UNION ALL SELECT 'written to', last_sent_at FROM leads WHERE last_sent_at IS NOT NULL
      UNION ALL SELECT 'answered', replied_at FROM leads WHERE replied_at IS NOT NULL
    ),
    numbered(step, week) AS (SELECT step, (at / 86400000 + 3) / 7 FROM happened)
    SELECT date((week * 7 - 3) * 86400, 'unixepoch') AS week, step, count(*) AS people
      FROM numbered
     GROUP BY week, step
     ORDER BY week
    """
)

weeks = {}
for row in rows:
    counts = weeks.setdefault(row["week"], dict.fromkeys(STEPS, 0))
    counts[row["step"]] = row["people"]

result = [{"week": week, **counts} for week, counts in weeks.items()]
