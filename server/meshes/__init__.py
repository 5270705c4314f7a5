"""Meshes and point clouds: their vertices, faces and colours, what is drawn of large ones, and their routes."""
