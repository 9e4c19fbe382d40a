// SPDX-License-Identifier: LGPL-2.1-or-later
// Shape, Stride and Layout as JavaScript values.
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test, throws} from './tap.js';

const {Layout, layout, Shape, shape, Stride, stride} = Strideweave;

test('shapes are made of nested arrays', () => {
    const same = [new Shape(2, [3, 4]), new Shape([2, [3, 4]]), shape(2, [3, 4]), shape([2, new Int32Array([3, 4])]),
        shape(2n, [3, 4n]), Shape.new_from_string('(2, (3, 4))'), Shape.new_from_tokens([-4, 2, -4, 3, 4])];
    for (const one of same) {
        ok(one instanceof Shape && one.constructor === Shape && one.equals(same[0]));
        equal(one.topLevel, [2, [3, 4]]);
        equal([one.leaves, one.size, one.rank, one.depth], [[2, 3, 4], 24, 2, 2]);
        equal(`${one}`, 'Shape(2, (3, 4))');
        equal(JSON.stringify(one), '[2,[3,4]]');
    }
    equal([shape(5).topLevel, shape([5]).topLevel, shape([[5]]).topLevel], [[5], [5], [[5]]]);
    equal([shape().topLevel, shape([]).topLevel, shape().size, shape().rank, shape().depth], [[], [], 1, 0, 0]);
    ok(shape(same[0]) === same[0]);
    ok(!same[0].equals(shape(2, [3, 5])) && !same[0].equals(null) && !same[0].equals(stride(2, [3, 4])));
});

test('trees of shapes are frozen', () => {
    const {topLevel, leaves} = shape(2, [3, 4]);
    ok([topLevel, topLevel[1], leaves].every(Object.isFrozen));
    throws(TypeError, null, () => {
        shape(2).size = 5;
    });
});

test('modes of shapes', () => {
    const tree = shape(2, [3, 4]);
    equal([tree.at(0), tree.at(-2), tree.at(1).topLevel, tree.at(-1).topLevel], [2, 2, [3, 4], [3, 4]]);
    equal([...shape(5, 6)], [5, 6]);
    equal([...tree].length, 2);
    for (const mode of [2, -3, 2n ** 70n, 1.5, NaN])
        throws(RangeError, /mode/, () => tree.at(mode));
    for (const mode of ['0', null, undefined, {}])
        throws(TypeError, /mode/, () => tree.at(mode));
});

test('coordinates and ordinals', () => {
    const tree = shape(2, [3, 4]);
    for (let ordinal = 0; ordinal < tree.size; ordinal++)
        equal(tree.encode(tree.decode(ordinal)), ordinal);
    equal(tree.decode(23), [1, [2, 3]]);
    equal([tree.encode([1, 5]), tree.encode([1, [2, 1]]), tree.encode(7)], [11, 11, 7]);
    for (const ordinal of [24, -1, 2 ** 53, 1.5])
        throws(RangeError, null, () => tree.decode(ordinal));
    for (const coordinate of [[2, 0], [0, [0, 4]], [-1, 0], [0], [0, 0, 0], [0.5, 0], [2n ** 80n, 0]])
        throws(RangeError, null, () => tree.encode(coordinate));
    for (const coordinate of ['0', null, [null, 0], ['0', 0], [{}, 0]])
        throws(TypeError, null, () => tree.encode(coordinate));
});

test('large extents keep every digit', () => {
    const large = 2n ** 62n + 1n;
    equal([shape(large).topLevel, shape(2 ** 53 - 1).topLevel, stride(2n ** 53n).topLevel],
        [[large], [2 ** 53 - 1], [2n ** 53n]]);
    equal(shape([large, [1]]).at(0), large);
});

test('what is no shape', () => {
    for (const extent of [-1, 1.5, NaN, Infinity, 2 ** 63, 2n ** 63n, -(2n ** 90n)])
        throws(RangeError, /extent/, () => shape(2, [extent]));
    for (const extent of ['2', null, undefined, {}, true, Symbol('x'), new Date(0), shape(2)])
        throws(TypeError, /extent/, () => new Shape([2, extent]));
    throws(RangeError, null, () => shape(2n ** 62n, 4));
    let deep = 1;
    for (let i = 0; i < 2000; i++)
        deep = [deep];
    throws(RangeError, /deep/, () => shape(deep));
    const circular = [1];
    circular.push(circular);
    throws(RangeError, /deep/, () => shape(circular));
    for (const text of ['', '(', '(2,', '(2, x)', '2)'])
        throws(RangeError, null, () => Shape.new_from_string(text));
});

test('strides', () => {
    const tree = new Stride(1, [2, 0]);
    equal([tree.topLevel, tree.leaves, tree.rank, tree.depth, tree.at(-1).topLevel], [[1, [2, 0]], [1, 2, 0], 2, 2, [2, 0]]);
    equal(`${tree}`, 'Stride(1, (2, 0))');
    ok(tree.equals(stride([1, [2, 0]])) && !tree.equals(stride(1, [2, 1])));
    throws(RangeError, /step/, () => stride(-1));
});

test('layouts', () => {
    const one = new Layout([2, [3, 4]], [1, [2, 6]]);
    ok(one.equals(layout([2, [3, 4]])) && one.equals(layout(shape(2, [3, 4]), stride(1, [2, 6]))));
    equal([one.shape.topLevel, one.stride.topLevel, one.size, one.cosize], [[2, [3, 4]], [1, [2, 6]], 24, 24]);
    equal([one.isInjective, one.isCompact, layout(2, 0).isInjective, layout(2, 2).isCompact], [true, true, false, false]);
    equal(`${one}`, 'Layout(Shape(2, (3, 4)), Stride(1, (2, 6)))');
    equal(JSON.parse(JSON.stringify(one)), {shape: [2, [3, 4]], stride: [1, [2, 6]]});
    equal([one.index([1, [2, 3]]), one.index([1, 11]), one.index(23)], [23, 23, 23]);
    ok(one.at(1).equals(layout([3, 4], [2, 6])) && one.at(-2).equals(layout(2)));
    throws(RangeError, null, () => one.index(24));
    throws(RangeError, null, () => one.index([2, 0]));
    throws(TypeError, null, () => one.index('0'));
    throws(RangeError, null, () => one.at(2));
});

test('layouts are changed into others', () => {
    const one = layout([2, 3], [3, 1]);
    ok(one.permute(1, 0).equals(layout([3, 2], [1, 3])) && one.permute([1, 0]).equals(one.permute(1, 0)));
    ok(one.concat(layout(4, 6)).equals(layout([2, 3, 4], [3, 1, 6])));
    ok(one.append(layout([4, 5], [6, 24])).equals(layout([2, 3, [4, 5]], [3, 1, [6, 24]])));
    ok(layout([1, 3]).broadcast_to([4, 3]).shape.equals(shape(4, 3)));
    ok(layout(6).reshape([2, 3]).equals(layout([2, 3])));
    equal(layout(8).compose(layout(4, 2)).index(3), 6);
    throws(RangeError, /order/, () => one.permute(0, 0));
    throws(RangeError, /order/, () => one.permute(0));
    throws(TypeError, /order/, () => one.permute('01'));
    throws(RangeError, null, () => one.reshape([4, 4]));
    throws(TypeError, /other/, () => one.concat([4]));
    throws(TypeError, /inner/, () => one.compose(shape(2)));
});

test('what is no layout', () => {
    throws(RangeError, null, () => layout([2, [3, 4]], [1, 2]));
    throws(RangeError, null, () => new Layout(2, [1, 2]));
    for (const wrong of [null, undefined, '2', {}, true])
        throws(TypeError, /shape/, () => layout(wrong));
    for (const wrong of ['2', {}, true, shape(2)])
        throws(TypeError, /stride/, () => layout(2, wrong));
});

finish();
