// SPDX-License-Identifier: LGPL-2.1-or-later
// Zones and frames around functions, and the current ZoneProfiler.
/* exported init */

const {GLib} = imports.gi;
const {string} = imports.overrides._strideweave.checks;
const {checkFunction, isThenable} = imports.overrides._strideweave.profilers;
const {native} = imports.overrides._strideweave.registry;
const {raw} = imports.overrides._strideweave.signatures;

// --- Sites ---

// To ask for the stack takes longer than everything else that a zone does, and the longer the deeper it is. So a place is
// known by what the function says, which is the same text for all functions that one expression makes, and the stack is
// asked for only once for each name with each text. All is forgotten together when it becomes too much.
const MAX_SITES = 1024;
const sites = new Map(); // by name, then by text
let nSites = 0;

const textOf = Function.prototype.call.bind(Function.prototype.toString);

// name@file:line:column, where the name may say that something was waited for before
const FRAME = /^(?:[^@]*\*)?([^@]*)@(.*?):(\d+)(?::\d+)?$/;

function pathOf(file) {
    try {
        return GLib.filename_from_uri(file)[0];
    } catch {
        return file; // of a resource, or no URI at all
    }
}

// Who called into this file: [file, line, function].
function findCaller() {
    const frames = new Error().stack.split('\n').map(line => FRAME.exec(line));
    const own = frames[0]?.[2];
    const frame = frames.find(found => found !== null && found[2] !== own);
    return frame ? [pathOf(frame[2]), Number(frame[3]), frame[1]] : [null, 0, null];
}

// C takes a text up to its first NUL.
function register([file, line, caller], name) {
    return raw.profile_site_register(file, line, caller, name.replaceAll('\0', '\ufffd'));
}

function addSite(name, text) {
    if (nSites === MAX_SITES) {
        sites.clear();
        nSites = 0;
    }
    const site = register(findCaller(), name);
    if (!sites.has(name))
        sites.set(name, new Map());
    sites.get(name).set(text, site);
    nSites += 1;
    return site;
}

// encoder: what encodes commands whose GPU times the zone is to have, or null.
function beginAt(site, encoder) {
    return encoder === null ? raw.profile_zone_begin(site) : beginWithEncoder(site, encoder);
}

// The token of a zone that has begun; 0 for none, and then the place has not been looked for either.
function begin(name, callback, encoder) {
    const text = textOf(callback);
    let site = sites.get(name)?.get(text);
    if (site === undefined) {
        if (!raw.profile_is_recording())
            return 0;
        site = addSite(name, text);
    }
    return beginAt(site, encoder);
}

// As those of C, with errors that JavaScript knows.
let beginFrame = null;
let beginWithEncoder = null;

// --- Ends ---

// An end that comes too late, as after the profiler has gone, is no failure of what was measured. C counts it.
function endZone(token) {
    try {
        raw.profile_zone_end(token);
    } catch {
        // See above.
    }
}

function endFrame(token) {
    try {
        raw.profile_frame_end(token);
    } catch {
        // See above.
    }
}

async function settle(end, token, promise) {
    try {
        return await promise;
    } finally {
        end(token);
    }
}

// Calls a function within what has begun, and ends that with the function, or with the promise that it returns.
function within(end, token, callback, self, args) {
    let result;
    let isPending;
    try {
        result = Reflect.apply(callback, self, args);
        isPending = isThenable(result); // which asks the result, and so may throw, too
    } catch (error) {
        end(token);
        throw error;
    }
    if (isPending)
        return settle(end, token, result);
    end(token);
    return result;
}

// --- What JavaScript calls ---

// Calls a function, records it as a zone of the current ZoneProfiler, and returns what it returned. When that is a promise,
// the zone lasts until it settles, and a promise for the same is returned.
//
// The site is that of the first call with this name and a function of the same text.
function profileZone(name, callback, encoder = null) {
    string(name, 'name');
    checkFunction(callback);
    const token = begin(name, callback, encoder);
    return token === 0 ? callback() : within(endZone, token, callback, undefined, []);
}

// Calls a function within a frame, which lasts until the promise settles that it may return. profileFrame (callback) calls
// the frame "frame".
function profileFrame(name, callback) {
    if (typeof name === 'function' && callback === undefined)
        [name, callback] = ['frame', name];
    string(name, 'name');
    checkFunction(callback);
    const token = beginFrame(name.replaceAll('\0', '\ufffd'));
    return token === 0 ? callback() : within(endFrame, token, callback, undefined, []);
}

const GeneratorFunction = Object.getPrototypeOf(function* () {});
const AsyncGeneratorFunction = Object.getPrototypeOf(async function* () {});

// The zone of a generator lasts from its first step to its end.
function wrapperOf(callback, enter) {
    switch (Object.getPrototypeOf(callback)) {
    case GeneratorFunction:
        return function* (...args) {
            const token = enter();
            try {
                return yield* Reflect.apply(callback, this, args);
            } finally {
                endZone(token);
            }
        };
    case AsyncGeneratorFunction:
        return async function* (...args) {
            const token = enter();
            try {
                return yield* Reflect.apply(callback, this, args);
            } finally {
                endZone(token);
            }
        };
    }
    return function (...args) {
        const token = enter();
        return token === 0 ? Reflect.apply(callback, this, args) : within(endZone, token, callback, this, args);
    };
}

// A function that does the same and is recorded as a zone whenever it is called: async functions until they settle,
// generators until they end. The site is where profileFunction () was called.
function profileFunction(callback, name = callback?.name, encoder = null) {
    checkFunction(callback);
    if (string(name, 'name') === '')
        throw new TypeError('name must be given, as the function has none');
    const [file, line] = findCaller();
    let site = 0;
    const wrapper = wrapperOf(callback, () => {
        if (site === 0) {
            if (!raw.profile_is_recording())
                return 0;
            site = register([file, line, callback.name.replaceAll('\0', '\ufffd')], name);
        }
        return beginAt(site, encoder);
    });
    for (const property of ['name', 'length'])
        Object.defineProperty(wrapper, property, {value: callback[property], configurable: true});
    return wrapper;
}

// The current ZoneProfiler of this thread; null when there is none.
function currentProfilerOrNull() {
    return native.ZoneProfiler.dup_current();
}

// The same, but there has to be one.
function currentProfiler() {
    const profiler = currentProfilerOrNull();
    if (profiler !== null)
        return profiler;
    throw new native.Error({
        code: native.Error.STATE,
        message: 'there is no current ZoneProfiler: make one, or enter one',
    });
}

function init(namespace) {
    beginFrame = namespace.profile_frame_begin;
    beginWithEncoder = namespace.profile_zone_begin_with_encoder;
    Object.assign(namespace, {currentProfiler, currentProfilerOrNull, profileFrame, profileFunction, profileZone});
}
