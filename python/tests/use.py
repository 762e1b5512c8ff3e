"""A use of everything in the package, for type checkers: nothing here is run."""

from __future__ import annotations

import numpy
import pandas
from numpy.typing import NDArray

import steerling


def use() -> None:
    scene: steerling.Scene = steerling.Scene("flock", {"species.0.max_speed": 3}, agents=10, seed=1).edit(dt=0.01)
    simulation = steerling.Simulation(scene, "gpu", adapter=0, positions=numpy.zeros((10, 2)))
    simulation.step(3)
    positions: NDArray[numpy.float32] = simulation.positions
    both: tuple[NDArray[numpy.float32], NDArray[numpy.float32]] = simulation.agents([1, 2])
    both = simulation.agents(numpy.arange(2))
    ids: range = scene.species["birds"]
    snapshot: steerling.Snapshot = simulation.snapshot()
    simulation.restore(snapshot)
    what: str = simulation.change({"seed": 3})
    picture: NDArray[numpy.uint8] = simulation.picture(64, height=64)
    passed: bool = steerling.verify(scene, steps=1)["pass"]
    table: pandas.DataFrame = steerling.sweep({"scene": "flock", "vary": {"seed": [1, 2]}})
    print(positions, both, ids, what, picture, passed, table, steerling.presets(), steerling.adapters())


def misuse() -> None:
    steerling.Simulation("flock")  # type: ignore[arg-type]
    steerling.Simulation(steerling.Scene("flock"), "cuda")  # type: ignore[arg-type]
    steerling.Scene("flock").wings  # type: ignore[attr-defined]
    steerling.Scene("flock").agents = 3  # type: ignore[misc]
