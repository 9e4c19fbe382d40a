// SPDX-License-Identifier: LGPL-2.1-or-later
// A small test harness: test (name, function) runs at once, finish () ends the program.
import System from 'system';

let count = 0;
let failures = 0;

export function test(name, callback) {
    count += 1;
    try {
        callback();
        print(`ok ${count} ${name}`);
    } catch (error) {
        failures += 1;
        print(`not ok ${count} ${name}`);
        for (const line of `${error}\n${error.stack ?? ''}`.trimEnd().split('\n'))
            print(`# ${line}`);
    }
}

export function finish() {
    print(`1..${count}`);
    System.exit(failures ? 1 : 0);
}

export function equal(actual, expected) {
    const [a, b] = [actual, expected].map(value => JSON.stringify(value) ?? String(value));
    if (a !== b)
        throw new Error(`${a} is not ${b}`);
}

export function ok(value, text = 'the value') {
    if (!value)
        throw new Error(`${text} is ${value}`);
}

// Calls a function that must fail with a GError of this domain and code, and returns the error.
export function throwsError(domain, code, callback) {
    try {
        callback();
    } catch (error) {
        if (error.matches?.(domain, code))
            return error;
        throw error;
    }
    throw new Error('nothing was thrown');
}
