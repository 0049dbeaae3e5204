"""The words that people are made of: names, places, companies, trades."""

from dataclasses import dataclass

GIVEN = (
    "Amara", "Anders", "Anouk", "Arjun", "Aylin", "Bao", "Beatriz", "Caleb", "Carmen", "Chidi", "Clara", "Dalia",
    "Daniel", "Elena", "Elif", "Emeka", "Erik", "Fatima", "Felix", "Freya", "Gabriel", "Grace", "Hana", "Hugo",
    "Ines", "Isla", "Ivan", "Jamal", "Johanna", "Jonas", "Kaito", "Katarina", "Kwame", "Laila", "Leo", "Lena",
    "Lucia", "Mateo", "Maya", "Mei", "Milan", "Nadia", "Naveen", "Nils", "Noor", "Olivia", "Omar", "Oskar", "Paula",
    "Petra", "Priya", "Rafael", "Rania", "Ravi", "Rosa", "Samuel", "Sara", "Sofia", "Soren", "Tariq", "Tessa",
    "Thandi", "Tomas", "Uma", "Vera", "Viktor", "Wren", "Yara", "Yusuf", "Zoe",
)  # fmt: skip

FAMILY = (
    "Abebe", "Adeyemi", "Almeida", "Andersson", "Aydin", "Banerjee", "Becker", "Bergstrom", "Brandt", "Castillo",
    "Chen", "Costa", "Dahl", "Delgado", "Dubois", "Eriksen", "Farouk", "Ferreira", "Fischer", "Garcia", "Ghosh",
    "Haddad", "Hansen", "Holm", "Ito", "Jansen", "Kaplan", "Keita", "Keller", "Khan", "Kim", "Kovac", "Kowalski",
    "Larsen", "Lindqvist", "Lopez", "Marchetti", "Martin", "Mbeki", "Mehta", "Meyer", "Moreau", "Morales",
    "Nakamura", "Nguyen", "Novak", "Okafor", "Okonkwo", "Osei", "Park", "Patel", "Pereira", "Petrov", "Quist",
    "Rahman", "Reyes", "Ricci", "Rossi", "Sato", "Schmidt", "Sharma", "Silva", "Singh", "Solberg", "Svensson",
    "Tanaka", "Torres", "Varga", "Vega", "Walker", "Weber", "Winter", "Yilmaz", "Zhang",
)  # fmt: skip

PLACES = (
    "Lisbon, Portugal", "Malmö, Sweden", "Utrecht, Netherlands", "Hamburg, Germany", "Lyon, France",
    "Bilbao, Spain", "Kraków, Poland", "Tallinn, Estonia", "Leeds, United Kingdom", "Cork, Ireland",
    "Zürich, Switzerland", "Turin, Italy", "Austin, Texas", "Portland, Oregon", "Halifax, Canada",
    "Guadalajara, Mexico", "Medellín, Colombia", "Recife, Brazil", "Nairobi, Kenya", "Accra, Ghana",
    "Cape Town, South Africa", "Amman, Jordan", "İzmir, Türkiye", "Pune, India", "Penang, Malaysia",
    "Da Nang, Vietnam", "Osaka, Japan", "Busan, South Korea", "Brisbane, Australia", "Wellington, New Zealand",
)  # fmt: skip

# All invented.
COMPANIES = (
    "Northquay Logistics", "Halden & Moss", "Pinebrook Energy", "Lumenfold", "Tessel Robotics",
    "Orchard Lane Foods", "Bluewick Health", "Quillstone Press", "Kettle & Rye", "Marram Coastal",
    "Fernhollow Labs", "Copperline Rail", "Sundial Insurance", "Vantry Systems", "Ostrava Glassworks",
    "Meridian Seedbank", "Tallow Street Studio", "Greywater Partners", "Hollis Instruments", "Papertrail Software",
    "Brightfen Water", "Cobalt Harbour", "Wexley Payments", "Thistle & Stone", "Arclight Mobility",
    "Dovetail Housing", "Redshank Freight", "Saltmarsh Analytics", "Juniper Row Clinics", "Everley Textiles",
    "Foxglove Bio", "Plumb & Level",
)  # fmt: skip


@dataclass(frozen=True, slots=True)
class Trade:
    """A line of work: who does it, what they care about, and how they talk about it."""

    roles: tuple[str, ...]
    focuses: tuple[str, ...]
    about: tuple[str, ...]
    posts: tuple[str, ...]


# In about and posts, {focus} and {company} stand for the person's own.
TRADES = (
    Trade(
        roles=("Head of Operations", "Operations Manager", "Supply Chain Lead", "VP Operations"),
        focuses=("warehouse flow", "supplier reliability", "last-mile delivery", "demand planning"),
        about=(
            "I like the unglamorous part: making {focus} so dependable that nobody has to think about it.",
            "Fifteen years of {focus}, most of it learned by standing next to the people who do the work.",
        ),
        posts=(
            "We moved our daily stand-up to the loading dock. Two weeks in, half the tickets about {focus} have gone.",
            "A small thing that worked: one page a week on the state of {focus}. Everyone reads it.",
            "Hiring two planners at {company}. If you enjoy {focus} and dislike slide decks, write to me.",
            "The best question I was asked this month: what would break first if volumes doubled tomorrow?",
        ),
    ),
    Trade(
        roles=("Software Engineer", "Staff Engineer", "Engineering Manager", "Head of Engineering"),
        focuses=("boring deployments", "observability", "developer tooling", "database performance"),
        about=(
            "I build systems that can be understood by the next person. Lately that means {focus}.",
            "Engineer, mentor and reformed perfectionist. At {company} I look after {focus}.",
        ),
        posts=(
            "We deleted 40,000 lines this quarter and nobody noticed. That was the goal.",
            "Notes from our latest incident review, mostly about {focus}: four minutes to fix, four hours to find.",
            "Reading group at {company} starts again next week. First up: a paper on {focus}.",
            "If a test needs a sleep, the test is telling you something about the code.",
        ),
    ),
    Trade(
        roles=("Product Manager", "Senior Product Manager", "Director of Product", "Chief Product Officer"),
        focuses=("onboarding", "pricing", "customer discovery", "accessibility"),
        about=(
            "Product person with a soft spot for {focus}. I would rather watch five people than read fifty tickets.",
            "I help teams at {company} choose what not to build. Most of my week is {focus}.",
        ),
        posts=(
            "Five interviews on {focus} this week. Not one person used the word we have on the button.",
            "We said no to the biggest request on the list, and wrote down why. Surprisingly calm reactions.",
            "A roadmap is a list of bets. We put the odds next to each one now.",
            "Thank you to the eleven customers who spent an hour with us on {focus}.",
        ),
    ),
    Trade(
        roles=("Marketing Lead", "Head of Growth", "Content Strategist", "Brand Director"),
        focuses=("customer stories", "plain language", "community building", "field events"),
        about=(
            "I write, edit and cut. {company} lets me spend most of my time on {focus}.",
            "Marketing without the megaphone: {focus}, patience and a good newsletter.",
        ),
        posts=(
            "We rewrote the home page in words a tired person can follow. Sign-ups rose; so did our mood.",
            "Looking for two people who tried us and left. I would love to hear why. Coffee is on {company}.",
            "What I learned from a year of {focus}: consistency beats cleverness.",
            "Our smallest event so far, twelve people and a kitchen table, was the best one.",
        ),
    ),
    Trade(
        roles=("Talent Partner", "Head of People", "Recruiting Lead", "People Operations Manager"),
        focuses=("fair interviews", "first-ninety-days programmes", "apprenticeships", "internal mobility"),
        about=(
            "I hire for {company} and care about {focus}. I answer everyone, even if it takes me a week.",
            "People work is patient work. My current subject: {focus}.",
        ),
        posts=(
            "We now send interview questions a day ahead. Answers got better, nerves got quieter.",
            "Seven apprentices started at {company} this morning. Ask me about {focus}.",
            "A rejection letter is also a letter to someone. We rewrote ours.",
            "Two open roles, both part-time friendly. Details in the first comment.",
        ),
    ),
    Trade(
        roles=("Account Executive", "Sales Director", "Partnerships Manager", "Commercial Lead"),
        focuses=("long-term partnerships", "renewals", "public-sector tenders", "channel sales"),
        about=(
            "I sell by asking a lot of questions. At {company} my field is {focus}.",
            "Commercial lead, former engineer. Happy to talk {focus} over a walk.",
        ),
        posts=(
            "Lost a deal today to a spreadsheet. It was a very good spreadsheet.",
            "Three years of {focus} in one sentence: answer the phone when it is not about money.",
            "Proud of the team at {company} for a quiet, honest quarter.",
            "If you are at the regional trade fair next week, I am at stand 12 with decent coffee.",
        ),
    ),
    Trade(
        roles=("Data Scientist", "Analytics Lead", "Head of Data", "Research Scientist"),
        focuses=("forecasting", "experiment design", "data quality", "causal inference"),
        about=(
            "I turn vague questions into answerable ones. Mostly {focus} these days.",
            "Statistician at heart. {company} keeps me busy with {focus}.",
        ),
        posts=(
            "The dashboard was right. The question was wrong. A short story about {focus}.",
            "We published our checklist for {focus}. Take it, change it, tell us what is missing.",
            "Reminder to myself: plot the raw data first.",
            "Looking for co-authors from industry for a small study on {focus}.",
        ),
    ),
    Trade(
        roles=("Founder", "Co-founder & CEO", "Managing Director", "Chief of Staff"),
        focuses=("small profitable teams", "customer-funded growth", "repairable products", "regional manufacturing"),
        about=(
            "Building {company} slowly and on purpose. Believer in {focus}.",
            "Second-time founder. The first one taught me to love {focus}.",
        ),
        posts=(
            "Year three at {company}: nine people, no outside money, one very old coffee machine.",
            "We turned down an offer this month. Longer post on {focus} when I find the words.",
            "Asked our first ten customers what we should stop doing. Seven gave the same answer.",
            "Looking for an experienced finance lead, two days a week, who likes {focus}.",
        ),
    ),
    Trade(
        roles=("Product Designer", "Design Lead", "UX Researcher", "Service Designer"),
        focuses=("forms that forgive", "design systems", "inclusive research", "wayfinding"),
        about=(
            "Designer of quiet things. I spend my days at {company} on {focus}.",
            "I watch people, take notes and remove steps. Current obsession: {focus}.",
        ),
        posts=(
            "We removed the progress bar. Completion went up.",
            "A field diary from two days in a clinic waiting room, and what it says about {focus}.",
            "Our component library is public now. The documentation is my favourite part.",
            "Running a free critique hour on Thursdays. Bring something unfinished.",
        ),
    ),
    Trade(
        roles=("Sustainability Manager", "Energy Analyst", "Head of Climate", "Circularity Lead"),
        focuses=("heat recovery", "honest reporting", "repair networks", "fleet electrification"),
        about=(
            "Less talk, more kilowatt-hours. I work on {focus} at {company}.",
            "Trained as a chemist, now counting carbon. {focus}, mostly, and the occasional spreadsheet argument.",
        ),
        posts=(
            "First month of measured data on {focus}. The estimate was off by a third. We are publishing both.",
            "Our vans now charge from the cold store's spare capacity. Simple, once drawn on paper.",
            "Visited a repair café with the team from {company}. Forty toasters, thirty-one saved.",
            "Does anyone have a contact who has done {focus} in a listed building?",
        ),
    ),
)

CLOSINGS = (
    "Away from work: long trains and short books.",
    "Happy to hear from people starting out in the field.",
    "Weekends are for the allotment.",
    "I read every message; I am not quick.",
    "Also: choir, crosswords, cold water.",
    "Always glad to compare notes.",
)
