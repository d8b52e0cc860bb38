"""Answers that people approved, and what became of the evidence that they rest on."""
