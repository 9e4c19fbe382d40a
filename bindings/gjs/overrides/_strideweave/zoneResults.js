// SPDX-License-Identifier: LGPL-2.1-or-later
// ZoneProfiler and what it returns: traces, selections, statistics.
/* exported init */

const {bool, integer, instance, options: readOptions, string, typeName} = imports.overrides._strideweave.checks;
const {checkFunction, isThenable} = imports.overrides._strideweave.profilers;
const {integersOf} = imports.overrides._strideweave.records;
const {define, native, replaceConstructor} = imports.overrides._strideweave.registry;

const NO_FRAME = 2 ** 32 - 1;

const DESC_FIELDS = ['threadEventCapacity', 'liveFrameCount', 'liveEventCapacity', 'frameStatsWindowSize',
    'gpuQueryPoolSize', 'enableAutoZones', 'enableDebugGroups'];
const CAPTURE_FIELDS = ['maxMemoryBytes'];

const CALL_FIELDS = ['count', 'totalMs', 'minMs', 'maxMs', 'meanMs', 'stddevMs'];
const DURATION_FIELDS = [...CALL_FIELDS, 'p50Ms', 'p90Ms', 'p95Ms', 'p99Ms'];
const DIAGNOSTICS_FIELDS = ['emittedCount', 'recordedCount', 'producerDropCount', 'queueFullCount', 'stackFullCount',
    'memoryLimitCount', 'unresolvedCount', 'discardedCount', 'threadEventQueueHighWaterMark', 'hierarchyLossCount',
    'gpuQueryExhaustionCount', 'pendingGpuZoneCount', 'forcedEndCount', 'misplacedEndCount', 'backwardClockCount'];
const SITE_FIELDS = ['id', 'file', 'line', 'function', 'name'];
const TIMELINE_FIELDS = ['timelineType', 'name', 'queue'];
const FRAME_FIELDS = ['index', 'name', 'durationNs'];
const ENTRY_FIELDS = ['parentIndex', 'depth', 'siteId', 'name', 'cpuTimePerFrame', 'gpuTimePerFrame', 'cpuTimePerCall',
    'gpuTimePerCall'];
const STATS_FIELDS = ['sampleCount', 'entryCount', 'pendingFrameCount', 'latestFrameMs', 'fps', 'frameTime',
    'frameInterval', 'diagnostics'];
const TRACE_FIELDS = ['stopReason', 'truncated', 'memoryBytes', 'diagnostics', 'zoneCount'];

// Columns by the name of their function. C goes by the numbers in the last ones, so JavaScript gets copies of these: to
// write into a column cannot be forbidden.
const ZONE_COLUMNS = {
    startNs: BigUint64Array, durationNs: BigUint64Array, correlationId: BigUint64Array, frameIndex: Uint32Array,
    timelineId: Uint32Array, siteId: Uint32Array, parentIndex: Int32Array,
};
const FOLLOWED = new Set(['timelineId', 'siteId', 'parentIndex']);
const STATS_COLUMNS = {
    sampleFrameIndex: Uint32Array, sampleFrameStartNs: BigUint64Array, sampleFrameTimeMs: Float64Array,
    sampleCallCount: Uint32Array, sampleCpuTimeMs: Float64Array, sampleGpuTimeMs: Float64Array,
    sampleGpuStatus: Uint8Array,
};

function snake(name) {
    return name.replace(/[A-Z]/g, letter => `_${letter.toLowerCase()}`);
}

// The numbers themselves, without a copy: GJS lets an array show the memory of GLib.Bytes, and keeps that alive.
function columnOf(bytes, Type) {
    return new Type(bytes.toArray().buffer);
}

// --- Descriptions ---

function checkDesc(given, Desc, fields, of) {
    if (given === undefined || given === null)
        return null;
    if (given instanceof Desc)
        return given;
    const defaults = plainDesc(new Desc(), fields);
    const values = readOptions(given, defaults, of);
    const desc = new Desc();
    for (const field of fields) {
        desc[snake(field)] = typeof defaults[field] === 'boolean'
            ? bool(values[field], field) : integer(values[field], field);
    }
    return desc;
}

function plainDesc(desc, fields) {
    return Object.fromEntries(fields.map(field => [field, typeof desc[snake(field)] === 'boolean'
        ? desc[snake(field)] : Number(desc[snake(field)])]));
}

function newProfiler(given) {
    return native.ZoneProfiler.new(checkDesc(given, native.ZoneProfilerDesc, DESC_FIELDS, 'ZoneProfiler()'));
}

// --- Values ---

function plain(value) {
    if (typeof value === 'bigint')
        return String(value);
    return value?.toJSON?.() ?? value;
}

function defineGetters(constructor, fields, getter) {
    define(constructor, Object.defineProperties({}, Object.fromEntries(fields.map(field =>
        [field, {get: getter(field), enumerable: true}]))));
}

// Fields that have a function in C; those of `exact` are 64 bits wide, and come as BigInts.
function defineFields(constructor, fields, exact = []) {
    const all = [...fields, ...exact];
    defineGetters(constructor, fields, field => {
        const name = `get_${snake(field)}`;
        return function () {
            return this[name]();
        };
    });
    defineGetters(constructor, exact, field => function () {
        return integersOf(this, [snake(field)])[snake(field)];
    });
    define(constructor, {
        // For JSON: BigInts as strings.
        toJSON() {
            return Object.fromEntries(all.map(field => [field, plain(this[field])]));
        },
    });
    const {equal, to_string: toText} = constructor.prototype;
    if (equal) {
        define(constructor, {
            equals(other) {
                return other instanceof constructor && equal.call(this, other);
            },
        });
    }
    if (toText) {
        define(constructor, {
            toString() {
                return toText.call(this);
            },
        });
    }
}

function defineColumns(constructor, columns) {
    defineGetters(constructor, Object.keys(columns), field => {
        const name = `dup_${snake(field)}`;
        const isFollowed = constructor === native.ZoneChunk && FOLLOWED.has(field);
        return function () {
            const column = columnOf(this[name](), columns[field]);
            return isFollowed ? column.slice() : column;
        };
    });
}

// --- Traces ---

// A description of one zone for each index.
class Zones {
    constructor(trace) {
        this.sites = new Map(trace.sites.map(site => [site.id, site]));
        this.timelines = trace.timelines;
    }

    at(columns, place, index) {
        const site = this.sites.get(columns.siteId[place]);
        const parent = columns.parentIndex[place];
        const frame = columns.frameIndex[place];
        return Object.freeze({
            index,
            name: site.name,
            startNs: columns.startNs[place],
            durationNs: Number(columns.durationNs[place]),
            parentIndex: parent < 0 ? null : parent,
            frameIndex: frame === NO_FRAME ? null : frame,
            correlationId: columns.correlationId[place],
            site,
            timeline: this.timelines[columns.timelineId[place]],
        });
    }
}

function allColumns(source) {
    return Object.fromEntries(Object.keys(ZONE_COLUMNS).map(field => [field, source(field)]));
}

const lists = new WeakMap();

// The elements of a list of C, frozen; the same array each time.
function listOf(owner, name) {
    let known = lists.get(owner);
    if (known === undefined)
        lists.set(owner, known = {});
    return known[name] ??= Object.freeze(owner[name]());
}

function checkTimelineType(type) {
    if (type === null)
        return -1;
    const {TimelineType} = native;
    const known = {cpu: TimelineType.CPU, gpu: TimelineType.GPU};
    if (typeof type === 'number')
        return type;
    if (typeof type !== 'string')
        throw new TypeError(`timelineType must be 'cpu', 'gpu', a TimelineType or null, not ${typeName(type)}`);
    if (!Object.hasOwn(known, type))
        throw new RangeError(`timelineType is ${type}, which is neither 'cpu' nor 'gpu'`);
    return known[type];
}

function checkBound(value, argument) {
    return value === null ? -1 : integer(value, argument, 0);
}

const tracing = {
    get zoneChunks() {
        return listOf(this, 'dup_zone_chunks');
    },
    get sites() {
        return listOf(this, 'dup_sites');
    },
    get timelines() {
        return listOf(this, 'dup_timelines');
    },
    get frames() {
        return listOf(this, 'dup_frames');
    },

    // Each zone as an object, in the order of their indices.
    * [Symbol.iterator]() {
        const zones = new Zones(this);
        for (const chunk of this.zoneChunks) {
            const columns = allColumns(field => chunk[field]);
            for (let place = 0; place < chunk.zoneCount; place++)
                yield zones.at(columns, place, chunk.firstIndex + place);
        }
    },

    // The zones that meet all conditions. Ranges are half open; bounds are null for none.
    queryZones(given) {
        const {name, timelineType, frameBegin, frameEnd, startNs, endNs} = readOptions(given, {
            name: null, timelineType: null, frameBegin: null, frameEnd: null, startNs: null, endNs: null,
        }, 'queryZones()');
        return this.query_zones(name === null ? null : string(name, 'name'), checkTimelineType(timelineType),
            checkBound(frameBegin, 'frameBegin'), checkBound(frameEnd, 'frameEnd'), checkBound(startNs, 'startNs'),
            checkBound(endNs, 'endNs'));
    },
    // How long frames took, of those in a range of time.
    frameStatistics(given) {
        const {startNs, endNs} = readOptions(given, {startNs: null, endNs: null}, 'frameStatistics()');
        return this.dup_frame_statistics(checkBound(startNs, 'startNs'), checkBound(endNs, 'endNs'));
    },
};

const selecting = {
    get trace() {
        return this.get_trace();
    },
    get count() {
        return this.get_count();
    },
    get length() {
        return this.get_count();
    },
    get indices() {
        return columnOf(this.dup_indices(), Uint32Array);
    },
    statistics() {
        return this.dup_statistics();
    },
    // How many zones took how long, in bins of equal width; without a range, from the shortest to the longest.
    histogram(given) {
        const {bins, minMs, maxMs} = readOptions(given, {bins: 20, minMs: 0, maxMs: 0}, 'histogram()');
        return this.dup_histogram(bins, minMs, maxMs);
    },
    * [Symbol.iterator]() {
        const zones = new Zones(this.trace);
        const columns = allColumns(field => this[field]);
        for (const [place, index] of this.indices.entries())
            yield zones.at(columns, place, index);
    },
    toString() {
        return `ZoneSelection(${this.count} zones)`;
    },
};

function selectionColumns() {
    const {ZoneColumn, ZoneSelection} = native;
    defineGetters(ZoneSelection, Object.keys(ZONE_COLUMNS), field => {
        const column = ZoneColumn[snake(field).toUpperCase()];
        return function () {
            return columnOf(this.dup_column(column), ZONE_COLUMNS[field]);
        };
    });
}

// --- The profiler ---

async function settle(profiler, promise) {
    try {
        return await promise;
    } finally {
        profiler.withdraw();
    }
}

const profiling = {
    // How it was made.
    get desc() {
        return Object.freeze(plainDesc(this.dup_desc(), DESC_FIELDS));
    },
    startCapture(given) {
        this.start_capture(checkDesc(given, native.CaptureDesc, CAPTURE_FIELDS, 'startCapture()'));
    },
    stopCapture() {
        return this.stop_capture();
    },
    discardCapture() {
        this.discard_capture();
    },
    liveSnapshot() {
        return this.live_snapshot();
    },
    slowFramesSnapshot() {
        return this.slow_frames_snapshot();
    },
    frameStatsSnapshot() {
        return this.frame_stats_snapshot();
    },
    clearFrameStats() {
        this.clear_frame_stats();
    },
    diagnostics() {
        return this.dup_diagnostics();
    },
    // Calls a function with this profiler as the current one, and returns what it returned. When that is a promise, the
    // profiler stays current until it settles; what enters others meanwhile may leave them before or after.
    run(callback) {
        checkFunction(callback);
        this.enter();
        let result;
        let isPending;
        try {
            result = callback(this);
            isPending = isThenable(result); // which asks the result, and so may throw, too
        } catch (error) {
            this.withdraw();
            throw error;
        }
        if (isPending)
            return settle(this, result);
        this.withdraw();
        return result;
    },
    // The same with a promise in any case.
    async runAsync(callback) {
        return await this.run(callback);
    },
    toString() {
        return `ZoneProfiler(${this.get_enabled() ? 'enabled' : 'disabled'}${this.get_capture_active() ? ', capturing' : ''})`;
    },
};

function defineProfiler() {
    const {ZoneProfiler} = native;
    const {enter, exit} = ZoneProfiler.prototype;
    define(ZoneProfiler, {
        // Makes it the current profiler of this thread, and returns it.
        enter() {
            enter.call(this);
            return this;
        },
        // Makes current again what was so before. Returns false, as a context that passes errors on.
        exit() {
            exit.call(this);
            return false;
        },
    });
    define(ZoneProfiler, profiling);
    replaceConstructor('ZoneProfiler', newProfiler);
}

function init() {
    const {CallStatistics, DurationHistogram, DurationStatistics, FrameStats, FrameStatsEntry, ProfilerDiagnostics,
        ProfilerSite, Timeline, ZoneChunk, ZoneFrame, ZoneSelection, ZoneTrace} = native;
    defineFields(DurationStatistics, DURATION_FIELDS);
    defineFields(CallStatistics, CALL_FIELDS);
    defineFields(DurationHistogram, ['binCount', 'below', 'above']);
    defineColumns(DurationHistogram, {edgesMs: Float64Array, counts: BigUint64Array});
    defineFields(ProfilerDiagnostics, DIAGNOSTICS_FIELDS, ['firstDropNs']);
    defineFields(ProfilerSite, SITE_FIELDS);
    defineFields(Timeline, TIMELINE_FIELDS, ['threadId', 'deviceId']);
    defineFields(ZoneFrame, FRAME_FIELDS, ['startNs']);
    defineFields(FrameStatsEntry, ENTRY_FIELDS);
    defineFields(FrameStats, STATS_FIELDS);
    defineColumns(FrameStats, STATS_COLUMNS);
    define(FrameStats, {
        get entries() {
            return listOf(this, 'dup_entries');
        },
        * [Symbol.iterator]() {
            yield* this.entries;
        },
        toCsv() {
            return this.to_csv();
        },
    });
    defineFields(ZoneChunk, ['zoneCount', 'firstIndex']);
    defineColumns(ZoneChunk, ZONE_COLUMNS);
    defineFields(ZoneTrace, TRACE_FIELDS, ['startNs', 'stopNs']);
    define(ZoneTrace, tracing);
    define(ZoneSelection, selecting);
    selectionColumns();
    defineProfiler();
}
