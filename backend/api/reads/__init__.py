"""What the page sees, one noun a file; each reads in one transaction, every list bounded, and decides nothing."""
