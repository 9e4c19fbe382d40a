// SPDX-License-Identifier: LGPL-2.1-or-later
// Profilers by schedule, and for all threads of the process.
/* exported init */

const {bool, integer, options: readOptions, typeName} = imports.overrides._strideweave.checks;
const {columnsOf} = imports.overrides._strideweave.columns;
const {guarded} = imports.overrides._strideweave.errors;
const {checkColumns, checkRowLimit, checkSortField, profile, recording} = imports.overrides._strideweave.profilers;
const {finishAggregate} = imports.overrides._strideweave.records;
const {define, native, replaceConstructor} = imports.overrides._strideweave.registry;

// The function of each schedule. C has it from enter () to exit () only, so that nothing keeps itself alive by it.
const functions = new WeakMap();
// The threads of each completed group, made when first asked for.
const threads = new WeakMap();

const TABLE_OPTIONS = {
    sortBy: 'selfTotalTimeNs', descending: true, groupByInputShape: false, rowLimit: null, columns: [],
};

function tableArguments({sortBy, descending, groupByInputShape, rowLimit, columns}) {
    const further = checkColumns(columns);
    return [further, checkSortField(sortBy, further), bool(descending, 'descending'),
        bool(groupByInputShape, 'groupByInputShape'), checkRowLimit(rowLimit)];
}

// --- Schedules ---

function newSchedule(given) {
    const {carriers, recordShapes, onCycle, ...counts} = readOptions(given, {
        skipFirst: 0, wait: 0, warmup: 0, active: 1, repeat: 0, onCycle: null, carriers: null, recordShapes: false,
    }, 'ProfilerSchedule()');
    const numbers = Object.entries(counts).map(([argument, value]) =>
        integer(value, argument, argument === 'active' ? 1 : 0));
    if (onCycle !== null && typeof onCycle !== 'function')
        throw new TypeError(`onCycle must be a function, not ${typeName(onCycle)}`);
    const schedule = native.ProfilerSchedule.new(profile({carriers, recordShapes}), ...numbers);
    functions.set(schedule, onCycle);
    return schedule;
}

const scheduling = {
    get active() {
        return this.is_active();
    },
    // The number of the step, from 0.
    get currentStep() {
        return this.get_step();
    },
    toString() {
        return `ProfilerSchedule(${this.active ? `step ${this.currentStep}` : 'not active'})`;
    },
};

function scheduleFunctions({enter, exit, step, set_cycle_func: setFunction}) {
    return {
        // Begins step 0, and returns the schedule.
        enter() {
            const onCycle = functions.get(this) ?? null;
            const isFresh = onCycle !== null && !this.is_active();
            if (isFresh) {
                setFunction.call(this, guarded(cycle => {
                    onCycle(cycle);
                    return true;
                }));
            }
            try {
                enter.call(this);
            } catch (error) {
                if (isFresh)
                    setFunction.call(this, null);
                throw error;
            }
            return this;
        },
        // Ends a step and begins the next one. What onCycle throws comes out, and the next step has begun all the same.
        step() {
            step.call(this);
        },
        // Ends the schedule; onCycle gets what there is of a cycle that has not ended.
        exit() {
            exit.call(this);
            return false;
        },
        // What is called for each cycle; null for nothing.
        set_cycle_func(callback) {
            if (callback !== null && typeof callback !== 'function')
                throw new TypeError(`func must be a function or null, not ${typeName(callback)}`);
            functions.set(this, callback);
        },
    };
}

function cycleMembers({get_events_of_step: eventsOfStep, get_step_of_event: stepOfEvent}) {
    return {
        get profiler() {
            return this.get_profiler();
        },
        // Which cycle it is, from 0.
        get number() {
            return this.get_number();
        },
        // The numbers of the recorded steps.
        get steps() {
            const first = this.get_first_step();
            return Array.from({length: this.get_n_steps()}, (_, place) => first + place);
        },
        // Whether the schedule was left before the last step of the cycle had ended.
        get partial() {
            return this.is_partial();
        },
        // The step in which an event, or the one of an id, began.
        stepOf(event) {
            return stepOfEvent.call(this, event instanceof native.ProfilerEvent ? event.id : event);
        },
        // The events that began in a step, or in all of them.
        events(step) {
            const events = this.profiler.events();
            if (step === undefined)
                return events;
            const [, first, count] = eventsOfStep.call(this, step);
            return events.slice(first, first + count);
        },
        toString() {
            const {number, partial} = this;
            return `ProfilerCycle(${number}: ${this.get_n_steps()} steps from ${this.get_first_step()}${partial ? ', partial' : ''})`;
        },
    };
}

// --- Groups ---

function newGroup(given) {
    const {carriers, recordShapes} = readOptions(given, {carriers: null, recordShapes: false}, 'ProfilerGroup()');
    return native.ProfilerGroup.new(profile({carriers, recordShapes}));
}

function groupFunctions(original) {
    const {enter, exit, dup_threads: dupThreads, dup_key_averages: dupKeyAverages,
        dup_key_statistics: dupKeyStatistics} = original;
    return {
        enter() {
            enter.call(this);
            return this;
        },
        exit() {
            exit.call(this);
            return false;
        },
        dup_events() {
            return this.events();
        },
        dup_key_averages(groupByInputShape) {
            return dupKeyAverages.call(this, groupByInputShape).map(finishAggregate);
        },
        dup_key_statistics(groupByInputShape) {
            return dupKeyStatistics.call(this, groupByInputShape).map(finishAggregate);
        },

        // Each thread that executed an operation, in the order of the first one; the same array each time.
        threads() {
            let made = threads.get(this);
            if (made === undefined) {
                made = Object.freeze(dupThreads.call(this));
                threads.set(this, made);
            }
            return made;
        },
        // The events of all threads, thread after thread.
        events() {
            return this.threads().flatMap(({profiler}) => profiler.events());
        },
        // What the events of all threads come to.
        keyAverages(given) {
            const {groupByInputShape, statistics} = readOptions(given,
                {groupByInputShape: false, statistics: false}, 'keyAverages()');
            bool(groupByInputShape, 'groupByInputShape');
            return Object.freeze(bool(statistics, 'statistics')
                ? this.dup_key_statistics(groupByInputShape) : this.dup_key_averages(groupByInputShape));
        },
        // The same in typed arrays by field.
        aggregateColumns(given) {
            const {groupByInputShape, statistics} = readOptions(given,
                {groupByInputShape: false, statistics: true}, 'aggregateColumns()');
            return columnsOf(this.tabulate_aggregates(native.ColumnOrder.COLUMNS,
                bool(groupByInputShape, 'groupByInputShape'), bool(statistics, 'statistics')));
        },
        // The same as text, or with byThread as a text for each thread.
        table(given) {
            const {byThread, ...options} = readOptions(given, {...TABLE_OPTIONS, byThread: false}, 'table()');
            const args = tableArguments(options);
            if (!bool(byThread, 'byThread'))
                return this.dup_table_with_columns(...args);
            return this.threads().map(({name, nativeId, profiler}) =>
                `Thread ${name.trim().split(/\s+/).join(' ')} (${nativeId})\n${profiler.dup_table_with_columns(...args)}`)
                .join('\n\n');
        },
    };
}

const grouping = {
    get active() {
        return this.is_active();
    },
    get completed() {
        return this.is_completed();
    },
    // How many threads' events were lost, because the system stopped them amid writing one.
    get nLostThreads() {
        return this.get_n_lost_threads();
    },
    toString() {
        if (this.completed)
            return `ProfilerGroup(${this.threads().length} threads)`;
        return this.active ? 'ProfilerGroup(active)' : 'ProfilerGroup(not active)';
    },
};

const threadMembers = {
    get profiler() {
        return this.get_profiler();
    },
    get name() {
        return this.get_name();
    },
    // The system's number of the thread.
    get nativeId() {
        return this.get_os_thread_id();
    },
    // The threadId of its events. A getter of C would round it, so an event tells.
    get threadId() {
        const [event] = this.profiler.events();
        return event === undefined ? null : event.threadId;
    },
    events() {
        return this.profiler.events();
    },
    toString() {
        return `ProfilerThread(${this.name}, ${this.nativeId})`;
    },
};

// --- Several profilers ---

// The rows of several completed profilers together, such as those of the cycles of a schedule.
function mergedKeyAverages(profilers, given) {
    const {groupByInputShape, statistics} = readOptions(given,
        {groupByInputShape: false, statistics: false}, 'mergedKeyAverages()');
    bool(groupByInputShape, 'groupByInputShape');
    const {dup_merged_key_averages: averages, dup_merged_key_statistics: withStatistics} = native.Profiler;
    const read = bool(statistics, 'statistics') ? withStatistics : averages;
    return Object.freeze(read(profilers, groupByInputShape).map(finishAggregate));
}

// The same in typed arrays by field.
function mergedAggregateColumns(profilers, given) {
    const {groupByInputShape, statistics} = readOptions(given,
        {groupByInputShape: false, statistics: true}, 'mergedAggregateColumns()');
    return columnsOf(native.Profiler.tabulate_merged_aggregates(profilers, native.ColumnOrder.COLUMNS,
        bool(groupByInputShape, 'groupByInputShape'), bool(statistics, 'statistics')));
}

// The same as text.
function mergedTable(profilers, given) {
    const args = tableArguments(readOptions(given, TABLE_OPTIONS, 'mergedTable()'));
    return native.Profiler.dup_merged_table_with_columns(profilers, ...args);
}

function init(namespace) {
    const {ProfilerCycle, ProfilerGroup, ProfilerSchedule, ProfilerThread} = native;
    define(ProfilerCycle, cycleMembers(ProfilerCycle.prototype));
    define(ProfilerThread, threadMembers);
    define(ProfilerSchedule, scheduleFunctions(collect(ProfilerSchedule, ['enter', 'exit', 'step', 'set_cycle_func'])));
    define(ProfilerSchedule, recording);
    define(ProfilerSchedule, scheduling);
    define(ProfilerGroup, groupFunctions(collect(ProfilerGroup, 
        ['enter', 'exit', 'dup_threads', 'dup_key_averages', 'dup_key_statistics'])));
    define(ProfilerGroup, recording);
    define(ProfilerGroup, grouping);
    replaceConstructor('ProfilerSchedule', newSchedule);
    replaceConstructor('ProfilerGroup', newGroup);
    namespace.mergedAggregateColumns = mergedAggregateColumns;
    namespace.mergedKeyAverages = mergedKeyAverages;
    namespace.mergedTable = mergedTable;
}

function collect(constructor, names) {
    return Object.fromEntries(names.map(name => [name, constructor.prototype[name]]));
}
