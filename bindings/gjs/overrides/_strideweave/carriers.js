// SPDX-License-Identifier: LGPL-2.1-or-later
// Carriers and operations: classes to derive from, with their hooks, and the carriers that the library has.
/* exported init */

const {bool, dtype: checkDType, integer, options: readOptions, typeName} = imports.overrides._strideweave.checks;
const {guarded} = imports.overrides._strideweave.errors;
const {done, makeClassInit} = imports.overrides._strideweave.hooks;
const {classOf, define, native, replaceConstructor} = imports.overrides._strideweave.registry;
const {fromValue, toList, toValue} = imports.overrides._strideweave.values;

function returned(object, hook, value, constructor) {
    if (!(value instanceof constructor)) {
        throw new TypeError(`${typeName(object)}.vfunc_${hook}() must return a ${constructor.name}, ` +
            `not ${typeName(value)}`);
    }
    return value;
}

// What each hook returns is checked and made into what C wants; some are given plain values for those of C.
const HOOKS = {
    vfunc_allocate_like: hook => function (...args) {
        return returned(this, 'allocate_like', hook.apply(this, args), native.Carrier);
    },
    vfunc_compute: hook => function (...args) {
        return returned(this, 'compute', hook.apply(this, args), native.Tensor);
    },
    vfunc_dispatch_op: hook => function (name) {
        return returned(this, 'dispatch_op', hook.call(this, name), native.Operation);
    },
    vfunc_dtype: hook => function () {
        return checkDType(hook.call(this), `${typeName(this)}.vfunc_dtype()`);
    },
    vfunc_get_value: hook => function (index) {
        const value = hook.call(this, index);
        if (value === undefined)
            throw new TypeError(`${typeName(this)}.vfunc_get_value() must return a value, not undefined`);
        return toValue(value);
    },
    vfunc_is_mutable: hook => function () {
        return Boolean(hook.call(this));
    },
    vfunc_new_like: hook => function (...args) {
        return returned(this, 'new_like', hook.apply(this, args), native.Carrier);
    },
    vfunc_scatter: hook => function (...args) {
        return done(hook.apply(this, args));
    },
    vfunc_set_value: hook => function (index, value) {
        return done(hook.call(this, index, fromValue(value)));
    },
    vfunc_size: hook => function () {
        return integer(hook.call(this), `${typeName(this)}.vfunc_size()`);
    },
};

function defineCarrier() {
    define(native.Carrier, {
        get(index) {
            return fromValue(this.get_value(index));
        },
        set(index, value) {
            this.set_value(index, value);
        },
        // How many writes succeeded.
        get version() {
            return this.get_version();
        },
        * [Symbol.iterator]() {
            for (let index = 0; index < this.size(); index++)
                yield this.get(index);
        },
        toString() {
            return this.is_released() ? `${typeName(this)}(released)` : `${typeName(this)}(${this.size()} values)`;
        },
    });
    define(native.Operation, {
        // The name that a carrier dispatched the operation by, or null.
        get dispatchName() {
            return this.get_dispatch_name();
        },
        // The exact class of that carrier, or null.
        get carrierType() {
            return this.get_dispatch_name() === null ? null : classOf(this.get_carrier_type());
        },
        toString() {
            return `${typeName(this)}(${this.dispatchName ?? ''})`;
        },
    });
}

function storageOptions(given, dtype, of) {
    const options = readOptions(given, {mutable: true, dtype}, of);
    bool(options.mutable, 'mutable');
    return options;
}

function defineConstructors() {
    const {CPU, DType, Evictable, FileBacked, Generic} = native;
    replaceConstructor('Generic', (values, given) => {
        const {mutable, dtype} = storageOptions(given, DType.FLOATING, 'Generic');
        return Generic.new(toList(values), mutable, dtype);
    });
    replaceConstructor('CPU', (size, given) => {
        const {mutable, dtype, empty} =
            readOptions(given, {mutable: true, dtype: DType.FLOAT32, empty: false}, 'CPU');
        bool(mutable, 'mutable');
        bool(empty, 'empty');
        return CPU.new(size, mutable, dtype, empty);
    });
    replaceConstructor('FileBacked', (filename = null, given) => {
        const {mutable, dtype} = storageOptions(given, DType.FLOAT32, 'FileBacked');
        return FileBacked.new(filename, mutable, dtype);
    });
    replaceConstructor('Evictable', (...args) => Evictable.new(...args));
    define(FileBacked, {
        get path() {
            return this.get_path();
        },
    });
    define(Evictable, {
        get primary() {
            return this.get_primary();
        },
        get secondary() {
            return this.get_secondary();
        },
    });
}

function init() {
    const classInit = makeClassInit(HOOKS, guarded);
    native.Carrier._classInit = classInit;
    native.Operation._classInit = classInit;
    native.Profiler._classInit = classInit;
    defineCarrier();
    defineConstructors();
}
