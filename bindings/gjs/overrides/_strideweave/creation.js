// SPDX-License-Identifier: LGPL-2.1-or-later
// New tensors, as JavaScript asks for them. `like` is a carrier whose kind the new one is of; CPU without one.
/* exported init */

const {typeName} = imports.overrides._strideweave.checks;
const {native} = imports.overrides._strideweave.registry;

function isNumber(value) {
    return typeof value === 'number' || typeof value === 'bigint';
}

function init(namespace) {
    const {arange, arange_doubles, from_values, full, ones, zeros} = namespace;
    const own = native.DType.INVALID;
    const asShape = shape => isNumber(shape) ? [shape] : shape;
    namespace.zeros = (shape, dtype = own, like = null) => zeros(asShape(shape), dtype, like);
    namespace.ones = (shape, dtype = own, like = null) => ones(asShape(shape), dtype, like);
    namespace.full = function (shape, value, dtype = own, like = null) {
        if (like === null && !isNumber(value) && typeof value !== 'boolean')
            throw new TypeError(`value must be a number or a boolean, not ${typeName(value)}`);
        return full(asShape(shape), value, dtype, like);
    };
    // Whole numbers make integers, unless dtype says otherwise.
    namespace.arange = function (start, stop = null, step = 1, dtype = own, like = null) {
        const [first, end] = stop === null ? [0, start] : [start, stop];
        const isWhole = [first, end, step].every(value => typeof value === 'bigint' || Number.isSafeInteger(value));
        return (isWhole ? arange : arange_doubles)(first, end, step, dtype, like);
    };
    namespace.from_values = (values, shape = null, dtype = own, like = null) =>
        from_values(values, shape === null ? null : asShape(shape), dtype, like);
}
