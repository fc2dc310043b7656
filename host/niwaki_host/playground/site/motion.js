// Movement as a sensor gives it: three numbers, 50 times a second, from mouse or finger, arrow keys, or a phone.

const RATE = 50; // samples a second, as on a board
const PERIOD = 1000 / RATE;
const LAG = 50; // ms that samples are behind, so that the movement after them is known
const STILL = 250; // ms without movement after which nothing is taken
const COUNTS_PER_PIXEL = 256; // of one sample: 128 pixels in 20 ms fill the range
const COUNTS_PER_TURN = 16384; // a turn by 90 degrees from one sample to the next
const COUNTS_PER_G = 16384; // as the accelerometers that the example app reads: 2 g fill the range
const GRAVITY = 9.80665;
const KEY_SPEED = 16; // pixels a sample while an arrow key is held
const MOST_LATE = 10; // samples to catch up with after a pause of the page
export const POINTER_AXES = ["right", "down", "turn"];
export const PHONE_AXES = ["x", "y", "z"];

const clip = (value) => Math.max(-32767, Math.min(32767, Math.round(value)));
const ARROWS = { ArrowLeft: [-1, 0], ArrowRight: [1, 0], ArrowUp: [0, -1], ArrowDown: [0, 1] };

export class Motion {
    // hear(sample, fresh): `fresh` when movement begins after a pause
    constructor(hear) {
        this.hear = hear;
        this.total = [0, 0]; // pixels moved so far
        this.way = []; // [time, x, y]: where it was when
        this.velocity = [0, 0];
        this.moved = -Infinity;
        this.keys = new Set();
        this.phone = null;
        this.resting = true;
        this.due = performance.now();
        setInterval(() => this.tick(), PERIOD / 2);
    }

    // Where the pointer is now; `begins` when it was not followed before.
    pointer(event, begins = false) {
        const steps = event.getCoalescedEvents?.() ?? [];
        for (const step of begins || !steps.length ? [event] : steps) {
            if (!begins && this.at) this.move(step.clientX - this.at[0], step.clientY - this.at[1], step.timeStamp);
            this.at = [step.clientX, step.clientY];
        }
    }

    move(dx, dy, time) {
        if (!dx && !dy) return;
        if (!this.way.length || time - this.way.at(-1)[0] > STILL) this.way.push([time - PERIOD, ...this.total]);
        this.total = [this.total[0] + dx, this.total[1] + dy];
        this.way.push([time, ...this.total]);
        this.moved = time;
    }

    // Events come in fits and starts: where it was at a time lies on the line between two of them.
    where(time) {
        while (this.way.length > 1 && this.way[1][0] <= time) this.way.shift();
        const [from, to] = this.way;
        if (!from) return this.total;
        if (!to || time <= from[0]) return [from[1], from[2]];
        const share = (time - from[0]) / (to[0] - from[0]);
        return [from[1] + share * (to[1] - from[1]), from[2] + share * (to[2] - from[2])];
    }

    key(name, down) {
        if (!(name in ARROWS)) return false;
        if (down) this.keys.add(name);
        else this.keys.delete(name);
        return true;
    }

    // The phone's accelerometer instead of the pointer; resolves when it has given something.
    async usePhone() {
        if (!globalThis.DeviceMotionEvent) throw new Error("this browser has no motion sensors to give");
        if (!isSecureContext) throw new Error("browsers give motion sensors only to pages that come by https");
        if (DeviceMotionEvent.requestPermission && (await DeviceMotionEvent.requestPermission()) !== "granted")
            throw new Error("the browser did not grant the motion sensors");
        await new Promise((resolve, reject) => {
            const late = setTimeout(() => reject(new Error("no motion sensor answers on this machine")), 1500);
            addEventListener("devicemotion", (event) => {
                const g = event.accelerationIncludingGravity;
                if (!g || g.x === null) return;
                clearTimeout(late);
                this.phone = [g.x, g.y, g.z].map((a) => clip((a / GRAVITY) * COUNTS_PER_G));
                resolve();
            });
        });
    }

    tick() {
        const now = performance.now();
        for (const name of this.keys) this.move(...ARROWS[name].map((k) => (k * KEY_SPEED) / 2), now);
        this.due = Math.max(this.due, now - LAG - MOST_LATE * PERIOD);
        for (; this.due <= now - LAG; this.due += PERIOD) {
            if (this.phone) {
                this.hear(this.phone, false);
            } else {
                this.take(this.due);
            }
        }
    }

    take(time) {
        const place = this.where(time), before = this.before ?? place;
        this.before = place;
        if (time - this.moved > STILL || !this.way.length || time < this.way[0][0]) {
            this.resting = true;
            this.velocity = [0, 0];
            return;
        }
        const fresh = this.resting;
        this.resting = false;
        this.hear(this.sample([place[0] - before[0], place[1] - before[1]]), fresh);
    }

    sample([dx, dy]) {
        const [vx, vy] = this.velocity;
        const speeds = Math.hypot(dx, dy) * Math.hypot(vx, vy);
        const turn = speeds > 1 ? (vx * dy - vy * dx) / speeds : 0; // sine of the angle, where both are fast enough
        this.velocity = [dx, dy];
        return [clip(dx * COUNTS_PER_PIXEL), clip(dy * COUNTS_PER_PIXEL), clip(turn * COUNTS_PER_TURN)];
    }
}

// What is drawn of it: the way of the last second and a half, or of a phone three lines.
export class Trail {
    constructor() {
        this.samples = [];
    }

    add(sample, label) {
        this.samples.push([...sample, label]);
        if (this.samples.length > 1.5 * RATE) this.samples.shift();
    }

    clear() {
        this.samples = [];
    }

    draw({ context: c, width, height }, phone, colourOf) {
        const n = this.samples.length;
        if (n < 2) return;
        c.lineWidth = 4;
        c.lineCap = "round";
        const lines = phone ? [0, 1, 2].map((axis) => this.strip(axis, width, height)) : [this.way(width, height)];
        for (const places of lines)
            for (let i = 1; i < n; i++) {
                c.globalAlpha = 0.15 + (0.85 * i) / n;
                c.strokeStyle = colourOf(this.samples[i][3]);
                c.beginPath();
                c.moveTo(...places[i - 1]);
                c.lineTo(...places[i]);
                c.stroke();
            }
        c.globalAlpha = 1;
    }

    way(width, height) {
        let x = 0, y = 0;
        const places = this.samples.map(([dx, dy]) => [(x += dx / COUNTS_PER_PIXEL), (y += dy / COUNTS_PER_PIXEL)]);
        const low = [0, 1].map((k) => Math.min(...places.map((p) => p[k])));
        const high = [0, 1].map((k) => Math.max(...places.map((p) => p[k])));
        const room = Math.min((width - 30) / Math.max(1, high[0] - low[0]), (height - 30) / Math.max(1, high[1] - low[1]), 1);
        return places.map((p) => [
            width / 2 + room * (p[0] - (low[0] + high[0]) / 2), height / 2 + room * (p[1] - (low[1] + high[1]) / 2),
        ]);
    }

    strip(axis, width, height) {
        return this.samples.map((s, i) => [
            (width * i) / (1.5 * RATE), (height * (axis + 0.5)) / 3 - (s[axis] / 32768) * (height / 6),
        ]);
    }
}
