// The worker: MicroPython, its file system, and the watched stream. The page stays smooth whatever it does.

import { loadMicroPython } from "./micropython.mjs";
import { Stream } from "./stream.js";

const HEAP = 4 << 20; // bytes to begin with; it grows
let files, ask, stream;

function writeTree(sources) {
    for (const [path, text] of Object.entries(sources)) {
        const folders = path.split("/").slice(0, -1);
        folders.forEach((_, i) => {
            const folder = "/lib/" + folders.slice(0, i + 1).join("/");
            if (!files.analyzePath(folder).exists) files.mkdir(folder);
        });
        files.writeFile(`/lib/${path}`, text);
    }
}

async function start() {
    const [setting, mp] = await Promise.all([
        fetch("device.json").then((response) => response.json()),
        loadMicroPython({ heapsize: HEAP, url: new URL("micropython.wasm", import.meta.url).href }),
    ]);
    files = mp.FS;
    if (!files.analyzePath("/lib").exists) files.mkdir("/lib");
    writeTree(setting.sources);
    mp.runPython('import sys\nsys.path.insert(0, "/lib")\nfrom bench import call');
    const call = mp.globals.get("call");
    ask = (name, ...args) => {
        const found = JSON.parse(call(JSON.stringify([name, args])));
        if ("refused" in found) throw new Error(found.refused);
        return found.answer;
    };
    stream = new Stream(setting.sensor, files, ask, (news) => postMessage({ news }));
    delete setting.sources;
    return setting;
}

const CRC_TABLE = Uint32Array.from({ length: 256 }, (_, n) => {
    for (let k = 0; k < 8; k++) n = n & 1 ? (n >>> 1) ^ 0xedb88320 : n >>> 1;
    return n;
});

function crc32(bytes) {
    let crc = 0xffffffff;
    for (const byte of bytes) crc = (crc >>> 8) ^ CRC_TABLE[(crc ^ byte) & 255];
    return ((crc ^ 0xffffffff) >>> 0).toString(16).padStart(8, "0");
}

const handlers = {
    start,
    ask: (name, ...args) => ask(name, ...args),
    view(place) {
        const found = ask("view", place);
        found.digest = crc32(files.readFile("/state"));
        return found;
    },
    image(place) {
        for (const name of ["/image", "/image~"]) if (files.analyzePath(name).exists) files.unlink(name);
        ask("save", place, "/image");
        return files.readFile("/image");
    },
    load(place, bytes) {
        if (files.analyzePath("/image~").exists) files.unlink("/image~");
        files.writeFile("/image", bytes);
        return ask("load", place, "/image");
    },
    // rows: codes and label, one after the other
    learn(place, rows, count) {
        files.writeFile("/rows", new Uint8Array(rows.buffer));
        ask("learn", place, count, "/rows");
    },
    watch: (what, ...args) => stream[what](...args),
};

addEventListener("message", async ({ data: { id, what, args } }) => {
    try {
        postMessage({ id, answer: await handlers[what](...args) });
    } catch (error) {
        postMessage({ id, refused: error.message });
    }
});
