"""What a model takes from the heap is `nbytes`, and that is never more than the budget."""

from tools import HEAP_IS_COUNTED, measure, refuses, teach, used

from niwaki import BudgetError, Tree

SHAPES = ((1, 2), (3, 2), (3, 3), (6, 4), (10, 2), (4, 26), (33, 6))


def check(features, classes, budget, options):
    try:
        taken, nbytes, given = measure(Tree, (features, classes, budget), options)
    except BudgetError:
        assert budget < 8192
        return
    assert given == budget
    assert taken <= nbytes <= budget, (features, classes, budget, taken, nbytes)
    assert nbytes - taken <= 16, (features, classes, budget, taken, nbytes)


def test_against_the_heap():
    if not HEAP_IS_COUNTED:
        return
    variants = ({}, {"criterion": "gini", "strict": 2, "drop_poor": True}, {"adaptive": True})
    for options in variants:
        measure(Tree, (3, 3, 2048), options)  # loads what only this one needs
    check(6, 4, 65536, {})
    check(3, 3, 32768, {})
    for features, classes in SHAPES:
        for budget in (512, 800, 1024, 2000, 4096, 8192, 16000):
            for options in variants:
                check(features, classes, budget, options)


def test_learning_takes_no_more():
    if not HEAP_IS_COUNTED:
        return
    clf = Tree(4, 3, 4096, grace=30, tau=0.3)
    teach(clf, 100)
    before = used()
    teach(clf, 900, 2)
    assert clf.n_nodes > 1
    assert used() <= before


def test_the_smallest_budget():
    for features, classes in SHAPES:
        for options in (
            {},
            {"bins": 16, "count_bits": 16},
            {"nodes": 1},
            {"nodes": 31, "drop_poor": True},
            {"adaptive": True},
            {"lanes": 1},
        ):
            message = refuses(BudgetError, Tree, features, classes, 200, **options)
            smallest = int(message.split()[-1])
            clf = Tree(features, classes, smallest, **options)
            assert clf.nbytes <= smallest == clf.budget
            again = refuses(BudgetError, Tree, features, classes, smallest - 1, **options)
            assert again.split()[-1] == str(smallest)


def test_the_smallest_budget_of_an_adaptive_tree_with_many_features():
    """More bytes would buy more monitors; not if that leaves no room for a leaf."""
    for features, classes, options in ((500, 2, {}), (20, 20, {"bins": 32}), (60, 2, {"lanes": 60})):
        message = refuses(BudgetError, Tree, features, classes, 600, adaptive=True, **options)
        smallest = int(message.split()[-1])
        clf = Tree(features, classes, smallest, adaptive=True, **options)
        assert clf.nbytes <= smallest
        refuses(BudgetError, Tree, features, classes, smallest - 16, adaptive=True, **options)


def test_three_features_and_two_classes_in_512_bytes():
    """Room for one leaf, with naive Bayes; a leaf that knows only its majority wants to split."""
    clf = Tree(3, 2, 512)
    assert clf.nbytes <= 512 and clf.words[12] == 1
    assert teach(clf, 3000, 7) > 1500 * 3 // 4  # with four bins, and one label in ten drawn by lot
    assert clf.n_nodes == 1 and clf.samples == 3000
    out = [0, 0]
    clf.scores([-280, 0, -200], out)
    assert out[0] > out[1] and clf.novelty([-200, 0, 30000]) > clf.novelty([-200, 0, -200])
    assert clf.predict([-280, 0, -200]) == 0 and clf.predict([280, 0, -200]) == 1
    stump = int(refuses(BudgetError, Tree, 3, 2, 512, leaf="mc").split()[-1])
    assert 512 < stump < 640 and Tree(3, 2, stump, leaf="mc").words[12] == 3


def test_more_budget_is_used():
    for features, classes in SHAPES:
        last = 0
        for budget in (4096, 8192, 16384):
            try:
                clf = Tree(features, classes, budget)
            except BudgetError:
                continue
            assert budget - clf.nbytes < 1024 + budget // 8, (features, classes, budget, clf.nbytes)
            assert clf.nbytes > last
            last = clf.nbytes


def test_what_more_bytes_are_spent_on():
    """First all features, then bins, then slots; where no feature has bins, all goes into slots."""
    from niwaki.tree.plan import plan

    for features, classes in ((3, 4), (9, 2), (24, 4)):
        last = [0, 0, 0]
        for budget in range(900, 6000, 325):
            p = plan(features, classes, budget)
            assert [p.lanes, p.bins, p.slots] >= last, (features, classes, budget)
            last = [p.lanes, p.bins, p.slots]
        assert last[:2] == [features, 16] and last[2] > 1
    assert plan(30, 7, 6000).bins == 16
    assert plan(30, 7, 6000, leaf="mc").slots > plan(30, 7, 6000).slots == 1
    assert plan(50, 2, 4000, nominal=[2] * 50).slots == plan(50, 2, 4000, nominal=[2] * 50, bins=4).slots
