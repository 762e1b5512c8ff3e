"""The program `steerling`, with which tests compare the package."""

import os
import pathlib
import subprocess

import pytest

ROOT = pathlib.Path(__file__).resolve().parents[2]
PROGRAM = os.environ.get("STEERLING", str(ROOT / "target/debug/steerling"))


class Program:
    """Calls of the program, in a folder of their own."""

    def __init__(self, folder: pathlib.Path) -> None:
        self.folder = folder

    def call(self, *words: object) -> subprocess.CompletedProcess[str]:
        line = [PROGRAM, *map(str, words)]
        return subprocess.run(line, cwd=self.folder, capture_output=True, text=True, check=False)

    def run(self, *words: object) -> str:
        done = self.call(*words)
        assert done.returncode == 0, done.stderr
        return done.stdout


@pytest.fixture
def program(tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> Program:
    """The program in a folder of its own. This process changes to it too, so both see the same relative paths."""
    monkeypatch.chdir(tmp_path)
    return Program(tmp_path)
