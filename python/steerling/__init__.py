"""Steers a million agents on any GPU, and proves that it does so correctly: docs/python.md."""

from ._errors import DeviceError, SceneError, ShaderError, SteerlingError, UsageError
from ._native import VERSION as __version__
from ._native import Scene, Simulation, Snapshot, adapters, presets, verify
from ._sweep import sweep, sweep_csv

__all__ = [
    "DeviceError",
    "Scene",
    "SceneError",
    "ShaderError",
    "Simulation",
    "Snapshot",
    "SteerlingError",
    "UsageError",
    "__version__",
    "adapters",
    "presets",
    "sweep",
    "sweep_csv",
    "verify",
]
