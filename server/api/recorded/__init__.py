"""Routes of what a run says about itself: code, environment, output and files."""
