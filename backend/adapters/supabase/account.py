"""A project, whoever is signed in to it on this device, and what it decides for them."""

from backend.adapters.supabase.auth_session import AuthSession
from backend.adapters.supabase.project import SupabaseProject
from backend.adapters.supabase.project_check import examine_project
from backend.adapters.supabase.shared_store import SupabaseSharedStore
from backend.domain.values.health_check import HealthCheck
from backend.ports.egress import EgressPolicy
from backend.ports.sealed_files import SealedFiles


class SupabaseAccount:
    """Raises `project_address_refused` and `project_key_secret`. Nothing is called before `project.allow`."""

    def __init__(self, url: str, public_key: str, outgoing: EgressPolicy, files: SealedFiles) -> None:
        self.project = SupabaseProject(url, public_key, outgoing)
        self.sign_in = AuthSession(self.project, files)
        self.shared_store = SupabaseSharedStore(self.project, self.sign_in)
        self.where = files.where

    def examine(self) -> list[HealthCheck]:
        """What is wrong with it, if anything."""
        return examine_project(self.project, self.sign_in)
