// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors from arrays and typed arrays, and back. Every leaf of a shape is one level of nested arrays.
/* exported flatValues, init, nested, tensorFrom, toTypedArray */

const {GLib} = imports.gi;
const {bool, dtype: checkDType, instance, integer, options: readOptions, typeName} =
    imports.overrides._strideweave.checks;
const {shapeFrom} = imports.overrides._strideweave.layouts;
const {isCarrierClass, native} = imports.overrides._strideweave.registry;
const {isList} = imports.overrides._strideweave.trees;
const {fromValue, toList} = imports.overrides._strideweave.values;

// For each dtype that has a form in memory: the typed array, and how one value gets in and out.
let formats = new Map();
let namespace = null;

function checkNumber(value) {
    if (typeof value !== 'number')
        throw new TypeError(`a value must be a number, not ${typeName(value)}`);
    return value;
}

function init(Strideweave) {
    namespace = Strideweave;
    const {DType} = native;
    const same = value => value;
    const exact = value => value >= Number.MIN_SAFE_INTEGER && value <= Number.MAX_SAFE_INTEGER ? Number(value) : value;
    formats = new Map([
        [DType.FLOAT32, {array: Float32Array, put: checkNumber, get: same}],
        [DType.FLOAT64, {array: Float64Array, put: checkNumber, get: same}],
        [DType.INT32, {array: Int32Array, put: value => Number(integer(value, 'a value', -(2 ** 31), 2 ** 31 - 1)), get: same}],
        [DType.INT64, {array: BigInt64Array, put: value => BigInt(integer(value, 'a value')), get: exact}],
        [DType.BOOL, {array: Uint8Array, put: value => bool(value, 'a value') ? 1 : 0, get: Boolean}],
        [DType.FLOATING, {array: Float64Array, put: checkNumber, get: same}],
    ]);
}

// What a typed array holds, or what all the items of a plain one are; numbers where there are none.
function guessDType(values) {
    const {DType} = native;
    if (!Array.isArray(values)) {
        const found = [DType.FLOAT32, DType.FLOAT64, DType.INT32, DType.INT64]
            .find(dtype => values instanceof formats.get(dtype).array);
        if (found === undefined) {
            throw new TypeError(`values is a ${typeName(values)}, but a typed array must be a Float32Array, a ` +
                'Float64Array, an Int32Array or a BigInt64Array, or dtype be given');
        }
        return found;
    }
    if (values.length === 0)
        return DType.FLOAT64;
    const kinds = new Set(values.map(value => typeof value));
    const guesses = {number: DType.FLOAT64, bigint: DType.INT64, boolean: DType.BOOL};
    return kinds.size === 1 ? guesses[[...kinds][0]] ?? DType.ANY : DType.ANY;
}

function bytesOf(values, dtype) {
    const {array, put} = formats.get(dtype);
    const typed = values instanceof array ? values : array.from(values, put);
    return new GLib.Bytes(new Uint8Array(typed.buffer, typed.byteOffset, typed.byteLength));
}

function cpuCarrier(values, dtype, mutable) {
    const {CPU, DType, Layout, Shape, Tensor} = native;
    if (dtype === DType.ANY || dtype === DType.FLOATING || dtype === DType.INVALID)
        return CPU.new(values.length, mutable, dtype, false); // fails, and says which ones there are
    const carrier = CPU.new_from_bytes(bytesOf(values, dtype), dtype);
    if (!mutable || values.length === 0)
        return mutable ? CPU.new(0, true, dtype, false) : carrier;
    const source = Tensor.new(carrier, 0, Layout.new_compact(Shape.new([values.length])));
    return namespace.move(source, CPU.new(values.length, true, dtype, false)).get_carrier();
}

function genericCarrier(values, dtype, mutable) {
    const plain = dtype === native.DType.ANY ? Array.from(values) : Array.from(values, formats.get(dtype)?.put ?? (v => v));
    // A Generic of booleans is given booleans.
    return native.Generic.new(toList(dtype === native.DType.BOOL ? plain.map(Boolean) : plain), mutable, dtype);
}

// The values of nested arrays in a row, and how many there are on each level.
function flatten(values) {
    if (!isList(values))
        return {flat: [values], extents: []};
    if (!Array.isArray(values) || !values.some(isList))
        return {flat: values, extents: [values.length]};
    const parts = values.map(flatten);
    for (const [place, {extents}] of parts.entries()) {
        if (String(extents) !== String(parts[0].extents)) {
            throw new RangeError(`values[${place}] has the shape (${extents.join(', ')}), ` +
                `but values[0] has the shape (${parts[0].extents.join(', ')})`);
        }
    }
    return {flat: parts.flatMap(({flat}) => Array.from(flat)), extents: [values.length, ...parts[0].extents]};
}

function layoutFor(extents, length, {shape, layout}) {
    const {Layout, Shape} = native;
    if (layout !== null)
        return instance(layout, Layout, 'Layout', 'layout');
    if (shape === null)
        return Layout.new_row_major(Shape.new(extents));
    const wanted = shapeFrom(shape);
    const size = wanted.leaves.reduce((product, extent) => product * BigInt(extent), 1n);
    if (size !== BigInt(length))
        throw new RangeError(`values has ${length} items, but shape ${wanted.to_string()} has ${size}`);
    return Layout.new_compact(wanted);
}

// A Tensor of values: a number, (nested) arrays, a typed array or anything else that can be iterated.
//
// Nested arrays tell the shape, one mode for each level, the last one fastest. With the option shape, the values are in
// the order of ordinals, the first mode fastest; with the option layout, they are the storage that it addresses.
function tensorFrom(values, given) {
    const options = readOptions(given,
        {shape: null, layout: null, dtype: null, carrier: null, mutable: true}, 'tensor()');
    bool(options.mutable, 'mutable');
    if (!isList(values) && typeof values === 'object' && typeof values?.[Symbol.iterator] === 'function')
        values = [...values];
    const {flat, extents} = flatten(values);
    const carrier = carrierFrom(flat, options);
    return native.Tensor.new(carrier, 0, layoutFor(extents, flat.length, options));
}

function carrierFrom(values, {dtype: given, carrier, mutable}) {
    const {CPU, DType, Generic} = native;
    let dtype = given === null ? guessDType(values) : checkDType(given, 'dtype');
    const name = carrier !== null && isCarrierClass(carrier) ? carrier.$gtype.name : null;
    if (carrier !== null && name !== Generic.$gtype.name && name !== CPU.$gtype.name)
        throw new TypeError('carrier must be one of the classes Generic and CPU');
    if (name === CPU.$gtype.name || name === null && dtype !== DType.ANY && dtype !== DType.FLOATING)
        return cpuCarrier(values, dtype, mutable);
    if (given === null && dtype === DType.FLOAT64)
        dtype = DType.FLOATING;
    return genericCarrier(values, dtype, mutable);
}

// All values by ordinal, first mode fastest, in a typed array of their own.
function toTypedArray(tensor) {
    const {array} = formats.get(tensor.get_dtype()) ?? {array: Uint8Array};
    return new array(tensor.dup_bytes().toArray().slice().buffer);
}

// The same as plain values.
function flatValues(tensor) {
    const format = formats.get(tensor.get_dtype());
    if (format)
        return Array.from(toTypedArray(tensor), format.get);
    return Array.from({length: tensor.get_size()}, (_, ordinal) => fromValue(tensor.get_value([ordinal])));
}

// Values by ordinal as nested arrays, one level for each extent.
function nested(flat, extents) {
    const build = (level, first, step) => {
        if (level === extents.length)
            return flat[first];
        return Array.from({length: extents[level]}, (_, place) =>
            build(level + 1, first + place * step, step * extents[level]));
    };
    return build(0, 0, 1);
}
