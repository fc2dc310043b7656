"""What changes of single lines showed to be held by no fast test: ends of ranges, sums, words of messages."""

import random
from array import array

import pytest
from support.mutants.change import Pool, drawn

import niwaki
from niwaki import adwin, crc


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
