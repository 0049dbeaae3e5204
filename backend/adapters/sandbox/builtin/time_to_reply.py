"""How long people take to reply to a message of the sequence: how many replied within so many days of it, and the median.

Of each person the first such reply counts, by the time at which they wrote, or at which it was noticed if nobody knows that.
"""

import statistics

DAY = 24 * 60 * 60 * 1_000  # times are in milliseconds

waits = query(
    """
    SELECT max(0, replied_at - sent_at) AS wait, min(replied_at)
      FROM messages
     WHERE replied_at IS NOT NULL
     GROUP BY lead_id
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
