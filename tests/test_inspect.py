"""Looking into models: rules that an interpreter of their text follows to the same leaf, DOT, pictures."""

import itertools
import json
import re

import numpy as np
import pytest

import niwaki
from niwaki import Encoder
from niwaki.tree import layout as tree_layout
from niwaki_host.adapters.common import Engine
from niwaki_host.cli import main
from niwaki_host.device.models import build
from niwaki_host.inspect import Exported, Legend, Member, Node, export, importances, rules, to_dot
from niwaki_host.inspect.dot import colour
from niwaki_host.inspect.export import route
from niwaki_host.inspect.picture import MOST_LEAVES, _Drawing, model_figure

NAMES = ["speed", "colour", "load", "heat"]
CLASSES = ["idle", "run", "halt"]
MISSING = -32768


@pytest.fixture(scope="module")
def samples():
    """Numeric, nominal (five values), numeric, numeric; 5 % missing; three classes."""
    rng = np.random.default_rng(11)
    X = rng.integers(-30000, 30000, (4000, 4)).astype(np.int16)
    X[:, 1] = rng.integers(0, 5, 4000)
    y = (np.where(X[:, 1] == 3, X[:, 0] > 5000, X[:, 2] > -8000) + (X[:, 3] > 20000)).astype(np.int16)
    X[rng.random(X.shape) < 0.05] = MISSING
    return X, y


@pytest.fixture(scope="module", params=[{"leaf": "nba"}, {"leaf": "mc"}, "shrubs"], ids=str)
def model(request, samples):
    settings = {"grace": 40, "tau": 0.2, "nominal": [0, 5, 0, 0]}
    if request.param == "shrubs":
        made = build("shrubs", 4, 3, 4096)
    else:
        made = build("vfdt", 4, 3, 6000, **settings, **request.param)
    Engine(made).learn(*samples)
    assert made.n_leaves > 5
    return made


# An interpreter that knows the text of the rules and nothing else.


def blocks(text):
    """The text of a tree, or of each shrub by its place."""
    if not text.startswith("shrub"):
        return {0: text.splitlines()}
    found = {}
    for line in text.splitlines():
        head = re.match(r"shrub (\d+), weight [\d.]+", line)
        if head:
            own = found.setdefault(int(head[1]), [])
        else:
            own.append(line[4:])
    return found


def follow(lines, sample, first_takes_missing):
    """The line of the leaf that a sample (values by name, None: missing) comes to."""
    depth, i = 0, 0
    while True:
        line = lines[i]
        assert line.startswith("    " * depth) and not line.startswith("    " * depth + " ")
        if line.strip().startswith("leaf"):
            return line.strip()
        name, sign, bound, rest = re.fullmatch(
            r"(\w+) (<=|<|>=|>|==|!=) (\S+)( or missing)?", line.strip()
        ).groups()
        value = sample[name]
        if value is None:
            holds = bool(rest) or first_takes_missing
        else:
            bound = float(bound)
            holds = {
                "<": value < bound,
                "<=": value <= bound,
                ">": value > bound,
                ">=": value >= bound,
                "==": value == bound,
                "!=": value != bound,
            }[sign]
        i += 1
        if holds:
            depth += 1
            continue
        while not (lines[i].startswith("    " * depth) and lines[i][4 * depth] != " "):
            i += 1


def check_leaves(model, found, codes):
    """That the lines found are where the model itself goes with these codes."""
    model.predict(codes)
    if type(model).__name__ == "Tree":
        assert found[0].startswith(f"leaf {model._arrays[3][tree_layout.S_NODE]}: ")
        return
    for place, line in found.items():
        vote = model._arrays[3][model.n_classes + 2 + place]
        assert re.match(r"leaf \d+: (\w+)", line)[1] == CLASSES[vote]


def test_rules_in_codes_lead_to_the_models_leaf(model, samples):
    exported = export(model)
    text = blocks(rules(exported, Legend(NAMES, CLASSES)))
    for codes in samples[0][:300].tolist():
        sample = {name: None if code == MISSING else code for name, code in zip(NAMES, codes, strict=True)}
        found = {m: follow(lines, sample, exported.kind == "shrubs") for m, lines in text.items()}
        check_leaves(model, found, codes)


def test_rules_in_units_lead_to_the_models_leaf(model):
    exported = export(model)
    ranges = [(-2.5, 2.5), 5, (0.0, 4e6), (20.0, 20.004)]
    text = blocks(rules(exported, Legend(NAMES, CLASSES, ranges)))
    encoder = Encoder(4, ranges)
    rng = np.random.default_rng(2)
    for _ in range(300):
        x = [
            rng.uniform(-2.6, 2.6),
            int(rng.integers(0, 5)),
            rng.uniform(-1e5, 4.1e6),
            rng.uniform(20, 20.004),
        ]
        if rng.random() < 0.2:
            x[int(rng.integers(0, 4))] = float("nan")
        codes = list(encoder.encode(x, [0] * 4))
        sample = {name: None if v != v else v for name, v in zip(NAMES, x, strict=True)}
        if exported.kind == "shrubs":  # it has no nominal features: a code is a code
            sample["colour"] = None if codes[1] == MISSING else codes[1]
        found = {m: follow(lines, sample, exported.kind == "shrubs") for m, lines in text.items()}
        check_leaves(model, found, codes)


def test_export_agrees_with_the_model(model, samples):
    exported = export(model)
    assert sum(len(member.nodes) for member in exported.members) == model.n_nodes
    assert sum(len(member.leaves) for member in exported.members) == model.n_leaves
    for member in exported.members:
        for place, node in enumerate(member.nodes):
            if not node.is_leaf:
                left, right = member.nodes[node.left], member.nodes[node.right]
                assert left.parent == right.parent == place and left.depth == right.depth == node.depth + 1
                assert node.counts == [a + b for a, b in zip(left.counts, right.counts, strict=True)]
        if exported.kind == "shrubs":
            assert sum(member.nodes[0].counts) == model.words[11]  # all of the window
        for codes in samples[0][:20].tolist():
            assert route(member.nodes, codes).is_leaf


def test_alternates_of_an_adaptive_tree():
    """Those that grow after a drift are shown with where they would take over, and have no say."""
    rng = np.random.default_rng(1)
    X = rng.integers(-30000, 30000, (12000, 2)).astype(np.int16)
    y = ((X[:, 0] > 0) ^ (X[:, 1] > 1000)).astype(np.int16)
    y[10000:] = 1 - y[10000:]
    model = build("hat", 2, 2, 8192, grace=100)
    engine, seen = Engine(model), 0
    for at in range(0, len(X), 250):
        engine.learn(X[at : at + 250], y[at : at + 250])
        exported = export(model)
        main, *alternates = exported.members
        assert sum(len(member.nodes) for member in exported.members) == model.n_nodes
        assert sum(len(member.leaves) for member in exported.members) == model.n_leaves
        model.predict(X[at].tolist())
        leaf = route(main.nodes, X[at].tolist())
        assert leaf.number == model._arrays[3][tree_layout.S_NODE]
        assert leaf.bayes == bool(model._arrays[3][tree_layout.S_LOGS])
        assert rules(exported).count("alternate") == len(alternates) == to_dot(exported).count("subgraph")
        assert all(main.nodes[0].number <= member.replaces for member in alternates)
        seen += len(alternates)
    assert seen


def test_a_saved_model_is_the_same(model, tmp_path):
    model.save(str(tmp_path / "m"))
    assert export(niwaki.load(str(tmp_path / "m"))) == export(model)


def test_untrained_models():
    for name in ("vfdt", "shrubs"):
        exported = export(build(name, 3, 2, 4096))
        assert rules(exported) in ("leaf 0: naive Bayes (nothing yet)\n", "nothing learned yet\n")
        assert to_dot(exported).endswith("}\n")
        model_figure(exported, title="new")


def test_names_that_would_break_dot_are_quoted(model):
    legend = Legend(['a "b"', "back\\slash", "new\nline", "x -> y"], ['"', "}", "ok"])
    dot = to_dot(export(model), legend)
    for line in dot.splitlines():
        assert line.replace("\\\\", "").replace('\\"', "").count('"') % 2 == 0
    total = len(re.findall(r"^    n\d+_\d+ \[", dot, re.MULTILINE))
    assert total == model.n_nodes and dot.count("->") - dot.count("x -> y") == total - len(
        export(model).members
    )


def deep_chain(levels):
    """A tree that is one long branch."""
    nodes = []
    for depth in range(levels):
        parent = 2 * depth - 2 if depth else None
        nodes.append(
            Node(2 * depth, depth, parent, 0, depth, left=2 * depth + 2, right=2 * depth + 1, counts=[1, 1])
        )
        nodes.append(Node(2 * depth + 1, depth + 1, 2 * depth, counts=[1, 0]))
    nodes.append(Node(2 * levels, levels, 2 * levels - 2, counts=[0, 1], label=1))
    return Exported("tree", 1, 2, [0], [Member(0, 1.0, False, nodes)])


def test_deep_and_wide_trees_are_drawn_in_part():
    exported = deep_chain(3000)
    assert to_dot(exported).count("->") == 6000
    drawing = _Drawing(exported.members[0])
    assert drawing.width <= MOST_LEAVES
    texts = [text.get_text() for text in model_figure(exported).axes[0].texts]
    assert any("leaves" in text for text in texts)


def test_importances_are_the_models_own(model):
    found = importances(model)
    out = [0] * 4
    for kind in ("mpg", "mdi"):
        model.importances(out, kind)
        assert found[kind] == [value / 65536 for value in out] and max(found[kind]) > 0


# The command


@pytest.fixture
def image(model, tmp_path):
    path = tmp_path / "model.niwaki"
    model.save(str(path))
    return path


@pytest.fixture
def new_image(tmp_path):
    """A model that has learned nothing: enough for what a command refuses."""
    path = tmp_path / "new.niwaki"
    build("vfdt", 4, 3, 4096).save(str(path))
    return path


@pytest.fixture
def niwaki_command(capsys):
    def call(*args):
        code = main(["inspect", *map(str, args)])
        out, err = capsys.readouterr()
        return code, out, err

    return call


def test_command_json(niwaki_command, image, model):
    code, out, err = niwaki_command(image, "--names", ",".join(NAMES), "--json")
    record = json.loads(out)
    assert (code, err) == (0, "")
    assert record["features"] == NAMES and record["nodes"] == model.n_nodes
    assert sum(part["bytes"] for part in record["parts"]) == record["model_bytes"] == model.nbytes
    assert sum(len(tree["nodes"]) for tree in record["trees"]) == model.n_nodes
    assert record["importances"] == importances(model)
    for tree in record["trees"]:
        nodes = {node["number"]: node for node in tree["nodes"]}
        for node in tree["nodes"]:
            for child in (node["left"], node["right"]) if "test" in node else ():
                assert nodes[child]["parent"] == node["number"]


def test_command_text_dot_and_plot(niwaki_command, image, tmp_path):
    ranges = tmp_path / "ranges.json"
    ranges.write_text(json.dumps({"speed": [0, 4], "colour": 5, "load": None, "heat": [-1, 1]}))
    dot, plot = tmp_path / "m.dot", tmp_path / "m.svg"
    code, out, err = niwaki_command(
        image, "--ranges", ranges, "--class-names", ",".join(CLASSES), "--dot", dot, "--plot", plot
    )
    assert (code, err) == (0, "")
    assert re.search(r"speed < [0-4]\.\d{5}\b", out) and re.search(r"load <= -?\d+\b", out)
    assert re.search(r"leaf \d+: (idle|run|halt|naive Bayes) \(", out)
    assert dot.read_text().startswith("digraph") and plot.read_text().rstrip().endswith("</svg>")


def test_command_takes_names_and_units_from_a_stream(niwaki_command, tmp_path):
    rng = np.random.default_rng(4)
    rows = ["height,colour,kind"]
    for _ in range(1500):
        height, colour = rng.uniform(150, 200), rng.choice(["red", "green", "blue"])
        rows.append(f"{height:.2f},{colour},{'tall' if height > 180 and colour == 'red' else 'no'}")
    csv = tmp_path / "people.csv"
    csv.write_text("\n".join(rows) + "\n")
    from niwaki_host.streams import open_stream
    from niwaki_host.streams.encoding import encode_stream, make_encoding

    stream = open_stream(str(csv))
    codes, y = encode_stream(stream, make_encoding(stream))
    model = build("vfdt", 2, 2, 4096, nominal=stream.nominal, grace=100)
    Engine(model).learn(codes, y)
    model.save(str(tmp_path / "m"))
    code, out, err = niwaki_command(tmp_path / "m", "--stream", csv)
    assert (code, err) == (0, "")
    assert "colour == red" in out and re.search(r"height < (17|18)\d\.\d", out) and "tall: " in out


@pytest.mark.parametrize("content", [b"", b"hello", b"NIWAKI" + bytes(40), None], ids=str)
def test_bad_files_are_answered_in_one_line(niwaki_command, tmp_path, content):
    path = tmp_path / "bad"
    if content is not None:
        path.write_bytes(content)
    code, out, err = niwaki_command(path)
    assert (code, out) == (2, "") and err.count("\n") == 1 and "bad" in err


def test_a_torn_file_is_answered_in_one_line(niwaki_command, new_image):
    data = new_image.read_bytes()
    for damaged in (data[:-9], data[:100] + b"!" + data[101:]):
        new_image.write_bytes(damaged)
        code, out, err = niwaki_command(new_image)
        assert (code, out) == (2, "") and err.count("\n") == 1 and "damaged" in err


@pytest.mark.parametrize(
    "args,word",
    [
        (["--names", "a,b"], "2 features"),
        (["--class-names", "a,b,c,d"], "4 classes"),
        (["--stream", "led", "--limit", "100"], "24 features"),
        (["--plot", "m.txt"], ".png"),
        (["--ranges", "no-such-file"], "no-such-file"),
    ],
)
def test_mistakes_are_answered_in_one_line(niwaki_command, new_image, args, word):
    code, out, err = niwaki_command(new_image, *args)
    assert (code, out) == (2, "") and err.count("\n") == 1 and word in err


@pytest.mark.parametrize(
    "text",
    [
        "{",
        "7",
        "[[1, 0], 5, null, null]",
        '[["a", 1], 5, null, null]',
        "[0, 5, 1, 1]",
        "[40000, 5, 1, 1]",
        f"[[0, {'9' * 400}], 5, 1, 1]",
        "[" * 100000,
    ],
    ids=range(8),
)
def test_bad_ranges_are_answered_in_one_line(niwaki_command, new_image, tmp_path, text):
    path = tmp_path / "r.json"
    path.write_text(text)
    code, out, err = niwaki_command(new_image, "--ranges", path)
    assert (code, out) == (2, "") and err.count("\n") == 1 and "r.json" in err


def test_ten_classes_have_ten_colours():
    parts = [[int(colour(label)[i : i + 2], 16) for i in (1, 3, 5)] for label in range(10)]
    for one, other in itertools.combinations(parts, 2):
        assert sum(abs(a - b) for a, b in zip(one, other, strict=True)) > 80
