"""A real OpenSearch on this machine's loopback: one node or three, for tests and trials.

The server comes from its Maven artifacts and is put together once, into a folder that is named by
the content of its sources; later starts need Java alone. Every cluster lives in a folder of its
own (data, logs, ports, processes), so that many run side by side. Runs as root as well. There is
no password and no TLS; nothing listens but on 127.0.0.1.
"""
