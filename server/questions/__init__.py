"""Questions about the runs of a logdir, as the command line, agents and Python ask them."""
