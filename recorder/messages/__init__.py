"""Messages of structured values (lineage, graphs, landscapes), built from plain data or from MindSpore's messages."""
