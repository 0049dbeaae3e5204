"""Columns of past contact: what a cell under a header says, in six languages; nothing is guessed, nothing is turned round."""

import pytest

from backend.domain.people.past_contact import PastContact
from backend.domain.people.past_contact_columns import (
    COLUMN_TITLES,
    COLUMNS,
    Reads,
    Topic,
    cell_meaning,
    column_rule,
    column_title,
    degree_number,
    past_columns,
)

TOMORROW = "2026-11-27"

CASES = """
    en | Do Not Contact | true | refused
    en | Do Not Contact | false | nothing
    en | doNotContact | 1 | refused
    en | DNC | x | refused
    en | Unsubscribed from all email | true | refused
    en | Email Opt Out | 0 | nothing
    en | HasOptedOutOfEmail | true | refused
    en | Opt-in | yes | nothing
    en | Opt-in | no | refused
    en | Opt-in |  | nothing
    en | Can contact | no | refused
    en | Can contact | yes | nothing
    en | Not opted in | yes | refused
    en | (Do Not Modify) Contact | 1f0c | no column
    en | Do not allow Bulk Emails | Do Not Allow | refused
    en | Do not allow Bulk Emails | Allow | nothing
    en | UNSUB_TIME | 2025-02-02 10:00:00 | refused
    en | UNSUB_TIME |  | nothing
    en | UNSUB_REASON | N/A (Unsubscribed by an admin) | refused
    en | CLEAN_TIME | 2025-02-02 10:00:00 | refused
    en | email_disabled | true | refused
    en | OPTIN_TIME | 2025-02-02 10:00:00 | no column
    en | Response time | 3 h | no column
    en | Email Bounced | false | nothing
    en | Bounces | 0 | nothing
    en | Bounces | 2 | refused
    en | Hard bounce reason | mailbox full | refused
    en | Last Replied At | 2026-10-05 | answered
    en | Last Replied At | never | nothing
    en | Replied | no | nothing
    en | Reply rate | 20% | no column
    en | Reply-To | a@b.c | no column
    en | Responsable | Anna | no column
    en | leadState | contacted | written_to
    en | leadState | replied | answered
    en | leadState | not contacted | nothing
    en | Lead Status | Open - Not Contacted | nothing
    en | Lead Status | Working - Contacted | written_to
    en | Lead Status | Not interested | refused
    en | Lead Status | Nurture | unclear
    en | State | California | nothing
    en | lastContactedAt | 2026-10-01T10:00:00Z | written_to
    en | lastContactedAt | 1970-01-01T00:00:00Z | nothing
    en | lastContactedAt | 2031-01-01 | nothing
    en | emailsSent | 2 | written_to
    en | emailsSent | 0 | nothing
    en | Connection Degree | 1st | connected
    en | Degree | MSc | unclear
    en | degree | DISTANCE_1 | connected
    en | Degree | · 3rd+ | nothing
    en | member_distance | 1 | connected
    en | Connection status | pending | invited
    en | Connection status | Connected | connected
    en | Connection status | not connected | nothing
    en | leadConnectionStatus | ConnectionAccepted | connected
    en | leadConnectionStatus | ConnectionSent | invited
    en | leadMessageStatus | MessageSent | written_to
    en | leadMessageStatus | MessageReply | answered
    en | leadMessageStatus | None | nothing
    en | leadCampaignStatus | InSequence | written_to
    en | Connected At | 2026-01-01 | connected
    en | Invitation sent | yes | invited
    en | Invitation accepted | yes | connected
    en | Invited at | 2026-01-01 | invited
    en | Email Status | Verified | nothing
    en | Email Status | bounced | refused
    en | Email Status | accept_all | nothing
    en | Stage | Do Not Contact | refused
    en | Stage | Cold | nothing
    en | Stage | Approaching | written_to
    en | Person - Marketing status | Unsubscribed | refused
    en | Person - Marketing status | No consent | nothing
    en | Person - Double opt-in | No | no column
    en | Last email received | 2026-01-01 | answered
    en | Number of times contacted | 3 | written_to
    en | Number of times contacted | 0.0 | nothing
    en | Contact owner | Anna | no column
    en | Mutual connections | 12 | no column
    en | Connections | 500 | no column
    en | Last message | Hello Ilse | written_to
    en | Last contacted | n/a | nothing
    en | Last contacted | 2 days ago | written_to
    en | Last contacted | maybe | unclear
    en | Blacklisted | ✓ | refused
    en | Fax Opt Out | true | no column
    en | Title | Head of Response | no column
    en | Company | Reply.io | no column
    en | Next contact date | 2026-01-01 | no column
    en | Lifecycle Stage | Customer | no column
    en | Not contacted | true | nothing
    en | Not contacted | false | written_to
    en | Unsubscribed | not unsubscribed | nothing
    en | Unsubscribed | Subscribed | nothing
    en | Status | in progress | written_to
    en | Last contacted | 0000-00-00 | nothing
    en | Last contacted | 1900-01-00 | nothing
    en | Last contacted | 01/01/1900 | nothing
    en | Last contacted | 31.12.1899 | nothing
    en | Last contacted | 0001-01-01T00:00:00 | nothing
    en | Last contacted | Oct 2026 | written_to
    en | Last contacted | Thursday, October 1, 2026 | written_to
    en | Last contacted | quinta-feira, 1 de outubro de 2026 | written_to
    en | Last contacted | 1759312800 | written_to
    en | Last contacted | 1759312800000 | written_to
    en | Last contacted | 0 | nothing
    en | Last contacted | #N/A | nothing
    en | Lead Status | Attempted to contact | written_to
    en | Lead Status | Warm | unclear
    en | leadState | emailsReplied | answered
    en | leadState | emailsNotInterested | refused
    en | leadState | linkedinInviteAccepted | connected
    en | leadState | linkedinInviteDone | invited
    en | leadState | emailsUnsubscribed | refused
    en | Sent to CRM | yes | no column
    en | LinkedIn connection | yes | connected
    en | Subscription status | cleaned | refused
    en | Do Not Contact | not set | nothing
    en | Do Not Contact | 00:00 | nothing
    en | Connected | 2nd | nothing
    en | Is connected | 1st | connected
    en | Date connected | 2024-01-05 | connected
    en | Answered | Yes, by mail | answered
    en | Replied | not yet | nothing
    en | Replied | No reply | nothing
    en | Do Not Call | true | refused
    en | Autorespond | x | no column
    en | Do not email | yes | refused
    en | Does not want contact | yes | refused
    en | No longer contact | yes | refused
    en | Do Not Contact? | Y | refused
    en | do_not_contact | TRUE | refused
    en | DO NOT CONTACT | Yes - asked by mail | refused
    en | Opted Out | 2024-05-01 | refused
    en | Opt Out Date | 2024-05-01 | refused
    en | Opt-out | opt-out | refused
    en | Unsubscribe date | 2024-05-01 | refused
    en | Is Unsubscribed | No | nothing
    en | Email unsubscribed at |  | nothing
    en | Blacklist | Yes | refused
    en | On blacklist | no | nothing
    en | Bounce | hard | refused
    en | Bounced at | 2024-05-01 | refused
    en | Bounce type | None | nothing
    en | Suppressed | true | refused
    en | GDPR opt out | true | refused
    en | Contactable | no | refused
    en | Contactable | yes | nothing
    en | Allow contact | no | refused
    en | Consent | withdrawn | refused
    en | Marketing consent | granted | nothing
    en | Email opt-in | false | refused
    en | Subscribed | no | refused
    en | Replied? | Yes | answered
    en | Reply date | 2024-05-01 | answered
    en | Last reply | 3 months ago | answered
    en | Last reply | - | nothing
    en | Replied count | 1 | answered
    en | Number of replies | 0 | nothing
    en | Has replied | true | answered
    en | Reply received | yes | answered
    en | Answered at | 05/03/2024 | answered
    en | Email replied | TRUE | answered
    en | Response received | no | nothing
    en | LinkedIn replied | yes | answered
    en | First reply date | 2024-05-01 | answered
    en | Reply text | Thanks, not now | answered
    en | Reply text | Please remove me, not interested | refused
    en | Reply status | no reply | written_to
    en | Reply status | replied | answered
    en | Last contacted | Never contacted | nothing
    en | Last contacted on | 2024-05-01 | written_to
    en | Last Contact Date | 2024-05-01 | written_to
    en | Last contact | 2024-05-01 | written_to
    en | First contacted | 2024-05-01 | written_to
    en | Contacted | Yes | written_to
    en | Contacted | Not yet | nothing
    en | Contacted | not contacted | nothing
    en | Already contacted | no | nothing
    en | Date sent | 2024-05-01 | written_to
    en | Sent on | 2024-05-01 | written_to
    en | Message sent | TRUE | written_to
    en | Messages sent | 3 | written_to
    en | E-mails sent | 0 | nothing
    en | Emails Sent | 5 | written_to
    en | Email sent at | 2024-05-01 | written_to
    en | InMail sent | yes | written_to
    en | Email opened | true | written_to
    en | Opened | 0 | nothing
    en | Last touch | 2024-05-01 | written_to
    en | Touchpoints | 2 | written_to
    en | Last email sent | 2024-05-01 | written_to
    en | Number of emails | 2 | written_to
    en | Connection | 1st | connected
    en | Connection degree | 2 | nothing
    en | Connection Degree | 3rd+ | nothing
    en | Degree of connection | 1st degree | connected
    en | Network distance | DISTANCE_1 | connected
    en | distance | OUT_OF_NETWORK | nothing
    en | Connection status | 1st | connected
    en | Connection status | CONNECTED | connected
    en | Connection status | NOT_CONNECTED | nothing
    en | Connection status | Pending | invited
    en | Connection status | request sent | invited
    en | Connection status | none | nothing
    en | LinkedIn status | Connected | connected
    en | Connected | TRUE | connected
    en | Connected | false | nothing
    en | Connected on | 15 Mar 2024 | connected
    en | Connected since | 2024 | connected
    en | Connected date | 1900-01-01 | nothing
    en | Connection accepted at | 2024-05-01 | connected
    en | Invite accepted | no | nothing
    en | Invite status | accepted | connected
    en | Invite status | sent | invited
    en | Invite sent | 2024-05-01 | invited
    en | Connection request sent | yes | invited
    en | Connection requested at | 2024-05-01 | invited
    en | Lead state | new | nothing
    en | Lead state | NEW | nothing
    en | Lead state | in sequence | written_to
    en | Lead Stage | Contacted | written_to
    en | Lead Stage | Bounced | refused
    en | Lead Stage | Unsubscribed | refused
    en | Prospect status | Replied | answered
    en | Status | Not Contacted | nothing
    en | Status | not started | nothing
    en | Status | Do not contact | refused
    en | Status | Opted out | refused
    en | Status | Contacted | written_to
    en | Status | Replied - Interested | answered
    en | Status | Invited | invited
    en | Status | Connected | connected
    en | Status | Pending | nothing
    en | Contact status | Uncontacted | nothing
    en | Contact Status | Cold | nothing
    en | Campaign status | Completed | written_to
    en | Stage | Interested | answered
    en | Stage | Unresponsive | written_to
    en | Notes | replied to our mail | no column
    en | Description | do not contact | no column
    en | Bio | Connected TV expert | no column
    en | Headline | Sent from heaven | no column
    en | Industry | Mail | no column
    en | Email | do-not-reply@x.example | no column
    en | Phone status | verified | no column
    en | Marital status | single | no column
    en | Account status | active | no column
    en | Country State | CA | no column
    en | Followers | 12 | no column
    en | Reports to | Anna | no column
    en | Send reports | yes | no column
    en | Address | Baker Street | no column
    en | Contact | Ilse | no column
    en | Contact name | Ilse | no column
    en | Contact Email | x@y.z | no column
    en | Contacts | 12 | no column
    en | Response time | 2h | no column
    en | Date of birth | 1970-01-01 | no column
    en | Degree | Bachelor | unclear
    en | Education degree | MSc | no column
    en | Connected On | sometime | unclear
    en | Last activity | 2024-01-01 | no column
    en | Last active | 2024-01-01 | no column
    en | Created at | 2024-01-01 | no column
    en | Replied | maybe | unclear
    en | Do Not Contact | perhaps | unclear
    en | Campaign | Sent in May | no column
    en | Mailing City | Berlin | no column
    en | Mailing Street | X | no column
    en | Message | Hi | no column
    en | Subject | Re: hi | no column
    en | Opportunity stage | Won | no column
    en | Company stage | Seed | no column
    en | Funding stage | Series A | no column
    en | Email verification status | valid | nothing
    en | Email status | unsubscribed | refused
    de | Nicht kontaktieren | ja | refused
    de | Nicht kontaktieren | nein | nothing
    de | Darf kontaktiert werden | nein | refused
    de | Darf kontaktiert werden | ja | nothing
    de | Abgemeldet am | 01.10.2026 | refused
    de | Hat geantwortet | ja | answered
    de | Nicht geantwortet | ja | nothing
    de | Antwort erhalten am | 5.10.2026 | answered
    de | Letzter Kontakt | 01.10.2026 | written_to
    de | Kontaktiert | noch nicht | nothing
    de | Kontaktgrad | 1. Grades | connected
    de | Lead-Status | kontaktiert | written_to
    de | Lead-Status | nicht kontaktiert | nothing
    de | Lead-Status | neu | nothing
    de | Lead-Status | kein Interesse | refused
    de | Verbindungsstatus | verbunden | connected
    de | Verbindungsstatus | ausstehend | invited
    de | Vernetzt seit | 03. Feb 24 | connected
    de | Antwort an | x@y.z | no column
    de | Anzahl E-Mails | 3 | written_to
    de | Kontaktsperre | ja | refused
    de | Einwilligung | nein | refused
    de | Einwilligung | ja | nothing
    de | Werbewiderspruch | ja | refused
    de | Angeschrieben am | 1. Oktober 2026 | written_to
    de | E-Mail gesendet | wahr | written_to
    de | E-Mail gesendet | falsch | nothing
    de | Unzustellbar | ja | refused
    de | Kontaktstatus | Nicht kontaktiert | nothing
    de | Kontaktstatus | Kontaktiert | written_to
    de | Kontaktstatus | Geantwortet | answered
    de | Kontaktstatus | Abgemeldet | refused
    de | Kontaktstatus | Gesperrt | refused
    de | Status | Antwort erhalten | answered
    de | Status | keine Antwort | written_to
    de | Status | angeschrieben | written_to
    de | Status | noch nicht angeschrieben | nothing
    de | Status | eingeladen | invited
    de | Status | vernetzt | connected
    de | Status | nicht vernetzt | nothing
    de | Bitte nicht kontaktieren | x | refused
    de | Keine Kontaktaufnahme | ja | refused
    de | Kontakt erlaubt | nein | refused
    de | Kontakt erlaubt | ja | nothing
    de | Opt-out | Ja | refused
    de | Opt-in | Nein | refused
    de | Newsletter abgemeldet | ja | refused
    de | E-Mail unzustellbar | wahr | refused
    de | Bounce | ja | refused
    de | Letzte Antwort | 12.03.2024 | answered
    de | Letzte Antwort | nie | nothing
    de | Beantwortet | nein | nothing
    de | Antwortdatum | 12.03.2024 | answered
    de | Antwort am | 12.03.2024 | answered
    de | Zuletzt kontaktiert | 12.03.2024 | written_to
    de | Zuletzt kontaktiert am | 12. März 2024 | written_to
    de | Letzte Kontaktaufnahme | 12.03.2024 | written_to
    de | Gesendete E-Mails | 3 | written_to
    de | Gesendet am | 12.03.2024 | written_to
    de | Nachricht gesendet | ja | written_to
    de | Nachricht versendet | nein | nothing
    de | E-Mails gesendet | 0 | nothing
    de | Verbindungsgrad | 1. | connected
    de | Kontaktgrad | 2. | nothing
    de | Kontaktgrad | 1 | connected
    de | Vernetzt am | 12.03.2024 | connected
    de | Verbunden | nein | nothing
    de | Einladung gesendet | 12.03.2024 | invited
    de | Einladung angenommen | ja | connected
    de | Einladungsstatus | angenommen | connected
    fr | Ne pas contacter | oui | refused
    fr | Désabonné | vrai | refused
    fr | A répondu | oui | answered
    fr | Dernière réponse | 5 octobre 2026 | answered
    fr | Dernier contact | 01/10/2026 | written_to
    fr | Dernier contact | jamais | nothing
    fr | Statut | contacté | written_to
    fr | Statut | pas contacté | nothing
    fr | Statut du lead | à contacter | nothing
    fr | Peut être contacté | non | refused
    fr | Degré de relation | 1er | connected
    fr | Message envoyé | oui | written_to
    fr | Invitation envoyée | oui | invited
    fr | Dernière connexion | 2026-01-01 | no column
    fr | Statut | terminé | written_to
    fr | Liste noire | oui | refused
    fr | Relancé | non | nothing
    fr | Sans réponse | oui | nothing
    fr | Ne plus contacter | oui | refused
    fr | Ne pas contacter | non | nothing
    fr | Ne souhaite pas être contacté | oui | refused
    fr | Désinscrit | oui | refused
    fr | Désinscrit le | 01/02/2024 | refused
    fr | Désabonné(e) | non | nothing
    fr | E-mail rejeté | oui | refused
    fr | Rebond | oui | refused
    fr | Sur liste noire | non | nothing
    fr | Contact autorisé | non | refused
    fr | Consentement | oui | nothing
    fr | Répondu | oui | answered
    fr | Réponse reçue | oui | answered
    fr | Date de réponse | 12/03/2024 | answered
    fr | Dernière réponse | jamais | nothing
    fr | Date du dernier contact | 12/03/2024 | written_to
    fr | Contacté | non | nothing
    fr | Contacté le | 12 mars 2024 | written_to
    fr | Dernier e-mail envoyé | 12/03/2024 | written_to
    fr | E-mails envoyés | 2 | written_to
    fr | Messages envoyés | 0 | nothing
    fr | Envoyé le | 12/03/2024 | written_to
    fr | Connecté le | 12/03/2024 | connected
    fr | Connecté | oui | connected
    fr | Degré de connexion | 2e | nothing
    fr | Degré de connexion | 1er | connected
    fr | Statut de connexion | en attente | invited
    fr | Statut de connexion | connecté | connected
    fr | Statut | a répondu | answered
    fr | Statut | sans réponse | written_to
    fr | Statut | nouveau | nothing
    fr | Statut | désabonné | refused
    fr | Statut | refusé | refused
    es | Estado | Sin interés | refused
    es | Estado | Rechazada | refused
    fr | Statut | non contacté | nothing
    fr | Statut | pas intéressé | refused
    fr | Invitation acceptée | oui | connected
    es | No contactar | sí | refused
    es | Dado de baja | verdadero | refused
    es | Ha respondido | sí | answered
    es | Última respuesta | 5 de octubre de 2026 | answered
    es | Último contacto | 01/10/2026 | written_to
    es | Estado del lead | contactado | written_to
    es | Estado del lead | no contactado | nothing
    es | Estado del lead | sin respuesta | written_to
    es | Grado de conexión | 1º | connected
    es | Etapa | prioridad baja | unclear
    es | Lista negra | sí | refused
    es | Rebotado | no | nothing
    es | Correo enviado | sí | written_to
    es | Invitación aceptada | sí | connected
    es | Invitación enviada | no | nothing
    es | Invitación enviada | sí | invited
    es | No contactar | no | nothing
    es | No molestar | sí | refused
    es | Baja | sí | refused
    es | Cancelado suscripción | sí | refused
    es | Correo rebotado | sí | refused
    es | Puede contactarse | no | refused
    es | Respondió | sí | answered
    es | Respondido | no | nothing
    es | Fecha de respuesta | 12/03/2024 | answered
    es | Respuesta recibida | sí | answered
    es | Contactado | sí | written_to
    es | Último contacto | nunca | nothing
    es | Fecha de último contacto | 12/03/2024 | written_to
    es | Mensaje enviado | sí | written_to
    es | Correos enviados | 3 | written_to
    es | Correos enviados | 0 | nothing
    es | Enviado el | 12/03/2024 | written_to
    es | Conectado | sí | connected
    es | Conectado desde | 12/03/2024 | connected
    es | Grado | 1º | connected
    es | Grado de conexión | 2º | nothing
    es | Estado de conexión | pendiente | invited
    es | Estado de contacto | no contactado | nothing
    es | Estado de contacto | respondió | answered
    es | Estado | contactado | written_to
    es | Estado | Jalisco | nothing
    nl | Niet benaderen | ja | refused
    nl | Uitgeschreven | waar | refused
    nl | Heeft geantwoord | ja | answered
    nl | Laatste reactie | 5 oktober 2026 | answered
    nl | Laatst gecontacteerd | nooit | nothing
    nl | Leadstatus | benaderd | written_to
    nl | Leadstatus | niet benaderd | nothing
    nl | Leadstatus | nieuw | nothing
    nl | Connectiegraad | 1e graad | connected
    nl | Zwarte lijst | ja | refused
    nl | Bericht verzonden | ja | written_to
    nl | Verbonden sinds | 2024-02-01 | connected
    nl | Uitnodiging geaccepteerd | ja | connected
    nl | Uitnodiging verzonden | ja | invited
    nl | Toestemming | nee | refused
    nl | Niet contacteren | ja | refused
    nl | Niet meer benaderen | nee | nothing
    nl | Afgemeld | ja | refused
    nl | Afgemeld op | 12-03-2024 | refused
    nl | Gebounced | ja | refused
    nl | Mag gecontacteerd worden | nee | refused
    nl | Beantwoord | ja | answered
    nl | Gereageerd | nee | nothing
    nl | Antwoord ontvangen | ja | answered
    nl | Laatste antwoord | 12-03-2024 | answered
    nl | Laatst benaderd | 12-03-2024 | written_to
    nl | Laatste contact | nooit | nothing
    nl | Benaderd | ja | written_to
    nl | Verzonden op | 12-03-2024 | written_to
    nl | E-mails verzonden | 2 | written_to
    nl | Verbonden op | 12-03-2024 | connected
    nl | Verbonden | ja | connected
    nl | Graad | 1e | connected
    nl | Contactstatus | benaderd | written_to
    nl | Contactstatus | niet benaderd | nothing
    nl | Contactstatus | beantwoord | answered
    nl | Verbindingsstatus | verbonden | connected
    pt | Não contatar | sim | refused
    pt | Descadastrado | verdadeiro | refused
    pt | Respondeu | sim | answered
    pt | Respondeu | não | nothing
    pt | Última resposta | 05/10/2026 | answered
    pt | Último contato | 01/10/2026 | written_to
    pt | Contatado no LinkedIn | sim | written_to
    pt | Status do lead | não contatado | nothing
    pt | Status do lead | novo | nothing
    pt | Grau de conexão | 1 | connected
    pt | Convite enviado | sim | invited
    pt | E-mail devolvido | sim | refused
    pt | Mensagem enviada | sim | written_to
    pt | Conectado em | 01/02/2024 | connected
    pt | Consentimento | não | refused
    pt | Não contactar | sim | refused
    pt | Não contatar | não | nothing
    pt | Descadastrado em | 12/03/2024 | refused
    pt | Cancelou a subscrição | sim | refused
    pt | E-mail retornado | sim | refused
    pt | Lista de bloqueio | sim | refused
    pt | Pode ser contactado | não | refused
    pt | Respondido | sim | answered
    pt | Data da resposta | 12/03/2024 | answered
    pt | Resposta recebida | não | nothing
    pt | Contactado em | 12/03/2024 | written_to
    pt | Contatado | não | nothing
    pt | Último contato | nunca | nothing
    pt | Mensagens enviadas | 2 | written_to
    pt | E-mails enviados | 0 | nothing
    pt | Enviado em | 12/03/2024 | written_to
    pt | Conectado | sim | connected
    pt | Grau | 1º | connected
    pt | Grau de conexão | 2º | nothing
    pt | Status da conexão | pendente | invited
    pt | Status da conexão | conectado | connected
    pt | Status | respondeu | answered
    pt | Status | sem resposta | written_to
    pt | Status | descadastrado | refused
"""


def meaning(header: str, value: str) -> str:
    rule = column_rule(header)
    if rule is None:
        return "no column"
    cell = cell_meaning(rule, value, TOMORROW)
    if cell.unclear:
        return "unclear"
    return str(cell.topic) if cell.topic else "nothing"


@pytest.mark.parametrize("case", [line for line in CASES.splitlines() if line])
def test_a_header_and_a_value_say_this(case: str) -> None:
    _, header, value, expected = (part.strip() for part in case.split("|"))
    assert meaning(header, value) == expected


@pytest.mark.parametrize(
    "header",
    [
        "Do not contact",
        "Unsubscribed",
        "Replied",
        "Last contacted",
        "E-mails sent",
        "Invited on",
        "Connected on",
        "Abgemeldet",
        "Geantwortet",
        "Kontaktiert am",
        "Désabonné",
        "A répondu",
        "Contacté le",
        "Dado de baja",
        "Respondido",
        "Contactado el",
        "Uitgeschreven",
        "Beantwoord",
        "Benaderd op",
        "Descadastrado",
        "Respondeu",
        "Contatado em",
    ],
)
@pytest.mark.parametrize(
    "value",
    [
        "",
        " ",
        "-",
        "—",
        "n/a",
        "N/A",
        "#N/A",
        "null",
        "none",
        "no",
        "No",
        "FALSE",
        "false",
        "0",
        "0.0",
        "never",
        "nein",
        "Nie",
        "falsch",
        "non",
        "faux",
        "jamais",
        "falso",
        "nunca",
        "nee",
        "onwaar",
        "nooit",
        "não",
        "☐",
        "✗",
        "1970-01-01",
        "1900-01-01",
        "01/01/1970",
        "0000-00-00",
        "0001-01-01T00:00:00Z",
        "2031-05-01",
        "01.05.2031",
        "not yet",
        "noch nicht",
        "pas encore",
        "nog niet",
        "ainda não",
    ],
)
def test_nothing_happened_where_a_cell_says_so_in_whatever_way(header: str, value: str) -> None:
    assert meaning(header, value) == "nothing"


@pytest.mark.parametrize(
    "header", ["Can contact", "Opt-in", "Darf kontaktiert werden", "Peut être contacté", "Toestemming"]
)
def test_a_column_that_allows_contact_is_not_read_the_wrong_way_round(header: str) -> None:
    assert [meaning(header, value) for value in ("yes", "true", "2026-03-01", "")] == ["nothing"] * 4
    assert [meaning(header, value) for value in ("no", "false", "0", "opted out")] == ["refused"] * 4


@pytest.mark.parametrize("day", ["2026-10-05", "05.10.2026", "5 Oct 2026", "Oct 5, 2026", "2026-10-05T08:00:00+02:00"])
def test_a_date_says_that_it_happened_and_when(day: str) -> None:
    columns = past_columns(["Name", "Last replied at"], TOMORROW)
    assert columns.row_past(["Ravi", day]).contact == PastContact(answered="2026-10-05")


def test_a_day_that_can_be_two_days_is_not_guessed() -> None:
    columns = past_columns(["Last contacted"], TOMORROW)
    assert columns.row_past(["04/03/2024"]).contact == PastContact(written_to="")


def test_all_columns_of_a_row_count_and_what_nobody_understands_is_kept() -> None:
    columns = past_columns(["Do Not Contact", "Emails sent", "Lead status", "Connected at", "Invited at"], TOMORROW)
    past = columns.row_past(["true", "2", "Nurture", "2026-02-01", "2026-01-01"])
    assert past.refused == "Do Not Contact: true"
    assert past.contact == PastContact(written_to="")
    assert (past.connected, past.connected_on) == (True, "2026-02-01")
    assert past.unclear == (("Lead status", "Nurture"),)


def test_an_invitation_that_was_accepted_is_a_connection_and_no_open_invitation() -> None:
    columns = past_columns(["Invitation sent", "Invitation accepted"], TOMORROW)
    past = columns.row_past(["yes", "yes"])
    assert (past.contact, past.connected) == (None, True)
    assert columns.row_past(["yes", "no"]).contact == PastContact(invited="")


def test_rows_that_say_the_same_are_read_alike_however_many_different_ones_lie_between() -> None:
    columns = past_columns(["Last replied at", "Do Not Contact"], TOMORROW)
    first = columns.row_past(["2026-10-05", "no"])
    for number in range(3_000):
        assert columns.row_past([f"call {number}", "no"]).unclear == (("Last replied at", f"call {number}"),)
    assert columns.row_past(["2026-10-05", "no"]) == first
    assert columns.row_past(["2026-10-05", "yes"]).refused == "Do Not Contact: yes"


def test_a_second_degree_contact_is_said_not_to_be_connected() -> None:
    assert past_columns(["Degree"], TOMORROW).row_past(["2nd"]).not_connected


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("1st", "1"),
        ("2nd", "2"),
        ("· 3rd+", "3"),
        ("DISTANCE_2", "2"),
        ("1º", "1"),
        ("1er", "1"),
        ("first", "1"),
        ("MSc", None),
        ("500", None),
    ],
)
def test_a_degree_is_a_number_however_it_is_spelled(text: str, number: str | None) -> None:
    assert degree_number(text) == number


def test_every_topic_can_be_told_in_every_language() -> None:
    tested = {
        (language.strip(), topic.strip())
        for language, _, _, topic in (line.split("|") for line in CASES.splitlines() if line)
    }
    assert {(language, topic) for language in ("en", "de", "fr", "es", "nl", "pt") for topic in Topic} <= tested


def test_a_column_is_told_as_what_it_is_understood_as() -> None:
    assert {
        name: column_title(name)
        for name in (
            "DNC", "Opt-in", "lastContactedAt", "emailsSent", "Letzte Antwort", "Invited at", "Not connected",
            "Connection degree", "leadState", "leadConnectionStatus", "Email status", "State", "City", "Reply rate",
        )
    } == {
        "DNC": "Do not contact",
        "Opt-in": "May be contacted",
        "lastContactedAt": "Contacted",
        "emailsSent": "Contacted",
        "Letzte Antwort": "Replied",
        "Invited at": "Invited",
        "Not connected": "Not connected",
        "Connection degree": "Connection degree",
        "leadState": "Lead status",
        "leadConnectionStatus": "Invitation status",
        "Email status": "E-mail status",
        "State": "",
        "City": "",
        "Reply rate": "",
    }  # fmt: skip


def test_every_kind_of_column_that_is_understood_has_a_title() -> None:
    topics = {rule.topic if rule.reads in (Reads.EVENT, Reads.TEXT) else rule.reads for rule in COLUMNS}
    assert set(COLUMN_TITLES) == topics - {None, Reads.NOTHING, Reads.PLACE_OR_STATE}
