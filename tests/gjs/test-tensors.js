// SPDX-License-Identifier: LGPL-2.1-or-later
// Tensors from arrays and back, carriers of the library, and the functions on tensors.
import GLib from 'gi://GLib';
import Strideweave from 'gi://Strideweave?version=1';

import {flat, recorded, vector} from './helpers.js';
import {equal, finish, ok, test, throws} from './tap.js';

const {CPU, DType, Evictable, FileBacked, Generic, Tensor, tensor} = Strideweave;

test('nested arrays tell the shape', () => {
    const one = tensor([[1, 2, 3], [4, 5, 6]]);
    equal([one.shape.topLevel, one.dtype, one.size, one.carrier.constructor], [[2, 3], DType.FLOAT64, 6, CPU]);
    equal(one.toArray(), [[1, 2, 3], [4, 5, 6]]);
    equal([...one], [1, 4, 2, 5, 3, 6]);
    equal([one.get([0, 2]), one.get(4), one.offset], [3, 3, 0]);
    equal(tensor([[[1], [2]], [[3], [4]]]).toArray(), [[[1], [2]], [[3], [4]]]);
    equal(tensor([new Float32Array([1, 2]), new Float32Array([3, 4])]).toArray(), [[1, 2], [3, 4]]);
    equal([tensor(5).toArray(), tensor(5).shape.topLevel, [...tensor(5)]], [5, [], [5]]);
    equal(tensor(new Set([1, 2])).toArray(), [1, 2]);
});

test('a shape orders values by ordinals', () => {
    const one = tensor([1, 2, 3, 4, 5, 6], {shape: [2, 3]});
    equal([[...one], one.toArray()], [[1, 2, 3, 4, 5, 6], [[1, 3, 5], [2, 4, 6]]]);
    const tree = tensor(Array.from({length: 24}, (_, place) => place), {shape: [2, [3, 4]]});
    equal(tree.get([1, [2, 3]]), 23);
    equal(tree.toArray()[1][2][3], 23);
    const rows = tensor([1, 2, 3, 4, 5, 6], {layout: Strideweave.layout([2, 3], [3, 1])});
    equal(rows.toArray(), [[1, 2, 3], [4, 5, 6]]);
});

test('bytes, the last mode fastest', () => {
    const bytes = new GLib.Bytes(new Uint8Array(new Int32Array([1, 2, 3, 4, 5, 6]).buffer));
    const one = Strideweave.from_bytes(bytes, [2, 3], DType.INT32);
    equal([one.dtype, one.toArray(), one.carrier.constructor], [DType.INT32, [[1, 2, 3], [4, 5, 6]], CPU]);
    throws(RangeError, /6 values of Int32, but shape has 4/, () => Strideweave.from_bytes(bytes, [4], DType.INT32));
    throws(TypeError, /bytes must be a GLib.Bytes/, () => Strideweave.from_bytes([1], [1], DType.INT32));
});

test('typed arrays tell the dtype', () => {
    const arrays = [[Float32Array, DType.FLOAT32], [Float64Array, DType.FLOAT64], [Int32Array, DType.INT32],
        [BigInt64Array, DType.INT64]];
    for (const [constructor, dtype] of arrays) {
        const given = constructor.from(dtype === DType.INT64 ? [1n, -2n] : [1, -2]);
        const one = tensor(given);
        equal([one.dtype, one.toArray()], [dtype, [1, -2]]);
        const typed = one.toTypedArray();
        ok(typed instanceof constructor && typed !== given && typed.length === 2 && typed[1] === given[1]);
        // Both ways it is a copy.
        given[0] = typed[0] = constructor.from([given[1]])[0];
        equal(one.get(0), 1);
        one.set(0, 7);
        equal(one.get(0), 7);
    }
    equal(tensor(new Float64Array([9, 1, 2, 9]).subarray(1, 3)).toArray(), [1, 2]);
    equal(tensor(new Uint8Array([1, 2]), {dtype: DType.INT32}).toArray(), [1, 2]);
    throws(TypeError, /Uint8Array/, () => tensor(new Uint8Array([1])));
});

test('plain arrays of all kinds', () => {
    equal([tensor([true, false]).dtype, tensor([true, false]).toArray()], [DType.BOOL, [true, false]]);
    equal([tensor([1n, 2n ** 60n]).dtype, tensor([1n, 2n ** 60n]).toArray()], [DType.INT64, [1, 2n ** 60n]]);
    const object = {};
    const mixed = tensor(['a', 1, object]);
    equal([mixed.dtype, mixed.carrier.constructor, mixed.toArray()], [DType.ANY, Generic, ['a', 1, object]]);
    equal(tensor([1, 2], {dtype: DType.INT64}).toTypedArray()[1], 2n);
    equal(tensor([1.5], {dtype: DType.FLOAT32}).toArray(), [1.5]);
    equal([tensor([1]).carrier.is_mutable(), tensor([1], {mutable: false}).carrier.is_mutable()], [true, false]);
    const floating = tensor([1, -0, NaN], {carrier: Generic});
    equal([floating.dtype, floating.toArray()], [DType.FLOATING, [1, -0, NaN]]);
    equal(tensor([true, false], {carrier: Generic}).toArray(), [true, false]);
    equal(tensor([1, 2], {carrier: Generic, dtype: DType.INT32}).dtype, DType.INT32);
});

test('tensors without values', () => {
    for (const [values, shape] of [[[], [0]], [[[]], [1, 0]], [[[], []], [2, 0]], [new Float32Array(0), [0]]]) {
        const one = tensor(values);
        equal([one.shape.topLevel, one.size, [...one], one.toArray().flat(), one.toTypedArray().length], [shape, 0, [], [], 0]);
    }
    equal([tensor([]).dtype, tensor([]).carrier.constructor], [DType.FLOAT64, CPU]);
    equal(tensor([], {shape: [0, 3]}).toArray(), []);
    equal(tensor([], {dtype: DType.BOOL, shape: [2, 0], mutable: false}).toArray(), [[], []]);
    const generic = tensor([], {carrier: Generic, shape: [3, 0], dtype: DType.ANY});
    equal([generic.toArray(), `${generic}`], [[[], [], []], 'Tensor([], shape=(3, 0), dtype=Any, carrier=Generic)']);

    const none = Strideweave.zeros([0, 3]);
    const some = tensor([[1, 2, 3], [4, 5, 6]]);
    equal(some.slice([2]).shape.topLevel, [0, 3]);
    equal(some.slice(null, [1, 1]).toArray(), [[], []]);
    equal(Strideweave.arange(0).size + Strideweave.arange(3, 1).size + Strideweave.arange(0, -1, 0.5).size, 0);
    equal(Strideweave.add(none, none).shape.topLevel, [0, 3]);
    equal(Strideweave.reduce_sum(none).toArray(), 0);
    equal(Strideweave.reduce_prod(none, [0]).toArray(), [1, 1, 1]);
    equal(Strideweave.matmul(Strideweave.zeros([2, 0]), none).toArray(), [[0, 0, 0], [0, 0, 0]]);
    throws(RangeError, /shape \(0, 3\), in which reduce_max finds no values along modes 0, 1/, () => Strideweave.reduce_max(none));
    throws(RangeError, /outside/, () => none.get(0));
    throws(RangeError, /outside/, () => none.get([0, 0]));
    throws(RangeError, /-1/, () => Strideweave.zeros([-1]));
    const evictable = new Evictable(CPU.new(0, true, DType.FLOAT32, false), FileBacked.new(null, true, DType.FLOAT32));
    evictable.evict();
    evictable.promote();
    equal(Strideweave.relu(Tensor.new(evictable, 0, Strideweave.layout([0, 2]))).toString(),
        'Tensor([], shape=(0, 2), dtype=Float32, carrier=Evictable)');
    equal(recorded(() => Strideweave.relu(none)).events().map(event => event.name), ['relu']);
});

test('what is no tensor', () => {
    throws(RangeError, /values\[1\]/, () => tensor([[1, 2], [3]]));
    throws(RangeError, /values\[1\]/, () => tensor([[1, 2], 3]));
    throws(RangeError, /items/, () => tensor([1, 2, 3], {shape: [2, 2]}));
    throws(RangeError, /items/, () => tensor([1, 2, 3], {shape: [2n ** 62n]}));
    throws(TypeError, null, () => tensor(['x'], {dtype: DType.FLOAT64}));
    throws(TypeError, null, () => tensor(['1'], {dtype: DType.INT32}));
    throws(TypeError, null, () => tensor([1], {dtype: DType.BOOL}));
    throws(RangeError, null, () => tensor([1.5], {dtype: DType.INT64}));
    throws(RangeError, null, () => tensor([2 ** 31], {dtype: DType.INT32}));
    throws(RangeError, null, () => tensor([2n ** 63n], {dtype: DType.INT64}));
    throws(RangeError, null, () => tensor([1n, 2n ** 63n]));
    throws(RangeError, /dtype/, () => tensor([1], {dtype: 99}));
    throws(TypeError, /dtype/, () => tensor([1], {dtype: 'float32'}));
    throws(TypeError, /carrier/, () => tensor([1], {carrier: FileBacked}));
    throws(TypeError, /mutable/, () => tensor([1], {mutable: 1}));
    throws(TypeError, /speed/, () => tensor([1], {speed: 1}));
    throws(TypeError, /layout/, () => tensor([1], {layout: [1]}));
    throws(RangeError, null, () => tensor([1, 2], {layout: Strideweave.layout(3)}));
    throws(TypeError, /layout/, () => new Tensor(new CPU(1), 0, [1]));
    throws(TypeError, /carrier/, () => new Tensor([1], 0, Strideweave.layout(1)));
    throws(RangeError, /offset/, () => new Tensor(new CPU(1), -1, Strideweave.layout(1)));
    throws(RangeError, /offset/, () => new Tensor(new CPU(1), NaN, Strideweave.layout(1)));
});

test('values are written and read', () => {
    const one = tensor([[1, 2], [3, 4]]);
    one.set([1, 0], 30);
    one.set(3, 40n);
    equal(one.toArray(), [[1, 2], [30, 40]]);
    for (const key of [[2, 0], 4, [0], -1, 1.5])
        throws(RangeError, null, () => one.set(key, 1));
    for (const key of ['0', null, undefined, {}])
        throws(TypeError, null, () => one.get(key));
    throws(TypeError, null, () => one.set(0, 'x'));
    throws(TypeError, null, () => one.set(0, null));
    throws(Strideweave.Error, /immutable/, () => tensor([1], {mutable: false}).set(0, 2));
    equal(one.toArray(), [[1, 2], [30, 40]]);
});

test('carriers of the library', () => {
    const generic = new Generic([1, 'x', null], {dtype: DType.ANY});
    equal([[...generic], generic.size(), generic.dtype(), generic.is_mutable()], [[1, 'x', null], 3, DType.ANY, true]);
    equal(new Generic([1, 2], {mutable: false}).is_mutable(), false);
    const cpu = new CPU(3, {dtype: DType.INT32});
    cpu.set(1, 5);
    equal([[...cpu], cpu.version, `${cpu}`, cpu.constructor], [[0, 5, 0], 1, 'CPU(3 values)', CPU]);
    equal([...cpu.new_like([1, 2], false, DType.INVALID)], [1, 2]);
    equal([...cpu.allocate_like(2, true, DType.FLOAT32, false)], [0, 0]);
    cpu.release();
    ok(cpu.is_released());
    equal(`${cpu}`, 'CPU(released)');
    throws(Strideweave.Error, /released/, () => cpu.get(0));
    const file = new FileBacked(null, {dtype: DType.FLOAT64});
    equal([file.size(), file.dtype(), file.constructor], [0, DType.FLOAT64, FileBacked]);
    ok(file.path === null || typeof file.path === 'string');
    const tiers = new Evictable(new Generic([1, 2]), new Generic([]));
    equal([tiers.primary.constructor, tiers.secondary.is_owned(), [...tiers]], [Generic, true, [1, 2]]);
    tiers.evict();
    ok(tiers.is_evicted());
    tiers.promote();
    equal([...tiers], [1, 2]);
});

test('carriers that cannot be made', () => {
    for (const size of [-1, 1.5, NaN, Infinity, 2 ** 63, 2n ** 64n, 2 ** 62])
        throws(RangeError, null, () => new CPU(size));
    for (const size of ['3', null, undefined, {}, true, [1]])
        throws(TypeError, null, () => new CPU(size));
    throws(TypeError, /mutable/, () => new CPU(1, {mutable: 'yes'}));
    throws(TypeError, /empty/, () => new CPU(1, {empty: null}));
    throws(TypeError, /speed/, () => new CPU(1, {speed: 1}));
    throws(RangeError, /dtype/, () => new CPU(1, {dtype: -1}));
    for (const values of [5, null, undefined, 'text', true, {}])
        throws(TypeError, /values/, () => new Generic(values));
    throws(TypeError, null, () => new Generic(['x']));
    throws(TypeError, /primary/, () => new Evictable(null, new Generic([])));
    throws(TypeError, /filename/, () => new FileBacked(5));
    throws(RangeError, /filename/, () => new FileBacked('/nowhere/at/all'));
});

test('functions of one tensor', () => {
    equal(Strideweave.relu(vector([1, -2])).toArray(), [1, 0]);
    equal(Strideweave.neg(tensor([1, -2])).toArray(), [-1, 2]);
    equal(Strideweave.exp(tensor([0])).toArray(), [1]);
    for (const name of ['relu', 'neg', 'exp', 'reduce_sum', 'reduce_max', 'argmax', 'permute', 'reshape', 'broadcast_to']) {
        for (const wrong of [5, null, undefined, 'x', [1], {}, new Generic([1])])
            throws(TypeError, /must be a Tensor/, () => Strideweave[name](wrong));
    }
});

test('functions of two operands', () => {
    const one = tensor([1, -2]);
    equal(Strideweave.add(one, one).toArray(), [2, -4]);
    equal(Strideweave.add(one, 1.5).toArray(), [2.5, -0.5]);
    equal(Strideweave.sub(one, 1).toArray(), [0, -3]);
    equal(Strideweave.mul(one, 3n).toArray(), [3, -6]);
    equal(Strideweave.div(one, 2).toArray(), [0.5, -1]);
    equal(Strideweave.maximum(one, 0).toArray(), [1, 0]);
    equal(Strideweave.elementwise_mul(one, one).toArray(), [1, 4]);
    equal(Strideweave.mul_scalar(one, 2).toArray(), [2, -4]);
    const integers = tensor(new BigInt64Array([1n, 2n ** 60n]));
    equal(Strideweave.add(integers, 2n ** 60n).toArray(), [2n ** 60n + 1n, 2n ** 61n]);
    equal(Strideweave.mul(integers, 2).toTypedArray()[1], 2n ** 61n);
});

test('operands that are none', () => {
    const one = tensor([1, -2]);
    for (const rhs of ['x', null, undefined, true, [1], {}, Symbol('x'), () => 1, new Generic([1])]) {
        for (const name of ['add', 'sub', 'mul', 'div', 'maximum'])
            throws(TypeError, /rhs must be a Tensor or a number, not/, () => Strideweave[name](one, rhs));
        throws(TypeError, /rhs must be a Tensor, not/, () => Strideweave.elementwise_mul(one, rhs));
        throws(TypeError, /rhs must be a Tensor, not/, () => Strideweave.matmul(one, rhs));
    }
    throws(TypeError, /rhs must be a Tensor, not/, () => Strideweave.elementwise_mul(one, 2));
    throws(TypeError, /lhs must be a Tensor/, () => Strideweave.add(1, one));
    throws(TypeError, /lhs must be a Tensor/, () => Strideweave.matmul(null, one));
    throws(RangeError, null, () => Strideweave.add(one, 2n ** 64n));
    throws(RangeError, /shape/, () => Strideweave.add(one, tensor([1, 2, 3])));
    equal(Strideweave.add(one, tensor([1n, 2n])).toArray(), [2, 0]);
    throws(TypeError, null, () => Strideweave.add(tensor([1n]), 1.5));
});

test('parameters, selections and other dtypes', () => {
    const one = tensor([1, -2]);
    equal(Strideweave.leaky_relu(one).toArray(), [1, -0.02]);
    equal(Strideweave.leaky_relu(one, 0.5).toArray(), [1, -1]);
    equal(Strideweave.elu(one, 0).toArray(), [1, -0]);
    equal(Strideweave.clamp(one, 0).toArray(), [1, 0]);
    equal(Strideweave.clamp(one, null, -1).toArray(), [-1, -2]);
    equal(Strideweave.clamp(tensor([1n, 5n]), 2, 3).toArray(), [2, 3]);
    equal(Strideweave.lt(one, 0).toArray(), [false, true]);
    equal(Strideweave.select(Strideweave.lt(one, 0), one, 7).toArray(), [7, -2]);
    equal(Strideweave.cast(one, DType.INT32).dtype, DType.INT32);
    throws(RangeError, /overflows Int32/, () => Strideweave.cast(tensor([2 ** 40]), DType.INT32));
    throws(TypeError, /must be a number/, () => Strideweave.elu(one, 'x'));
    throws(TypeError, /condition/, () => Strideweave.select(1, one, one));
    throws(TypeError, /one of lhs and rhs/, () => Strideweave.select(Strideweave.lt(one, 0), 1, 2));
    throws(Strideweave.Error, /Bool with/, () => Strideweave.eq(Strideweave.lt(one, 0), one));
});

test('what is computed along modes', () => {
    const one = tensor([[1, 2], [3, 4]]);
    equal(Strideweave.reduce_min(one).toArray(), 1);
    equal(Strideweave.reduce_prod(one, 1).toArray(), [2, 12]);
    equal(Strideweave.argmin(one, 0).toArray(), [0, 0]);
    equal(Strideweave.cumsum(one, 1).toArray(), [[1, 3], [3, 7]]);
    equal(Strideweave.softmax(tensor([[0, 0], [0, 0]])).toArray(), [[0.25, 0.25], [0.25, 0.25]]);
    equal(Strideweave.softmax(tensor([[0, 0], [1, 1]]), 1).toArray(), [[0.5, 0.5], [0.5, 0.5]]);
    equal(Strideweave.layer_norm(one, [1], null, null, 0).toArray(), [[-1, 1], [-1, 1]]);
    equal(Strideweave.layer_norm(one, 1, tensor([2, 2]), tensor([1, 1]), 0).toArray(), [[-1, 3], [-1, 3]]);
    throws(RangeError, /modes/, () => Strideweave.softmax(one, 2));
    throws(TypeError, /weight/, () => Strideweave.layer_norm(one, 1, 3));
    throws(TypeError, /input must be a Tensor/, () => Strideweave.softmax(1));
});

test('structure', () => {
    const one = tensor([[3, 1], [2, 4]]);
    equal(Strideweave.view(one, [2, 2]).carrier, one.carrier);
    equal(Strideweave.rearrange(one, 'a b -> b a').toArray(), [[3, 2], [1, 4]]);
    equal(Strideweave.rearrange(one, 'a b -> (b a)').shape.toString(), 'Shape((2, 2),)');
    equal(Strideweave.squeeze(Strideweave.unsqueeze(one, 1)).shape.toString(), 'Shape(2, 2)');
    equal(Strideweave.squeeze(Strideweave.unsqueeze(one, 1), 1).toArray(), one.toArray());
    equal(Strideweave.as_strided(one, Strideweave.layout([2], [0])).toArray(), [3, 3]);
    equal(Strideweave.sort(one, 1).toArray(), [[1, 3], [2, 4]]);
    equal(Strideweave.sort(one, 0, true).toArray(), [[3, 4], [2, 1]]);
    equal(Strideweave.topk(one, 1, 1).toArray(), [[3], [4]]);
    const index = tensor([[1n], [0n]]);
    equal(Strideweave.gather(one, 1, index).toArray(), [[1], [2]]);
    equal(Strideweave.scatter(one, 1, index, tensor([[7], [8]])).toArray(), [[3, 7], [8, 4]]);
    equal(Strideweave.scatter_add(one, 1, index, tensor([[7], [8]])).toArray(), [[3, 8], [10, 4]]);
    throws(RangeError, /pattern/, () => Strideweave.rearrange(one, 'a -> a'));
    throws(RangeError, /index has the value 9/, () => Strideweave.gather(one, 1, tensor([[9n], [0n]])));
    throws(TypeError, /index must be a Tensor/, () => Strideweave.gather(one, 1, 0));
});

test('windows', () => {
    const image = tensor([[[[1, 2, 3], [4, 5, 6], [7, 8, 9]]]]);
    const ones = tensor([[[[1, 1], [1, 1]]]]);
    equal(Strideweave.conv_general(image, ones).toArray(), [[[[12, 16], [24, 28]]]]);
    equal(Strideweave.conv_general(image, ones, 2, [1, 0, 1, 0]).toArray(), [[[[1, 5], [11, 28]]]]);
    equal(Strideweave.max_pool(image, 2, 1).toArray(), [[[[5, 6], [8, 9]]]]);
    equal(Strideweave.avg_pool(image, [3, 1]).toArray(), [[[[4, 5, 6]]]]);
    throws(RangeError, /strides/, () => Strideweave.conv_general(image, ones, [0, 1]));
    throws(TypeError, /input must be a Tensor/, () => Strideweave.max_pool(1, 2));
});

test('matrices and reductions', () => {
    const one = tensor([[1, 2], [3, 4]]);
    equal(Strideweave.matmul(one, one).toArray(), [[7, 10], [15, 22]]);
    equal(Strideweave.matmul(one, one, null).toArray(), [[7, 10], [15, 22]]);
    const options = Strideweave.executionOptions('reduce_sum', {accumulatorDtype: DType.FLOAT64});
    for (const sum of [Strideweave.reduce_sum(one), Strideweave.reduce_sum(one, null), Strideweave.reduce_sum(one, options),
        Strideweave.reduce_sum(one, null, options), Strideweave.reduce_sum(one, [0, 1])])
        equal(sum.toArray(), 10);
    equal(Strideweave.reduce_sum(one, 0).toArray(), Strideweave.reduce_sum_modes(one, [0], null).toArray());
    equal(Strideweave.reduce_sum(one, [0n], options).toArray().flat(), [4, 6]);
    equal([Strideweave.reduce_max(one).toArray(), Strideweave.reduce_max(one, [1]).toArray().flat()], [4, [2, 4]]);
    equal([Strideweave.argmax(one).toArray(), Strideweave.argmax(one, 1).toArray()], [3, [1, 1]]);
    throws(RangeError, null, () => Strideweave.reduce_sum(one, [2]));
    throws(RangeError, null, () => Strideweave.reduce_sum(one, [0, 0]));
    throws(TypeError, /modes/, () => Strideweave.reduce_sum(one, ['0']));
    throws(RangeError, /modes/, () => Strideweave.reduce_max(one, [0.5]));
    throws(TypeError, /options/, () => Strideweave.matmul(one, one, 5));
    throws(RangeError, null, () => Strideweave.executionOptions('nonsense', {accumulatorDtype: DType.FLOAT64}));
    throws(TypeError, /name/, () => Strideweave.executionOptions(5));
    throws(TypeError, /speed/, () => Strideweave.executionOptions('matmul', {speed: 1}));
});

test('views', () => {
    const one = tensor([[1, 2, 3]]);
    equal(Strideweave.broadcast_to(one, [2, 3]).toArray(), [[1, 2, 3], [1, 2, 3]]);
    equal(Strideweave.permute(one, 1, 0).toArray(), [[1], [2], [3]]);
    equal(Strideweave.permute(one, [1, 0]).toArray(), [[1], [2], [3]]);
    equal(Strideweave.reshape(one, 3).toArray(), [1, 2, 3]);
    equal(Strideweave.reshape(one, Strideweave.shape(3, 1)).toArray(), [[1], [2], [3]]);
    throws(RangeError, null, () => Strideweave.reshape(one, [4]));
    throws(RangeError, null, () => Strideweave.broadcast_to(one, [2, 4]));
    throws(TypeError, /shape/, () => Strideweave.reshape(one, 'x'));
    throws(RangeError, /order/, () => Strideweave.permute(one, 0, 2));
});

test('operations by name', () => {
    const one = tensor([1, -2]);
    equal(Strideweave.call_operation('relu', [one]).toArray(), [1, 0]);
    equal(Strideweave.call_operation('mul', [one, 2], null).toArray(), [2, -4]);
    equal(one.carrier.dispatch_op('reduce_sum').forward([one, [0]]).toArray(), -1);
    equal(Strideweave.call_operation('reshape', [one, Strideweave.shape(2, 1)]).toArray(), [[1], [-2]]);
    for (const inputs of [one, null, undefined, 5, 'x', {}])
        throws(TypeError, /inputs/, () => one.carrier.dispatch_op('relu').forward(inputs));
    throws(TypeError, null, () => one.carrier.dispatch_op('relu').forward([one, one]));
    throws(TypeError, null, () => one.carrier.dispatch_op('relu').forward([]));
    for (const name of [5, null, undefined, Symbol('relu')])
        throws(TypeError, /name/, () => one.carrier.dispatch_op(name));
    ok(Strideweave.list_operations().includes('relu'));
});

test('values as C has them', () => {
    const list = Strideweave.ValueList.new_doubles([1, 2.5]);
    equal([[...list], list.length, list.at(1), list.toArray()], [[1, 2.5], 2, 2.5, [1, 2.5]]);
    throws(RangeError, null, () => list.at(2));
    throws(RangeError, null, () => list.at(-1));
    const value = tensor([1.5]).get_value([0]);
    equal([value.get_double(), value.unpack(), `${value}`], [1.5, 1.5, '1.5']);
    ok(value.equals(Strideweave.Value.new_double(1.5)) && !value.equals(1.5));
    equal(flat(new Generic([1, 2])).get_value([1]).get_double(), 2);
    throws(RangeError, null, () => Strideweave.Value.new_int64(2n ** 63n));
    throws(TypeError, null, () => Strideweave.Value.new_int64('5'));
    throws(TypeError, null, () => Strideweave.Value.new_bool(1));
});

test('bytes come as bytes', () => {
    const bytes = tensor([[1, 2, 3], [4, 5, 6]]).dup_bytes();
    ok(bytes instanceof GLib.Bytes && bytes.toArray() instanceof Uint8Array);
    // The first mode is the fastest.
    equal([...new Float64Array(bytes.toArray().slice().buffer)], [1, 4, 2, 5, 3, 6]);
    const columns = recorded().dup_event_columns();
    ok(columns.toArray() instanceof Uint8Array && columns.get_size() % 8 === 0 && columns.get_size() > 0);
});

finish();
