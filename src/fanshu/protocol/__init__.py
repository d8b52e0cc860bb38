"""MCP, the Model Context Protocol: the tools for agents of other programs.

Not named after it, so that nothing can take this package for the SDK's `mcp`.
"""
