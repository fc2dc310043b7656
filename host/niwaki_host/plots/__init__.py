"""Pictures, drawn without a display. Each function returns a matplotlib Figure; `save` writes it."""

from niwaki_host.plots.bars import compare_figure
from niwaki_host.plots.course import course_figure
from niwaki_host.plots.importances import importances_figure
from niwaki_host.plots.pareto import pareto_figure
from niwaki_host.plots.ranks import critical_difference_figure
from niwaki_host.plots.stream import stream_figure
from niwaki_host.plots.style import save, to_svg

__all__ = [
    "compare_figure",
    "course_figure",
    "critical_difference_figure",
    "importances_figure",
    "pareto_figure",
    "save",
    "stream_figure",
    "to_svg",
]
