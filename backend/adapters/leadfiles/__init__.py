"""Lead files: a streaming reader that loses nothing and touches no database."""

from backend.adapters.leadfiles.lead_file import LeadFile, read_leads, table_header
from backend.adapters.leadfiles.lead_format import guess_columns
from backend.adapters.leadfiles.profile_url import normalise_profile_url
from backend.domain.lead_row import LeadRow, RejectedRow

__all__ = ["LeadFile", "LeadRow", "RejectedRow", "guess_columns", "normalise_profile_url", "read_leads", "table_header"]
