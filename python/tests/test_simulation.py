"""What the package computes is what the program computes."""

import csv
import os
import pathlib
import pickle
import signal
import subprocess
import sys
import threading
import time

import matplotlib.image
import numpy
import pytest
from conftest import ROOT, Program

import steerling
from steerling import Scene, Simulation

BACKENDS = [("gpu", "gpu"), ("reference", "cpu")]


def rows(path: pathlib.Path) -> list[dict[str, str]]:
    with path.open(newline="") as file:
        return list(csv.DictReader(file))


def as_text(seen: dict[str, object]) -> dict[str, float | str | None]:
    """Whole numbers as floats, for comparison with what the program writes: the fewest digits that give the same number when read."""
    return {name: value if isinstance(value, str) or value is None else float(value) for name, value in seen.items()}


def as_read(row: dict[str, str]) -> dict[str, float | str | None]:
    return {name: text if name == "digest" else float(text) if text else None for name, text in row.items()}


@pytest.mark.parametrize(("backend", "device"), BACKENDS)
@pytest.mark.parametrize(
    ("name", "list"),
    [
        ("flock", None),
        ("zones", "milling, groups:6"),
        ("murmuration", "nearest_distance"),
        ("bottleneck", "path_deviation"),  # has a line too
    ],
)
def test_rows_are_those_of_the_program(
    program: Program, backend: str, device: str, name: str, list: str | None
) -> None:
    asked = [] if list is None else ["--observe", list]
    program.run(
        *["run", name, "--agents", 300, "--seed", 5, "--steps", 30, "--metrics-every", 10],
        *["--device", device, "--out", "run", *asked],
    )
    expected = [as_read(row) for row in rows(program.folder / "run/metrics.csv")]
    simulation = Simulation(Scene(name, agents=300, seed=5), backend)
    found = [as_text(simulation.observe(list))]
    for _ in range(3):
        simulation.step(10)
        found.append(as_text(simulation.observe(list)))
    assert found == expected
    assert simulation.digest == expected[-1]["digest"]
    state = numpy.load(program.folder / "run/states/000030.npy")
    both = (simulation.positions, simulation.velocities)
    axes = state.shape[1] // 2
    assert all(part.dtype == numpy.float32 and part.shape == (300, 3) for part in both)
    assert numpy.array_equal(numpy.hstack([part[:, :axes] for part in both]), state)
    # Another seed gives another state, and the comparison notices.
    other = Simulation(Scene(name, agents=300, seed=6), backend)
    other.step(30)
    assert other.digest != simulation.digest
    assert as_text(other.observe(list)) != expected[-1]


def test_agents_by_id() -> None:
    for backend in ("gpu", "reference"):
        simulation = Simulation(Scene("flock", agents=200), backend)
        simulation.step(20)
        positions, velocities = simulation.agents([7, 3, 199])
        assert numpy.array_equal(positions, simulation.positions[[7, 3, 199]])
        assert numpy.array_equal(velocities, simulation.velocities[[7, 3, 199]])
    assert Scene("zones").species == {"swarm": range(180), "torus": range(180, 360), "parallel": range(360, 540)}


def test_arrays_are_copies_that_own_what_they_hold() -> None:
    simulation = Simulation(Scene("flock", agents=200), "reference")
    before = simulation.positions
    kept = before.copy()
    simulation.step(5)
    assert numpy.array_equal(before, kept)
    # Other libraries can use the arrays without a copy.
    assert numpy.shares_memory(numpy.from_dlpack(before), before)
    before[:] = 0
    assert simulation.positions.any()


def test_a_start_of_ones_own() -> None:
    scene = Scene("flock", {"species.0.count": 3})
    positions = [[0, 1], [2, 3], [4, 5]]
    for backend in ("gpu", "reference"):
        simulation = Simulation(scene, backend, positions=positions, velocities=numpy.ones((3, 2)))
        assert numpy.array_equal(simulation.positions[:, :2], positions)
        assert numpy.array_equal(simulation.velocities, [[1, 1, 0]] * 3)


def test_a_snapshot_goes_on_on_another_backend() -> None:
    scene = Scene("zones", agents=300)
    gpu, reference = Simulation(scene, "gpu"), Simulation(scene, "reference")
    gpu.step(20)
    snapshot = gpu.snapshot()
    gpu.step(20)
    reference.step(20)
    reference.restore(pickle.loads(pickle.dumps(snapshot)))
    assert (snapshot.steps, reference.steps) == (20, 20)
    reference.step(20)
    assert reference.digest == gpu.digest
    # A simulation that was not restored has another state by now.
    gpu.step(20)
    assert reference.digest != gpu.digest


def test_live_changes() -> None:
    scene = Scene("flock", agents=200)
    for backend in ("gpu", "reference"):
        simulation = Simulation(scene, backend)
        simulation.step(10)
        before = simulation.digest
        assert numpy.linalg.norm(simulation.velocities, axis=1).max() > 12.6
        assert simulation.change({"species.0.max_speed": 12.5}) == "numbers"
        assert (simulation.digest, simulation.steps) == (before, 10)
        simulation.step(10)
        fastest = numpy.linalg.norm(simulation.velocities, axis=1).max()
        assert fastest < 12.5001
        with pytest.raises(steerling.SceneError, match="must be"):
            simulation.change({"species.0.max_speed": -1})
        assert simulation.scene == scene.edit({"species.0.max_speed": 12.5})
        assert simulation.change(scene.edit(agents=100)) == "restart"
        assert (simulation.steps, len(simulation.positions)) == (0, 100)


def test_own_behaviors(tmp_path: pathlib.Path) -> None:
    folder = ROOT / "examples/own_behaviors"
    for file in folder.iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    digests = []
    file = tmp_path / "swirl.wgsl"
    for text in (file.read_text(), file.read_text().replace("toward.y, -toward.x", "-toward.y, toward.x")):
        file.write_text(text)
        scene = Scene(tmp_path / "carousel.toml", agents=300)
        report = steerling.verify(scene, steps=2, free_steps=5)
        assert report["pass"], report
        simulation = Simulation(scene)
        simulation.step(5)
        assert simulation.digest == report["free_run"]["gpu_digest"]
        digests.append(simulation.digest)
    # The opposite sense of rotation gives another motion.
    assert len(set(digests)) == 2, digests


def test_a_scene_is_edited_and_observed_wherever_the_process_has_gone(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for file in (ROOT / "examples/own_behaviors").iterdir():
        (tmp_path / file.name).write_bytes(file.read_bytes())
    monkeypatch.chdir(tmp_path)
    scene = Scene("carousel.toml", agents=300)
    simulation = Simulation(scene, "reference")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    assert simulation.change({"dt": 0.01}) == "numbers"
    assert pickle.loads(pickle.dumps(scene)) == scene != simulation.scene
    # Observing does not read a file again.
    for file in tmp_path.glob("*.wgsl"):
        file.unlink()
    assert 0 <= simulation.observe("milling")["milling"] <= 1
    with pytest.raises(steerling.SceneError, match="wgsl"):
        scene.edit(dt=0.02)


def test_scenes_pickle_with_their_overrides() -> None:
    scene = Scene("flock", {"species.0.max_speed": 12.5, "name": "3"}, agents=77, seed=5).edit(dt=0.01)
    again = pickle.loads(pickle.dumps(scene))
    assert again == scene and (again.agents, again.edit(seed=6).agents) == (77, 77)
    assert again != scene.edit(seed=6)


def test_a_digest_is_of_the_state_alone() -> None:
    asks = Scene("flock", agents=200, observe="milling")
    for backend in ("gpu", "reference"):
        simulation = Simulation(asks, backend)
        assert simulation.digest == simulation.observe()["digest"] == simulation.observe("")["digest"]
        assert "milling" in simulation.observe() and "milling" not in simulation.observe("")


def test_the_version_is_that_of_the_program(program: Program) -> None:
    assert program.run("--version").split()[1] == steerling.__version__


@pytest.mark.parametrize("backend", ["gpu", "reference"])
def test_ctrl_c_ends_steps_between_batches(backend: str) -> None:
    text = f"""
import steerling
simulation = steerling.Simulation(steerling.Scene("flock", agents=500), "{backend}")
simulation.step(1)
print("begins", flush=True)
try:
    simulation.step(10**15)
except KeyboardInterrupt:
    steps = simulation.steps
    simulation.step(5)
    print(steps > 1, simulation.steps - steps)
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begins\n"
    time.sleep(0.3)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert (said, child.returncode) == ("True 5\n", 0)


def test_others_use_the_interpreter_meanwhile() -> None:
    simulation = Simulation(Scene("flock", agents=2000), "reference")
    thread = threading.Thread(target=simulation.step, args=(200,))
    thread.start()
    looks = []
    while thread.is_alive():
        # This waits for one batch of steps at most, and never for all steps.
        looks.append(simulation.steps)
    thread.join()
    assert simulation.steps == 200
    assert any(0 < steps < 200 for steps in looks), looks[:5]


def test_pictures(program: Program) -> None:
    program.run("render", "flock", "--agents", 300, "--after", 30, "--size", "160x90", "--out", "flock.png")
    expected = (matplotlib.image.imread(program.folder / "flock.png") * 255).round().astype(numpy.uint8)
    simulation = Simulation(Scene("flock", agents=300), "gpu")
    simulation.step(30)
    found = simulation.picture(160, 90)
    assert found.shape == (90, 160, 4)
    assert numpy.array_equal(found[..., : expected.shape[2]], expected)
    simulation.step(30)
    assert not numpy.array_equal(simulation.picture(160, 90), found)


def test_a_change_of_colors_shows_what_a_start_with_them_does() -> None:
    force = Scene("flock", {"look.color": "force"}, agents=300)
    started, changed, plain = (Simulation(scene, "gpu") for scene in (force, Scene("flock", agents=300), force))
    for simulation in (started, changed, plain):
        simulation.step(20)
    assert changed.change({"look.color": "force"}) == "numbers"
    plain.change({"look.color": "own"})
    for simulation in (started, changed, plain):
        simulation.step(1)
    expected = started.picture(160, 90)
    assert numpy.array_equal(changed.picture(160, 90), expected)
    assert not numpy.array_equal(plain.picture(160, 90), expected)
