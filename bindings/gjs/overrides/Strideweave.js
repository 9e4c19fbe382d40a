// SPDX-License-Identifier: LGPL-2.1-or-later
// What GJS makes of the introspected namespace when it loads it.
/* exported _init */

const {arrays, carriers, checks, collectors, creation, errors, layouts, operations, profilers, records, registry, sessions, signatures, tensors, traces, values, zoneResults, zones} =
    imports.overrides._strideweave;

function _init() {
    registry.init(this);
    checks.init(registry.native);
    errors.init(registry.native);
    signatures.wrapAll(this);
    values.init();
    arrays.init(this);
    layouts.init(this);
    tensors.init(this);
    creation.init(this);
    carriers.init();
    collectors.init();
    operations.init(this);
    records.init();
    profilers.init(this);
    sessions.init(this);
    zoneResults.init();
    zones.init(this);
    traces.init();
}
