"""What the controls are called, and what they are called after a change of labels."""

from backend.practice.request_outcome import PageVariant

PLAIN = {
    "connect": "Connect",
    "pending": "Pending",
    "message": "Message",
    "note": "Add a note (optional)",
    "invite": "Send invitation",
    "cancel": "Cancel",
    "write": "Write a message",
    "send": "Send",
}
CHANGED = {
    "connect": "Link up",
    "pending": "Waiting",
    "message": "Write",
    "note": "A few words of your own",
    "invite": "Off it goes",
    "cancel": "Back",
    "write": "Your words",
    "send": "Post it",
}
LABELS: dict[PageVariant, dict[str, str]] = {"plain": PLAIN, "changed_labels": CHANGED, "changed_layout": PLAIN}

# The folder whose templates draw the page: after a change of layout they have other elements and no labels.
LAYOUTS: dict[PageVariant, str] = {"plain": "plain", "changed_labels": "plain", "changed_layout": "rearranged"}
