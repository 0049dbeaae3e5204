"""A project, whoever is signed in to it on this device, and what it decides for them."""

from backend.domain.check import Check
from backend.ports.outgoing import Outgoing
from backend.ports.sealed import SealedFiles
from backend.supabase.authority import SupabaseAuthority
from backend.supabase.project import Project
from backend.supabase.project_check import examine_project
from backend.supabase.sign_in import SignIn


class Account:
    """Raises `project_address_refused` and `project_key_secret`. Nothing is called before `project.allow`."""

    def __init__(self, url: str, public_key: str, outgoing: Outgoing, files: SealedFiles) -> None:
        self.project = Project(url, public_key, outgoing)
        self.sign_in = SignIn(self.project, files)
        self.authority = SupabaseAuthority(self.project, self.sign_in)
        self.where = files.where

    def examine(self) -> list[Check]:
        """What is wrong with it, if anything."""
        return examine_project(self.project, self.sign_in)
