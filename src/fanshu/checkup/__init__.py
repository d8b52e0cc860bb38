"""The check-up: what is wrong with documents, found by code alone. No model, no key."""
