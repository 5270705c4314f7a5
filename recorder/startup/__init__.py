"""The folder that `python -m toposcope.recorder run` puts on PYTHONPATH, with a sitecustomize."""
