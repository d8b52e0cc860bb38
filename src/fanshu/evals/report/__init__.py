"""Results as people read them: one HTML page that needs nothing else, and Markdown."""
