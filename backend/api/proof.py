"""The proof that nobody edited a campaign's logs or rows."""

from backend.api.exports import Export
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.runtime.copies.portable_proof import proof_page
from backend.runtime.copies.proofs import Proof

routes = Routes("proof", "/campaigns/<campaign_id>/proof")


@routes.get()
def view(services: Services, campaign_id: str) -> Proof:
    """The last proof; raises `campaign_unknown`."""
    return services.proving.last(campaign_id)


@routes.post(status=202)
def start(services: Services, campaign_id: str) -> Proof:
    """Begin a new one; raises `campaign_unknown`."""
    return services.proving.begin(campaign_id)


@routes.export("/export")
def export(services: Services, campaign_id: str) -> Export:
    """The proof as one HTML file that checks itself; raises `campaign_unknown`, `signer_unavailable`."""
    workspace = services.workspace
    workspace.open_signer()
    now = services.clock(campaign_id).now()
    chunks = proof_page(workspace.journal, campaign_id, services.evidence, now)
    return Export(chunks, f"proof-{campaign_id}.html", "text/html")
