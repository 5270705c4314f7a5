"""What a SummaryCollector collects of a training, when, and from where."""
