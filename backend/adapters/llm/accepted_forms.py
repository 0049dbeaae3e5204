"""Which form of a request each model was seen to accept, for as long as a run of a campaign."""

from dataclasses import dataclass, field

from backend.domain.device.request_form import RequestForm, usual_form
from backend.domain.model.connection import Connection


@dataclass
class AcceptedForms:
    """By connection as it is now: whoever edits it, starts anew."""

    _found: dict[Connection, RequestForm] = field(default_factory=dict)

    def form_for(self, connection: Connection) -> RequestForm:
        """The one that worked, else the usual one."""
        return self._found.get(connection) or usual_form(connection)

    def remember(self, connection: Connection, form: RequestForm) -> None:
        """It was accepted."""
        if form != usual_form(connection):
            self._found[connection] = form
