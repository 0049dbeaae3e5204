"""The assistant: requests of the user, worked on turn by turn until they are settled."""
