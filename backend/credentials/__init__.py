"""Where secrets are: the environment, or the system's keychain. One adapter a file."""
