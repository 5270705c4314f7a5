"""MLflow: its databases (SQLite), and its folders mlruns."""
