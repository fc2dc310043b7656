// Accuracy over time: one line a model, marks where the sensor was re-mounted, a band where labels were withheld.

import { canvas, colour, number, themed } from "./page.js";

const LEFT = 46, BOTTOM = 34, TOP = 10, RIGHT = 20; // half of the last number lies right of the axis
const FEWEST = 1000; // samples that the axis shows at least

function ticks(most) {
    const rough = most / 5, base = 10 ** Math.floor(Math.log10(rough));
    const step = [1, 2, 5, 10].map((k) => k * base).find((s) => s >= rough);
    return Array.from({ length: Math.floor(most / step) + 1 }, (_, i) => i * step);
}

// points: [[samples, share, share], ...]; marks: [samples]; bands: [[from, to]]
export function drawCurve(place, { points, marks, bands, names }) {
    const { context: c, width, height } = canvas(place);
    const most = Math.max(FEWEST, points.at(-1)?.[0] ?? 0);
    const x = (samples) => LEFT + ((width - LEFT - RIGHT) * samples) / most;
    const y = (share) => TOP + (height - TOP - BOTTOM) * (1 - share);
    c.font = "12px system-ui, sans-serif";
    c.fillStyle = themed("--soft");
    for (const [from, to] of bands) c.fillRect(x(from), TOP, x(Math.min(to, most)) - x(from), height - TOP - BOTTOM);
    c.strokeStyle = themed("--grid");
    c.fillStyle = themed("--muted");
    c.textAlign = "right";
    c.textBaseline = "middle";
    for (const share of [0, 0.25, 0.5, 0.75, 1]) {
        line(c, [[LEFT, y(share)], [width - RIGHT, y(share)]]);
        c.fillText(`${100 * share} %`, LEFT - 6, y(share));
    }
    c.textAlign = "center";
    for (const tick of ticks(most)) c.fillText(number(tick), x(tick), height - BOTTOM + 11);
    c.fillText("samples learned", LEFT + (width - LEFT - RIGHT) / 2, height - 7);
    c.setLineDash([5, 4]);
    c.strokeStyle = c.fillStyle = themed("--bad");
    c.textAlign = "left";
    for (const mark of marks) {
        line(c, [[x(mark), TOP], [x(mark), y(0)]]);
        c.fillText("re-mounted", x(mark) + 4, y(0.32));
    }
    c.setLineDash([]);
    c.lineWidth = 2;
    names.forEach((name, k) => {
        c.strokeStyle = c.fillStyle = colour(k);
        const step = Math.max(1, Math.floor(points.length / width));
        const drawn = points.filter((_, i) => i % step === 0 || i === points.length - 1);
        line(c, drawn.map((point) => [x(point[0]), y(point[1 + k])]));
        c.fillText(name, LEFT + 8 + 110 * k, y(0.14));
        c.fillRect(LEFT + 8 + 110 * k, y(0.14) + 8, 24, 3);
    });
    c.lineWidth = 1;
}

function line(context, places) {
    context.beginPath();
    places.forEach(([x, y], i) => (i ? context.lineTo(x, y) : context.moveTo(x, y)));
    context.stroke();
}
