"""Where secrets are: the environment, the vault sealed under this device's key, the system's keychain. One adapter a file."""
