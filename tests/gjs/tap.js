// SPDX-License-Identifier: LGPL-2.1-or-later
// A small test harness: test (name, function) runs at once, finish () ends the program. A test that returns a promise is
// to be awaited.
import System from 'system';

let count = 0;
let failures = 0;

function passed(number, name) {
    print(`ok ${number} ${name}`);
}

function failed(number, name, error) {
    failures += 1;
    print(`not ok ${number} ${name}`);
    for (const line of `${error}\n${error?.stack ?? ''}`.trimEnd().split('\n'))
        print(`# ${line}`);
}

export function test(name, callback) {
    count += 1;
    const number = count;
    try {
        const result = callback();
        if (typeof result?.then === 'function')
            return result.then(() => passed(number, name), error => failed(number, name, error));
        passed(number, name);
    } catch (error) {
        failed(number, name, error);
    }
    return null;
}

export function skip(name, reason) {
    count += 1;
    print(`ok ${count} ${name} # SKIP ${reason}`);
}

export function finish() {
    print(`1..${count}`);
    System.exit(failures ? 1 : 0);
}

function show(value) {
    if (Array.isArray(value))
        return `[${value.map(show).join(', ')}]`;
    if (typeof value === 'string')
        return JSON.stringify(value);
    if (typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype)
        return `{${Object.entries(value).map(([key, item]) => `${key}: ${show(item)}`).join(', ')}}`;
    if (typeof value === 'bigint')
        return `${value}n`;
    return Object.is(value, -0) ? '-0' : String(value);
}

function isPlain(value) {
    return typeof value === 'object' && value !== null &&
        (Array.isArray(value) || Object.getPrototypeOf(value) === Object.prototype);
}

// Arrays and plain objects by what is in them, all else by identity.
function same(a, b) {
    if (!isPlain(a) || !isPlain(b))
        return Object.is(a, b);
    return Array.isArray(a) === Array.isArray(b) && Object.keys(a).length === Object.keys(b).length &&
        Object.keys(a).every(key => Object.hasOwn(b, key) && same(a[key], b[key]));
}

export function equal(actual, expected) {
    if (!same(actual, expected))
        throw new Error(`${show(actual)} is not ${show(expected)}`);
}

export function ok(value, text = 'the value') {
    if (!value)
        throw new Error(`${text} is ${value}`);
}

function checkError(error, constructor, pattern) {
    if (error?.constructor !== constructor)
        throw new Error(`${error?.constructor?.name} was thrown, not ${constructor.name}: ${error}\n${error?.stack}`);
    if (pattern && !pattern.test(error.message))
        throw new Error(`the message "${error.message}" does not match ${pattern}`);
    return error;
}

// Calls a function that must fail with an error of exactly this class and a message of this form, and returns the error.
export function throws(constructor, pattern, callback) {
    let result;
    try {
        result = callback();
    } catch (error) {
        return checkError(error, constructor, pattern);
    }
    throw new Error(`nothing was thrown, and ${show(result)} returned`);
}

export async function rejects(constructor, pattern, promise) {
    let result;
    try {
        result = await promise;
    } catch (error) {
        return checkError(error, constructor, pattern);
    }
    throw new Error(`nothing was thrown, and ${show(result)} returned`);
}

// Calls a function that must throw this very value.
export function throwsThis(expected, callback) {
    try {
        callback();
    } catch (error) {
        if (Object.is(error, expected))
            return;
        throw new Error(`${error} was thrown, not ${expected}\n${error?.stack}`);
    }
    throw new Error('nothing was thrown');
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
