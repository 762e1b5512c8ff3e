"""Bad calls: each raises a typed error that says what is wrong, in the words of the program."""

from __future__ import annotations

import itertools
import math
import pathlib
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from typing import Any

import numpy
import pytest
from conftest import Program

import steerling
from steerling import DeviceError, Scene, SceneError, ShaderError, Simulation, SteerlingError, UsageError


PLAIN = "schema = 1\nworld.size = [90, 90]\n[[species]]\ncount = 40\n"


def flock(**more: Any) -> Simulation:
    return Simulation(Scene("flock", agents=40), "reference", **more)


def sweep(**more: Any) -> str:
    return steerling.sweep_csv({"scene": "flock", "agents": 40, "steps": 1, "vary": {"seed": [1]}, **more})


CALLS: dict[str, tuple[Callable[[], object], type[Exception], str]] = {
    "no such preset": (lambda: Scene("flokc"), SceneError, "flokc"),
    "a folder": (lambda: Scene(pathlib.Path("/")), SceneError, "/"),
    "no scene": (lambda: Scene(3), TypeError, "source"),
    "unknown key": (lambda: Scene("flock", sead=3), SceneError, "did you mean `seed`"),
    "unknown path": (lambda: Scene("flock", {"species.0.max_sped": 3}), SceneError, "did you mean `max_speed`"),
    "unknown species": (lambda: Scene("flock", {"species.hawks.count": 3}), SceneError, "hawks"),
    "no key": (lambda: Scene("flock", {"": 3}), SceneError, "the key must be names"),
    "a key that is none": (lambda: Scene("flock", {3: 3}), TypeError, "str"),
    "out of range": (lambda: Scene("flock", dt=2), SceneError, "dt = 2.*must be"),
    "no number": (lambda: Scene("flock", dt=math.nan), SceneError, "dt"),
    "another type": (lambda: Scene("flock", seed="many"), SceneError, "must be a whole number"),
    "too large a number": (lambda: Scene("flock", seed=10**30), UsageError, "too large"),
    "no value": (lambda: Scene("flock", seed=None), UsageError, "not NoneType"),
    "endless lists": (lambda: Scene("flock", seed=endless()), UsageError, "16 levels"),
    "negative agents": (lambda: Scene("flock", agents=-1), UsageError, r"-1: must be a whole number from 0 to 2\^32 - 1"),
    "too many agents": (lambda: Scene("flock", agents=2**31), SceneError, "agents"),
    "no TOML": (lambda: Scene.parse("schema = \n"), SceneError, "scene:1:"),
    "an empty text": (lambda: Scene.parse(""), SceneError, "empty"),
    "a behavior without its file": (lambda: own("no.wgsl", None), SceneError, "no.wgsl"),
    "a behavior that does not compile": (lambda: own("swirl.wgsl", "struct Swirl {"), SceneError, "swirl.wgsl:1:"),
    "no such backend": (lambda: Simulation(Scene("flock"), "cuda"), UsageError, "allowed here: gpu, reference"),
    "no such adapter": (lambda: Simulation(Scene("flock"), "gpu", adapter="Voodoo"), UsageError, "Voodoo"),
    "an adapter of the reference": (lambda: Simulation(Scene("flock"), "reference", adapter="0"), UsageError, "does not go with"),
    "too much memory": (lambda: Simulation(Scene("flock", agents=2**30), "reference"), DeviceError, "MiB"),
    "a count beside agents": (lambda: Scene("flock", agents=40).edit({"species.0.count": 60}), SceneError, "follows from agents=40"),
    "other agents": (lambda: flock(positions=numpy.zeros((3, 2))), UsageError, "the scene 40"),
    "four coordinates": (lambda: flock(positions=numpy.zeros((40, 4))), UsageError, r"not float64 of the shape \(40, 4\)"),
    "one coordinate": (lambda: flock(positions=numpy.zeros(40)), UsageError, r"\(agents, 3\), not float64 of the shape \(40,\)"),
    "words for coordinates": (lambda: flock(positions=[["1", "2"]] * 40), UsageError, "positions must be numbers"),
    "complex coordinates": (lambda: flock(velocities=numpy.zeros((40, 2), complex)), UsageError, "velocities must be .* not complex128"),
    "rows of many lengths": (lambda: flock(positions=[[1, 2], [3]]), UsageError, "positions must be numbers of the shape"),
    "a place that is none": (lambda: flock(velocities=numpy.full((40, 2), math.inf)), UsageError, "agent 0 .*not finite"),
    "steps back": (lambda: flock().step(-1), UsageError, r"-1: must be a whole number from 0 to 2\^64 - 1"),
    "half a step": (lambda: flock().step(0.5), TypeError, "steps"),
    "a negative agent": (lambda: flock().agents([3, -1]), UsageError, "-1: must be"),
    "a negative picture": (lambda: flock().picture(64, -1), UsageError, "-1: must be"),
    "an adapter by its number": (lambda: Simulation(Scene("flock"), "gpu", adapter=99), UsageError, "index 99"),
    "an adapter that is none": (lambda: Simulation(Scene("flock"), "gpu", adapter=0.5), TypeError, "adapter"),
    "no such agent": (lambda: flock().agents([3, 40]), UsageError, "there is no agent 40; the scene has 40"),
    "no such observable": (lambda: flock().observe("miling"), SceneError, "did you mean `milling`"),
    "too many ids": (lambda: flock().agents(range(10**10)), UsageError, "more than 16777216 items of range"),
    "a value without end": (lambda: Scene("flock", {"world.size": itertools.repeat(1)}), UsageError, "more than 1000000 items"),
    "a seed without end": (lambda: sweep(vary={"seed": range(10**7)}), UsageError, "more than 1000000 items of range"),
    "more agents than memory": (lambda: Simulation(Scene.parse(PLAIN), "reference").change({"species.0.count": 10**9}), DeviceError, "agents"),
    "another scene's snapshot": (lambda: flock().restore(Simulation(Scene("zones"), "reference").snapshot()), UsageError, "state"),
    "a bad change": (lambda: flock().change({"species.0.radius": -3}), SceneError, "radius = -3"),
    "no change": (lambda: flock().change(3), TypeError, ""),
    "a picture without a GPU": (lambda: flock().picture(), UsageError, "only a GPU draws"),
    "a picture of nothing": (lambda: Simulation(Scene("flock", agents=40), "gpu").picture(0, 3), DeviceError, "0x3 px"),
    "verify without steps": (lambda: steerling.verify(Scene("flock"), steps=0), UsageError, "at least 1"),
    "no such experiment": (lambda: steerling.sweep_csv("no.toml"), SceneError, "no.toml"),
    "an experiment's key": (lambda: sweep(stepz=3), SceneError, "did you mean `steps`"),
    "a list for a table": (lambda: sweep(vary=[1]), UsageError, r"'vary' of an experiment must be a dict .*not \[1\]"),
    "none for a table": (lambda: sweep(set=None), UsageError, "'set' of an experiment must be a dict"),
    "nothing varies": (lambda: steerling.sweep_csv({"scene": "flock"}), SceneError, "vary"),
    "an empty list": (lambda: sweep(vary={"seed": []}), SceneError, "at least one value"),
    "a condition": (lambda: sweep(until="polarisation > 1"), SceneError, "did you mean `polarization`"),
}


def endless() -> list[Any]:
    inner: list[Any] = []
    inner.append(inner)
    return inner


def own(name: str, text: str | None) -> Scene:
    if text is not None:
        pathlib.Path(name).write_text(text)
    return Scene("flock", {"behavior": [{"file": name}]})


@pytest.mark.parametrize("name", CALLS)
def test_a_bad_call_is_a_typed_error(name: str, tmp_path: pathlib.Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    call, kind, said = CALLS[name]
    with pytest.raises(kind, match=f"(?s){said}") as caught:
        call()
    assert type(caught.value) is kind
    again = pickle.loads(pickle.dumps(caught.value))
    assert (str(again), vars(again)) == (str(caught.value), vars(caught.value))


@pytest.mark.parametrize("kind", [KeyboardInterrupt, SystemExit, ZeroDivisionError])
def test_what_an_array_raises_is_its_own(kind: type[BaseException]) -> None:
    class Places:
        def __array__(self, *_: object, **__: object) -> numpy.ndarray[Any, Any]:
            raise kind

    with pytest.raises(kind):
        flock(positions=Places())


def test_numpy_is_loaded_with_the_package() -> None:
    """When the first array loaded NumPy, a Ctrl-C meanwhile was a panic."""
    text = """
import sys, steerling
simulation = steerling.Simulation(steerling.Scene("flock", agents=300), "reference")
sys.modules.update({name: None for name in list(sys.modules) if name.startswith("numpy")})
print(simulation.positions.shape)
"""
    assert said_by(text) == ["(300, 3)"]


def test_errors_have_the_text_of_the_program(program: Program) -> None:
    pathlib.Path("bad.toml").write_text((Scene("flock").text).replace("dt =", "dtt ="))
    pathlib.Path("x.toml").write_text('scene = "flock"\nstepz = 3\n[vary]\nseed = [1]\n')
    for call, words in [
        (lambda: Scene("flokc"), ["run", "flokc"]),
        (lambda: Scene("bad.toml"), ["run", "bad.toml"]),
        (lambda: Scene("flock", dt=2), ["run", "flock", "--set", "dt=2"]),
        (lambda: Scene("flock", {"species.0.max_sped": 3}), ["run", "flock", "--set", "species.0.max_sped=3"]),
        (lambda: steerling.sweep_csv("x.toml"), ["sweep", "x.toml"]),
        (lambda: Simulation(Scene("flock"), "gpu", adapter="Voodoo"), ["run", "flock", "--adapter", "Voodoo"]),
    ]:
        with pytest.raises(SteerlingError) as caught:
            call()
        said = program.call(*words).stderr
        assert said.strip().endswith(f"error: {caught.value}".strip()), said


def test_an_error_knows_its_place() -> None:
    with pytest.raises(SceneError) as caught:
        Scene.parse("schema = 1\nsede = 3\n", origin="mine.toml")
    error = caught.value
    assert (error.origin, error.line, error.column, error.key) == ("mine.toml", 2, 1, "sede")
    assert isinstance(error, ValueError) and error.hint is not None and "seed" in error.hint


def test_each_kind_is_raised() -> None:
    kinds = {kind for _, kind, _ in CALLS.values()}
    assert kinds >= {SceneError, UsageError, DeviceError} and len(CALLS) >= 30
    assert issubclass(ShaderError, SteerlingError)


def said_by(text: str) -> list[str]:
    """The lines that the text, run as a program in a process of its own, prints."""
    done = subprocess.run([sys.executable, "-c", text], capture_output=True, text=True, check=False, timeout=60)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


@pytest.mark.parametrize(("first", "words"), [("simulation.step()", ["not after a fork"] * 3), ("", ["goes"] * 3)])
def test_a_fork_says_so_in_place_of_waiting_forever(first: str, words: list[str]) -> None:
    """The control is a process that has used nothing of the package before it forks."""
    text = f"""
import multiprocessing, steerling
scene = steerling.Scene("flock", agents=300)
experiment = {{"scene": "flock", "agents": 40, "steps": 1, "vary": {{"seed": [1]}}}}
if {first!r}:
    simulation = steerling.Simulation(scene, "reference")
    {first}

def tries():
    for call in (
        lambda: (simulation if {first!r} else steerling.Simulation(scene, "reference")).step(),
        lambda: steerling.sweep_csv(experiment, backend="reference"),
        lambda: steerling.verify(scene, steps=1, free_steps=1),
    ):
        try:
            call()
            print("goes", flush=True)
        except steerling.UsageError as error:
            assert "spawn" in str(error)
            print("not after a fork", flush=True)

child = multiprocessing.get_context("fork").Process(target=tries, daemon=True)
child.start()
child.join(20)
assert child.exitcode == 0
"""
    assert said_by(text) == words


def test_too_little_memory_is_no_mistake_of_the_scene() -> None:
    text = """
import os, pathlib, resource, steerling
field = {"field.source": "vortex", "field.resolution": %d}
taken = [line for line in pathlib.Path("/proc/self/status").read_text().splitlines() if line.startswith("VmSize")]
# What threads take for their heaps is no memory for a field.
threads = (len(os.sched_getaffinity(0)) + 1) * (64 << 20)
most = int(taken[0].split()[1]) * 1024 + threads + (40 << 20)
resource.setrlimit(resource.RLIMIT_AS, (most, most))
try:
    print(steerling.Simulation(steerling.Scene("wind", field, agents=100), "reference").scene.name)
except steerling.DeviceError as error:
    print("as a flow field it needs" in str(error) and "MiB" in str(error))
"""
    assert [said_by(text % resolution) for resolution in (4096, 64)] == [["True"], ["wind"]]


def test_a_warning_stands_where_the_call_is(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("WGPU_ADAPTER_NAME", "Voodoo")
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        Simulation(Scene("flock", agents=40))
    (warning,) = caught
    assert warning.filename == __file__
    assert "Voodoo" in str(warning.message) and "\n;" not in str(warning.message)
