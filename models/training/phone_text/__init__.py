"""Generates the text from which the bundled model learns, and on which it is tested. See ../README.md."""
