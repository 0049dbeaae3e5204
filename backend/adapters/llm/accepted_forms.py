"""The form of request that each model accepted, remembered while a campaign runs."""

from dataclasses import dataclass, field

from backend.domain.device.request_form import RequestForm, usual_form
from backend.domain.model.connection import Connection


@dataclass
class AcceptedForms:
    """Keyed by the whole connection, so that an edited one is tried anew."""

    _forms: dict[Connection, RequestForm] = field(default_factory=dict)

    def form_for(self, connection: Connection) -> RequestForm:
        """The form that worked before, else the usual one."""
        return self._forms.get(connection) or usual_form(connection)

    def remember(self, connection: Connection, form: RequestForm) -> None:
        """Remember a form that was accepted."""
        if form != usual_form(connection):
            self._forms[connection] = form
