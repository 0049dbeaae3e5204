"""Which words in a job title go with more answers: each word's people contacted, how many answered, and the rate.

A word counts once for a person. Words that fewer than FEWEST people have say too little and are left out.
"""

import re
from collections import Counter

FEWEST, MOST_WORDS = 5, 25
COMMON = {"and", "the", "for", "der", "die", "und", "von"}

titles = query(
    """
    SELECT lower(job_title) AS title, count(*) AS contacted, count(replied_at) AS answered
      FROM leads
     WHERE job_title <> '' AND (invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL)
     GROUP BY lower(job_title)
    """
)

contacted, answered = Counter(), Counter()
for row in titles:
    for word in sorted(set(re.findall(r"[^\W\d_]{3,}|cto|ceo|hr|it|vp", row["title"])) - COMMON):
        contacted[word] += row["contacted"]
        answered[word] += row["answered"]

rates = [
    {"word": word, "contacted": count, "answered": answered[word], "rate in %": round(100 * answered[word] / count, 1)}
    for word, count in contacted.items()
    if count >= FEWEST
]
rates.sort(key=lambda row: (-row["rate in %"], -row["contacted"], row["word"]))
result = rates[:MOST_WORDS]
