"""Answers made accountable: where each fact stands, as a page, and checked again today."""
