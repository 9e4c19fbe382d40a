// SPDX-License-Identifier: LGPL-2.1-or-later
// JavaScript values as Strideweave.Value and back: what carriers store and operations are given.
/* exported fromList, fromValue, init, toInputs, toList, toValue */

const {GObject} = imports.gi;
const {integer, typeName} = imports.overrides._strideweave.checks;
const {define, native} = imports.overrides._strideweave.registry;
const {indicesOf, isList} = imports.overrides._strideweave.trees;

// Where a plain object, which a GObject.Value can hold, keeps what one cannot, or would hold as something else.
const HELD = Symbol('held');

let readers = new Map();

function numberValue(item) {
    return Number.isSafeInteger(item) && !Object.is(item, -0)
        ? native.Value.new_int64(item) : native.Value.new_double(item);
}

// A Value that holds a number, a Tensor or a Shape as one, and anything else as the very thing that it is.
function toValue(item) {
    const {Value} = native;
    switch (typeof item) {
    case 'number':
        return numberValue(item);
    case 'bigint':
        return Value.new_int64(integer(item, 'a value'));
    case 'boolean':
        return Value.new_bool(item);
    case 'undefined':
        return Value.new_none();
    case 'string':
        return Value.new_object(item);
    }
    if (item === null)
        return Value.new_none();
    if (item instanceof Value)
        return item;
    if (item instanceof native.Tensor)
        return Value.new_tensor(item);
    if (item instanceof native.Shape)
        return Value.new_shape(item);
    return Value.new_object(item instanceof GObject.Object ? item : {[HELD]: item});
}

// The same for an operation's input, where an array of integers means modes.
function toOperand(item) {
    if (isList(item) && Array.from(item).every(part => Number.isInteger(part) || typeof part === 'bigint'))
        return native.Value.new_indices(indicesOf(item, 'an input'));
    return toValue(item);
}

function int64Of(value) {
    const rounded = value.get_double();
    return Number.isSafeInteger(rounded) ? rounded : BigInt(value.to_string());
}

function objectOf(value) {
    const item = value.get_object();
    return typeof item === 'object' && item !== null && Object.hasOwn(item, HELD) ? item[HELD] : item;
}

// Integers come as Numbers where those are exact, else as BigInts.
function fromValue(value) {
    return readers.get(value.get_kind())(value);
}

function checkIterable(items, argument) {
    if (typeof items !== 'object' || typeof items?.[Symbol.iterator] !== 'function' || items instanceof native.Tensor)
        throw new TypeError(`${argument} must be an array, not ${typeName(items)}`);
}

// A ValueList of any iterable; numbers go over in bulk.
function toList(items, argument = 'values') {
    const {ValueList} = native;
    if (items instanceof ValueList)
        return items;
    checkIterable(items, argument);
    const list = Array.isArray(items) ? items : [...items];
    if (list.length > 0 && list.every(item => typeof item === 'number'))
        return list.every(Number.isSafeInteger) ? ValueList.new_int64s(list) : ValueList.new_doubles(list);
    return ValueList.new(list.map(toValue));
}

function toInputs(items, argument = 'inputs') {
    if (items instanceof native.ValueList)
        return items;
    checkIterable(items, argument);
    return native.ValueList.new([...items].map(toOperand));
}

function fromList(values) {
    return Array.from({length: values.get_length()}, (_, place) => fromValue(values.dup_value(place)));
}

function init() {
    const {Value, ValueKind, ValueList} = native;
    readers = new Map([
        [ValueKind.NONE, () => null],
        [ValueKind.BOOL, value => value.get_bool()],
        [ValueKind.INT64, int64Of],
        [ValueKind.DOUBLE, value => value.get_double()],
        [ValueKind.TENSOR, value => value.get_tensor()],
        [ValueKind.SHAPE, value => value.get_shape()],
        [ValueKind.INDICES, value => value.dup_indices()],
        [ValueKind.OBJECT, objectOf],
    ]);
    define(Value, {
        // What it holds, as JavaScript has it.
        unpack() {
            return fromValue(this);
        },
        toString() {
            return this.to_string();
        },
        equals(other) {
            return other instanceof Value && this.equal(other);
        },
    });
    define(ValueList, {
        get length() {
            return this.get_length();
        },
        at(place) {
            return fromValue(this.dup_value(integer(place, 'place', 0, Number.MAX_SAFE_INTEGER)));
        },
        toArray() {
            return fromList(this);
        },
        * [Symbol.iterator]() {
            for (let place = 0; place < this.length; place++)
                yield fromValue(this.dup_value(place));
        },
        toString() {
            return `ValueList(${this.get_length()} values)`;
        },
    });
}
