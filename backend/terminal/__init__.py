"""What the `outrider` command shows and asks in a terminal; progress goes to stderr, results to stdout."""
