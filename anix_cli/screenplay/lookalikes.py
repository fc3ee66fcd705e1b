"""Letters that look like others: a key in Cyrillic that reads "id" is not the key ``id``.

Pairs after Unicode's confusables (https://www.unicode.org/reports/tr39/#Confusable_Detection), as far as keys
and names of screenplays are concerned.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Container

_CYRILLIC = dict(zip("аеорсухіјѕԁһԛԝАВЕКМНОРСТХІЈЅ", "aeopcyxijsdhqwABEKMHOPCTXIJS", strict=True))
_GREEK = dict(zip("ονρΑΒΕΖΗΙΚΜΝΟΡΤΥΧ", "ovpABEZHIKMNOPTYX", strict=True))
_TABLE = str.maketrans(_CYRILLIC | _GREEK | dict.fromkeys("\u2010\u2011\u2012\u2013\u2212", "-"))


def as_it_looks(word: str) -> str:
    """The word in plain letters: full width, Cyrillic and Greek twins replaced, unseen signs left out."""
    seen = "".join(sign for sign in word if unicodedata.category(sign) != "Cf")
    return unicodedata.normalize("NFKC", seen).translate(_TABLE)


def twin(word: str, known: Container[str]) -> tuple[str, str] | None:
    """The known word that looks the same, and what to say about the sign in which they differ."""
    if word.isascii():
        return None
    plain = as_it_looks(word)
    if plain == word or plain not in known:
        return None
    sign = next(sign for sign in word if as_it_looks(sign) != sign)
    alike = as_it_looks(sign).strip()
    looks = f"only looks like {alike}" if alike else "does not show"
    return plain, f"one sign of it is U+{ord(sign):04X}, which {looks}: type the word anew"
