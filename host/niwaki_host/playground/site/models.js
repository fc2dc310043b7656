// Which model, in how many bytes: the fields that Watch and Teach share.

import { element } from "./page.js";

const BUDGETS = [1024, 2048, 4096, 8192, 16384, 32768, 65536];
const ABOUT = {
    grove: "Grove: remembers samples of every class and asks several small trees; for teaching by hand.",
    vfdt: "A Hoeffding tree: one decision tree that splits a leaf once enough samples speak for it.",
    svfdt1: "A Hoeffding tree that splits only where it pays (SVFDT-I).",
    svfdt2: "A Hoeffding tree that splits only where it pays, and skips some tests (SVFDT-II).",
    "ht-reg": "A Hoeffding tree that prefers features which it uses already.",
    hat: "An adaptive Hoeffding tree: grows a second branch where the answers become worse, and changes over.",
    "hat-reg": "An adaptive Hoeffding tree that prefers features which it uses already.",
    shrubs: "Shrub ensemble: several small trees on the newest samples, which vote; new ones replace old ones.",
};

// Fills `place`; `changed` is called with { name, class, fixed, budget, options }, or null for no model.
export function modelFields(place, title, models, chosen, changed) {
    const names = Object.keys(models);
    const model = element("select", {}, ...(chosen.optional ? [element("option", { value: "" }, "none")] : []));
    model.append(...names.map((name) => element("option", { value: name }, name)));
    model.value = chosen.name;
    const sizes = BUDGETS.map((bytes) => element("option", { value: bytes }, `${bytes / 1024} KB`));
    const budget = element("select", {}, ...sizes);
    budget.value = chosen.budget ?? 8192;
    const options = element("input", { type: "text", placeholder: "none", size: 18, spellcheck: false });
    const about = element("p", { className: "muted" });
    const current = () => {
        about.textContent = ABOUT[model.value] ?? "";
        const known = models[model.value];
        if (!known) return null;
        const { class: cls, fixed } = known;
        return { name: model.value, class: cls, fixed, budget: Number(budget.value), options: options.value.trim() };
    };
    const label = (text, field) => element("label", {}, text, field);
    place.replaceChildren(label(title, model), label("Budget", budget), label("Options", options), about);
    for (const field of [model, budget, options]) field.addEventListener("change", () => changed(current()));
    return current;
}

// As the lab writes it.
export function commandFor(stream, limit, chosen, extra = "") {
    const settings = chosen.options.split(/[\s,]+/).filter(Boolean).map((word) => ` --set ${word}`).join("");
    const size = `${chosen.budget / 1024}k`;
    return `niwaki simulate ${stream}${limit ? ` --limit ${limit}` : ""} --model ${chosen.name} --budget ${size}${extra}${settings}`;
}
