"""Which event files there are, and bringing what is known of them up to date."""
