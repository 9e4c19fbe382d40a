// SPDX-License-Identifier: LGPL-2.1-or-later
// The functions on tensors, as JavaScript calls them.
/* exported init */

const {bool, instance, options: readOptions, string, typeName} = imports.overrides._strideweave.checks;
const {guarded} = imports.overrides._strideweave.errors;
const {isCarrierClass, native} = imports.overrides._strideweave.registry;
const {indicesOf, isList} = imports.overrides._strideweave.trees;

// Any operation on any inputs, by the first input's carrier. What is wrong with the others is the operation's own to
// say: inside its boundary, as one attempt.
function dispatch(name, first, ...others) {
    return first.get_carrier().dispatch_op(name).forward([first, ...others], null);
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

// What takes numbers beside the tensor, which may be left out: null is no limit.
function parametric(namespace) {
    const {clamp, elu, leaky_relu, select} = namespace;
    const {Tensor} = native;
    namespace.elu = (tensor, alpha = 1) => elu(tensor, alpha);
    namespace.leaky_relu = (tensor, slope = 0.01) => leaky_relu(tensor, slope);
    namespace.clamp = (tensor, minimum = null, maximum = null) =>
        clamp(tensor, minimum ?? -Infinity, maximum ?? Infinity);
    namespace.select = (condition, lhs, rhs) => lhs instanceof Tensor && rhs instanceof Tensor
        ? select(condition, lhs, rhs)
        : dispatch('select', instance(condition, Tensor, 'Tensor', 'condition'), lhs, rhs);
}

function isOptions(value) {
    return value instanceof native.ExecutionOptions;
}

// `reduce_sum (tensor, [modes], [keep], [options])`, and the same without some of them: `keep` leaves modes of extent 1.
function reductions(namespace) {
    const {reduce_sum, reduce_sum_modes, softmax, layer_norm} = namespace;
    const listOf = modes => isList(modes) ? modes : [modes];
    const listOrAll = (tensor, modes) => modes === null
        ? Array.from({length: instance(tensor, native.Tensor, 'Tensor', 'input').shape.rank}, (_, mode) => mode)
        : listOf(modes);
    namespace.reduce_sum = function (tensor, modes = null, keep = false, options = null) {
        if (isOptions(modes))
            [modes, options] = [null, modes];
        if (isOptions(keep) || keep === null)
            [keep, options] = [false, keep];
        if (modes === null && !keep)
            return reduce_sum(tensor, options);
        return reduce_sum_modes(tensor, listOrAll(tensor, modes), keep, options);
    };
    for (const name of ['reduce_max', 'reduce_min', 'reduce_prod']) {
        const {[name]: ofAll, [`${name}_modes`]: ofModes} = namespace;
        namespace[`${name}_modes`] = (tensor, modes, keep = false) => ofModes(tensor, modes, keep);
        namespace[name] = (tensor, modes = null, keep = false) =>
            modes === null && !keep ? ofAll(tensor) : ofModes(tensor, listOrAll(tensor, modes), keep);
    }
    for (const name of ['argmax', 'argmin']) {
        const {[name]: ofAll, [`${name}_mode`]: ofMode} = namespace;
        namespace[`${name}_mode`] = (tensor, mode, keep = false) => ofMode(tensor, mode, keep);
        namespace[name] = function (tensor, mode = null, keep = false) {
            if (mode !== null)
                return ofMode(tensor, mode, keep);
            return keep ? dispatch(name, instance(tensor, native.Tensor, 'Tensor', 'input'), null, bool(keep, 'keep')) : ofAll(tensor);
        };
    }
    namespace.reduce_sum_modes = (tensor, modes, keep = false, options = null) => isOptions(keep) || keep === null
        ? reduce_sum_modes(tensor, modes, false, keep) : reduce_sum_modes(tensor, modes, keep, options);
    namespace.softmax = (tensor, modes = null) => softmax(tensor, listOrAll(tensor, modes));
    namespace.layer_norm = (tensor, modes = null, weight = null, bias = null, epsilon = 1e-5) =>
        layer_norm(tensor, listOrAll(tensor, modes), weight, bias, epsilon);
}

function views(namespace) {
    const {broadcast_to, permute, reshape, view, squeeze, squeeze_modes, as_strided, sort} = namespace;
    const asShape = shape => typeof shape === 'number' || typeof shape === 'bigint' ? [shape] : shape;
    namespace.broadcast_to = (tensor, shape) => broadcast_to(tensor, asShape(shape));
    namespace.reshape = (tensor, shape) => reshape(tensor, asShape(shape));
    namespace.view = (tensor, shape) => view(tensor, asShape(shape));
    namespace.squeeze = (tensor, modes = null) =>
        modes === null ? squeeze(tensor) : squeeze_modes(tensor, isList(modes) ? modes : [modes]);
    namespace.as_strided = (tensor, layout, offset = null) =>
        as_strided(tensor, layout, offset ?? instance(tensor, native.Tensor, 'Tensor', 'input').get_offset());
    namespace.sort = (tensor, mode, descending = false) => sort(tensor, mode, descending);
    namespace.permute = (tensor, ...order) =>
        permute(tensor, indicesOf(order.length === 1 && isList(order[0]) ? order[0] : order, 'order'));
}

// One integer stands for each mode after the first two.
function windows(namespace) {
    const {conv_general, max_pool, avg_pool} = namespace;
    const each = (value, tensor) => isList(value)
        ? value : new Array(Math.max(0, instance(tensor, native.Tensor, 'Tensor', 'input').shape.rank - 2)).fill(value);
    namespace.conv_general = (input, weight, strides = 1, padding = 0, dilation = 1, groups = 1) =>
        conv_general(input, weight, each(strides, input), each(padding, input), each(dilation, input), groups);
    for (const [name, pool] of Object.entries({max_pool, avg_pool})) {
        namespace[name] = (input, window, strides = window, padding = 0) =>
            pool(input, each(window, input), each(strides, input), each(padding, input));
    }
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
    const names = ['add', 'sub', 'mul', 'elementwise_mul', 'div', 'pow', 'rem', 'maximum', 'minimum', 'eq', 'ne', 'lt', 'le'];
    for (const name of names)
        binary(namespace, name);
    parametric(namespace);
    const {matmul} = namespace;
    namespace.matmul = function (lhs, rhs, options = null) {
        if (rhs instanceof native.Tensor)
            return matmul(lhs, rhs, options);
        instance(lhs, native.Tensor, 'Tensor', 'lhs');
        return lhs.get_carrier().dispatch_op('matmul').forward([lhs, rhs], options);
    };
    reductions(namespace);
    views(namespace);
    windows(namespace);
    moves(namespace);
    // Typed options for one operation: what its sums are kept in, and the tensor that the result is written to.
    namespace.executionOptions = function (name, given) {
        const {accumulatorDtype, out} = readOptions(given, {accumulatorDtype: native.DType.INVALID, out: null}, 'executionOptions()');
        if (out !== null)
            return native.ExecutionOptions.new_into(string(name, 'name'), accumulatorDtype, instance(out, native.Tensor, 'Tensor', 'out'));
        return native.ExecutionOptions.new(string(name, 'name'), accumulatorDtype);
    };
}
