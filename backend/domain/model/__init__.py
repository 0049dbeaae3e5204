"""The nouns that everything else speaks of: campaign, sequence, lead, message, task, turn, tools."""
