// Watch: the simulated sensor, learned by one or two models.

import { device, onNews } from "./device.js";
import { drawCurve } from "./curve.js";
import { drawModel } from "./draw.js";
import { commandFor, modelFields } from "./models.js";
import { $, colour, complain, element, number, painter, percent } from "./page.js";

const SLOWEST = 1, FASTEST = 2000; // samples a second
const SECOND = { 0: "a", 1: "b" };

export function watchPage(setting) {
    const { features, classes, countsPerG, countsPerDps } = setting.sensor;
    const names = {
        features, classes,
        value: (f, code) => (f < 3 ? `${(code / countsPerG).toFixed(2)} g` : `${(code / countsPerDps).toFixed(0)} °/s`),
    };
    const state = { points: [], marks: [], bands: [], names: [], chosen: [], news: null, running: false };
    const shown = () => !$("watch").hidden;
    const paint = painter(() => shown() && drawCurve($("curve"), state));

    const first = modelFields($("model-a"), "Model", setting.models, { name: "vfdt" }, begin);
    const second = modelFields($("model-b"), "Beside it", setting.models, { name: "shrubs", optional: true }, begin);

    async function begin() {
        stop();
        complain();
        const chosen = [first(), second()].filter(Boolean).map((m, i) => ({ ...m, place: SECOND[i] }));
        try {
            await device("watch", "reset", chosen);
        } catch (error) {
            return complain(error);
        }
        const titles = chosen.map((m, i) => (i && m.name === chosen[0].name ? `${m.name} (2)` : m.name));
        Object.assign(state, { points: [], marks: [], bands: [], names: titles, chosen, news: null });
        $("withhold").setAttribute("aria-pressed", "false");
        $("watched").replaceChildren(...chosen.map((m, i) => card(titles[i], i)));
        note();
        paint();
        await look();
    }

    function card(title, i) {
        const swatch = element("span", { className: "swatch" });
        swatch.style.background = colour(i);
        const heading = element("h2", {}, swatch, title);
        return element("div", { className: "card" }, heading, element("p", { id: `now-${i}`, className: "muted" }),
            element("div", { id: `view-${i}` }));
    }

    // Looks at the models now and then: the more it costs, the less often.
    let looking = false, missed = false, next = 0;
    async function look() {
        missed = looking; // what has come meanwhile is looked at afterwards
        if (looking || !shown()) return;
        looking = true;
        const begun = performance.now();
        try {
            for (const [i, { place }] of state.chosen.entries()) {
                const found = await device("view", place);
                if ($(`view-${i}`)) drawModel($(`view-${i}`), found, names);
            }
        } finally {
            looking = false;
            next = performance.now() + Math.max(300, 4 * (performance.now() - begun));
        }
        if (missed) await look();
    }

    onNews((news) => {
        state.news = news;
        state.marks = news.drifts;
        state.points.push(...news.points);
        if (state.bands.length && state.bands.at(-1).open) state.bands.at(-1)[1] = news.samples;
        note();
        paint();
        if (performance.now() > next || !state.running) look();
    });

    function note() {
        const { news, points } = state;
        $("leap").disabled = $("step").disabled = state.running;
        if (!news) {
            $("curve-note").textContent = "The line shows how many of the last 200 answers were right.";
            return;
        }
        const right = points.length ? state.names.map((name, k) => `${name} ${percent(points.at(-1)[1 + k])}`) : [];
        $("curve-note").textContent = `${number(news.samples)} samples. Right, of the last 200: ${right.join(", ") || "too early to say"}.`;
        state.names.forEach((_, i) => {
            const answer = classes[news.latest.answers[i]], truth = classes[news.latest.truth];
            if ($(`now-${i}`)) $(`now-${i}`).textContent = `Says ${answer}; it was ${truth}.`;
        });
    }

    function stop() {
        state.running = false;
        $("run").textContent = "Run";
        device("watch", "pause");
    }

    const speed = () => Math.round(SLOWEST * (FASTEST / SLOWEST) ** ($("speed").value / 100));
    function setSpeed() {
        $("speed-note").textContent = `${number(speed())} a second`;
        device("watch", "setSpeed", speed());
    }

    $("run").addEventListener("click", async () => {
        if (state.running) {
            stop();
            note();
            return look();
        }
        state.running = true;
        $("run").textContent = "Pause";
        await device("watch", "run");
        note();
    });
    $("step").addEventListener("click", () => device("watch", "step", 1));
    $("leap").addEventListener("click", () => device("watch", "step", 500));
    $("remount").addEventListener("click", () => device("watch", "remount"));
    $("withhold").addEventListener("click", () => {
        const withheld = $("withhold").getAttribute("aria-pressed") !== "true";
        $("withhold").setAttribute("aria-pressed", String(withheld));
        const at = state.news?.samples ?? 0;
        if (withheld) state.bands.push(Object.assign([at, at], { open: true }));
        else if (state.bands.length) state.bands.at(-1).open = false;
        device("watch", "setLabelled", !withheld);
    });
    $("again").addEventListener("click", begin);
    $("speed").addEventListener("input", setSpeed);
    addEventListener("resize", paint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);
    setSpeed();

    return {
        begin, names,
        show() {
            paint();
            look();
        },
        // For Take it home: what is here, and how the desktop gets the same.
        models: () => state.chosen.map((chosen, i) => ({
            place: chosen.place, title: `watched: ${state.names[i]}`, names, file: "watched.niw",
            labels: classes, told: features,
            command: async () => {
                const { name, samples, withheld } = state.news ?? { samples: 0 };
                if (!samples) return null;
                if (!withheld) return commandFor(name, samples, chosen);
                return commandFor("watched.csv", 0, chosen, ` --encoding raw --classes ${classes.length}`);
            },
            rows: () => device("watch", "recorded"),
            csv: "watched.csv", columns: features,
        })),
    };
}
