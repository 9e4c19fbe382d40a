// SPDX-License-Identifier: LGPL-2.1-or-later
// Carriers and operations written in JavaScript, called by C; above all those that fail.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

import {evictable, flat, Inner, Listed, Middle, names, Outer, raiser, recorded, residentPages, Step, step, testMemory, vector}
    from './helpers.js';
import {equal, finish, ok, test, throws, throwsThis} from './tap.js';

const {Carrier, DType, Generic, Operation, Tensor} = Strideweave;

class Boom extends Error {
    constructor(message, number) {
        super(message);
        this.number = number;
    }
}

function caught(callback) {
    try {
        callback();
    } catch (error) {
        return error;
    }
    throw new Error('nothing was thrown');
}

const THROWN = {
    'a class of its own': new Boom('boom', 5),
    'a TypeError': new TypeError('type'),
    'a RangeError': new RangeError('range'),
    'a number': 5,
    'null': null,
    'undefined': undefined,
    'a string': 'text',
    'a symbol': Symbol('symbol'),
    'a frozen object': Object.freeze({a: 1}),
    'an object without text': Object.create(null),
    'an error of Gio': new Gio.IOErrorEnum({code: Gio.IOErrorEnum.NOT_FOUND, message: 'text'}),
    'an error of the library': new GLib.Error(Strideweave.Error, Strideweave.Error.STATE, 'text'),
    'an error that came out of C': caught(() => Strideweave.Shape.new([2n ** 62n, 4n])),
    'text that C cannot hold': new Boom('a \0 inside, \ud800 and ünï'),
};

const HOOKS = {
    size: carrier => carrier.size(),
    dtype: carrier => carrier.dtype(),
    get_value: carrier => carrier.get(0),
    set_value: carrier => carrier.set(0, 1),
    is_mutable: carrier => carrier.is_mutable(),
    new_like: carrier => carrier.new_like([1], true, DType.INVALID),
    allocate_like: carrier => carrier.allocate_like(1, true, DType.INVALID, false),
    scatter: carrier => carrier.scatter(flat(new Listed([1])), flat(carrier), Strideweave.layout(1), 0),
    dispatch_op: carrier => carrier.dispatch_op('step'),
};

// A carrier class with another hook, which does what `behave` says.
let behave = null;
const Failing = Object.fromEntries(Object.keys(HOOKS).map(hook => {
    const klass = class extends Listed {};
    Object.defineProperty(klass, 'name', {value: `Failing_${hook}`});
    klass.prototype[`vfunc_${hook}`] = function (...args) {
        return behave ? behave(...args) : Listed.prototype[`vfunc_${hook}`].apply(this, args);
    };
    return [hook, GObject.registerClass(klass)];
}));

// Calls the hook, with the behaviour, on a carrier that was made without it.
function through(hook, behaviour) {
    const carrier = new Failing[hook]([1]);
    const call = HOOKS[hook];
    const prepared = hook === 'scatter' ? flat(carrier) : null;
    try {
        behave = behaviour;
        if (hook === 'scatter')
            return carrier.scatter(flat(new Listed([1])), prepared, Strideweave.layout(1), 0);
        return call(carrier);
    } finally {
        behave = null;
    }
}

for (const [what, thrown] of Object.entries(THROWN)) {
    test(`${what} comes out of each carrier hook as itself`, () => {
        for (const hook of Object.keys(HOOKS))
            throwsThis(thrown, () => through(hook, raiser(thrown)));
    });
    test(`${what} comes out of nested operations as itself`, () => {
        for (const depth of [0, 1, 4]) {
            const nested = level => level === 0 ? raiser(thrown) : () => step(Inner, nested(level - 1));
            let profiler;
            throwsThis(thrown, () => {
                profiler = Strideweave.profile();
                profiler.run(() => step(Outer, nested(depth)));
            });
            equal(profiler.events().map(({succeeded}) => succeeded), Array(depth + 1).fill(false));
        }
    });
}

test('what a hook may not return', () => {
    const wrong = {
        size: ['5', 1.5, NaN, undefined, null, 2n ** 64n, -5],
        dtype: ['FLOAT32', 99, undefined, null, 1.5],
        get_value: [undefined],
        set_value: [false],
        new_like: [undefined, null, 5, {}, new Step()],
        allocate_like: [undefined, null, 5, {}, new Step()],
        scatter: [false],
        dispatch_op: [undefined, null, 5, {}, new Generic([1])],
    };
    for (const [hook, values] of Object.entries(wrong)) {
        for (const value of values) {
            const error = caught(() => through(hook, () => value));
            ok([TypeError, RangeError, Strideweave.Error].includes(error.constructor), `${hook}: ${error}`);
            ok(new RegExp(hook).test(error.message), `${hook}: ${error.message}`);
        }
    }
});

test('an operation that returns no Tensor', () => {
    for (const result of [null, 5, {}, new Generic([1])]) {
        const profiler = recorded(() => throws(TypeError, /Step.vfunc_compute\(\) must return a Tensor/,
            () => step(Outer, () => result)));
        equal(profiler.events().map(({succeeded}) => succeeded), [false]);
    }
});

test('a dispatched operation must be fresh', () => {
    const used = new Step();
    through('dispatch_op', () => used);
    throws(TypeError, /fresh/, () => through('dispatch_op', () => used));
});

test('operations that a carrier does not know', () => {
    const carrier = new Outer([1]);
    const error = throws(Strideweave.Error, /nonsense/, () => carrier.dispatch_op('nonsense'));
    ok(error.matches(Strideweave.Error, Strideweave.Error.NOT_IMPLEMENTED));
    throws(Strideweave.Error, /relu/, () => Strideweave.relu(flat(carrier)));
});

test('a class without hooks', () => {
    const Bare = GObject.registerClass(class Bare extends Carrier {});
    const bare = new Bare();
    for (const call of [() => bare.size(), () => bare.dtype(), () => bare.get(0), () => bare.dispatch_op('relu')])
        throws(Strideweave.Error, /Bare does not implement/, call);
    const Idle = GObject.registerClass(class Idle extends Operation {});
    throws(TypeError, /Idle does not implement compute/, () => new Idle().forward([vector([1])]));
});

test('an error that is handled inside of a hook', () => {
    const inner = new Boom('inner');
    const result = step(Outer, tensor => {
        throwsThis(inner, () => step(Inner, raiser(inner)));
        return tensor;
    });
    equal(result.toArray(), [1, 2]);
});

test('another error than the one that was handled', () => {
    const [first, second] = [new Boom('same text'), new Boom('same text')];
    throwsThis(second, () => step(Outer, () => {
        throwsThis(first, () => step(Inner, raiser(first)));
        throw second;
    }));
});

test('of errors that say the same, the last one', () => {
    const make = () => new GLib.Error(Strideweave.Error, Strideweave.Error.STATE, 'same text');
    const [first, second] = [make(), make()];
    throwsThis(second, () => step(Outer, () => {
        throwsThis(first, () => step(Inner, raiser(first)));
        throw second;
    }));
});

test('an error that a hook translates', () => {
    const error = caught(() => step(Outer, () => {
        try {
            step(Inner, raiser(new Boom('inner')));
        } catch (cause) {
            throw new Error('outer', {cause});
        }
        return null;
    }));
    equal([error.message, error.cause.message], ['outer', 'inner']);
});

testMemory('errors are not kept', () => {
    const rounds = count => {
        for (let i = 0; i < count; i++) {
            const thrown = new Boom('boom');
            thrown.payload = new Uint8Array(2 ** 20).fill(1);
            throwsThis(thrown, () => step(Outer, raiser(thrown)));
            System.gc();
        }
        return residentPages();
    };
    const before = rounds(20);
    const after = rounds(100);
    // All payloads would be 25600 pages.
    ok(after - before < 10000, `${before} pages became ${after}: that`);
});

// --- Carriers ---

test('a carrier keeps every value as it is', () => {
    const object = {a: 1};
    const values = [1, -1.5, -0, NaN, Infinity, 2 ** 60, 'text', '', true, false, null, object, [1, 'x'], [1, 2],
        Symbol.iterator, () => 1, new Date(0), new Generic([1]), Generic, 2n ** 60n];
    const exact = new Map([[2n ** 60n, 2n ** 60n]]);
    const carrier = new Listed(values);
    for (const [index, value] of values.entries()) {
        equal(carrier.get(index), value);
        carrier.set(index, 0);
        carrier.set(index, value);
        ok(Object.is(carrier.values[index], exact.get(value) ?? value), String(value));
    }
    equal([...carrier].length, values.length);
    const any = new Generic(values, {dtype: DType.ANY});
    for (const [index, value] of values.entries())
        equal(any.get(index), value);
});

test('integers that a Number would round come as BigInts', () => {
    const carrier = new Listed([2n ** 62n, -(2n ** 63n), 5n, 2 ** 53 - 1]);
    equal([...carrier], [2n ** 62n, -(2n ** 63n), 5, 2 ** 53 - 1]);
    throws(RangeError, /fits/, () => new Listed([2n ** 63n]).get(0));
});

test('limits are checked before a hook is asked', () => {
    const carrier = new Listed([1, 2]);
    for (const index of [2, -1, 2 ** 53, 2n ** 62n])
        throws(RangeError, /index/, () => carrier.get(index));
    for (const index of [1.5, NaN, 2n ** 64n])
        throws(RangeError, /index/, () => carrier.get(index));
    for (const index of ['0', null, undefined, {}, true])
        throws(TypeError, /index/, () => carrier.get(index));
    throws(Strideweave.Error, /immutable/, () => new Listed([1], false).set(0, 1));
});

test('a carrier makes others of its kind', () => {
    const carrier = new Listed([1]);
    const made = carrier.new_like(['a', 2, null], false, DType.INVALID);
    equal([made.constructor, made.values, made.mutable, made.kind], [Listed, ['a', 2, null], false, DType.ANY]);
    const allocated = carrier.allocate_like(3, true, DType.FLOAT64, true);
    equal([allocated.values, allocated.kind], [[0, 0, 0], DType.FLOAT64]);
});

test('scatter writes through set_value', () => {
    const carrier = new Listed([0, 0, 0, 0]);
    carrier.scatter(vector([1, 2]), flat(carrier), Strideweave.layout(2, 2), 1);
    equal(carrier.values, [0, 1, 0, 2]);
});

test('tensors on a carrier of JavaScript', () => {
    const tensor = new Tensor(new Listed(['a', 'b', 'c', 'd', 'e', 'f']), 0, Strideweave.layout([2, 3], [3, 1]));
    equal(tensor.toArray(), [['a', 'b', 'c'], ['d', 'e', 'f']]);
    equal([...tensor], ['a', 'd', 'b', 'e', 'c', 'f']);
    tensor.set([1, 2], 5);
    equal([tensor.get([1, 2]), tensor.get(5), tensor.carrier.values[5]], [5, 5, 5]);
    throws(RangeError, null, () => tensor.get([2, 0]));
});

// --- Composites: an adapter that owns another carrier, and lowers to it ---

const Lowering = GObject.registerClass(class Lowering extends Operation {
    constructor(name) {
        super();
        this.name = name;
    }

    vfunc_compute(inputs, options) {
        const lowered = [...inputs].map(input => input instanceof Tensor
            ? new Tensor(input.carrier.inner, input.offset, input.layout) : input);
        const carrier = inputs.at(0).carrier;
        const result = carrier.inner.dispatch_op(this.name).lower(lowered, options);
        return new Tensor(new carrier.constructor(result.carrier), result.offset, result.layout);
    }
});

class Adapting extends Carrier {
    constructor(inner) {
        super();
        this.inner = inner;
    }

    vfunc_size() {
        return this.inner.size();
    }

    vfunc_dtype() {
        return this.inner.dtype();
    }

    vfunc_get_value(index) {
        return this.inner.get(index);
    }

    vfunc_dispatch_op(name) {
        return new Lowering(name);
    }
}

const Adapter = GObject.registerClass(Adapting);
const Second = GObject.registerClass(class Second extends Adapter {});
const Third = GObject.registerClass(class Third extends Adapter {});

test('three adapters over a carrier of the library', () => {
    const tensor = flat(new Third(new Second(new Adapter(new Generic([1, -2])))));
    let result;
    const profiler = recorded(() => {
        result = Strideweave.relu(tensor);
    }, {recordShapes: true});
    equal(result.toArray(), [1, 0]);
    ok(result.carrier instanceof Third && result.carrier.inner instanceof Second);
    equal(profiler.events().map(({carrierType, parentId, name}) => [carrierType, parentId, name]), [
        [Third, null, 'relu'], [Second, 0, 'relu'], [Adapter, 1, 'relu'], [Generic, 2, 'relu'],
    ]);
    equal(profiler.events().map(({implementationType}) => implementationType),
        [Lowering, Lowering, Lowering, Strideweave.GenericReLUOperation]);
    equal(profiler.events().map(({inputShapes}) => inputShapes), Array(4).fill([[2]]));
    const events = profiler.events();
    for (let level = 0; level < 3; level++)
        equal(events[level].selfTimeNs, events[level].durationNs - events[level + 1].durationNs);
});

test('an adapter over an Evictable', () => {
    const inner = evictable([1, -2]).carrier;
    const profiler = recorded(() => Strideweave.mul(flat(new Adapter(inner)), 2));
    equal(profiler.events().map(({carrierType}) => carrierType), [Adapter, Strideweave.Evictable, Generic]);
    inner.evict();
    const failed = recorded(() => throws(Strideweave.Error, /promote/, () => Strideweave.relu(flat(new Adapter(inner)))));
    ok(failed.events().length > 0 && failed.events().every(({succeeded}) => !succeeded));
});

test('an adapter passes errors of the library on, and what was asked of it', () => {
    const tensor = flat(new Third(new Adapter(new Generic([1]))));
    throws(TypeError, /rhs must be a Tensor/, () => Strideweave.add(tensor, 'x'));
    throws(Strideweave.Error, /nonsense/, () => tensor.carrier.dispatch_op('nonsense').forward([tensor]));
});

test('an Evictable over carriers of JavaScript', () => {
    const moveValues = (tensor, destination) => {
        destination.values.splice(0, tensor.carrier.size(), ...tensor.carrier.values);
        return new Tensor(destination, tensor.offset, tensor.layout);
    };
    throws(Strideweave.Error, /no move/, () => new Strideweave.Evictable(new Outer([1, 2]), new Inner([])));
    Strideweave.register_move(Outer, Inner, moveValues);
    Strideweave.register_move(Inner, Outer, moveValues);
    const [primary, secondary] = [new Outer([1, 2]), new Inner([0, 0])];
    const tiers = new Strideweave.Evictable(primary, secondary);
    ok(tiers.primary === primary && tiers.secondary === secondary);
    const tensor = flat(tiers);
    const profiler = recorded(() => tiers.dispatch_op('step').forward([tensor]));
    equal(profiler.events().map(({carrierType}) => carrierType), [Strideweave.Evictable, Outer]);
    tiers.evict();
    throws(Strideweave.Error, /promote/, () => tensor.get(0));
    tiers.promote();
    equal(tensor.toArray(), [1, 2]);
    throws(Strideweave.Error, /owns/, () => tiers.primary.set(0, 5));
});

// --- Classes ---

test('a class that is defined again is another exact class', () => {
    const make = () => GObject.registerClass(class Again extends Outer {});
    const [first, second, third] = [make(), make(), make()];
    ok(new Set([first, second, third].map(({$gtype}) => $gtype.name)).size === 3);
    const profiler = recorded(() => {
        step(first);
        step(second);
    }, {carriers: [second, third]});
    equal(profiler.events().map(({carrierType}) => carrierType), [second]);
    const named = {GTypeName: 'StrideweaveTestNamed'};
    ok(GObject.registerClass(named, class Named extends Outer {}).$gtype.name === 'StrideweaveTestNamed');
});

test('tables name classes as JavaScript does', () => {
    const Labelled = GObject.registerClass({GTypeName: 'StrideweaveTestLabelled'}, class Labelled extends Middle {});
    ok(/^step +Labelled +1 /m.test(recorded(() => step(Labelled)).table()));
    ok(/^step +Outer +1 /m.test(recorded(() => step(Outer)).table()));
    GObject.registerClass(class extends Outer {});
});

test('classes that are closed', () => {
    const closed = ['Generic', 'CPU', 'FileBacked', 'Evictable', 'Profiler', 'GenericReLUOperation'];
    for (const name of closed) {
        const klass = class extends Strideweave[name] {};
        throws(TypeError, new RegExp(`${name} is closed`), () => GObject.registerClass(klass));
    }
    for (const name of ['Generic', 'CPU', 'Shape', 'Layout', 'Tensor', 'Profiler', 'ProfilerEvent']) {
        const klass = class extends Strideweave[name] {};
        throws(TypeError, new RegExp(`${name} is closed`), () => new klass([1]));
    }
});

test('classes that are abstract', () => {
    for (const klass of [Carrier, Operation])
        throws(Error, /abstract/, () => new klass());
});

test('hooks of a parent class', () => {
    const Doubling = GObject.registerClass(class Doubling extends Listed {
        vfunc_get_value(index) {
            return super.vfunc_get_value(index) * 2;
        }

        vfunc_scatter(...args) {
            this.scattered = true;
            return super.vfunc_scatter(...args);
        }
    });
    const carrier = new Doubling([1, 2, 0]);
    equal([...carrier], [2, 4, 0]);
    carrier.scatter(vector([7]), flat(carrier), Strideweave.layout(1), 2);
    equal([carrier.values, carrier.scattered], [[1, 2, 7], true]);
    const thrown = new Boom('boom');
    const Throwing = GObject.registerClass(class Throwing extends Failing.get_value {
        vfunc_get_value(index) {
            return super.vfunc_get_value(index);
        }
    });
    try {
        behave = raiser(thrown);
        throwsThis(thrown, () => new Throwing([1]).get(0));
    } finally {
        behave = null;
    }
});

test('a function for moves', () => {
    const Source = GObject.registerClass(class Source extends Listed {});
    const Target = GObject.registerClass(class Target extends Listed {});
    const thrown = new Boom('boom');
    let outcome = (tensor, destination) => {
        for (let index = 0; index < tensor.carrier.size(); index++)
            destination.values[index] = tensor.carrier.get(index);
        return new Tensor(destination, tensor.offset, tensor.layout);
    };
    Strideweave.register_move(Source, Target, (...args) => outcome(...args));
    const tensor = flat(new Source([1, 2]));
    const moved = Strideweave.move(tensor, new Target([0, 0]));
    ok(moved.carrier instanceof Target);
    equal(moved.toArray(), [1, 2]);
    ok(tensor.carrier.is_released());
    outcome = raiser(thrown);
    throwsThis(thrown, () => Strideweave.move(flat(new Source([1])), new Target([0])));
    outcome = () => 5;
    throws(TypeError, /must return a Tensor/, () => Strideweave.move(flat(new Source([1])), new Target([0])));
    throws(TypeError, /sourceType/, () => Strideweave.register_move(Tensor, Target, () => null));
    throws(TypeError, /callback/, () => Strideweave.register_move(Source, Target, 5));
    throws(Strideweave.Error, null, () => Strideweave.move(flat(new Target([1])), new Source([0])));
});

test('an operation knows who dispatched it', () => {
    const operation = new Outer([1]).dispatch_op('step');
    equal([operation.dispatchName, operation.carrierType, operation.constructor], ['step', Outer, Step]);
    equal([new Step().dispatchName, new Step().carrierType], [null, null]);
});

test('options reach the operation', () => {
    let seen;
    const Optional = GObject.registerClass(class Optional extends Operation {
        vfunc_compute(inputs, options) {
            seen = options;
            return inputs.at(0);
        }
    });
    const Carrying = GObject.registerClass(class Carrying extends Listed {
        static operations = {reduce_sum: Optional};
    });
    const tensor = flat(new Carrying([1]));
    const options = Strideweave.executionOptions('reduce_sum', {accumulatorDtype: DType.FLOAT32});
    Strideweave.reduce_sum(tensor, options);
    equal([seen.get_operation_name(), seen.get_accumulator_dtype()], ['reduce_sum', DType.FLOAT32]);
    Strideweave.reduce_sum(tensor);
    equal(seen, null);
    equal(names(recorded(() => Strideweave.reduce_sum(tensor, [0]))), ['reduce_sum']);
});

test('what hooks and move functions got may be kept', () => {
    const kept = {};
    const Keeper = GObject.registerClass(class Keeper extends Strideweave.Operation {
        vfunc_compute(inputs) {
            kept.inputs = inputs;
            [kept.tensor] = inputs;
            return kept.tensor;
        }
    });
    const Source = GObject.registerClass(class KeptSource extends Listed {
        static operations = {keep: Keeper};
    });
    const Target = GObject.registerClass(class KeptTarget extends Listed {});
    Strideweave.register_move(Source, Target, (tensor, destination) => {
        kept.source = tensor;
        return new Strideweave.Tensor(destination, tensor.offset, tensor.layout);
    });
    (() => {
        Strideweave.call_operation('keep', [flat(new Source([1, 2, 3]))]);
        Strideweave.move(flat(new Source([1, 2])), new Target([0, 0]));
    })();
    System.gc();
    for (let i = 0; i < 1000; i++)
        flat(new Listed([1]));
    equal([kept.tensor.shape.size, [...kept.inputs].length, kept.source.shape.size], [3, 1, 2]);
});

finish();
