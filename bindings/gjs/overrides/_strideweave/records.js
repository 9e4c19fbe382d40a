// SPDX-License-Identifier: LGPL-2.1-or-later
// ProfilerEvent and ProfilerAggregate: frozen objects with plain properties.
/* exported aggregatesOf, eventAt, eventsOf, finishAggregate, init, integersOf */

const {classOf, define, isCarrierClass, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {isList, treeOfText} = imports.overrides._strideweave.trees;

const EVENT_FIELDS = ['id', 'parentId', 'name', 'carrierType', 'implementationType', 'inputShapes', 'startTimeNs',
    'durationNs', 'selfTimeNs', 'threadId', 'succeeded'];
const AGGREGATE_FIELDS = ['name', 'carrierType', 'inputShapes', 'count', 'totalTimeNs', 'selfTotalTimeNs', 'meanTimeNs',
    'minTimeNs', 'maxTimeNs'];
// What rows have beside, with their functions in C: statistics, which are null when they were not asked for.
const STATISTICS = {
    p50TimeNs: 'get_p50_time_ns',
    p90TimeNs: 'get_p90_time_ns',
    p99TimeNs: 'get_p99_time_ns',
    stddevTimeNs: 'get_stddev_time_ns',
    totalPercent: 'get_total_percent',
    selfTotalPercent: 'get_self_total_percent',
};

// The constructors and the raw functions, as they were before this file changed them.
let original = {};

// An integer of C: as a Number where that is exact.
function numberOf(big) {
    const number = Number(big);
    return Number.isSafeInteger(number) ? number : big;
}

// The integers that C prints as name=number. What the getters give is rounded beyond 2 ** 53.
function integersOf(record, names) {
    const text = record.to_string();
    return Object.fromEntries(names.map(name =>
        [name, BigInt(text.slice(text.lastIndexOf(` ${name}=`) + name.length + 2).match(/^-?\d+/)[0])]));
}

function shapesOf(record) {
    const shapes = record.get_input_shapes();
    return shapes === null ? null : treeOfText(shapes.to_string());
}

// --- Making records of values that were given ---

// Values by field: given in order, or as one object. allowed: what such an object may have beside the fields.
function bind(name, fields, args, allowed = []) {
    const byName = args.length === 1 && typeof args[0] === 'object' && args[0] !== null && !isList(args[0]);
    if (args.length > fields.length)
        throw new TypeError(`${name} takes ${fields.length} values, but ${args.length} were given`);
    const values = byName ? {...args[0]} : Object.fromEntries(args.map((value, place) => [fields[place], value]));
    for (const field of Object.keys(values)) {
        if (!fields.includes(field) && !allowed.includes(field))
            throw new TypeError(`${name} has no field ${field}`);
    }
    const missing = fields.filter(field => values[field] === undefined);
    if (missing.length > 0)
        throw new TypeError(`${name} lacks values for ${missing.join(', ')}`);
    return values;
}

// What C keeps of a value: what it can say, else nothing.
function int64(value) {
    const big = typeof value === 'bigint' || Number.isSafeInteger(value) ? BigInt(value) : 0n;
    return BigInt.asIntN(64, big) === big ? big : 0n;
}

function text(value) {
    return typeof value === 'string' ? value.replaceAll('\0', '') : '';
}

function operationType(value) {
    const isClass = typeof value === 'function' && Object.hasOwn(value, '$gtype') &&
        (value.prototype instanceof native.Operation || value === native.Operation);
    return (isClass ? value : native.Operation).$gtype;
}

function carrierType(value) {
    return (isCarrierClass(value) ? value : native.Carrier).$gtype;
}

function shapeTokens(tree) {
    if (tree === null)
        return [-1];
    return Array.isArray(tree) ? [-2 - tree.length, ...tree.flatMap(shapeTokens)] : [int64(tree)];
}

function inputShapes(value) {
    if (!Array.isArray(value))
        return null;
    try {
        return native.InputShapes.new_from_tokens(shapeTokens(value));
    } catch {
        return null;
    }
}

function withValues(record, fields, values) {
    for (const field of fields)
        record[field] = values[field];
    return Object.freeze(record);
}

function newEvent(...args) {
    const values = bind('ProfilerEvent', EVENT_FIELDS, args, ['startTimeNsBig']);
    if (values.startTimeNsBig === undefined)
        values.startTimeNsBig = int64(values.startTimeNs);
    const record = original.ProfilerEvent(
        int64(values.id),
        values.parentId === null ? -1 : int64(values.parentId),
        text(values.name),
        carrierType(values.carrierType),
        operationType(values.implementationType),
        inputShapes(values.inputShapes),
        int64(values.startTimeNsBig),
        int64(values.durationNs),
        int64(values.selfTimeNs),
        BigInt.asUintN(64, int64(values.threadId)),
        values.succeeded === true);
    return withValues(record, [...EVENT_FIELDS, 'startTimeNsBig'], values);
}

function newAggregate(...args) {
    const values = bind('ProfilerAggregate', AGGREGATE_FIELDS, args);
    const record = original.ProfilerAggregate(
        text(values.name),
        carrierType(values.carrierType),
        inputShapes(values.inputShapes),
        int64(values.count),
        int64(values.totalTimeNs),
        int64(values.selfTotalTimeNs),
        typeof values.meanTimeNs === 'number' ? values.meanTimeNs : Number(int64(values.meanTimeNs)),
        int64(values.minTimeNs),
        int64(values.maxTimeNs));
    return withValues(record, AGGREGATE_FIELDS, values);
}

// --- Making records of those of C ---

// origin: the start of the session's first event, which relative times count from.
function finishEvent(event, origin) {
    const numbers = integersOf(event, ['start_time_ns', 'duration_ns', 'self_time_ns', 'thread_id']);
    const [hasParent, parentId] = event.get_parent_id();
    event.id = event.get_id();
    event.parentId = hasParent ? parentId : null;
    event.name = event.get_name();
    event.carrierType = classOf(event.get_carrier_type());
    event.implementationType = classOf(event.get_implementation_type());
    event.inputShapes = shapesOf(event);
    event.startTimeNs = numberOf(numbers.start_time_ns - origin);
    event.durationNs = numberOf(numbers.duration_ns);
    event.selfTimeNs = numberOf(numbers.self_time_ns);
    event.threadId = numbers.thread_id;
    event.succeeded = event.get_succeeded();
    event.startTimeNsBig = numbers.start_time_ns;
    return Object.freeze(event);
}

function finishAggregate(row) {
    const numbers = integersOf(row,
        ['count', 'total_time_ns', 'self_total_time_ns', 'min_time_ns', 'max_time_ns']);
    row.name = row.get_name();
    row.carrierType = classOf(row.get_carrier_type());
    row.inputShapes = shapesOf(row);
    row.count = numberOf(numbers.count);
    row.totalTimeNs = numberOf(numbers.total_time_ns);
    row.selfTotalTimeNs = numberOf(numbers.self_total_time_ns);
    row.meanTimeNs = row.get_mean_time_ns();
    row.minTimeNs = numberOf(numbers.min_time_ns);
    row.maxTimeNs = numberOf(numbers.max_time_ns);
    return Object.freeze(row);
}

// What many events share is asked for once.
class Shared {
    constructor(ids, read) {
        this.ids = ids;
        this.read = read;
        this.known = new Map();
    }

    of(event, place) {
        const id = this.ids[place];
        let value = this.known.get(id);
        if (value === undefined) {
            value = this.read(event);
            this.known.set(id, value);
        }
        return value;
    }
}

function finishEvents(events, bytes) {
    const numbers = new BigInt64Array(bytes.toArray().slice().buffer);
    const column = place => numbers.subarray(place * events.length, (place + 1) * events.length);
    const [parents, starts, durations, selves, threads, results, origins, shapes] = [0, 1, 2, 3, 4, 5, 6, 7].map(column);
    const sharedOrigins = new Shared(origins, event => ({
        name: event.get_name(),
        carrierType: classOf(event.get_carrier_type()),
        implementationType: classOf(event.get_implementation_type()),
    }));
    const sharedShapes = new Shared(shapes, shapesOf);
    for (let id = 0; id < events.length; id++) {
        const event = events[id];
        const {name, carrierType: carrier, implementationType} = sharedOrigins.of(event, id);
        event.id = id;
        event.parentId = parents[id] < 0n ? null : Number(parents[id]);
        event.name = name;
        event.carrierType = carrier;
        event.implementationType = implementationType;
        event.inputShapes = sharedShapes.of(event, id);
        event.startTimeNs = Number(starts[id] - starts[0]);
        event.durationNs = Number(durations[id]);
        event.selfTimeNs = Number(selves[id]);
        event.threadId = BigInt.asUintN(64, threads[id]);
        event.succeeded = results[id] !== 0n;
        event.startTimeNsBig = starts[id];
        Object.freeze(event);
    }
    return events;
}

// All events of a completed profiler.
function eventsOf(profiler) {
    return finishEvents(original.dup_events.call(profiler), profiler.dup_event_columns());
}

function eventAt(profiler, id) {
    const event = original.dup_event.call(profiler, id);
    const first = integersOf(original.dup_event.call(profiler, 0), ['start_time_ns']);
    return finishEvent(event, first.start_time_ns);
}

function aggregatesOf(profiler, groupByInputShape, withStatistics = false) {
    const read = withStatistics ? original.dup_key_statistics : original.dup_key_averages;
    return read.call(profiler, groupByInputShape).map(finishAggregate);
}

// --- What records can do ---

function show(value) {
    if (typeof value === 'string')
        return JSON.stringify(value);
    if (typeof value === 'bigint')
        return `${value}n`;
    if (typeof value === 'function')
        return value.name;
    if (Array.isArray(value))
        return `[${value.map(show).join(', ')}]`;
    return String(value);
}

function plain(value) {
    if (typeof value === 'bigint')
        return String(value);
    if (typeof value === 'function')
        return value.name;
    return Array.isArray(value) ? value.map(plain) : value;
}

function same(a, b) {
    if (Array.isArray(a) && Array.isArray(b))
        return a.length === b.length && a.every((item, place) => same(item, b[place]));
    return Object.is(a, b);
}

function recordMembers(constructor, fields) {
    return {
        // Whether all fields are the same.
        equals(other) {
            return other instanceof constructor && fields.every(field => same(this[field], other[field]));
        },
        // For JSON: classes by name, BigInts as strings.
        toJSON() {
            return Object.fromEntries(fields.map(field => [field, plain(this[field])]));
        },
        toString() {
            return `${constructor.name}(${fields.map(field => `${field}: ${show(this[field])}`).join(', ')})`;
        },
    };
}

// What records tell beside their fields, and so are not compared, printed or copied by.
const names = {
    get carrierName() {
        return this.get_carrier_name();
    },
    get implementationName() {
        return this.get_implementation_name();
    },
};

function statisticsMembers() {
    return Object.defineProperties({}, Object.fromEntries(Object.entries(STATISTICS).map(([name, getter]) => [name, {
        get() {
            return this.has_statistics() ? this[getter]() : null;
        },
        enumerable: true,
    }])));
}

function init() {
    const {Profiler, ProfilerAggregate, ProfilerEvent} = native;
    const {dup_event, dup_events, dup_key_averages, dup_key_statistics} = Profiler.prototype;
    const [newRawEvent, newRawAggregate] = [ProfilerEvent.new, ProfilerAggregate.new];
    original = {
        dup_event, dup_events, dup_key_averages, dup_key_statistics,
        ProfilerEvent: (...args) => newRawEvent.apply(ProfilerEvent, args),
        ProfilerAggregate: (...args) => newRawAggregate.apply(ProfilerAggregate, args),
    };
    ProfilerEvent.new = (...args) => finishEvent(original.ProfilerEvent(...args), 0n);
    ProfilerAggregate.new = (...args) => finishAggregate(original.ProfilerAggregate(...args));
    define(ProfilerEvent, recordMembers(ProfilerEvent, [...EVENT_FIELDS, 'startTimeNsBig']));
    define(ProfilerAggregate, recordMembers(ProfilerAggregate, AGGREGATE_FIELDS));
    define(ProfilerEvent, names);
    define(ProfilerAggregate, {get carrierName() {
        return this.get_carrier_name();
    }});
    define(ProfilerAggregate, statisticsMembers());
    replaceConstructor('ProfilerEvent', newEvent);
    replaceConstructor('ProfilerAggregate', newAggregate);
}
