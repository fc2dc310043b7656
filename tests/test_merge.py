"""Groves of several boards become one: what is known adds up, what does not fit is refused in a sentence."""

import csv
import json
import random

import pytest
from support import fuzz_images as fuzz
from support import grove_invariants

import niwaki
from niwaki.grove import layout as lay
from niwaki_host.cli import main
from niwaki_host.device.images import to_bytes
from niwaki_host.device.merge import _common, merge
from niwaki_host.device.views import view


def draw(rng: random.Random, label: int, shift: int = 0) -> list[int]:
    return [
        shift + rng.gauss(400 * label, 60) // 1,
        shift + rng.gauss(-200 * label, 60) // 1,
        rng.randrange(50),
    ]


def board(labels: tuple[int, ...], seed: int, n: int = 150, budget: int = 4096, shift: int = 0, **options):
    """A grove that was taught these classes, one after another."""
    rng = random.Random(seed)
    model = niwaki.Grove(3, 4, budget, **options)
    for label in labels:
        for _ in range(n):
            model.learn([int(v) for v in draw(rng, label, shift)], label)
    return model


def right(model, labels: tuple[int, ...], shift: int = 0) -> float:
    rng = random.Random(99)
    asked = [(label, [int(v) for v in draw(rng, label, shift)]) for label in labels for _ in range(60)]
    return sum(model.predict(x) == label for label, x in asked) / len(asked)


def test_it_knows_what_each_was_taught() -> None:
    boards = [board((0, 1), 1), board((2,), 2), board((3,), 3)]
    merged = merge(boards, ["a", "b", "c"])
    grove_invariants.validate(merged)
    assert fuzz.load(to_bytes(merged)).nbytes == boards[0].nbytes
    assert merged.samples == sum(model.samples for model in boards)
    assert right(merged, (0, 1, 2, 3)) > 0.9
    assert max(right(model, (0, 1, 2, 3)) for model in boards) < 0.6
    counts = view(merged).class_counts
    assert sum(counts) == merged.words[lay.MEMORY] and max(counts) - min(counts) <= 1
    assert merged.words[lay.FOLLOWS] == merged.words[lay.KNOWS] == 0


def test_it_goes_on_learning_and_is_the_same_each_time() -> None:
    boards = [board((0, 1), 1), board((2, 3), 2)]
    before = [to_bytes(model) for model in boards]
    merged, again = merge(boards, ["a", "b"]), merge(boards, ["a", "b"])
    assert to_bytes(merged) == to_bytes(again)
    assert [to_bytes(model) for model in boards] == before
    rng = random.Random(5)
    for i in range(300):
        merged.learn([int(v) for v in draw(rng, i % 4)], i % 4)
    grove_invariants.validate(fuzz.load(to_bytes(merged)))
    assert right(merged, (0, 1, 2, 3)) > 0.9


def test_equal_windows_keep_codes_and_cells_exactly() -> None:
    one = board((0, 1), 1, n=40, budget=8192)
    merged = merge([one, fuzz.load(to_bytes(one))], ["a", "a"])
    assert merged.words[lay.WINDOWS :].tolist()[0] == one.words[lay.WINDOWS] & ~(
        lay.OUTSIDERS << lay.OUTSIDERS_SHIFT
    )
    twice = sorted(list(view(one).narrow()) * 2)
    assert sorted(view(merged).narrow()) == twice
    cells = view(one).cells_at, view(merged).cells_at
    n = 3 * one.words[lay.BINS] * 4
    assert [2 * v for v in one.octets[cells[0] : cells[0] + n]] == list(
        merged.octets[cells[1] : cells[1] + n]
    )


def test_other_windows_are_folded_to_one_that_covers_all() -> None:
    boards = [board((0, 1), 1, shift=-9000), board((2, 3), 2, shift=9000), board((0,), 3, n=2, shift=30000)]
    merged = merge(boards, ["a", "b", "c"])
    grove_invariants.validate(fuzz.load(to_bytes(merged)))
    for f in range(3):
        word = merged.words[lay.WINDOWS + f]
        low, high = (
            (word >> lay.LO_SHIFT) - 65536,
            (word >> lay.LO_SHIFT) - 65536 + (lay.NARROW << (word & lay.SHIFT)),
        )
        for model in boards:
            own = model.words[lay.WINDOWS + f]
            start = (own >> lay.LO_SHIFT) - 65536
            assert low <= max(1, start) and min(65535, start + (lay.NARROW << (own & lay.SHIFT)) - 1) < high
    assert right(merged, (0, 1), -9000) > 0.6 and right(merged, (2, 3), 9000) > 0.6


def test_a_common_window_never_leaves_its_range() -> None:
    rng = random.Random(1)
    for _ in range(3000):
        known = []
        for _ in range(rng.randrange(1, 5)):
            shift = rng.randrange(0, 15)
            lo = rng.randrange(2 - (lay.NARROW << shift), 65536)
            known.append((lo, shift))
        lo, shift = _common(known)
        assert 0 <= shift <= 15 and -65536 <= lo <= 65535
        if shift == 15:
            assert lo <= 1 and lo + (lay.NARROW << shift) > 65535


def test_full_histograms_are_halved() -> None:
    boards = [board((0,), seed, n=2000, budget=2048) for seed in range(8)]
    grove_invariants.validate(merge(boards, list("abcdefgh")))


@pytest.mark.parametrize(
    ("other", "message"),
    [
        (lambda: niwaki.Grove(2, 4, 4096), "2 features, but"),
        (lambda: niwaki.Grove(3, 3, 4096), "3 classes, but"),
        (lambda: niwaki.Grove(3, 4, 8192), "8,192 bytes of budget"),
        (lambda: niwaki.Grove(3, 4, 4096, neighbours=0), "memory="),
        (lambda: niwaki.Grove(3, 4, 4096, hurry=3), "hurry=3, but"),
        (lambda: niwaki.Grove(3, 4, 4096, pending=3), "places for samples that wait"),
        (lambda: niwaki.Tree(3, 4, 4096), "holds no grove"),
    ],
)
def test_what_does_not_fit_is_refused_in_a_sentence(tmp_path, capsys, other, message) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    board((0, 1), 1).save(paths[0])
    other().save(paths[1])
    assert main(["merge", *paths, "--out", str(tmp_path / "c")]) == 2
    error = capsys.readouterr().err
    assert message in error and error.count("\n") == 1 and not (tmp_path / "c").exists()


def test_from_the_command_line(tmp_path, capsys) -> None:
    paths = [str(tmp_path / name) for name in "ab"]
    board((0, 1), 1).save(paths[0])
    board((2, 3), 2).save(paths[1])
    out = str(tmp_path / "c")
    assert main(["merge", *paths, "--out", out, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)
    assert record["samples"] == 600 and record["merged"] == paths
    assert right(niwaki.load(out), (0, 1, 2, 3)) > 0.9
    assert main(["merge", *paths, "--out", out]) == 0
    assert "2 groves" in capsys.readouterr().out
    assert main(["merge", paths[0], "--out", out]) == 2
    assert "two or more" in capsys.readouterr().err
    assert main(["merge", *paths, str(tmp_path / "nothing"), "--out", out]) == 2


def test_remembered_samples_are_taken_home(tmp_path, capsys) -> None:
    model = niwaki.Grove(3, 2, 2048)
    taught = [([i % 20, niwaki.MISSING if i % 5 == 0 else 7, -i % 3], i % 2) for i in range(40)]
    for x, y in taught:
        model.learn(x, y)
    path, out = str(tmp_path / "model"), tmp_path / "samples.csv"
    model.save(path)
    command = ["inspect", path, "--samples", str(out), "--names", "a,class,c", "--class-names", "no,yes"]
    assert main([*command, "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["memory"] == [20, 20]
    with open(out, newline="") as f:
        header, *rows = csv.reader(f)
    assert header == ["a", "class", "c", "class_"]
    expected = [[*("" if v == niwaki.MISSING else str(v) for v in x), ("no", "yes")[y]] for x, y in taught]
    assert sorted(rows) == sorted(expected)  # they change places when shrubs grow
    niwaki.Tree(3, 2, 2048).save(path)
    assert main(command) == 2
    assert "a tree keeps no samples" in capsys.readouterr().err
