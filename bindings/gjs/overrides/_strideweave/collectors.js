// SPDX-License-Identifier: LGPL-2.1-or-later
// Collectors that are written in JavaScript: C keeps events for the one thread that it runs on.
/* exported init */

const {GObject} = imports.gi;
const {typeName} = imports.overrides._strideweave.checks;
const {guardedForLater} = imports.overrides._strideweave.errors;
const {done, makeClassInit} = imports.overrides._strideweave.hooks;
const {native, owned} = imports.overrides._strideweave.registry;

// Goes when the engine does, so that C knows whether there is anybody to call.
const life = new GObject.Object();

function checked(name) {
    return hook => function (...args) {
        const result = done(hook.apply(this, args));
        if (typeof result !== 'boolean')
            throw new TypeError(`${typeName(this)}.${name}() must return a boolean or nothing, not ${typeName(result)}`);
        return result;
    };
}

const HOOKS = {
    vfunc_close: checked('vfunc_close'),
    vfunc_emit: checked('vfunc_emit'),
    vfunc_emit_many: hook => checked('vfunc_emit_many')(function (events) {
        return hook.call(this, events.map(owned));
    }),
    vfunc_flush: checked('vfunc_flush'),
};

// By the names of their types: the library's own collectors are called by any thread.
const derived = new Set();

function init() {
    const {Collector} = native;
    const bind = Collector.prototype.bind_to_thread;
    const classInit = makeClassInit(HOOKS, guardedForLater);
    Collector._classInit = function (klass) {
        const result = classInit.call(this, klass);
        derived.add(result.$gtype.name);
        return result;
    };
    Collector.prototype._init = function (...args) {
        const self = GObject.Object.prototype._init.apply(this, args) ?? this;
        if (derived.has(self.constructor.$gtype.name))
            bind.call(self, life);
        return self;
    };
}
