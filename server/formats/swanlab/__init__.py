"""SwanLab: the files run-*.swanlab in its folder swanlog, of runs that it uploads and of those that it does not."""
