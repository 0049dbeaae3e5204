"""A project to try things out with: PostgreSQL, our schema, and the stand-in before it, until Ctrl-C."""

import signal
import threading

from tests.postgres import Project, running
from tests.supabase_gateway import Gateway


def main() -> None:
    """Start, print the address and the key, wait. Mails are printed instead of sent."""
    over = threading.Event()
    for end in (signal.SIGINT, signal.SIGTERM):
        signal.signal(end, lambda *_: over.set())
    with running(17) as server:
        project = Project(server, "ready")
        gateway = Gateway(project.url("authenticator"))
        print(f"Project URL  {gateway.url}\nPublic key   {gateway.key}\nPostgreSQL   {project.url()}", flush=True)
        shown = 0
        while not over.wait(0.5):
            for mail in gateway.auth.mails[shown:]:
                print(f"Mail to {mail.to}: code {mail.code}, link {mail.link}", flush=True)
                shown += 1
        gateway.close()


if __name__ == "__main__":
    main()
