"""Sacred, with its FileStorageObserver."""
