"""The budget of computing: what a request costs, which requests are computed at a time, and how one is cancelled."""
