"""Writes the parts of a YAML text in canonical form: see :mod:`.fmt_parts`.

Two spaces of indentation, dashes indented under their key, one space after colons and commas; at most one
empty line, none at the beginning of a block, and one around each section of the file that is longer than one
line.
"""

from __future__ import annotations

from .fmt_parts import Comment, Document, Entry, Group, Leaf, Part
from .fmt_scan import spaces

_STEP = 2


def write(document: Document) -> str:
    """The text of a document, with LF line ends."""
    lines = _squeezed(document.prefix)
    if document.marked:
        lines.append("---")
        if document.mark_comment:
            _add(lines, document.mark_comment)
    _comment_lines(lines, document.head, 0)
    if document.head and document.head_blank and document.root is not None:
        lines.append("")
    lines += _root(document.root)
    solid = _solid(document.root)
    for number, note in enumerate(document.trailing):
        if note.blank and lines and not (solid and number == 0):
            lines.append("")
        lines.append(note.text)
    if document.suffix is not None:
        first, *rest = document.suffix
        lines.append("..." + (f" {first.strip(' ')}" if first.strip(" ") else ""))
        lines += _squeezed([line.strip(" ") for line in rest])
    return "".join(f"{line}\n" for line in lines)


def _squeezed(lines: list[str]) -> list[str]:
    """Without empty lines at the beginning, at the end, and after empty lines."""
    kept: list[str] = []
    for line in lines:
        if line or (kept and kept[-1]):
            kept.append(line)
    while kept and not kept[-1]:
        kept.pop()
    return kept


def _root(root: Group | None) -> list[str]:
    if root is None:
        return []
    if not root.flow:
        lines = [root.props] if root.props else []
        for note in root.before:
            _add(lines, note)
        return lines + _block(root, 0, top=root.keyed)
    lines = [""]
    _flow(lines, root, _STEP, 0)
    _finish(lines, root, _STEP)
    return lines


def _add(lines: list[str], note: Comment) -> None:
    """Puts a comment at the end of the last line."""
    if lines and lines[-1].strip(" "):
        lines[-1] = lines[-1].rstrip(" ") + spaces(note.gap) + note.text
    elif lines:
        lines[-1] += note.text
    else:
        lines.append(note.text)


def _comment_lines(lines: list[str], notes: list[Comment], column: int, *, blank: bool = False) -> None:
    """Adds comment lines; the first with an empty line above it only if ``blank``."""
    for number, note in enumerate(notes):
        if note.blank if number else blank:
            lines.append("")
        lines.append(" " * column + note.text)


def _block(group: Group, column: int, *, top: bool = False) -> list[str]:
    """The lines of a block mapping or list that stands in a column; ``top``: its entries are sections."""
    lines: list[str] = []
    _comment_lines(lines, group.head, column)
    if group.head and (group.head_blank or group.entries[0].lead):
        lines.append("")
    before: Entry | None = None
    long_before = solid = False
    for entry in group.entries:
        body = _entry(entry, column)
        long = len(body) > 1
        if before is not None:
            blank = entry.blank_before or bool(before.tail) or _detached(entry)
            if (blank or (top and (long or long_before))) and not solid:
                lines.append("")
        _comment_lines(lines, entry.lead, column)
        if entry.lead_blank and entry.lead:
            lines.append("")
        lines += body
        solid = _solid(entry.value)
        _comment_lines(lines, entry.tail, column)
        solid = solid and not entry.tail
        before, long_before = entry, long
    trailing = group.trailing
    if trailing:
        parted = bool(group.entries[-1].tail)
        _comment_lines(lines, trailing, column, blank=(trailing[0].blank and not solid) or parted)
    return lines


def _detached(entry: Entry) -> bool:
    """Whether its comments fall apart, so that the first of them could be taken for the entry above."""
    return bool(entry.lead) and (entry.lead_blank or any(note.blank for note in entry.lead[1:]))


def _solid(part: Part | None) -> bool:
    """Whether an empty line below would change a value: text that keeps its last line ends."""
    if part is None or part.below:
        return False
    if isinstance(part, Leaf):
        return part.solid
    if not isinstance(part, Group) or part.flow or part.trailing or part.entries[-1].tail:
        return False
    return _solid(part.entries[-1].value)


def _entry(entry: Entry, column: int) -> list[str]:
    """The lines of a key or dash with its value."""
    sign = "-" if entry.key is None else _key(entry.key)
    prefix = " " * column + sign
    part = entry.value
    inner = column + _STEP
    if isinstance(part, Group) and not part.flow:
        if part.props:
            prefix += f" {part.props}"
        body = _block(part, inner)
        if entry.key is None and not (part.props or part.before or part.head or part.entries[0].lead):
            body[0] = f"{prefix} {body[0][inner:]}"
            return body
        lines = [prefix]
        for note in part.before:
            _add(lines, note)
        return lines + body
    lines = [prefix]
    if _before(lines, part.before, inner):
        pass
    elif isinstance(part, Group) or part.props or (isinstance(part, Leaf) and part.lines):
        lines[-1] += " "
    if isinstance(part, Group):
        _flow(lines, part, inner, inner)
    else:
        _leaf(lines, part, inner)
    _finish(lines, part, inner)
    return lines


def _key(key: Leaf) -> str:
    text = f"{key.props} {key.lines[0]}" if key.props else key.lines[0]
    return f"{text} :" if key.style == "alias" else f"{text}:"


def _before(lines: list[str], notes: list[Comment], column: int) -> bool:
    """Adds the comments between a key and its value, which then begins a line in ``column``."""
    if not notes:
        return False
    first = 0
    if not notes[0].own_line:
        _add(lines, notes[0])
        first = 1
    _comment_lines(lines, notes[first:], column)
    lines.append(" " * column)
    return True


def _finish(lines: list[str], part: Part, column: int) -> None:
    """Adds the comments after and below a value."""
    lines[-1] = lines[-1] if isinstance(part, Leaf) and part.style == "block" else lines[-1].rstrip(" ")
    if part.after:
        _add(lines, part.after)
    for note in part.below:
        if note.blank:
            lines.append("")
        lines.append(" " * column + note.text)


def _leaf(lines: list[str], part: Part, column: int) -> None:
    """Adds a scalar or an alias; its further lines begin in ``column``."""
    content = part.lines if isinstance(part, Leaf) else []
    lines[-1] += " ".join(piece for piece in (part.props, *content[:1]) if piece)
    lines += [" " * column + line if line else "" for line in content[1:]]


def _flow(lines: list[str], group: Group, column: int, close_column: int) -> None:
    """Adds a mapping or list in brackets.

    Args:
        column: where its further lines begin: further in than the key outside of the brackets, as YAML asks.
        close_column: where the closing bracket stands, if it begins a line.
    """
    opening, closing = ("{}" if group.keyed else "[]") if group.brackets else ("", "")
    lines[-1] += f"{group.props} {opening}" if group.props else opening
    comment = group.opening
    for number, entry in enumerate(group.entries):
        if number:
            lines[-1] += ","
        if comment:
            _add(lines, comment)
        if entry.lead or entry.new_line or comment:
            if entry.blank_before and number:
                lines.append("")
            _comment_lines(lines, entry.lead, column)
            if entry.lead_blank and entry.lead:
                lines.append("")
            lines.append(" " * column)
        elif number:
            lines[-1] += " "
        _flow_entry(lines, group, entry, column)
        comment = entry.after
    if comment:
        _add(lines, comment)
    for number, note in enumerate(group.trailing):
        if note.blank and (number or group.entries):
            lines.append("")
        lines.append(" " * column + note.text)
    if comment or group.trailing or (group.close_on_new_line and group.entries):
        lines.append(" " * close_column)
    lines[-1] += closing


def _flow_entry(lines: list[str], group: Group, entry: Entry, column: int) -> None:
    part = entry.value
    inner = column + _STEP
    if entry.key is not None:
        colon = _key(entry.key)
        empty = isinstance(part, Leaf) and not (part.lines or part.props or part.before)
        if empty and group.brackets:
            lines[-1] += colon.removesuffix(":").rstrip(" ")
            return
        lines[-1] += f"{colon} "
    if part.before:
        _before(lines, part.before, inner)
    if isinstance(part, Group):
        _flow(lines, part, inner, column)
        return
    _leaf(lines, part, inner)
    if isinstance(part, Leaf) and not part.lines and part.props:
        lines[-1] += " "
