"""The collection of summaries during a training: what SummaryCollector records, when, and from which source."""
