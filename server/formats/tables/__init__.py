"""Tables of metrics: CSV, TSV and JSON lines, as trainers without a logger write them."""
