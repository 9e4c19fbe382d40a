// SPDX-License-Identifier: LGPL-2.1-or-later
// Spans around functions, instants, counters, and the events of a collector.
/* exported init */

const {GLib} = imports.gi;
const {integer, options: readOptions, string, typeName} = imports.overrides._strideweave.checks;
const {checkFunction, isThenable} = imports.overrides._strideweave.profilers;
const {define, native} = imports.overrides._strideweave.registry;
const {isList} = imports.overrides._strideweave.trees;

const INT64_MAX = 2n ** 63n - 1n;
const UINT64_MAX = 2n ** 64n - 1n;

// C takes a text up to its first NUL.
function sayable(text) {
    return text.replaceAll('\0', '\ufffd');
}

function shapeOf(tree, key) {
    if (isList(tree))
        return GLib.Variant.new_tuple([...tree].map(item => shapeOf(item, key)));
    return GLib.Variant.new_int64(integer(tree, key, 0));
}

function numberOf(value, key) {
    if (typeof value === 'number' && !Number.isSafeInteger(value))
        return GLib.Variant.new_double(value);
    return value > INT64_MAX
        ? GLib.Variant.new_uint64(integer(value, key, 0, UINT64_MAX))
        : GLib.Variant.new_int64(integer(value, key));
}

function variantOf(key, given) {
    const value = typeof given === 'function' ? given() : given;
    switch (typeof value) {
    case 'string':
        return GLib.Variant.new_string(sayable(value));
    case 'boolean':
        return GLib.Variant.new_boolean(value);
    case 'number':
    case 'bigint':
        return numberOf(value, key);
    }
    if (value instanceof native.Shape)
        return shapeOf(value.toJSON(), key);
    if (isList(value))
        return shapeOf(value, key);
    throw new TypeError(`argument ${key} must be a string, number, boolean or shape, not ${typeName(value)}`);
}

// What an event is to hold, or null; called only for one that is recorded.
function argumentsOf(given) {
    const values = typeof given === 'function' ? given() : given;
    if (values === null || values === undefined)
        return null;
    if (typeof values !== 'object' || isList(values))
        throw new TypeError(`arguments must be an object, or a function that returns one, not ${typeName(values)}`);
    const dictionary = new GLib.VariantDict(null);
    for (const [key, value] of Object.entries(values))
        dictionary.insert_value(sayable(key), variantOf(key, value));
    return dictionary.end();
}

function optionsOf(given, of) {
    const result = readOptions(given, {category: null, level: native.TraceVerbosity.OPERATIONS, arguments: null}, of);
    if (result.category !== null)
        result.category = sayable(string(result.category, 'category'));
    return result;
}

// [options, callback] of span (name, options, callback) and span (name, callback).
function splitArguments(given, callback, of) {
    if (typeof given === 'function' && callback === undefined)
        return [optionsOf(undefined, of), given];
    return [optionsOf(given, of), callback];
}

// Of an error only the class: its text may hold anything.
function failureOf(error) {
    return {failed: true, error: typeName(error)};
}

function contextMembers({annotate, is_on: isOn, begin_span: beginSpan, end_span: endSpan, emit_instant: emitInstant,
    emit_counter: emitCounter, emit_counter_int64: emitInteger, begin_async_span: beginAsync,
    end_async_span: endAsync, flow_start: flowStart, flow_step: flowStep,
    flow_end: flowEnd}) {
    // An end that comes too late, as on a context that was given up, is no failure of what was measured.
    function end(context, token) {
        try {
            endSpan.call(context, token);
        } catch {
            // See above; C counts it.
        }
    }

    function fail(context, token, error) {
        if (token !== 0)
            context.annotate(failureOf(error));
        end(context, token);
    }

    async function settle(promise, finish) {
        try {
            return await promise;
        } finally {
            finish();
        }
    }

    return {
        get collector() {
            return this.dup_collector();
        },
        set collector(collector) {
            this.set_collector(collector);
        },
        // Begins a span of this thread, and returns a token for endSpan (); 0 where nothing is recorded.
        beginSpan(name, options) {
            const {category, level, arguments: given} = optionsOf(options, 'beginSpan()');
            string(name, 'name');
            if (!isOn.call(this, level))
                return 0;
            return beginSpan.call(this, sayable(name), category, level, argumentsOf(given));
        },
        endSpan(token) {
            endSpan.call(this, token);
        },
        // span (name, callback) or span (name, {category, level, arguments}, callback): calls the function as a span, and
        // returns what it returned. When that is a promise, the span lasts until it settles. Arguments may be functions,
        // which are called only when the span is recorded.
        span(name, options, callback) {
            const [split, called] = splitArguments(options, callback, 'span()');
            checkFunction(called);
            const token = this.beginSpan(name, split);
            let result;
            let isPending;
            try {
                result = called();
                isPending = isThenable(result); // which asks the result, and so may throw, too
            } catch (error) {
                fail(this, token, error);
                throw error;
            }
            if (isPending)
                return settle(result, () => end(this, token));
            end(this, token);
            return result;
        },
        // The same as a span that belongs to no thread, and may overlap others: for what waits. Without a function it
        // returns an object whose end () ends it.
        asyncSpan(name, options, callback) {
            const [{category, level, arguments: given}, called] = splitArguments(options, callback, 'asyncSpan()');
            string(name, 'name');
            let id = isOn.call(this, level) ? beginAsync.call(this, sayable(name), category, level, argumentsOf(given)) : 0;
            const finish = () => {
                const ended = id;
                id = 0;
                endAsync.call(this, ended);
            };
            if (called === undefined)
                return {end: finish};
            checkFunction(called);
            return settle((async () => await called())(), finish);
        },
        // A function that does the same as a span, under its own name, whenever it is called.
        traced(callback, options) {
            checkFunction(callback);
            const {name, ...rest} = {name: callback.name, ...options};
            if (string(name, 'name') === '')
                throw new TypeError('name must be given, as the function has none');
            const split = optionsOf(rest, 'traced()');
            const context = this;
            const wrapper = function (...args) {
                return context.span(name, split, () => Reflect.apply(callback, this, args));
            };
            for (const property of ['name', 'length'])
                Object.defineProperty(wrapper, property, {value: callback[property], configurable: true});
            return wrapper;
        },
        instant(name, options) {
            const {category, level, arguments: given} = optionsOf(options, 'instant()');
            string(name, 'name');
            if (isOn.call(this, level))
                emitInstant.call(this, sayable(name), category, level, argumentsOf(given));
        },
        // A number, a BigInt, or a function that returns one.
        counter(name, given, options) {
            const {level} = readOptions(options, {level: native.TraceVerbosity.OPERATIONS}, 'counter()');
            string(name, 'name');
            if (!isOn.call(this, level))
                return;
            const value = typeof given === 'function' ? given() : given;
            if (typeof value === 'bigint' || Number.isSafeInteger(value))
                emitInteger.call(this, sayable(name), level, value);
            else
                emitCounter.call(this, sayable(name), level, value);
        },
        // Begins a flow in the innermost span that this thread has open: an arrow to others. Returns its number; 0 for none.
        flowStart(options) {
            const {level} = readOptions(options, {level: native.TraceVerbosity.OPERATIONS}, 'flowStart()');
            return flowStart.call(this, level);
        },
        flowStep(flow) {
            flowStep.call(this, integer(flow, 'flow', 0));
        },
        flowEnd(flow) {
            flowEnd.call(this, integer(flow, 'flow', 0));
        },
        // Adds arguments to the innermost span that this thread has open: annotate ({reason: 'full'}).
        annotate(given, value) {
            if (typeof given === 'string') {
                annotate.call(this, given, value);
                return;
            }
            if (!isOn.call(this, native.TraceVerbosity.DECISIONS))
                return;
            const values = typeof given === 'function' ? given() : given;
            if (typeof values !== 'object' || values === null)
                throw new TypeError(`arguments must be an object, or a function that returns one, not ${typeName(values)}`);
            for (const [key, item] of Object.entries(values))
                annotate.call(this, sayable(key), variantOf(key, item));
        },
    };
}

const event = {
    get kind() {
        return this.get_kind();
    },
    get level() {
        return this.get_level();
    },
    get name() {
        return this.get_name();
    },
    get category() {
        return this.get_category();
    },
    get startNs() {
        return this.get_start_ns();
    },
    get durationNs() {
        return this.get_duration_ns();
    },
    get depth() {
        return this.get_depth();
    },
    get interrupted() {
        return this.get_interrupted();
    },
    get value() {
        return this.get_value();
    },
    get threadId() {
        return this.get_thread_id();
    },
    get threadName() {
        return this.dup_thread_name();
    },
    // Those that pass through a span: [id, ns, 'start', 'step' or 'end'] each.
    get flows() {
        return this.dup_flows().recursiveUnpack();
    },
    // Shapes are text.
    get arguments() {
        return this.dup_arguments().recursiveUnpack();
    },
    toString() {
        return `TraceEvent(${this.name})`;
    },
};

function init() {
    define(native.TraceContext, contextMembers(native.TraceContext.prototype));
    define(native.TraceEvent, event);
    define(native.MemoryCollector, {
        events() {
            return this.dup_events();
        },
    });
}
