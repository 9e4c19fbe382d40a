// SPDX-License-Identifier: LGPL-2.1-or-later
// The namespace as GJS sees it, with the override.
import GLib from 'gi://GLib';
import GObject from 'gi://GObject';
import Strideweave from 'gi://Strideweave?version=1';

import {equal, finish, ok, test} from './tap.js';

test('the version matches its constants', () => {
    const {MAJOR_VERSION, MINOR_VERSION, MICRO_VERSION} = Strideweave;
    equal(Strideweave.version(), [MAJOR_VERSION, MINOR_VERSION, MICRO_VERSION].join('.'));
});

test('the legacy importer gives the same namespace', () => {
    ok(imports.gi.Strideweave.CPU === Strideweave.CPU);
});

test('the error domain is the enumeration', () => {
    equal(Strideweave.Error.quark(), GLib.quark_from_string('sw-error-quark'));
});

test('generated operation classes are there', () => {
    for (const carrier of ['Generic', 'CPU']) {
        const operation = Strideweave[`${carrier}ReLUOperation`];
        ok(GObject.type_is_a(operation.$gtype, Strideweave.Operation.$gtype), carrier);
    }
});

test('internals are absent', () => {
    for (const name of ['Tree', 'LayoutLeaf', 'Implementation', 'Call', 'Thread'])
        equal(Strideweave[name], undefined);
});

test('the override is active', () => {
    equal(typeof Strideweave.Profiler.prototype.run, 'function');
});

finish();
