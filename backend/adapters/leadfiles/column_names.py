"""What the columns of a table are called in many languages, as `column_key` spells it."""

# ruff: noqa: RUF001 - words of many scripts

from collections.abc import Mapping, Sequence

USUAL_COLUMN_NAMES: Mapping[str, Sequence[str]] = {
    "full_name": (
        "full name", "fullname", "name", "contact name", "contact", "kontakt", "person", "vollständiger name", "nom complet",
        "nombre completo", "volledige naam", "naam", "nome completo", "nome", "nome e cognome", "lead name", "prospect name",
        "complete name", "display name", "imię i nazwisko", "namn", "navn", "nimi", "jméno a příjmení", "név", "nume complet",
        "ad soyad", "adı soyadı", "ime i prezime", "фио", "полное имя", "піб", "ονοματεπώνυμο", "氏名", "お名前", "名前", "姓名",
        "成名", "이름", "성명", "表示名", "الاسم", "الاسم الكامل", "שם", "שם מלא", "họ và tên", "họ tên", "nama", "nama lengkap",
    ),
    "first_name": (
        "first name", "firstname", "given name", "name first name", "vorname", "prénom", "prenom", "nombre", "voornaam",
        "primeiro nome", "imię", "förnamn", "fornavn", "etunimi", "jméno", "meno", "keresztnév", "utónév", "prenume", "ad", "adı",
        "ime", "имя", "ім'я", "імя", "όνομα", "名", "الاسم الأول", "שם פרטי", "nama depan",
    ),
    "last_name": (
        "last name", "lastname", "surname", "family name", "name last name", "nachname", "familienname", "nom", "nom de famille",
        "apellidos", "apellido", "achternaam", "sobrenome", "apelido", "cognome", "nazwisko", "efternamn", "etternavn",
        "efternavn", "sukunimi", "příjmení", "priezvisko", "vezetéknév", "családnév", "nume", "nume de familie", "soyad", "soyadı",
        "prezime", "фамилия", "прізвище", "επώνυμο", "姓", "氏", "성", "اسم العائلة", "שם משפחה", "nama belakang",
    ),
    "profile_url": (
        "profile url", "linkedin url", "linkedin profile url", "person linkedin url", "linkedin profile", "linkedin",
        "profile link", "profile", "url", "linkedin profil", "profil linkedin", "url linkedin", "perfil de linkedin",
        "perfil linkedin", "perfil do linkedin", "linkedin profiel", "profil url", "profillink", "profil", "linkedin adresse",
        "url du profil", "lien du profil", "url del perfil", "enlace del perfil", "url do perfil", "link do perfil", "perfil",
        "profiel url", "profiellink", "profiel",
        "linkedin link", "linkedin page", "lien linkedin", "enlace de linkedin", "xing profil", "xing profile", "xing url",
    ),
    "email": (
        "email", "e mail", "email address", "email addresses", "e mail address", "work email", "mail", "e mail adresse",
        "adresse e mail", "courriel", "correo electrónico", "correo", "e mailadres", "emails", "dirección de correo electrónico",
        "adresse de messagerie", "indirizzo e mail", "posta elettronica", "adres e mail", "e post", "e postadress", "sähköposti",
        "e posta", "e pošta", "электронная почта", "эл почта", "почта", "メール", "メールアドレス", "電子メール", "邮箱",
        "电子邮箱", "电子邮件", "이메일", "البريد الإلكتروني", "דוא ל", "אימייל",
        "business email", "primary email", "recommended email", "email 1", "endereço de e mail", "correo electronico",
    ),
    "company": (
        "company", "company name", "current company", "organisation", "organization", "employer", "account", "accounts",
        "companies", "firma", "unternehmen", "société", "entreprise", "empresa", "organización", "sociedad", "compañía",
        "organização", "bedrijf", "organisatie", "azienda", "società", "företag", "firmanavn", "bedrift", "virksomhed", "yritys",
        "společnost", "cég", "companie", "şirket", "firma adı", "tvrtka", "компания", "организация", "компанія", "εταιρεία",
        "会社", "会社名", "組織", "公司", "公司名称", "회사", "회사명", "الشركة", "חברה", "công ty", "perusahaan",
        "account name", "organization name", "organisation name", "primary company", "current employer", "business name",
        "firmenname", "unternehmensname", "zugeordnetes unternehmen", "arbeitgeber", "nom de l entreprise", "nom de la société",
        "entreprise associée", "employeur", "nombre de la empresa", "nome da empresa", "nome azienda", "bedrijfsnaam",
        "werkgever", "nazwa firmy",
    ),
    "job_title": (
        "position", "job title", "jobtitle", "current job", "current title", "current position", "title", "role", "rolle", "job",
        "berufsbezeichnung", "jobtitel", "funktion", "poste", "fonction", "cargo", "puesto", "functie", "função", "posizione",
        "ruolo", "qualifica", "stanowisko", "tittel", "stilling", "tehtävä", "pozice", "beosztás", "funcție", "unvan", "pozisyon",
        "должность", "посада", "役職", "职位", "職稱", "직책", "직급", "jabatan", "job position", "titre1", "occupation",
        "jobbezeichnung", "stellenbezeichnung", "beruf", "intitulé du poste", "intitulé de poste", "job role", "designation",
        "professional title", "functietitel",
        "headline",
    ),
    "connected_on": (
        "connected on", "date connected", "connected", "vernetzt am", "vernetzt seit", "verbunden am", "verbunden seit",
        "connecté le", "connecté e le", "conectado el", "conectado em", "collegato il", "verbonden op",
    ),
    "tags": ("tags", "my tags", "labels"),
}  # fmt: skip
"""Field -> names that its column often has, best first."""

COLUMN_NAMES = frozenset(name for names in USUAL_COLUMN_NAMES.values() for name in names)

MAY_BE_FIRST = frozenset(("name", "naam", "nome", "namn", "navn", "nimi", "名前"))
"""Names of a column that hold the whole name unless there is one for the last."""

BEFORE_LAST_NAME = frozenset((
    "tussenvoegsel", "tussenvoegsels", "voorvoegsel", "voorvoegsels", "last name prefix", "surname prefix", "namenszusatz",
    "vorsatzwort", "nachnamenspräfix",
))  # fmt: skip
"""Names of a column with a part of the last name: the `van der` of Berg."""
