"""What an attached project costs a start: nothing of Supabase's library, which takes half a second to import."""

import subprocess
import sys

_SLOW = "supabase", "supabase_auth", "postgrest", "httpx", "realtime"


def test_nothing_slow_is_imported_before_a_project_is_asked() -> None:
    imports = "import sys, backend.adapters.supabase.shared_store, backend.adapters.supabase.project_check"
    look = f"{imports}; print([name for name in {_SLOW} if name in sys.modules])"
    done = subprocess.run([sys.executable, "-c", look], capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "[]"
