"""The shared store: looking at a project, signing in and out, and which device acts. A password comes in and never goes out."""

from backend.api.mailed_link import link_address
from backend.api.server.endpoint import Routes
from backend.api.server.services import Services
from backend.domain.events.events import WORKSPACE
from backend.runtime.feed.feed_messages import SyncState
from backend.runtime.sync.project_views import (
    AnswerMail,
    AskMail,
    NameDevice,
    ProjectAddress,
    ProjectCheck,
    ProjectSchema,
    ProjectView,
    SignedIn,
    SignIn,
)

routes = Routes("sync", "/sync")


@routes.get()
def view(services: Services) -> ProjectView:
    """The attached project, who is signed in, and how far both are in sync."""
    return services.sync.view()


@routes.get("/schema")
def schema(services: Services) -> ProjectSchema:
    """The SQL that prepares a project."""
    return services.sync.schema()


@routes.post("/check")
def check(services: Services, body: ProjectAddress) -> ProjectCheck:
    """Look at a project before it is attached."""
    return services.sync.check(body.url, body.public_key)


@routes.post("/sign-in")
def sign_in(services: Services, body: SignIn) -> SignedIn:
    """Sign in with a password, and attach the project."""
    return services.sync.sign_in(body, link_address(services))


@routes.post("/ask-mail")
def ask_mail(services: Services, body: AskMail) -> SignedIn:
    """Ask for a mail to sign in with."""
    return services.sync.ask_mail(body, link_address(services))


@routes.post("/answer-mail")
def answer_mail(services: Services, body: AnswerMail) -> SignedIn:
    """Sign in with the mail's link or code, and attach the project."""
    return services.sync.answer_mail(body)


@routes.post("/devices/<device_id>/name")
def name_device(services: Services, device_id: str, body: NameDevice) -> ProjectView:
    """Call a device otherwise."""
    services.commands(WORKSPACE).workspace.name_device(device_id, " ".join(body.name.split()))
    return services.sync.view()


@routes.post("/sign-out")
def sign_out(services: Services) -> ProjectView:
    """Sign out; the project stays attached."""
    services.sync.sign_out()
    return services.sync.view()


@routes.post("/detach")
def detach(services: Services) -> ProjectView:
    """Detach the project."""
    services.sync.detach()
    return services.sync.view()


@routes.post("/take-over")
def take_over(services: Services) -> SyncState:
    """Ask the device that acts to hand over to this one."""
    services.sync.request_handover()
    services.run_service.retry_start()
    return services.sync.state()


@routes.post("/now")
def now(services: Services) -> SyncState:
    """Bring both stores in sync now."""
    services.sync.sync_now()
    return services.sync.state()
