"""Backends by entry point."""

from __future__ import annotations

import subprocess
import sys
from importlib.metadata import EntryPoint

import pytest

from anix_cli import generate
from anix_cli.core.codes import exit_code_of
from anix_cli.core.errors import AnixError, ExitCode
from anix_cli.generate.animatic import AnimaticBackend


def _with(monkeypatch, **values):
    points = [EntryPoint(name, value, generate.GROUP) for name, value in values.items()]
    monkeypatch.setattr(generate, "entry_points", lambda group: points)


def test_the_draft_backend_is_installed():
    assert "animatic" in generate.backends()
    backend = generate.get("animatic")
    assert isinstance(backend, AnimaticBackend)
    assert generate.capabilities("animatic") == backend.capabilities
    assert backend.capabilities.uses == {"guide", "views", "blocking", "scene"}


def test_our_own_are_entry_points_too():
    installed = {point.name: point.value for point in generate.entry_points(generate.GROUP)}
    assert {name: ":".join(place) for name, place in generate.OURS.items()}.items() <= installed.items()


@pytest.mark.parametrize("function", [generate.get, generate.capabilities])
def test_an_unknown_backend_is_a_usage_error_with_the_nearest_name(function):
    with pytest.raises(AnixError) as error:
        function("animatik")
    (found,) = error.value.diagnostics
    assert (found.code, found.nearest) == ("E501", "animatic")
    assert "animatic" in found.message
    assert exit_code_of((found,)) == ExitCode.USAGE


def test_nothing_is_suggested_where_nothing_is_near():
    with pytest.raises(AnixError) as error:
        generate.get("gamecraft-xl")
    assert error.value.diagnostics[0].nearest is None


@pytest.mark.parametrize("value", ["no_such_module_of_anyone:Backend", "anix_cli.generate:no_such_name"])
def test_a_broken_plug_in_leaves_the_others_alone(monkeypatch, value):
    _with(monkeypatch, broken=value, animatic="anix_cli.generate.animatic:AnimaticBackend")
    assert generate.backends() == ("animatic", "broken")
    assert generate.get("animatic").name == "animatic"
    for function in (generate.get, generate.capabilities):
        with pytest.raises(AnixError) as error:
            function("broken")
        assert error.value.diagnostics[0].code == "E502"
        assert exit_code_of(error.value.diagnostics) == ExitCode.ENVIRONMENT


def test_a_plug_in_without_capabilities_is_broken(monkeypatch):
    _with(monkeypatch, odd="fractions:Fraction")
    with pytest.raises(AnixError) as error:
        generate.capabilities("odd")
    assert error.value.diagnostics[0].code == "E502"


def test_a_plug_in_cannot_take_our_name(monkeypatch):
    points = [
        EntryPoint("animatic", "somebody.elses:Backend", generate.GROUP),
        EntryPoint("animatic", "anix_cli.generate.animatic:AnimaticBackend", generate.GROUP),
        EntryPoint("animatic", "another.ones:Backend", generate.GROUP),
    ]
    monkeypatch.setattr(generate, "entry_points", lambda group: points)
    assert isinstance(generate.get("animatic"), AnimaticBackend)


def test_asking_for_capabilities_loads_nothing_heavy():
    code = (
        "import sys\n"
        "from anix_cli.generate import backends, capabilities\n"
        "capabilities('animatic')\n"
        "sys.exit(any(name in sys.modules for name in ('numba', 'scipy', 'PIL', 'torch')))"
    )
    assert subprocess.run([sys.executable, "-c", code], check=False).returncode == 0
