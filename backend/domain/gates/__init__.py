"""What lets an act pass or holds it back: limits, hours, consent, what is known of a person, approval."""
