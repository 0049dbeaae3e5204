"""People across campaigns: who is the same, who must not be contacted, who was contacted before."""
