"""How each family of acts is called, everywhere: on the page (which has it generated), by the assistant, in the terminal."""

from typing import NamedTuple

from backend.domain.model.task import ActionFamily


class ActWords(NamedTuple):
    """The words of a family.

    `title` stands over a limit or a gate, `does` after "Next:", `about` before a name ("" where it is about nobody), and `doing`
    says that it is being done, or waited for.
    """

    title: str
    does: str
    about: str
    doing: str


ACT_WORDS: dict[ActionFamily, ActWords] = {
    ActionFamily.THINK: ActWords("Decisions", "plan the next step", "Next step for", "deciding"),
    ActionFamily.LOOK: ActWords("Profiles", "view profile", "View the profile of", "viewing the profile"),
    ActionFamily.INVITE: ActWords("Invitations", "send invitation", "Invitation to", "sending the invitation"),
    ActionFamily.MESSAGE: ActWords("Messages", "send message", "Message to", "sending the message"),
    ActionFamily.ANSWER: ActWords("Answers", "send your answer", "Your answer to", "sending your answer"),
    ActionFamily.WITHDRAW: ActWords(
        "Withdrawals", "withdraw the invitation", "Withdraw the invitation to", "withdrawing the invitation"
    ),
    ActionFamily.ASSIST: ActWords("Your questions", "answer you", "", "answering you"),
    ActionFamily.APPROVAL: ActWords("Approvals", "your approval", "", "waits for your approval"),
    ActionFamily.INPUT: ActWords("Questions", "your answer", "", "waits for your answer"),
}
