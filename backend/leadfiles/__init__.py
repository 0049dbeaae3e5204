"""Lead files: a streaming reader that loses nothing and touches no database."""

from backend.domain.lead_row import LeadRow, RejectedRow
from backend.leadfiles.lead_file import LeadFile, read_leads, table_header
from backend.leadfiles.lead_format import guess
from backend.leadfiles.profile_url import normalise_profile_url

__all__ = ["LeadFile", "LeadRow", "RejectedRow", "guess", "normalise_profile_url", "read_leads", "table_header"]
