"""Measuring: questions with known answers, put to a system, written down for grading."""
