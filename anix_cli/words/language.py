"""Whether a command is English: other languages are refused by name, never read by chance."""

from __future__ import annotations

import unicodedata
from collections import Counter
from collections.abc import Sequence
from functools import cache

from .lexicon import lexicon, lines_of
from .tokens import Token

_SCRIPTS = {
    "CJK": "Chinese or Japanese", "HIRAGANA": "Japanese", "KATAKANA": "Japanese", "HANGUL": "Korean",
    "CYRILLIC": "Russian or a language written like it", "GREEK": "Greek", "ARABIC": "Arabic",
    "HEBREW": "Hebrew",
    "DEVANAGARI": "Hindi", "THAI": "Thai", "BENGALI": "Bengali", "TAMIL": "Tamil", "GEORGIAN": "Georgian",
    "ARMENIAN": "Armenian", "ETHIOPIC": "Amharic", "KHMER": "Khmer", "MYANMAR": "Burmese",
}  # fmt: skip


@cache
def _telltales() -> dict[str, tuple[str, ...]]:
    """Word → the languages that it may be of."""
    found: dict[str, list[str]] = {}
    for language, *words in lines_of("languages.txt"):
        for word in words:
            found.setdefault(word, []).append(language.replace("_", " "))
    return {word: tuple(languages) for word, languages in found.items()}


_LETTERS = {
    "ßäöü": "German", "ñ¿¡": "Spanish", "çèêàùœî": "French", "ãõ": "Portuguese", "åøæ": "Danish or Swedish",
    "łąężśćń": "Polish", "ğşı": "Turkish", "čřžšě": "Czech or a language written like it", "őű": "Hungarian",
    "ơưđ": "Vietnamese",
}  # fmt: skip
_BORROWED = frozenset({
    "café", "cafés", "naïve", "cliché", "fiancé", "fiancée", "sauté", "sautés", "piñata", "piñatas", "façade",
    "jalapeño", "déjà", "crème", "brûlée", "soufflé", "purée", "matinée", "protégé", "à", "señor", "señora",
})  # fmt: skip
"""English words with letters of other languages."""


def _written(word: str) -> tuple[str, ...]:
    """The languages that a letter shows."""
    if word.isascii() or word in _BORROWED or lexicon().known(word):
        return ()
    return tuple(language for letters, language in _LETTERS.items() if set(letters) & set(word))[:1]


def foreign(tokens: Sequence[Token]) -> tuple[Token, str] | None:
    """The word that shows that a command is not English, with the language; None where it may be English.

    Names of characters and anchors, and what is quoted, may be in any language.
    """
    words = [token for token in tokens if token.kind == "word"]
    for token in words:
        if (script := _script(token.text)) is not None:
            return token, script
    strange = [(token, found) for index, token in enumerate(words) if (found := _languages(words, index))]
    if not strange:
        return None
    votes = Counter(language for _, languages in strange for language in languages)
    return strange[0][0], max(votes, key=lambda language: votes[language])


def _languages(words: Sequence[Token], index: int) -> tuple[str, ...]:
    """The languages that a word shows; none where it may be English, or somebody's name."""
    token = words[index]
    languages = _telltales().get(token.text) or _written(token.text)
    if not languages or lexicon().known(token.text) or (token.capital and index):
        return ()
    after = lexicon().forms.get(words[index + 1].text, ()) if index + 1 < len(words) else ()
    named = token.capital and any(form in {"third", "past"} for _, form in after)  # "Ella waves"
    return () if named else languages


def _script(word: str) -> str | None:
    for sign in word:
        if sign.isascii() or not sign.isalpha():
            continue
        script = unicodedata.name(sign, "").partition(" ")[0]
        if script in _SCRIPTS:
            return _SCRIPTS[script]
    return None
