"""Conversion of logs into event files that TensorBoard or MindInsight opens."""
