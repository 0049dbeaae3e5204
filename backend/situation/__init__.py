"""How a campaign, an account and a person stand at this moment, for whoever decides or shows something: only reads."""
