// A service worker: what was loaded once is there without a network too. Where there is one, what it brings
// is newer and wins, so that nobody sees an old page.

const PREFIX = "niwaki-playground-";
const NAME = `${PREFIX}{{version}}`;
const FILES = "{{files}}".split(" ");

self.addEventListener("install", (event) => {
    self.skipWaiting();
    event.waitUntil(caches.open(NAME).then((cache) => cache.addAll(["./", ...FILES])));
});

self.addEventListener("activate", (event) => event.waitUntil(tidy()));

self.addEventListener("fetch", (event) => {
    const here = new URL(event.request.url).origin === location.origin;
    if (here && event.request.method === "GET") event.respondWith(newest(event.request));
});

async function tidy() {
    for (const name of await caches.keys()) {
        if (name.startsWith(PREFIX) && name !== NAME) await caches.delete(name);
    }
    await self.clients.claim();
}

async function newest(request) {
    const cache = await caches.open(NAME);
    try {
        const response = await fetch(request);
        if (response.ok) await cache.put(request, response.clone());
        return response;
    } catch (error) {
        const kept = await cache.match(request);
        if (kept) return kept;
        throw error;
    }
}
