"""A sweep gives the table of `steerling sweep`, whatever process runs its points."""

import os
import pathlib
import signal
import subprocess
import sys
import threading
import time

import distributed
import pytest
from conftest import Program

import steerling

EXPERIMENT = """
scene = "flock"
agents = 70
steps = 20
burn_in = 7
metrics_every = 5
until = "polarization > 0.95"
[set]
observe = "milling"
species.0.max_speed = 20
[vary]
world.boundary = ["wrap", "contain"]
species.0.behaviors.cohesion.perception_radius = { from = 4, to = 6, count = 2 }
seed = [3, 4]
"""

AS_DICT = {
    "scene": "flock",
    "agents": 70,
    "steps": 20,
    "burn_in": 7,
    "metrics_every": 5,
    "until": "polarization > 0.95",
    "set": {"observe": "milling", "species.0.max_speed": 20},
    "vary": {
        "world.boundary": ["wrap", "contain"],
        "species.0.behaviors.cohesion.perception_radius": {"from": 4, "to": 6, "count": 2},
        "seed": [3, 4],
    },
}


@pytest.mark.parametrize(("backend", "device"), [("gpu", "gpu"), ("reference", "cpu")])
def test_the_table_is_that_of_the_program(program: Program, backend: str, device: str) -> None:
    pathlib.Path("some.toml").write_text(EXPERIMENT)
    program.run("sweep", "some.toml", "--device", device, "--out", "out")
    expected = (program.folder / "out/table.csv").read_text()
    assert steerling.sweep_csv("some.toml", backend=backend) == expected
    assert steerling.sweep_csv(AS_DICT, backend=backend) == expected
    assert steerling.sweep_csv({**AS_DICT, "burn_in": 0}, backend=backend) != expected


def test_a_frame_has_numbers_and_texts() -> None:
    table = steerling.sweep(AS_DICT, backend="reference")
    assert len(table.groupby("point")) == 8
    assert table.polarization.dtype == float
    assert set(table.digest.str.len()) == {32}
    assert set(table["world.boundary"]) == {"wrap", "contain"} and table.seed.dtype == int
    assert list(table.columns[:4]) == ["point", *AS_DICT["vary"]]


def test_swept_texts_stay_texts_and_swept_numbers_are_numbers(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    pathlib.Path("names.toml").write_text(
        'scene = "flock"\nagents = 40\nsteps = 1\n[vary]\nname = ["1_000", "inf", "12"]\nseed = [1_000, 2]\n'
    )
    table = steerling.sweep("names.toml", backend="reference")
    assert set(table.name) == {"1_000", "inf", "12"}
    assert table.seed.dtype == int and set(table.seed) == {1000, 2}


def test_a_point_that_fails_is_recorded() -> None:
    text = steerling.sweep_csv(
        {"scene": "flock", "agents": 50, "steps": 2, "vary": {"species.0.max_speed": [-1, 20]}}, backend="reference"
    )
    rows = text.splitlines()
    assert rows[1].startswith("0,-1,") and ",error," in rows[1] and "must be" in rows[1]
    assert rows[-1].endswith(",steps,")


def test_ctrl_c_ends_a_sweep() -> None:
    text = """
import steerling
print("begins", flush=True)
try:
    steerling.sweep_csv({"scene": "flock", "agents": 500, "steps": 10**9, "vary": {"seed": [1]}}, backend="reference")
except KeyboardInterrupt:
    print("ends")
"""
    child = subprocess.Popen([sys.executable, "-c", text], stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None
    assert child.stdout.readline() == "begins\n"
    time.sleep(1)
    child.send_signal(signal.SIGINT)
    said, _ = child.communicate(timeout=60)
    assert (said, child.returncode) == ("ends\n", 0)


def test_a_cluster_gives_the_same_table_though_a_worker_dies(
    tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    experiment = {"scene": "flock", "agents": 150, "steps": 200, "vary": {"seed": list(range(12))}}
    expected = steerling.sweep_csv(experiment, backend="reference")
    options = {"n_workers": 2, "threads_per_worker": 1, "processes": True, "dashboard_address": None}
    with distributed.LocalCluster(**options) as cluster, distributed.Client(cluster) as client:
        workers = client.run(os.getpid)
        tables: list[str] = []
        sweep = threading.Thread(
            target=lambda: tables.append(steerling.sweep_csv(experiment, backend="reference", client=client))
        )
        sweep.start()

        def done() -> int:
            """Number of points whose results workers hold."""
            return sum(len(keys) for keys in client.has_what().values())

        while done() < 3:
            assert sweep.is_alive()
            time.sleep(0.01)
        victim = sorted(workers.values())[0]
        os.kill(victim, signal.SIGKILL)
        assert done() < 12, "killed in the middle"
        sweep.join(timeout=120)
        assert tables == [expected]
        # A worker takes the text that was read here, and not the file that lies at that path in its own folder.
        pathlib.Path("some.toml").write_text(text := steerling._sweep._text({**experiment, "steps": 4}))
        expected = steerling.sweep_csv("some.toml", backend="reference")
        (other_folder := tmp_path / "other").mkdir()
        (other_folder / "some.toml").write_text(text.replace("150", "151"))
        for folder in (other_folder, pathlib.Path("/")):
            client.run(os.chdir, folder)
            assert steerling.sweep_csv("some.toml", backend="reference", client=client) == expected
        # The worker that was killed is gone: it was one of those that ran points.
        assert victim not in client.run(os.getpid).values()
        # Another experiment has another table: results of the one before are not reused.
        other = steerling.sweep_csv({**experiment, "agents": 151, "steps": 4}, backend="reference", client=client)
        assert other != expected
