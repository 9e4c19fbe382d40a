// SPDX-License-Identifier: LGPL-2.1-or-later
// Every scenario of the specification of operation profiling that GJS can say, by its title.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Strideweave from 'gi://Strideweave?version=1';

import {columnsOf, evictable, hierarchical, Inner, Middle, names, Outer, raiser, recorded, Step, step, vector}
    from './helpers.js';
import {equal, finish, ok, test, throws, throwsThis} from './tap.js';

const {CPU, DType, Evictable, Generic, profile, Profiler, ProfilerAggregate, ProfilerEvent} = Strideweave;

const EVENT = {
    id: 7,
    parentId: null,
    name: 'relu',
    carrierType: Generic,
    implementationType: Strideweave.GenericReLUOperation,
    inputShapes: [[2, [3, 4]], null],
    startTimeNs: 10,
    durationNs: 5,
    selfTimeNs: 3,
    threadId: 1n,
    succeeded: true,
};
const AGGREGATE = {
    name: 'relu',
    carrierType: CPU,
    inputShapes: [[2]],
    count: 2,
    totalTimeNs: 30,
    selfTotalTimeNs: 20,
    meanTimeNs: 15.5,
    minTimeNs: 10,
    maxTimeNs: 20,
};
const HEADER = ['Name', 'Carrier', 'Calls', 'Total (ns)', 'Self total (ns)', 'Mean (ns)', 'Min (ns)', 'Max (ns)'];

function fails() {
    throws(TypeError, /rhs must be a Tensor/, () => Strideweave.add(vector([1, 2]), 'not a tensor'));
}

function carriersOf(profiler) {
    return profiler.events().map(({carrierType}) => carrierType);
}

function sleep(milliseconds) {
    GLib.usleep(milliseconds * 1000);
    return vector([1]);
}

function checkFrozen(value) {
    ok(Object.isFrozen(value));
    for (const name of [...Object.keys(value), 'somethingElse']) {
        throws(TypeError, null, () => {
            value[name] = 1;
        });
    }
    for (const name of Object.keys(value))
        throws(TypeError, null, () => delete value[name]);
}

// --- Profilers select exact carrier classes ---

test('Record all carrier classes by default', () => {
    // Covers: 2.2, 2.3
    for (const make of [() => profile(), () => new Profiler(), () => profile({carriers: null}), () => profile({})]) {
        const profiler = make();
        ok(profiler instanceof Profiler);
        const tensor = evictable([1, -2]);
        profiler.run(() => Strideweave.relu(tensor));
        equal(carriersOf(profiler), [Evictable, Generic]);
    }
});

test('Select one exact carrier class', () => {
    // Covers: 2.5
    const Owning = GObject.registerClass(class Owning extends Outer {
        constructor(...args) {
            super(...args);
            this.storage = new Generic([1]);
        }
    });
    equal(recorded(() => step(Owning), {carriers: [Generic]}).events().length, 0);
    // Neither do subclasses count as their base.
    equal(recorded(() => step(Owning), {carriers: new Set([Outer])}).events().length, 0);
    equal(carriersOf(recorded(() => step(Owning), {carriers: [Owning, Generic]})), [Owning]);
});

test('Select no carrier classes', () => {
    // Covers: 2.4
    for (const carriers of [[], new Set(), [].values()]) {
        const profiler = recorded(undefined, {carriers});
        equal(profiler.events(), []);
        equal(profiler.keyAverages(), []);
    }
});

test('Reject an invalid carrier filter', () => {
    // Covers: 2.6, 2.7
    class Unregistered extends Strideweave.Carrier {}
    const wrong = [Generic, 5, 'Generic', true, {}, [new Generic([1])], [Generic, Object], [null], [undefined],
        [Strideweave.Operation], ['SwGeneric'], [Strideweave.Tensor], [Generic.$gtype], [Unregistered], [{}], [5n],
        new Generic([1]), new CPU(1)];
    for (const carriers of wrong) {
        throws(TypeError, /Carrier/, () => profile({carriers}));
        throws(TypeError, /Carrier/, () => new Profiler({carriers}));
    }
});

test('Reject an invalid shape option', () => {
    // Covers: 2.10
    for (const recordShapes of [1, 0, null, 'yes', [], {}, 1n, NaN]) {
        throws(TypeError, /recordShapes/, () => profile({recordShapes}));
        throws(TypeError, /recordShapes/, () => new Profiler({recordShapes}));
    }
    throws(TypeError, /record_shapes/, () => Profiler.new(1));
});

// --- Profiler contexts are single-use and publish results on exit ---

test('Read results after normal exit', () => {
    // Covers: 3.1, 3.6, 3.8
    const profiler = profile();
    ok(profiler.enter() === profiler);
    ok(profiler.active && !profiler.completed);
    Strideweave.relu(vector([1]));
    equal(profiler.exit(), false);
    ok(!profiler.active && profiler.completed);
    ok(Object.isFrozen(profiler.events()));
    ok(profiler.events() === profiler.events());
    equal(names(profiler), ['relu']);
    Strideweave.relu(vector([1]));
    equal(names(profiler), ['relu']);
});

test('Refuse results before exit', () => {
    // Covers: 3.7
    const profiler = profile();
    const refused = () => {
        for (const read of ['events', 'keyAverages', 'table', 'dup_events', 'dup_event_columns']) {
            const error = throws(Strideweave.Error, /only after context exit/, () => profiler[read]());
            ok(error.matches(Strideweave.Error, Strideweave.Error.STATE) && error instanceof GLib.Error);
        }
        throws(Strideweave.Error, /only after context exit/, () => [...profiler]);
        throws(Strideweave.Error, /only after context exit/, () => profiler.dup_event(0));
    };
    refused();
    profiler.run(() => {
        refused();
        Strideweave.relu(vector([1]));
        refused();
    });
    equal(names(profiler), ['relu']);
});

test('Reject a reused context', () => {
    // Covers: 2.1, 3.4
    const profiler = recorded();
    throws(Strideweave.Error, /single-use/, () => profiler.enter());
    throws(Strideweave.Error, /single-use/, () => profiler.run(() => ok(false)));
    equal(names(profiler), ['relu']);
    equal(names(recorded()), ['relu']);
    profile().run(active => throws(Strideweave.Error, /single-use/, () => active.enter()));
});

test('Reject nested contexts on one thread', () => {
    // Covers: 3.2, 3.3, 3.5
    const second = profile();
    const first = profile();
    first.run(() => {
        throws(Strideweave.Error, /already active/, () => second.enter());
        throws(Strideweave.Error, /single-use/, () => second.run(() => ok(false)));
        ok(first.active && !second.active);
        Strideweave.relu(vector([1]));
    });
    throws(Strideweave.Error, /single-use/, () => second.enter());
    throws(Strideweave.Error, /only after context exit/, () => second.events());
    equal(names(first), ['relu']);
});

test('Preserve results when the context body raises', () => {
    // Covers: 3.8, 4.8
    const profiler = profile();
    const failure = new RangeError('the very one');
    throwsThis(failure, () => profiler.run(() => step(Outer, raiser(failure))));
    equal(profiler.events().map(({name, succeeded}) => [name, succeeded]), [['step', false]]);
    ok(!profiler.active);
    equal(names(recorded()), ['relu']);
});

// --- Events represent post-preflight dispatched computation attempts ---

test('Record a dispatched attempt', () => {
    // Covers: 4.1
    for (const carrier of [Generic, CPU]) {
        const tensor = Strideweave.tensor([1, -2], {carrier});
        const profiler = recorded(() => {
            tensor.carrier.dispatch_op('relu').forward([tensor]);
            Strideweave.relu(tensor);
        });
        equal(profiler.events().length, 2);
        for (const event of profiler) {
            equal(event.name, 'relu');
            equal(event.carrierType, carrier);
            equal(event.implementationType, Strideweave[`${carrier.name}ReLUOperation`]);
            ok(event.implementationType.prototype instanceof Strideweave.Operation);
        }
    }
});

test('Exclude dispatch lookup', () => {
    // Covers: 4.5
    const tensor = vector([1]);
    let operation;
    const profiler = recorded(() => {
        operation = tensor.carrier.dispatch_op('relu');
        throws(Strideweave.Error, /no such operation/, () => tensor.carrier.dispatch_op('no such operation'));
    });
    equal(profiler.events(), []);
    operation.forward([tensor]);
    equal(profiler.events(), []);
});

test('Exclude a preflight failure', () => {
    // Covers: 4.2, 4.9
    const [tensor, released] = [vector([1]), vector([1])];
    released.carrier.release();
    const options = Strideweave.executionOptions('matmul', {accumulatorDtype: DType.FLOAT64});
    const profiler = recorded(() => {
        throws(RangeError, /options/, () => tensor.carrier.dispatch_op('reduce_sum').forward([tensor], options));
        throws(TypeError, /options/, () => tensor.carrier.dispatch_op('reduce_sum').forward([tensor], 'fast'));
        throws(TypeError, /options/, () => Strideweave.matmul(tensor, tensor, {}));
        throws(Strideweave.Error, /released/, () => Strideweave.add(tensor, released));
        throws(Strideweave.Error, /released/, () => tensor.carrier.dispatch_op('add').forward([tensor, released]));
    });
    equal(profiler.events(), []);
});

test('Exclude execution without dispatch metadata', () => {
    // Covers: 4.6
    const tensor = vector([1, -2]);
    const profiler = recorded(() => {
        equal(new Strideweave.GenericReLUOperation().forward([tensor]).toArray(), [1, 0]);
        new Step().forward([tensor]);
    });
    equal(profiler.events(), []);
});

test('Exclude public movement', () => {
    // Covers: 4.7
    const tensor = Strideweave.tensor([1, -2], {dtype: DType.FLOAT32});
    const profiler = recorded(() => equal(Strideweave.move(tensor, new CPU(2)).toArray(), [1, -2]));
    equal(profiler.events(), []);
});

test('Continue after an attempted execution fails', () => {
    // Covers: 4.8, 4.10
    const failure = new Error('boom');
    const profiler = recorded(() => {
        fails();
        Strideweave.relu(vector([1]));
        throwsThis(failure, () => step(Outer, () => step(Inner, raiser(failure))));
        step(Inner);
    });
    equal(profiler.events().map(({name, succeeded, parentId}) => [name, succeeded, parentId]), [
        ['add', false, null],
        ['relu', true, null],
        ['step', false, null],
        ['step', false, 2],
        ['step', true, null],
    ]);
});

// --- Raw events are immutable computation snapshots ---

test('Inspect a successful event', () => {
    // Covers: 5.1, 5.2
    const before = GLib.get_monotonic_time() * 1000;
    const profiler = recorded();
    const after = GLib.get_monotonic_time() * 1000 + 1000;
    const [event] = profiler.events();
    equal([event.id, event.parentId, event.name], [0, null, 'relu']);
    equal([event.carrierType, event.implementationType], [Generic, Strideweave.GenericReLUOperation]);
    equal([event.inputShapes, event.succeeded], [null, true]);
    ok(event.selfTimeNs >= 0 && event.selfTimeNs <= event.durationNs);
    equal(event.startTimeNs, 0);
    // Two clocks that are compared within a microsecond.
    const start = Number(event.startTimeNsBig);
    ok(before - 1000 <= start && start + event.durationNs <= after + 1000, `${before} ${start} ${after}`);
    ok(typeof event.threadId === 'bigint' && event.threadId > 0n);
    ok(event instanceof ProfilerEvent);
    checkFrozen(event);
});

test('Inspect a failed event', () => {
    // Covers: 4.8, 5.2
    const failure = new Error('boom');
    const profiler = recorded(() => throwsThis(failure, () => step(Outer, () => step(Inner, raiser(failure)))),
        {recordShapes: true});
    const [outer, inner] = profiler.events();
    for (const [event, carrierType] of [[outer, Outer], [inner, Inner]]) {
        equal([event.succeeded, event.name, event.carrierType], [false, 'step', carrierType]);
        equal([event.implementationType, event.inputShapes], [Step, [[2], null]]);
        equal(event.threadId, outer.threadId);
        checkFrozen(event);
    }
    equal([outer.id, inner.id, outer.parentId, inner.parentId], [0, 1, null, 0]);
    equal(outer.selfTimeNs, outer.durationNs - inner.durationNs);
    ok(outer.selfTimeNs >= 0);
});

// --- Event values support direct immutable construction ---

function checkConstruction(constructor, values, more) {
    const value = new constructor(values);
    ok(value instanceof constructor && value.constructor === constructor);
    for (const [field, given] of Object.entries(values)) {
        ok(value[field] === given, field);
        ok(!value.equals(new constructor({...values, [field]: 'something else'})), field);
    }
    equal({...value}, {...values, ...more});
    ok(value.equals(new constructor(...Object.values(values))));
    ok(value.equals(new constructor({...value})));
    ok(!value.equals(values) && !value.equals(null));
    checkFrozen(value);
    const marker = {};
    const odd = new constructor(...Object.keys(values).map(() => marker));
    ok(Object.keys(values).every(field => odd[field] === marker));
}

function checkIncomplete(constructor, values) {
    for (const field of Object.keys(values)) {
        const {[field]: _, ...others} = values;
        throws(TypeError, new RegExp(field), () => new constructor(others));
        throws(TypeError, new RegExp(field), () => new constructor({...values, [field]: undefined}));
    }
    throws(TypeError, null, () => new constructor());
    throws(TypeError, null, () => new constructor({}));
    throws(TypeError, null, () => new constructor(...Object.values(values).slice(1)));
    throws(TypeError, null, () => new constructor(...Object.values(values), 1));
    throws(TypeError, /speed/, () => new constructor({...values, speed: 1}));
}

test('Construct an event value directly', () => {
    // Covers: 6.1, 6.3
    checkConstruction(ProfilerEvent, EVENT, {startTimeNsBig: 10n});
    const odd = new ProfilerEvent({...EVENT, id: -(2n ** 80n), parentId: 3, name: 'a\0b', durationNs: 2n ** 62n});
    equal([odd.id, odd.parentId, odd.name, odd.durationNs], [-(2n ** 80n), 3, 'a\0b', 2n ** 62n]);
});

test('Reject an incomplete event construction', () => {
    // Covers: 6.2, 6.4
    checkIncomplete(ProfilerEvent, EVENT);
});

// --- Shape recording preserves positional hierarchy ---

test('Snapshot a hierarchical Tensor and a scalar', () => {
    // Covers: 7.2, 7.3, 7.4
    const tensor = hierarchical();
    const profiler = recorded(() => {
        Strideweave.mul(tensor, 2.5);
        Strideweave.mul(tensor, 2n);
        throws(TypeError, /rhs/, () => Strideweave.add(tensor, {}));
    }, {recordShapes: true});
    equal(profiler.events().length, 3);
    for (const {inputShapes} of profiler) {
        equal(inputShapes, [[2, [3, 4]], null]);
        ok([inputShapes, inputShapes[0], inputShapes[0][1]].every(Object.isFrozen));
    }
});

test('Omit shape recording', () => {
    // Covers: 2.8, 2.9, 7.1
    equal(recorded().events().map(({inputShapes}) => inputShapes), [null]);
});

test('Keep execution options outside shape positions', () => {
    // Covers: 7.5, 7.6
    const options = Strideweave.executionOptions('reduce_sum', {accumulatorDtype: DType.FLOAT64});
    const profiler = recorded(() => {
        const tensor = Strideweave.tensor([1, 2], {dtype: DType.FLOAT32});
        Strideweave.reduce_sum(tensor, options);
        tensor.carrier.dispatch_op('reduce_sum').forward([tensor], options);
    }, {recordShapes: true});
    equal(profiler.events().map(({inputShapes}) => inputShapes), [[[2]], [[2]]]);
});

// --- Nested events preserve selected ancestry and self time ---

function composite(options) {
    const tensor = evictable([1, -2]);
    return recorded(() => Strideweave.relu(tensor), options).events();
}

function threeLevels() {
    return step(Outer, () => step(Middle, () => step(Inner, () => sleep(20))));
}

test('Record both composite levels', () => {
    // Covers: 8.2, 8.6
    const [outer, inner] = composite({carriers: [Evictable, Generic]});
    equal([outer.id, inner.id, outer.parentId, inner.parentId], [0, 1, null, 0]);
    equal([outer.carrierType, inner.carrierType], [Evictable, Generic]);
    equal([outer.name, inner.name], ['relu', 'relu']);
    ok(outer.startTimeNs <= inner.startTimeNs && outer.startTimeNsBig <= inner.startTimeNsBig);
    equal(inner.startTimeNs, Number(inner.startTimeNsBig - outer.startTimeNsBig));
    equal(outer.selfTimeNs, outer.durationNs - inner.durationNs);
});

test('Hide nested work without charging it to the parent', () => {
    // Covers: 8.1, 8.8
    const events = composite({carriers: [Evictable]});
    equal(events.map(({carrierType}) => carrierType), [Evictable]);
    ok(events[0].selfTimeNs < events[0].durationNs);
    const [outer] = recorded(() => step(Outer, () => step(Inner, () => sleep(20))), {carriers: [Outer]}).events();
    ok(outer.durationNs >= 20e6 && outer.selfTimeNs < 15e6, outer);
});

test('Select only the nested execution', () => {
    // Covers: 8.1, 8.3
    const events = composite({carriers: [Generic]});
    equal(events.map(({id, parentId, carrierType}) => [id, parentId, carrierType]), [[0, null, Generic]]);
    equal(events[0].selfTimeNs, events[0].durationNs);
});

test('Exclude three-level nesting exactly once', () => {
    // Covers: 8.6, 8.7
    const [outer, middle, inner] = recorded(threeLevels).events();
    equal([outer, middle, inner].map(({parentId}) => parentId), [null, 0, 1]);
    equal(outer.selfTimeNs, outer.durationNs - middle.durationNs);
    equal(middle.selfTimeNs, middle.durationNs - inner.durationNs);
    equal(inner.selfTimeNs, inner.durationNs);
    ok(inner.durationNs >= 20e6);
    const [first, second] = recorded(threeLevels, {carriers: [Outer, Inner]}).events();
    equal(second.parentId, first.id);
    ok(first.selfTimeNs < 15e6);
});

// --- Aggregates are deterministic functions of raw events ---

test('Aggregate repeated executions', () => {
    // Covers: 10.1, 10.8, 10.9
    const profiler = recorded(() => {
        const tensor = vector([1, 2]);
        Strideweave.add(tensor, tensor);
        fails();
    });
    const [first, second] = profiler.events();
    const [row, ...others] = profiler.keyAverages();
    equal(others, []);
    equal({...row}, {
        name: 'add',
        carrierType: Generic,
        inputShapes: null,
        count: 2,
        totalTimeNs: first.durationNs + second.durationNs,
        selfTotalTimeNs: first.selfTimeNs + second.selfTimeNs,
        meanTimeNs: (first.durationNs + second.durationNs) / 2,
        minTimeNs: Math.min(first.durationNs, second.durationNs),
        maxTimeNs: Math.max(first.durationNs, second.durationNs),
    });
    ok(row instanceof ProfilerAggregate);
    checkFrozen(row);
    ok(Object.isFrozen(profiler.keyAverages()));
    ok(row.equals(profiler.keyAverages()[0]));
});

test('Separate exact carrier classes', () => {
    // Covers: 10.5
    const tensor = evictable([1]);
    const rows = recorded(() => Strideweave.relu(tensor)).keyAverages();
    equal(rows.map(({name, carrierType, count}) => [name, carrierType, count]),
        [['relu', Evictable, 1], ['relu', Generic, 1]]);
});

test('Group by hierarchical input shape', () => {
    // Covers: 10.6
    const run = () => {
        Strideweave.relu(hierarchical());
        Strideweave.relu(vector(Array(24).fill(1)));
        Strideweave.relu(hierarchical());
    };
    const profiler = recorded(run, {recordShapes: true});
    const rows = profiler.keyAverages({groupByInputShape: true}).map(({inputShapes, count}) => [inputShapes, count]);
    equal(rows.sort((a, b) => a[1] - b[1]), [[[[24]], 1], [[[2, [3, 4]]], 2]]);
    equal(profiler.keyAverages().map(({count}) => count), [3]);
    equal(recorded(run).keyAverages({groupByInputShape: true}).map(({inputShapes, count}) => [inputShapes, count]),
        [[null, 3]]);
});

test('Reject an invalid grouping option', () => {
    // Covers: 10.4, 12.14
    const profiler = recorded();
    for (const value of [1, 0, null, 'yes', [], 1n]) {
        throws(TypeError, /groupByInputShape/, () => profiler.keyAverages({groupByInputShape: value}));
        throws(TypeError, /groupByInputShape/, () => profiler.table({groupByInputShape: value}));
        throws(TypeError, /descending/, () => profiler.table({descending: value}));
    }
    throws(TypeError, /options/, () => profiler.keyAverages(true));
    throws(TypeError, /speed/, () => profiler.keyAverages({speed: 1}));
});

// --- Aggregate values support direct immutable construction ---

test('Construct an aggregate value directly', () => {
    // Covers: 11.1, 11.3
    checkConstruction(ProfilerAggregate, AGGREGATE, {});
});

test('Reject an incomplete aggregate construction', () => {
    // Covers: 11.2, 11.4
    checkIncomplete(ProfilerAggregate, AGGREGATE);
});

// --- Tables render validated deterministic aggregate views ---

function several() {
    for (let i = 0; i < 3; i++)
        Strideweave.relu(vector([1]));
    Strideweave.neg(vector([1]));
    Strideweave.relu(evictable([1]));
    step(Inner);
}

test('Render a deterministic limited table', () => {
    // Covers: 12.1, 12.5, 12.8, 12.9
    const profiler = recorded(several);
    const options = {sortBy: 'count', descending: true, rowLimit: 1};
    const table = profiler.table(options);
    equal(table, profiler.table(options));
    equal(table, profiler.table({...options, rowLimit: 1n}));
    const [header, separator, row, ...others] = table.trimEnd().split('\n');
    equal(columnsOf(header), HEADER);
    ok(/^[- ]+$/.test(separator));
    equal(others, []);
    const {totalTimeNs, selfTotalTimeNs} = profiler.keyAverages().find(({count}) => count === 4);
    equal(columnsOf(row).slice(0, 5), ['relu', 'Strideweave.Generic', '4', `${totalTimeNs}`, `${selfTotalTimeNs}`]);
});

test('Render an empty table', () => {
    // Covers: 12.10
    const profiler = recorded(undefined, {carriers: []});
    const [header, separator, ...rows] = profiler.table().trimEnd().split('\n');
    equal(columnsOf(header), HEADER);
    ok(/^[- ]+$/.test(separator));
    equal(rows, []);
    ok(profiler.table({groupByInputShape: true}).includes('Input shapes'));
    equal(recorded().table({rowLimit: 0}).trimEnd().split('\n').length, 2);
});

test('Reject an unsupported sort field', () => {
    // Covers: 12.12
    for (const sortBy of ['speed', '', 'Name', 5, null, 1n, true, Symbol('name')])
        throws(RangeError, /sort field/, () => recorded().table({sortBy}));
    // What a table of sort fields cannot be asked for in any language.
    for (const sortBy of [[], {}, ['count'], () => 'count'])
        throws(TypeError, /sort field/, () => recorded().table({sortBy}));
});

test('Reject an invalid row limit', () => {
    // Covers: 12.15
    for (const rowLimit of [-1, true, false, 1.5, '1', [], NaN, Infinity, -(2n ** 80n), {}, Symbol('x')])
        throws(RangeError, /rowLimit/, () => recorded().table({rowLimit}));
    ok(recorded().table({rowLimit: 2n ** 80n}).includes('relu'));
});

// --- Timing measures synchronous host execution ---

await test('Interpret an event duration', async () => {
    // Covers: 13.4, 13.5
    let finished = false;
    let device = null;
    const startDeviceWork = tensor => {
        device = new Promise(resolve => setTimeout(() => {
            finished = true;
            resolve();
        }, 100));
        return tensor;
    };
    const before = GLib.get_monotonic_time();
    const profiler = recorded(() => step(Outer, startDeviceWork));
    const elapsed = (GLib.get_monotonic_time() - before) * 1000;
    ok(!finished);
    await device;
    const [event] = profiler.events();
    ok(event.durationNs > 0 && event.durationNs <= elapsed + 1000 && event.durationNs < 90e6, event);
});

finish();
