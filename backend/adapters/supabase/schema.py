"""The SQL that prepares a project, as somebody pastes it into its SQL editor."""

from pathlib import Path

_MIGRATIONS = Path(__file__).with_name("migrations")


def schema_sql() -> str:
    """Every file of `migrations/`, in order. Run twice it changes nothing: it ends at what is there already."""
    return "\n".join(file.read_text("utf-8") for file in sorted(_MIGRATIONS.glob("*.sql")))
