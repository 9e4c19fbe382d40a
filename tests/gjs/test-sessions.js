// SPDX-License-Identifier: LGPL-2.1-or-later
// Profilers by schedule, and for all threads of the process.
import GLib from 'gi://GLib';
import Strideweave from 'gi://Strideweave?version=1';

import {evictable, Inner, names, Outer, raiser, recorded, residentPages, step, testMemory, vector} from './helpers.js';
import {equal, finish, ok, test, throws, throwsThis} from './tap.js';

const {ProfilerGroup, ProfilerSchedule} = Strideweave;

function runSchedule(nSteps, options) {
    const cycles = [];
    new ProfilerSchedule({...options, onCycle: cycle => cycles.push(cycle)}).run(schedule => {
        for (let number = 0; number < nSteps; number++) {
            equal(schedule.currentStep, number);
            Strideweave.relu(vector(Array(number + 1).fill(1)));
            schedule.step();
        }
    });
    return cycles.map(cycle => [cycle.number, cycle.events().map(({inputShapes}) => inputShapes[0][0] - 1), cycle.steps, cycle.partial]);
}

function* formula({skipFirst, wait, warmup, active, repeat}, nEnded) {
    const length = wait + warmup + active;
    for (let number = 0; repeat === 0 || number < repeat; number++) {
        const first = skipFirst + number * length + wait + warmup;
        if (first >= nEnded)
            return;
        const steps = Array.from({length: Math.min(active, nEnded - first)}, (_, place) => first + place);
        yield [number, steps, steps, steps.length < active];
    }
}

test('recorded steps match the formula', () => {
    for (let bits = 0; bits < 48; bits++) {
        const options = {skipFirst: bits & 1, wait: bits >> 1 & 1, warmup: bits >> 2 & 1, active: 1 + (bits >> 3 & 1), repeat: bits >> 4};
        for (const nSteps of [0, 5, 6])
            equal(runSchedule(nSteps, {...options, recordShapes: true}), [...formula(options, nSteps)]);
    }
});

test('labels of steps and events', () => {
    const cycles = [];
    const schedule = new ProfilerSchedule({wait: 1, warmup: 2, active: 3, onCycle: cycle => cycles.push(cycle)});
    equal(`${schedule}`, 'ProfilerSchedule(not active)');
    schedule.run(() => {
        for (let number = 0; number < 6; number++) {
            Strideweave.relu(evictable([1]));
            schedule.step();
        }
    });
    const [cycle] = cycles;
    equal([cycles.length, cycle.steps, `${cycle}`], [1, [3, 4, 5], 'ProfilerCycle(0: 3 steps from 3)']);
    equal(cycle.events().map(event => cycle.stepOf(event)), [3, 3, 4, 4, 5, 5]);
    equal([cycle.events(4).map(({id}) => id), cycle.stepOf(5)], [[2, 3], 5]);
    throws(RangeError, /id is 6/, () => cycle.stepOf(6));
    throws(RangeError, /step is 6/, () => cycle.events(6));
});

test('counts that cannot be', () => {
    for (const name of ['skipFirst', 'wait', 'warmup', 'active', 'repeat']) {
        throws(RangeError, new RegExp(`${name} is -1`), () => new ProfilerSchedule({[name]: -1}));
        throws(RangeError, new RegExp(name), () => new ProfilerSchedule({[name]: 1.5}));
        throws(TypeError, new RegExp(name), () => new ProfilerSchedule({[name]: '1'}));
    }
    throws(RangeError, /active is 0/, () => new ProfilerSchedule({active: 0}));
    throws(TypeError, /no option skip_first/, () => new ProfilerSchedule({skip_first: 1}));
    throws(TypeError, /onCycle/, () => new ProfilerSchedule({onCycle: 1}));
    throws(TypeError, /carriers/, () => new ProfilerSchedule({carriers: 1}));
});

test('what the function of cycles throws comes out whole', () => {
    const thrown = {any: 'thing'};
    const seen = [];
    new ProfilerSchedule({
        onCycle({number}) {
            seen.push(number);
            if (number === 1)
                throw thrown;
        },
    }).run(schedule => {
        schedule.step();
        throwsThis(thrown, () => schedule.step());
        equal(schedule.currentStep, 2);
        schedule.step();
    });
    equal(seen, [0, 1, 2]);
    throwsThis(thrown, () => new ProfilerSchedule({onCycle: raiser(thrown)}).run(() => step(Inner)));
    recorded();
});

test('wrong calls of a schedule', () => {
    const schedule = new ProfilerSchedule({onCycle: () => schedule.step()});
    throws(Strideweave.Error, /not entered/, () => schedule.step());
    schedule.run(() => {
        ok(schedule.active, 'not active');
        throws(Strideweave.Error, /single-use/, () => schedule.enter());
        throws(Strideweave.Error, /cannot go on/, () => schedule.step());
        throws(Strideweave.Error, /already active/, () => recorded());
    });
    throws(Strideweave.Error, /exited already/, () => schedule.exit());
    throws(Strideweave.Error, /single-use/, () => schedule.run(() => {}));
    recorded(() => throws(Strideweave.Error, /already active/, () => new ProfilerSchedule().run(() => {})));
});

test('a function that throws leaves the schedule', () => {
    const cycles = [];
    const thrown = new Error('half way');
    throwsThis(thrown, () => new ProfilerSchedule({active: 2, onCycle: cycle => cycles.push(cycle)}).run(() => {
        step(Inner);
        throw thrown;
    }));
    equal(cycles.map(({steps, partial}) => [steps, partial]), [[[0], true]]);
    recorded();
});

test('cycles add up', () => {
    const cycles = [];
    new ProfilerSchedule({active: 2, onCycle: cycle => cycles.push(cycle)}).run(schedule => {
        for (let number = 0; number < 6; number++) {
            Strideweave.relu(evictable([1]));
            schedule.step();
        }
    });
    const profilers = cycles.map(({profiler}) => profiler);
    const merged = Strideweave.mergedKeyAverages(profilers);
    equal(merged.map(({count}) => count), [6, 6]);
    equal(merged[0].totalTimeNs, profilers.map(profiler => profiler.keyAverages()[0].totalTimeNs).reduce((a, b) => a + b));
    ok(Strideweave.mergedTable(profilers, {sortBy: 'name'}).includes('Evictable'), 'no Evictable');
    throws(TypeError, /profilers\[0\]/, () => Strideweave.mergedTable([3]));
    const [statistics] = Strideweave.mergedKeyAverages(profilers, {statistics: true});
    ok(statistics.p50TimeNs >= statistics.minTimeNs && statistics.p99TimeNs <= statistics.maxTimeNs, `${statistics.p50TimeNs}`);
    equal(Strideweave.mergedAggregateColumns(profilers).p99TimeNs[0], statistics.p99TimeNs);
    ok(Strideweave.mergedTable(profilers, {columns: ['p99TimeNs'], sortBy: 'p99TimeNs'}).includes('p99'), 'no column');
    throws(RangeError, /columns\[0\]/, () => Strideweave.mergedTable(profilers, {columns: ['p98']}));
    throws(RangeError, /sortBy/, () => Strideweave.mergedTable(profilers, {sortBy: 'p99TimeNs'}));
    throws(Strideweave.Error, /profilers\[0\]/, () => Strideweave.mergedKeyAverages([Strideweave.profile()]));
});

test('a group', () => {
    const group = new ProfilerGroup({recordShapes: true});
    const own = Strideweave.profile();
    throws(Strideweave.Error, /only after context exit/, () => group.threads());
    const result = group.run(() => {
        own.run(() => Strideweave.relu(evictable([1])));
        throws(Strideweave.Error, /already active in this process/, () => new ProfilerGroup().run(() => {}));
        throws(Strideweave.Error, /still active/, () => group.table());
        return 7;
    });
    equal([result, group.completed, group.nLostThreads, own.events().length], [7, true, 0, 2]);
    equal(group.events().map(({inputShapes}) => inputShapes), [[[1]], [[1]]]);
});

test('threads of a group', () => {
    const group = new ProfilerGroup();
    group.run(() => Strideweave.relu(evictable([1])));
    const [thread] = group.threads();
    equal([group.threads().length, thread.nativeId > 0, thread.threadId, `${group}`],
        [1, true, group.events()[0].threadId, 'ProfilerGroup(1 threads)']);
    equal(group.events(), thread.profiler.events());
    equal(group.keyAverages().map(({name, count}) => [name, count]), [['relu', 1], ['relu', 1]]);
    ok(group.table({byThread: true}).startsWith(`Thread ${thread.name} (${thread.nativeId})\nName`), group.table({byThread: true}));
    ok(group.table({rowLimit: 1}).split('\n').length === 3, group.table());
    throws(Strideweave.Error, /single-use/, () => group.run(() => {}));
    throws(TypeError, /byThread/, () => group.table({byThread: 1}));
    const [statistics] = group.keyAverages({statistics: true});
    equal(group.aggregateColumns().p99TimeNs[0], statistics.p99TimeNs);
    equal(group.aggregateColumns({statistics: false}).p99TimeNs, undefined);
    for (const byThread of [false, true])
        ok(group.table({columns: ['p99TimeNs'], byThread}).includes('p99'), 'no column');
    throws(TypeError, /columns/, () => group.table({columns: 'p99TimeNs'}));
});

function turn() {
    return new Promise(resolve => GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    }));
}

// Two functions take turns on the thread: the second one's profiler is refused, and the first one's sees both.
await test('two promises with a profiler each', async () => {
    const first = Strideweave.profile();
    const second = Strideweave.profile();
    const outcomes = await Promise.allSettled([
        first.runAsync(async () => {
            step(Outer);
            await turn();
            step(Outer);
        }),
        second.runAsync(async () => {
            await turn();
            step(Inner);
        }),
        (async () => {
            step(Inner);
            await turn();
        })(),
    ]);
    equal(outcomes.map(({status}) => status), ['fulfilled', 'rejected', 'fulfilled']);
    ok(/already active/.test(outcomes[1].reason.message), outcomes[1].reason.message);
    equal(first.events().map(({carrierType, parentId}) => [carrierType, parentId]), [[Outer, null], [Inner, null], [Outer, null]]);
    throws(Strideweave.Error, /could not be entered/, () => second.events());
});

await test('a promise leaves what another one entered', async () => {
    const profiler = Strideweave.profile();
    const running = profiler.runAsync(async () => {
        step(Outer);
        await turn();
        step(Outer);
    });
    profiler.exit();
    let reason = null;
    await running.catch(error => {
        reason = error;
    });
    ok(reason?.matches(Strideweave.Error, Strideweave.Error.STATE), reason);
    ok(/not active/.test(reason.message), reason.message);
    equal(names(profiler), ['step']);
    recorded();
});

// A hook is synchronous: a promise is no tensor.
test('an operation that waits fails', () => {
    const profiler = Strideweave.profile();
    profiler.run(() => throws(TypeError, /Tensor/, () => step(Outer, async () => step(Inner))));
    equal(profiler.events().map(({parentId, succeeded}) => [parentId, succeeded]), [[null, false], [0, true]]);
});

await test('an operation whose promise goes on later has no child there', async () => {
    const profiler = Strideweave.profile();
    await profiler.runAsync(async () => {
        let later;
        throws(TypeError, /Tensor/, () => step(Outer, () => {
            later = turn().then(() => step(Inner));
            return later;
        }));
        await later;
    });
    equal(profiler.events().map(({carrierType, parentId}) => [carrierType, parentId]), [[Outer, null], [Inner, null]]);
});

testMemory('sessions by schedule and groups leave nothing', () => {
    const sessions = count => {
        for (let number = 0; number < count; number++) {
            new ProfilerSchedule({onCycle: cycle => cycle.events()}).run(schedule => {
                Strideweave.relu(vector([1]));
                schedule.step();
            });
            new ProfilerGroup({recordShapes: true}).run(() => Strideweave.relu(vector([1])));
        }
        imports.system.gc();
        return residentPages();
    };
    // Until the heaps have the size that so many sessions between two collections need.
    sessions(2000);
    sessions(2000);
    const before = sessions(2000);
    const after = sessions(2000);
    ok(after - before < 1500, `${before} pages became ${after}: that`);
});

testMemory('recorded shapes keep no tensor', () => {
    const kept = [];
    const sessions = count => {
        for (let number = 0; number < count; number++) {
            const profiler = Strideweave.profile({recordShapes: true});
            profiler.run(() => Strideweave.relu(Strideweave.tensor(new Float64Array(2 ** 17))));
            kept.push(profiler);
            if (number % 5 === 4)
                imports.system.gc();
        }
        return residentPages();
    };
    const before = sessions(20);
    const after = sessions(100);
    // Two hundred tensors of a MiB are 51200 pages.
    ok(after - before < 8000, `${before} pages became ${after}: that`);
    equal(kept[0].events()[0].inputShapes, [[2 ** 17]]);
});

finish();
