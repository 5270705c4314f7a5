"""Logs of other tools: each format is a folder that finds its files and translates them into events, bit by bit."""
