// The simulated 6-axis sensor on a person, as streams/imu.py has it, and its re-mounting, as streams/drift.py
// has it: after the same number of samples the desktop has seen the same ones. What the activities look like
// comes from the Python source (tables), so it is written down once.

import { Random, stirred } from "./random.js";

const ANOTHER_DAY = 1000003; // between the seeds of two mountings
export const NOTICE = 10; // samples from asking for a drift to its middle: before that its chance is nil

function sine(turns) {
    let x = turns - Math.floor(turns + 0.5);
    if (x > 0.25) x = 0.5 - x;
    else if (x < -0.25) x = -0.5 - x;
    const a = 6.283185307179586 * x, b = a * a;
    return a * (1 - (b / 6) * (1 - (b / 20) * (1 - (b / 42) * (1 - (b / 72) * (1 - (b / 110) * (1 - b / 156))))));
}

function mounting(index) {
    if (index === 0) return [[1, 0, 0], [0, 1, 0], [0, 0, 1]];
    const rng = stirred(index);
    const [w, x, y, z] = [0, 0, 0, 0].map(() => rng.gaussian());
    const norm = w * w + x * x + y * y + z * z;
    return [
        [w * w + x * x - y * y - z * z, 2 * (x * y - w * z), 2 * (x * z + w * y)],
        [2 * (x * y + w * z), w * w - x * x + y * y - z * z, 2 * (y * z - w * x)],
        [2 * (x * z - w * y), 2 * (y * z + w * x), w * w - x * x - y * y + z * z],
    ].map((row) => row.map((value) => value / norm));
}

const limited = (value) => Math.min(Math.max(value, -2), 2);

// One mounting of the sensor, from its first sample.
class Imu {
    constructor(tables, seed, mount) {
        this.tables = tables;
        this.rng = stirred(seed + ANOTHER_DAY * mount);
        this.rotation = mounting(mount);
        this.kinds = tables.shapes.length;
        this.kind = this.rng.int(this.kinds);
        this.left = 0;
    }

    begin() {
        const { rng, tables } = this;
        const other = rng.int(this.kinds - 1);
        this.kind = other < this.kind ? other : other + 1;
        this.left = Math.floor(tables.bout / 2) + rng.int(tables.bout + 1);
        this.phase = rng.double();
        this.tempo = 1 + 0.08 * limited(rng.gaussian());
        this.strength = 1 + 0.15 * limited(rng.gaussian());
        this.gravity = tables.shapes[this.kind][0].map((g) => g + 0.08 * rng.gaussian());
        let length = 0;
        for (const g of this.gravity) length += g * g;
        this.gravity = this.gravity.map((g) => g / Math.sqrt(length));
    }

    // Fills x with the next sample; returns its class.
    next(x) {
        if (this.left === 0) this.begin();
        this.left -= 1;
        const { rng, tables, kind, strength } = this;
        const shape = tables.shapes[kind], body = new Array(6);
        this.phase += tables.rates[kind] * this.tempo * (1 / tables.rate);
        for (let axis = 0; axis < 3; axis++) {
            const once = sine(this.phase + tables.phases[0][axis]) * shape[1][axis];
            const twice = sine(2 * this.phase + tables.phases[1][axis]) * shape[2][axis];
            const turn = sine(this.phase + tables.phases[2][axis]) * shape[3][axis];
            body[axis] = this.gravity[axis] + strength * (once + twice);
            body[3 + axis] = strength * turn;
        }
        for (let axis = 0; axis < 6; axis++) {
            const first = axis < 3 ? 0 : 3;
            let value = 0;
            for (let k = 0; k < 3; k++) value += this.rotation[axis % 3][k] * body[first + k];
            if (axis < 3) value = tables.countsPerG * (value + 0.02 * rng.gaussian());
            else value = tables.countsPerDps * (value + 1.5 * rng.gaussian());
            x[axis] = Math.min(Math.max(Math.floor(value + 0.5), -32767), 32767);
        }
        return kind;
    }
}

// MOA's drift: the new concept takes over along a steep sigmoid. Each concept waits until it is drawn.
class Mixed {
    constructor(tables, seed, mount) {
        this.tables = tables;
        this.seed = seed;
        this.mount = mount;
        this.old = new Imu(tables, seed, mount);
        this.rng = new Random(seed);
        this.seen = 0;
        this.position = Infinity;
        this.new = null;
    }

    next(x) {
        this.seen += 1;
        const chance = 1 / (1 + Math.exp(Math.min(-4 * (this.seen - this.position), 700)));
        return this.rng.double() <= chance ? this.new.next(x) : this.old.next(x);
    }
}

export class Sensor {
    constructor(tables, seed = 1) {
        this.first = this.last = new Mixed(tables, seed, 0);
        this.samples = 0;
        this.drifts = []; // where it was re-mounted, in samples since the start
    }

    next(x) {
        this.samples += 1;
        return this.first.next(x);
    }

    remount() {
        const position = this.samples + NOTICE, level = this.last;
        level.position = position - (this.drifts.at(-1) ?? 0);
        level.new = this.last = new Mixed(level.tables, level.seed, level.mount + 1);
        this.drifts.push(position);
        return position;
    }

    // How the desktop names this stream.
    get name() {
        const { name } = this.first.tables;
        return this.drifts.length ? `${name},drift=${this.drifts.join("+")}` : name;
    }
}
