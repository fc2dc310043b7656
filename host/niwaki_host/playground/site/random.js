// java.util.Random, as streams/javarandom.py has it: the simulated sensor gives the desktop's numbers, bit for
// bit. The 48 bits of its state are two halves of 24, so that every product is exact in a double.

const HALF = 2 ** 24;
const MULTIPLIER = [0x5de, 0xece66d];

export class Random {
    constructor(seed) {
        const scrambled = (BigInt(seed) ^ 0x5deece66dn) & 0xffffffffffffn;
        this.high = Number(scrambled >> 24n);
        this.low = Number(scrambled & 0xffffffn);
        this.kept = null;
    }

    bits(count) {
        const product = this.low * MULTIPLIER[1] + 0xb;
        const carry = Math.floor(product / HALF);
        this.high = (this.high * MULTIPLIER[1] + this.low * MULTIPLIER[0] + carry) % HALF;
        this.low = product % HALF;
        return Math.floor((this.high * HALF + this.low) / 2 ** (48 - count));
    }

    int(bound) {
        if ((bound & (bound - 1)) === 0) return Math.floor((bound * this.bits(31)) / 2 ** 31);
        for (;;) {
            const bits = this.bits(31), value = bits % bound;
            if (bits - value + bound - 1 < 2 ** 31) return value;
        }
    }

    double() {
        const high = this.bits(26);
        return (high * 2 ** 27 + this.bits(27)) * 2 ** -53;
    }

    // Marsaglia's polar method, two values at a time.
    gaussian() {
        if (this.kept !== null) {
            const value = this.kept;
            this.kept = null;
            return value;
        }
        let v1, v2, s;
        do {
            v1 = 2 * this.double() - 1;
            v2 = 2 * this.double() - 1;
            s = v1 * v1 + v2 * v2;
        } while (s >= 1 || s === 0);
        const scale = Math.sqrt((-2 * strictLog(s)) / s);
        this.kept = v2 * scale;
        return v1 * scale;
    }
}

// Neighbouring seeds begin with much the same numbers: skip those.
export function stirred(seed) {
    const rng = new Random(seed);
    for (let i = 0; i < 16; i++) rng.bits(32);
    return rng;
}

const LN2_HIGH = 6.93147180369123816490e-01, LN2_LOW = 1.90821492927058770002e-10;
const LG = [
    6.666666666666735130e-01, 3.999999999940941908e-01, 2.857142874366239149e-01, 2.222219843214978396e-01,
    1.818357216161805012e-01, 1.531383769920937332e-01, 1.479819860511658591e-01,
];
const view = new DataView(new ArrayBuffer(8));

// ln x of a normal x > 0, rounded as fdlibm rounds: engines may differ in the last bit of Math.log.
function strictLog(x) {
    view.setFloat64(0, x);
    let k = (view.getUint16(0) >> 4) - 1023;
    const high = view.getUint32(0) & 0xfffff;
    view.setUint16(0, (1023 << 4) | (view.getUint16(0) & 15));
    let mantissa = view.getFloat64(0); // 1 .. 2
    if (high + 0x95f64 >= 0x100000) {
        mantissa *= 0.5;
        k += 1;
    }
    const f = mantissa - 1;
    if (((high + 2) & 0xfffff) < 3) {
        if (f === 0) return k === 0 ? 0 : k * LN2_HIGH + k * LN2_LOW;
        const r = f * f * (0.5 - 0.33333333333333333 * f);
        return k === 0 ? f - r : k * LN2_HIGH - (r - k * LN2_LOW - f);
    }
    const s = f / (2 + f), z = s * s, w = z * z;
    const t1 = w * (LG[1] + w * (LG[3] + w * LG[5]));
    const t2 = z * (LG[0] + w * (LG[2] + w * (LG[4] + w * LG[6])));
    const r = t2 + t1;
    if (((high - 0x6147a) | (0x6b851 - high)) > 0) {
        const half = 0.5 * f * f;
        return k === 0 ? f - (half - s * (half + r)) : k * LN2_HIGH - (half - (s * (half + r) + k * LN2_LOW) - f);
    }
    return k === 0 ? f - s * (f - r) : k * LN2_HIGH - (s * (f - r) - k * LN2_LOW - f);
}
