// SPDX-License-Identifier: LGPL-2.1-or-later
// How classes that JavaScript derives come to C.
/* exported done, makeClassInit */

const {GObject} = imports.gi;
const {native, remember} = imports.overrides._strideweave.registry;

// What comes back when a hook that has nothing to tell has done its work.
function done(value) {
    return value === undefined ? true : value;
}

// A class that is defined again under the same name is another class, so it gets another name in C.
function nameType(klass) {
    const name = `Gjs_${klass.name}`.replace(/[^a-z0-9+_-]/gi, '_');
    if (klass.name === '' || Object.hasOwn(klass, GObject.GTypeName) || GObject.type_from_name(name) === null)
        return;
    let number = 2;
    while (GObject.type_from_name(`${name}-${number}`) !== null)
        number += 1;
    klass[GObject.GTypeName] = `${name}-${number}`;
}

function refuseClosed(klass) {
    const parent = Object.getPrototypeOf(klass);
    if (GObject.type_test_flags(parent.$gtype, GObject.TypeFlags.FINAL))
        throw new TypeError(`${parent.name} is closed: it cannot be subclassed`);
}

// What GObject.registerClass () calls. C gets hooks that are guarded; JavaScript goes on to see the class's own ones.
function makeClassInit(hooks, guard) {
    return function (klass) {
        return classInit(this, klass, hooks, guard);
    };
}

function classInit(base, klass, known, guard) {
    const {prototype} = klass;
    refuseClosed(klass);
    nameType(klass);
    const own = Object.keys(known).filter(name => Object.hasOwn(prototype, name) && typeof prototype[name] === 'function');
    const hooks = own.map(name => [name, prototype[name]]);
    try {
        for (const [name, hook] of hooks)
            prototype[name] = guard(known[name](hook));
        klass = GObject.Object._classInit.call(base, klass);
    } finally {
        for (const [name, hook] of hooks)
            prototype[name] = hook;
    }
    remember(klass);
    if (klass.name !== '')
        native.Profiler.set_type_name(klass.$gtype, klass.name);
    return klass;
}
