"""Bones that are told by how they hang together where their names say nothing."""

from __future__ import annotations

import os
from dataclasses import replace
from pathlib import Path

import glb
import pytest

from anix_cli.character.models.acting import Actor
from anix_cli.character.models.figure import stand
from anix_cli.character.models.read import read_model
from anix_cli.character.models.roles import roles_of

REAL = sorted(Path(os.environ.get("ANIX_CHARACTERS", os.devnull)).glob("kaykit_*.glb"))


def _nameless(model):
    names = tuple(f"j{number}" for number in range(len(model.nodes.names)))
    return replace(model, nodes=replace(model.nodes, names=names))


def test_limbs_are_found_without_names(tmp_path):
    model = read_model(glb.person()[0].write(tmp_path / "p.glb"))
    named, found = roles_of(model), roles_of(_nameless(model))
    limbs = {role: node for role, node in named.items() if role not in ("spine", "chest")}
    assert len(limbs) >= 11 and {role: found[role] for role in limbs} == limbs
    assert named["spine"] in (found.get("spine"), found.get("chest"))


def test_a_nameless_person_walks_by_its_bones(tmp_path):
    model = _nameless(read_model(glb.person(walk=False)[0].write(tmp_path / "p.glb")))
    assert Actor(stand(model, 1.7)).moves() == "bones"


def test_names_win_and_what_is_no_person_has_no_parts(tmp_path):
    model = read_model(glb.person()[0].write(tmp_path / "p.glb"))
    few = replace(model, pieces=model.pieces[:0])
    assert roles_of(_nameless(few)) == {}


@pytest.mark.parametrize("path", REAL, ids=[path.stem for path in REAL])
def test_real_rigs_without_their_names(path):
    model = read_model(path)
    assert roles_of(_nameless(model)) == roles_of(model)
