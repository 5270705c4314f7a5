"""What a run's files come to: ranks, attempts, series, and which points of them answer a question."""
