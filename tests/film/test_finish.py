"""The film's options through the command line: names, folders, what lies beside, and nobody's name in it."""

from __future__ import annotations

import json
from pathlib import Path

from anix_cli.cli.main import run
from anix_cli.media.inspect import _describe, count_frames
from tests.film.test_chain import FRAMES, edit, film  # noqa: F401  (a fixture)


def test_a_film_in_three_ways_of_the_same_clips(film: Path, capsys) -> None:  # noqa: F811
    total = sum(FRAMES.values())
    edit(film, "cut: true, anchor: well, duration: 1", "cut: true, anchor: well, duration: 1, caption: Hi")
    edit(film, "caption: Hi", "caption: Hi, transition: {dissolve: 3f}")
    edit(film, "seed: 7}", "seed: 7, also: [vtt, poster]}")
    assert run(["render", "film.yaml", "-o", "out/{title}-{seed}.mp4", "--no-metadata", "-q"]) == 0
    made = film / "out" / "Small-7.mp4"
    assert capsys.readouterr().out == "out/Small-7.mp4\n"
    assert count_frames(made) == total - 3
    assert "Small" not in _describe(made).replace(str(made), "") and "animatic" not in _describe(made)
    manifest = json.loads(made.with_name("Small-7.mp4.json").read_text())
    assert manifest["frames"] == total - 3 and manifest["metadata"] is False
    assert manifest["shots"][3]["start"] == total - 8 - 3
    assert "--no-metadata" in made.with_name("Small-7.html").read_text()
    assert sorted(file.suffix for file in made.parent.iterdir()) == [".html", ".jpg", ".json", ".mp4", ".vtt"]

    assert run(["render", "film.yaml", "--set", "film.codec=png", "-q"]) == 0
    folder = film / "film_png"
    assert len(list(folder.glob("frame.*.png"))) == total - 3 and (folder / "captions.srt").is_file()
    assert (film / "film_png.html").is_file() and (film / "film_png.vtt").is_file()
    assert run(["report", ".", "-o", "all.html"]) == 0
    page = (film / "all.html").read_text()
    assert "film_png" in page and "out/Small-7.mp4" in page

    capsys.readouterr()
    (film / "film_png.vtt").write_text("corrected by hand")
    assert run(["render", "film.yaml", "--set", "film.codec=png", "-q"]) == 2
    assert "E431" in capsys.readouterr().err
    assert run(["render", "film.yaml", "-o", "{titel}.mp4"]) == 2
    assert "E442" in capsys.readouterr().err


def test_shots_and_plan_know_of_what_overlaps(film: Path, capsys) -> None:  # noqa: F811
    edit(film, "cut: true, anchor: well", "cut: true, transition: {dissolve: 0.5}, anchor: well")
    assert run(["shots", "film.yaml", "--json"]) == 0
    rows = json.loads(capsys.readouterr().out)
    assert [row["start_frame"] for row in rows] == [0, 12, 20, 24]
    assert (rows[3]["dissolve_s"], rows[3]["fade_s"]) == (0.5, 0)
    edit(film, "dissolve: 0.5", "dissolve: 1")
    assert run(["validate", "film.yaml"]) == 3
    assert "E128" in capsys.readouterr().err
