"""Files as people really have them: a list of quirks, each with the people that are in the file, or with the error it gives.

To add one, add a row. A file of no known kind is read as the window reads it, by the columns that are guessed for it.
"""

import time
import zipfile
from pathlib import Path

import pytest

from backend.adapters.leadfiles import LeadRow, RejectedRow, limits, read_leads, unknown_table
from backend.adapters.leadfiles.do_not_contact_file import read_do_not_contact_file
from backend.adapters.leadfiles.source import without_line_quotes
from backend.domain.model.variables import Recipient, columns_as_variables, fill
from backend.domain.people.past_contact import UnreadHistory
from backend.domain.values.errors import OutriderError

ODA_URL, JON_URL = "https://www.linkedin.com/in/oda-brandvik-77", "https://www.linkedin.com/in/jon-vik-78"
ODA = ("Oda Brandvik", "oda@nordlys.example", "Nordlys AS")
JON = ("Jon Vik", "jon@vik.example", "Vik AS")
HEADER = "Name,Email,Company\n"
ODA_LINE, JON_LINE = (",".join(person) + "\n" for person in (ODA, JON))
BOTH = HEADER + ODA_LINE + JON_LINE


def in_quotes(text: str) -> str:
    """Each line as a single cell."""
    return "".join('"{}"\n'.format(line.replace('"', '""')) for line in text.splitlines())


def between(text: str, opening: str, closing: str) -> str:
    """Each cell between these signs."""
    rows = (line.split(",") for line in text.splitlines())
    return "".join(",".join(f"{opening}{cell}{closing}" for cell in row) + "\n" for row in rows)


OLD_OFFICE = b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1" + bytes(500)
NOTHING_IN_NAMES = ("N/A", "null", "NULL", "None", "undefined", "nan", "NaN", "#N/A", "-", ".")

PEOPLE: dict[str, tuple[str | bytes, list[tuple[str, str, str]]]] = {
    # what splits the cells
    "semicolons": (BOTH.replace(",", ";"), [ODA, JON]),
    "no delimiter behind the last cell (contacts-import, report 2)": (
        "Name;Email;Company;City\nOda Brandvik;oda@nordlys.example;Nordlys AS\nJon Vik;jon@vik.example;Vik AS\n", [ODA, JON]
    ),
    "names of columns with remarks": (BOTH.replace("Name,Email", "Name (required),Email (Optional) "), [ODA, JON]),
    **{
        f"addresses as {kind}": (BOTH.replace(ODA[1], text.format(ODA[1])).replace(JON[1], text.format(JON[1])), [ODA, JON])
        for kind, text in (
            ("JSON (krayin, report 2632)", '"[{{""label"": ""work"", ""value"": ""{0}""}}]"'), ("a list", '"[""{0}""]"'),
            ("a list of Python's", "['{0}']"), ("a link of Markdown", "[{0}](mailto:{0})"),
        )
    },
    "several addresses in a cell (ownCloud, report 818)": (
        BOTH.replace(ODA[1], f"{ODA[1]} ::: oda@home.example").replace("Email", "Contact data"), [ODA, JON]
    ),
    "a wide sign in an address": (BOTH.replace("oda@", "oda\uff20"), [ODA, JON]),
    "tabs": (BOTH.replace(",", "\t"), [ODA, JON]),
    "semicolons in the cells of every row": (
        "Name,Email,Company,Notes\n" + ODA_LINE.replace("\n", ",a; b; c; d; e\n") + JON_LINE.replace("\n", ",a; b; c; d; e\n"),
        [ODA, JON],
    ),
    "semicolons, and commas in every number": (
        "Name;Email;Company;Score\n" + (ODA_LINE + JON_LINE).replace(",", ";").replace("\n", ";1,5\n"), [ODA, JON]
    ),
    "bars": (BOTH.replace(",", "|"), [ODA, JON]),
    "sep=; is obeyed": ("sep=;\r\n" + BOTH.replace(",", ";"), [ODA, JON]),
    "sep=, in quotes": ('"sep=,"\r\n' + BOTH, [ODA, JON]),
    "sep= and a byte order mark": ("\ufeffsep=;\n" + BOTH.replace(",", ";"), [ODA, JON]),
    "sep= in other letters": ("SEP=\t\n" + BOTH.replace(",", "\t"), [ODA, JON]),
    "sep= names what none of our own delimiters is": ("sep=^\n" + BOTH.replace(",", "^"), [ODA, JON]),
    "sep= and many commas in the cells": (
        "sep=;\nName;Email;Company\nOda Brandvik;oda@nordlys.example;\"A, B, C, D\"\n",
        [("Oda Brandvik", "oda@nordlys.example", "A, B, C, D")],
    ),
    "sep= of Excel with delimiters behind it": ("sep=;;;\n" + BOTH.replace(",", ";"), [ODA, JON]),
    # every line wholly in quotes (parsecsv-for-php, report 70)
    "every line in quotes": (in_quotes(BOTH), [ODA, JON]),
    "every line in quotes, and cells in quotes in them": (
        in_quotes(HEADER + '"Brandvik, Oda",oda@nordlys.example,"Nordlys ""Nord"" AS"\n' + JON_LINE),
        [("Brandvik, Oda", "oda@nordlys.example", 'Nordlys "Nord" AS'), JON],
    ),
    "every line in quotes, a blank one between": (in_quotes(HEADER + ODA_LINE) + "\n" + in_quotes(JON_LINE), [ODA, JON]),
    # every cell between other quotation marks
    **{
        f"every cell between {opening} and {closing} (OpenRefine, report 1086)": (between(BOTH, opening, closing), [ODA, JON])
        for opening, closing in ("''", "\u2018\u2019", "\u201c\u201d", "\u201e\u201c", "\u201d\u201d", "\xab\xbb")
    },
    "every value between apostrophes within quotes (hasura, report 6839)": (
        HEADER + between(ODA_LINE + JON_LINE, "\"'", "'\""), [ODA, JON]
    ),
    "a row of such a table without them": (
        between(HEADER + ODA_LINE * 3, "'", "'") + "Pim 't Hooft,p@x.example,\n" + between(JON_LINE, "'", "'"),
        [ODA] * 3 + [("Pim 't Hooft", "p@x.example", ""), JON],
    ),
    "apostrophes that are no quotation marks": (
        HEADER + "'t Hooft Pim,p@x.example,Smiths'\nKim O'Brien,k@x.example,'s-Hertogenbosch\n",
        [("'t Hooft Pim", "p@x.example", "Smiths'"), ("Kim O'Brien", "k@x.example", "'s-Hertogenbosch")],
    ),
    "quotation marks around some names": (
        HEADER + "\u201cOda\u201d Brandvik,o@x.example,\u201cVik\u201d\nJon Vik,j@x.example,'Vik'\n",
        [("\u201cOda\u201d Brandvik", "o@x.example", "\u201cVik\u201d"), ("Jon Vik", "j@x.example", "'Vik'")],
    ),
    # where the header is
    "a title": ("Leads of the fair\n" + BOTH, [ODA, JON]),
    "a title of a spreadsheet": ("Leads of the fair,,\n,,\n" + BOTH, [ODA, JON]),
    "a title, a date and a blank line": ("Leads\nExported on,28.11.2026\n\n" + BOTH, [ODA, JON]),
    "a title that is called like a column": ("Contact\n" + BOTH, [ODA, JON]),
    "a title in quotes over two lines": ('"Leads\nof the fair"\n' + BOTH, [ODA, JON]),
    "groups of columns": ("Person,,Work\n" + BOTH, [ODA, JON]),
    "a header that comes again": (HEADER + ODA_LINE + HEADER + JON_LINE, [ODA, JON]),
    "a byte order mark in front of a later name": (HEADER + ODA_LINE + "\ufeff" + JON_LINE, [ODA, JON]),
    "a header that comes again behind a byte order mark": (HEADER + ODA_LINE + "\ufeff" + HEADER + JON_LINE, [ODA, JON]),
    "a header that comes again in other letters": (HEADER + ODA_LINE + "NAME , EMAIL, Company\n" + JON_LINE, [ODA, JON]),
    "two exports in one file": (BOTH + "\n" + BOTH, [ODA, JON, ODA, JON]),
    "groups of columns that are called like columns": (
        "Contact,,,Company\nFirst name,Last name,Email,Name\nOda,Brandvik,oda@x.example,Nordlys AS\nJon,Vik,jon@x.example,Vik AS\n",
        [("Oda Brandvik", "oda@x.example", ""), ("Jon Vik", "jon@x.example", "")],
    ),
    # how the columns are called
    **{
        f"columns in {language}": (f"{header}\n{first};{last};a@x.example;Vik AS\n", [(f"{first} {last}", "a@x.example", "Vik AS")])
        for language, header, first, last in (
            ("Italian", "Nome;Cognome;Indirizzo e-mail;Azienda", "Niccolò", "Rossi"),
            ("Portuguese", "Nome;Sobrenome;E-mail;Empresa", "João", "da Silva"),
            ("Polish", "Imię;Nazwisko;Adres e-mail;Firma", "Łukasz", "Wąsik"),
            ("Swedish", "Förnamn;Efternamn;E-post;Företag", "Åsa", "Öberg"),
            ("Finnish", "Etunimi;Sukunimi;Sähköposti;Yritys", "Päivi", "Aho"),
            ("Romanian", "Prenume;Nume;E-mail;Companie", "Ștefan", "Popa"),
            ("Turkish", "Ad;Soyad;E-posta;Şirket", "Çağla", "Öztürk"),
            ("Russian", "Имя;Фамилия;Эл. почта;Компания", "Игорь", "Соколов"),
            ("English, one of them for the first name", "Name;Surname;Mail;Employer", "Oda", "Brandvik"),
            ("Spanish, as Outlook has them", "Nombre;Apellidos;Dirección de correo electrónico;Organización", "Lucía", "Núñez"),
        )
    },
    **{
        f"columns in {language}": (f"{header}\n{name},a@x.example,{company}\n", [(name, "a@x.example", company)])
        for language, header, name, company in (
            ("Japanese", "氏名,メールアドレス,会社名", "山田 太郎", "サクラ"),
            ("Chinese", "姓名,邮箱,公司", "王小明", "春天"),
            ("Korean", "이름,이메일,회사", "김민수", "하늘"),
            ("Arabic", "الاسم,البريد الإلكتروني,الشركة", "سارة الخطيب", "النور"),
            ("Vietnamese", "Họ và tên,Email,Công ty", "Trần Thị Mai", "Hoa Sen"),
        )
    },
    **{
        f"columns of {tool}": (f"{header}\n{row}\n", [ODA])
        for tool, header, row in (
            ("Attio", "Name > First name,Name > Last name,Email addresses,Company", ",".join(("Oda", "Brandvik", *ODA[1:]))),
            ("Thunderbird (owncloud, report 1108)", "Display Name,Primary Email,Organization", ",".join(ODA)),
            ("Thunderbird in Japanese (rainloop, report 960)", "表示名,メールアドレス,組織", ",".join(ODA)),
            (
                "Outlook in French (roundcube, report 7041)", "Titre,Prénom,Deuxième prénom,Nom,Adresse de messagerie,Société",
                ",Oda,,Brandvik," + ",".join(ODA[1:]),
            ),
            ("folk", "Full name,Emails,Companies", ",".join(ODA)),
            ("HubSpot in German", "ID,Vorname,Nachname,E-Mail,Zugeordnetes Unternehmen", "1,Oda,Brandvik," + ",".join(ODA[1:])),
            ("HubSpot in French", "ID,Prénom,Nom,E-mail,Entreprise associée", "1,Oda,Brandvik," + ",".join(ODA[1:])),
            ("HubSpot", "Record ID,First Name,Last Name,Email,Primary Company", "1,Oda,Brandvik," + ",".join(ODA[1:])),
            ("RocketReach", "Name,Recommended Email,Current Employer", ",".join(ODA)),
            ("Freshsales", "First name,Last name,Emails,Account name", ",".join(("Oda", "Brandvik", *ODA[1:]))),
            ("Dynamics", "(Do Not Modify) Contact,Full Name,Email,Company Name", ",".join(("1f0c", *ODA))),
        )
    },
    "a column for what stands before the last name": (
        "Voornaam;Tussenvoegsel;Achternaam;E-mailadres;Bedrijf\nJan;van der;Berg;j@x.example;Vik AS\nEls;;Bos;e@x.example;Vik AS\n",
        [("Jan van der Berg", "j@x.example", "Vik AS"), ("Els Bos", "e@x.example", "Vik AS")],
    ),
    # what stands below the people
    **{
        f"{below.strip(',')} below the people": (BOTH + below + "\n", [ODA, JON])
        for below in (
            "Total,,", "Grand total:,,2", "Summe,,", "Totale,,", "合計,,", "2 records exported,,", "Total: 2 contacts,,",
            "Exported on 28 Nov 2026,,", "Confidential Information - Do Not Distribute,,", "Copyright (c) 2026 Example,,",
        )
    },
    "somebody called Total": (
        HEADER + "Total,total@x.example,\nTotal Sum,,\n", [("Total", "total@x.example", ""), ("Total Sum", "", "")]
    ),
    "another table below": (BOTH + "\nCompany,Revenue,\nNordlys,12,\nVik,3,\n", [ODA, JON]),
    "another table below, and the people again": (
        HEADER + ODA_LINE + ",,\nCompany,Revenue,\nNordlys,12,\n\n" + HEADER + JON_LINE, [ODA, JON]
    ),
    "a blank line before somebody called like a column": (
        HEADER + ODA_LINE + "\nJob Vik,jon@vik.example,Vik AS\n", [ODA, ("Job Vik", *JON[1:])]
    ),
    # how wide it is
    "delimiters behind every row": (BOTH.replace("\n", ",,\n"), [ODA, JON]),
    "delimiters behind the rows, not behind the header": (HEADER + (ODA_LINE + JON_LINE).replace("\n", ",\n"), [ODA, JON]),
    "delimiters behind the header only": (HEADER.replace("\n", ",,\n") + ODA_LINE + JON_LINE, [ODA, JON]),
    "the last row without its delimiters": (BOTH.replace("\n", ",,\n").removesuffix(",,\n"), [ODA, JON]),
    "an empty first column": ("".join(f",{line}\n" for line in BOTH.splitlines()), [ODA, JON]),
    "an empty column between": (BOTH.replace(",", ",,"), [ODA, JON]),
    "rows of delimiters only": (HEADER + ",,\n" + ODA_LINE + ",,\n" + JON_LINE + ",,\n", [ODA, JON]),
    "a column that comes twice": (
        "Name,Email,Company,Email\nOda Brandvik,,Nordlys AS,oda@nordlys.example\nJon Vik,jon@vik.example,Vik AS,\n",
        [ODA, JON],
    ),
    # how a cell is written
    "quoted after a blank": ('"Name", "Email", "Company"\n"Oda Brandvik", "oda@nordlys.example", "Nordlys AS"\n', [ODA]),
    "a line break in a cell": (HEADER + '"Oda\nBrandvik",oda@nordlys.example,"Nordlys\r\nAS"\n' + JON_LINE, [ODA, JON]),
    "a line break in the header": ('Name,"E-\nmail",Company\n' + ODA_LINE + JON_LINE, [ODA, JON]),
    "a line break in a cell and delimiters behind it": (HEADER + '"Oda\nBrandvik",oda@nordlys.example,Nordlys AS,\n', [ODA]),
    "blanks around": (BOTH.replace(",", " , "), [ODA, JON]),
    "blanks that do not break": (BOTH.replace(" ", "\u00a0").replace(",", "\u00a0,\u202f"), [ODA, JON]),
    "a cell of nothing but a blank that does not break": (HEADER + "Oda Brandvik,oda@nordlys.example,\u00a0\n", [(*ODA[:2], "")]),
    **{
        f"e-mail addresses as in {text.format('…')}": (BOTH.replace(ODA[1], text.format(ODA[1])), [ODA, JON])
        for text in (
            "{}.", "{};", "{}|", "<{}>", "\uff1c{}\uff1e", "MAILTO:{}?cc=a@b.example",
            "E-mail: {}", "work: {}", "{} (work)", "{}\u00a0(old)",
        )
    },
    **{
        f"{email} is nobody's": (BOTH.replace(ODA[1], email), [(ODA[0], "", ODA[2]), JON])
        for email in (
            "email_not_unlocked@domain.com", "noemail@noemail.com", "No-Email@x.example", "none@none.com", "na@na.com",
            "test@test.com", "no-reply@nordlys.example", "not_available@x.example",
        )
    },
    **{
        f"{email} may be somebody's": (BOTH.replace(ODA[1], email), [(ODA[0], email, ODA[2]), JON])
        for email in ("na@nordlys.example", "test@nordlys.example", "noel@mail.example", "o'brien@x.example", "nora@na.example")
    },
    **{
        f"a whole name beside {first!r}": (
            f"First name,Last name,Email,Company\n{first},{last}," + ",".join(ODA[1:]) + "\n", [ODA]
        )
        for first, last in (("Oda Brandvik", ""), ("Oda Brandvik", "Brandvik"), ("Oda BRANDVIK ", "Brandvik"), ("", "Oda Brandvik"))
    },
    "a name twice that may be one": (
        "First name,Last name,Email,Company\nMary Lee,Leeds,m@x.example,\nThomas,Thomas,t@x.example,\n",
        [("Mary Lee Leeds", "m@x.example", ""), ("Thomas Thomas", "t@x.example", "")],
    ),
    "a last name in capitals without their sign beside itself": (
        "First name,Last name,Email,Company\nAnn STRASS,Stra\u00df,s@x.example,\n", [("Ann Stra\u00df", "s@x.example", "")]
    ),
    "the last name first in a column of its own": (
        'Full name,First name,Last name,Email,Company\n"BRANDVIK, Oda",Oda,Brandvik,' + ",".join(ODA[1:]) + "\n", [ODA]
    ),
    "e-mail addresses in quotes (Outlook)": (
        BOTH.replace(ODA[1], f"'{ODA[1]}'").replace(JON[1], f"\u201c{JON[1]}\u201d"), [ODA, JON]
    ),
    "titles of related pages (Notion)": (
        BOTH.replace("Nordlys AS", f"Nordlys AS (https://www.notion.so/Nordlys-{'0f' * 16}?pvs=21)")
        .replace("Vik AS", f"Vik AS (../Firms/Vik%20AS%20{'0f' * 16}.md)"), [ODA, JON]
    ),
    "brackets that are no link": (
        BOTH.replace("Nordlys AS", "Nordlys (https://n.example)"), [(*ODA[:2], "Nordlys (https://n.example)"), JON]
    ),
    "a number as text": (HEADER + '="Oda Brandvik",="oda@nordlys.example","=""Nordlys AS"""\n', [ODA]),
    "names that lead to profiles": (
        HEADER + f'"=HYPERLINK(""{ODA_URL}"",""Oda Brandvik"")",oda@nordlys.example,Nordlys AS\n'
        f'"=HYPERLINK(""{JON_URL}"",""Jon Vik"")",jon@vik.example,Vik AS\n',
        [ODA, JON],
    ),
    "linked cells": (
        HEADER + '"=HYPERLINK(""https://x.example"",""Oda Brandvik"")","=HYPERLINK(""mailto:oda@nordlys.example"",""Mail"")",'
        '"=HYPERLINK(""https://n.example"";""Nordlys AS"")"\n',
        [ODA],
    ),
    "e-mail addresses with names": (HEADER + 'Oda Brandvik,"Oda <oda@nordlys.example>",Nordlys AS\n', [ODA]),
    "several e-mail addresses, as Google writes them": (
        HEADER + "Oda Brandvik,oda@nordlys.example ::: oda@home.example,Nordlys AS\n", [ODA]
    ),
    "several e-mail addresses": (HEADER + 'Oda Brandvik,"oda@nordlys.example; oda@home.example",Nordlys AS\n', [ODA]),
    "a list of e-mail addresses": (HEADER + "Oda Brandvik,\"['oda@nordlys.example', 'oda@home.example']\",Nordlys AS\n", [ODA]),
    "several e-mail addresses with names": (
        HEADER + 'Oda Brandvik,"Oda <oda@nordlys.example>; Oda <oda@home.example>",Nordlys AS\n', [ODA]
    ),
    **{
        f"{error} for nothing (phantombuster, report 53)": (BOTH.replace("Nordlys AS", error), [(*ODA[:2], ""), JON])
        for error in ("#NAME?", "#NAAM?", "#BEZUG!", "#\xa1VALOR!", "#\xbfNOMBRE?", "#DEEL/0!", "#N/D", "#ERROR!", "Err:508")
    },
    "signs that are no errors": (
        BOTH.replace("Nordlys AS", "#wow!").replace("Vik AS", "#1!"), [(*ODA[:2], "#wow!"), (*JON[:2], "#1!")]
    ),
    "signs of a page": (
        HEADER + "Oda O&#39;Brien,oda@x.example,Smith &amp; Co\nJon D&#039;Arcy,jon@x.example,L&amp;#039;Agap&amp;eacute;\n",
        [("Oda O'Brien", "oda@x.example", "Smith & Co"), ("Jon D'Arcy", "jon@x.example", "L'Agapé")],
    ),
    "what looks like a sign of a page and is none": (
        HEADER + "Oda Brandvik,oda@x.example,A&B; C & D\n", [("Oda Brandvik", "oda@x.example", "A&B; C & D")]
    ),
    "guarded against formulas": (
        HEADER + "Oda Brandvik,oda@x.example,'+Nordlys\nMaarten 't Hart,m@x.example,'t Nest\n",
        [("Oda Brandvik", "oda@x.example", "+Nordlys"), ("Maarten 't Hart", "m@x.example", "'t Nest")],
    ),
    # words for nothing
    **{
        f"{word} is no company": (HEADER + f"Oda Brandvik,oda@nordlys.example,{word}\n", [(*ODA[:2], "")])
        for word in (*NOTHING_IN_NAMES, "n/a", "#REF!", "--", "\u2014", "(blank)", " N/A ")
    },
    **{
        f"{word} is no e-mail": (HEADER + f"Oda Brandvik,{word},Nordlys AS\n", [(ODA[0], "", ODA[2])])
        for word in ("N/A", "null", "None", "-")
    },
    **{
        f"{word} is no last name": (f"First name,Last name,Email,Company\nJon,{word},jon@vik.example,Vik AS\n", [("Jon", *JON[1:])])
        for word in NOTHING_IN_NAMES
    },
    "people are called Null": (
        "First name,Last name,Email,Company\nJennifer,Null,jn@null.example,Vik AS\nNan,Goldin,nan@goldin.example,Vik AS\n",
        [("Jennifer Null", "jn@null.example", "Vik AS"), ("Nan Goldin", "nan@goldin.example", "Vik AS")],
    ),
    # which characters, which lines
    "UTF-8 with its mark": (("\ufeff" + BOTH).encode(), [ODA, JON]),
    "UTF-16": (BOTH.encode("utf-16"), [ODA, JON]),
    "UTF-16 with tabs, as Excel writes it": (BOTH.replace(",", "\t").replace("\n", "\r\n").encode("utf-16"), [ODA, JON]),
    "UTF-16 without its mark": (BOTH.encode("utf-16-le"), [ODA, JON]),
    "carriage returns only": (BOTH.replace("\n", "\r"), [ODA, JON]),
    "carriage returns and line feeds mixed": (HEADER + ODA_LINE.replace("\n", "\r\n") + JON_LINE, [ODA, JON]),
    **{
        f"{title} ({encoding})": (f"{HEADER}{first},a@x.example,\n{second},b@x.example,\n".encode(encoding), [
            (first, "a@x.example", ""), (second, "b@x.example", "")
        ])
        for encoding, title, first, second in (
            ("cp1252", "Western", "Renée Müller", "Zoë Lefèvre"),
            ("cp1250", "Polish on Windows", "Łukasz Wąsik", "Michał Święch"),
            ("iso8859_2", "Polish on Unix", "Łukasz Wąsik", "Michał Święch"),
            ("iso8859_2", "Czech on Unix", "Aleš Dvořák", "Lukáš Žižka"),
            ("mac_roman", "Western on a Mac", "Renée Müller", "Zoë Lefèvre"),
            ("cp1251", "Russian", "Ольга Петрова", "Игорь Соколов"),
            ("cp1254", "Turkish", "Ayşe Yıldız", "Çağla Öztürk"),  # noqa: RUF001 - a letter
            ("cp1252", "French that could be Japanese", "Renée", "François Lefèvre"),
            ("cp1252", "Portuguese that could be Japanese", "João", "Ana Gonçalves"),
            ("cp1250", "Czech, few", "Jiří Dvořák", "Jan Hus"),
            ("cp1252", "Icelandic", "Sigþór Guðmundsson", "Þórdís Ýr"),
            ("cp1250", "Polish without signs of its own on Windows", "Łukasz Wąsik", "Jan Kos"),
            ("cp1253", "Greek", "Γιώργος Παππάς", "Ελένη Γεωργίου"),
        )
    },
}  # fmt: skip

REFUSED: dict[str, tuple[bytes, str]] = {
    "JSON": (b'[\n {"name": "Oda", "email": "oda@nordlys.example"}\n]\n', "lead_file_not_a_table"),
    "a JSON object": (b'{"leads": [{"name": "Oda"}]}', "lead_file_not_a_table"),
    "JSON lines": (b'{"name": "Oda", "email": "a@b.example"}\n{"name": "Jon"}\n', "lead_file_not_a_table"),
    "a page": (b"<!DOCTYPE html>\n<html><body>Sign in, please</body></html>", "lead_file_not_a_table"),
    "a page that calls itself a workbook": (b"\r\n <html xmlns:x='urn'><table><tr><td>Name", "lead_file_not_a_table"),
    "a table of a page": ("\ufeff<table border=1><tr><td>Name".encode(), "lead_file_not_a_table"),
    "XML": (b'<?xml version="1.0"?>\n<Workbook><Row/></Workbook>', "lead_file_not_a_table"),
    "a page in UTF-16": ("<html><body></body></html>".encode("utf-16"), "lead_file_not_a_table"),
    "an address card": (b"BEGIN:VCARD\nVERSION:3.0\nFN:Oda Brandvik\nEND:VCARD\n", "lead_file_address_cards"),
    "rich text": (b"{\\rtf1\\ansi Name, Email}", "lead_file_not_a_table"),
    "an address book in LDIF": (b"dn: cn=Oda Brandvik,mail=oda@nordlys.example\ncn: Oda Brandvik\n", "lead_file_not_a_table"),
    "a document": (b"%PDF-1.7", "lead_file_binary"),
    "an old document": (OLD_OFFICE + "WordDocument".encode("utf-16-le"), "lead_file_binary"),
    "an e-mail of Outlook": (OLD_OFFICE + "__substg1.0_0037001F".encode("utf-16-le"), "lead_file_binary"),
    "a workbook of Excel 97": (OLD_OFFICE + "Workbook".encode("utf-16-le"), "lead_file_old_workbook"),
    "a workbook of Excel 5 without a container": (b"\x09\x08\x08\0\0\x05\x10\0" + bytes(9), "lead_file_old_workbook"),
    "a workbook of Excel 2": (b"\x09\0\x04\0\x02\0\x10\0Name", "lead_file_old_workbook"),
}  # fmt: skip


CONNECTIONS = "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n" + "".join(
    f"{name.replace(' ', ',')},{url},{email},{company},,\n"
    for (name, email, company), url in ((ODA, ODA_URL), (JON, JON_URL))
)
MESSAGES = "CONVERSATION ID,FROM,SENDER PROFILE URL,TO,RECIPIENT PROFILE URLS,DATE,CONTENT\n"
TO_ODA = f"1,Me,https://www.linkedin.com/in/me,Oda Brandvik,{ODA_URL},2026-01-01 10:00:00 UTC,Hi\n"
TO_JON = f"2,Me,https://www.linkedin.com/in/me,Jon Vik,{JON_URL},2026-01-02 10:00:00 UTC,Hi\n"
TORN = '3,Me,"torn\n'

EXPORTS: dict[str, tuple[dict[str, str], list[str], UnreadHistory]] = {
    "messages": ({"messages.csv": MESSAGES + TO_ODA}, ["Oda Brandvik"], UnreadHistory()),
    **{
        f"{name} is talk with an assistant": ({f"{name}.csv": MESSAGES + TO_ODA}, [], UnreadHistory())
        for name in ("guide_messages", "learning_coach_messages", "learning_role_play_messages")
    },
    **{
        f"{name} beside messages": (
            {"messages.csv": MESSAGES + TO_JON, f"{name}.csv": MESSAGES + TO_ODA + TORN}, ["Jon Vik"], UnreadHistory()
        )
        for name in ("guide_messages", "learning_coach_messages", "learning_role_play_messages")
    },
    "a damaged message": ({"messages.csv": MESSAGES + TO_ODA + TORN}, ["Oda Brandvik"], UnreadHistory(rows=1)),
    "messages under headings that nobody knows": (
        {"messages.csv": "Wer,Wem,Wann\nIch,Oda Brandvik,gestern\n"}, [], UnreadHistory(tables=("export.zip/messages.csv",))
    ),
    "messages of 2019, without addresses (Facebook-Messenger-Bot, report 54)": (
        {"messages.csv": "FROM,TO,DATE,SUBJECT,CONTENT,DIRECTION,FOLDER\nMe,Oda Brandvik,2019-11-06T02:08:20,,Hi,OUTGOING,INBOX\n"},
        [], UnreadHistory(tables=("export.zip/messages.csv",)),
    ),
    "no messages": ({"messages.csv": ""}, [], UnreadHistory()),
}  # fmt: skip
"""Tables beside the connections, who was written to, and what is told to be lost."""


def rows_of(path: Path) -> list[LeadRow | RejectedRow]:
    """The rows as the window reads them."""
    try:
        return list(read_leads(path))
    except OutriderError as unknown:
        if unknown.code != "lead_file_unknown_format":
            raise
    return list(read_leads(path, unknown_table(path).guessed))


def written(tmp_path: Path, content: str | bytes) -> Path:
    path = tmp_path / "people.csv"
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


@pytest.mark.parametrize("quirk", PEOPLE)
def test_the_people_of_a_file_are_found(tmp_path: Path, quirk: str) -> None:
    content, people = PEOPLE[quirk]
    read = rows_of(written(tmp_path, content))
    assert [(row.full_name, row.email or "", row.company or "") for row in read if isinstance(row, LeadRow)] == people


@pytest.mark.parametrize("quirk", EXPORTS)
def test_history_of_an_export_is_read_or_told_to_be_lost(tmp_path: Path, quirk: str) -> None:
    tables, in_touch, unread = EXPORTS[quirk]
    path = tmp_path / "export.zip"
    with zipfile.ZipFile(path, "w") as archive:
        for name, table in {"Connections.csv": CONNECTIONS, **tables}.items():
            archive.writestr(name, table)
    source = read_leads(path)
    assert [row.full_name for row in source if isinstance(row, LeadRow) and row.past] == in_touch
    assert source.unread_history == unread
    assert len(unread.sentences) == bool(unread.rows) + len(unread.tables)


@pytest.mark.parametrize("quirk", REFUSED)
def test_what_is_no_table_says_so(tmp_path: Path, quirk: str) -> None:
    content, code = REFUSED[quirk]
    with pytest.raises(OutriderError) as refused:
        rows_of(written(tmp_path, content))
    assert refused.value.code == code


@pytest.mark.parametrize(
    "content",
    [
        in_quotes(HEADER + ODA_LINE) + JON_LINE,
        in_quotes(HEADER + ODA_LINE + "Vik,Jon,jon@vik.example,Vik AS\n"),
        in_quotes("Brandvik,Oda\nVik,Jon\n"),
    ],
    ids=["not every line", "rows of other lengths", "no header"],
)
def test_lines_in_quotes_that_may_mean_something_else_are_no_table(tmp_path: Path, content: str) -> None:
    with pytest.raises(OutriderError) as refused:
        read_leads(written(tmp_path, content.encode()))
    assert refused.value.code == "lead_file_unknown_format"


def test_lines_in_quotes_are_split_by_any_delimiter_and_end_as_they_end(tmp_path: Path) -> None:
    content = in_quotes(BOTH.replace(",", ";")).replace("\n", "\r\n")
    table = written(tmp_path, content)
    assert (unknown_table(table).delimiter, rows_of(table)[1].raw) == (
        ";",
        JON_LINE.replace(",", ";").replace("\n", "\r\n"),
    )


def test_of_a_table_in_quotes_a_line_that_is_none_of_its_rows_is_reported(tmp_path: Path) -> None:
    longer = "Jon Vik,jon@vik.example,Vik AS,Oslo,Norway\n"
    content = in_quotes(HEADER + ODA_LINE * limits.HEADER_RECORDS + longer) + longer + in_quotes(JON_LINE)
    rows = rows_of(written(tmp_path, content))
    rejected = [(row.line, row.raw) for row in rows if isinstance(row, RejectedRow)]
    assert rejected == [(12, longer), (13, longer)]
    assert len(rows) == limits.HEADER_RECORDS + 3


def test_a_double_first_name_is_kept_from_the_file_to_the_greeting(tmp_path: Path) -> None:
    header = "First Name,Last Name,URL,Email Address,Company,Position,Connected On\n"
    names = {"Mary Ann": "Lee", "Dr. med. Anna": "Maier", "JANE": "Doe", "£ukasz": "Lis", "小明": "王"}
    rows = "".join(f"{first},{last},,,,,\n" for first, last in names.items())
    read = [row for row in rows_of(written(tmp_path, header + rows)) if isinstance(row, LeadRow)]
    greeted = [
        fill("{first_name|?}", Recipient(r.full_name, more=columns_as_variables(r.extra)), "").text for r in read
    ]
    assert greeted == ["Mary Ann", "Anna", "Jane", "?", "小明"]


def test_cells_between_apostrophes_hold_what_cells_may_hold(tmp_path: Path) -> None:
    rows = (
        "'O'Brien, Kim', 'kim@x.example' ,'Vik \"V\" AS'\n'Dara O''Dea','','Fish, 'n' Co'\n,'a@b.example',12\n"
        "'Lea\nRoux','lea@x.example','L\\'Agap\xe9'\n"
    )
    read = rows_of(written(tmp_path, "Leads\n\n" + between(HEADER, "'", "'") + rows))
    assert [(row.full_name, row.email, row.company) for row in read if isinstance(row, LeadRow)] == [
        ("O'Brien, Kim", "kim@x.example", 'Vik "V" AS'),
        ("Dara O'Dea", None, "Fish, 'n' Co"),
        ("Lea Roux", "lea@x.example", "L'Agap\xe9"),
    ]
    assert [(row.line, row.code) for row in read if isinstance(row, RejectedRow)] == [(6, "no_name")]


def test_unusual_quotation_marks_are_told_wherever_a_file_is_read(tmp_path: Path) -> None:
    unusual = written(tmp_path, between(BOTH, "\u201c", "\u201d"))
    sentence = "The cells stand between \u201c…\u201d, which are read as quotation marks."
    table = unknown_table(unusual)
    for sheet in (table.sheet, read_leads(unusual, table.guessed).sheet, read_do_not_contact_file(unusual).sheet):
        assert sheet.sentences == [sentence]
    assert unknown_table(written(tmp_path, BOTH)).sheet.sentences == []


def test_a_row_that_never_ends_takes_no_longer_than_it_is_long(tmp_path: Path) -> None:
    begun = time.process_time()
    rows_of(written(tmp_path, between(BOTH, "'", "'") + "'1," * 100_000 + "\n"))
    assert time.process_time() - begun < 5.0, "a square of its length takes minutes"


def test_a_header_below_a_title_names_the_columns_in_the_window(tmp_path: Path) -> None:
    for beginning in ("sep=,\n", "Leads of the fair\n\n", "Leads,,\n,,\n"):
        assert unknown_table(written(tmp_path, beginning + BOTH)).header == ("Name", "Email", "Company")


BELOW: dict[str, tuple[str, list[str], int]] = {
    "a total and another table": ("Total,,\n\nCompany,Revenue,\nVik,3,\n", ["no_person", "other_table", "other_table"], 0),
    "the end of a report by Salesforce": (
        '\n\n\n"Confidential Information - Do Not Distribute"\n"Generated By:  Jane Doe  3/15/2024"\n"Contacts"\n"Example Corp"\n',
        ["other_table"] * 4, 0,
    ),
    "a table of other columns below its title": ("\nTable 2\nItem,Price\nChair,3\n", ["other_table"] * 3, 0),
    "people below the title of their group": ("\nGroup B\n" + BOTH.removeprefix(HEADER), ["other_table"], 2),
    "somebody with an address": ("\nKim Voss,kim@voss.example\n", [], 1),
    "somebody with a profile": ("\nKim Voss,linkedin.com/in/kim-voss\n", [], 1),
    "somebody without an address, in all columns": ("\nKim Voss,,Voss AS\n", [], 1),
    "rows without their last cells, as others": ("Kim Voss\n\nLea Roussel\n", [], 2),
}  # fmt: skip
"""What stands below two people, how it is rejected, and how many further people there are."""


@pytest.mark.parametrize("what", BELOW)
def test_what_is_below_the_people_is_reported(tmp_path: Path, what: str) -> None:
    below, rejected, people = BELOW[what]
    rows = rows_of(written(tmp_path, BOTH + below))
    assert [row.code for row in rows if isinstance(row, RejectedRow)] == rejected
    assert len(rows) == 2 + len(rejected) + people


def test_a_name_that_leads_to_a_profile_is_read_as_both(tmp_path: Path) -> None:
    content, _ = PEOPLE["names that lead to profiles"]
    read = [row for row in rows_of(written(tmp_path, content)) if isinstance(row, LeadRow)]
    assert [row.profile_url for row in read] == [ODA_URL, JON_URL]


def test_a_header_that_comes_again_is_reported(tmp_path: Path) -> None:
    rejected = [row.code for row in rows_of(written(tmp_path, BOTH + HEADER)) if isinstance(row, RejectedRow)]
    assert rejected == ["repeated_header"]


def test_a_single_line_in_quotes_is_one_cell() -> None:
    line = in_quotes("First Name,Last Name,Email\n")
    assert list(without_line_quotes(iter([line]))) == [line]
