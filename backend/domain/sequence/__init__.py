"""How a sequence is changed, and the templates of its messages."""
