"""Files of what users enter, in the data folder: locked, replaced by renaming, watched by several servers."""
