"""Saved views of pages, which users name, and short links to views; both are stored in the data folder."""
