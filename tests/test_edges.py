"""What changes of single lines showed to be held by no fast test: ends of ranges, sums, words of messages."""

import random
import struct
from array import array

import pytest
from support.mutants.change import Pool, drawn

import niwaki
from niwaki import about, about_check, adwin, crc, layout, proof
from niwaki.construct import footprint
from niwaki.encoder import RAW
from niwaki.late import late
from niwaki.shrubs.plan import plan as shrubs_plan
from niwaki.tree import importances
from niwaki.tree import layout as tree_layout
from niwaki.tree.plan import plan as tree_plan
from niwaki_host.device import images


def test_both_ends_of_all_codes_are_codes():
    """The one that is named is the one that is none."""
    clf = niwaki.Tree(3, 2, 2048)
    for bad in (32768, -32769):
        with pytest.raises(ValueError, match=f"feature 2: code {bad} "):
            clf.learn([32767, -32768, bad], 0)


def test_a_grove_says_how_many_samples_it_keeps():
    clf = niwaki.Grove(2, 3, 3000)
    rng = random.Random(1)
    for n in range(1, 31):
        clf.learn([rng.randrange(100), rng.randrange(100)], n % 3)
    assert ", 30 samples kept" in repr(clf), repr(clf)


def test_a_detector_keeps_buckets_of_every_size():
    """Blocks of 32 values; the largest bucket has 2^7 of them."""
    detector = niwaki.Adwin(300, 0.002)
    for i in range(24_000):
        detector.update(i % 4 == 0)
    assert detector.window == 24_000 and detector.ones == 6_000
    first, n = adwin._ADWIN, detector.halves[adwin._ADWIN_BUCKETS]
    assert {bucket >> adwin._BUCKET_AT for bucket in detector.halves[first : first + n]} == set(range(8))


def test_our_own_checksum_is_that_of_everyone():
    import zlib

    data = random.Random(2).randbytes(300)
    assert crc.crc32(data) == zlib.crc32(data)
    assert crc.crc32(data[100:], crc.crc32(data[:100])) == zlib.crc32(data)


def test_mutants_are_drawn_by_a_seed_from_every_module():
    some = [mutant.key for mutant in drawn(3, 10, ("tree.rule", "late"))]
    assert some == [mutant.key for mutant in drawn(3, 10, ("tree.rule", "late"))] != []
    assert {key.split()[0].rstrip(":") for key in some} == {"tree.rule", "late"}
    assert len({Pool("tree.rule").mutant(k).text for k in range(0, 200, 20)}) == 10


def test_an_encoder_that_is_told_nothing_looks_at_three_samples():
    encoder, out = niwaki.Encoder(1), array("h", [0])
    ready = []
    for value in (1.0, 2.0, 5.0, 3.0):
        encoder.encode([value], out)
        ready.append(encoder.ready)
    assert ready == [False, False, True, True]


@pytest.mark.parametrize("bits", [8, 4, 2, 1])
def test_a_range_is_scaled_by_as_many_bits_as_stay_below_2_to_the_30(bits):
    """A board computes with small integers only."""
    for span, least in (((1 << 30 - bits) - 1, bits), (1 << 30 - bits, 0)):
        how = niwaki.Encoder(1, [(0, span)])._how[0]
        assert how >= least and span << how < 1 << 30


def test_a_lone_bad_file_is_named_by_one_reason(tmp_path):
    path = tmp_path / "model"
    path.write_bytes(b"hello" * 9)
    with pytest.raises(niwaki.ImageError) as error:
        niwaki.load(path)
    assert "model~" not in str(error.value)


def test_as_many_samples_as_may_wait_are_saved(tmp_path):
    clf = niwaki.Tree(1, 2, 65536, pending=4096)
    clf.save(tmp_path / "model")
    assert niwaki.load(tmp_path / "model").defer([1])


def test_a_guessed_sample_is_checked_like_any_other():
    clf = niwaki.Tree(3, 2, 2048)
    with pytest.raises(ValueError, match="feature 1: code 40000 "):
        clf.learn_unlabelled([0, 40000, 0], 100)


def test_options_beyond_their_ends_are_refused():
    with pytest.raises(ValueError, match="weigh"):
        niwaki.Shrubs(2, 2, 2048, weigh=0)
    with pytest.raises(ValueError, match="nominal values"):
        niwaki.Tree(1, 2, 9000, nominal=[256])


def test_the_byte_model_counts_two_bytes_a_feature():
    for n in (1, 8, 9, 100):
        assert footprint((1, 1, 1, 1), n) - footprint((1, 1, 1, 1), 0) == (2 * n + 15) // 16 * 16


@pytest.mark.parametrize("adaptive", [False, True])
def test_a_copy_of_a_tree_whose_leaf_waits_decides_as_the_tree_does(adaptive):
    """The merits that the verdict is about are no part of the arrays that are copied."""
    clf = niwaki.Tree(2, 2, 3000, grace=30, tau=0.5, adaptive=adaptive)
    rng = random.Random(3)
    copies = 0
    for _ in range(300):
        x = [rng.randint(-99, 99), rng.randint(-99, 99)]
        twin = clf.copy() if adaptive or clf.words[tree_layout.WAIT] else None
        clf.learn(x, int(x[0] > 0))
        if twin:
            twin.learn(x, int(x[0] > 0))
            assert images.to_bytes(twin) == images.to_bytes(clf)
            copies += 1
    assert copies and clf.n_nodes > 1


@pytest.mark.parametrize("exact", [False, True])
def test_a_tree_that_is_reset_is_as_its_constructor_made_it(exact):
    """The range of the merits too, which grows with the classes that have come."""
    clf, new = (niwaki.Tree(2, 9, 4000, grace=20, exact=exact) for _ in range(2))
    for i in range(400):
        clf.learn([i % 90, i % 7], i % 9)
    clf.reset()
    assert images.to_bytes(clf) == images.to_bytes(new)


def test_a_wide_range_of_16_bit_values_is_left_as_it_is():
    """With its margin it would be coarser than the values are; a narrow one that lies far off is not left."""
    for low, high, raw in ((-32767, 32767, True), (30000, 32000, False), (-32767, 10, True)):
        encoder = niwaki.Encoder(1, learn=2, margin=0.5)
        for value in (low, high):
            encoder.encode([value], array("h", [0]))
        assert (encoder.ranges == [RAW]) == raw, (low, high)


def test_what_no_model_has_is_an_attribute_error():
    with pytest.raises(AttributeError, match="a model has no colour"):
        late(niwaki.Tree(1, 2, 2048), "colour")


def test_numbers_about_an_encoder_come_back_as_they_were():
    """As 32-bit or 64-bit integers, or as doubles: whole numbers stay whole."""
    for ends, how in (
        ((-5, 7), about_check.INT),
        ((-(1 << 31), 1), about_check.INT),
        ((0, (1 << 60) + 1), about_check.LONG),
        ((-(1 << 63), 1), about_check.LONG),
        ((0, 1 << 63), about_check.REAL),
        ((-0.5, 7), about_check.REAL),
    ):
        clf = niwaki.Tree(1, 2, 2048)
        clf.about(encoder=niwaki.Encoder(1, [ends]))
        found = images.from_bytes(images.to_bytes(clf)).about()["encoder"].ranges
        assert found == [ends]
        assert [type(end) for end in found[0]] == [float if how == about_check.REAL else int] * 2
        assert about._pack_numbers(*ends)[0] == how
    assert (about_check.INT, about_check.LONG, about_check.REAL) == (2, 3, 4)  # as files have them


def test_windows_at_the_ends_of_what_is_allowed_are_kept():
    for axes, length, step, level in ((1, 2, 1, -1), (2, 1024, 1 << 20, 65535), (1, 2, 1, 1)):
        content = struct.pack(about_check.WINDOW, axes, length, step, level)
        assert about_check._check_window(content) == axes
    for wrong in ((0, 2, 1, 1), (257, 2, 1, 1), (1, 1, 1, 1), (1, 1025, 1, 1), (1, 2, 0, 1), (1, 2, 1, 0)):
        with pytest.raises(niwaki.ImageError, match="a window of"):
            about_check._check_window(struct.pack(about_check.WINDOW, *wrong))
    for step, level in (((1 << 20) + 1, 1), (1, 65536), (1, -2)):
        with pytest.raises(niwaki.ImageError, match="a window of"):
            about_check._check_window(struct.pack(about_check.WINDOW, 1, 2, step, level))


def test_plans_end_at_their_limits():
    """A window of shrubs has at most 192 samples, a tree at most eight nodes and one for each slot."""
    for budget in (8500, 1 << 18):  # all that may be has room
        p = shrubs_plan(1, 2, budget)
        assert (p.window, p.shrubs, p.nodes) == (192, 32, 16)
    p = tree_plan(2, 2, 891)
    assert (p.nodes, p.slots) == (9, 1)


def test_a_memo_is_wanted_or_not():
    with pytest.raises(ValueError, match="memo must be one of"):
        niwaki.Tree(2, 2, 3000, memo=2)


def test_the_importances_of_a_very_large_tree_are_the_equation_too():
    """Sums are kept smaller there, not what is returned: 8,001 splits, each below the one before."""
    splits, merit = 8001, 4000
    words = array("i", bytes(4 * 64))
    words[tree_layout.RANGE] = 1024  # one bit, Q10; merits are Q12
    halves = array("H", bytes(2 * tree_layout.NODE * (2 * splits + 1)))
    for k in range(2 * splits + 1):
        at = k * tree_layout.NODE
        halves[at] = max(0, (k - 1) // 2 * 2)  # the parent
        halves[at + tree_layout.NODE_SHAPE] = (k + 1) // 2 << tree_layout.DEPTH_AT
        if k % 2 == 0 and k < 2 * splits:
            halves[at + tree_layout.NODE_CHILD] = k + 1
            halves[at + tree_layout.NODE_MERIT] = merit
    out = [0]
    importances.mpg(words, halves, out)
    expected = sum((splits - depth) / splits for depth in range(splits)) * merit / 4096 / splits
    assert out[0] / 65536 == pytest.approx(expected, rel=0.01)


def test_header_words_that_nobody_writes_must_be_0():
    for items, ranges in (([1, 2, 0, 0], {}), ([1, 2, 9, 0], {2: (0, 9)})):
        header = proof.Header(items, 4, ranges)
        header[0], header[1] = 1, 2
        header.finish(0)
    for items, start, word in (([1, 2, 7, 0], 0, 2), ([5, 2, 0, 1], 1, 3)):
        header = proof.Header(items, 4, {0: (0, 9)})
        header[1] = 2
        with pytest.raises(niwaki.ImageError, match=f"header word {word} is {items[word]}, not 0"):
            header.finish(start)


@pytest.mark.parametrize("make", [niwaki.Tree, niwaki.Shrubs, niwaki.Grove])
def test_a_model_that_is_at_work_takes_no_other_call(make):
    clf = make(1, 2, 3000)
    clf.words[layout.IDENTITY] |= layout.BUSY
    with pytest.raises(RuntimeError, match="learn is called from inside learn"):
        clf.learn([1], 0)


@pytest.mark.parametrize("make", [niwaki.Tree, niwaki.Shrubs])
def test_a_model_that_is_reset_keeps_nothing_in_its_scratch(make):
    """Nor in the last of its halves, where others have samples that wait; seed 0 stands for 1."""
    clf, new = make(2, 2, 3000), make(2, 2, 3000)
    for i in range(30):
        clf.learn([i, 5], i % 2)
    clf.predict([3, 3])
    assert any(clf._arrays[layout.A_SCRATCH])
    for i in range(1, 5):
        clf.halves[len(clf.halves) - i] = i
    clf.reset(0)
    assert not any(clf._arrays[layout.A_SCRATCH])
    assert images.to_bytes(clf) == images.to_bytes(new)


def test_names_may_have_spaces():
    clf = niwaki.Tree(1, 2, 2048)
    clf.about(labels=["at rest", "moves"])
    assert images.from_bytes(images.to_bytes(clf)).about()["labels"] == ["at rest", "moves"]
    for wrong in ("a\tb", "\x7f"):
        with pytest.raises(ValueError, match="about"):
            clf.about(labels=[wrong, "moves"])


def test_lanes_end_at_the_most_features_that_there_may_be():
    assert niwaki.fetch("tree.options", "check_options")({"lanes": 4096})["lanes"] == 4096
    with pytest.raises(ValueError, match=r"lanes must be in 1\.\.4096"):
        niwaki.fetch("tree.options", "check_options")({"lanes": 4097})
