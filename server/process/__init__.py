"""The server as a process: its version, log, memory, signals, and the compiler that the scan needs."""
