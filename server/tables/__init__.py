"""Scalar series as tables of other formats: CSV, Arrow and DataFrames."""
