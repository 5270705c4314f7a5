"""The recordings of a run: attempts, pauses, activity and the state that follows from them."""
