// SPDX-License-Identifier: LGPL-2.1-or-later
// What a zone costs in GJS. Prints samples in ns as JSON, in rounds that alternate.
import GLib from 'gi://GLib';
import Strideweave from 'gi://Strideweave?version=1';

const {profileFunction, profileZone, ZoneProfiler} = Strideweave;
const COUNT = 50000;
const rounds = Number(ARGV[0] ?? 5);
let sum = 0;

function work() {
    sum += 1;
}

function atDepth(depth, callback) {
    return depth === 0 ? callback() : atDepth(depth - 1, callback);
}

const profiled = profileFunction(work);

// Each with a fresh function, as programs write it.
const loops = {
    'GJS: a call of a fresh function': () => {
        const call = callback => callback();
        for (let number = 0; number < COUNT; number++)
            call(() => work());
    },
    'GJS: two calls of no arguments into C': () => {
        for (let number = 0; number < COUNT; number++) {
            GLib.get_monotonic_time();
            GLib.get_monotonic_time();
        }
    },
    'GJS: zone, disabled': () => {
        for (let number = 0; number < COUNT; number++)
            profileZone('zone', () => work());
    },
    'GJS: profiled function, disabled': () => {
        for (let number = 0; number < COUNT; number++)
            profiled();
    },
};
const recorded = {
    'GJS: zone': loops['GJS: zone, disabled'],
    'GJS: zone of 2000 characters': Function('profileZone', 'work', 'COUNT', `
        for (let number = 0; number < COUNT; number++) {
            profileZone('long', () => {
                // ${'x'.repeat(1950)}
                work();
            });
        }`).bind(null, profileZone, work, COUNT),
    'GJS: zone, 50 calls deep': () => atDepth(50, loops['GJS: zone, disabled']),
    'GJS: profiled function': loops['GJS: profiled function, disabled'],
};

// The time that this thread had a processor, in ns.
function now() {
    return Number(new TextDecoder().decode(GLib.file_get_contents('/proc/thread-self/schedstat')[1]).split(' ')[0]);
}

function measure(loop) {
    const start = now();
    loop();
    return (now() - start) / COUNT;
}

const samples = {};

function sample(name, value) {
    (samples[name] ??= []).push(value);
}

for (let round = -1; round < rounds; round++) {
    const found = Object.entries(loops).map(([name, loop]) => [name, measure(loop)]);
    const profiler = new ZoneProfiler();
    profiler.run(() => {
        for (const [name, loop] of Object.entries(recorded))
            found.push([name, measure(loop)]);
    });
    profiler.enabled = false;
    // The first round is for the compilers.
    for (const [name, value] of round < 0 ? [] : found)
        sample(name, value);
}
print(JSON.stringify(samples));
