"""Of the people contacted in each industry, how many answered.

The industry comes from a column of the lead file ("industry", "sector" or a name like these).
"""

MOST_INDUSTRIES = 20

rows = query(
    """
    SELECT coalesce(
             nullif(trim(extra ->> 'industry'), ''), nullif(trim(extra ->> 'Industry'), ''),
             nullif(trim(extra ->> 'companyIndustry'), ''), nullif(trim(extra ->> 'Company Industry'), ''),
             nullif(trim(extra ->> 'sector'), ''), nullif(trim(extra ->> 'Sector'), ''), 'not known') AS industry,
           count(*) AS contacted,
           count(replied_at) AS answered
      FROM leads
     WHERE invited_at IS NOT NULL OR last_sent_at IS NOT NULL OR replied_at IS NOT NULL
     GROUP BY industry
     ORDER BY contacted DESC, industry
     LIMIT :most
    """,
    {"most": MOST_INDUSTRIES},
)

result = [
    {
        "industry": row["industry"],
        "contacted": row["contacted"],
        "answered": row["answered"],
        "rate in %": round(100 * row["answered"] / row["contacted"], 1),
    }
    for row in rows
]
