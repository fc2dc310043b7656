// Take it home: the model and what it learned as files, the lines for a board, and models from boards.

import { ask, device } from "./device.js";
import { drawModel } from "./draw.js";
import { $, complain, download, element, number } from "./page.js";

const LARGEST = 1 << 20; // bytes; no model of a board is larger
const UPLOADED = "uploaded";
const WINDOWED = 18; // features of a window of three axes

const PLAIN = (file) => `from array import array
from niwaki import load
clf = load("${file}")
x = array("h", [0] * clf.n_features)  # your sensor's readings
print(clf.learn(x, 0))  # answers, then learns that it was class 0
clf.save("${file}")`;

const GESTURES = (file) => `from array import array
from niwaki import load
clf = load("${file}")
window, labels = clf.about()["window"], clf.about()["labels"]  # they came with it
x = array("h", [0] * clf.n_features)
while True:  # 50 times a second
    if window.push(read_sensor()):  # three numbers
        window.features(x)
        print(labels[clf.predict(x)])
        # clf.learn(x, 0) teaches the first of them`;

export function homePage(sources, goOn) {
    const models = () => sources.flatMap((page) => page.models());
    let current = null, uploaded = null;

    async function show() {
        const chosen = $("which").value;
        const all = models();
        $("which").replaceChildren(...all.map((m) => element("option", { value: m.place }, m.title)));
        if (all.some((m) => m.place === chosen)) $("which").value = chosen;
        await describe();
    }

    async function describe() {
        delete $("home").dataset.shown;
        const model = models().find((m) => m.place === $("which").value);
        current = model;
        const found = await device("view", model.place), command = await model.command();
        if (current !== model) return; // another one was chosen meanwhile
        $("home-about").textContent =
            `${found.kind}: ${number(found.bytes)} of ${number(found.budget)} bytes, ${number(found.samples)} samples learned.`;
        $("digest").textContent = found.digest;
        $("command").textContent = command ?? "";
        $("command").parentElement.hidden = !command;
        const csv = command?.includes(".csv") ? ", once the CSV is downloaded beside it" : "";
        $("command-note").textContent = command
            ? `This command learns the same samples${csv}, and shows the same digest:`
            : "Once it has learned two classes here, the command that shows the same on the desktop stands here.";
        $("record").disabled = !found.samples;
        $("code").textContent = model.windowed ? GESTURES(model.file) : PLAIN(model.file);
        $("copy-file").textContent = `mpremote cp ${model.file} :`;
        $("windowed").hidden = !model.windowed;
        $("home").dataset.shown = model.place;
    }

    $("which").addEventListener("change", describe);
    $("download").addEventListener("click", async () => {
        const { place, file, labels, told } = current;
        await ask("tell", place, labels, told);
        download(file, await device("image", place), "application/octet-stream");
    });
    $("record").addEventListener("click", async () => {
        const rows = await current.rows(), width = current.columns.length + 1;
        const lines = [[...current.columns, "label"].join(",")];
        for (let at = 0; at < rows.length; at += width) {
            const row = [...rows.subarray(at, at + width)];
            if (row.at(-1) < 0) row[width - 1] = ""; // withheld
            lines.push(row.join(","));
        }
        download(current.csv, `${lines.join("\n")}\n`, "text/csv");
    });
    $("copy").addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText($("code").textContent);
            $("copied").textContent = "Copied.";
        } catch {
            getSelection().selectAllChildren($("code"));
            $("copied").textContent = "Selected: copy them by Ctrl-C.";
        }
    });

    $("upload").addEventListener("change", async () => {
        const file = $("upload").files[0];
        $("upload-view").replaceChildren();
        $("go-on").hidden = true;
        $("uploaded").textContent = "";
        $("uploaded").className = "";
        if (!file) return;
        try {
            if (file.size > LARGEST) throw new Error(`${number(file.size)} bytes are too many for a model of a board`);
            const image = new Uint8Array(await file.arrayBuffer());
            const about = await device("load", UPLOADED, image);
            uploaded = { image, about };
            $("uploaded").textContent = `${file.name} is a whole model: ${about.features} features, ${about.classes} classes.`;
            const names = {
                features: about.names ?? Array.from({ length: about.features }, (_, f) => `x${f}`),
                classes: about.labels ?? Array.from({ length: about.classes }, (_, c) => `class ${c}`),
                value: (_, code) => number(code),
            };
            drawModel($("upload-view"), await device("view", UPLOADED), names);
            $("go-on").hidden = about.features !== WINDOWED;
        } catch (error) {
            $("uploaded").className = "notice bad";
            $("uploaded").textContent = `${file.name} can't be used: ${error.message}.`;
        }
    });
    $("go-on").addEventListener("click", async () => {
        try {
            await goOn(uploaded.image, uploaded.about);
        } catch (error) {
            complain(error);
        }
    });

    return { show, begin: async () => {} };
}
