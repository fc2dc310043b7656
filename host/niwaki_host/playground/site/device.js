// The page's side of the worker: questions that are promises, and news of the watched stream.

const worker = new Worker("worker.js", { type: "module" });
const waiting = new Map();
let last = 0;
let listener = () => {};

worker.addEventListener("message", ({ data }) => {
    if (data.news) return listener(data.news);
    const { resolve, reject } = waiting.get(data.id);
    waiting.delete(data.id);
    if ("refused" in data) reject(new Error(data.refused));
    else resolve(data.answer);
});
worker.addEventListener("error", (event) => {
    const error = new Error(event.message || "the worker that runs MicroPython did not start");
    for (const { reject } of waiting.values()) reject(error);
    waiting.clear();
});

export function device(what, ...args) {
    return new Promise((resolve, reject) => {
        waiting.set(++last, { resolve, reject });
        worker.postMessage({ id: last, what, args });
    });
}

export const ask = (name, ...args) => device("ask", name, ...args);
export const onNews = (hear) => (listener = hear);
