"""Media of wandb.log(): images, audio, video, tables and objects, recorded as kinds of our own or kept as files."""
