// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiler as JavaScript uses it: run () and runAsync (), options, events and rows as objects.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Strideweave from 'gi://Strideweave?version=1';

import {evictable, names, Outer, raiser, recorded, residentPages, step, testMemory, vector} from './helpers.js';
import {equal, finish, ok, rejects, test, throws, throwsThis} from './tap.js';

const {CPU, Generic, profile, Profiler, ProfilerAggregate, ProfilerEvent} = Strideweave;

function relu() {
    return Strideweave.relu(vector([1, -2]));
}

function later(value) {
    return new Promise(resolve => setTimeout(() => resolve(value), 1));
}

// --- run ---

test('run returns what the function returns', () => {
    const profiler = profile({carriers: [Generic], recordShapes: true});
    const result = profiler.run(active => {
        ok(active === profiler && active.active);
        return relu().toArray();
    });
    equal(result, [1, 0]);
    ok(profiler.completed && profiler.recordShapes && !profile().recordShapes);
    equal(profile().run(() => undefined), undefined);
});

test('run exits when the function throws', () => {
    for (const thrown of [new Error('boom'), 5, null, undefined]) {
        const profiler = profile();
        throwsThis(thrown, () => profiler.run(() => {
            relu();
            throw thrown;
        }));
        equal(names(profiler), ['relu']);
    }
    equal(names(recorded()), ['relu']);
});

test('run does not enter for what is no function', () => {
    for (const callback of [undefined, null, 5, {}, relu()]) {
        const profiler = profile();
        throws(TypeError, /callback/, () => profiler.run(callback));
        profiler.run(() => null);
    }
});

test('a function that exits by itself', () => {
    const profiler = profile();
    throws(Strideweave.Error, /not active/, () => profiler.run(() => profiler.exit()));
    const thrown = new Error('boom');
    const other = profile();
    throwsThis(thrown, () => other.run(() => {
        other.exit();
        throw thrown;
    }));
    throws(Strideweave.Error, /not active/, () => other.exit());
    throws(Strideweave.Error, /not active/, () => profile().exit());
});

test('exiting inside of an operation', () => {
    const profiler = profile();
    profiler.enter();
    step(Outer, tensor => {
        profiler.exit();
        return tensor;
    });
    equal(profiler.events().map(({name, succeeded}) => [name, succeeded]), [['step', false]]);
});

// --- runAsync ---

await test('runAsync stays until the promise settles', async () => {
    const profiler = profile();
    const promise = profiler.runAsync(async active => {
        relu();
        await later();
        ok(active.active);
        Strideweave.neg(vector([1]));
        return 'done';
    });
    ok(profiler.active);
    equal(await promise, 'done');
    equal(names(profiler), ['relu', 'neg']);
});

await test('runAsync exits when the promise is rejected', async () => {
    const thrown = new RangeError('boom');
    const profiler = profile();
    ok(thrown === await rejects(RangeError, /boom/, profiler.runAsync(async () => {
        relu();
        await later();
        throw thrown;
    })));
    equal(names(profiler), ['relu']);
    ok(!profiler.active);
});

await test('runAsync with functions that are not asynchronous', async () => {
    equal(await profile().runAsync(() => 5), 5);
    await rejects(RangeError, /boom/, profile().runAsync(raiser(new RangeError('boom'))));
    await rejects(TypeError, /callback/, profile().runAsync(null));
    equal(names(recorded()), ['relu']);
});

await test('run with an asynchronous function waits, too', async () => {
    const profiler = profile();
    const promise = profiler.run(async () => {
        await later();
        return relu();
    });
    ok(promise instanceof Promise);
    throws(Strideweave.Error, /only after context exit/, () => profiler.events());
    equal((await promise).toArray(), [1, 0]);
    equal(names(profiler), ['relu']);
    const failing = profile();
    await rejects(TypeError, /boom/, failing.run(async () => {
        await later();
        throw new TypeError('boom');
    }));
    ok(failing.completed);
});

await test('two tasks that interleave', async () => {
    const [first, second] = [profile(), profile()];
    const running = first.runAsync(async () => {
        await later();
        relu();
    });
    await rejects(Strideweave.Error, /already active/, second.runAsync(async () => {
        await later();
        relu();
    }));
    // What another task does meanwhile is recorded, with no parent.
    Strideweave.neg(vector([1]));
    await running;
    equal(first.events().map(({name, parentId}) => [name, parentId]), [['neg', null], ['relu', null]]);
    equal(names(recorded()), ['relu']);
});

await test('promises that are none', async () => {
    const thrown = new Error('boom');
    const odd = {
        get then() {
            throw thrown;
        },
    };
    const profiler = profile();
    throwsThis(thrown, () => profiler.run(() => odd));
    ok(profiler.completed);
    const failing = profile();
    await rejects(Error, /boom/, failing.run(() => ({
        then() {
            throw thrown;
        },
    })));
    ok(failing.completed);
    equal(await profile().run(() => ({then: resolve => resolve(5)})), 5);
    equal(names(recorded()), ['relu']);
});

// --- Options ---

test('options that do not exist or are none', () => {
    for (const make of [profile, given => new Profiler(given)]) {
        throws(TypeError, /record_shapes/, () => make({record_shapes: true}));
        throws(TypeError, /speed/, () => make({speed: undefined}));
        for (const options of [null, true, 5, 'carriers'])
            throws(TypeError, /options/, () => make(options));
        make({carriers: undefined, recordShapes: undefined});
    }
    throws(TypeError, /sort_by/, () => recorded().table({sort_by: 'name'}));
    throws(TypeError, /options/, () => recorded().table('name'));
});

test('carriers that cannot be iterated to the end', () => {
    const thrown = new Error('boom');
    throwsThis(thrown, () => profile({carriers: {
        * [Symbol.iterator]() {
            yield Generic;
            throw thrown;
        },
    }}));
});

// --- Results ---

test('events are iterated', () => {
    const profiler = recorded(() => {
        relu();
        Strideweave.neg(vector([1]));
    });
    const seen = [];
    for (const event of profiler)
        seen.push(event.id);
    equal(seen, [0, 1]);
    const [{name}, second] = profiler;
    equal([name, second.name], ['relu', 'neg']);
    ok(second === profiler.events()[1]);
});

test('events as C has them', () => {
    const profiler = recorded(() => Strideweave.relu(evictable([1, -2])), {recordShapes: true});
    const events = profiler.events();
    for (const event of profiler.dup_events()) {
        const other = profiler.dup_event(event.id);
        ok(event.equals(other) && other.equals(events[event.id]) && event !== other);
        equal({...event}, {...other});
        equal([event.get_name(), event.get_id(), event.get_duration_ns()], [event.name, event.id, event.durationNs]);
        equal(event.get_carrier_type(), event.carrierType.$gtype);
        equal(event.get_succeeded(), event.succeeded);
        ok(event.to_string().includes(`start_time_ns=${event.startTimeNsBig}, `));
        ok(event.to_string().includes(`thread_id=${event.threadId}, `));
        ok(Object.isFrozen(other));
    }
    for (const id of [2, -1, 2 ** 40])
        throws(RangeError, /id/, () => profiler.dup_event(id));
    equal(profiler.count_events(), 2);
    const [row] = profiler.dup_key_averages(true);
    equal([row.get_name(), row.get_count(), row.count], ['relu', 1, 1]);
});

test('events in many chunks', () => {
    const tensor = vector([1]);
    const profiler = recorded(() => {
        for (let i = 0; i < 10000; i++)
            Strideweave.relu(tensor);
    });
    const events = profiler.events();
    equal(events.length, 10000);
    ok(events.every(({id}, place) => id === place));
    const [row] = profiler.keyAverages();
    equal(row.totalTimeNs, events.reduce((sum, {durationNs}) => sum + durationNs, 0));
    equal(row.maxTimeNs, Math.max(...events.map(({durationNs}) => durationNs)));
});

test('numbers that a Number would round', () => {
    const start = 2n ** 62n + 1n;
    const types = [Generic.$gtype, Strideweave.GenericReLUOperation.$gtype];
    const event = ProfilerEvent.new(2 ** 40, -1, 'start_time_ns=5, ', ...types, null, start, 2n ** 61n + 1n, 7, 2n ** 64n - 1n, true);
    equal([event.id, event.startTimeNsBig, event.startTimeNs], [2 ** 40, start, start]);
    equal([event.durationNs, event.selfTimeNs, event.threadId], [2n ** 61n + 1n, 7, 2n ** 64n - 1n]);
    const row = ProfilerAggregate.new('count=5', types[0], null, 1, 2n ** 62n + 1n, 1, 0.5, 0, 2n ** 53n);
    equal([row.count, row.totalTimeNs, row.meanTimeNs, row.maxTimeNs], [1, 2n ** 62n + 1n, 0.5, 2n ** 53n]);
    for (const wrong of [2n ** 63n, 1.5, NaN, 'x', null, {}])
        ok(caughtClass(() => ProfilerEvent.new(wrong, -1, 'relu', ...types, null, 1, 1, 1, 1, true)));
});

function caughtClass(callback) {
    try {
        callback();
    } catch (error) {
        return error.constructor;
    }
    return null;
}

test('events and rows are printed whole', () => {
    const profiler = recorded(undefined, {recordShapes: true});
    const [event] = profiler;
    equal(`${event}`, `ProfilerEvent(id: 0, parentId: null, name: "relu", carrierType: Generic, ` +
        `implementationType: GenericReLUOperation, inputShapes: [[2]], startTimeNs: 0, durationNs: ${event.durationNs}, ` +
        `selfTimeNs: ${event.selfTimeNs}, threadId: ${event.threadId}n, succeeded: true, ` +
        `startTimeNsBig: ${event.startTimeNsBig}n)`);
    const [row] = profiler.keyAverages();
    equal(`${row}`, `ProfilerAggregate(name: "relu", carrierType: Generic, inputShapes: null, count: 1, ` +
        `totalTimeNs: ${row.totalTimeNs}, selfTotalTimeNs: ${row.selfTotalTimeNs}, meanTimeNs: ${row.meanTimeNs}, ` +
        `minTimeNs: ${row.minTimeNs}, maxTimeNs: ${row.maxTimeNs})`);
    equal(`${profiler} ${profile()}`, 'Profiler(1 events) Profiler(not active)');
    equal(profile().run(active => `${active}`), 'Profiler(active)');
});

test('events and rows as JSON', () => {
    const profiler = recorded(undefined, {recordShapes: true});
    const [event] = JSON.parse(JSON.stringify(profiler.events()));
    equal([event.name, event.carrierType, event.inputShapes], ['relu', 'Generic', [[2]]]);
    equal(BigInt(event.startTimeNsBig), profiler.events()[0].startTimeNsBig);
    equal(JSON.parse(JSON.stringify(profiler.keyAverages()))[0].count, 1);
});

test('tables by every field, named either way', () => {
    const profiler = recorded(() => {
        relu();
        Strideweave.relu(Strideweave.tensor([1]));
    }, {recordShapes: true});
    const fields = Object.keys(profiler.keyAverages()[0]);
    for (const sortBy of fields) {
        const inC = sortBy.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
        for (const descending of [true, false]) {
            const table = profiler.table({sortBy, descending, groupByInputShape: true});
            equal(table, profiler.table({sortBy: inC, descending, groupByInputShape: true}));
            equal(table, profiler.dup_table(inC, descending, true, -1));
        }
    }
    equal(profiler.table(), profiler.table({sortBy: 'selfTotalTimeNs', descending: true, groupByInputShape: false, rowLimit: null}));
    equal(profiler.table({sortBy: 'carrierType', descending: false}).split('\n')[2].includes('Strideweave.CPU'), true);
});

test('results outlive their profiler', () => {
    let profiler = recorded(undefined, {recordShapes: true});
    const [events, rows] = [profiler.events(), profiler.keyAverages({groupByInputShape: true})];
    profiler = null;
    imports.system.gc();
    equal([events[0].get_name(), events[0].to_string().includes('relu'), rows[0].get_count()], ['relu', true, 1]);
});

test('events are saved', () => {
    const [file] = Gio.File.new_tmp('strideweave-XXXXXX.json');
    const profiler = recorded(() => {
        relu();
        Strideweave.relu(Strideweave.tensor([1]));
    });
    profiler.save_json(file.get_path());
    const [, contents] = file.load_contents(null);
    const saved = JSON.parse(new TextDecoder().decode(contents));
    equal(saved.events.map(event => event.carrier_type), ['Strideweave.Generic', 'Strideweave.CPU']);
    equal(saved.events.map(event => event.duration_ns), profiler.events().map(({durationNs}) => durationNs));
    file.delete(null);
    const error = throws(Strideweave.Error, null, () => profiler.save_json('/nowhere/at/all'));
    ok(error.matches(Strideweave.Error, Strideweave.Error.IO));
    throws(TypeError, /path/, () => profiler.save_json(5));
});

test('traces are written in each format', () => {
    const {TraceFormat} = Strideweave;
    const profiler = recorded(() => {
        relu();
        Strideweave.relu(Strideweave.tensor([1]));
    });
    const [file] = Gio.File.new_tmp('strideweave-XXXXXX.json');
    const written = format => {
        profiler.write_trace(file.get_path(), format);
        return file.load_contents(null)[1];
    };
    const chrome = JSON.parse(new TextDecoder().decode(written(TraceFormat.CHROME_JSON)));
    const lines = new TextDecoder().decode(written(TraceFormat.JSONL)).trimEnd().split('\n').map(line => JSON.parse(line));
    const slices = lines.filter(({type}) => type === 'slice');
    equal(chrome.filter(({ph}) => ph === 'X').map(({name, args}) => [name, args.carrier]),
        [['relu', 'Strideweave.Generic'], ['relu', 'Strideweave.CPU']]);
    equal(slices.map(({duration_ns: duration}) => duration), profiler.events().map(({durationNs}) => durationNs));
    ok(written(TraceFormat.PERFETTO).length > 100);
    file.delete(null);

    const error = throws(Strideweave.Error, null, () => profiler.write_trace('/nowhere/at/all', TraceFormat.JSONL));
    ok(error.matches(Strideweave.Error, Strideweave.Error.IO));
    throws(TypeError, /path/, () => profiler.write_trace(5, TraceFormat.JSONL));
    throws(TypeError, /format must be a TraceFormat/, () => profiler.write_trace('/nowhere', 'json'));
    throws(RangeError, /format is 3, which is no TraceFormat/, () => profiler.write_trace('/nowhere', 3));
});

test('an active profiler that nobody holds gives way', () => {
    (() => profile().enter())();
    imports.system.gc();
    imports.system.gc();
    GLib.MainContext.default().iteration(false);
    equal(names(recorded()), ['relu']);
});

// --- Memory ---

testMemory('many short sessions leave nothing behind', () => {
    const tensor = Strideweave.tensor([1, -2], {carrier: CPU});
    const session = () => {
        const profiler = profile({recordShapes: true});
        profiler.run(() => step(Outer, () => Strideweave.relu(tensor)));
        equal(profiler.events().length + profiler.keyAverages().length, 4);
        profiler.table();
    };
    const sessions = count => {
        for (let i = 0; i < count; i++)
            session();
        imports.system.gc();
        return residentPages();
    };
    // Until the heaps have the size that so many sessions between two collections need.
    sessions(2000);
    sessions(2000);
    const before = sessions(2000);
    const after = sessions(2000);
    // One chunk of events left behind each time would be 4500 pages.
    ok(after - before < 1500, `${before} pages became ${after}: that`);
});

finish();
