"""The tests, as one package: what several of them share is imported as `from tests.scripted_llm import …`."""
