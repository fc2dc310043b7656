// Small helpers that every part of the page uses.

export const $ = (id) => document.getElementById(id);

// Okabe and Ito's palette, as the lab's plots have it: colour-blind people tell these apart.
export const PALETTE = ["#0072B2", "#E69F00", "#009E73", "#D55E00", "#CC79A7", "#56B4E9", "#8C6D1F", "#6B6B6B"];
export const colour = (label) => PALETTE[label % PALETTE.length];

export function element(tag, properties = {}, ...children) {
    const made = document.createElement(tag);
    for (const [name, value] of Object.entries(properties)) {
        if (name in made) made[name] = value;
        else made.setAttribute(name, value);
    }
    made.append(...children);
    return made;
}

export const themed = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
export const number = (value) => Math.round(value).toLocaleString("en");
export const percent = (share) => `${Math.round(100 * share)} %`;

export function download(name, content, type) {
    const link = element("a", { href: URL.createObjectURL(new Blob([content], { type })), download: name });
    link.click();
    setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// An error in a sentence, until the next thing succeeds.
export function complain(error) {
    const text = error ? String(error.message ?? error) : "";
    $("trouble").textContent = text && `${text[0].toUpperCase()}${text.slice(1)}${/[.!?]$/.test(text) ? "" : "."}`;
    $("trouble").hidden = !text;
}

// A canvas in the device's own pixels; returns its context, cleared, and its size in CSS pixels.
export function canvas(place) {
    const { width, height } = place.getBoundingClientRect();
    const scale = devicePixelRatio || 1;
    if (place.width !== Math.round(width * scale) || place.height !== Math.round(height * scale)) {
        place.width = Math.round(width * scale);
        place.height = Math.round(height * scale);
    }
    const context = place.getContext("2d");
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.clearRect(0, 0, width, height);
    return { context, width, height };
}

// Redraws once a frame at most, however often it is asked to.
export function painter(draw) {
    let asked = false;
    return () => {
        if (asked) return;
        asked = true;
        requestAnimationFrame(() => {
            asked = false;
            draw();
        });
    };
}
