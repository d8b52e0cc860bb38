"""The store of many machines: OpenSearch underneath, our own terms and ranking on top."""
