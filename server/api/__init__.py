"""The HTTP API: a module for each plugin or concern, with the models of its replies."""
