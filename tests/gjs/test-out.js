// SPDX-License-Identifier: LGPL-2.1-or-later
// Results written to tensors that are there, memory that is kept for others, threads, and which kernel ran.
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test, throws} from './tap.js';

const {CPU, DType} = Strideweave;

function row(...values) {
    return Strideweave.from_values(values, null, DType.FLOAT32);
}

test('results go where they are wanted', () => {
    const out = Strideweave.zeros(2);
    ok(Strideweave.unary_into(out, 'neg', row(1, 2)));
    equal(out.toArray(), [-1, -2]);
    ok(Strideweave.binary_into(out, 'add', row(1, 2), row(10, 20)));
    equal(out.toArray(), [11, 22]);
    ok(Strideweave.binary_scalar_into(out, 'mul', out, 2));
    equal(out.toArray(), [22, 44]);
    ok(Strideweave.compute_into(out, 'clamp', [row(-5, 5), -1, 1]));
    equal(out.toArray(), [-1, 1]);
    const options = Strideweave.executionOptions('sub', {out});
    Strideweave.call_operation('sub', [row(5, 5), row(1, 2)], options);
    equal(out.toArray(), [4, 3]);
});

test('numbers come first', () => {
    equal(Strideweave.scalar_sub(2, row(1, 2)).toArray(), [1, 0]);
    equal(Strideweave.scalar_div(1, row(2, 4)).toArray(), [0.5, 0.25]);
    equal(Strideweave.scalar_lt(1, row(1, 2)).toArray(), [false, true]);
    equal(Strideweave.scalar_binary('pow', 2, row(3, 4), null).toArray(), [8, 16]);
    const out = Strideweave.zeros(2);
    ok(Strideweave.scalar_binary_into(out, 'rem', 5, row(3, 4)));
    equal(out.toArray(), [2, 1]);
    throws(RangeError, /takes no number/, () => Strideweave.scalar_binary('neg', 2, row(3, 4), null));
    throws(TypeError, /lhs must be a number/, () => Strideweave.scalar_sub('2', row(3, 4)));
});

test('what cannot be written to', () => {
    throws(RangeError, /shape/, () => Strideweave.unary_into(Strideweave.zeros(3), 'neg', row(1, 2)));
    throws(RangeError, /no_such/, () => Strideweave.unary_into(Strideweave.zeros(2), 'no_such', row(1, 2)));
    throws(TypeError, /out must be a Tensor/, () => Strideweave.unary_into(null, 'neg', row(1, 2)));
});

test('memory is kept for others', () => {
    const before = CPU.get_cache_limit();
    try {
        CPU.set_cache_limit(1 << 20);
        equal(CPU.get_cache_limit(), 1 << 20);
        CPU.trim_cache();
        equal(CPU.get_cache_statistics()[0], 0);
        CPU.new(4096, true, DType.FLOAT32, false).release();
        ok(CPU.get_cache_statistics()[0] >= 4 * 4096);
        const [, hits] = CPU.get_cache_statistics();
        const again = CPU.new(4096, true, DType.FLOAT32, false);
        ok(CPU.get_cache_statistics()[1] > hits);
        again.release();
        ok(CPU.trim_cache() >= 4 * 4096);
        equal(CPU.get_cache_statistics()[0], 0);
        CPU.set_cache_limit(0);
        CPU.new(4096, true, DType.FLOAT32, false).release();
        equal(CPU.get_cache_statistics()[0], 0);
        throws(RangeError, /-1/, () => CPU.set_cache_limit(-1));
    } finally {
        CPU.set_cache_limit(before);
    }
});

test('threads', () => {
    const before = CPU.get_n_threads();
    try {
        CPU.set_n_threads(2);
        equal(CPU.get_n_threads(), 2);
        throws(RangeError, /0/, () => CPU.set_n_threads(0));
        throws(RangeError, /1000/, () => CPU.set_n_threads(1000));
        equal(CPU.get_n_threads(), 2);
    } finally {
        CPU.set_n_threads(before);
    }
});

test('which kernel ran', () => {
    const add = row(1, 2).carrier.dispatch_op('add');
    equal([add.kernel, add.dup_kernel_rejections()], [null, null]);
    add.forward([row(1, 2), row(3, 4)], null);
    ok(add.kernel.includes('contiguous'), add.kernel);
    ok(add.dup_kernel_rejections().every(reason => /^.+: .+/.test(reason)));
    const strided = Strideweave.zeros([2, 2]).slice(null, [0, 1]);
    const neg = strided.carrier.dispatch_op('neg');
    neg.forward([strided], null);
    ok(typeof neg.kernel === 'string');
});

finish();
