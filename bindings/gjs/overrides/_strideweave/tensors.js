// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensor: a carrier, an offset into it, and a layout.
/* exported init */

const {flatValues, nested, tensorFrom, toTypedArray} = imports.overrides._strideweave.arrays;
const {typeName} = imports.overrides._strideweave.checks;
const {define, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {isList, keyTokens} = imports.overrides._strideweave.trees;
const {fromValue} = imports.overrides._strideweave.values;

// The end of a mode, however long it is.
const END = 2n ** 63n - 1n;

function init(namespace) {
    const {Tensor} = native;
    define(Tensor, {
        get carrier() {
            return this.get_carrier();
        },
        // Where in the carrier the layout's index 0 is.
        get offset() {
            return this.get_offset();
        },
        get layout() {
            return this.get_layout();
        },
        get shape() {
            return this.get_shape();
        },
        // How many values there are.
        get size() {
            return this.get_size();
        },
        // What each value is.
        get dtype() {
            return this.get_dtype();
        },
        // One value, by a coordinate such as [1, [0, 2]] or by an ordinal.
        get(key) {
            return fromValue(this.get_value(keyTokens(key)));
        },
        set(key, value) {
            this.set_value(keyTokens(key), value);
        },
        // The values by ordinal, first mode fastest.
        [Symbol.iterator]() {
            return flatValues(this)[Symbol.iterator]();
        },
        // The values as nested arrays, one level for each leaf of the shape; of rank 0, the value itself.
        toArray() {
            return nested(flatValues(this), this.shape.leaves);
        },
        // A copy of the values by ordinal, first mode fastest.
        toTypedArray() {
            return toTypedArray(this);
        },
        toString() {
            return this.to_string();
        },
    });
    // Some coordinates of each mode: [start, stop, step] of which the last ones, or all, may be left out, and null is the whole mode.
    const {slice} = Tensor.prototype;
    Tensor.prototype.slice = function (...modes) {
        const item = (mode, place, whole) => isList(mode) && mode[place] !== undefined ? mode[place] ?? whole : whole;
        for (const [place, mode] of modes.entries()) {
            if (mode !== null && mode !== undefined && !isList(mode))
                throw new TypeError(`modes[${place}] must be an array of start, stop and step, or null, not ${typeName(mode)}`);
        }
        return slice.call(this, modes.map(mode => item(mode, 0, 0)), modes.map(mode => item(mode, 1, END)), modes.map(mode => item(mode, 2, 1)));
    };
    replaceConstructor('Tensor', (...args) => Tensor.new(...args));
    namespace.tensor = tensorFrom;
}
