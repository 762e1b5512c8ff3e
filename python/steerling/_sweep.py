"""Sweeps: one scene at many points, in one table."""

from __future__ import annotations

import csv
import functools
import io
import os
import uuid
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from . import _native
from ._errors import UsageError

if TYPE_CHECKING:
    import pandas


class _What(NamedTuple):
    """All that a table depends on. A worker of a cluster opens its sweep from the same values."""

    path: str
    text: str | None
    observe: str | None
    backend: str | None
    adapter: int | str | None


# The sweep that a worker of a cluster has open, by call of sweep: the points of one call share the device, its pipelines and buffers.
_opened: dict[str, _native.Sweep] = {}


def _lines(what: _What, call: str, point: int) -> str:
    points = _opened.get(call)
    if points is None:
        _opened.clear()
        points = _opened[call] = _native.Sweep(*what)
    return points.lines(point, point + 1)[1]


def _in_order(points: _native.Sweep) -> Iterator[str]:
    """The lines of all points, in order. Points of small worlds are run several at a time."""
    first = 0
    while first < len(points):
        count, lines = points.lines(first, len(points))
        first += count
        yield lines


def _text(experiment: Mapping[str, Any]) -> str:
    """An experiment as the text of a file. The keys of the scene are dotted keys under [set] and [vary]."""
    tables = {name: experiment[name] for name in ("set", "vary") if name in experiment}
    for name, table in tables.items():
        if not isinstance(table, Mapping):
            raise UsageError(f"{name!r} of an experiment must be a dict of keys of the scene, not {table!r}")
    lines = [f"{key} = {_native.toml(value)}" for key, value in experiment.items() if key not in tables]
    for name, table in tables.items():
        lines.append(f"[{name}]")
        lines += [f"{key} = {_native.toml(value)}" for key, value in table.items()]
    return "\n".join(lines) + "\n"


def sweep_csv(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    *,
    observe: str | None = None,
    backend: str | None = None,
    adapter: int | str | None = None,
    client: Any = None,
) -> str:
    """As sweep, without pandas: the text of table.csv, byte for byte as `steerling sweep` writes it."""
    return _run(experiment, observe, backend, adapter, client)[1]


def _run(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    observe: str | None,
    backend: str | None,
    adapter: int | str | None,
    client: Any,
) -> tuple[_native.Sweep, str]:
    """The points of an experiment, and the text of its table."""
    if isinstance(experiment, Mapping):
        what = _What("experiment", _text(experiment), observe, backend, adapter)
    else:
        what = _What(os.fspath(experiment), None, observe, backend, adapter)
    points = _native.Sweep(*what)
    lines: Iterable[str]
    if client is None:
        lines = _in_order(points)
    else:
        # Workers take the text that was read here: on a worker another file may lie at that path.
        what = what._replace(text=points.text)
        # Each call has an id of its own, so a worker does not reuse the sweep of an earlier call, whose files may have changed since.
        run = functools.partial(_lines, what, uuid.uuid4().hex)
        lines = client.gather(client.map(run, range(len(points)), pure=False))
    return points, points.header() + "".join(lines)


def sweep(
    experiment: str | os.PathLike[str] | Mapping[str, Any],
    *,
    observe: str | None = None,
    backend: str | None = None,
    adapter: int | str | None = None,
    client: Any = None,
) -> pandas.DataFrame:
    """Run one scene at many points: a row for each point and moment (docs/experiments.md).

    experiment: the path of an experiment's file, or the contents of one as a dict
        {"scene": "vicsek", "steps": 1000, "set": {KEY: VALUE}, "vary": {KEY: [VALUES]}}.
    observe: columns in addition to those that every row has, such as "milling, groups:2.5".
    backend, adapter: as for Simulation.
    client: a dask.distributed.Client, whose workers run the points. If all of them use Vulkan or the reference, the table is the same, bit
        for bit and in the same order, whichever worker ran a point, and however often. All workers need the files that the experiment
        names. If adapter names none, each worker takes the adapter that its WGPU_ADAPTER_NAME says.

    A point that fails has its reason in the column `error`. Raises SceneError for a mistake that all points have.
    """
    try:
        import pandas
    except ImportError:
        raise ImportError("sweep needs pandas: pip install pandas; sweep_csv does without") from None
    points, text = _run(experiment, observe, backend, adapter, client)
    names, *rows = csv.reader(io.StringIO(text))
    columns = {name: [row[index] for row in rows] for index, name in enumerate(names)}
    # A digest may look like a number.
    texts = {"digest", "ended", "error", *points.texts}
    return pandas.DataFrame({name: found if name in texts else _numbers(found) for name, found in columns.items()})


def _numbers(texts: list[str]) -> list[Any]:
    """A column as numbers, exact to the last bit, which pandas.read_csv does not promise; unchanged if not all texts are numbers."""
    kinds: tuple[Callable[[str], float], ...] = (int, lambda text: float(text or "nan"))
    for kind in kinds:
        try:
            return [kind(text) for text in texts]
        except ValueError:
            continue
    return texts
