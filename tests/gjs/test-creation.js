// SPDX-License-Identifier: LGPL-2.1-or-later
// New tensors out of numbers.
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test, throws} from './tap.js';

const {CPU, DType, FileBacked, Generic} = Strideweave;

test('tensors of one number', () => {
    equal(Strideweave.zeros([2, 3]).toArray(), [[0, 0, 0], [0, 0, 0]]);
    equal(Strideweave.zeros(2).dtype, DType.FLOAT32);
    equal([Strideweave.ones(2, DType.BOOL).toArray(), Strideweave.ones(2, DType.INT64).toArray()], [[true, true], [1, 1]]);
    equal(Strideweave.full([2, [1, 2]], 2.5).toArray(), [[[2.5, 2.5]], [[2.5, 2.5]]]);
    equal(Strideweave.full([2, [1, 2]], 2.5).layout.stride.leaves, [2, 2, 1]);
    equal([Strideweave.full([], true).dtype, Strideweave.full(1, 7).dtype, Strideweave.full(1, 7n).dtype, Strideweave.full(1, 0.5).dtype],
        [DType.BOOL, DType.INT64, DType.INT64, DType.FLOAT64]);
    equal(Strideweave.full(2, 3, DType.FLOAT32).toTypedArray()[1], 3);
});

test('numbers in steps', () => {
    equal([Strideweave.arange(3).toArray(), Strideweave.arange(3).dtype], [[0, 1, 2], DType.INT64]);
    equal(Strideweave.arange(9, 2, -3).toArray(), [9, 6, 3]);
    equal([Strideweave.arange(0, 1, 0.25).toArray(), Strideweave.arange(0, 1, 0.25).dtype], [[0, 0.25, 0.5, 0.75], DType.FLOAT64]);
    equal(Strideweave.arange(3, undefined, 1, DType.FLOAT32).dtype, DType.FLOAT32);
    equal(Strideweave.arange(2n ** 60n, 2n ** 60n + 2n).toArray(), [2n ** 60n, 2n ** 60n + 1n]);
});

test('values in a row', () => {
    const matrix = Strideweave.from_values([1, 2, 3, 4, 5, 6], [2, 3]);
    equal([matrix.toArray(), matrix.dtype, matrix.carrier.constructor], [[[1, 2, 3], [4, 5, 6]], DType.INT64, CPU]);
    equal(Strideweave.from_values([1, 2.5]).dtype, DType.FLOAT64);
    equal(Strideweave.from_values([true, false]).toArray(), [true, false]);
});

test('carriers like others', () => {
    const generic = Generic.new([0], true, DType.FLOATING);
    const fileBacked = FileBacked.new(null, true, DType.INT32);
    const one = Strideweave.full([2, 2], 5, undefined, generic);
    equal([one.carrier.constructor, one.dtype, one.toArray()], [Generic, DType.FLOATING, [[5, 5], [5, 5]]]);
    const other = Strideweave.arange(3, null, 1, DType.INT64, fileBacked);
    equal([other.carrier.constructor, other.dtype, other.toArray()], [FileBacked, DType.INT64, [0, 1, 2]]);
    equal(Strideweave.from_values([1, 2], null, DType.INVALID, fileBacked).dtype, DType.INT32);
});

test('what is refused', () => {
    throws(RangeError, /shape is -1, but must be at least 0/, () => Strideweave.zeros([-1]));
    throws(RangeError, /shape is -3/, () => Strideweave.zeros([2, -3]));
    throws(RangeError, /no memory/, () => Strideweave.zeros([2 ** 31, 2 ** 31]));
    throws(TypeError, /value must be a number or a boolean, not string/, () => Strideweave.full(2, 'x'));
    throws(RangeError, /2147483648 is outside the range of an Int32/, () => Strideweave.full(2, 2 ** 31, DType.INT32));
    throws(RangeError, /step is 0/, () => Strideweave.arange(0, 3, 0));
    throws(RangeError, /step is nan/, () => Strideweave.arange(0, 3, NaN));
    throws(TypeError, /dtype is Int32/, () => Strideweave.arange(0, 3, 0.5, DType.INT32));
    throws(TypeError, /stop must be/, () => Strideweave.arange('x'));
    throws(TypeError, /like must be a Carrier, not number/, () => Strideweave.zeros(2, DType.FLOAT32, 3));
    throws(RangeError, /3 values, but shape has 4/, () => Strideweave.from_values([1, 2, 3], [2, 2]));
    throws(RangeError, /0 values, but shape has 1/, () => Strideweave.from_values([], [1]));
});

test('text', () => {
    equal(`${Strideweave.arange(4)}`, 'Tensor([0, 1, 2, 3], shape=(4,), dtype=Int64, carrier=CPU)');
    equal(Strideweave.full([2, 2], 0.5).dup_values_text(), '[[0.5 0.5]\n [0.5 0.5]]');
    const released = Strideweave.zeros([2, [1, 2]]);
    released.carrier.release();
    ok(`${released}`.startsWith('Tensor(shape=(2, (1, 2)), dtype=Float32, carrier=CPU; no values: '), `${released}`);
    throws(Strideweave.Error, /released/, () => released.dup_values_text());
});

test('modes that stay', () => {
    const one = Strideweave.tensor([[1, 5, 3], [4, 2, 6]]);
    equal(Strideweave.reduce_sum(one, 1, true).toArray(), [[9], [12]]);
    equal(Strideweave.reduce_sum(one, null, true).toArray(), [[21]]);
    equal([Strideweave.reduce_max(one, 0, true).toArray(), Strideweave.reduce_min(one, [0, 1], true).toArray()], [[[4, 5, 6]], [[1]]]);
    equal([Strideweave.argmax(one, 1, true).toArray(), Strideweave.argmin(one, null, true).toArray()], [[[1], [2]], [[0]]]);
    equal(Strideweave.reduce_prod_modes(one, [1], true).toArray(), [[15], [48]]);
    const options = Strideweave.executionOptions('reduce_sum', {accumulatorDtype: DType.FLOAT64});
    equal(Strideweave.reduce_sum(one, 1, options).toArray(), Strideweave.reduce_sum(one, 1, false, options).toArray());
    throws(TypeError, /keep_modes must be a boolean/, () => Strideweave.reduce_max(one, 0, 1));
    throws(TypeError, /keep must be a boolean/, () => Strideweave.argmax(one, null, 1));
});

test('parts', () => {
    const one = Strideweave.tensor([[0, 1, 2, 3], [4, 5, 6, 7], [8, 9, 10, 11]]);
    equal(one.slice([1]).toArray(), [[4, 5, 6, 7], [8, 9, 10, 11]]);
    equal(one.slice(null, [0, null, 2]).toArray(), [[0, 2], [4, 6], [8, 10]]);
    equal(one.slice([-2, -1], [-3, 4, 2]).toArray(), [[5, 7]]);
    one.slice([0, 1], [3]).set(0, 30);
    equal(one.get([0, 3]), 30);
    throws(RangeError, /starts\[1\] is 5/, () => one.slice(null, [5]));
    throws(TypeError, /modes\[0\] must be an array/, () => one.slice(1));
    throws(RangeError, /steps\[0\] is 0/, () => one.slice([0, 3, 0]));
});

test('bytes in the order of arrays', () => {
    const one = Strideweave.tensor([[0, 1, 2], [3, 4, 5]], {dtype: DType.INT32});
    equal([...new Int32Array(one.dup_row_major_bytes().toArray().slice().buffer)], [0, 1, 2, 3, 4, 5]);
    equal([...new Int32Array(Strideweave.permute(one, 1, 0).dup_row_major_bytes().toArray().slice().buffer)], [0, 3, 1, 4, 2, 5]);
});

finish();
