"""Records of event files: verification, marks, versions and counts."""
