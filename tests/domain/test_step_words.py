"""What a rehearsal says of each of its steps."""

from backend.domain.model.message import MessageStatus
from backend.domain.turn.proposals import Proposal, Rejection, parse, step_words


def proposed(kind: str, params: str) -> Proposal:
    proposal = parse(f'{{"type":"{kind}","task_id":"t1","params":{params}}}')
    assert not isinstance(proposal, Rejection)
    return proposal


READS = proposed("execute_tool", '{"tool":"browser.read_profile","lead_id":"l1"}')
SENDS = proposed("execute_tool", '{"tool":"browser.send_invitation","lead_id":"l1","message_id":"m1"}')
WRITES = proposed("generate_message", '{"lead_id":"l1","step":"invite","text":"Hello"}')


def test_a_look_says_that_nothing_was_sent() -> None:
    assert step_words(READS, "Clara Berg", None) == "Read the profile of Clara Berg; nothing was sent."
    assert (
        step_words(WRITES, "Clara Berg", None) == "Wrote a message to Clara Berg; nothing is sent until you approve it."
    )


def test_only_what_is_known_to_be_sent_is_said_to_be() -> None:
    sent = step_words(SENDS, "Clara Berg", MessageStatus.SENT)
    assert sent == "Sent an invitation to Clara Berg, in exactly the words that you approved."
    assert step_words(SENDS, "Clara Berg", MessageStatus.OUTCOME_UNKNOWN).startswith("Tried to write to Clara Berg;")


def test_bookkeeping_is_not_told() -> None:
    assert step_words(proposed("select_next_task", "{}"), "Clara Berg", None) == ""
