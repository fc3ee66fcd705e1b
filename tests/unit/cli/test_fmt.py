"""`anix fmt`: files, standard input, --check, --diff, and how files are written."""

from __future__ import annotations

import os
import stat
import subprocess

import pytest

from anix_cli.cli import fmt as command
from anix_cli.core.errors import AnixError
from anix_cli.run import fmt as run_fmt
from anix_cli.run.fmt import Formatting, formatting, rewrite

LOOSE = "title:   Zürich # 1\nanix: 1\n"
TIDY = "anix: 1\ntitle: Zürich # 1\n"


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loose.yaml").write_text(LOOSE, encoding="utf-8")
    (tmp_path / "tidy.yaml").write_text(TIDY, encoding="utf-8")
    (tmp_path / "bad.yaml").write_text("a: [1\n", encoding="utf-8")
    return tmp_path


def text(path) -> str:
    return path.read_bytes().decode("utf-8")


def test_files_are_rewritten_where_they_are(anix, folder):
    os.utime(folder / "tidy.yaml", ns=(1, 1))
    code, out, err = anix("fmt", "loose.yaml", "tidy.yaml", "loose.yaml")
    assert (code, out, err) == (0, "loose.yaml: formatted\ntidy.yaml: unchanged\n", "")
    assert text(folder / "loose.yaml") == TIDY
    assert (folder / "tidy.yaml").stat().st_mtime_ns == 1
    assert sorted(file.name for file in folder.iterdir()) == ["bad.yaml", "loose.yaml", "tidy.yaml"]


def test_check_lists_what_would_change(anix, folder):
    assert anix("fmt", "--check", "loose.yaml", "tidy.yaml") == (1, "loose.yaml\n", "")
    assert anix("fmt", "--check", "tidy.yaml") == (0, "", "")
    assert text(folder / "loose.yaml") == LOOSE
    assert command.WOULD_CHANGE == 1


def test_a_bad_file_has_its_diagnostics_and_the_others_are_formatted(anix, folder):
    code, out, err = anix("fmt", "bad.yaml", "loose.yaml")
    assert (code, out) == (3, "loose.yaml: formatted\n")
    assert "bad.yaml:1:4: E107" in err
    assert text(folder / "bad.yaml") == "a: [1\n"
    assert anix("fmt", "--check", "bad.yaml")[0] == 3
    assert anix("fmt", "missing.yaml")[0] == 2
    assert anix("fmt")[0] == 2


def test_diff_is_one_that_patch_takes(anix, folder):
    code, out, err = anix("fmt", "--diff", "loose.yaml", "tidy.yaml")
    assert (code, err) == (0, "")
    assert out.startswith("--- loose.yaml\n+++ loose.yaml\n@@ -1,2 +1,2 @@\n")
    assert "-title:   Zürich # 1\n" in out
    assert text(folder / "loose.yaml") == LOOSE
    assert anix("fmt", "--diff", "--check", "loose.yaml")[0] == 1
    assert anix("fmt", "--diff", "tidy.yaml") == (0, "", "")


@pytest.mark.parametrize(
    "before", [LOOSE, LOOSE.rstrip("\n"), LOOSE.replace("\n", "\r\n"), "\ufeff" + LOOSE, "shots:\n- id: a\n"]
)
def test_patch_makes_of_the_diff_what_fmt_makes(folder, before):
    change = formatting(folder / "x.yaml", text=before.encode())
    try:
        (folder / "x.yaml").write_bytes(change.before)
        subprocess.run(
            ["patch", "--binary", "-s", folder / "x.yaml"], input=change.diff(), check=True, cwd=folder
        )
    except FileNotFoundError:
        pytest.skip("patch is not installed")
    assert (folder / "x.yaml").read_bytes() == change.after


def test_standard_input_goes_to_standard_output(anix, folder):
    assert anix("fmt", "-", stdin=LOOSE.encode()) == (0, TIDY, "")
    assert anix("fmt", "-", stdin=TIDY.encode()) == (0, TIDY, "")
    assert anix("fmt", "--check", "-", stdin=LOOSE.encode()) == (1, "-\n", "")
    assert anix("fmt", "--diff", "-", stdin=LOOSE.encode())[1].startswith("--- -\n+++ -\n")
    code, out, err = anix("fmt", "-", stdin=b"a: [1\n")
    assert (code, out) == (3, "")
    assert "E107" in err
    assert anix("fmt", "-", "loose.yaml")[0] == 2
    assert text(folder / "loose.yaml") == LOOSE


def test_a_refusal_to_format_leaves_the_file(anix, folder):
    (folder / "odd.yaml").write_text("? |\n  long\n: 2\n", encoding="utf-8")
    code, out, err = anix("fmt", "odd.yaml")
    assert (code, out) == (3, "")
    assert "odd.yaml:1:3: E118" in err
    assert text(folder / "odd.yaml") == "? |\n  long\n: 2\n"


def test_mode_and_link_stay(folder):
    place = folder / "elsewhere"
    place.mkdir()
    (place / "film.yaml").write_text(LOOSE, encoding="utf-8")
    (place / "film.yaml").chmod(0o640)
    (folder / "link.yaml").symlink_to("elsewhere/film.yaml")
    rewrite(formatting(folder / "link.yaml"))
    assert (folder / "link.yaml").is_symlink()
    assert text(place / "film.yaml") == TIDY
    assert stat.S_IMODE((place / "film.yaml").stat().st_mode) == 0o640
    assert [file.name for file in place.iterdir()] == ["film.yaml"]


def test_a_read_only_file_is_left(folder, monkeypatch):
    (folder / "loose.yaml").chmod(0o444)
    monkeypatch.setattr(run_fmt.os, "access", lambda path, mode: False)  # what root would not see
    with pytest.raises(AnixError, match="E412"):
        rewrite(formatting(folder / "loose.yaml"))
    assert text(folder / "loose.yaml") == LOOSE


def test_a_file_that_changes_meanwhile_is_left(folder):
    change = formatting(folder / "loose.yaml")
    (folder / "loose.yaml").write_text("mine: 1\n", encoding="utf-8")
    with pytest.raises(AnixError, match="changed while"):
        rewrite(change)
    assert text(folder / "loose.yaml") == "mine: 1\n"
    assert sorted(file.name for file in folder.iterdir()) == ["bad.yaml", "loose.yaml", "tidy.yaml"]


def test_a_file_that_goes_meanwhile_stays_away(folder):
    change = formatting(folder / "loose.yaml")
    (folder / "loose.yaml").unlink()
    with pytest.raises(AnixError, match="E412"):
        rewrite(change)
    assert not (folder / "loose.yaml").exists()


def test_a_pipe_is_read_but_never_written(folder):
    change = Formatting(folder / "pipe", b"title: x\nanix: 1\n", b"anix: 1\ntitle: x\n")
    os.mkfifo(folder / "pipe")
    with pytest.raises(AnixError, match="E412"):
        rewrite(change)
