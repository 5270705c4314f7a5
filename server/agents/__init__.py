"""The tools of agents: questions whose answers are small, by the Model Context Protocol."""
