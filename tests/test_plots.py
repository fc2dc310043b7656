"""Pictures that do not mislead: axes, legends, and what is drawn behind the points."""

import numpy as np
import pytest

from niwaki_host.plots import compare_figure, course_figure, pareto_figure, stream_figure

POINTS = {"vfdt": ([0.70, 0.75, 0.75], [1024, 2048, 4096]), "shrubs": ([0.65, 0.72, 0.9], [1024, 2048, 4096])}


def words(legend) -> list[str]:
    return [text.get_text() for text in legend.get_texts()]


def test_bars_start_at_zero_for_every_family():
    families = ("niwaki", "river", "MOA", "scikit-learn", "baseline")
    rows = [
        {"name": name, "family": name, "accuracy": 0.8 + i / 50, "bytes": 900}
        for i, name in enumerate(families)
    ]
    left = compare_figure(rows, "a stream", 1024).axes[0]
    assert left.get_xlim()[0] == 0
    assert sorted(bar.get_width() for bar in left.patches) == pytest.approx([80, 82, 84, 86, 88])


@pytest.mark.parametrize("streams", [1, 2, 3, 4])
def test_the_legend_of_the_front_explains_everything_and_takes_an_empty_panel(streams):
    figure = pareto_figure({f"s{i}": POINTS for i in range(streams)})
    (legend,) = [*figure.legends, *(axes.legend_ for axes in figure.axes if axes.legend_)]
    assert words(legend) == ["vfdt", "shrubs", "a smaller one is as good", "the best for so many bytes"]
    empty = [axes for axes in figure.axes if not axes.lines]
    assert [axes.legend_ for axes in empty] == [legend] * (streams == 3) and not any(
        axes.axison for axes in empty
    )
    assert "do not start at 0" in figure._supylabel.get_text()


def test_the_front_is_a_staircase_and_runs_that_gain_nothing_are_hollow():
    axes = pareto_figure({"s": POINTS}).axes[0]
    band = axes.lines[0]
    assert band.get_drawstyle() == "steps-post"
    right = axes.get_xlim()[1]
    assert band.get_xydata().tolist() == [[1024, 70], [2048, 75], [4096, 90], [right, 90]]
    hollow = [c.get_offsets().tolist() for c in axes.collections if (c.get_facecolor() == 1).all()]
    assert [points for points in hollow if points] == [[[4096, 75]]]


@pytest.mark.parametrize(("lowest", "shown"), [(0.02, ""), (0.57, "(from 50)"), (0.97, "(from 90)")])
def test_an_axis_that_does_not_start_at_zero_says_so(lowest, shown):
    at = np.arange(1, 11)
    rising = np.linspace(lowest, 0.99, 10)
    sizes = dict.fromkeys(("bytes_in_use", "nodes", "features_used"), np.ones(10))
    run = {"at": at, "accuracy": rising, "window_accuracy": rising, **sizes}
    accuracy, filled, _ = stream_figure({"vfdt": run}, "a run", budget=1024).axes
    low, high = accuracy.get_ylim()
    assert high == 100 and shown in accuracy.get_ylabel() and ("from" in accuracy.get_ylabel()) == bool(shown)
    assert low <= 100 * lowest and (not shown or f"(from {low:.0f})" == shown)
    assert filled.get_ylim()[0] == 0 and words(filled.legend_) == ["filled", "budget, taken\nfrom the start"]


@pytest.mark.parametrize(("lowest", "shown"), [(0.02, ""), (0.57, "(from 50)")])
def test_the_course_of_several_starts_at_the_first_sample_and_names_the_budget(lowest, shown):
    at = np.arange(300, 1501, 300)
    curve = {"at": at, "window_accuracy": np.linspace(lowest, 0.9, len(at)), "bytes": [2000] * len(at)}
    above, below = course_figure([{"name": "vfdt 8k", "curve": curve}], "a stream", 8192).axes
    low, high = above.get_ylim()
    assert high == 100 and shown in above.get_ylabel() and ("from" in above.get_ylabel()) == bool(shown)
    assert low <= 100 * lowest and below.get_xlim()[0] == 0
    assert words(above.legend_) == ["vfdt 8k"] and words(below.legend_) == ["budget 8k"]
    assert "logarithmic" in below.get_ylabel()
