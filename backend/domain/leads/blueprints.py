"""A blueprint from a goal in plain words: the families of roles, seniority and industries that the words name."""

import re
from collections.abc import Collection
from typing import NamedTuple

from backend.domain.model.criteria import Between, Complete, Criterion, Keywords, Recent, Rule
from backend.domain.model.scoring import NewBlueprint


class Family(NamedTuple):
    """Words that people use for one thing: `pattern` in a goal, `words` on a profile, `near` what is related to it."""

    pattern: str
    words: tuple[str, ...]
    near: tuple[str, ...] = ()


ROLES = (
    Family(r"ctos?|chief technology officers?|chief technical officers?|tech(?:nology|nical)? leaders?",
           ("cto", "chief technology officer", "chief technical officer", "vp engineering", "vp of engineering",
            "head of engineering", "head of technology"),
           ("director of engineering", "engineering manager", "technical director", "tech lead", "architect")),
    Family(r"ceos?|chief executives?(?: officers?)?|managing directors?",
           ("ceo", "chief executive", "chief executive officer", "managing director", "founder", "president"),
           ("coo", "owner", "partner", "general manager")),
    Family(r"cfos?|chief financial officers?|finance leaders?",
           ("cfo", "chief financial officer", "head of finance", "vp finance", "finance director"),
           ("controller", "treasurer", "finance manager")),
    Family(r"cmos?|chief marketing officers?|marketing leaders?|marketers?|marketing",
           ("cmo", "chief marketing officer", "head of marketing", "vp marketing", "marketing director"),
           ("marketing", "growth", "brand")),
    Family(r"cpos?|product (?:leaders?|managers?|people)|heads? of product",
           ("chief product officer", "head of product", "vp product", "product director", "product lead"),
           ("product manager", "product owner", "product")),
    Family(r"cisos?|security (?:leaders?|officers?|people)",
           ("ciso", "chief information security officer", "head of security", "security director"),
           ("security", "information security")),
    Family(r"cios?|it (?:leaders?|directors?|managers?)",
           ("cio", "chief information officer", "it director", "head of it"), ("it manager", "infrastructure")),
    Family(r"founders?|co-?founders?|entrepreneurs?|start-?up owners?",
           ("founder", "co-founder", "cofounder", "founding"), ("ceo", "owner", "entrepreneur")),
    Family(r"recruiters?|talent|hr|human resources|people (?:leaders?|teams?)",
           ("recruiter", "recruiting", "recruitment", "talent acquisition", "head of talent", "head of people"),
           ("talent", "people", "hr", "human resources")),
    Family(r"engineers?|developers?|programmers?|software people",
           ("software engineer", "engineer", "developer", "programmer"), ("engineering", "architect", "devops")),
    Family(r"data (?:scientists?|engineers?|people|leaders?)|machine learning|ai (?:people|leaders?|engineers?)",
           ("data scientist", "data engineer", "machine learning", "head of data", "chief data officer"),
           ("data", "analytics", "ai")),
    Family(r"designers?|ux|design leaders?",
           ("designer", "head of design", "design director", "ux"), ("design", "user research")),
    Family(r"sales(?: leaders?| people)?|account executives?",
           ("head of sales", "vp sales", "sales director", "chief revenue officer", "cro"),
           ("sales", "account executive", "business development")),
    Family(r"researchers?|scientists?|professors?|academics?",
           ("researcher", "research", "scientist", "professor", "head of research"), ("phd", "lab", "fellow")),
    Family(r"investors?|vcs?|venture capitalists?|angels?",
           ("investor", "venture capital", "general partner", "angel investor", "venture partner"),
           ("principal", "associate", "partner")),
    Family(r"lawyers?|attorneys?|legal(?: counsels?)?",
           ("lawyer", "attorney", "general counsel", "legal counsel", "head of legal"), ("counsel", "legal")),
    Family(r"consultants?|advisors?|advisers?",
           ("consultant", "advisor", "adviser"), ("consulting", "advisory")),
)  # fmt: skip
"""Roles; the first that a goal names come first."""

SENIORITY = (
    Family(r"executives?|c-level|c-suite|decision[- ]makers?|leaders?|leadership|senior",
           ("chief", "ceo", "cto", "cfo", "coo", "founder", "president", "vp", "vice president", "director", "head",
            "owner", "partner"),
           ("lead", "manager", "principal", "senior")),
    Family(r"managers?", ("manager", "head", "lead"), ("director", "supervisor")),
    Family(r"juniors?|graduates?|interns?|students?",
           ("junior", "graduate", "intern", "trainee", "student"), ("associate", "assistant")),
)  # fmt: skip

INDUSTRIES = (
    Family(r"fin-?tech|payments?|financial technology",
           ("fintech", "payments", "payment", "neobank", "open banking", "lending"),
           ("bank", "banking", "finance", "financial", "insurance", "capital")),
    Family(r"banks?|banking|financial services",
           ("bank", "banking", "financial services"), ("finance", "financial", "fintech", "capital")),
    Family(r"insurance|insurtech", ("insurance", "insurtech", "reinsurance"), ("risk", "underwriting")),
    Family(r"health|healthcare|health ?tech|med-?tech|medical|hospitals?",
           ("health", "healthcare", "medtech", "hospital", "clinic", "medical"), ("pharma", "care", "biotech")),
    Family(r"bio-?tech|pharma|pharmaceuticals?|life sciences?",
           ("biotech", "pharma", "pharmaceuticals", "life sciences"), ("bio", "labs", "health")),
    Family(r"saas|software|b2b software",
           ("saas", "software", "cloud"), ("platform", "tech", "technology", "systems")),
    Family(r"e-?commerce|retail|online shops?", ("ecommerce", "e-commerce", "retail", "shop"),
           ("marketplace", "fashion", "consumer")),
    Family(r"education|ed-?tech|schools?|universit(?:y|ies)",
           ("education", "edtech", "university", "school", "college"), ("learning", "training", "academy")),
    Family(r"climate|energy|clean-?tech|renewables?|solar",
           ("climate", "energy", "cleantech", "renewable", "solar", "wind"), ("sustainability", "grid", "power")),
    Family(r"manufacturing|industr(?:y|ial)|automotive|mobility",
           ("manufacturing", "industrial", "automotive", "mobility"), ("factory", "machines", "engineering")),
    Family(r"logistics|supply chains?|shipping|freight",
           ("logistics", "supply chain", "freight", "shipping"), ("transport", "warehouse", "delivery")),
    Family(r"gaming|games?|esports", ("games", "gaming", "game", "esports"), ("studio", "interactive")),
    Family(r"media|publishing|news(?:papers?)?|journalism", ("media", "publishing", "news", "press"), ("content", "studio")),
    Family(r"agenc(?:y|ies)|advertising", ("agency", "advertising"), ("marketing", "creative", "studio")),
    Family(r"cyber ?security|security companies", ("cybersecurity", "security"), ("infosec", "identity", "privacy")),
    Family(r"ai(?: companies| start-?ups)?|artificial intelligence", ("ai", "artificial intelligence", "machine learning"),
           ("data", "robotics")),
    Family(r"real estate|property|prop-?tech|construction",
           ("real estate", "property", "proptech", "construction"), ("housing", "building")),
    Family(r"law firms?|legal ?tech", ("law", "legal", "legaltech"), ("solicitors", "attorneys")),
    Family(r"non-?profits?|ngos?|charit(?:y|ies)", ("nonprofit", "non-profit", "ngo", "charity", "foundation"),
           ("trust", "association")),
)  # fmt: skip

_SIZES = (
    (r"start-?ups?|small (?:companies|firms|businesses|teams)", 1, 50),
    (r"mid-?size[d]?|medium(?:-sized)?|scale-?ups?", 51, 1_000),
    (r"enterprises?|large (?:companies|firms)|corporations?", 1_001, None),
)
_INDUSTRY_FIELDS = ("industry", "company", "headline", "job_title")
_SIZE_FIELDS = ("company_size", "employees", "company_headcount", "headcount", "number_of_employees", "size")
_DATE_FIELDS = ("last_active", "last_activity", "last_post", "updated_on", "connected_on")
_PROFILE_FIELDS = ("job_title", "company", "email", "profile_url", "headline", "location")
_MOST_WORDS = 40
MOST_OWN_WORDS = 8
_EVERYDAY = frozenset(  # what goals say about anybody: of four letters or more, as shorter words are not looked for
    """
    able about above according across actually advice after again also among answer anybody anyone anything aren around
    asking attend awareness because become becoming been before behind being below best better between beyond book booked
    booking both brief bring build building call called calls campaign careful catch chance change changes chat chats coffee
    collaborate collaboration colleagues collect come companies company concerning connect contact contacts conversation
    could couldn curious currently customers days deal deals demo demos didn different directly discover discuss discussing
    discussion discussions does doesn doing done down during each early either else enough especially even event every
    everybody everyone everything explore feedback find first five following four friendly from future game gather getting
    give goal going good great group groups grow hadn hasn have haven having hear hello help helping here himself hire
    hiring idea ideas improve input inside instead interest interested interview interviewing interviews into intro
    introduce introducing introduction introductions intros invitation invitations invite invited invites inviting join just
    keen keep kindly know later latest lead leads learn least less like likes list little long look looking looks love made
    main make making many meet meeting meetings message might minute minutes month months more most much must name need
    needs network never next nice none nothing often once only open opened opinion opinions opportunities opportunity others
    ours outreach over partner partners partnership past people perhaps person persons pilot pitch plan please possible
    potential prioritise prioritize product project projects provide questions quick quite raise rank rather reach reaching
    real really recent recently reconnect regarding related relationship relationships relevance relevant replies reply
    request right role roles said same says score seek seeking sell selling send sending several shall share short should
    shouldn show shown since small some somebody someone something sometimes soon sort speak speaking start started still
    such suggest sure take taken takes taking talk talked talking talks team tell test than thank thanks that their them
    themselves then there these they thing things think this those thoughts through time today together tool tools toward
    towards trial trying under understand until upon used useful user users using various very view views want wanting wants
    wasn ways week weeks welcome well were weren what whatever when where whether which while whom whose will willing with
    within without work worked working works would wouldn write year years your yours yourself
    """.split()  # noqa: SIM905
)


def blueprint_for(words: str, fields: Collection[str]) -> NewBlueprint:
    """The blueprint that the words ask for, over fields that the leads have.

    Where they name no family of people it looks for the words themselves, and prefers nobody where they say nothing.

    Pure and fixed: "CTOs in fintech" asks for titles such as CTO or chief technology officer, and for fintech, payments or
    banks in industry, company or headline.
    """
    text = words.casefold()
    rules: list[tuple[str, int, Rule]] = []
    places = tuple(field for field in _INDUSTRY_FIELDS if field in fields)
    titles = tuple(field for field in ("job_title",) if field in fields)
    people = _keywords(_named(ROLES, text) or _named(SENIORITY, text), titles)
    if people:
        rules.append(("Job title relevance", 45, people))
    if places and (industry := _keywords(_named(INDUSTRIES, text), places)):
        rules.append(("Industry", 30, industry))
    own_places = tuple(dict.fromkeys((*titles, *places)))
    if not rules and own_places and (own := _own_words(text)):
        rules.append(("Words of the goal", 45, Keywords(fields=own_places, words=own)))
    size = next((field for field in _SIZE_FIELDS if field in fields), None)
    size_range = next(((low, high) for pattern, low, high in _SIZES if _says(pattern, text)), None)
    if size and size_range:
        rules.append(("Company size", 15, Between(field=size, low=size_range[0], high=size_range[1])))
    if recent := next((field for field in _DATE_FIELDS if field in fields), None):
        rules.append(("Recent activity", 10, Recent(field=recent, half_life_days=365)))
    filled = tuple(field for field in _PROFILE_FIELDS if field in fields) or ("job_title",)
    rules.append(("Profile completeness", 10, Complete(fields=filled)))
    return NewBlueprint(criteria=tuple(_weighed(rules)))


def _weighed(rules: list[tuple[str, int, Rule]]) -> list[Criterion]:
    """Weights in these proportions, to the whole hundred; what rounding leaves goes to the first."""
    total = sum(weight for _, weight, _ in rules)
    shares = [weight * 100 // total for _, weight, _ in rules]
    shares[0] += 100 - sum(shares)
    return [Criterion(name=name, weight=share, rule=rule) for (name, _, rule), share in zip(rules, shares, strict=True)]


def _says(pattern: str, text: str) -> re.Match[str] | None:
    return re.search(rf"(?<!\w)(?:{pattern})(?!\w)", text)


def _named(families: tuple[Family, ...], text: str) -> list[Family]:
    """The families that the text names, in the order in which it does."""
    matches = [
        (match.start(), n, family) for n, family in enumerate(families) if (match := _says(family.pattern, text))
    ]
    return [family for _, _, family in sorted(matches)]


def _own_words(text: str) -> tuple[str, ...]:
    """What a goal is about if it names nobody: its words but those that every goal has."""
    words = dict.fromkeys(word for word in re.findall(r"[^\W\d_]{4,30}", text) if word not in _EVERYDAY)
    return tuple(words)[:MOST_OWN_WORDS]


def _keywords(families: list[Family], fields: tuple[str, ...]) -> Keywords | None:
    if not families or not fields:
        return None
    words = tuple(dict.fromkeys(word for family in families for word in family.words))[:_MOST_WORDS]
    near = tuple(dict.fromkeys(word for family in families for word in family.near if word not in words))[:_MOST_WORDS]
    return Keywords(fields=fields, words=words, partly=near)
