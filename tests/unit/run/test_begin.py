"""A new film's folder: what is written, and what is never touched."""

from __future__ import annotations

from pathlib import Path

import pytest

from anix_cli.core.errors import AnixError
from anix_cli.run.begin import begin, template_of
from anix_cli.samples.template import TEMPLATES

MINIMAL = TEMPLATES["minimal"]


def content(folder: Path) -> dict[str, bytes]:
    return {
        path.relative_to(folder).as_posix(): path.read_bytes() for path in folder.rglob("*") if path.is_file()
    }


def refused(folder: Path, code: str = "E438", **options) -> str:
    before = content(folder) if folder.is_dir() else None
    with pytest.raises(AnixError) as failed:
        begin(MINIMAL, folder, **options)
    assert [problem.code for problem in failed.value.diagnostics] == [code]
    assert (content(folder) if folder.is_dir() else None) == before
    return failed.value.diagnostics[0].message


def test_all_files_are_written_and_nothing_else(tmp_path):
    made = begin(MINIMAL, tmp_path / "films" / "first")
    found = content(made.folder)
    assert sorted(found) == sorted(path.relative_to(made.folder).as_posix() for path in made.files)
    assert found == dict(MINIMAL.files())
    assert made.size_bytes == sum(map(len, found.values()))
    assert made.screenplay == tmp_path / "films/first/film.yaml"


def test_the_same_command_again_changes_nothing(tmp_path):
    made = begin(MINIMAL, tmp_path)
    before = {path: path.stat().st_mtime_ns for path in made.files}
    begin(MINIMAL, tmp_path)
    assert {path: path.stat().st_mtime_ns for path in made.files} == before


def test_a_run_that_was_stopped_is_completed(tmp_path):
    made = begin(MINIMAL, tmp_path)
    made.screenplay.unlink()
    made.files[0].unlink()
    begin(MINIMAL, tmp_path)
    assert content(tmp_path) == dict(MINIMAL.files())


def test_a_file_with_other_content_stays(tmp_path):
    begin(MINIMAL, tmp_path)
    (tmp_path / "film.yaml").write_text("mine", encoding="utf-8")
    (tmp_path / "assets" / "mira_back.png").unlink()
    assert "film.yaml" in refused(tmp_path)
    begin(MINIMAL, tmp_path, overwrite=True)
    assert content(tmp_path) == dict(MINIMAL.files())


def test_a_link_is_not_written_through(tmp_path):
    target = tmp_path / "elsewhere.yaml"
    folder = tmp_path / "film"
    folder.mkdir()
    (folder / "film.yaml").symlink_to(target)
    refused(folder)
    assert not target.exists()


def test_a_folder_in_use_is_refused(tmp_path):
    (tmp_path / "notes.txt").write_text("mine", encoding="utf-8")
    assert "notes.txt" in refused(tmp_path)
    begin(MINIMAL, tmp_path, overwrite=True)
    assert (tmp_path / "notes.txt").read_text(encoding="utf-8") == "mine"


def test_many_names_are_told_in_short(tmp_path):
    for number in range(9):
        (tmp_path / f"{number}.txt").touch()
    assert refused(tmp_path).endswith("0.txt, 1.txt, 2.txt, 3.txt and 5 more")


def test_names_that_begin_with_a_dot_do_not_count(tmp_path):
    (tmp_path / ".git").mkdir()
    begin(MINIMAL, tmp_path)


def test_a_file_is_no_folder(tmp_path):
    (tmp_path / "file").touch()
    refused(tmp_path / "file")
    refused(tmp_path / "file" / "film")


def test_templates_by_name():
    assert template_of("talk").name == "talk"
    with pytest.raises(AnixError) as failed:
        template_of("tlak")
    assert (failed.value.diagnostics[0].code, failed.value.diagnostics[0].nearest) == ("E437", "talk")
    with pytest.raises(AnixError) as failed:
        template_of("opera")
    assert failed.value.diagnostics[0].nearest is None
