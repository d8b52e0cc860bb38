"""① Document access: parse by structure, index, search, read, turn pages, stay fresh."""
