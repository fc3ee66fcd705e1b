"""Signals that come wrapped in another error are stops, not bugs."""

from __future__ import annotations

import pytest

from anix_cli.cli import main
from anix_cli.run.signals import Terminated


@pytest.mark.parametrize(("signal", "code"), [(Terminated, 75), (KeyboardInterrupt, 130)])
def test_a_signal_while_a_class_is_made(monkeypatch, capsys, signal, code):
    def app(*_, **__):
        try:
            raise signal
        except BaseException as stop:
            raise RuntimeError("Error calling __set_name__ on 'Field' instance") from stop

    monkeypatch.setattr("anix_cli.cli.app.app_for", lambda _: app)
    assert main.run(["validate"]) == code
    assert "stopped by" in capsys.readouterr().err


def test_an_error_of_its_own_is_a_bug(monkeypatch, capsys):
    def app(*_, **__):
        raise RuntimeError("odd")

    monkeypatch.setattr("anix_cli.cli.app.app_for", lambda _: app)
    assert main.run(["validate"]) == 70
    assert "bug in anix" in capsys.readouterr().err
