// MicroPython's WebAssembly build under node: node wasm.mjs MICROPYTHON_MJS DIRECTORY MODULE HEAP
// The directory's files are copied into MicroPython's file system, the module is run, and what it wrote comes
// back. Output goes to stdout; a traceback too, and then the exit code is 1.
import fs from "node:fs";
import path from "node:path";
import { pathToFileURL } from "node:url";

const [library, work, module, heap] = process.argv.slice(2);
const { loadMicroPython } = await import(pathToFileURL(library));
const print = (bytes) => fs.writeSync(1, bytes);
const mp = await loadMicroPython({ heapsize: Number(heap), stdout: print, stderr: print, linebuffer: false });

function copyIn(from, to) {
    for (const entry of fs.readdirSync(from, { withFileTypes: true })) {
        const source = path.join(from, entry.name), target = `${to}/${entry.name}`;
        if (entry.isDirectory()) {
            mp.FS.mkdir(target);
            copyIn(source, target);
        } else {
            mp.FS.writeFile(target, fs.readFileSync(source));
        }
    }
}

function copyOut(known) {
    for (const name of mp.FS.readdir("/job")) {
        if (known.has(name) || mp.FS.isDir(mp.FS.stat(`/job/${name}`).mode)) continue;
        fs.writeFileSync(path.join(work, name), mp.FS.readFile(`/job/${name}`));
    }
}

// Predictions are written through as they come: their number is how the host knows how far this is.
function watch(name) {
    const file = fs.openSync(path.join(work, name), "w");
    let waiting = [];
    const flush = () => { fs.writeSync(file, Uint8Array.from(waiting)); waiting = []; };
    mp.FS.createDevice("/job", name, null, (byte) => {
        if (byte === null) return;
        waiting.push(byte & 255);
        if (waiting.length >= 512) flush();
    });
    return flush;
}

mp.FS.mkdir("/job");
copyIn(work, "/job");
const known = new Set([...mp.FS.readdir("/job"), "predictions"]);
const flush = watch("predictions");
mp.FS.chdir("/job");
try {
    mp.runPython(`import sys\nsys.path.insert(0, "/job")\nimport ${module}`);
} catch (error) {
    print(new TextEncoder().encode(`${error.message ?? error}\n`));
    process.exitCode = 1;
} finally {
    flush();
}
if (!process.exitCode) copyOut(known);
