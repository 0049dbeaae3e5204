"""Messages, approvals, acts and what was answered."""
