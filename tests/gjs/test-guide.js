// SPDX-License-Identifier: LGPL-2.1-or-later
// The examples of the guide do what it says. The argument is the module that was made of them.
import Gio from 'gi://Gio';
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test} from './tap.js';

const {examples} = await import(Gio.File.new_for_commandline_arg(ARGV[0]).get_uri());

function run(place) {
    const lines = [];
    const variables = examples[place]((...values) => lines.push(values.join(' ')));
    return {lines, ...variables};
}

test('profiling', () => {
    const {result, profiler, lines} = run(0);
    equal(result.toArray(), [[2, 4], [6, 8]]);
    const [event] = profiler.events();
    equal(lines[0], `mul ${event.durationNs} [[2,2],null] `);
    ok(lines[1].includes('((2, 2), None)'));
    equal(lines[2], `1 x mul, on average ${event.durationNs} ns`);
});

test('some steps, and all threads', () => {
    const {lines, group} = run(1);
    const [thread] = group.threads();
    ok(lines[0].startsWith('2,3 1 Name'), lines[0]);
    equal(lines[1], `${thread.name} ${thread.nativeId} 1`);
    ok(lines[2].startsWith(`Thread ${thread.name} (`), lines[2]);
});

test('shapes, layouts, tensors', () => {
    equal(run(2).lines, ['Shape(2, (3, 4)) 24 3 23', '4 [[1,2,3],[4,5,6]] 1,4,2,5,3,6', '0.5 23']);
});

test("carriers and operations of one's own", () => {
    const {lines, scaled} = run(3);
    equal(lines, ['3,6']);
    ok(scaled.carrier instanceof Strideweave.Generic);
});

test('zones', () => {
    const {lines, trace} = run(4);
    equal(lines.slice(0, 4), ['text true 3 1', 'text true 5 2', '3 true', '6 1,-1,3,-1,5,-1']);
    ok(/\ndraw .*\n {2}text /s.test(lines[4]), lines[4]);
    equal(trace.frames.map(({name}) => name), ['tick', 'tick', 'tick']);
});

test('there are no other examples', () => {
    equal(examples.length, 5);
});

finish();
