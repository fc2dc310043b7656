// Teach: gestures of a mouse, a finger, the arrow keys or a phone.

import { ask, device } from "./device.js";
import { drawModel } from "./draw.js";
import { Lessons } from "./lessons.js";
import { commandFor, modelFields } from "./models.js";
import { Motion, PHONE_AXES, POINTER_AXES, Trail } from "./motion.js";
import { $, canvas, colour, complain, element, number, painter, percent, themed } from "./page.js";

const FIRST = ["circle", "left and right"];
const OF_A_WINDOW = ["mean", "spread", "min", "max", "change", "crossings"];
const ENOUGH = 4; // windows after which a step counts as done
const MOST = 9; // gestures: as many as there are keys
const ASTRAY = 500; // ms for which a movement that leaves the pad is still followed
const PAUSE = 900; // ms after which an answer fades

export function teachPage(setting) {
    let lessons = new Lessons(POINTER_AXES), held = null, anew = false, phone = false, recognised = false;
    const trail = new Trail();
    const shown = () => !$("teach").hidden;
    const ofGesture = (gesture) => colour(lessons.gestures.indexOf(gesture));
    const paint = painter(() => {
        if (!shown()) return;
        const drawn = canvas($("pad"));
        if (trail.samples.length < 2) hint(drawn);
        trail.draw(drawn, phone, (gesture) => (gesture ? ofGesture(gesture) : themed("--trail")));
    });

    function hint({ context: c, width, height }) {
        c.fillStyle = themed("--muted");
        c.font = "15px system-ui, sans-serif";
        c.textAlign = "center";
        c.fillText(lessons.lessons.length ? "Move here" : "Teach it first; then move here", width / 2, height / 2);
    }

    const chosen = modelFields($("teach-model"), "Model", setting.models, { name: setting.teach }, () => again(false));

    // A new model; with `blank` also new gestures.
    async function again(blank) {
        complain();
        try {
            if (blank) {
                lessons = new Lessons(phone ? PHONE_AXES : POINTER_AXES);
                for (const name of FIRST) lessons.gestures.push({ name, code: null });
                recognised = false;
            }
            lessons.base = null;
            await lessons.rebuild(chosen());
        } catch (error) {
            complain(error);
        }
        trail.clear();
        list();
        steps();
        say("");
        paint();
        look();
    }

    async function look() {
        if (!shown() || !document.querySelector("#teach details").open) return;
        drawModel($("teach-view"), await device("view", lessons.place), names());
    }

    const names = () => ({
        features: lessons.axes.flatMap((axis) => OF_A_WINDOW.map((what) => `${axis} ${what}`)),
        classes: Array.from({ length: MOST }, (_, code) => lessons.byCode(code)?.name ?? `class ${code}`),
        value: (_, code) => number(code),
    });

    // The list of gestures.
    function list() {
        $("gestures").replaceChildren(...lessons.gestures.map(row));
        $("add").disabled = lessons.gestures.length >= MOST;
        $("undo").disabled = !lessons.lessons.length;
    }

    function row(gesture, i) {
        const chip = element("span", { className: "chip" });
        chip.style.background = colour(i);
        const name = element("input", { type: "text", value: gesture.name, maxLength: 20, "aria-label": `name of gesture ${i + 1}` });
        name.addEventListener("input", () => {
            gesture.name = name.value.trim() || `gesture ${i + 1}`;
            hold.setAttribute("aria-label", `hold to teach ${gesture.name}`);
        });
        const hold = element("button", { className: "hold main", "aria-label": `hold to teach ${gesture.name}` }, "Hold to teach");
        hold.addEventListener("pointerdown", (event) => {
            if (event.button) return;
            hold.setPointerCapture(event.pointerId);
            motion.pointer(event, true);
            begin(gesture, hold);
        });
        hold.addEventListener("pointermove", (event) => held?.gesture === gesture && motion.pointer(event));
        for (const over of ["pointerup", "pointercancel", "lostpointercapture"]) hold.addEventListener(over, () => end(gesture));
        hold.addEventListener("contextmenu", (event) => event.preventDefault());
        hold.addEventListener("keydown", (event) => {
            if (![" ", "Enter"].includes(event.key)) return;
            event.preventDefault();
            if (!event.repeat) begin(gesture, hold);
        });
        hold.addEventListener("keyup", (event) => [" ", "Enter"].includes(event.key) && end(gesture));
        const forget = element("button", { title: "Forget this gesture", "aria-label": `forget ${gesture.name}` }, "×");
        forget.addEventListener("click", () => forgetOne(gesture));
        const taught = element("p", { className: "muted count" }, amount(gesture, i));
        return element("li", {}, chip, name, hold, forget, taught);
    }

    function amount(gesture, i) {
        const windows = lessons.count(gesture);
        return windows ? `${windows} window${windows > 1 ? "s" : ""} taught` : `not taught yet (key ${i + 1})`;
    }

    function counts() {
        document.querySelectorAll("#gestures .count").forEach((p, i) => (p.textContent = amount(lessons.gestures[i], i)));
    }

    async function forgetOne(gesture) {
        try {
            await lessons.forget(gesture);
            complain();
            $("lesson").textContent = `“${gesture.name}” is forgotten.`;
        } catch (error) {
            complain(error);
        }
        list();
        steps();
        look();
    }

    // A lesson: from holding to letting go. Its windows begin and end with it.
    function begin(gesture, button) {
        if (held) return;
        held = { gesture, button, lesson: lessons.begin(gesture) };
        anew = true;
        button?.classList.add("on");
        $("lesson").textContent = `Teaching “${gesture.name}”: move while you hold.`;
        trail.clear();
        say("");
    }

    async function end(gesture) {
        if (held?.gesture !== gesture) return;
        const { button, lesson } = held;
        held = null;
        anew = true;
        button?.classList.remove("on");
        await drain();
        const empty = lessons.end(lesson);
        $("lesson").textContent = empty
            ? "Nothing was taught: hold the button, and move for a second or more while you hold."
            : `Taught “${gesture.name}”: ${lesson.rows.length} windows.`;
        $("undo").disabled = !lessons.lessons.length;
        trail.clear();
        counts();
        steps();
        look();
    }

    // Samples go to MicroPython as they come; those that come while it is busy go together.
    let queue = [], draining = null;
    function drain() {
        draining ??= send().finally(() => (draining = null));
        return draining;
    }

    async function send() {
        while (queue.length) {
            const batch = queue;
            queue = [];
            try {
                const samples = batch.map(({ sample, lesson, fresh }) => [sample, lesson?.code ?? -1, fresh]);
                for (const [i, found] of await ask("sense", lessons.place, samples)) heard(batch[i].lesson, found);
            } catch (error) {
                complain(error);
            }
        }
    }

    function heard(lesson, found) {
        if (!lesson) return answer(found);
        lessons.take(lesson, found);
        counts();
        steps();
    }

    const motion = new Motion((sample, begins) => {
        if (!shown()) return;
        trail.add(sample, held?.gesture);
        paint();
        queue.push({ sample, fresh: begins || anew, lesson: held?.lesson });
        anew = false;
        drain();
    });

    // What it recognises.
    let fading;
    function answer(found) {
        const taught = lessons.gestures.filter((gesture) => lessons.count(gesture));
        if (!taught.length && !lessons.base) return say("");
        if (taught.length < 2 && !lessons.base)
            return say("Teach a second one", "With one gesture there is nothing to tell apart.");
        const gesture = lessons.byCode(found.guess), strange = found.novelty > lessons.limit;
        const name = gesture?.name ?? `class ${found.guess}`;
        if (strange) say("Unlike anything taught", `Nearest is “${name}”.`, 0, found);
        else say(name, `${percent(found.sure)} sure`, found.sure, found, gesture);
        if (!strange && !recognised) {
            recognised = true;
            steps();
        }
        clearTimeout(fading);
        fading = setTimeout(() => {
            $("answer").style.opacity = 0.5;
            if (!phone) trail.clear();
            paint();
        }, PAUSE);
    }

    function say(name, note = "", sure = 0, found = null, gesture = null) {
        const blank = lessons.lessons.length ? "Move over the pad" : "Nothing is taught yet";
        $("answer").style.opacity = 1;
        $("answer-name").textContent = name || blank;
        $("answer-name").style.color = "";
        $("answer-note").textContent = note || (lessons.lessons.length ? "" : "Hold a button on this page and move while you hold.");
        $("sure").setAttribute("aria-valuenow", Math.round(100 * sure));
        $("sure").firstChild.style.width = percent(sure).replace(" ", "");
        $("sure").firstChild.style.background = gesture ? ofGesture(gesture) : "";
        $("shares").replaceChildren(...(found?.scores ?? []).map((share, code) => [share, lessons.byCode(code)])
            .filter(([, known]) => known)
            .map(([share, known]) => {
                const swatch = element("span", { className: "swatch" });
                swatch.style.background = ofGesture(known);
                return element("span", {}, swatch, `${known.name} ${percent(share)}`);
            }));
        if (name && $("said").textContent !== name) $("said").textContent = name;
    }

    function steps() {
        const taught = lessons.gestures.map((gesture) => lessons.count(gesture) >= ENOUGH).filter(Boolean).length;
        const done = [taught >= 1, taught >= 2, recognised];
        const now = done.indexOf(false);
        done.forEach((is, i) => {
            $(`step-${i + 1}`).classList.toggle("done", is);
            $(`step-${i + 1}`).classList.toggle("now", i === now);
        });
    }

    // What moves.
    const pad = $("pad");
    let onPad = -Infinity; // when the pointer was last there
    const strayed = (event) => event.timeStamp - onPad > ASTRAY;
    pad.addEventListener("pointerenter", (event) => strayed(event) && motion.pointer(event, true));
    pad.addEventListener("pointerdown", (event) => motion.pointer(event, true));
    addEventListener("pointermove", (event) => {
        if (event.target === pad) onPad = event.timeStamp;
        if (held ? !held.button?.hasPointerCapture(event.pointerId) : !strayed(event)) motion.pointer(event);
    });
    const typing = (event) => event.target.matches("input, select") || event.ctrlKey || event.altKey || event.metaKey;
    addEventListener("keydown", (event) => {
        if (!shown() || typing(event)) return;
        if ((held || event.target === pad) && motion.key(event.key, true)) event.preventDefault();
        const gesture = /^[1-9]$/.test(event.key) && lessons.gestures[event.key - 1];
        if (gesture && !event.repeat) begin(gesture, document.querySelectorAll("#gestures .hold")[event.key - 1]);
    });
    addEventListener("keyup", (event) => {
        motion.key(event.key, false);
        const gesture = /^[1-9]$/.test(event.key) && lessons.gestures[event.key - 1];
        if (gesture) end(gesture);
    });
    addEventListener("blur", () => {
        motion.keys.clear();
        if (held) end(held.gesture);
    });

    $("add").addEventListener("click", async () => {
        try {
            await lessons.add(`gesture ${lessons.gestures.length + 1}`);
            complain();
        } catch (error) {
            complain(error);
        }
        list();
        document.querySelector("#gestures li:last-child input").select();
    });
    $("undo").addEventListener("click", async () => {
        const { gesture, rows } = await lessons.undo();
        $("lesson").textContent = `The last lesson, ${rows.length} windows of “${gesture.name}”, is undone.`;
        list();
        steps();
        look();
    });
    $("restart").addEventListener("click", () => again(true));
    $("motion").addEventListener("click", async () => {
        try {
            await motion.usePhone();
            phone = true;
            await again(true);
            $("motion-note").textContent = "On: hold a button and move the phone.";
            complain();
        } catch (error) {
            $("motion-note").textContent = `${error.message[0].toUpperCase()}${error.message.slice(1)}.`;
        }
    });
    document.querySelector("#teach details").addEventListener("toggle", look);
    addEventListener("resize", paint);
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", paint);

    return {
        begin: () => again(true),
        show() {
            paint();
            look();
        },
        // Goes on with a stored model that sees windows of three axes.
        async adopt(image, about) {
            lessons = new Lessons(phone ? PHONE_AXES : POINTER_AXES);
            for (let code = 0; code < Math.min(about.classes, MOST); code++)
                lessons.gestures.push({ name: about.labels?.[code] ?? `class ${code}`, code });
            lessons.base = image;
            await lessons.rebuild(chosen());
            list();
            steps();
            say("");
        },
        models: () => [{
            place: lessons.place, title: "taught by you", names: names(), file: "gestures.niw",
            windowed: true, labels: names().classes.slice(0, lessons.about?.classes ?? 2), told: lessons.axes,
            command: async () => {
                const classes = lessons.gestures.filter((gesture) => lessons.count(gesture)).length;
                if (lessons.base || classes < 2) return null;
                const room = Math.max(2, lessons.gestures.length);
                return commandFor("gestures.csv", 0, lessons.chosen, ` --encoding raw --classes ${room}`);
            },
            rows: async () => lessons.rows(),
            csv: "gestures.csv", columns: names().features.map((name) => name.replaceAll(" ", "_")),
        }],
    };
}
