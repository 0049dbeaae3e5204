"""Lead files: a streaming reader that loses nothing and touches no database."""

from backend.adapters.leadfiles.lead_file import LeadFile, read_leads
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.adapters.leadfiles.unknown_table import unknown_table
from backend.domain.people.lead_row import LeadRow, RejectedRow

__all__ = ["LeadFile", "LeadRow", "RejectedRow", "normalise_profile_url", "read_leads", "unknown_table"]
