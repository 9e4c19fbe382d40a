// SPDX-License-Identifier: LGPL-2.1-or-later
// Hierarchical integers between JavaScript and C: nested arrays here, tokens in preorder there.
//
// A leaf is its value, an array of n items is -2 - n followed by its items, null is -1.
/* exported indicesOf, isList, keyTokens, tokensOf, treeOf, treeOfText */

const {integer, typeName} = imports.overrides._strideweave.checks;

const MAX_DEPTH = 1000;

function isList(value) {
    return Array.isArray(value) || ArrayBuffer.isView(value) && !(value instanceof DataView);
}

// The tokens of an array of integers and further arrays; what: how to call one of them in an error.
function tokensOf(items, what, minimum) {
    const tokens = [];
    const put = (item, depth) => {
        if (!isList(item)) {
            tokens.push(integer(item, what, minimum));
            return;
        }
        if (depth === MAX_DEPTH)
            throw new RangeError(`${what}: nested deeper than ${MAX_DEPTH} levels`);
        tokens.push(-2 - item.length);
        for (const inner of item)
            put(inner, depth + 1);
    };
    put(items, 0);
    return tokens;
}

// Tokens of a coordinate: of nested arrays, of one integer, or tokens already, which begin with a negative number.
function keyTokens(key) {
    if (!isList(key))
        return [integer(key, 'a coordinate', 0)];
    if (key.length > 0 && key[0] < 0)
        return indicesOf(key, 'a coordinate');
    return tokensOf(key, 'a coordinate', 0);
}

// The frozen nested array (or number, or null) that tokens stand for.
function treeOf(tokens) {
    let place = 0;
    const read = () => {
        const token = tokens[place++];
        if (token >= 0)
            return token;
        if (token === -1)
            return null;
        return Object.freeze(Array.from({length: -2 - token}, read));
    };
    return read();
}

// The same for the form that C prints, such as "((2, (3, 4)), None)", which has every digit of large numbers.
function treeOfText(text) {
    const json = text.replaceAll(',)', ')').replaceAll('(', '[').replaceAll(')', ']').replaceAll('None', 'null')
        .replace(/\d{16,}/g, digits => Number.isSafeInteger(Number(digits)) ? digits : `"${digits}"`);
    return JSON.parse(json, (key, value) => {
        if (typeof value === 'string')
            return BigInt(value);
        return Array.isArray(value) ? Object.freeze(value) : value;
    });
}

// An array of integers.
function indicesOf(items, argument) {
    if (!isList(items))
        throw new TypeError(`${argument} must be an array of integers, not ${typeName(items)}`);
    return Array.from(items, (item, place) => integer(item, `${argument}[${place}]`));
}
