"""The app put together: its adapters and services, and one launch of them."""
