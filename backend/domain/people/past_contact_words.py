"""The words for past contact in six languages, as the columns and cells of other tools have them.

Each phrase is a regular expression for whole words, in lower case and without accents or punctuation (`plain_words`).
"""

import re


def _phrases(*, en: str = "", de: str = "", fr: str = "", es: str = "", nl: str = "", pt: str = "") -> tuple[str, ...]:
    """The phrases of English, German, French, Spanish, Dutch and Portuguese; within one they are parted by semicolons."""
    every = ";".join((en, de, fr, es, nl, pt))
    return tuple(phrase for phrase in (" ".join(part.split()) for part in every.split(";")) if phrase)


def any_of(*phrases: str) -> str:
    """A pattern for any of the phrases, as whole words."""
    return rf"\b(?:{'|'.join(phrases)})\b"


def words(*phrases: str) -> re.Pattern[str]:
    """Texts that have any of the phrases in them."""
    return re.compile(any_of(*phrases))


def whole(*phrases: str) -> re.Pattern[str]:
    """Texts that are exactly one of the phrases."""
    return re.compile(rf"^(?:{'|'.join(phrases)})$")


REFUSED = _phrases(
    en=r"""
    (?:do|does) ?not (?:\w+ ){0,2}(?:contact|e ?mails?|mails?|message|disturb|call|approach|solicit);
    don ?t (?:\w+ ){0,2}(?:contact|e ?mail|mail|message|disturb|call|approach|solicit); dnc;
    (?:can|may|must|should|shall) ?not (?:be )?(?:contact|e ?mail|mail|messag)\w*; no (?:longer |further )?contact;
    (?:never|stop) (?:contact|e ?mail|mail|message|disturb|call|approach|solicit)(?:ing)?; unsubscrib\w*; unsubscription;
    opt(?:ed|s|ing)? ?outs?; (?:hard |soft )?bounce[ds]?; bouncing; undeliver(?:able|ed); black ?list(?:ed)?;
    block ?list(?:ed)?; suppress(?:ed|ion)(?: list)?; spam complaint; complained; cleaned; unsub; e ?mail disabled
    """,
    de=r"""
    nicht (?:mehr )?(?:kontaktieren|anschreiben|ansprechen|anmailen|storen);
    darf nicht (?:mehr )?(?:kontaktiert|angeschrieben)\w*; keine (?:weitere )?(?:kontaktaufnahme|mails|e mails|werbung);
    kein(?:en)? kontakt(?: erwunscht)?; nicht erwunscht; kontakt ?sperre; kontaktverbot; werbesperre; werbewiderspruch;
    abgemeldet; abmeldung; abbestellt; ausgetragen; widersprochen; widerspruch; unzustellbar\w*; nicht zustellbar; gebounced;
    gesperrt; sperrliste; sperrvermerk; schwarze liste
    """,
    fr=r"""
    ne (?:pas|plus|jamais) (?:\w+ )?(?:contacter|solliciter|deranger|demarcher|relancer|appeler|envoyer);
    (?:pas|plus) de contact; ne (?:peut|doit|veut|souhaite) (?:pas|plus) etre (?:re)?contactee?s?; desabonn\w*; desinscri\w*;
    opposition; rebond; rejetee?; liste (?:noire|rouge|d exclusion); non (?:delivre|distribue)e?s?; adresse invalide;
    blackliste[es]*
    """,
    es=r"""
    no (?:volver a )?(?:contactar|molestar|escribir|llamar|enviar);
    no (?:se )?(?:puede|debe|quiere|desea) (?:ser )?contacta\w+; (?:dad[oa]|fecha) de baja; desuscri\w*;
    cancel(?:o|ado|ada) (?:la )?suscripcion; rebot(?:e|es|ado|ada|o); lista (?:negra|robinson); bloquead[oa]
    """,
    nl=r"""
    niet (?:meer )?(?:contacteren|benaderen|mailen|bellen|storen|aanschrijven); geen contact(?: opnemen)?;
    (?:mag|wil) niet (?:meer )?(?:worden )?(?:gecontacteerd|benaderd|gemaild)(?: worden)?; uitgeschreven; uitschrijving;
    afgemeld; afmelding; onbestelbaar; niet bezorgd; zwarte lijst; geblokkeerd
    """,
    pt=r"""
    nao (?:mais )?(?:contatar|contactar|perturbar|incomodar|enviar|ligar); nao (?:pode|quer|deseja) ser conta\w+;
    descadastr\w*; cancelou (?:a )?(?:inscricao|assinatura|subscricao); subscricao cancelada; desinscrit[oa]; devolvid[oa];
    e ?mail retornad[oa]; lista de bloqueio
    """,
)
"""Do not contact; unsubscribed, bounced, on a blacklist."""

CONSENT = _phrases(
    en=r"""
    (?:can|may|ok(?:ay)? to|allowed to|allow|permission to|permitted to|free to) (?:be )?(?:contact|e ?mail|mail|messag)\w*;
    contactable; contact(?:ing)? (?:allowed|permission|permitted|ok|consent); opt(?:ed|s)? ?in; subscribed; consent(?:ed)?
    """,
    de=r"""
    (?:darf|kann) (?:kontaktiert|angeschrieben)(?: werden)?; kontaktierbar;
    kontakt(?:aufnahme)? (?:erlaubt|gestattet|ok|zulassig); kontakterlaubnis; werbeerlaubnis; einwilligung; eingewilligt;
    zustimmung; angemeldet
    """,
    fr=r"""
    peut etre contactee?s?; contact (?:autorise|permis|possible|accepte); peut contacter; consentement; abonnee?s?;
    inscrite?s?
    """,
    es=r"(?:se )?puede (?:ser )?contacta(?:r|rse|d[oa]); contacto permitido; consentimiento; suscrit[oa]",
    nl=r"""
    mag (?:worden )?(?:gecontacteerd|benaderd|gemaild)(?: worden)?; contact (?:toegestaan|mag); toestemming; ingeschreven;
    aangemeld
    """,
    pt=r"""
    pode (?:ser )?(?:contatad[oa]|contactad[oa]|contatar|contactar); contac?to permitido; consentimento; inscrit[oa];
    subscrit[oa]
    """,
)
"""They may be contacted: where these are denied, they must not be."""

REPLY = _phrases(
    en=r"""
    replied; reply; replies; responded; response; responses; responds?; answered; answers?;
    (?:message|email|e mail|mail|inmail)s? received; (?:last )?received (?:message|email|e mail|mail|inmail)s?;
    (?:inbound|incoming) (?:message|email|e mail|mail)s?
    """,
    de=r"geantwortet; beantwortet; antwort(?:en|ete|datum)?; ruckmeldung; ruckantwort; reagiert",
    fr=r"repondue?s?; reponses?",
    es=r"respondi?d[oa]; respondio; respuestas?; contestad[oa]; contesto; contestacion",
    nl=r"geantwoord; beantwoord; antwoord(?:en)?; reacties?; gereageerd",
    pt=r"respondeu; respostas?; retornou",
)
"""They wrote to us."""

INVITATION = _phrases(
    en=r"""
    invite[ds]?; invitations?; connection requests?; connection requested; connection sent; connection pending;
    connect requests?; requests? sent; connect sent
    """,
    de=r"eingeladen; (?:kontakt|vernetzungs)?einladung(?:en)?; (?:kontakt|vernetzungs|verbindungs)anfragen?; angefragt",
    fr=r"invitee?s?; demandes? (?:de connexion|de contact|d ajout|de mise en relation)",
    es=r"invitad[oa]s?; invitacion(?:es)?; solicitud(?:es)?(?: de (?:conexion|contacto))?",
    nl=r"uitgenodigd; uitnodiging(?:en)?; (?:connectie|verbindings|contact)verzoek(?:en)?",
    pt=r"convidad[oa]s?; convites?; (?:pedidos?|solicitac(?:ao|oes)) de (?:conexao|ligacao|contato)",
)
"""An invitation to connect."""

REQUEST = _phrases(en="connection; request", de="anfrage", fr="demande", es="solicitud", nl="verzoek", pt="pedido")
"""What else can be accepted as an invitation is."""

ACCEPTED = _phrases(
    en="accepted", de="angenommen", fr="acceptee?s?", es="aceptad[oa]s?", nl="geaccepteerd", pt="aceit[oa]s?; aceites?"
)
"""Of an invitation."""

CONNECTED = _phrases(
    en=r"""
    connected; connection (?:date|since|made|accepted); is (?:a )?(?:connection|linkedin contact); (?:1st|first) degree
    """,
    de=r"verbunden; vernetzt; kontakt seit; verbindung (?:seit|am); verbindungsdatum; vernetzungsdatum",
    fr=r"connectee?s?; (?:mise )?en relation; date de connexion; relation depuis; relation de 1er niveau",
    es=r"conectad[oa]s?; fecha de conexion",
    nl=r"verbonden; verbindingsdatum; connectie sinds",
    pt=r"data d[ea] conexao",
)
"""They are a connection of ours."""

WRITTEN_TO = _phrases(
    en=r"""
    contacted; last contact(?: date| on| at)?;
    last (?:touch|touched|touchpoint|outreach|email|e mail|message|inmail)(?: date| on| at)?; reached out; approached;
    e ?mailed; mailed; messaged; sent; times contacted; touches; touchpoints;
    (?:e ?mail|message|mail|inmail)s? (?:open|opens|opened|click|clicks|clicked|delivered|read|seen|count|total);
    (?:last |first |total )?(?:opens|opened|clicks|clicked); number of (?:touches|e ?mails|messages)
    """,
    de=r"""
    kontaktiert; angeschrieben; letzte[rs]? (?:kontakt|kontaktaufnahme|nachricht|e mail|mail|ansprache); kontaktaufnahme;
    erstkontakt; kontaktdatum; gesendete?[rns]?; versendete?[rns]?; verschickte?[rns]?; versandt; versanddatum; zugestellt;
    gemailt; geoffnete?; geklickt; anzahl (?:der )?(?:e mails|mails|nachrichten)
    """,
    fr=r"""
    contactee?s?; derniere? (?:contact|message|e ?mail|mail|envoi|relance|prise de contact);
    date (?:de |du )?(?:dernier )?contact; envoyee?s?; date d envoi; relancee?s?; nombre de? (?:e ?mails|messages)
    """,
    es=r"""
    contactad[oa]s?; ultim[oa] (?:contacto|mensaje|correo|e ?mail|envio); fecha d(?:e|el) (?:ultimo )?(?:contacto|envio);
    enviad[oa]s?; numero de (?:correos|mensajes)
    """,
    nl=r"""
    gecontacteerd; benaderd; laatste? (?:contact|bericht|e mail|mail|benadering); contactdatum; verzonden; verstuurd;
    verzenddatum; gemaild; aangeschreven; aantal (?:e mails|mails|berichten)
    """,
    pt=r"""
    contatad[oa]s?; ultim[oa] (?:contato|mensagem); data d[eo] (?:ultimo )?(?:contato|contacto|envio);
    numero de (?:mensagens|e ?mails)
    """,
)
"""We wrote to them."""

CONTENT = _phrases(
    en="text; texts; content; body; snippet; words; sentiment; category; type; reason; by",
    de="grund; inhalt; wortlaut; typ; von",
    fr="texte; contenu; raison; motif; par",
    es="texto; contenido; motivo; razon; por",
    nl="tekst; inhoud; reden; door",
    pt="conteudo",
)
"""Behind one of the above: the column has what was written, or why, or by whom."""

STATUS = _phrases(
    en="status; stage; state; phase; disposition",
    de="zustand",
    fr="statut; etape",
    es="estado; estatus; etapa",
    nl="stadium; fase",
    pt="situacao",
)
"""A column that says by one word how far something is."""

OF_A_LEAD = _phrases(
    en=r"""
    lead; contact; prospect; person; campaign; sequence; outreach; cadence; message; reply; response; marketing; subscription;
    engagement; pipeline
    """,
    de="kontakt; kampagne; sequenz; nachricht; antwort",
    fr="campagne; reponse",
    es="contacto; persona; campana; mensaje; respuesta",
    nl="bericht; antwoord",
    pt="contato; pessoa; campanha; mensagem; resposta",
)
"""Whose status that can be: a person's in outreach."""

OF_A_LINK = _phrases(
    en="connection; connect; relationship; invite; invitation; linkedin; network",
    de="verbindung; vernetzung; einladung",
    fr="connexion; relation",
    es="conexion; invitacion",
    nl="verbinding; uitnodiging",
    pt="conexao; convite",
)
"""Or that of an invitation or connection."""

DEGREE = _phrases(
    en=r"""
    (?:connection |linkedin |network |relationship |contact |person |lead )*degree; degree of (?:connection|separation);
    (?:member |network |linkedin |connection )*distance; (?:linkedin )?connection(?: level)?; relationship
    """,
    de=r"(?:kontakt|vernetzungs|verbindungs|netzwerk)?grad; grad der (?:vernetzung|verbindung); verbindung; distanz",
    fr=r"degre(?: de (?:relation|connexion|contact))?; niveau de (?:relation|connexion); connexion; relation",
    es=r"grado(?: de (?:conexion|contacto|relacion))?; nivel de conexion; conexion; distancia",
    nl=r"(?:connectie|verbindings|contact)?graad; verbinding; afstand",
    pt=r"grau(?: de (?:conexao|ligacao|contato))?; nivel de conexao; conexao",
)
"""How far away they are on LinkedIn: the whole name of such a column."""

REFUSED_AT = _phrases(
    en="(?:unsub(?:scribed?)?|clean(?:ed)?|opt(?:ed)? ?out|bounced?|complain(?:ed|t)) (?:time|timestamp)"
)
"""Columns of a time that would else be one of the others."""

OTHER_COLUMNS = _phrases(
    en=r"""
    do not (?:modify|edit|change|delete); reply to; reply (?:email|address); rate; time; double opt ?in; fax; sms; next;
    planned; scheduled; due; created; updated; modified; enrichment; template; lifecycle; mutual; shared;
    (?:number of |common )?connections(?: count)?; auto repl(?:y|ied|ies); out of office; km; miles; webinar; event; id; url;
    link; owner; (?:invitation|connection|invite) (?:message|note|text); icebreaker; last (?:login|seen|connection);
    (?:sent|connected) (?:to|from) (?!me)\w+; connected (?:accounts?|apps?); name; subject
    """,
    de="nachste[rs]?; geplant; betreff; antwort an; antwortadresse",
    fr="derniere connexion; prochaine?; objet",
    es="ultima conexion; proxim[oa]; asunto",
    nl="volgende; onderwerp",
    pt="assunto",
)
"""Names that look like those above and tell of something else."""

NEGATIONS = _phrases(
    en="not; no; never; without",
    de="nicht; kein; keine; keinen; nie",
    fr="non; pas; sans; jamais; aucun; aucune",
    es="sin; nunca",
    nl="niet; geen; nooit",
    pt="nao; sem",
)
"""In front of one of the above they turn it round."""

NOT_INTERESTED = _phrases(
    en="(?:not|no(?: longer)?|un) ?interest(?:ed)?; uninterested; declined; refused",
    de="kein interesse; nicht interessiert; abgelehnt",
    fr="desinteresse; (?:pas|non) interessee?s?; refusee?s?",
    es="(?:no|sin) interes(?:ad[oa])?; no me interesa; rechazad[oa]",
    nl="niet geinteresseerd; geen interesse; afgewezen",
    pt=r"nao interessad[oa]; sem interesse; recusad[oa]",
)

STARTED = _phrases(
    en="contacted; sent; started; e ?mailed; messaged; invited; approached",
    de="kontaktiert; angeschrieben; gesendet; versendet; verschickt; gestartet; eingeladen",
    fr="contactee?s?; envoyee?s?; invitee?s?",
    es="contactad[oa]s?; enviad[oa]s?; invitad[oa]s?",
    nl="gecontacteerd; benaderd; verzonden; verstuurd; gestart; uitgenodigd",
    pt="contatad[oa]s?; convidad[oa]s?; iniciad[oa]s?",
)
"""What has not happened where one of the negations stands before it."""

TO_DO = _phrases(
    en=r"uncontacted; to (?:be )?(?:contact|invite|send|approach|e ?mail)(?:e?d)?; not yet; no contact yet",
    de="zu kontaktieren; unkontaktiert; noch nicht; (?:noch )?(?:offen|ausstehend)$",
    fr="a (?:contacter|inviter|envoyer); pas encore",
    es="(?:por|sin) contactar; aun no; todavia no",
    nl="te (?:benaderen|contacteren); nog niet",
    pt="a (?:contatar|contactar); ainda nao",
)

ATTEMPTED = _phrases(en="(?:attempted|tried) to contact; contact attempted")

IN_TALKS = _phrases(
    en=r"message reply; interested; meeting(?: \w+)?; booked; (?:in )?conversation; talking; demo(?:ed)?; warmed",
    de="interessiert; termin(?: vereinbart)?; im gesprach",
    fr="interessee?s?; rendez vous; rdv",
    es="interesad[oa]; reunion; en conversacion",
    nl="geinteresseerd; in gesprek; afspraak",
    pt="interessad[oa]; reuniao; em conversa",
)

UNDER_WAY = _phrases(
    en=r"""
    approaching; in ?(?:sequence|campaign|cadence|progress); finished; completed; attempted(?: \w+)*; working; hooked;
    delivered; read; follow(?:ed|ing)? ?up\w*
    """,
    de="in bearbeitung; abgeschlossen; nachgefasst",
    fr="en cours; terminee?s?; relance",
    es="en curso; terminad[oa]; seguimiento",
    nl="in uitvoering; afgerond; opgevolgd",
    pt="em andamento; concluid[oa]; finalizad[oa]; acompanhamento",
)
"""A campaign has begun with them."""

PENDING = _phrases(
    en="pending; sent; requested",
    de="ausstehend; gesendet; offen",
    fr="en attente; envoyee?s?",
    es="pendiente; enviad[oa]",
    nl="in behandeling; wachtend; in afwachting; verzonden; verstuurd",
    pt="pendente",
)
"""Of an invitation: nobody has answered it."""

NEW = _phrases(
    en=r"""
    new; open; leads?; cold; queued; in queue; pending; imported; scanned; skipped; reviewed; ready; to ?do; draft; prospect;
    excluded; waiting; untouched; fresh; subscribed; opted in; allow(?:ed)?; granted; confirmed; no consent; archived; self;
    enrolled; (?:2nd|3rd)(?: degree)?(?: connection)?
    """,
    de="neu; offen; in warteschlange; erlaubt; angemeldet",
    fr="nouveau; nouvelle; en attente; autorise; abonnee?; inscrite?",
    es="nuev[oa]; pendiente; permitido; suscrit[oa]",
    nl="nieuw; toegestaan; ingeschreven",
    pt="nov[oa]; pendente; subscrit[oa]",
)
"""Whole values that say nothing has happened."""

VERIFICATION = _phrases(
    en="""
    verified; unverified; valid; invalid; catch ?all; accept(?:ed)? ?all; guessed; extrapolated; unavailable; deliverable;
    risky; likely; role; disposable; ok; found
    """,
)
"""What a tool found of an e-mail address, which is no contact."""

WITHDRAWN = _phrases(
    en="do not allow; not allowed; withdrawn; revoked; denied; rejected; hard; soft; permanent; transient",
    de="widerrufen; zuruckgezogen",
    fr="retiree?; revoquee?",
    es="retirad[oa]; revocad[oa]",
    nl="ingetrokken",
    pt="revogad[oa]",
)
"""Of a consent that is none any more, or kinds of bounce."""


OWN_MESSAGE = _phrases(
    en="last (?:sent )?(?:message|e ?mail|inmail); sent (?:message|e ?mail)",
    de="letzte nachricht",
    fr="dernier message",
    es="ultimo mensaje",
    nl="laatste bericht",
    pt="ultima mensagem",
)
"""The whole name of a column that has what we wrote."""

UNSUBSCRIBED = _phrases(
    en="opted out; unsubscribed; bounced; blacklisted",
    de="abgemeldet; gesperrt",
    fr="desabonnee?; desinscrite?",
    es="dad[oa] de baja",
    nl="uitgeschreven; afgemeld",
    pt="descadastrad[oa]",
)
"""What has not happened where one of the negations stands before it: they may be contacted."""

NO_REPLY = _phrases(
    en=r"unresponsive; unanswered; ghosted; auto ?repl\w+; out of office", de="unbeantwortet; abwesenheitsnotiz"
)
"""We wrote, and nobody has answered."""

NO_CONNECTION = _phrases(en="disconnected; unconnected; out of (?:my )?network; no connection", de="keine verbindung")

FIRST = _phrases(en="first", de=r"erste\w*", fr="premiere?", es="primer[oa]?", nl="eerste", pt="primeir[oa]")
FURTHER = _phrases(
    en="second; third",
    de=r"zweite\w*; dritte\w*",
    fr="deuxieme; troisieme",
    es="segund[oa]; tercer[oa]?",
    nl="tweede; derde",
    pt="terceir[oa]",
)
ORDINAL_ENDINGS = _phrases(en="st; nd; rd", de="ter; ten", fr="er; ere; eme", es="o; a", nl="e")
"""Behind the number of a degree: `1st`, `1er`, `1º`."""

OF_A_DEGREE = _phrases(
    en="degree; level; connections?; contact; relation",
    de="grad(?:es)?; kontakt",
    fr="degre; niveau",
    es="grado; nivel; contacto; conexion",
    nl="graads?; connectie",
    pt="grau; contato; conexao",
)
"""Words around that number."""


def _set(text: str) -> frozenset[str]:
    return frozenset(part.strip() for part in text.split(";"))


EMPTY = _set(
    """; na; n a; none; nothing; null; nil; nan; undefined; unknown; not set; not available; not applicable; blank;
    empty; value;
    unbekannt; k a; keine angabe; leer; inconnue; inconnu; nc; n c; vide; desconocido; desconocida; s d; vacio;
    onbekend; nvt; n v t;
    leeg; desconhecido; desconhecida; vazio"""
)
"""Cells that say nothing at all."""

NO = _set(
    """false; no; n; f; 0; never; off; unchecked; nope; none yet; not; zero; falsch; nein; nie; niemals; kein; keine;
    keiner; nicht; non;
    faux; jamais; aucun; aucune; pas; falso; falsa; nunca; ninguno; ninguna; nee; onwaar; nooit; geen; niet; nao;
    nenhum; nenhuma; jamas"""
)
YES = _set(
    """true; yes; y; t; 1; x; on; checked; yep; ok; ja; j; wahr; oui; o; vrai; si; s; verdadero; waar; sim; verdadeiro;
    v; da"""
)
