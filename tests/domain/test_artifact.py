"""What may be kept as an artifact, and what its schema says."""

import hashlib
import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.domain.model.artifact import (
    BEGINNING,
    BY_MODEL,
    BY_USER,
    MAX_BYTES,
    MAX_INLINE,
    Maker,
    MakerKind,
    StoredFile,
    file_content,
    maker,
    media_type_of,
    text_content,
)
from backend.domain.model.content_schema import JSON, MAX_SCHEMA, TEXT, infer
from backend.domain.turn.artifacts import artifact_persisted
from backend.domain.values.canonical_json import canonical
from backend.domain.values.errors import OutriderError


def refused(artifact_type: str = "note", key: str = "k", text: str = "x") -> str:
    with pytest.raises(OutriderError) as error:
        text_content(artifact_type, key, text)
    return error.value.code


@pytest.mark.parametrize("key", ["a", "0", "a.b-c_d", "a" * 64, "context.md"])
def test_a_key_is_short_and_plain(key: str) -> None:
    assert text_content("note", key, "x").key == key


@pytest.mark.parametrize("key", ["", "A", ".a", "-a", "_a", "a b", "a/b", "a\n", "ä", "a" * 65])
def test_any_other_key_is_refused(key: str) -> None:
    assert refused(key=key) == "artifact_key_invalid"


@pytest.mark.parametrize("artifact_type", ["", "Note", "secret", "note "])
def test_a_type_outside_the_vocabulary_is_refused(artifact_type: str) -> None:
    assert refused(artifact_type=artifact_type) == "artifact_type_unknown"


def test_nothing_is_not_kept() -> None:
    assert refused(text="") == "artifact_empty"


def test_the_limit_is_counted_in_bytes() -> None:
    assert text_content("note", "k", "ä" * (MAX_INLINE // 2)).size == MAX_INLINE
    assert refused(text="ä" * (MAX_INLINE // 2) + "x") == "artifact_too_large"
    assert file_content("note", "k", StoredFile("0" * 64, MAX_BYTES, "image/png")).in_file
    with pytest.raises(OutriderError, match="artifact_too_large"):
        file_content("note", "k", StoredFile("0" * 64, MAX_BYTES + 1, "image/png"))


@pytest.mark.parametrize("half", ["\ud83d", "ab\ud83dc", "\ude42\ud83d"])
def test_half_a_surrogate_pair_is_not_text(half: str) -> None:
    assert refused(text=half) == "artifact_not_text"


@given(st.text(min_size=1))
def test_text_comes_out_byte_for_byte_under_its_digest(text: str) -> None:
    content = text_content("note", "k", text)
    assert content.text == text
    assert (content.sha256, content.size) == (hashlib.sha256(text.encode()).hexdigest(), len(text.encode()))


@pytest.mark.parametrize(
    ("head", "kind"),
    [
        (b"%PDF-1.7", "application/pdf"),
        (b"\x89PNG\r\n\x1a\n\0", "image/png"),
        (b"\xff\xd8\xff\xe0", "image/jpeg"),
        (b"PK\x03\x04", "application/zip"),
        (b"caf\xe9", "application/octet-stream"),
        (b"", "application/octet-stream"),
    ],
)
def test_the_schema_of_a_file_names_what_it_seems_to_be(head: bytes, kind: str) -> None:
    assert file_content("note", "k", StoredFile("0" * 64, 9, media_type_of(head))).schema == {"contentMediaType": kind}


def test_a_long_text_in_a_file_is_text() -> None:
    content = file_content("note", "k", StoredFile("0" * 64, 2_000_000, "text/plain", "the beginning"))
    assert (content.schema, content.text) == (TEXT, "the beginning")


@pytest.mark.parametrize(
    "made_by", [BY_USER, BY_MODEL, Maker(MakerKind.PROGRAM), Maker(MakerKind.PROGRAM, "My Claude")]
)
def test_a_maker_is_the_same_after_it_was_stored(made_by: Maker) -> None:
    assert maker(str(made_by)) == made_by


def test_each_version_follows_the_one_before_and_says_whose_it_is() -> None:
    event = artifact_persisted(text_content("note", "k", "x"), "id", BY_MODEL, 4, 99)
    assert (event.kind, event.entity_id) == ("ArtifactPersisted", "id")
    assert {name: event.changes[name] for name in ("version", "made_by", "created_at", "content")} == {
        "version": 5,
        "made_by": "model",
        "created_at": 99,
        "content": "x",
    }


def test_the_schema_of_an_object_names_its_fields() -> None:
    schema = infer('{"criteria": [{"weight": 3, "words": ["a"]}, {"weight": 2.5}], "on": true}').schema
    assert schema["required"] == ["criteria", "on"]
    item = schema["properties"]["criteria"]["items"]
    assert item["properties"]["weight"] == {"type": "number"}
    assert item["required"] == ["weight"]


@pytest.mark.parametrize(
    "text",
    [
        "plain",
        "12",
        '"quoted"',
        "{broken",
        "[NaN]",
        "\ufeff{}",
        "# title\n",
        "[" * 100_000 + "]" * 100_000,
        "1" * 9_000,
    ],
    ids=["words", "number", "string", "broken", "nan", "bom", "markdown", "deep", "digits"],
)
def test_what_is_no_json_structure_is_text(text: str) -> None:
    assert infer(text).schema == TEXT


def test_a_schema_never_outgrows_its_content() -> None:
    schema = infer(json.dumps({f"field {n}": n for n in range(50_000)})).schema
    assert (schema["type"], "properties" in schema) == ("object", False)
    assert len(canonical(schema)) <= MAX_SCHEMA


@given(
    st.recursive(
        st.none() | st.booleans() | st.integers() | st.text(), lambda x: st.lists(x) | st.dictionaries(st.text(), x)
    )
)
def test_the_same_content_has_the_same_schema(value: object) -> None:
    text = json.dumps(value)
    assert canonical(infer(text).schema) == canonical(infer(text).schema)


TABLE = "full_name;age;score;note\nAda Lane;36;0.5;\nBen;041;1.25;x\n"


def test_the_schema_of_a_table_names_its_columns_and_their_types() -> None:
    for separator in ",;\t":
        inferred = infer(TABLE.replace(";", separator))
        assert inferred.media_type == "text/csv"
        columns = inferred.schema["items"]["properties"]
        assert list(columns) == ["full_name", "age", "score", "note"]
        assert columns["full_name"] == {"type": "string"}
        assert columns["age"] == {"anyOf": [{"type": "integer"}, {"type": "string"}]} or columns["age"]["type"] == [
            "integer",
            "string",
        ], "041 is no number: it would lose its nought"
        assert columns["score"] == {"type": "number"}
        assert columns["note"]["type"] == ["null", "string"]


@pytest.mark.parametrize(
    "text",
    [
        "Dear Ada, hello\nSee you, bye\nYours, Ben\n",
        "a,b\n1,2\n3\n",
        "a,a\n1,2\n3,4\n",
        "a,b\n1,2\n",
        'a,b\n"1,2\n3,4\n',
        "one\ntwo\nthree\n",
        "",
        ",\n,\n,\n",
    ],
    ids=["a letter", "ragged", "no names", "one row", "open quote", "one column", "nothing", "no header"],
)
def test_what_only_resembles_a_table_is_text(text: str) -> None:
    assert infer(text) == ("text/plain", TEXT)


@pytest.mark.parametrize("size", [1, 50_000])
@pytest.mark.parametrize("kind", ["list", "object", "table"])
def test_the_schema_is_the_same_kind_whatever_the_size(kind: str, size: int) -> None:
    rows = [{"id": n, "name": f"Name {n}"} for n in range(size + 2)]
    text = {
        "list": json.dumps(rows),
        "object": json.dumps({"rows": len(rows), "first": rows[0], "rest": rows}),
        "table": "id,name\n" + "".join(f"{row['id']},{row['name']}\n" for row in rows),
    }[kind]
    whole = infer(text)
    content = file_content("note", "k", StoredFile("0" * 64, len(text) + 1, "text/plain", text[:BEGINNING]))
    assert content.media_type == whole.media_type == {"list": JSON, "object": JSON, "table": "text/csv"}[kind]
    named = whole.schema.get("properties") or whole.schema["items"]["properties"]
    beginning = content.schema.get("properties") or content.schema["items"]["properties"]
    assert beginning
    assert beginning.items() <= named.items()


def test_a_number_that_is_cut_off_is_not_taken_for_a_shorter_one() -> None:
    assert "items" in infer("[1, 2, 3", whole=False).schema
    assert infer("[12", whole=False) == ("text/plain", TEXT)
    assert infer('{"a": tru', whole=False) == ("text/plain", TEXT)
    assert infer('{"a": 1, "b": {"c"', whole=False).schema["properties"] == {"a": {"type": "integer"}}
    assert infer("[" * 100_000, whole=False) == ("text/plain", TEXT)


@given(st.text())
def test_whatever_the_text_is_it_has_a_type_and_a_schema(text: str) -> None:
    for whole in (True, False):
        assert infer(text, whole=whole) == infer(text, whole=whole)
