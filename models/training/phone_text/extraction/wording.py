"""Words that many phrasings share: <it> in a phrasing stands for the alternatives that are called so."""
import re


def said(text, **alternatives):
    return re.sub(r"<(\w+)>", lambda found: f"({alternatives[found[1]]})", text)
