"""A classic RAG to compare with, as good as it can be made: pieces of fixed size, vectors and BM25
over them, an optional reranker, and one call of the model with the best.
"""
