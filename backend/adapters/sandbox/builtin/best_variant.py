"""Which text of each step is answered most, with the 95 % confidence interval of its rate (Wilson).

Two messages are the same variant if they differ only in the person's name, company or title. A reply counts for the message
of the sequence that it followed; only the first one does, and none of a machine's. Where two ranges overlap, the difference
may be chance. Texts that were sent once are counted together.
"""

from math import sqrt

Z = 1.96  # 95 %
ONCE = "texts sent once"


def interval(answered, sent):
    """The range, from and to, in per cent."""
    rate = answered / sent
    middle = (rate + Z * Z / (2 * sent)) / (1 + Z * Z / sent)
    half = Z * sqrt(rate * (1 - rate) / sent + Z * Z / (4 * sent * sent)) / (1 + Z * Z / sent)
    return round(100 * max(middle - half, 0), 1), round(100 * min(middle + half, 1), 1)


rows = query(
    """
    WITH sent AS (
      SELECT m.step, m.replied_at,
             replace(replace(replace(replace(m.text, l.full_name, '{name}'), l.company, '{company}'),
                     l.job_title, '{title}'), substr(l.full_name, 1, instr(l.full_name || ' ', ' ') - 1), '{name}') AS text
        FROM messages m JOIN leads l ON l.id = m.lead_id
       WHERE m.status = 'sent' AND m.step <> '' AND m.step NOT LIKE 'answer:%'
    )
    SELECT step, text, count(*) AS sent, count(replied_at) AS answered
      FROM sent
     GROUP BY step, text
     ORDER BY step, sent DESC, text
    """
)

variants = {}
for row in rows:
    name = " ".join(row["text"].split())[:70] if row["sent"] > 1 else ONCE
    sent, answered = variants.get((row["step"], name), (0, 0))
    variants[row["step"], name] = (sent + row["sent"], answered + row["answered"])

table = []
for (step, text), (sent, answered) in variants.items():
    low, high = interval(answered, sent)
    rate = round(100 * answered / sent, 1)
    table.append(
        {"step": step, "text": text, "sent": sent, "answered": answered, "rate in %": rate, "from": low, "to": high}
    )

if table:
    best = max(table, key=lambda row: (row["from"], row["sent"]))
    print(f"Best by the lower end of its range: “{best['text']}” of step {best['step']}, {best['rate in %']} %.")
else:
    print("No message was sent yet.")
result = table
