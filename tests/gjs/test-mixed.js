// SPDX-License-Identifier: LGPL-2.1-or-later
// Towers of carriers in several languages, each of which owns the next one and lowers to it.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import System from 'system';
import Fixture from 'gi://Fixture?version=1';
import ValaFixture from 'gi://ValaFixture?version=1';
import Strideweave from 'gi://Strideweave?version=1';

import {flat, Outer, recorded, residentPages, testMemory} from './helpers.js';
import {equal, finish, ok, test, throws, throwsError, throwsThis} from './tap.js';

const {Carrier, DType, Generic, Operation, Tensor} = Strideweave;

class Boom extends Error {}

const HOOKS = {
    size: tensor => tensor.carrier.size(),
    dtype: tensor => tensor.carrier.dtype(),
    get_value: tensor => tensor.carrier.get(1),
    dispatch_op: tensor => tensor.carrier.dispatch_op('relu'),
    compute: tensor => Strideweave.relu(tensor),
};

const JsOperation = GObject.registerClass(class JsOperation extends Operation {
    constructor(carrier, inner) {
        super();
        this.carrier = carrier;
        this.inner = inner;
    }

    vfunc_compute(inputs, options) {
        this.carrier.check('compute');
        const lowered = [...inputs].map(input => input instanceof Tensor
            ? new Tensor(input.carrier.inner, input.offset, input.layout) : input);
        const result = this.inner.lower(lowered, options);
        return new Tensor(new this.carrier.constructor(result.carrier), result.offset, result.layout);
    }
});

const JsWrapper = GObject.registerClass(class JsWrapper extends Carrier {
    constructor(inner) {
        super();
        this.inner = inner;
        this.failures = new Map();
    }

    check(hook) {
        if (this.failures.has(hook))
            throw this.failures.get(hook);
    }

    vfunc_size() {
        this.check('size');
        return this.inner.size();
    }

    vfunc_dtype() {
        this.check('dtype');
        return this.inner.dtype();
    }

    vfunc_get_value(index) {
        this.check('get_value');
        return this.inner.get(index);
    }

    vfunc_dispatch_op(name) {
        this.check('dispatch_op');
        return new JsOperation(this, this.inner.dispatch_op(name));
    }
});

const WRAPPERS = {
    js: inner => new JsWrapper(inner),
    vala: inner => ValaFixture.Wrapper.new(inner),
    c: inner => Fixture.Wrapper.new(inner),
};
const CLASSES = {js: JsWrapper, vala: ValaFixture.Wrapper, c: Fixture.Wrapper, generic: Generic};
const OPERATIONS = {js: JsOperation, vala: ValaFixture.Operation, c: Fixture.Operation};
const ORDERS = [
    ['js', 'vala', 'c'], ['js', 'c', 'vala'], ['vala', 'js', 'c'], ['vala', 'c', 'js'], ['c', 'js', 'vala'], ['c', 'vala', 'js'],
];

// A tensor on the outermost of the carriers, and all of them by language.
function tower(languages, values = [1, -2]) {
    const levels = {};
    let carrier = new Generic(values);
    for (const language of [...languages].reverse()) {
        carrier = WRAPPERS[language](carrier);
        levels[language] = carrier;
    }
    return [flat(carrier), levels];
}

function carriersOf(profiler) {
    return profiler.events().map(({carrierType}) => carrierType);
}

for (const languages of ORDERS) {
    const order = languages.join(' over ');

    test(`${order}: values come from the bottom`, () => {
        const [tensor] = tower(languages);
        equal([tensor.carrier.size(), tensor.carrier.dtype()], [2, DType.FLOATING]);
        equal([...tensor.carrier], [1, -2]);
        const result = Strideweave.relu(tensor);
        equal(result.toArray(), [1, 0]);
        let {carrier} = result;
        for (const language of languages) {
            ok(carrier instanceof CLASSES[language]);
            carrier = language === 'js' ? carrier.inner : carrier.get_inner();
        }
        ok(carrier instanceof Generic);
        equal(Strideweave.add(tensor, result).toArray(), [2, -2]);
    });

    test(`${order}: each level is an event inside the one above`, () => {
        Fixture.set_clock(1000, 10);
        const [tensor] = tower(languages);
        const profiler = recorded(() => Strideweave.relu(tensor), {recordShapes: true});
        Fixture.unset_clock();
        const events = profiler.events();
        equal(carriersOf(profiler), [...languages, 'generic'].map(language => CLASSES[language]));
        equal(events.map(({implementationType}) => implementationType),
            [...languages.map(language => OPERATIONS[language]), Strideweave.GenericReLUOperation]);
        equal(events.map(({parentId}) => parentId), [null, 0, 1, 2]);
        equal(events.map(({name}) => name), Array(4).fill('relu'));
        equal(events.map(({inputShapes}) => inputShapes), Array(4).fill([[2]]));
        // The clock moves on by ten with each of the eight readings.
        equal(events.map(({durationNs}) => durationNs), [70, 50, 30, 10]);
        equal(events.map(({selfTimeNs}) => selfTimeNs), [20, 20, 20, 10]);
    });

    test(`${order}: selection of some levels`, () => {
        const [tensor] = tower(languages);
        const levels = [...languages, 'generic'];
        for (let bits = 0; bits < 16; bits++) {
            const chosen = levels.filter((_, place) => bits & 1 << place).map(language => CLASSES[language]);
            const profiler = recorded(() => Strideweave.relu(tensor), {carriers: chosen});
            equal(carriersOf(profiler), chosen);
            equal(profiler.events().map(({parentId}) => parentId), chosen.map((_, place) => place === 0 ? null : place - 1));
        }
    });

    test(`${order}: an error of JavaScript comes out as the same object`, () => {
        for (const hook of Object.keys(HOOKS)) {
            const [tensor, {js}] = tower(languages);
            for (const thrown of [new Boom('boom'), new TypeError('type'), 5, new GLib.Error(GLib.quark_from_string('own'), 5, 'text')]) {
                js.failures.set(hook, thrown);
                let profiler;
                throwsThis(thrown, () => {
                    profiler = Strideweave.profile();
                    profiler.run(() => HOOKS[hook](tensor));
                });
                const depth = hook === 'compute' ? languages.indexOf('js') + 1 : 0;
                equal(profiler.events().map(({succeeded}) => succeeded), Array(depth).fill(false));
            }
            js.failures.clear();
            equal(Strideweave.relu(tensor).toArray(), [1, 0]);
        }
    });

    test(`${order}: an error of C or Vala keeps domain and code`, () => {
        for (const hook of Object.keys(HOOKS)) {
            const [tensor, {c}] = tower(languages);
            c.fail(hook, 'fixture-domain', 77, 'broken in C');
            const ofC = throwsError(GLib.quark_from_string('fixture-domain'), 77, () => HOOKS[hook](tensor));
            equal(ofC.message, 'broken in C');
            const [other, {vala}] = tower(languages);
            vala.fail(hook, 'broken in Vala');
            const ofVala = throwsError(ValaFixture.HookError, ValaFixture.HookError.TORN, () => HOOKS[hook](other));
            equal(ofVala.message, 'broken in Vala');
        }
    });

    test(`${order}: an error of the library keeps its meaning`, () => {
        const [tensor] = tower(languages);
        const profiler = recorded(() => throws(TypeError, /rhs must be a Tensor/, () => Strideweave.add(tensor, 'x')));
        equal(profiler.events().map(({succeeded}) => succeeded), Array(4).fill(false));
        throwsError(Strideweave.Error, Strideweave.Error.NOT_IMPLEMENTED, () => tensor.carrier.dispatch_op('nonsense'));
    });
}

test('an error that JavaScript handles halfway', () => {
    const [tensor, {c}] = tower(['vala', 'js', 'c']);
    c.fail('compute', 'fixture-domain', 77, 'broken in C');
    const Forgiving = GObject.registerClass(class Forgiving extends JsOperation {
        vfunc_compute(...args) {
            throwsError(GLib.quark_from_string('fixture-domain'), 77, () => super.vfunc_compute(...args));
            return flat(new JsWrapper(new Generic([5, 6])));
        }
    });
    const Lenient = GObject.registerClass(class Lenient extends JsWrapper {
        vfunc_dispatch_op(name) {
            return new Forgiving(this, this.inner.dispatch_op(name));
        }
    });
    const profiler = recorded(() => {
        equal(Strideweave.relu(flat(ValaFixture.Wrapper.new(new Lenient(c)))).toArray(), [5, 6]);
        throws(GLib.Error, null, () => Strideweave.relu(tensor));
    });
    equal(profiler.events().map(({succeeded}) => succeeded), [true, true, false, false, false, false]);
    equal(profiler.events().map(({parentId}) => parentId), [null, 0, 1, null, 3, 4]);
});

test('a class that is defined again over carriers of other languages is another exact class', () => {
    const define = () => GObject.registerClass(class Again extends JsWrapper {});
    const [first, second, third] = [define(), define(), define()];
    const below = ValaFixture.Wrapper.new(Fixture.Wrapper.new(new Generic([1])));
    const run = carriers => recorded(() => {
        for (const klass of [second, first, second])
            Strideweave.relu(flat(new klass(below)));
    }, {carriers});
    equal(carriersOf(run([second, third])), [second, second]);
    const rows = () => run([first, second]).keyAverages().map(({carrierType, count}) => [carrierType, count]);
    equal(rows(), rows());
    equal(rows().sort(([, a], [, b]) => a - b), [[first, 1], [second, 2]]);
});

test('rows are in the order of what classes are called', () => {
    const tensors = ORDERS.map(languages => tower(languages)[0]);
    for (const order of [tensors, [...tensors].reverse()]) {
        const rows = recorded(() => {
            for (const tensor of order) {
                Strideweave.relu(tensor);
                Strideweave.neg(tensor);
            }
        }).keyAverages();
        const classes = [Fixture.Wrapper, JsWrapper, Generic, ValaFixture.Wrapper];
        equal(rows.map(({name, carrierType}) => [name, carrierType]),
            ['neg', 'relu'].flatMap(name => classes.map(klass => [name, klass])));
        equal(rows.map(({count}) => count), Array(8).fill(6));
    }
});

test('a class of another library is the one that its namespace has', () => {
    const operation = Fixture.Wrapper.new(new Generic([1])).dispatch_op('relu');
    ok(operation.carrierType === Fixture.Wrapper && operation instanceof Fixture.Operation);
    const profiler = recorded(() => Strideweave.relu(flat(Fixture.Wrapper.new(new Generic([1])))),
        {carriers: [Fixture.Wrapper]});
    equal(carriersOf(profiler), [Fixture.Wrapper]);
});

testMemory('hooks that C calls very often leave memory flat', () => {
    const carrier = new JsWrapper(new Generic([1, 2]));
    const read = times => {
        for (let i = 0; i < times; i++) {
            Fixture.read_often(carrier, 1000);
            System.gc();
        }
        return residentPages();
    };
    const before = read(20);
    const after = read(100);
    // Each reading calls two hooks; the smallest leak of each would be 800 pages.
    ok(after - before < 600, `${before} pages became ${after}: that`);
});

test('names made at run time', () => {
    const tensor = flat(new Outer([1]));
    const dispatched = `st${['e', 'p'].join('')}`;
    const profiler = recorded(() => {
        for (let i = 0; i < 100; i++)
            tensor.carrier.dispatch_op(i % 2 === 0 ? dispatched : 'step').forward([tensor]);
    });
    System.gc();
    equal(profiler.keyAverages().map(({name, count}) => [name, count]), [['step', 100]]);
});

finish();
