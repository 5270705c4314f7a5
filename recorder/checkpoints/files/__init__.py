"""Files of checkpoints: written atomically, encrypted, with a checksum."""
