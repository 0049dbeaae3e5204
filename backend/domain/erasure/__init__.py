"""What remains of entries about an erased person."""
