"""The values that wait to be recorded at a step: those that users add, and those that networks keep."""
