"""The shared store: a Supabase project. `migrations/` is its SQL; the rest speaks to it for one signed-in user."""
