// SPDX-License-Identifier: LGPL-2.1-or-later
// Spans around functions, lazy arguments, and the examples of the guide. The argument is the module that was made of them.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, rejects, test, throws, throwsThis} from './tap.js';

const {MemoryCollector, Shape, TraceContext, TraceVerbosity} = Strideweave;
const {examples} = await import(Gio.File.new_for_commandline_arg(ARGV[0]).get_uri());

// The events that a function emits into a context of its own, as [name, arguments].
function record(callback) {
    const context = TraceContext.new();
    const collector = MemoryCollector.new(10000);
    context.collector = collector;
    callback(context);
    context.flush();
    return collector.events();
}

function named(events) {
    return events.map(event => [event.name, event.arguments]);
}

test('spans nest, and return what the function returns', () => {
    const events = record(context => {
        equal(context.span('outer', () => context.span('inner', {category: 'test'}, () => 42)), 42);
    });
    equal(events.map(({name, depth, category}) => [name, depth, category]), [['inner', 1, 'test'], ['outer', 0, '']]);
    ok(events[0].startNs >= events[1].startNs);
});

test('arguments', () => {
    const events = record(context => {
        context.span('span', {
            arguments: {
                text: 'a\0\n', whole: 3, real: 0.5, big: 2n ** 64n - 1n, small: -(2n ** 63n), yes: true, shape: [2, [3, 4]],
                own: new Shape(2, 3), lazy: () => 'late',
            },
        }, () => context.annotate({later: () => 1}));
    });
    const {big, small, ...rest} = events[0].arguments;
    equal(rest, {
        text: 'a\ufffd\n', whole: 3, real: 0.5, yes: true, shape: '(2, (3, 4))', own: '(2, 3)', lazy: 'late', later: 1,
    });
    const unpacked = events[0].dup_arguments();
    equal(unpacked.lookup_value('big', null).print(false), '18446744073709551615');
    equal(unpacked.lookup_value('small', null).print(false), '-9223372036854775808');
    ok(big > 0 && small < 0);
});

test('arguments that nobody wants are not put together', () => {
    const calls = [];
    const describe = () => {
        calls.push('arguments');
        return {n: () => calls.push('value')};
    };
    const events = record(context => {
        context.instant('seen', {arguments: describe});
        context.verbosity = TraceVerbosity.DECISIONS;
        context.span('unseen', {arguments: describe}, () => context.annotate({}));
        context.instant('unseen', {arguments: describe});
        context.counter('unseen', describe);
        context.asyncSpan('unseen', {arguments: describe}).end();
        context.enabled = false;
        context.span('unseen', {arguments: describe, level: TraceVerbosity.DECISIONS}, () => context.annotate(describe));
    });
    equal(calls, ['arguments', 'value']);
    equal(named(events), [['seen', {n: 2}]]);
});

test('errors pass through, and are told by their class', () => {
    const failure = new RangeError('secret 31337');
    const events = record(context => {
        throwsThis(failure, () => context.span('span', () => {
            throw failure;
        }));
    });
    equal(named(events), [['span', {failed: true, error: 'RangeError'}]]);
});

test('functions', () => {
    const events = record(context => {
        const add = context.traced(function add(a, b) {
            return this.base + a + b;
        }, {category: 'test'});
        equal([add.name, add.length, add.call({base: 1}, 2, 3)], ['add', 2, 6]);
        throws(TypeError, /name must be given/, () => context.traced(() => 1));
        equal(context.traced(() => 1, {name: 'named'})(), 1);
    });
    equal(events.map(({name, category}) => [name, category]), [['add', 'test'], ['named', '']]);
});

await test('asynchronous spans overlap', async () => {
    const context = TraceContext.new();
    const collector = MemoryCollector.new(100);
    context.collector = collector;
    const turn = () => new Promise(resolve => GLib.idle_add(GLib.PRIORITY_DEFAULT, () => {
        resolve();
        return GLib.SOURCE_REMOVE;
    }));
    const request = (name, n) => context.asyncSpan(name, async () => {
        for (let i = 0; i < n; i++)
            await turn();
        return name;
    });
    equal(await Promise.all([request('a', 3), request('b', 1)]), ['a', 'b']);
    await rejects(Error, /no/, context.asyncSpan('fails', async () => {
        throw new Error('no');
    }));
    equal(await context.span('plain', turn), undefined);
    context.flush();
    equal(collector.events().map(({name}) => name), ['b', 'a', 'fails', 'plain']);
});

test('tokens survive, however many contexts a program has', () => {
    for (let i = 0; i < 70; i++) {
        const events = record(context => {
            const outer = context.beginSpan('outer');
            const inner = context.beginSpan('inner');
            context.endSpan(inner);
            context.endSpan(outer);
            equal(context.get_misplaced_end_count(), 0);
        });
        equal(events.length, 2);
    }
});

test('counters', () => {
    const events = record(context => {
        context.counter('whole', 2n ** 62n);
        context.counter('real', () => 0.25);
    });
    equal(events.map(({name, value}) => [name, value]), [['whole', 2 ** 62], ['real', 0.25]]);
});

test('flows lead from span to span', () => {
    let flow;
    const events = record(context => {
        equal(context.get_stray_flow_count(), 0);
        context.span('submit', () => {
            flow = context.flowStart();
        });
        context.span('work', () => context.flowStep(flow));
        context.span('answer', () => context.flowEnd(flow));
        throws(Strideweave.Error, /which is a flow that has ended/, () => context.flowStep(flow));
        throws(Strideweave.Error, /which no flow ever had/, () => context.flowEnd(2 ** 52));
        context.flowEnd(0);
        context.verbosity = TraceVerbosity.DECISIONS;
        equal(context.flowStart(), 0);
        ok(context.flowStart({level: TraceVerbosity.DECISIONS}) > flow);
        equal(context.get_stray_flow_count(), 3);
    });
    ok(flow > 0);
    equal(events.map(event => [event.name, event.flows.map(([id, , step]) => [id, step])]),
        [['submit', [[flow, 'start']]], ['work', [[flow, 'step']]], ['answer', [[flow, 'end']]]]);
});

test('bad input', () => {
    record(context => {
        throws(TypeError, /name must be a string, not number/, () => context.span(1, () => 1));
        throws(TypeError, /function/, () => context.span('a'));
        throws(TypeError, /function/, () => context.span('a', {}, 5));
        throws(TypeError, /span\(\) has no option colour/, () => context.span('a', {colour: 1}, () => 1));
        throws(RangeError, /level is 9, which is no TraceVerbosity/, () => context.span('a', {level: 9}, () => 1));
        throws(TypeError, /category must be a string/, () => context.span('a', {category: 1}, () => 1));
        throws(TypeError, /arguments must be an object/, () => context.span('a', {arguments: 5}, () => 1));
        throws(TypeError, /argument n must be a string/, () => context.span('a', {arguments: {n: null}}, () => 1));
        throws(RangeError, /n is 18446744073709551616/, () => context.span('a', {arguments: {n: 2n ** 64n}}, () => 1));
        throws(RangeError, /n is -1/, () => context.span('a', {arguments: {n: [-1]}}, () => 1));
        throws(TypeError, /argument n/, () => context.instant('a', {arguments: {n: {}}}));
        throws(TypeError, /value must be a number/, () => context.counter('a', 'x'));
        throws(RangeError, /value is 18446744073709551616/, () => context.counter('a', 2n ** 64n));
        throws(TypeError, /arguments must be an object/, () => context.annotate(5));
        throws(TypeError, /function/, () => context.traced(5));
        throws(RangeError, /level is 9, which is no TraceVerbosity/, () => context.flowStart({level: 9}));
        throws(TypeError, /flowStart\(\) has no option colour/, () => context.flowStart({colour: 1}));
        throws(TypeError, /flow must be an integer, not string/, () => context.flowStep('1'));
        throws(RangeError, /flow is -1/, () => context.flowEnd(-1));
        throws(TypeError, /function/, () => context.asyncSpan('a', {}, 5));
    });
});

test('GPUs without CUPTI', () => {
    GLib.setenv('STRIDEWEAVE_CUPTI', '/nowhere/libcupti.so', true);
    ok(!Strideweave.CuptiCollector.is_available());
    throws(Strideweave.Error, /nowhere.libcupti.so/, () => Strideweave.CuptiCollector.new(MemoryCollector.new(1)));
    throws(TypeError, /target/, () => Strideweave.CuptiCollector.new(null));
    GLib.unsetenv('STRIDEWEAVE_CUPTI');
});

test('the examples of the guide', () => {
    const folder = GLib.dir_make_tmp('sw-tracing-XXXXXX');
    const lines = [];
    const print = (...values) => lines.push(values.join(' '));
    const file = `${folder}/trace.pftrace`;
    examples[0](print, file);
    equal(lines.splice(0), ['10']);
    ok(Gio.File.new_for_path(file).query_info('*', 0, null).get_size() > 100);
    GLib.unlink(file);
    GLib.rmdir(folder);
    examples[1](print);
    equal(lines, [
        'double  {}', 'cache.miss cache {"key":"weights"}', 'waiting  {}', 'request  {"id":7}', 'by hand  {}',
    ]);
    lines.length = 0;
    examples[2](print);
    equal(lines, ['{"seen":3} 3 0']);
    equal(examples.length, 3);
});

finish();
