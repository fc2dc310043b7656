// What was taught, lesson by lesson, and the model that learned it. Whatever is taken back, the model learns the
// rest anew, which takes no time: so it is always what these lessons make, here as on the desktop.

import { ask, device } from "./device.js";

const PLACE = "taught";
export const WINDOW = [32, 16]; // samples of a window, and from one to the next
const EARLY = 3; // windows of a gesture that say nothing of what is usual
const FAR = 2; // times what is usual (three quarters of the windows are less unlike) is unlike anything taught
const STRANGER = 60000; // of 65,536: stranger than eleven twelfths of what a grove remembers
const FLOOR = 4096; // lessons can be more regular than anybody moves

export class Lessons {
    constructor(axes) {
        this.axes = axes;
        this.gestures = []; // { name, code }: the code is the number that the model knows it by, null before a lesson
        this.lessons = []; // { gesture, rows: [features] , novelties }
        this.base = null; // an image to start from
    }

    get place() {
        return PLACE;
    }

    get width() {
        return 6 * this.axes.length;
    }

    count(gesture) {
        return this.lessons.filter((l) => l.gesture === gesture).reduce((sum, l) => sum + l.rows.length, 0);
    }

    byCode(code) {
        return this.gestures.find((gesture) => gesture.code === code);
    }

    // A new model that knows what the lessons say.
    async rebuild(chosen) {
        this.chosen = chosen ?? this.chosen;
        if (this.base) {
            this.about = await device("load", PLACE, this.base);
        } else {
            this.number();
            const shape = [this.width, Math.max(2, this.gestures.length), this.chosen.budget];
            this.about = await ask("make", PLACE, this.chosen.class, shape, this.chosen.fixed, this.chosen.options);
        }
        await ask("watch_for", PLACE, this.axes.length, ...WINDOW);
        const rows = this.rows();
        if (rows.length) await device("learn", PLACE, rows, rows.length / (this.width + 1));
    }

    // Codes in the order of the first lessons: no number is left out.
    number() {
        for (const gesture of this.gestures) gesture.code = null;
        let next = 0;
        for (const { gesture } of this.lessons) gesture.code ??= next++;
    }

    code(gesture) {
        if (gesture.code === null) {
            const taken = new Set(this.gestures.map((g) => g.code));
            let code = 0;
            while (taken.has(code)) code += 1;
            gesture.code = code;
        }
        return gesture.code;
    }

    // A gesture more: the model gets room for it.
    async add(name) {
        if (this.base && this.gestures.length >= this.about.classes)
            throw new Error(`this model was made for ${this.about.classes} classes: it has no room for another`);
        const gesture = { name, code: null };
        this.gestures.push(gesture);
        if (!this.base && this.gestures.length > 2) await this.rebuild();
        return gesture;
    }

    begin(gesture) {
        const lesson = { gesture, code: this.code(gesture), rows: [], novelties: [] };
        this.lessons.push(lesson);
        return lesson;
    }

    // A window of a lesson.
    take(lesson, found) {
        if (this.count(lesson.gesture) >= EARLY) lesson.novelties.push(found.novelty);
        lesson.rows.push(found.features);
    }

    // Drops a lesson in which nothing was learned; true if it was one.
    end(lesson) {
        if (lesson.rows.length) return false;
        this.lessons = this.lessons.filter((other) => other !== lesson);
        if (!this.base && !this.count(lesson.gesture)) lesson.gesture.code = null;
        return true;
    }

    async undo() {
        const undone = this.lessons.pop();
        await this.rebuild();
        return undone;
    }

    async forget(gesture) {
        if (this.base && gesture.code !== null) {
            await device("load", PLACE, this.base);
            await ask("forget", PLACE, gesture.code);
            this.base = await device("image", PLACE);
        }
        this.lessons = this.lessons.filter((lesson) => lesson.gesture !== gesture);
        this.gestures = this.gestures.filter((other) => other !== gesture);
        await this.rebuild();
    }

    // How unlike a window may be and still be taken for one that was taught.
    get limit() {
        if (this.about.kind === "Grove") return STRANGER; // its novelty is a rank, and needs no lessons
        const usual = this.lessons.flatMap((lesson) => lesson.novelties).sort((a, b) => a - b);
        if (usual.length < EARLY) return Infinity;
        return Math.max(FLOOR, FAR * usual[Math.floor(0.75 * usual.length)]);
    }

    // Codes and label of every window, one after the other.
    rows() {
        const all = this.lessons.flatMap(({ gesture, rows }) => rows.map((row) => [...row, gesture.code]));
        const flat = new Int16Array(all.length * (this.width + 1));
        all.forEach((row, i) => flat.set(row, i * (this.width + 1)));
        return flat;
    }
}
