// Pictures of a model: what its bytes are for, its trees, which features matter.

import { colour, element, number, percent } from "./page.js";

const SVG = "http://www.w3.org/2000/svg";
const MOST_LEAVES = 16; // of one drawing: what lies deeper is one box that says how much it hides
const LEAF = 78, LEVEL = 58, BOX = 30;
const WIDE = 12; // letters that a box has room for: longer names are drawn narrower

function shape(tag, attributes, text) {
    const made = document.createElementNS(SVG, tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    if (text !== undefined) made.textContent = text;
    return made;
}

// names: { features: [...], classes: [...], value(feature, code) -> text }
export function drawModel(place, found, names) {
    place.replaceChildren(
        facts(found),
        element("h3", {}, "What its bytes are for"),
        ...byteMap(found),
        ...importances(found, names),
        ...trees(found, names),
    );
}

function facts(found) {
    const fact = (name, value) => element("span", {}, `${name} `, element("b", {}, value));
    return element(
        "p", { className: "facts" },
        fact("takes", `${number(found.bytes)} of ${number(found.budget)} bytes`),
        fact("learned", `${number(found.samples)} samples`),
        fact("leaves", number(found.leaves)),
        fact("digest", found.digest),
    );
}

function byteMap(found) {
    const bar = element("div", { className: "bytes", role: "img" });
    const legend = element("ul", { className: "legend" });
    const spoken = [];
    found.parts.forEach(([name, bytes, used], i) => {
        const fill = element("i"), part = element("i", { title: `${name}: ${number(used)} of ${number(bytes)} bytes` }, fill);
        part.style.flexGrow = bytes;
        fill.style.width = `${(100 * used) / Math.max(1, bytes)}%`;
        fill.style.background = colour(i);
        bar.append(part);
        const swatch = element("span", { className: "swatch" });
        swatch.style.background = colour(i);
        const text = used === bytes ? `${name}: ${number(bytes)} bytes` : `${name}: ${number(used)} of ${number(bytes)} bytes`;
        spoken.push(text);
        if (bytes >= found.budget / 50) legend.append(element("li", {}, swatch, text));
    });
    bar.setAttribute("aria-label", spoken.join("; "));
    return [bar, legend];
}

// Nodes come as [depth, feature, threshold, left, right, label, counts, bayes], root first.
const [DEPTH, FEATURE, THRESHOLD, LEFT, RIGHT, LABEL, COUNTS, BAYES] = [0, 1, 2, 3, 4, 5, 6, 7];

function trees(found, names) {
    const members = found.members.filter((member) => member.replaces === null);
    if (!members.length) return [element("p", { className: "muted" }, "It has no tree as yet.")];
    const single = members.length === 1 && found.kind === "Tree";
    const made = [element("h3", {}, single ? "The tree as it is now" : "Its small trees as they are now")];
    const drawings = members.map((member) => {
        const vote = member.decides ? "the youngest: answers alone at present" : `has ${percent(member.weight)} of the votes`;
        const caption = single ? "" : element("figcaption", { className: "muted" }, vote);
        return element("figure", { className: "drawing" }, caption, tree(member.nodes, names));
    });
    made.push(element("div", { className: "drawings" }, ...drawings));
    const alternates = found.members.length - members.length;
    const rest = [];
    if (found.more) rest.push(`${found.more} more are not drawn.`);
    if (alternates) rest.push(`${alternates} second branch${alternates > 1 ? "es grow" : " grows"}, without a say as yet.`);
    rest.push("A sample goes down from the top: left where the test holds, else right. Colours are classes; a leaf's" +
        " bar shows what came there.");
    return [...made, element("p", { className: "muted" }, rest.join(" "))];
}

function bottom(nodes) {
    const perDepth = [];
    for (const node of nodes) {
        const row = (perDepth[node[DEPTH]] ??= { leaves: 0, nodes: 0 });
        row.nodes += 1;
        if (node[FEATURE] === null) row.leaves += 1;
    }
    let above = 0;
    for (let depth = 0; depth < perDepth.length; depth++) {
        if (above + perDepth[depth].nodes > MOST_LEAVES) return depth - 1;
        above += perDepth[depth].leaves;
    }
    return perDepth.length - 1;
}

function hiddenLeaves(nodes, place) {
    let leaves = 0;
    for (let i = place + 1; i < nodes.length && nodes[i][DEPTH] > nodes[place][DEPTH]; i++)
        if (nodes[i][FEATURE] === null) leaves += 1;
    return leaves;
}

function tree(nodes, names) {
    const deepest = bottom(nodes), x = [];
    const ends = (node) => node[DEPTH] === deepest || (node[FEATURE] === null && node[DEPTH] < deepest);
    let column = 0, depth = 0;
    nodes.forEach((node, i) => {
        if (node[DEPTH] > deepest || !ends(node)) return;
        x[i] = LEAF * (column++ + 0.5);
        depth = Math.max(depth, node[DEPTH]);
    });
    for (let i = nodes.length - 1; i >= 0; i--)
        if (nodes[i][DEPTH] < deepest && nodes[i][FEATURE] !== null) x[i] = (x[nodes[i][LEFT]] + x[nodes[i][RIGHT]]) / 2;
    const width = Math.max(column, 2) * LEAF, height = (depth + 1) * LEVEL;
    const shift = (width - column * LEAF) / 2;
    const svg = shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, role: "img" });
    const leaves = nodes.filter((node) => node[FEATURE] === null).length;
    svg.append(shape("title", {}, `a tree of ${leaves} ${leaves > 1 ? "leaves" : "leaf"}`));
    const top = (node) => node[DEPTH] * LEVEL + 6;
    nodes.forEach((node, i) => {
        if (node[DEPTH] >= deepest || node[FEATURE] === null) return;
        for (const child of [node[LEFT], node[RIGHT]]) {
            const [x1, y1, x2, y2] = [x[i] + shift, top(node) + BOX, x[child] + shift, top(nodes[child])];
            svg.append(shape("path", { class: "edge", d: `M${x1} ${y1}C${x1} ${y1 + 14} ${x2} ${y2 - 14} ${x2} ${y2}` }));
        }
    });
    nodes.forEach((node, i) => {
        if (node[DEPTH] > deepest) return;
        if (ends(node)) drawLeaf(svg, node, x[i] + shift, top(node), hiddenLeaves(nodes, i), names);
        else drawSplit(svg, node, x[i] + shift, top(node), names);
    });
    return svg;
}

function drawSplit(svg, node, x, y, names) {
    svg.append(shape("rect", { class: "box", x: x - 37, y, width: 74, height: BOX, rx: 5 }));
    const test = [names.features[node[FEATURE]], `≤ ${names.value(node[FEATURE], node[THRESHOLD])}`];
    test.forEach((text, i) => {
        const narrow = text.length > WIDE ? { textLength: 70, lengthAdjust: "spacingAndGlyphs" } : {};
        svg.append(shape("text", { x, y: y + 12 + 12 * i, "text-anchor": "middle", ...narrow }, text));
    });
}

function drawLeaf(svg, node, x, y, hidden, names) {
    const total = node[COUNTS].reduce((sum, n) => sum + n, 0);
    svg.append(shape("rect", { x: x - 36, y, width: 72, height: 22, rx: 5, fill: colour(node[LABEL]), "fill-opacity": 0.22 }));
    const name = names.classes[node[LABEL]] ?? `class ${node[LABEL]}`;
    const head = hidden ? `… ${hidden} leaves` : name.length > 11 ? `${name.slice(0, 10)}…` : name;
    svg.append(shape("text", { x, y: y + 15, "text-anchor": "middle" }, head));
    let left = x - 36;
    svg.append(shape("rect", { class: "track", x: left, y: y + 24, width: 72, height: 5 }));
    node[COUNTS].forEach((n, c) => {
        if (!n) return;
        const width = (72 * n) / total;
        svg.append(shape("rect", { x: left, y: y + 24, width, height: 5, fill: colour(c) }));
        left += width;
    });
    const bayes = node[BAYES] ? ", answers by likelihoods (naive Bayes)" : "";
    svg.lastChild.append(shape("title", {}, `${number(total)} samples${bayes}`));
}

function importances(found, names) {
    const most = Math.max(...found.importances, 0);
    if (!most) return [];
    const order = found.importances.map((value, f) => [value, f]).filter(([value]) => value > 0).sort((a, b) => b[0] - a[0]);
    const bars = element("div", { className: "bars" });
    for (const [value, f] of order.slice(0, 8)) {
        const fill = element("i");
        fill.style.width = `${(100 * value) / most}%`;
        bars.append(element("span", {}, names.features[f]), element("span", { className: "bar" }, fill));
        bars.append(element("span", {}, (value / 65536).toFixed(3)));
    }
    return [
        element("h3", {}, "Which features matter"), bars,
        element("p", { className: "muted" }, "How much the tests on a feature help to tell the classes apart."),
    ];
}
