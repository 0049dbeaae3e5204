"""What signs the logs (port: `backend.ports.signer`). One adapter a file."""
