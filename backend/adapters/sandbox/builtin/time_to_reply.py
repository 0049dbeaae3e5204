"""How long people take to answer: how many answered within so many days of our last message, and the median."""

import statistics

DAY = 24 * 60 * 60 * 1_000  # times are in milliseconds

waits = query(
    """
    SELECT (replied_at - coalesce(last_sent_at, invited_at)) AS wait
      FROM leads
     WHERE replied_at IS NOT NULL AND replied_at >= coalesce(last_sent_at, invited_at)
     ORDER BY wait
    """
)
days = [row["wait"] / DAY for row in waits]

steps = ((1, "within a day"), (2, "2 days"), (3, "3 days"), (7, "a week"), (14, "2 weeks"), (30, "a month"))
counts, before = {}, 0
for limit, name in steps:
    within = sum(wait <= limit for wait in days)
    counts[name] = within - before
    before = within
counts["longer"] = len(days) - before

if days:
    print(f"{len(days)} people answered; half of them within {statistics.median(days):.1f} days.")
else:
    print("Nobody has answered yet.")
result = counts
