// SPDX-License-Identifier: LGPL-2.1-or-later
// Every introspected function with arguments that are not what it takes: it throws or works, and never ends the program.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test} from './tap.js';

const {DType, Generic, Tensor} = Strideweave;

let GIRepository = null;
try {
    ({default: GIRepository} = await import('gi://GIRepository?version=2.0'));
} catch {
    print('1..0 # SKIP there is no GIRepository 2.0 to list the functions');
    System.exit(0);
}

// Many of the texts below name a file for some function.
const FOLDER = GLib.dir_make_tmp('bad-input-XXXXXX');
GLib.chdir(FOLDER);

const JUNK = [NaN, Infinity, -1, -(2 ** 63), 0, 1.5, 2 ** 45, 2 ** 53 + 2, 2 ** 64, 1e300, -5n, 2n ** 62n, 2n ** 63n, 2n ** 200n,
    'x', '', '\ud800', 'a\0b', true, null, undefined, Symbol('junk'), {}, [], [NaN], [2n ** 80n], [null], ['x'], [-1, 1.5], [[1]],
    new Uint8Array(3), new Float64Array([NaN]), new BigInt64Array([-9n]), () => 1, Object.create(null), new Date(NaN),
    Generic, Generic.$gtype, Strideweave.shape(2), new Generic([1])];

// These take addresses for what they are, and only fail where C looks there.
const SKIPPED = new Set(['CPU.new_for_address', 'CPU.new_for_memory', 'Buffer.free_dlpack', 'buffer_free_dlpack',
    'Buffer.get_capsule_destructor', 'buffer_get_capsule_destructor', 'Buffer.new_dlpack', 'Carrier.ref_bytes']);

// Any text names a file.
const TAKES_TEXT = new Set(['save', 'save_aggregates_csv', 'save_events_csv', 'save_json', 'write_trace',
    'write_to_csv', 'write_to_json', 'write_to_jsonl', 'write_to_perfetto']);

// What makes an argument that a function does take, by its name.
const SAMPLES = {
    accumulator_dtype: () => DType.FLOAT64,
    carrier: () => new Generic([1, 2]),
    carriers: () => [Generic],
    carrier_type: () => Generic.$gtype,
    destination: () => new Generic([1, 2]),
    dtype: () => DType.FLOATING,
    extents: () => [2],
    format: () => Strideweave.TraceFormat.JSONL,
    implementation_type: () => Strideweave.GenericReLUOperation.$gtype,
    input: () => tensor(),
    input_shapes: () => null,
    inputs: () => [tensor()],
    inner: () => Strideweave.layout(2),
    layout: () => Strideweave.layout(2),
    lhs: () => tensor(),
    mapping: () => Strideweave.layout(2),
    modes: () => [0],
    name: () => 'relu',
    object: () => 'x',
    onto: () => tensor(),
    operation_name: () => 'matmul',
    options: () => null,
    order: () => [0],
    primary: () => new Generic([1]),
    qualified_name: () => 'Name',
    rhs: () => tensor(),
    secondary: () => new Generic([]),
    shape: () => Strideweave.shape(2),
    shapes: () => [null],
    sort_by: () => 'name',
    source: () => tensor(),
    stride: () => Strideweave.stride(1),
    strides: () => [1],
    target: () => Strideweave.shape(2),
    tensor: () => tensor(),
    tensors: () => [tensor()],
    text: () => '(2,)',
    tokens: () => [0],
    type: () => Generic.$gtype,
    values: () => [1],
};

function tensor() {
    return new Tensor(new Generic([1, -2]), 0, Strideweave.layout(2));
}

// A fresh instance to call the methods of a class on.
const INSTANCES = {
    Buffer: () => Strideweave.Buffer.new(Strideweave.tensor([1])),
    CPU: () => new Strideweave.CPU(2),
    Carrier: () => new Generic([1, 2]),
    Evictable: () => new Strideweave.Evictable(new Generic([1]), new Generic([])),
    ExecutionOptions: () => Strideweave.executionOptions('matmul', {accumulatorDtype: DType.FLOAT64}),
    FileBacked: () => new Strideweave.FileBacked(),
    InputShapes: () => Strideweave.InputShapes.new([Strideweave.shape(2), null]),
    Layout: () => Strideweave.layout(2),
    Operation: () => new Generic([1]).dispatch_op('relu'),
    Profiler: () => {
        const profiler = Strideweave.profile();
        profiler.run(() => Strideweave.relu(tensor()));
        return profiler;
    },
    ProfilerAggregate: () => INSTANCES.Profiler().keyAverages()[0],
    ProfilerCycle: () => {
        const cycles = [];
        new Strideweave.ProfilerSchedule({onCycle: cycle => cycles.push(cycle)}).run(() => Strideweave.relu(tensor()));
        return cycles[0];
    },
    ProfilerColumns: () => INSTANCES.Profiler().tabulate_events(Strideweave.ColumnOrder.COLUMNS),
    ProfilerEventItem: () => INSTANCES.Profiler().get_item(0),
    ProfilerEvent: () => INSTANCES.Profiler().events()[0],
    ProfilerGroup: () => {
        const group = new Strideweave.ProfilerGroup();
        group.run(() => Strideweave.relu(tensor()));
        return group;
    },
    // Its first step that records anything does not come.
    ProfilerSchedule: () => new Strideweave.ProfilerSchedule({wait: 2 ** 40}),
    ProfilerThread: () => INSTANCES.ProfilerGroup().threads()[0],
    Shape: () => Strideweave.shape(2, [3, 4]),
    Stride: () => Strideweave.stride(1, [2, 6]),
    Tensor: tensor,
    Value: () => Strideweave.Value.new_double(1),
    ValueList: () => Strideweave.ValueList.new_doubles([1, 2]),
    // --- Zones ---
    CallStatistics: () => Strideweave.CallStatistics.new([1, 2]),
    CaptureDesc: () => new Strideweave.CaptureDesc(),
    DurationHistogram: () => INSTANCES.ZoneSelection().dup_histogram(2, 0, 0),
    DurationStatistics: () => Strideweave.DurationStatistics.new([1, 2]),
    FrameStats: () => zoneProfiler().frameStatsSnapshot(),
    FrameStatsEntry: () => INSTANCES.FrameStats().entries[0],
    ProfilerDiagnostics: () => zoneProfiler().diagnostics(),
    ProfilerEncoder: () => null,
    ProfilerSite: () => INSTANCES.ZoneTrace().sites[0],
    Timeline: () => INSTANCES.ZoneTrace().timelines[0],
    ZoneChunk: () => INSTANCES.ZoneTrace().zoneChunks[0],
    ZoneFrame: () => INSTANCES.ZoneTrace().frames[0],
    ZoneProfiler: () => new Strideweave.ZoneProfiler({threadEventCapacity: 64}),
    ZoneProfilerDesc: () => new Strideweave.ZoneProfilerDesc(),
    ZoneSelection: () => INSTANCES.ZoneTrace().queryZones(),
    ZoneTrace: () => zoneProfiler().liveSnapshot(),
    // --- Traces ---
    Collector: () => Strideweave.MemoryCollector.new(4),
    CompositeCollector: () => Strideweave.CompositeCollector.new([Strideweave.MemoryCollector.new(4)]),
    CuptiCollector: () => Strideweave.CuptiCollector.is_available()
        ? Strideweave.CuptiCollector.new(Strideweave.MemoryCollector.new(4)) : null,
    FileCollector: () => Strideweave.FileCollector.new('/dev/null', Strideweave.TraceFormat.JSONL),
    IttCollector: () => Strideweave.IttCollector.is_available() ? Strideweave.IttCollector.new() : null,
    MemoryCollector: () => Strideweave.MemoryCollector.new(4),
    SysprofCollector: () => Strideweave.SysprofCollector.is_available()
        ? Strideweave.SysprofCollector.new('capture.syscap') : null,
    TraceContext: () => Strideweave.TraceContext.new(),
    TraceEvent: traceEvent,
};

function traceEvent() {
    const context = Strideweave.TraceContext.new();
    const collector = Strideweave.MemoryCollector.new(4);
    context.set_collector(collector);
    context.set_verbosity(Strideweave.TraceVerbosity.FULL);
    context.set_enabled(true);
    context.emit_instant('instant', null, Strideweave.TraceVerbosity.DECISIONS, null);
    context.flush();
    return collector.dup_events()[0];
}

let zones = null;

// One that has recorded a zone in a frame.
function zoneProfiler() {
    if (zones === null) {
        zones = new Strideweave.ZoneProfiler({liveFrameCount: 2});
        zones.run(() => Strideweave.profileFrame(() => Strideweave.profileZone('zone', () => {})));
    }
    return zones;
}

// Every function of the namespace: whose it is, what it is called, which arguments GJS passes on, whether it can fail.
function* callables() {
    const repository = GIRepository.Repository.get_default();
    const describe = (owner, info) => {
        const flags = GIRepository.function_info_get_flags(info);
        const names = Array.from({length: GIRepository.callable_info_get_n_args(info)},
            (_, place) => GIRepository.callable_info_get_arg(info, place))
            .filter(arg => GIRepository.arg_info_get_direction(arg) === GIRepository.Direction.IN)
            .map(arg => arg.get_name())
            .filter(name => !name.startsWith('n_') && name !== 'user_data' && name !== 'destroy');
        return {
            owner, names, name: info.get_name(),
            isMethod: (flags & GIRepository.FunctionInfoFlags.IS_METHOD) !== 0,
            canFail: GIRepository.callable_info_can_throw_gerror(info),
        };
    };
    for (let i = 0; i < repository.get_n_infos('Strideweave'); i++) {
        const info = repository.get_info('Strideweave', i);
        switch (info.get_type()) {
        case GIRepository.InfoType.FUNCTION:
            yield describe(null, info);
            break;
        case GIRepository.InfoType.OBJECT:
            for (let k = 0; k < GIRepository.object_info_get_n_methods(info); k++)
                yield describe(info.get_name(), GIRepository.object_info_get_method(info, k));
            break;
        case GIRepository.InfoType.STRUCT:
        case GIRepository.InfoType.BOXED:
            for (let k = 0; k < GIRepository.struct_info_get_n_methods(info); k++)
                yield describe(info.get_name(), GIRepository.struct_info_get_method(info, k));
            break;
        }
    }
}

const all = [...callables()].filter(({owner, name}) => !SKIPPED.has(owner === null ? name : `${owner}.${name}`) &&
    !['ref', 'unref', 'free'].includes(name));

function targetOf({owner, isMethod}) {
    if (owner === null)
        return Strideweave;
    return isMethod ? INSTANCES[owner]() : Strideweave[owner];
}

test('the namespace was read', () => {
    ok(all.length > 150, all.length);
    for (const {owner, isMethod} of all)
        ok(owner === null || !isMethod || INSTANCES[owner], owner);
});

test('what can fail in C is wrapped', () => {
    for (const {owner, name, isMethod, canFail} of all) {
        if (!canFail)
            continue;
        const target = owner === null || !isMethod ? targetOf({owner, isMethod}) : Strideweave[owner].prototype;
        ok(!`${target[name]}`.includes('wrapper for native symbol'), `${owner}.${name}: not wrapped, which`);
    }
});

test('references are not for JavaScript to count', () => {
    for (const name of ['Shape', 'Layout', 'Tensor', 'ProfilerEvent', 'Value', 'ValueList', 'Buffer', 'ZoneTrace'])
        equal([Strideweave[name].prototype.ref, Strideweave[name].prototype.unref], [undefined, undefined]);
    for (const name of ['CaptureDesc', 'ZoneProfilerDesc'])
        equal(Strideweave[name].prototype.free, undefined);
});

let calls = 0;
let returned = 0;

function isError(error) {
    return error instanceof Error || error instanceof GLib.Error;
}

function call(callable, args) {
    if (TAKES_TEXT.has(callable.name) && typeof args[0] === 'string')
        return;
    calls += 1;
    try {
        targetOf(callable)[callable.name](...args);
        returned += 1;
    } catch (error) {
        // Nothing else is thrown than errors; that the program goes on is the test.
        if (!isError(error))
            throw new Error(`${callable.owner}.${callable.name} threw ${String(error)}`);
    }
}

test('samples are what functions take', () => {
    // So that the tests below get past the other arguments.
    returned = calls = 0;
    for (const callable of all)
        call(callable, callable.names.map(name => (SAMPLES[name] ?? (() => 0))()));
    ok(returned > calls / 2, `${returned} of ${calls} returned: that`);
});

for (const callable of all) {
    test(`${callable.owner ?? 'Strideweave'}.${callable.name} with anything at all`, () => {
        call(callable, []);
        for (const [place] of callable.names.entries()) {
            for (const junk of JUNK)
                call(callable, callable.names.map((name, k) => k === place ? junk : (SAMPLES[name] ?? (() => 0))()));
        }
        for (const junk of JUNK)
            call(callable, callable.names.map(() => junk));
    });
}

test('functions that JavaScript has beside those of C', () => {
    const functions = [...['shape', 'stride', 'layout', 'tensor', 'profile', 'executionOptions']
        .map(name => Strideweave[name]),
    ...['Generic', 'CPU', 'FileBacked', 'Evictable', 'Shape', 'Stride', 'Layout', 'Tensor', 'Profiler', 'ProfilerEvent',
        'ProfilerAggregate', 'ProfilerGroup', 'ProfilerSchedule'].map(name => (...args) => new Strideweave[name](...args)),
    ...['get', 'set', 'at', 'index', 'encode', 'decode', 'equals', 'keyAverages', 'table', 'run', 'forward'].flatMap(name =>
        Object.values(INSTANCES).map(make => (...args) => make()[name]?.(...args)))];
    for (const run of functions) {
        for (const junk of JUNK) {
            for (const args of [[junk], [junk, junk], [1, junk], [[1], junk]]) {
                try {
                    run(...args);
                } catch (error) {
                    ok(isError(error), String(error));
                }
            }
        }
    }
});

function remove(file) {
    if (file.query_file_type(Gio.FileQueryInfoFlags.NOFOLLOW_SYMLINKS, null) === Gio.FileType.DIRECTORY) {
        const children = file.enumerate_children('standard::name', Gio.FileQueryInfoFlags.NOFOLLOW_SYMLINKS, null);
        for (let info = children.next_file(null); info !== null; info = children.next_file(null))
            remove(children.get_child(info));
        children.close(null);
    }
    file.delete(null);
}

GLib.chdir('/');
remove(Gio.File.new_for_path(FOLDER));
finish();
