"""Alerts: rules that are watched while runs grow, and where their messages are sent."""
