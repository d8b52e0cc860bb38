"""What tests of all rooms may ask for; the rules for all of them stand in tests/conftest.py."""

pytest_plugins = ["tests.cluster.servers"]
