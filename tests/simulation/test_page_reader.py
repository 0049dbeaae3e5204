"""The page that reads asks for everything: what it calls by a name is called that, and what it is to fill in it can."""

from backend.api.app import NOUNS
from backend.domain.values.error_table import ERRORS
from tests.simulation import page_reader

ENDPOINTS = {endpoint.name: endpoint for noun in NOUNS for endpoint in noun.endpoints}
NAMED = (
    page_reader.ABOUT_THE_MACHINE | page_reader.SIGNS | page_reader.NEEDS_KIND.keys() | page_reader.NOT_IN_WORLD.keys()
)


def test_every_endpoint_and_every_error_that_it_names_exists() -> None:
    assert ENDPOINTS.keys() >= NAMED
    assert {endpoint.noun for endpoint in ENDPOINTS.values()} >= page_reader.TELLS_EVENTS
    assert ERRORS.keys() >= page_reader.NO_DRY_RUN


def test_whatever_is_asked_about_a_question_says_about_which_kind() -> None:
    about_questions = {endpoint.name for endpoint in page_reader.LOOKS if "question_id" in endpoint.variables()}
    assert about_questions == page_reader.ASKED.keys()


def test_nothing_is_called_missing_that_is_looked_at() -> None:
    assert page_reader.NOT_IN_WORLD.keys() <= {endpoint.name for endpoint in page_reader.LOOKS}
