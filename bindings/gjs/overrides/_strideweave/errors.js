// SPDX-License-Identifier: LGPL-2.1-or-later
// Errors on their way through C: GError codes as JavaScript errors, and what hooks throw as itself.
//
// A GError has room for a domain, a code and a text, not for an exception. So a hook that fails (a virtual function that
// is written in JavaScript) leaves what it threw here under a token, and the call into C at the other end takes it up.
/* exported init, call, guarded, guardedForLater, wrapped */

const {GLib} = imports.gi;
const {owned} = imports.overrides._strideweave.registry;

const HOOK_DOMAIN = GLib.quark_from_string('strideweave-javascript-exception');

let libraryDomain = 0;
let constructors = new Map();

// What is inside C now, by token. Nearly always empty, so that looking costs next to nothing.
const pending = new Map();
let lastToken = 0;
let depth = 0; // how many hooks are running
// The GLib.Error behind each error that was made here.
const causes = new WeakMap();

function init(native) {
    const {Error: codes} = native;
    libraryDomain = codes.quark();
    constructors = new Map([
        [codes.TYPE, TypeError],
        [codes.VALUE, RangeError],
        [codes.INDEX, RangeError],
    ]);
}

function describe(exception) {
    try {
        return String(exception).replaceAll('\0', '');
    } catch {
        return 'something that has no text';
    }
}

// Keeps what a hook threw, and makes the error that C sees instead.
function stash(exception) {
    if (exception instanceof GLib.Error && exception.domain === HOOK_DOMAIN && pending.has(exception.code))
        ({exception} = pending.get(exception.code));
    // C may want to know the code. It comes back as another object, which recover () knows by its contents.
    const said = exception instanceof GLib.Error ? exception : causes.get(exception);
    lastToken = (lastToken + 1) & 0x7fffffff;
    pending.set(lastToken, {depth, exception, said});
    return said ?? new GLib.Error(HOOK_DOMAIN, lastToken, describe(exception));
}

// The same for an exception that some later call reports. C keeps the first that an object throws until it reports that, or
// another error in place of several; which of these it did is not to be seen, so the first after any such error counts, too.
const later = new WeakMap(); // object -> its tokens, the oldest first
const MAX_LATER = 8;
let otherErrors = 0; // how many came out of C that were not kept here, while something was

function tokensOf(object) {
    const tokens = (later.get(object) ?? []).filter(token => pending.has(token));
    later.set(object, tokens);
    return tokens;
}

function stashForLater(object, exception) {
    const tokens = tokensOf(object);
    if (pending.get(tokens.at(-1))?.otherErrors === otherErrors)
        return new GLib.Error(HOOK_DOMAIN, 0, describe(exception));
    if (exception instanceof GLib.Error && exception.domain !== HOOK_DOMAIN)
        return exception;
    const error = stash(exception);
    const entry = pending.get(lastToken);
    if (error.domain !== HOOK_DOMAIN || error.code !== lastToken) {
        pending.delete(lastToken);
        return error;
    }
    tokens.push(lastToken);
    if (tokens.length > MAX_LATER)
        pending.delete(tokens.shift());
    Object.assign(entry, {depth: 0, otherErrors, tokens});
    return error;
}

// Drops what C swallowed in calls that are finished.
function forget() {
    for (const [token, entry] of pending) {
        if (entry.depth > depth)
            pending.delete(token);
    }
}

function recover(error) {
    if (error.domain === HOOK_DOMAIN) {
        const entry = pending.get(error.code);
        // C has reported those before, or dropped them.
        entry?.tokens?.forEach(token => pending.delete(token));
        return entry;
    }
    return [...pending.values()].reverse().find(({depth: level, said}) => level > depth && said &&
        said.domain === error.domain && said.code === error.code && said.message === error.message);
}

// What to throw for an error that came out of C.
function translate(error) {
    if (!(error instanceof GLib.Error))
        return error;
    if (pending.size > 0) {
        const entry = recover(error);
        forget();
        if (entry)
            return entry.exception;
        otherErrors += 1;
    }
    const constructor = error.domain === libraryDomain && constructors.get(error.code);
    if (!constructor)
        return error;
    const result = new constructor(error.message, {cause: error});
    causes.set(result, error);
    return result;
}

// A function that calls into C, and throws what failed there as the error that it means.
function wrapped(native) {
    return function (...args) {
        try {
            const result = native.apply(this, args);
            if (pending.size > 0)
                forget();
            return result;
        } catch (error) {
            throw translate(error);
        }
    };
}

// A hook for C to call, whose exceptions survive.
function guarded(hook) {
    return function (...args) {
        depth += 1;
        try {
            return hook.apply(this, args.map(owned));
        } catch (exception) {
            throw stash(exception);
        } finally {
            depth -= 1;
        }
    };
}

// The same for hooks of what C calls by itself, and whose exceptions a later call reports.
function guardedForLater(hook) {
    return function (...args) {
        depth += 1;
        try {
            return hook.apply(this, args.map(owned));
        } catch (exception) {
            throw stashForLater(this, exception);
        } finally {
            depth -= 1;
        }
    };
}
