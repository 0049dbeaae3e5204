"""Checks what a campaign needs before it acts, one after another, and keeps the checklist whatever comes of it."""

from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass, field

from backend.domain.contact.plain_failure import unavailable
from backend.domain.events.events import AuditEntry
from backend.domain.model.campaign import Campaign
from backend.domain.reports.activation import check_limits, checklist, failed, passed
from backend.domain.values.errors import OutriderError
from backend.domain.values.health_check import HealthCheck
from backend.ports.proposer import Proposer, check_ready
from backend.ports.site import SiteIncident, SiteUnavailable
from backend.store.database import damage_error
from backend.store.log.journal import Journal
from backend.turn.gateway import ToolGateway


@dataclass
class Activation:
    """One campaign's checklist; `tell` hears of it whenever a line is added."""

    journal: Journal
    campaign: Campaign
    tell: Callable[[tuple[HealthCheck, ...]], None]
    checks: list[HealthCheck] = field(default_factory=list)

    def check(self, code: str, look: Callable[[], str]) -> None:
        """Add a line: what `look` says, or the error that it raises, which is raised again."""
        try:
            sentence = look()
        except OutriderError as error:
            self._add(failed(code, error))
            raise
        except (SiteIncident, SiteUnavailable) as error:
            unreachable = unavailable(self.campaign.site, str(error))
            self._add(failed(code, unreachable))
            raise unreachable from error
        self._add(passed(code, sentence))

    def check_surroundings(self, proposer: Proposer, gateway: ToolGateway) -> None:
        """All but the site's pages; ends with an open browser. Raises the error of the first line that fails."""
        self.check("database", self._database)
        self.check("limits", lambda: check_limits(self.campaign))
        self.check("model", lambda: check_ready(proposer, self.campaign))
        self.check("browser", lambda: _open(gateway))

    def audit(self) -> AuditEntry:
        """The checklist as it is recorded."""
        checks = [
            {"code": check.code, "status": check.status, "said": check.said, "remedy": check.remedy}
            for check in checklist(self.checks)
        ]
        return AuditEntry("activation", {"checks": checks})

    def record_failure(self, gateway: ToolGateway, now: int) -> None:
        """Put the checklist on record although nothing comes of it; a damaged database may refuse even that."""
        with suppress(OutriderError), gateway.unrecorded_audits() as audits:
            entries = (*audits, self.audit())
            self.journal.record(self.campaign.id, events=(), audits=entries, actor="controller", cause="start", at=now)

    def _add(self, check: HealthCheck) -> None:
        self.checks.append(check)
        self.tell(checklist(self.checks))

    def _database(self) -> str:
        damage = self.journal.database.damage()
        if damage != "ok":
            raise damage_error(self.journal.database.path, damage)
        return "opens and is sound"


def _open(gateway: ToolGateway) -> str:
    gateway.open_site()
    return "open and signed in"
