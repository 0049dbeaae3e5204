"""Why a project is called, in words for people."""

from backend.ports.outgoing import Purpose

SYNC = Purpose(
    "supabase-sync",
    "Your shared store keeps your campaigns, so that other devices of yours have them and only one of them acts.",
    "Everything that is recorded: people, messages, decisions. Keys and passwords are sealed before they leave.",
)
AUTH = Purpose(
    "supabase-auth",
    "You sign in to your shared store.",
    "Your e-mail address, and your password or the code that was mailed to you, while you sign in.",
)
