// SPDX-License-Identifier: LGPL-2.1-or-later
// What every introspected function takes. Arguments are checked, or made into what C wants, before the call; what fails
// in C is thrown as the error that it means.
/* exported raw, wrapAll */

const {GLib, GObject} = imports.gi;
const checks = imports.overrides._strideweave.checks;
const {wrapped} = imports.overrides._strideweave.errors;
const {native, referenceFunctions} = imports.overrides._strideweave.registry;
const {indicesOf, isList, tokensOf} = imports.overrides._strideweave.trees;
const {toInputs, toList, toValue} = imports.overrides._strideweave.values;

const UINT_MAX = 2 ** 32 - 1;

// Functions of C as they were, for what is called often and passes what is right.
var raw = {};

// The kinds of arguments that are not just instances of a class. After a kind, "?" means that null will do.
const KINDS = {
    address: (value, argument) => checks.integer(value, argument, 0, 2n ** 64n - 1n),
    any: value => value,
    bool: checks.bool,
    bytes: (value, argument) => checks.instance(value, GLib.Bytes, 'GLib.Bytes', argument),
    callback: (value, argument) => {
        if (typeof value !== 'function')
            throw new TypeError(`${argument} must be a function, not ${checks.typeName(value)}`);
        return value;
    },
    dtype: checks.dtype,
    gtype: typeOf,
    gtypes: (value, argument) => arrayOf(value, argument, 'classes', typeOf),
    inputs: toInputs,
    int: (value, argument) => checks.integer(value, argument),
    guint: (value, argument) => checks.integer(value, argument, 0, 2 ** 32 - 1),
    int32: (value, argument) => checks.integer(value, argument, -(2 ** 31), 2 ** 31 - 1),
    ints: indicesOf,
    number: (value, argument) => {
        if (typeof value !== 'number' && typeof value !== 'bigint')
            throw new TypeError(`${argument} must be a number, not ${checks.typeName(value)}`);
        return Number(value);
    },
    object: (value, argument) => checks.instance(value, GObject.Object, 'GObject.Object', argument),
    collector: (value, argument) => checks.instance(value, native.Collector, 'Collector', argument),
    collectors: (value, argument) => arrayOf(value, argument, 'Collectors',
        (item, what) => checks.instance(item, native.Collector, 'Collector', what)),
    profilers: (value, argument) => arrayOf(value, argument, 'Profilers',
        (item, what) => checks.instance(item, native.Profiler, 'Profiler', what)),
    order: (value, argument) => checks.integer(value, argument, 0, 1),
    numbers: (value, argument) => arrayOf(value, argument, 'numbers', KINDS.number),
    naturals: (value, argument) => arrayOf(value, argument, 'integers', KINDS.address),
    shape: (value, argument) => isList(value)
        ? native.Shape.new_from_tokens(tokensOf(value, argument, 0))
        : checks.instance(value, native.Shape, 'Shape', argument),
    shapes: (value, argument) => arrayOf(value, argument, 'Shapes and nulls',
        (item, what) => item === null ? null : KINDS.shape(item, what)),
    string: checks.string,
    strings: (value, argument) => arrayOf(value, argument, 'strings', checks.string),
    timelineType: (value, argument) =>
        checks.enumerated(value, argument, 'TimelineType', new Set(Object.values(native.TimelineType))),
    traceFormat: checks.traceFormat,
    traceVerbosity: (value, argument) =>
        checks.enumerated(value, argument, 'TraceVerbosity', new Set(Object.values(native.TraceVerbosity))),
    variant: (value, argument) => checks.instance(value, GLib.Variant, 'GLib.Variant', argument),
    tensors: (value, argument) => arrayOf(value, argument, 'Tensors',
        (item, what) => checks.instance(item, native.Tensor, 'Tensor', what)),
    uint: (value, argument) => checks.integer(value, argument, 0, UINT_MAX),
    value: toValue,
    zoneColumn: (value, argument) =>
        checks.enumerated(value, argument, 'ZoneColumn', new Set(Object.values(native.ZoneColumn))),
    valueArray: (value, argument) => arrayOf(value, argument, 'values', toValue),
    values: toList,
};

// A class or a GType; GJS also takes instances, and null for the type that is none.
function typeOf(value, argument) {
    const gtype = typeof value === 'function' ? value.$gtype : value;
    const isType = typeof gtype === 'object' && gtype !== null &&
        Object.getPrototypeOf(gtype) === Object.getPrototypeOf(GObject.TYPE_OBJECT);
    if (isType && GObject.type_name(gtype) !== null)
        return gtype;
    throw new TypeError(`${argument} must be a class, not ${checks.typeName(value)}`);
}

function arrayOf(value, argument, what, check) {
    if (!isList(value))
        throw new TypeError(`${argument} must be an array of ${what}, not ${checks.typeName(value)}`);
    return Array.from(value, (item, place) => check(item, `${argument}[${place}]`));
}

// Functions with a plus belong to the class itself, the others to its instances.
const SIGNATURES = {
    Buffer: {
        '+new': 'tensor:Tensor',
        '+free_dlpack': 'address:address',
    },
    CPU: {
        '+new': 'size:int is_mutable:bool dtype:dtype is_empty:bool',
        '+new_for_address': 'size:int address:address is_mutable:bool dtype:dtype',
        '+new_from_bytes': 'bytes:bytes dtype:dtype',
        '+set_n_threads': 'n_threads:guint',
        'get_address': '',
        '+get_cache_limit': '',
        '+get_cache_statistics': '',
        '+set_cache_limit': 'n_bytes:int',
        '+trim_cache': '',
    },
    CallStatistics: {
        '+new': 'durations_ns:naturals',
        'equal': 'other:CallStatistics',
        'merge': 'other:CallStatistics',
    },
    Carrier: {
        allocate_like: 'size:int is_mutable:bool dtype:dtype is_empty:bool',
        dispatch_op: 'name:string',
        dtype: '',
        get_value: 'index:int',
        is_mutable: '',
        new_like: 'values:values is_mutable:bool dtype:dtype',
        ref_bytes: '',
        release: '',
        scatter: 'source:Tensor onto:Tensor mapping:Layout mapping_offset:int',
        set_value: 'index:int value:value',
        size: '',
        supports_storage_dtype: 'dtype:dtype',
        vfunc_allocate_like: 'size:int is_mutable:bool dtype:dtype is_empty:bool',
        vfunc_dispatch_op: 'name:string',
        vfunc_dtype: '',
        vfunc_get_value: 'index:int',
        vfunc_is_mutable: '',
        vfunc_new_like: 'values:values is_mutable:bool dtype:dtype',
        vfunc_scatter: 'source:Tensor onto:Tensor mapping:Layout mapping_offset:int',
        vfunc_set_value: 'index:int value:value',
        vfunc_size: '',
    },
    DurationStatistics: {
        '+new': 'durations_ns:naturals',
        'equal': 'other:DurationStatistics',
    },
    Evictable: {
        '+new': 'primary:Carrier secondary:Carrier',
        'evict': '',
        'promote': '',
    },
    ExecutionOptions: {
        '+new': 'operation_name:string accumulator_dtype:dtype',
        '+new_into': 'operation_name:string accumulator_dtype:dtype out:Tensor',
    },
    FileBacked: {
        '+new': 'filename:string? is_mutable:bool dtype:dtype',
    },
    FrameStatsEntry: {
        equal: 'other:FrameStatsEntry',
    },
    Generic: {
        '+new': 'values:values is_mutable:bool dtype:dtype',
        '+new_doubles': 'values:numbers dtype:dtype',
    },
    InputShapes: {
        '+new': 'shapes:shapes',
        '+new_from_tokens': 'tokens:ints',
        'equal': 'other:InputShapes',
        'get_shape': 'position:uint',
    },
    Layout: {
        '+new': 'shape:shape stride:Stride',
        '+new_compact': 'shape:shape',
        '+new_row_major': 'shape:shape',
        'append': 'other:Layout',
        'broadcast_to': 'target:shape',
        'compose': 'inner:Layout',
        'concat': 'other:Layout',
        'dup_mode': 'mode:uint',
        'equal': 'other:Layout',
        'get_index': 'tokens:ints',
        'get_index_at': 'ordinal:int',
        'permute': 'order:ints',
        'reshape': 'shape:shape',
    },
    Operation: {
        forward: 'inputs:inputs options:ExecutionOptions?',
        lower: 'inputs:inputs options:ExecutionOptions?',
        vfunc_compute: 'inputs:inputs options:ExecutionOptions?',
    },
    Profiler: {
        '+new': 'record_shapes:bool',
        '+get_type_name': 'type:gtype',
        '+set_type_name': 'type:gtype qualified_name:string?',
        '+new_for_carriers': 'carriers:gtypes record_shapes:bool',
        'count_events': '',
        '+dup_merged_key_averages': 'profilers:profilers group_by_input_shape:bool',
        '+dup_merged_key_statistics': 'profilers:profilers group_by_input_shape:bool',
        '+dup_merged_table': 'profilers:profilers sort_by:string? descending:bool group_by_input_shape:bool row_limit:int',
        '+new_like': 'other:Profiler?',
        '+load': 'path:string',
        'dup_aggregates_csv': 'group_by_input_shape:bool with_statistics:bool',
        'dup_event': 'id:int',
        'dup_event_columns': '',
        'dup_events': '',
        'dup_events_csv': '',
        'dup_json': '',
        'dup_key_averages': 'group_by_input_shape:bool',
        'dup_key_statistics': 'group_by_input_shape:bool',
        '+dup_merged_table_with_columns': 'profilers:profilers columns:strings? sort_by:string? descending:bool ' +
            'group_by_input_shape:bool row_limit:int',
        '+tabulate_merged_aggregates': 'profilers:profilers order:order group_by_input_shape:bool with_statistics:bool',
        'dup_table': 'sort_by:string? descending:bool group_by_input_shape:bool row_limit:int',
        'dup_table_with_columns': 'columns:strings? sort_by:string? descending:bool group_by_input_shape:bool ' +
            'row_limit:int',
        'enter': '',
        'exit': '',
        'save': 'path:string',
        'save_aggregates_csv': 'path:string group_by_input_shape:bool with_statistics:bool',
        'save_events_csv': 'path:string',
        'save_json': 'path:string',
        'tabulate_aggregates': 'order:order group_by_input_shape:bool with_statistics:bool',
        'tabulate_events': 'order:order',
        'write_trace': 'path:string format:traceFormat',
    },
    ProfilerAggregate: {
        '+new': 'name:string carrier_type:gtype input_shapes:InputShapes? count:int total_time_ns:int ' +
            'self_total_time_ns:int mean_time_ns:number min_time_ns:int max_time_ns:int',
        'equal': 'other:ProfilerAggregate',
    },
    ProfilerCycle: {
        'get_events_of_step': 'step:int',
        'get_step_of_event': 'id:int',
    },
    ProfilerGroup: {
        '+new': 'options:Profiler?',
        'dup_events': '',
        'dup_key_averages': 'group_by_input_shape:bool',
        'dup_key_statistics': 'group_by_input_shape:bool',
        'dup_table': 'sort_by:string? descending:bool group_by_input_shape:bool row_limit:int',
        'dup_table_by_thread': 'sort_by:string? descending:bool group_by_input_shape:bool row_limit:int',
        'dup_table_with_columns': 'columns:strings? sort_by:string? descending:bool group_by_input_shape:bool ' +
            'row_limit:int',
        'tabulate_aggregates': 'order:order group_by_input_shape:bool with_statistics:bool',
        'dup_threads': '',
        'enter': '',
        'exit': '',
    },
    Collector: {
        bind_to_thread: 'life:object?',
        close: '',
        emit: 'event:TraceEvent',
        flush: '',
        refuse: 'index:uint',
    },
    CompositeCollector: {
        '+new': 'collectors:collectors',
    },
    CuptiCollector: {
        '+is_available': '',
        '+new': 'target:collector',
    },
    FileCollector: {
        '+new': 'path:string format:traceFormat',
    },
    MemoryCollector: {
        '+new': 'capacity:int',
        'write_trace': 'path:string format:traceFormat',
    },
    IttCollector: {
        '+is_available': '',
        '+new': '',
    },
    SysprofCollector: {
        '+is_available': '',
        '+new': 'path:string',
        '+new_for_session': '',
    },
    TraceContext: {
        '+set_thread_name': 'name:string?',
        'annotate': 'key:string value:variant',
        'begin_async_span': 'name:string category:string? level:traceVerbosity arguments:variant?',
        'begin_span': 'name:string category:string? level:traceVerbosity arguments:variant?',
        'emit_counter': 'name:string level:traceVerbosity value:number',
        'emit_counter_int64': 'name:string level:traceVerbosity value:int',
        'emit_instant': 'name:string category:string? level:traceVerbosity arguments:variant?',
        'end_async_span': 'id:address',
        'end_span': 'token:address',
        'flow_end': 'id:address',
        'flow_start': 'level:traceVerbosity',
        'flow_step': 'id:address',
        'flush': '',
        'is_on': 'level:traceVerbosity',
        'set_collector': 'collector:Collector?',
        'set_enabled': 'enabled:bool',
        'set_process_name': 'name:string?',
        'set_verbosity': 'verbosity:traceVerbosity',
    },
    ProfilerSchedule: {
        '+new': 'options:Profiler? skip_first:int wait:int warmup:int active:int repeat:int',
        'enter': '',
        'exit': '',
        'step': '',
    },
    ProfilerColumns: {
        'dup_column': 'name:string',
        'dup_labels': 'name:string',
        'get_input_shapes': 'label:int',
        'get_kind': 'column:uint',
        'get_name': 'column:uint',
        'get_offset': 'column:uint',
        'get_stride': 'column:uint',
    },
    ProfilerEvent: {
        '+new': 'id:int parent_id:int name:string carrier_type:gtype implementation_type:gtype input_shapes:InputShapes? ' +
            'start_time_ns:int duration_ns:int self_time_ns:int thread_id:address succeeded:bool',
        'equal': 'other:ProfilerEvent',
    },
    ProfilerDiagnostics: {
        equal: 'other:ProfilerDiagnostics',
    },
    ProfilerSite: {
        '+lookup': 'id:uint',
        'equal': 'other:ProfilerSite',
    },
    Shape: {
        '+new': 'extents:ints',
        '+new_from_string': 'text:string',
        '+new_from_tokens': 'tokens:ints',
        'compare': 'other:Shape',
        'decode': 'ordinal:int',
        'dup_mode': 'mode:uint',
        'encode': 'tokens:ints',
        'equal': 'other:Shape',
        'get_extent': 'mode:uint',
        'is_leaf': 'mode:uint',
    },
    Stride: {
        '+new': 'strides:ints',
        '+new_from_string': 'text:string',
        '+new_from_tokens': 'tokens:ints',
        'dup_mode': 'mode:uint',
        'equal': 'other:Stride',
        'get_step': 'mode:uint',
        'is_leaf': 'mode:uint',
    },
    Tensor: {
        '+new': 'carrier:Carrier offset:int layout:Layout',
        'dup_bytes': '',
        'dup_row_major_bytes': '',
        'dup_values_text': '',
        'get_value': 'tokens:ints',
        'set_value': 'tokens:ints value:value',
        'slice': 'starts:ints stops:ints steps:ints',
    },
    Timeline: {
        '+new': 'timeline_type:timelineType name:string thread_id:address device_id:address queue:uint',
        'equal': 'other:Timeline',
    },
    Value: {
        '+new_bool': 'value:bool',
        '+new_double': 'value:number',
        '+new_indices': 'indices:ints',
        '+new_int64': 'value:int',
        '+new_shape': 'shape:Shape',
        '+new_tensor': 'tensor:Tensor',
        'equal': 'other:Value',
    },
    ValueList: {
        '+new': 'values:valueArray',
        '+new_doubles': 'values:numbers',
        '+new_int64s': 'values:ints',
        '+new_tensors': 'tensors:tensors',
        'dup_tensor': 'index:address',
        'dup_value': 'index:address',
    },
    ZoneChunk: {
        dup_column: 'column:zoneColumn',
    },
    ZoneFrame: {
        equal: 'other:ZoneFrame',
    },
    ZoneProfiler: {
        '+new': 'desc:ZoneProfilerDesc?',
        'discard_capture': '',
        'enter': '',
        'exit': '',
        'set_enable_auto_zones': 'enable_auto_zones:bool',
        'set_enable_debug_groups': 'enable_debug_groups:bool',
        'set_enabled': 'enabled:bool',
        'set_slow_frame_threshold_ns': 'slow_frame_threshold_ns:int',
        'start_capture': 'desc:CaptureDesc?',
        'stop_capture': '',
    },
    ZoneSelection: {
        dup_column: 'column:zoneColumn',
        dup_histogram: 'n_bins:uint min_ms:number max_ms:number',
        slowest: 'n_zones:uint',
        write_to_csv: 'path:string',
    },
    ZoneTrace: {
        dup_frame_statistics: 'start_ns:int end_ns:int',
        get_fps: 'start_ns:int end_ns:int',
        query_zones: 'name:string? timeline_type:int32 frame_begin:int frame_end:int start_ns:int end_ns:int',
        write_to_csv: 'path:string',
        write_to_json: 'path:string',
        write_to_jsonl: 'path:string',
        write_to_perfetto: 'path:string',
    },
};

const FUNCTIONS = {
    abs: 'input:Tensor',
    add: 'lhs:Tensor rhs:Tensor',
    arange: 'start:int stop:int step:int dtype:dtype like:Carrier?',
    arange_doubles: 'start:number stop:number step:number dtype:dtype like:Carrier?',
    add_scalar: 'lhs:Tensor rhs:number',
    argmax: 'input:Tensor',
    argmax_mode: 'input:Tensor mode:int keep_mode:bool',
    argmin: 'input:Tensor',
    argmin_mode: 'input:Tensor mode:int keep_mode:bool',
    as_strided: 'input:Tensor layout:Layout offset:int',
    avg_pool: 'input:Tensor window:ints strides:ints padding:ints',
    binary_into: 'out:Tensor name:string lhs:Tensor rhs:Tensor',
    binary_scalar_into: 'out:Tensor name:string lhs:Tensor rhs:number',
    broadcast_to: 'input:Tensor shape:shape',
    call_operation: 'name:string inputs:inputs options:ExecutionOptions?',
    cast: 'input:Tensor dtype:dtype',
    ceil: 'input:Tensor',
    clamp: 'input:Tensor minimum:number maximum:number',
    compute_into: 'out:Tensor name:string inputs:inputs',
    conv_general: 'input:Tensor weight:Tensor strides:ints padding:ints dilation:ints groups:int',
    cos: 'input:Tensor',
    cumsum: 'input:Tensor mode:int',
    div: 'lhs:Tensor rhs:Tensor',
    div_scalar: 'lhs:Tensor rhs:number',
    elementwise_mul: 'lhs:Tensor rhs:Tensor',
    elu: 'input:Tensor alpha:number',
    eq: 'lhs:Tensor rhs:Tensor',
    eq_scalar: 'lhs:Tensor rhs:number',
    erf: 'input:Tensor',
    exp: 'input:Tensor',
    exp2: 'input:Tensor',
    floor: 'input:Tensor',
    from_bytes: 'bytes:bytes shape:shape dtype:dtype',
    from_values: 'values:values shape:shape? dtype:dtype like:Carrier?',
    full: 'shape:shape value:value dtype:dtype like:Carrier?',
    gather: 'input:Tensor mode:int index:Tensor',
    gelu: 'input:Tensor',
    layer_norm: 'input:Tensor modes:ints weight:Tensor? bias:Tensor? epsilon:number',
    le: 'lhs:Tensor rhs:Tensor',
    le_scalar: 'lhs:Tensor rhs:number',
    leaky_relu: 'input:Tensor slope:number',
    log: 'input:Tensor',
    log2: 'input:Tensor',
    logical_not: 'input:Tensor',
    lt: 'lhs:Tensor rhs:Tensor',
    lt_scalar: 'lhs:Tensor rhs:number',
    matmul: 'lhs:Tensor rhs:Tensor options:ExecutionOptions?',
    max_pool: 'input:Tensor window:ints strides:ints padding:ints',
    maximum: 'lhs:Tensor rhs:Tensor',
    maximum_scalar: 'lhs:Tensor rhs:number',
    minimum: 'lhs:Tensor rhs:Tensor',
    minimum_scalar: 'lhs:Tensor rhs:number',
    move: 'tensor:Tensor destination:Carrier',
    mul: 'lhs:Tensor rhs:Tensor',
    mul_scalar: 'lhs:Tensor rhs:number',
    ne: 'lhs:Tensor rhs:Tensor',
    ne_scalar: 'lhs:Tensor rhs:number',
    neg: 'input:Tensor',
    ones: 'shape:shape dtype:dtype like:Carrier?',
    permute: 'input:Tensor order:ints',
    pow: 'lhs:Tensor rhs:Tensor',
    pow_scalar: 'lhs:Tensor rhs:number',
    rearrange: 'input:Tensor pattern:string',
    recip: 'input:Tensor',
    profile_frame_begin: 'name:string',
    profile_frame_end: 'token:address',
    profile_is_recording: '',
    profile_set_thread_name: 'name:string?',
    profile_site_register: 'file:string? line:uint function:string? name:string',
    profile_tell_thread_name: 'os_thread_id:address name:string?',
    profile_zone_begin: 'site_id:uint',
    profile_zone_begin_with_encoder: 'site_id:uint encoder:object?',
    profile_zone_end: 'token:address',
    reduce_max: 'input:Tensor',
    reduce_max_modes: 'input:Tensor modes:ints keep_modes:bool',
    reduce_min: 'input:Tensor',
    reduce_min_modes: 'input:Tensor modes:ints keep_modes:bool',
    reduce_prod: 'input:Tensor',
    reduce_prod_modes: 'input:Tensor modes:ints keep_modes:bool',
    reduce_sum: 'input:Tensor options:ExecutionOptions?',
    reduce_sum_modes: 'input:Tensor modes:ints keep_modes:bool options:ExecutionOptions?',
    register_move: 'source_type:gtype destination_type:gtype func:callback',
    relu: 'input:Tensor',
    rem: 'lhs:Tensor rhs:Tensor',
    rem_scalar: 'lhs:Tensor rhs:number',
    reshape: 'input:Tensor shape:shape',
    round: 'input:Tensor',
    rsqrt: 'input:Tensor',
    scalar_binary: 'name:string lhs:value rhs:Tensor options:ExecutionOptions?',
    scalar_binary_into: 'out:Tensor name:string lhs:number rhs:Tensor',
    scalar_div: 'lhs:number rhs:Tensor',
    scalar_le: 'lhs:number rhs:Tensor',
    scalar_lt: 'lhs:number rhs:Tensor',
    scalar_pow: 'lhs:number rhs:Tensor',
    scalar_rem: 'lhs:number rhs:Tensor',
    scalar_sub: 'lhs:number rhs:Tensor',
    scatter: 'input:Tensor mode:int index:Tensor source:Tensor',
    scatter_add: 'input:Tensor mode:int index:Tensor source:Tensor',
    select: 'condition:Tensor lhs:Tensor rhs:Tensor',
    sigmoid: 'input:Tensor',
    sign: 'input:Tensor',
    silu: 'input:Tensor',
    sin: 'input:Tensor',
    softmax: 'input:Tensor modes:ints',
    softplus: 'input:Tensor',
    sort: 'input:Tensor mode:int descending:bool',
    sqrt: 'input:Tensor',
    squeeze: 'input:Tensor',
    squeeze_modes: 'input:Tensor modes:ints',
    sub: 'lhs:Tensor rhs:Tensor',
    sub_scalar: 'lhs:Tensor rhs:number',
    tanh: 'input:Tensor',
    topk: 'input:Tensor k:int mode:int',
    unary_into: 'out:Tensor name:string input:Tensor',
    unsqueeze: 'input:Tensor mode:int',
    view: 'input:Tensor shape:shape',
    zeros: 'shape:shape dtype:dtype like:Carrier?',
};

function checkOf(kind) {
    const constructor = native[kind];
    return KINDS[kind] ?? ((value, argument) => checks.instance(value, constructor, kind, argument));
}

function parameterOf(text) {
    const [, name, kind, nullable] = /^(\w+):(\w+)(\??)$/.exec(text);
    return {name, check: checkOf(kind), nullable: nullable === '?'};
}

// Arguments that are missing are GJS's to complain of, unless null is what they stand for.
function withChecks(callee, signature) {
    const call = wrapped(callee);
    if (signature === '')
        return call;
    const parameters = signature.split(' ').map(parameterOf);
    return function (...args) {
        for (let place = 0; place < parameters.length; place++) {
            const {name, check, nullable} = parameters[place];
            if (nullable && (args[place] === undefined || args[place] === null)) {
                if (place <= args.length)
                    args[place] = null;
            } else if (place < args.length) {
                args[place] = check(args[place], name);
            }
        }
        return call.apply(this, args);
    };
}

// JavaScript counts references by itself: one that a program gives back twice would be a crash.
function hideReferences() {
    for (const {prototype} of Object.values(native)) {
        if (prototype && !(prototype instanceof GObject.Object) && prototype.ref)
            referenceFunctions.set(prototype, prototype.ref);
        for (const name of ['ref', 'unref', 'free']) {
            if (prototype && !(prototype instanceof GObject.Object) && prototype[name])
                prototype[name] = undefined;
        }
    }
}

function wrapAll(namespace) {
    hideReferences();
    for (const [name, functions] of Object.entries(SIGNATURES)) {
        const constructor = native[name];
        for (const [key, signature] of Object.entries(functions)) {
            const owner = key.startsWith('+') ? constructor : constructor.prototype;
            const member = key.replace('+', '');
            owner[member] = withChecks(owner[member], signature);
        }
    }
    for (const [name, signature] of Object.entries(FUNCTIONS)) {
        raw[name] = namespace[name];
        namespace[name] = withChecks(namespace[name], signature);
    }
}
