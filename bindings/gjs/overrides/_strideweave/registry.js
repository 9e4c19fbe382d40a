// SPDX-License-Identifier: LGPL-2.1-or-later
// The introspected classes, and what JavaScript code sees in their place.
/* exported classOf, define, init, isCarrierClass, native, owned, referenceFunctions, remember, replaceConstructor */



// Every class of the namespace that the override speaks of, as it was introspected.
var native = {};

// What takes a reference to a value, by the prototype of its class.
var referenceFunctions = new Map();

let namespace = null;
const classes = new Map(); // by the name of their GType

const NAMES = ['Buffer', 'CPU', 'Carrier', 'ColumnKind', 'ColumnOrder', 'DType', 'Error', 'Evictable', 'ExecutionOptions',
    'FileBacked', 'Generic', 'InputShapes', 'Layout', 'Operation', 'Profiler', 'ProfilerAggregate', 'ProfilerColumns',
    'ProfilerCycle', 'ProfilerEvent', 'ProfilerEventItem', 'ProfilerGroup', 'ProfilerSchedule', 'ProfilerThread', 'Shape',
    'Stride', 'Tensor', 'TraceFormat', 'Value', 'ValueKind', 'ValueList',
    'CallStatistics', 'CaptureDesc', 'DurationHistogram', 'DurationStatistics', 'FrameStats', 'FrameStatsEntry',
    'ProfilerDiagnostics', 'ProfilerSite', 'Timeline', 'TimelineType', 'ZoneChunk', 'ZoneColumn', 'ZoneFrame',
    'ZoneProfiler', 'ZoneProfilerDesc', 'ZoneSelection', 'ZoneTrace',
    'Collector', 'CompositeCollector', 'CuptiCollector', 'FileCollector', 'IttCollector', 'MemoryCollector', 'SysprofCollector', 'TraceContext', 'TraceEvent', 'TraceVerbosity'];

function init(Strideweave) {
    namespace = Strideweave;
    for (const name of NAMES) {
        native[name] = Strideweave[name];
        rename(native[name], name);
    }
}

// So that errors and values print what a class is called, not Strideweave_Tensor.
function rename(constructor, name) {
    if (typeof constructor === 'function')
        Object.defineProperty(constructor, 'name', {value: name});
}

// Adds methods and getters to a class; properties that C already has there can only be assigned.
function define(constructor, members) {
    const {prototype} = constructor;
    for (const name of Reflect.ownKeys(members)) {
        const descriptor = Object.getOwnPropertyDescriptor(members, name);
        if (descriptor.get)
            Object.defineProperty(prototype, name, {...descriptor, enumerable: true});
        else
            prototype[name] = descriptor.value;
    }
}

// `new Strideweave.Name (...)` calls make (...), which returns a native object.
function replaceConstructor(name, make) {
    const constructor = native[name];
    const replacement = new Proxy(constructor, {
        construct(target, args, newTarget) {
            if (newTarget !== replacement)
                throw new TypeError(`${name} is closed: it cannot be subclassed`);
            return make(...args);
        },
    });
    constructor.prototype.constructor = replacement;
    namespace[name] = replacement;
    return replacement;
}

function remember(klass) {
    classes.set(klass.$gtype.name, klass);
}

// The class that the introspected namespace of another library, built on this one, has for a GType.
function findInLibraries(gtype) {
    let info;
    try {
        const {Repository} = imports.gi.GIRepository;
        info = (Repository.get_default?.() ?? Repository.dup_default()).find_by_gtype(gtype);
    } catch {
        return undefined; // its typelib is not installed
    }
    return info === null ? undefined : imports.gi[info.get_namespace()][info.get_name()];
}

function findIntrospected(gtype) {
    const {name} = gtype;
    const found = name.startsWith('Sw') ? namespace[name.slice(2)] : undefined;
    if (found?.$gtype !== gtype)
        return findInLibraries(gtype);
    rename(found, name.slice(2));
    return found;
}

// The exact class of a GType; the GType itself where JavaScript has no class for it.
function classOf(gtype) {
    const {name} = gtype;
    let found = classes.get(name);
    if (found === undefined) {
        found = findIntrospected(gtype);
        if (found?.$gtype !== gtype)
            return gtype;
        classes.set(name, found);
    }
    return found;
}

function isCarrierClass(value) {
    return typeof value === 'function' && (value === native.Carrier || value.prototype instanceof native.Carrier) &&
        Object.hasOwn(value, '$gtype');
}

// What C has lent to a callback, for as long as JavaScript likes: GJS leaves a value to C, which drops it after the call.
function owned(lent) {
    if (typeof lent !== 'object' || lent === null)
        return lent;
    const takeReference = referenceFunctions.get(Object.getPrototypeOf(lent));
    return takeReference === undefined ? lent : takeReference.call(lent);
}
