// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensor: a carrier, an offset into it, and a layout.
/* exported init */

const {flatValues, nested, tensorFrom, toTypedArray} = imports.overrides._strideweave.arrays;
const {define, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {keyTokens} = imports.overrides._strideweave.trees;
const {fromValue} = imports.overrides._strideweave.values;

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
    replaceConstructor('Tensor', (...args) => Tensor.new(...args));
    namespace.tensor = tensorFrom;
}
