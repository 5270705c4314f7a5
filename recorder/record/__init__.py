"""SummaryRecord, and the values that wait to be recorded at a step."""
