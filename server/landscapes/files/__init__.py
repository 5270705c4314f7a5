"""Loss landscapes as files: CSV, NumPy, VTK and HTML."""
