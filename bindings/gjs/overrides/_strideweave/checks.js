// SPDX-License-Identifier: LGPL-2.1-or-later
// Checks of arguments. GJS itself takes NaN and words for 0, fractions for whole numbers and anything for true.
/* exported bool, dtype, init, instance, integer, options, string, traceFormat, typeName */

const INT64_MIN = -(2n ** 63n);
const INT64_MAX = 2n ** 63n - 1n;

let dtypes = new Set();
let traceFormats = new Set();

function init(native) {
    dtypes = new Set(Object.values(native.DType));
    traceFormats = new Set(Object.values(native.TraceFormat));
}

function typeName(value) {
    if (value === null)
        return 'null';
    if (typeof value === 'object')
        return value.constructor?.name || 'object';
    return typeof value;
}

// A Number or a BigInt that is whole.
function integer(value, argument, min = INT64_MIN, max = INT64_MAX) {
    if (typeof value !== 'number' && typeof value !== 'bigint')
        throw new TypeError(`${argument} must be an integer, not ${typeName(value)}`);
    if (typeof value === 'number' && !Number.isInteger(value))
        throw new RangeError(`${argument} is ${value}, but must be an integer`);
    if (value >= min && value <= max)
        return value;
    throw new RangeError(min === INT64_MIN || value > max
        ? `${argument} is ${value}, but at most ${max} fits`
        : `${argument} is ${value}, but must be at least ${min}`);
}

function bool(value, argument) {
    if (typeof value !== 'boolean')
        throw new TypeError(`${argument} must be a boolean, not ${typeName(value)}`);
    return value;
}

function string(value, argument) {
    if (typeof value !== 'string')
        throw new TypeError(`${argument} must be a string, not ${typeName(value)}`);
    return value;
}

function enumerated(value, argument, name, values) {
    if (typeof value !== 'number')
        throw new TypeError(`${argument} must be a ${name}, not ${typeName(value)}`);
    // GJS itself has an error of no particular type for these.
    if (!values.has(value))
        throw new RangeError(`${argument} is ${value}, which is no ${name}`);
    return value;
}

function dtype(value, argument) {
    return enumerated(value, argument, 'DType', dtypes);
}

function traceFormat(value, argument) {
    return enumerated(value, argument, 'TraceFormat', traceFormats);
}

function instance(value, constructor, name, argument) {
    if (!(value instanceof constructor))
        throw new TypeError(`${argument} must be ${/^[AEIO]/.test(name) ? 'an' : 'a'} ${name}, not ${typeName(value)}`);
    return value;
}

// The given options over the defaults; `undefined` means the default, as it does for parameters.
function options(given, defaults, of) {
    if (given === undefined)
        return defaults;
    if (typeof given !== 'object' || given === null)
        throw new TypeError(`the options of ${of} must be an object, not ${typeName(given)}`);
    const result = {...defaults};
    for (const name of Object.keys(given)) {
        if (!Object.hasOwn(defaults, name))
            throw new TypeError(`${of} has no option ${name}, only ${Object.keys(defaults).join(', ')}`);
    }
    for (const name of Object.keys(defaults)) {
        if (given[name] !== undefined)
            result[name] = given[name];
    }
    return result;
}
