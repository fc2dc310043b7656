// Starts MicroPython, then the three parts of the page; tabs by mouse and by keys.

import { device } from "./device.js";
import { homePage } from "./home.js";
import { $, complain } from "./page.js";
import { teachPage } from "./teach.js";
import { watchPage } from "./watch.js";

const TABS = ["teach", "watch", "home"];
const pages = {};

function open(name) {
    for (const other of TABS) {
        const chosen = other === name;
        $(other).hidden = !chosen;
        $(`tab-${other}`).setAttribute("aria-selected", String(chosen));
        $(`tab-${other}`).tabIndex = chosen ? 0 : -1;
    }
    if (location.hash !== `#${name}`) history.replaceState(null, "", `#${name}`);
    Promise.resolve(pages[name].show()).catch(complain);
}

for (const [i, name] of TABS.entries()) {
    $(`tab-${name}`).addEventListener("click", () => open(name));
    $(`tab-${name}`).addEventListener("keydown", (event) => {
        const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
        if (!step) return;
        const next = TABS[(i + step + TABS.length) % TABS.length];
        open(next);
        $(`tab-${next}`).focus();
    });
}

// From now on the page opens without a network, too. Where a browser does not grant that, nothing else is lost.
function keepForLater() {
    if (!navigator.serviceWorker) return;
    navigator.serviceWorker
        .register("offline.js")
        .then(() => navigator.serviceWorker.ready)
        .then(() => (document.documentElement.dataset.kept = "yes"))
        .catch(() => {});
}

try {
    const setting = await device("start");
    pages.teach = teachPage(setting);
    pages.watch = watchPage(setting);
    pages.home = homePage([pages.teach, pages.watch], async (image, about) => {
        await pages.teach.adopt(image, about);
        open("teach");
    });
    $("main").hidden = false;
    await pages.teach.begin();
    await pages.watch.begin();
    $("status").hidden = true;
    const wanted = location.hash.slice(1);
    open(TABS.includes(wanted) ? wanted : TABS[0]);
    document.documentElement.dataset.ready = "yes";
    keepForLater();
} catch (error) {
    $("status").hidden = true;
    complain(`The playground can't start: ${error.message}`);
}
