"""Find what is wrong with a command before anything runs or is written."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from niwaki_host.device import models
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task, parameters
from niwaki_host.evaluation.samples import Source, open_source


def check_source(source: Source) -> Any:
    """Open the stream; UsageError if it can't be read or encoded with these options."""
    from niwaki_host.streams.encoding import check_method

    stream = open_source(source)
    check_method(stream, source.encoding)
    return stream


def check_model(task: Task, stream: Any) -> None:
    """Complain of a task that cannot be built on a stream, or on its samples."""
    models.build(task.model, **parameters(task, stream))


def check_models(orders: Iterable[tuple[Task, Any]]) -> None:
    """Raise UsageError if no task can be built on its stream. If only some can't, that is a result, too."""
    first = None
    for task, stream in orders:
        try:
            check_model(task, stream)
        except UsageError as error:
            first = first or error
        else:
            return
    if first:
        raise UsageError(f"no run was possible: {first}")
