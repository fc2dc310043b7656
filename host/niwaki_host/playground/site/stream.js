// The watched stream, in the worker: the sensor's samples through one or two models, at a speed one chooses.

import { Sensor } from "./sensor.js";

const TICK = 25; // ms between two looks at the clock
const BUSY = 20; // ms of learning at most before the worker listens again
const BLOCK = 16; // samples learned at a time
const RECENT = 200; // samples that the accuracy is taken over
const POINT = 10; // samples from one point of the curve to the next

export class Stream {
    constructor(tables, files, ask, tell) {
        Object.assign(this, { tables, files, ask, tell, places: [], timer: null, speed: 200 });
    }

    // models: [{ place, class, fixed, options, budget }]; all of them begin anew
    reset(models) {
        this.pause();
        this.sensor = new Sensor(this.tables);
        this.labelled = true;
        this.places = [];
        const shape = [this.tables.features.length, this.tables.classes.length];
        const made = models.map((m) => this.ask("make", m.place, m.class, [...shape, m.budget], m.fixed, m.options));
        this.places = models.map((m) => ({ place: m.place, right: [], sum: 0 }));
        this.rows = []; // what was seen, with the labels that were told
        this.withheld = 0;
        return made;
    }

    setSpeed(samplesPerSecond) {
        this.speed = samplesPerSecond;
    }

    run() {
        if (this.timer !== null || !this.places.length) return;
        this.owed = 0;
        this.before = performance.now();
        this.timer = setInterval(() => this.tick(), TICK);
    }

    pause() {
        clearInterval(this.timer);
        this.timer = null;
    }

    tick() {
        const now = performance.now();
        // What a slow machine can't keep up with is let go of.
        this.owed = Math.min(this.owed + ((now - this.before) * this.speed) / 1000, this.speed);
        this.before = now;
        const points = [];
        while (this.owed >= 1 && performance.now() - now < BUSY) {
            const count = Math.min(BLOCK, Math.floor(this.owed));
            points.push(...this.learn(count));
            this.owed -= count;
        }
        if (points.length || this.latest) this.report(points);
    }

    step(count) {
        const points = [];
        for (let left = count; left > 0; left -= BLOCK) points.push(...this.learn(Math.min(BLOCK, left)));
        this.report(points);
    }

    report(points) {
        const { samples, drifts, name } = this.sensor;
        this.tell({ samples, drifts, name, points, latest: this.latest, withheld: this.withheld });
    }

    // Learns so many samples; returns the points of the curve that fell due.
    learn(count) {
        const width = this.tables.features.length;
        const block = new Int16Array(count * (width + 1)), truth = new Int16Array(count);
        const x = new Int16Array(width);
        for (let i = 0; i < count; i++) {
            truth[i] = this.sensor.next(x);
            block.set(x, i * (width + 1));
            block[i * (width + 1) + width] = this.labelled ? truth[i] : -1;
            if (!this.labelled) this.withheld += 1;
        }
        this.rows.push(block);
        this.files.writeFile("/block", new Uint8Array(block.buffer));
        const answers = this.places.map(({ place }) => {
            this.ask("learn", place, count, "/block");
            return new Int16Array(this.files.readFile("/block.out").buffer);
        });
        const points = [], first = this.sensor.samples - count;
        for (let i = 0; i < count; i++) {
            this.places.forEach((p, k) => score(p, answers[k][i] === truth[i]));
            const at = first + i + 1;
            if (at % POINT === 0) points.push([at, ...this.places.map((p) => p.sum / p.right.length)]);
        }
        this.latest = { x: [...x], truth: truth[count - 1], answers: answers.map((a) => a[count - 1]) };
        return points;
    }

    remount() {
        return this.sensor.remount();
    }

    setLabelled(told) {
        this.labelled = told;
    }

    // All samples so far, as one array: codes and the label that was told.
    recorded() {
        const width = this.tables.features.length + 1;
        const all = new Int16Array(this.sensor.samples * width);
        let at = 0;
        for (const block of this.rows) {
            all.set(block, at);
            at += block.length;
        }
        return all;
    }
}

function score(model, right) {
    model.right.push(right);
    model.sum += right;
    if (model.right.length > RECENT) model.sum -= model.right.shift();
}
