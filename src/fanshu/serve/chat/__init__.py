"""The service as a chat model: conversations of OpenAI's interface to questions, answers back."""
