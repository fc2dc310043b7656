"""Ensembles of trees: the same as trees taught one by one, within the budget, and refusals in one line."""

import json
from array import array

import numpy as np
import pytest
from conftest import complains

from niwaki import Adwin, Tree
from niwaki_host.cli import options
from niwaki_host.device import models
from niwaki_host.ensembles import draws
from niwaki_host.ensembles.spec import parse
from niwaki_host.errors import UsageError
from niwaki_host.evaluation.experiment import Task
from niwaki_host.evaluation.samples import Source
from niwaki_host.runtimes import run
from niwaki_host.runtimes.result import digest
from niwaki_host.sweep.work import work

N, D, C = 1600, 5, 3


def stream(flip: bool = True) -> tuple[np.ndarray, np.ndarray]:
    """Three classes by two of five features, which change places half-way."""
    rng = np.random.default_rng(5)
    X = rng.integers(-1000, 1000, (N, D)).astype(np.int16)
    first = np.where(np.arange(N) < N // 2, X[:, 0], -X[:, 3] if flip else X[:, 0])
    return X, ((first > 0) * 1 + (X[:, 1] > 300) * (first > 0)).astype(np.int16)


class Plain:
    """The algorithms as their papers tell them, sample by sample, with the device's classes on CPython."""

    def __init__(self, text: str, budget: int) -> None:
        self.spec, self.budget = parse(text), budget
        self.ensemble = models.build(text, D, C, budget)
        self.steps = draws.poisson_steps(self.spec.weight)
        self.trees = [self.new(place, 0) for place in range(self.spec.trees)]
        self.behind: list = [None] * self.spec.trees
        self.generation = [0] * self.spec.trees
        self.score = [[0, 0] for _ in self.trees]
        self.block = [[0, 0] for _ in self.trees]
        self.detectors = [self.watch() for _ in self.trees]
        self.replaced = 0

    def watch(self) -> list:
        return (
            [Adwin(192, delta=self.spec.warning), Adwin(192, delta=self.spec.drift)]
            if self.spec.detects
            else []
        )

    def new(self, place: int, generation: int) -> dict:
        key = draws.key(self.spec.seed, place, generation)
        columns = list(range(D))
        if self.spec.features is not None:
            columns = draws.subset(key ^ 1, self.spec.n_features(D), D)
        tree = Tree(
            len(columns), C, self.ensemble.share, **models.resolve(self.spec.base, self.spec.options)[1]
        )
        return {"tree": tree, "columns": columns, "key": key, "drawn": 0}

    def predict(self, x) -> int:
        votes = [0] * C
        self.said = [grown["tree"].predict(x[grown["columns"]]) for grown in self.trees]
        for (right, seen), answer in zip(self.score, self.said, strict=True):
            votes[answer] += (right * 65536 // seen if seen else 65536) if self.spec.kind == "arf" else 1
        return votes.index(max(votes))

    def learn(self, x, y) -> None:
        for grown in [*self.trees, *filter(None, self.behind)]:
            for _ in range(int(draws.poisson(self.steps, grown["key"], grown["drawn"], 1)[0])):
                grown["tree"].learn(x[grown["columns"]], int(y))
            grown["drawn"] += 1
        if self.spec.kind == "arf":
            for place, said in enumerate(self.said):
                self.judge(place, int(said != y))

    def judge(self, place: int, wrong: int) -> None:
        block = self.block[place]
        block[0], block[1] = block[0] + 1 - wrong, block[1] + 1
        changed = [d.update(wrong) and d.rising for d in self.detectors[place]]
        if block[1] < 32:
            assert not any(changed)
            return
        self.score[place] = [a + b for a, b in zip(self.score[place], block, strict=True)]
        self.block[place] = [0, 0]
        if not changed:
            return
        if changed[1]:
            self.trees[place] = self.behind[place] or self.next(place)
            self.behind[place], self.score[place], self.detectors[place] = None, [0, 0], self.watch()
            self.replaced += 1
        elif changed[0] and (self.behind[place] or sum(map(bool, self.behind)) < self.spec.background):
            self.behind[place] = self.next(place)
            self.detectors[place][0] = self.watch()[0]

    def next(self, place: int) -> dict:
        self.generation[place] += 1
        return self.new(place, self.generation[place])


@pytest.mark.parametrize(
    "text",
    [
        "bag:svfdt1,trees=2,grace=60",
        "arf:vfdt,trees=3,background=1,weight=2",
        "arf:hat,trees=2,drift=0,features=2,weight=2",
    ],
)
def test_it_is_the_trees_taught_one_by_one(text):
    X, y = stream()
    plain = Plain(text, 12000)
    said = []
    for x, label in zip(X, y, strict=True):
        said.append(plain.predict(x))
        plain.learn(x, label)
    found = run("numba", text, {"n_features": D, "n_classes": C, "budget": 12000}, X, y, every=1000)
    assert found.predictions.tolist() == said
    trees = [grown["tree"] for grown in [*plain.trees, *filter(None, plain.behind)]]
    assert [digest(grown.tree) for grown in found.ensemble.trees] == [digest(tree) for tree in trees]
    assert found.ensemble.replaced == plain.replaced
    assert found.nodes == sum(grown["tree"].n_nodes for grown in plain.trees)
    if text == "arf:vfdt,trees=3,background=1,weight=2":
        assert plain.replaced > 1


def test_late_labels_judge_what_was_said_when_asked():
    X, y = stream()
    params = {"n_features": D, "n_classes": C, "budget": 12000}
    at_once = run("numba", "arf:vfdt,trees=3", params, X, y)
    late = run("numba", "arf:vfdt,trees=3", params, X, y, delay=150)
    assert late.samples == N - 150 and late.digest != at_once.digest
    hits = [float(np.mean(found.predictions == y)) for found in (late, at_once)]
    assert hits[1] > hits[0] > 0.5


def test_pieces_of_a_curve_change_nothing():
    X, y = stream()
    params = {"n_features": D, "n_classes": C, "budget": 12000}
    digests = {run("numba", "arf:vfdt,trees=3", params, X, y, every=every).digest for every in (0, 70, 999)}
    assert len(digests) == 1


@pytest.mark.parametrize("budget", [6000, 9001, 20000])
@pytest.mark.parametrize(
    "text", ["bag:vfdt,trees=4", "arf:vfdt,trees=4", "arf:vfdt,trees=4,features=2,drift=0"]
)
def test_the_budget_holds_all_places(text, budget):
    ensemble = models.build(text, D, C, budget)
    assert ensemble.nbytes <= budget
    assert ensemble.share * ensemble.spec.places + ensemble.bytes_beside <= budget
    assert all(grown.tree.nbytes <= ensemble.share for grown in ensemble.trees)
    assert sum(member.detectors[0].nbytes for member in ensemble.members if member.detectors) <= 192 * 4


def test_importances_are_means_over_the_trees():
    X, y = stream(flip=False)
    params = {"n_features": D, "n_classes": C, "budget": 16000}
    ensemble = run("numba", "arf:vfdt,trees=5", params, X, y).ensemble
    for kind in ("mpg", "mdi"):
        out, total = array("i", bytes(4 * D)), np.zeros(D)
        ensemble.importances(out, kind)
        for grown in ensemble.voters:
            own = array("i", bytes(4 * len(grown.columns)))
            grown.tree.importances(own, kind=kind)
            for column, value in zip(grown.columns, own, strict=True):
                total[column] += value
        assert out.tolist() == [int(value) // 5 for value in total]
        assert set(np.argsort(total)[-2:]) == {0, 1}


def test_draws_are_poisson_and_the_same_everywhere():
    for mean in (1, 6):
        drawn = draws.poisson(draws.poisson_steps(mean), draws.key(1, 2, 0), 0, 40000)
        assert abs(drawn.mean() - mean) < 0.03 * mean and abs(drawn.var() - mean) < 0.05 * mean
    first = draws.draw(draws.key(7, 0, 0), 0, 100)
    assert draws.draw(draws.key(7, 0, 0), 40, 60).tolist() == first[40:].tolist()
    assert first[:3].tolist() == FIRST
    assert draws.subset(draws.key(7, 0, 0), 3, 3) == [0, 1, 2]


FIRST = [11587, 9240, 44468]


def test_simulate_and_its_fields(niwaki):
    code, text, _ = niwaki(
        "simulate", "sea", "--limit", 1500, "--model", "bag:svfdt1,trees=3", "--set", "grace=100",
        "--importances", "mpg", "--every", 500, "--json",
    )  # fmt: skip
    record = json.loads(text)
    assert code == 0
    assert record["model"] == "bag:svfdt1,trees=3" and record["model_bytes"] <= record["budget_bytes"] == 8192
    assert len(record["digest"]) == 8 and record["nodes"] >= 3 and len(record["curve"]["nodes"]) == 3


def test_a_list_of_models_and_a_run_of_a_sweep():
    words = options.MODEL_LIST.convert("vfdt,bag:vfdt,trees=2,grace=50,arf:hat,shrubs", None, None)
    assert words == ["vfdt", "bag:vfdt,trees=2,grace=50", "arf:hat", "shrubs"]
    row = work(Task(Source("sea", 800, seed=1), words[1], 8192, settings=(("trees", 3),)))
    assert row["status"] == "ok" and row["model"] == words[1] and row["settings"] == '{"trees": 3}'


@pytest.mark.parametrize(
    "words, why",
    [
        (["simulate", "sea", "--model", "bag:shrubs"], "is made of trees"),
        (["simulate", "sea", "--model", "bag:vfdt,trees"], "write key=value"),
        (["simulate", "sea", "--model", "bag:vfdt,trees=0"], "whole number in 1..64"),
        (["simulate", "sea", "--model", "bag:vfdt,drift=.1"], "only arf"),
        (["simulate", "sea", "--model", "arf:vfdt,features=-1"], "a share such as 0.6"),
        (["simulate", "sea", "--model", "arf:vfdt,colour=3"], "unknown option 'colour'"),
        (["simulate", "sea", "--model", "bag:vfdt,trees=30", "--budget", "4k"], "take fewer trees"),
        (["simulate", "sea", "--model", "bag:vfdt", "--runtime", "cpython"], "on numba"),
        (["simulate", "sea", "--model", "bag:vfdt", "--save", "x.nwk"], "no image"),
        (
            ["simulate", "sea", "--model", "bag:vfdt", "--self-train", "9000", "--labelled", ".5"],
            "labels only",
        ),
        (["verify", "sea", "--model", "bag:vfdt"], "simulate, compare and sweep only"),
        (["bench", "--models", "bag:vfdt"], "simulate, compare and sweep only"),
    ],
)
def test_refusals_are_one_line(niwaki, words, why):
    complains(niwaki(*words), why)


def test_a_mistyped_number_of_trees_is_no_option_of_a_tree():
    with pytest.raises(UsageError, match="unknown option 'tree'"):
        models.build("bag:vfdt,tree=3", D, C, 9000)
