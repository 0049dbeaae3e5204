"""What happened: the facts, the entries that record them, and the rows that follow from them."""
