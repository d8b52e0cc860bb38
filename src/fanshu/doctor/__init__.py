"""What is wrong with this installation or with the last runs, and what to do about it."""
