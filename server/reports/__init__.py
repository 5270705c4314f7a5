"""What the processes of a server report of themselves: memory, connections and requests, as plain numbers."""
