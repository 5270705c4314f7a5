"""Messages that stand for more than numbers: lineage, graphs and landscapes, from plain data or foreign messages."""
