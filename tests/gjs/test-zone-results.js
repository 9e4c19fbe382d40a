// SPDX-License-Identifier: LGPL-2.1-or-later
// What a ZoneProfiler returns: traces, columns, selections, statistics.
import Gio from 'gi://Gio';
import GLib from 'gi://GLib';
import System from 'system';
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test, throws, throwsError} from './tap.js';

const {profileFrame, profileZone, ZoneProfiler} = Strideweave;

const FRAMES = 50;

function record(profiler, frames = FRAMES) {
    profiler.run(() => {
        for (let number = 0; number < frames; number++) {
            profileFrame('frame', () => profileZone('outer', () => {
                profileZone('inner', () => {});
                profileZone('inner', () => {});
            }));
        }
    });
}

function makeTrace() {
    const profiler = new ZoneProfiler();
    profiler.startCapture();
    record(profiler);
    return profiler.stopCapture();
}

function percentile(sorted, share) {
    const place = (sorted.length - 1) * share;
    const below = Math.floor(place);
    const above = Math.min(below + 1, sorted.length - 1);
    return sorted[below] + (sorted[above] - sorted[below]) * (place - below);
}

function near(actual, expected) {
    ok(Math.abs(actual - expected) <= 1e-12 * Math.max(1, Math.abs(expected)), `${actual} for ${expected}`);
}

function assertStatistics(statistics, durationsNs) {
    const values = [...durationsNs].map(duration => Number(duration) / 1e6).sort((a, b) => a - b);
    const total = values.reduce((sum, value) => sum + value, 0);
    const mean = total / values.length;
    equal(statistics.count, values.length);
    near(statistics.totalMs, total);
    near(statistics.minMs, values[0]);
    near(statistics.maxMs, values.at(-1));
    near(statistics.meanMs, mean);
    near(statistics.stddevMs, Math.sqrt(values.reduce((sum, value) => sum + (value - mean) ** 2, 0) / values.length));
    for (const [field, share] of [['p50Ms', 0.5], ['p90Ms', 0.9], ['p95Ms', 0.95], ['p99Ms', 0.99]])
        near(statistics[field], percentile(values, share));
}

function fails(code, pattern, callback) {
    const error = throwsError(Strideweave.Error, code, callback);
    ok(pattern.test(error.message), error.message);
}

// --- How profilers and captures are made ---

test('a description is a plain object', () => {
    const {desc} = new ZoneProfiler();
    equal({...desc}, {
        threadEventCapacity: 8192, liveFrameCount: 120, liveEventCapacity: 100000, frameStatsWindowSize: 120,
        gpuQueryPoolSize: 16384, enableAutoZones: true, enableDebugGroups: false,
    });
    equal({...new ZoneProfiler({...desc, threadEventCapacity: 64, enableAutoZones: false}).desc},
        {...desc, threadEventCapacity: 64, enableAutoZones: false});
    const native = new Strideweave.ZoneProfilerDesc();
    native.live_frame_count = 7;
    const profiler = new ZoneProfiler(native);
    native.live_frame_count = 8;
    equal(profiler.desc.liveFrameCount, 7);
    equal(new ZoneProfiler(null).desc.liveFrameCount, 120);
});

test('impossible descriptions', () => {
    for (const field of ['threadEventCapacity', 'liveFrameCount', 'liveEventCapacity', 'frameStatsWindowSize', 'gpuQueryPoolSize']) {
        const name = field.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
        throws(RangeError, new RegExp(`${name} is 0`), () => new ZoneProfiler({[field]: 0}));
        throws(RangeError, new RegExp(`${name} is -4`), () => new ZoneProfiler({[field]: -4n}));
        throws(RangeError, new RegExp(`${field} is 1.5`), () => new ZoneProfiler({[field]: 1.5}));
        throws(RangeError, new RegExp(field), () => new ZoneProfiler({[field]: NaN}));
        throws(RangeError, new RegExp(field), () => new ZoneProfiler({[field]: 2n ** 63n}));
        throws(TypeError, new RegExp(`${field} must be an integer`), () => new ZoneProfiler({[field]: '64'}));
    }
    throws(RangeError, /no power of two/, () => new ZoneProfiler({threadEventCapacity: 48}));
    throws(RangeError, /gpu_query_pool_size is 3/, () => new ZoneProfiler({gpuQueryPoolSize: 3}));
    throws(TypeError, /enableAutoZones must be a boolean/, () => new ZoneProfiler({enableAutoZones: 1}));
    throws(TypeError, /no option capacity/, () => new ZoneProfiler({capacity: 1}));
    throws(TypeError, /must be an object/, () => new ZoneProfiler(8192));
});

test('captures begin and end', () => {
    const {STATE} = Strideweave.Error;
    const profiler = new ZoneProfiler();
    fails(STATE, /^No active/, () => profiler.stopCapture());
    fails(STATE, /^No active/, () => profiler.discardCapture());
    for (const maxMemoryBytes of [0, -1])
        throws(RangeError, /max_memory_bytes is/, () => profiler.startCapture({maxMemoryBytes}));
    throws(TypeError, /maxMemoryBytes must be/, () => profiler.startCapture({maxMemoryBytes: '1'}));
    throws(TypeError, /no option size/, () => profiler.startCapture({size: 1}));
    equal(profiler.captureActive, false);
    profiler.startCapture();
    equal(profiler.captureActive, true);
    fails(STATE, /already active/, () => profiler.startCapture());
    profiler.discardCapture();
    equal(profiler.captureActive, false);
    profiler.startCapture(null);
    equal(profiler.stopCapture().zoneCount, 0);
});

test('a capture that reaches its limit says so', () => {
    const profiler = new ZoneProfiler();
    profiler.startCapture({maxMemoryBytes: 20000});
    record(profiler, 2000);
    profiler.flush();
    equal(profiler.captureActive, false);
    const trace = profiler.stopCapture();
    equal([trace.truncated, trace.stopReason], [true, Strideweave.StopReason.MEMORY_LIMIT]);
    ok(trace.memoryBytes <= 20000 && trace.zoneCount > 0);
    ok(trace.diagnostics.memoryLimitCount > 0);
});

// --- Traces ---

const trace = makeTrace();

test('a trace tells of itself', () => {
    equal([trace.zoneCount, trace.truncated, trace.stopReason],
        [3 * FRAMES, false, Strideweave.StopReason.REQUESTED]);
    ok(typeof trace.startNs === 'bigint' && trace.startNs < trace.stopNs);
    ok(trace.memoryBytes > 0);
    equal(trace.sites.map(({name}) => name).sort(), ['inner', 'outer']);
    equal(trace.frames.map(({index}) => index), Array.from({length: FRAMES}, (_, index) => index));
    ok(trace.frames.every(({startNs, durationNs}) => startNs >= trace.startNs && startNs + BigInt(durationNs) <= trace.stopNs));
    const [timeline] = trace.timelines;
    equal([trace.timelines.length, timeline.timelineType, timeline.threadId],
        [1, Strideweave.TimelineType.CPU, BigInt(new Gio.Credentials().get_unix_pid())]);
    ok(trace.frames === trace.frames && Object.isFrozen(trace.frames));
    ok(`${trace}`.startsWith(`ZoneTrace(zone_count=${3 * FRAMES}, frames=${FRAMES}, timelines=1`), `${trace}`);
});

test('columns are typed arrays, and outlive what they are of', () => {
    let chunks = makeTrace().zoneChunks;
    const [chunk] = chunks;
    const {startNs, durationNs, correlationId, frameIndex, timelineId, siteId, parentIndex} = chunk;
    for (const [column, Type] of [[startNs, BigUint64Array], [durationNs, BigUint64Array], [correlationId, BigUint64Array],
        [frameIndex, Uint32Array], [timelineId, Uint32Array], [siteId, Uint32Array], [parentIndex, Int32Array]]) {
        equal(column.constructor, Type);
        equal(column.length, 3 * FRAMES);
    }
    chunks = null;
    for (let round = 0; round < 3; round++)
        System.gc();
    equal(frameIndex.at(-1), FRAMES - 1);
    equal([...parentIndex.slice(0, 3)], [2, 2, -1]);
    ok(startNs.every((start, place) => parentIndex[place] < 0 || start >= startNs[parentIndex[place]]));
});

test('writing into a column does not make the library go astray', () => {
    const spoilt = makeTrace();
    const [chunk] = spoilt.zoneChunks;
    for (const field of ['timelineId', 'siteId', 'parentIndex']) {
        const before = [...chunk[field]];
        chunk[field].fill(1e9);
        equal([...chunk[field]], before);
    }
    equal(spoilt.queryZones({name: 'outer'}).count, FRAMES);
});

test('zones can be iterated, and agree with the columns', () => {
    const zones = [...trace];
    const [chunk] = trace.zoneChunks;
    equal(zones.length, trace.zoneCount);
    equal(zones.map(({index}) => index), zones.map((_, place) => place));
    equal(zones.map(({startNs}) => startNs), [...chunk.startNs]);
    equal(zones.map(({durationNs}) => BigInt(durationNs)), [...chunk.durationNs]);
    equal(zones.map(({parentIndex}) => parentIndex ?? -1), [...chunk.parentIndex]);
    equal(zones.map(({site}) => site.id), [...chunk.siteId]);
    equal(zones.slice(0, 3).map(({name}) => name), ['inner', 'inner', 'outer']);
    ok(zones[0].timeline === trace.timelines[0] && Object.isFrozen(zones[0]));
});

// --- Queries ---

test('queries', () => {
    equal(trace.queryZones().count, 3 * FRAMES);
    equal(trace.queryZones({name: 'inner'}).length, 2 * FRAMES);
    equal(trace.queryZones({name: 'inn'}).count, 0);
    equal(trace.queryZones({timelineType: 'cpu'}).count, 3 * FRAMES);
    equal(trace.queryZones({timelineType: Strideweave.TimelineType.GPU}).count, 0);
    equal(trace.queryZones({frameBegin: 10, frameEnd: 12, name: 'outer'}).count, 2);
    const {startNs, durationNs} = trace.frames[3];
    const selection = trace.queryZones({startNs, endNs: startNs + BigInt(durationNs)});
    equal([...selection].map(({frameIndex}) => frameIndex), [3, 3, 3]);
    equal([...selection.indices], [9, 10, 11]);
    equal([...selection.durationNs], [...trace.zoneChunks[0].durationNs.slice(9, 12)]);
    equal([...selection].map(({index}) => index), [9, 10, 11]);
    equal(`${selection}`, 'ZoneSelection(3 zones)');
    equal(selection.trace.zoneCount, trace.zoneCount);
});

test('impossible queries', () => {
    throws(TypeError, /name must be a string/, () => trace.queryZones({name: 7}));
    throws(RangeError, /timelineType is tpu/, () => trace.queryZones({timelineType: 'tpu'}));
    throws(RangeError, /timeline_type is 7/, () => trace.queryZones({timelineType: 7}));
    throws(TypeError, /timelineType must be/, () => trace.queryZones({timelineType: true}));
    for (const bound of ['frameBegin', 'frameEnd', 'startNs', 'endNs']) {
        throws(RangeError, new RegExp(`${bound} is -1`), () => trace.queryZones({[bound]: -1}));
        throws(RangeError, new RegExp(bound), () => trace.queryZones({[bound]: 2n ** 63n}));
        throws(TypeError, new RegExp(bound), () => trace.queryZones({[bound]: '1'}));
    }
    throws(TypeError, /no option frame_begin/, () => trace.queryZones({frame_begin: 1}));
    throws(RangeError, /column is 99/, () => trace.zoneChunks[0].dup_column(99));
});

// --- Statistics ---

test('statistics are those of the columns', () => {
    const selection = trace.queryZones({name: 'inner'});
    assertStatistics(selection.statistics(), selection.durationNs);
    assertStatistics(trace.frameStatistics(), trace.frames.map(({durationNs}) => durationNs));
    const none = trace.queryZones({name: 'none'}).statistics();
    equal([none.count, none.totalMs, none.p99Ms], [0, 0, 0]);
    const made = Strideweave.DurationStatistics.new([1000000, 3000000n]);
    equal(JSON.parse(JSON.stringify(made)), {
        count: 2, totalMs: 4, minMs: 1, maxMs: 3, meanMs: 2, stddevMs: 1, p50Ms: 2, p90Ms: 2.8, p95Ms: 2.9, p99Ms: 2.98,
    });
    ok(made.equals(Strideweave.DurationStatistics.new([3000000, 1000000])));
    ok(!made.equals(none) && !made.equals(null) && !made.equals({}));
    ok(`${made}`.startsWith('DurationStatistics(count=2, total_ms=4'), `${made}`);
    throws(RangeError, /durations_ns\[1\] is -1/, () => Strideweave.DurationStatistics.new([1, -1]));
    throws(TypeError, /other must be a DurationStatistics/, () => made.equal(null));
});

test('histograms, and the slowest zones', () => {
    const selection = trace.queryZones({name: 'inner'});
    const {binCount, edgesMs, counts, below, above} = selection.histogram({bins: 8});
    equal([binCount, edgesMs.length, counts.length], [8, 9, 8]);
    equal([edgesMs.constructor, counts.constructor], [Float64Array, BigUint64Array]);
    equal(Number(counts.reduce((sum, count) => sum + count, 0n)) + below + above, selection.count);
    const narrow = selection.histogram({bins: 2, minMs: 0, maxMs: 1e-6});
    equal([...narrow.edgesMs], [0, 5e-7, 1e-6]);
    equal(narrow.above, selection.count);
    throws(RangeError, /max_ms is 1,/, () => selection.histogram({minMs: 2, maxMs: 1}));
    throws(RangeError, /min_ms is nan/, () => selection.histogram({minMs: NaN}));
    throws(RangeError, /n_bins is 0/, () => selection.histogram({bins: 0}));
    throws(TypeError, /no option n/, () => selection.histogram({n: 1}));
    const slowest = selection.slowest(5);
    const durations = [...selection.durationNs].sort((a, b) => Number(b - a));
    equal([...slowest.durationNs], durations.slice(0, 5));
    equal(selection.slowest(10000).count, selection.count);
    throws(RangeError, /n_zones/, () => selection.slowest(-1));
});

// --- Frame statistics ---

test('frame statistics', () => {
    const profiler = new ZoneProfiler({frameStatsWindowSize: 20});
    equal(profiler.frameStatsSnapshot().sampleCount, 0);
    equal(profiler.frameStatsSnapshot().sampleCallCount.length, 0);
    record(profiler, 30);
    const stats = profiler.frameStatsSnapshot();
    equal([stats.sampleCount, stats.entryCount, stats.pendingFrameCount], [20, 2, 0]);
    equal([...stats.sampleFrameIndex], Array.from({length: 20}, (_, place) => place + 10));
    equal([...stats.sampleCallCount], Array.from({length: 20}, () => [1, 2]).flat());
    equal([stats.sampleCpuTimeMs.constructor, stats.sampleCpuTimeMs.length], [Float64Array, 40]);
    equal(stats.sampleFrameStartNs.constructor, BigUint64Array);
    ok(stats.sampleGpuTimeMs.every(time => time === 0));
    ok(stats.sampleGpuStatus.every(status => status === Strideweave.GpuStatus.UNAVAILABLE));
    equal(stats.latestFrameMs, stats.sampleFrameTimeMs.at(-1));
    equal(stats.frameTime.count, 20);
    near(stats.frameTime.meanMs, stats.sampleFrameTimeMs.reduce((sum, time) => sum + time) / 20);

    const [outer, inner] = stats;
    equal([outer.name, outer.parentIndex, outer.depth], ['outer', -1, 0]);
    equal([inner.name, inner.parentIndex, inner.depth], ['inner', 0, 1]);
    equal([inner.cpuTimePerCall.count, inner.cpuTimePerFrame.count, inner.gpuTimePerCall.count], [40, 20, 0]);
    ok(stats.entries === stats.entries);
    ok(/frames: 20 completed.*\nzone .*\nouter .*\n {2}inner .* 2\.000 /s.test(`${stats}`), `${stats}`);
    ok(stats.toCsv().split('\n').length > 2);

    profiler.clearFrameStats();
    equal(profiler.frameStatsSnapshot().sampleCount, 0);
    equal(stats.sampleCount, 20);
});

test('the live history, and slow frames', () => {
    const profiler = new ZoneProfiler({liveFrameCount: 5});
    record(profiler, 12);
    const live = profiler.liveSnapshot();
    equal(live.stopReason, Strideweave.StopReason.SNAPSHOT);
    ok(live.frames.length >= 5 && live.frames.at(-1).index === 11, live.frames.join());
    equal(profiler.slowFrameThresholdNs, -1);
    equal(profiler.slowFramesSnapshot().frames.length, 0);
    profiler.slowFrameThresholdNs = 0;
    record(profiler, 3);
    equal(profiler.slowFramesSnapshot().frames.map(({index}) => index), [12, 13, 14]);
    throws(TypeError, /enabled must be a boolean/, () => profiler.set_enabled('no'));
});

test('diagnostics', () => {
    const profiler = new ZoneProfiler();
    record(profiler, 4);
    const diagnostics = profiler.diagnostics();
    equal([diagnostics.emittedCount, diagnostics.recordedCount, diagnostics.producerDropCount, diagnostics.firstDropNs],
        [12, 12, 0, 0n]);
    equal(JSON.parse(JSON.stringify(diagnostics)).recordedCount, 12);
    ok(`${diagnostics}`.includes('emitted_count=12'), `${diagnostics}`);
});

test('numbers of 64 bits are exact', () => {
    const timeline = Strideweave.Timeline.new(Strideweave.TimelineType.GPU, "a, thread_id=5', device_id=6", 2n ** 64n - 1n, 2n ** 63n + 1n, 3);
    equal([timeline.threadId, timeline.deviceId, timeline.queue], [2n ** 64n - 1n, 2n ** 63n + 1n, 3]);
    equal(JSON.parse(JSON.stringify(timeline)).deviceId, String(2n ** 63n + 1n));
    throws(RangeError, /which is no TimelineType/, () => Strideweave.Timeline.new(9, '', 0, 0, 0));
});

// --- Files ---

test('traces are written', () => {
    const [folder] = [GLib.dir_make_tmp('zones-XXXXXX')];
    for (const [method, name] of [['write_to_json', 'a.json'], ['write_to_jsonl', 'a.jsonl'], ['write_to_perfetto', 'a.pb'],
        ['write_to_csv', 'a.csv']]) {
        const path = GLib.build_filenamev([folder, name]);
        ok(trace[method](path));
        ok(GLib.file_get_contents(path)[1].length > 1000, name);
        GLib.unlink(path);
    }
    GLib.rmdir(folder);
    throwsError(Strideweave.Error, Strideweave.Error.IO, () => trace.write_to_json('/nonexistent/trace.json'));
    throws(TypeError, /path must be a string/, () => trace.write_to_json(null));
});

finish();
