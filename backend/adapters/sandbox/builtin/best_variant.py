"""Which text of each step is answered most, with the range in which its true rate lies with 95 % confidence (Wilson).

A step's variants are its template and the texts written for one person. An answer counts for the last message that the
person got before it. Where two ranges overlap, the difference may be chance.
"""

from math import sqrt

Z = 1.96  # 95 %


def interval(answered, sent):
    """The range, from and to, in per cent."""
    rate = answered / sent
    middle = (rate + Z * Z / (2 * sent)) / (1 + Z * Z / sent)
    half = Z * sqrt(rate * (1 - rate) / sent + Z * Z / (4 * sent * sent)) / (1 + Z * Z / sent)
    return round(100 * max(middle - half, 0), 1), round(100 * min(middle + half, 1), 1)


rows = query(
    """
    WITH sent AS (
      SELECT m.step, m.from_template, m.lead_id, l.replied_at,
             row_number() OVER (PARTITION BY m.lead_id ORDER BY m.sent_at DESC, m.id DESC) AS place
        FROM messages m JOIN leads l ON l.id = m.lead_id
       WHERE m.sent_at IS NOT NULL AND (l.replied_at IS NULL OR m.sent_at <= l.replied_at)
    )
    SELECT step, from_template, count(*) AS sent, count(CASE WHEN place = 1 THEN replied_at END) AS answered
      FROM sent
     GROUP BY step, from_template
     ORDER BY step, from_template DESC
    """
)

table = []
for row in rows:
    low, high = interval(row["answered"], row["sent"])
    table.append(
        {
            "step": row["step"],
            "text": "template" if row["from_template"] else "written for the person",
            "sent": row["sent"],
            "answered": row["answered"],
            "rate in %": round(100 * row["answered"] / row["sent"], 1),
            "from": low,
            "to": high,
        }
    )

if table:
    best = max(table, key=lambda row: (row["from"], row["sent"]))
    print(f"Best by the lower end of its range: {best['text']} of step “{best['step']}”, {best['rate in %']} %.")
else:
    print("No message was sent yet.")
result = table
