"""What may be raised. Texts are those of the program."""

from __future__ import annotations


class SteerlingError(Exception):
    """Any error of this package."""


class SceneError(SteerlingError, ValueError):
    """A scene, an experiment, or a file that one of them names."""

    def __init__(
        self,
        text: str,
        origin: str = "",
        line: int | None = None,
        column: int | None = None,
        key: str = "",
        value: str | None = None,
        hint: str | None = None,
    ) -> None:
        super().__init__(text)
        self.origin = origin
        """The file, the preset, or the override as --set KEY=VALUE."""
        self.line = line
        """Line in it, from 1."""
        self.column = column
        """Column in characters, from 1."""
        self.key = key
        """Dotted path of the key; empty where none is concerned."""
        self.value = value
        """The value as TOML."""
        self.hint = hint
        """How to put it right, such as the nearest name."""


class UsageError(SteerlingError, ValueError):
    """Arguments that cannot be, or do not go together."""


class ShaderError(SteerlingError, ValueError):
    """A shader, such as that of a behavior of one's own, that does not compile."""


class DeviceError(SteerlingError, RuntimeError):
    """No GPU that can be used, too little memory, or a device that failed."""
