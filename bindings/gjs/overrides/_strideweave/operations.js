// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions on tensors, as JavaScript calls them.
/* exported init */

const {instance, options: readOptions, string, typeName} = imports.overrides._strideweave.checks;
const {guarded} = imports.overrides._strideweave.errors;
const {isCarrierClass, native} = imports.overrides._strideweave.registry;
const {indicesOf, isList} = imports.overrides._strideweave.trees;

// Any operation on any inputs, by the first input's carrier. What is wrong with the others is the operation's own to
// say: inside its boundary, as one attempt.
function dispatch(name, lhs, rhs) {
    return lhs.get_carrier().dispatch_op(name).forward([lhs, rhs], null);
}

function binary(namespace, name) {
    const ofTensors = namespace[name];
    const ofTensorAndNumber = namespace[`${name}_scalar`];
    const {Tensor} = native;
    namespace[name] = function (lhs, rhs) {
        if (rhs instanceof Tensor)
            return ofTensors(lhs, rhs);
        if (ofTensorAndNumber && typeof rhs === 'number')
            return ofTensorAndNumber(lhs, rhs);
        return dispatch(name, instance(lhs, Tensor, 'Tensor', 'lhs'), rhs);
    };
}

function isOptions(value) {
    return value instanceof native.ExecutionOptions;
}

// `reduce_sum (tensor, [modes], [options])`, and the same without one of the two or both.
function reductions(namespace) {
    const {reduce_sum, reduce_sum_modes, reduce_max, reduce_max_modes, argmax, argmax_mode} = namespace;
    namespace.reduce_sum = function (tensor, modes = null, options = null) {
        if (isOptions(modes))
            [modes, options] = [null, modes];
        if (modes === null)
            return reduce_sum(tensor, options);
        return reduce_sum_modes(tensor, isList(modes) ? modes : [modes], options);
    };
    namespace.reduce_max = function (tensor, modes = null) {
        return modes === null ? reduce_max(tensor) : reduce_max_modes(tensor, isList(modes) ? modes : [modes]);
    };
    namespace.argmax = function (tensor, mode = null) {
        return mode === null ? argmax(tensor) : argmax_mode(tensor, mode);
    };
}

function views(namespace) {
    const {broadcast_to, permute, reshape} = namespace;
    const asShape = shape => typeof shape === 'number' || typeof shape === 'bigint' ? [shape] : shape;
    namespace.broadcast_to = (tensor, shape) => broadcast_to(tensor, asShape(shape));
    namespace.reshape = (tensor, shape) => reshape(tensor, asShape(shape));
    namespace.permute = (tensor, ...order) =>
        permute(tensor, indicesOf(order.length === 1 && isList(order[0]) ? order[0] : order, 'order'));
}

function moves(namespace) {
    const {register_move} = namespace;
    // Makes move () call function (tensor, destination) for tensors between two exact carrier classes.
    namespace.register_move = function (sourceType, destinationType, callback) {
        for (const [argument, value] of Object.entries({sourceType, destinationType})) {
            if (!isCarrierClass(value))
                throw new TypeError(`${argument} must be a Carrier class, not ${typeName(value)}`);
        }
        if (typeof callback !== 'function')
            throw new TypeError(`callback must be a function, not ${typeName(callback)}`);
        return register_move(sourceType.$gtype, destinationType.$gtype, guarded((tensor, destination) => {
            const result = callback(tensor, destination);
            if (!(result instanceof native.Tensor))
                throw new TypeError(`a move function must return a Tensor, not ${typeName(result)}`);
            return result;
        }));
    };
}

function init(namespace) {
    for (const name of ['add', 'sub', 'mul', 'elementwise_mul', 'div', 'maximum'])
        binary(namespace, name);
    const {matmul} = namespace;
    namespace.matmul = function (lhs, rhs, options = null) {
        if (rhs instanceof native.Tensor)
            return matmul(lhs, rhs, options);
        instance(lhs, native.Tensor, 'Tensor', 'lhs');
        return lhs.get_carrier().dispatch_op('matmul').forward([lhs, rhs], options);
    };
    reductions(namespace);
    views(namespace);
    moves(namespace);
    // Typed options for one operation: what its sums are kept in.
    namespace.executionOptions = function (name, given) {
        const {accumulatorDtype} = readOptions(given, {accumulatorDtype: native.DType.INVALID}, 'executionOptions()');
        return native.ExecutionOptions.new(string(name, 'name'), accumulatorDtype);
    };
}
