// SPDX-License-Identifier: LGPL-2.1-or-later
// Profiler: recording with run () and runAsync (), and its results.
/* exported checkColumns, checkFunction, checkRowLimit, checkSortField, init, isThenable, profile, recording */

const {bool, options: readOptions, string, typeName} = imports.overrides._strideweave.checks;
const {columnsOf} = imports.overrides._strideweave.columns;
const {define, isCarrierClass, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {aggregatesOf, eventAt, eventsOf} = imports.overrides._strideweave.records;

// Fields by the names that C has for them, and by those of the aggregates' properties.
const SORT_FIELDS = bothNames('name', 'carrier_type', 'input_shapes', 'count', 'total_time_ns', 'self_total_time_ns',
    'mean_time_ns', 'min_time_ns', 'max_time_ns');
const STATISTICS = bothNames('p50_time_ns', 'p90_time_ns', 'p99_time_ns', 'stddev_time_ns', 'total_percent',
    'self_total_percent');

function bothNames(...names) {
    return new Map(names.flatMap(name => [[name, name], [name.replace(/_./g, part => part[1].toUpperCase()), name]]));
}

// The events of each completed profiler, made when first asked for.
const events = new WeakMap();

function checkCarriers(carriers) {
    if (typeof carriers !== 'string' && typeof carriers?.[Symbol.iterator] !== 'function')
        throw new TypeError(`carriers must be an iterable of Carrier classes, not ${typeName(carriers)}`);
    const classes = [...carriers];
    for (const [place, value] of classes.entries()) {
        if (isCarrierClass(value))
            continue;
        const isUnregistered = typeof value === 'function' && value.prototype instanceof native.Carrier;
        throw new TypeError(`carriers[${place}] must be a Carrier class, not ${isUnregistered
            ? `${value.name}, which GObject.registerClass() does not know` : value?.name ?? typeName(value)}`);
    }
    return classes;
}

// A Profiler with the options carriers, an iterable of exact Carrier classes (null: all of them), and recordShapes.
function profile(given) {
    const {carriers, recordShapes} = readOptions(given, {carriers: null, recordShapes: false}, 'profile()');
    bool(recordShapes, 'recordShapes');
    if (carriers === null)
        return native.Profiler.new(recordShapes);
    return native.Profiler.new_for_carriers(checkCarriers(carriers).map(({$gtype}) => $gtype), recordShapes);
}

function list(fields) {
    return [...fields.keys()].filter(field => !field.includes('_')).join(', ');
}

function checkColumns(columns) {
    if (typeof columns === 'string' || typeof columns?.[Symbol.iterator] !== 'function')
        throw new TypeError(`columns must be an iterable of names, not ${typeName(columns)}`);
    return [...columns].map((column, place) => {
        const name = STATISTICS.get(string(column, `columns[${place}]`));
        if (name === undefined)
            throw new RangeError(`columns[${place}] is ${column}, which is not one of ${list(STATISTICS)}`);
        return name;
    });
}

// A usual field, or one of the columns that the table shows beside those.
function checkSortField(sortBy, columns) {
    const name = SORT_FIELDS.get(sortBy) ?? STATISTICS.get(sortBy);
    if (SORT_FIELDS.has(sortBy) || columns.includes(name))
        return name;
    const known = list(SORT_FIELDS);
    if (typeof sortBy === 'object' && sortBy !== null || typeof sortBy === 'function')
        throw new TypeError(`sortBy must be the name of a sort field, not ${typeName(sortBy)}`);
    throw new RangeError(`sortBy is ${String(sortBy)}, which is not a sort field: ${known}`);
}

function checkRowLimit(rowLimit) {
    if (rowLimit === null)
        return -1;
    const isInteger = typeof rowLimit === 'bigint' || Number.isInteger(rowLimit);
    if (!isInteger || rowLimit < 0)
        throw new RangeError(`rowLimit is ${String(rowLimit)}, but must be a non-negative integer or null`);
    return rowLimit < 2 ** 53 ? rowLimit : -1;
}

function isThenable(value) {
    return (typeof value === 'object' && value !== null || typeof value === 'function') && typeof value.then === 'function';
}

// Leaves the profiler after a failure, which is the one to tell of, whatever leaving says.
function exitQuietly(profiler) {
    try {
        profiler.exit();
    } catch {
        // The function itself has left the profiler.
    }
}

function checkFunction(callback) {
    if (typeof callback !== 'function')
        throw new TypeError(`callback must be a function, not ${typeName(callback)}`);
}

async function settle(profiler, promise) {
    let result;
    try {
        result = await promise;
    } catch (error) {
        exitQuietly(profiler);
        throw error;
    }
    profiler.exit();
    return result;
}

// What begins with enter () and ends with exit ().
var recording = {
    // Calls a function with this profiler entered, exits it however the function ends, and returns what it returned.
    // When that is a promise, the profiler stays active until it settles, and run () returns a promise for its result.
    run(callback) {
        checkFunction(callback);
        this.enter();
        let result;
        let isPending;
        try {
            result = callback(this);
            isPending = isThenable(result); // which asks the result, and so may throw, too
        } catch (error) {
            exitQuietly(this);
            throw error;
        }
        if (isPending)
            return settle(this, result);
        this.exit();
        return result;
    },

    // The same with a promise in any case. Until it settles, the profiler records everything on this thread: also what
    // other functions do while this one waits. Another profiler cannot be entered meanwhile.
    async runAsync(callback) {
        return await this.run(callback);
    },
};

const results = {
    // Whether the profiler records now.
    get active() {
        return this.is_active();
    },
    // Whether there are results.
    get completed() {
        return this.is_completed();
    },
    get recordShapes() {
        return this.get_record_shapes();
    },

    // All events in the order of their start, frozen; the same array each time.
    events() {
        let made = events.get(this);
        if (made === undefined) {
            made = Object.freeze(eventsOf(this));
            events.set(this, made);
        }
        return made;
    },
    * [Symbol.iterator]() {
        yield* this.events();
    },

    // What events come to, by name and carrier class, and with groupByInputShape by their inputs' shapes.
    // With statistics, which takes some times longer, rows also have percentiles, a deviation, and shares.
    keyAverages(given) {
        const {groupByInputShape, statistics} = readOptions(given,
            {groupByInputShape: false, statistics: false}, 'keyAverages()');
        return Object.freeze(aggregatesOf(this, bool(groupByInputShape, 'groupByInputShape'),
            bool(statistics, 'statistics')));
    },

    // The same as text, with the columns of statistics that are asked for.
    table(given) {
        const {sortBy, descending, groupByInputShape, rowLimit, columns} = readOptions(given, {
            sortBy: 'selfTotalTimeNs', descending: true, groupByInputShape: false, rowLimit: null, columns: [],
        }, 'table()');
        const further = checkColumns(columns);
        return this.dup_table_with_columns(further, checkSortField(sortBy, further), bool(descending, 'descending'),
            bool(groupByInputShape, 'groupByInputShape'), checkRowLimit(rowLimit));
    },

    // All events as typed arrays by field. Names, classes and shapes are numbers: labels has what they stand for.
    eventColumns() {
        return columnsOf(this.tabulate_events(native.ColumnOrder.COLUMNS));
    },
    // The rows of keyAverages () in the same form.
    aggregateColumns(given) {
        const {groupByInputShape, statistics} = readOptions(given,
            {groupByInputShape: false, statistics: true}, 'aggregateColumns()');
        return columnsOf(this.tabulate_aggregates(native.ColumnOrder.COLUMNS,
            bool(groupByInputShape, 'groupByInputShape'), bool(statistics, 'statistics')));
    },

    // All events, or the aggregates, as comma-separated values.
    toCSV(given) {
        const {aggregates, groupByInputShape, statistics} = readOptions(given,
            {aggregates: false, groupByInputShape: false, statistics: false}, 'toCSV()');
        if (bool(aggregates, 'aggregates')) {
            return this.dup_aggregates_csv(bool(groupByInputShape, 'groupByInputShape'),
                bool(statistics, 'statistics'));
        }
        if (groupByInputShape || statistics)
            throw new RangeError('groupByInputShape and statistics are options of aggregates: say aggregates: true');
        return this.dup_events_csv();
    },

    toString() {
        if (this.completed)
            return `Profiler(${this.count_events()} events)`;
        return this.active ? 'Profiler(active)' : 'Profiler(not active)';
    },
};

// The functions of C, with the events and rows that JavaScript sees.
function lowLevel({enter, exit}) {
    return {
        // Begins to record on this thread, and returns the profiler.
        enter() {
            enter.call(this);
            return this;
        },
        // Ends recording; from now on there are results. Returns false, as a context that passes errors on.
        exit() {
            exit.call(this);
            return false;
        },
        dup_event(id) {
            return eventAt(this, id);
        },
        dup_events() {
            return [...this.events()];
        },
        dup_key_averages(groupByInputShape) {
            return aggregatesOf(this, groupByInputShape);
        },
        dup_key_statistics(groupByInputShape) {
            return aggregatesOf(this, groupByInputShape, true);
        },
    };
}

function init(namespace) {
    const {Profiler} = native;
    define(Profiler, lowLevel(Profiler.prototype));
    define(Profiler, recording);
    define(Profiler, results);
    replaceConstructor('Profiler', profile);
    namespace.profile = profile;
}
