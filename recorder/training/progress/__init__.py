"""How far a training is: times, timestamps, events and when evaluations are due."""
