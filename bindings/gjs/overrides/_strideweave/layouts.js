// SPDX-License-Identifier: LGPL-2.1-or-later
// Shape, Stride and Layout: immutable, compared by value, written as nested arrays.
/* exported init, shapeFrom */

const {instance, integer, typeName} = imports.overrides._strideweave.checks;
const {define, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {indicesOf, isList, keyTokens, tokensOf, treeOf, treeOfText} = imports.overrides._strideweave.trees;

// `f (2, [3, 4])` and `f ([2, [3, 4]])` mean the same tree; so do `f (5)` and `f ([5])`.
function treeFrom(constructor, items, what, minimum) {
    if (items.length === 1 && items[0] instanceof constructor)
        return items[0];
    const tree = items.length === 1 && isList(items[0]) ? items[0] : items;
    return constructor.new_from_tokens(tokensOf(tree, what, minimum));
}

function shapeFrom(...items) {
    return treeFrom(native.Shape, items, "a Shape's extent", 0);
}

function strideFrom(...items) {
    return treeFrom(native.Stride, items, "a Stride's step", 0);
}

function asShape(shape) {
    if (shape instanceof native.Shape)
        return shape;
    if (isList(shape) || typeof shape === 'number' || typeof shape === 'bigint')
        return shapeFrom(shape);
    throw new TypeError(`shape must be a Shape, not ${typeName(shape)}`);
}

function layoutFrom(shape, stride) {
    if (stride === undefined || stride === null)
        return native.Layout.new_compact(asShape(shape));
    if (!(stride instanceof native.Stride) && !isList(stride) && typeof stride !== 'number' && typeof stride !== 'bigint')
        throw new TypeError(`stride must be a Stride, not ${typeName(stride)}`);
    return native.Layout.new(asShape(shape), strideFrom(stride));
}

function checkMode(mode, rank) {
    if (integer(mode, 'mode') < -rank || mode >= rank)
        throw new RangeError(`mode is ${mode}, but there are ${rank} modes`);
    return Number(mode) < 0 ? Number(mode) + rank : Number(mode);
}

// What Shape and Stride share.
function treeMembers(constructor) {
    return {
        // The modes as a frozen nested array.
        get topLevel() {
            return treeOfText(this.to_string());
        },
        // The leaves in order, as a frozen flat array.
        get leaves() {
            return Object.freeze(this.topLevel.flat(Infinity));
        },
        get rank() {
            return this.get_rank();
        },
        get depth() {
            return this.get_depth();
        },
        // One mode: a number if it is a leaf. A negative number counts from the end.
        at(mode) {
            const place = checkMode(mode, this.get_rank());
            return this.is_leaf(place) ? this.topLevel[place] : this.dup_mode(place);
        },
        * [Symbol.iterator]() {
            for (let mode = 0; mode < this.get_rank(); mode++)
                yield this.at(mode);
        },
        equals(other) {
            return other instanceof constructor && this.equal(other);
        },
        toJSON() {
            return this.topLevel;
        },
        toString() {
            return `${constructor.name}${this.to_string()}`;
        },
    };
}

function defineTrees() {
    const {Shape, Stride} = native;
    const {decode, encode} = Shape.prototype;
    define(Shape, treeMembers(Shape));
    define(Stride, treeMembers(Stride));
    define(Shape, {
        // The product of all extents.
        get size() {
            return this.get_size();
        },
        // The coordinate of the ordinal-th element, first mode fastest, as a nested array.
        decode(ordinal) {
            return treeOf(decode.call(this, ordinal));
        },
        // The ordinal of a coordinate; an integer stands for all of a mode's leaves.
        encode(coordinate) {
            return encode.call(this, keyTokens(coordinate));
        },
    });
}

function layoutMembers() {
    const {Layout} = native;
    const {concat, append, permute, broadcast_to, reshape} = Layout.prototype;
    const joined = function (join, first, others) {
        return others.reduce((layout, other) => join.call(layout, instance(other, Layout, 'Layout', 'other')), first);
    };
    return {
        get shape() {
            return this.get_shape();
        },
        get stride() {
            return this.get_stride();
        },
        // How many coordinates there are.
        get size() {
            return this.get_size();
        },
        // One more than the greatest index; 0 where there is none.
        get cosize() {
            return this.get_cosize();
        },
        // Whether no two coordinates share an index.
        get isInjective() {
            return this.is_injective();
        },
        // Whether the indices are 0 ... size - 1, each once.
        get isCompact() {
            return this.is_compact();
        },
        // Where a coordinate lies. An integer counts all coordinates, first mode fastest.
        index(key) {
            return isList(key) ? this.get_index(keyTokens(key)) : this.get_index_at(key);
        },
        at(mode) {
            return this.dup_mode(checkMode(mode, this.shape.rank));
        },
        broadcast_to(shape) {
            return broadcast_to.call(this, asShape(shape));
        },
        permute(...order) {
            return permute.call(this, indicesOf(order.length === 1 && isList(order[0]) ? order[0] : order, 'order'));
        },
        concat(...others) {
            return joined(concat, this, others);
        },
        append(...others) {
            return joined(append, this, others);
        },
        reshape(shape) {
            return reshape.call(this, asShape(shape));
        },
        equals(other) {
            return other instanceof Layout && this.equal(other);
        },
        toJSON() {
            return {shape: this.shape.topLevel, stride: this.stride.topLevel};
        },
        toString() {
            return `Layout(${this.shape}, ${this.stride})`;
        },
    };
}

function init(namespace) {
    defineTrees();
    define(native.Layout, layoutMembers());
    replaceConstructor('Shape', shapeFrom);
    replaceConstructor('Stride', strideFrom);
    replaceConstructor('Layout', layoutFrom);
    namespace.shape = shapeFrom;
    namespace.stride = strideFrom;
    namespace.layout = layoutFrom;
}
