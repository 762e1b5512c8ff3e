"""The exceptions of this package. Their texts are those of the program's errors."""

from __future__ import annotations


class SteerlingError(Exception):
    """Any error of this package."""


class SceneError(SteerlingError, ValueError):
    """A mistake in a scene, in an experiment, or in a file that one of them names."""

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
        """Line in `origin`, from 1."""
        self.column = column
        """Column in that line, in characters, from 1."""
        self.key = key
        """Dotted path of the key; empty if the error is not about one."""
        self.value = value
        """The value as TOML."""
        self.hint = hint
        """How to put it right, such as the nearest name."""


class UsageError(SteerlingError, ValueError):
    """Arguments that are not valid, or do not go together."""


class ShaderError(SteerlingError, ValueError):
    """A shader that does not compile, such as that of a behavior of one's own."""


class DeviceError(SteerlingError, RuntimeError):
    """There is no GPU that can be used, or too little memory, or a device failed."""
